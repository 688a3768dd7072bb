/* SPDX-License-Identifier: MIT */
#include "lin/history.h"

#include <stdlib.h>
#include <string.h>

void history_init(struct history *h)
{
	memset(h, 0, sizeof *h);
}

void history_free(struct history *h)
{
	for (uint32_t i = 0; i < h->nmethods; i++)
		free(h->methods[i]);
	for (uint32_t i = 0; i < h->nstrings; i++)
		free(h->strings[i]);
	for (uint32_t i = 0; i < h->nobjects; i++) {
		free(h->objects[i].name);
		free(h->objects[i].specification);
	}
	for (uint32_t i = 0; i < h->nthreads; i++)
		free(h->threads[i]);
	free(h->threads);
	free(h->ops);
	free(h->methods);
	free(h->strings);
	free(h->objects);
	free(h->string_index);
	free(h->object_index);
	memset(h, 0, sizeof *h);
}

struct history_op *history_add(struct history *h)
{
	struct history_op *op;

	VEC_GROW(h->ops, h->nops, h->ops_capacity);
	op = &h->ops[h->nops++];
	memset(op, 0, sizeof *op);
	return op;
}

/* A history has a handful of operation names: a scan is faster than a table. */
uint32_t history_method(struct history *h, const char *name)
{
	for (uint32_t i = 0; i < h->nmethods; i++)
		if (!strcmp(h->methods[i], name))
			return i;
	VEC_GROW(h->methods, h->nmethods, h->methods_capacity);
	h->methods[h->nmethods] = xstrdup(name);
	return h->nmethods++;
}

static uint64_t hash_bytes(const char *s, size_t n)
{
	uint64_t hash = n;

	for (size_t i = 0; i < n; i++)
		hash = hash_mix(hash, (unsigned char)s[i]);
	return hash_mix(hash, hash >> 32);
}

static const char *string_at(const struct history *h, uint32_t i)
{
	return h->strings[i];
}

static const char *object_at(const struct history *h, uint32_t i)
{
	return h->objects[i].name;
}

/* The slot that holds the name, or the free slot where it belongs. The table is never full. */
static uint32_t index_slot(const struct history *h, const uint32_t *index, uint32_t slots,
			   const char *(*at)(const struct history *, uint32_t), const char *s,
			   size_t n)
{
	uint32_t i = (uint32_t)hash_bytes(s, n) & (slots - 1);

	for (; index[i]; i = (i + 1) & (slots - 1)) {
		const char *other = at(h, index[i] - 1);

		if (strlen(other) == n && !memcmp(other, s, n))
			break;
	}
	return i;
}

/* Keeps the index at most half full; `count` names are in it. */
static void index_grow(const struct history *h, uint32_t **index, uint32_t *slots, uint32_t count,
		       const char *(*at)(const struct history *, uint32_t))
{
	if (count * 2 < *slots)
		return;
	*slots = *slots ? *slots * 2 : 16;
	free(*index);
	*index = xcalloc(*slots, sizeof **index);
	for (uint32_t i = 0; i < count; i++) {
		const char *s = at(h, i);

		(*index)[index_slot(h, *index, *slots, at, s, strlen(s))] = i + 1;
	}
}

uint32_t history_string(struct history *h, const char *s, size_t n)
{
	const char *nul = memchr(s, 0, n);
	uint32_t slot;

	if (nul)
		n = (size_t)(nul - s);
	index_grow(h, &h->string_index, &h->string_slots, h->nstrings, string_at);
	slot = index_slot(h, h->string_index, h->string_slots, string_at, s, n);
	if (h->string_index[slot])
		return h->string_index[slot] - 1;
	VEC_GROW(h->strings, h->nstrings, h->strings_capacity);
	h->strings[h->nstrings] = xstrndup(s, n);
	h->string_index[slot] = ++h->nstrings;
	return h->nstrings - 1;
}

uint32_t history_object(struct history *h, const char *name, const char *specification)
{
	struct history_object *o;
	uint32_t slot;

	index_grow(h, &h->object_index, &h->object_slots, h->nobjects, object_at);
	slot = index_slot(h, h->object_index, h->object_slots, object_at, name, strlen(name));
	if (h->object_index[slot]) {
		o = &h->objects[h->object_index[slot] - 1];
		if (!o->specification && specification)
			o->specification = xstrdup(specification);
		return h->object_index[slot] - 1;
	}
	VEC_GROW(h->objects, h->nobjects, h->objects_capacity);
	o = &h->objects[h->nobjects];
	o->name = xstrdup(name);
	o->specification = specification ? xstrdup(specification) : NULL;
	h->object_index[slot] = ++h->nobjects;
	return h->nobjects - 1;
}

void history_thread(struct history *h, uint32_t thread, char *name)
{
	if (thread >= h->nthreads) {
		h->threads = xreallocarray(h->threads, thread + 1, sizeof *h->threads);
		while (h->nthreads <= thread)
			h->threads[h->nthreads++] = NULL;
	}
	free(h->threads[thread]);
	h->threads[thread] = name;
}
