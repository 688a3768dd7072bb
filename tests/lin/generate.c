/* SPDX-License-Identifier: MIT */
#include "generate.h"

#include <string.h>

uint32_t random_below(struct random *r, uint32_t n)
{
	r->state += 0x9e3779b97f4a7c15ULL;
	uint64_t z = r->state;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return (uint32_t)((z ^ z >> 31) >> 32) % n;
}

void generate_shape(struct random *r, struct shape *shape)
{
	shape->max_ops = 1 + random_below(r, 8);
	shape->threads = 1 + random_below(r, 4);
	shape->pending = random_below(r, 2);
	shape->distinct = random_below(r, 4) > 0;
	shape->mistakes = random_below(r, 3);
	shape->unknown = !random_below(r, 6);
	shape->looks = !random_below(r, 4);
}

/* Names by kind; those behind the empty string only with `looks`. */
static const char *const names[K_COUNT][10] = {
	[K_SET] = { "add", "remove", "contains", "", "size" },
	[K_MULTISET] = { "add", "remove", "contains", "", "size" },
	[K_MAP] = { "put", "get", "", "remove", "put_if_absent", "replace", "compareAndSet",
		    "delete" },
	[K_STACK] = { "push", "pop", "", "peek", "size" },
	[K_QUEUE] = { "push", "pop", "", "peek", "size" },
	[K_DEQUE] = { "push_front", "pop_front", "push_back", "pop_back", "", "peek_front",
		      "size" },
	[K_PQUEUE_MIN] = { "push", "pop", "", "peek", "size" },
	[K_PQUEUE_MAX] = { "push", "pop", "", "peek", "size" },
	[K_REGISTER] = { "read", "write", "cas", "swap" },
	[K_MULTI_REGISTER] = { "read", "write" },
	[K_COUNTER] = { "inc", "read", "", "dec", "fetch_add" },
	[K_MUTEX] = { "lock", "unlock" },
	[K_SEMAPHORE] = { "acquire", "release" },
	[K_BOUNDED_QUEUE] = { "push", "pop", "", "peek", "size" },
	[K_BOUNDED_STACK] = { "push", "pop", "", "peek", "size" },
	[K_APPEND_LIST] = { "append", "read", "", "size" },
	[K_KV] = { "get", "append", "put" },
};

static const char *pick_name(struct random *r, enum kind kind, bool looks)
{
	const char *const *list = names[kind];
	uint32_t n = 0, all = 0;

	while (list[n] && list[n][0])
		n++;
	for (all = n; list[all]; all++)
		;
	if (looks && all > n) {
		uint32_t i = random_below(r, all - 1);

		return list[i < n ? i : i + 1];
	}
	return list[random_below(r, n)];
}

static struct value any_value(struct random *r, const struct shape *s, int64_t *fresh)
{
	return (struct value){ VALUE_INT, s->distinct ? ++*fresh : 1 + random_below(r, 3) };
}

static void add_argument(struct history_op *op, struct value v)
{
	op->args[op->nargs++] = v;
}

static struct value key(struct random *r)
{
	return (struct value){ VALUE_INT, random_below(r, 2) };
}

/* Arguments by the kind and name. Distinct values are shuffled, so that priorities are in no
 * order. */
static void arguments(struct random *r, enum kind kind, const struct shape *s, struct history *h,
		      struct history_op *op, int64_t *fresh)
{
	const char *name = h->methods[op->method];
	bool looks = !strcmp(name, "size") || !strcmp(name, "peek") || !strcmp(name, "peek_front");
	bool pops = !strncmp(name, "pop", 3);

	op->nargs = 0;
	if (looks || pops || kind == K_COUNTER || kind == K_MUTEX || kind == K_SEMAPHORE)
		return;
	if (kind == K_SET || kind == K_MULTISET || kind == K_MAP || kind == K_MULTI_REGISTER ||
	    kind == K_KV)
		add_argument(op, key(r));
	if (kind == K_SET || kind == K_MULTISET || !strcmp(name, "read") || !strcmp(name, "get") ||
	    !strcmp(name, "remove"))
		return;
	if (kind == K_KV) {
		char text[8];
		int v = (int)any_value(r, s, fresh).v;
		/* Pieces that end in a dot can be told apart in a result; 1, 11 and 111 cannot. */
		int n = s->distinct ? snprintf(text, sizeof text, "%d.", v)
				    : snprintf(text, sizeof text, "%.*s", v, "111");

		add_argument(op,
			     (struct value){ VALUE_STRING, history_string(h, text, (size_t)n) });
		return;
	}
	if (!strcmp(name, "cas") || !strcmp(name, "compareAndSet"))
		add_argument(op,
			     (struct value){ VALUE_INT, random_below(r, (uint32_t)*fresh + 3) });
	add_argument(op, any_value(r, s, fresh));
	if (s->distinct && (kind == K_PQUEUE_MIN || kind == K_PQUEUE_MAX))
		op->args[0].v = op->args[0].v * 7 % 31;
}

/* Calls and returns in a random order; an operation that is still running at the end is pending. */
static void times(struct random *r, const struct shape *s, struct history *h, uint32_t n)
{
	int64_t running[8], now = 0;
	uint32_t started = 0, finished = 0;

	memset(running, -1, sizeof running);
	while (finished < n) {
		uint32_t t = random_below(r, s->threads);

		now += random_below(r, 4) > 0;
		if (running[t] < 0 && started < n) {
			h->ops[started].call = now;
			h->ops[started].thread = (int32_t)t;
			h->ops[started].ret = TIME_PENDING;
			running[t] = started++;
		} else if (running[t] >= 0) {
			if (!s->pending || random_below(r, 12))
				h->ops[running[t]].ret = now;
			running[t] = -1;
			finished++;
		}
	}
}

/* Runs the operations in a random order that respects their times and records the results. */
static void results(struct random *r, enum kind kind, struct history *h)
{
	struct model m;
	uint64_t done = 0;

	model_init(kind, &m);
	for (size_t k = 0; k < h->nops; k++) {
		size_t i = random_below(r, (uint32_t)h->nops);
		struct history_op *op;

		for (size_t tries = 0; tries < h->nops; tries++, i = (i + 1) % h->nops) {
			bool ready = !(done >> i & 1);

			for (size_t j = 0; j < h->nops; j++)
				ready &= (done >> j & 1) || h->ops[j].ret >= h->ops[i].call;
			if (ready)
				break;
		}
		done |= 1ULL << i;
		op = &h->ops[i];
		if (op->ret == TIME_PENDING && random_below(r, 2))
			continue;
		op->result = (struct value){ VALUE_INT, 0 };
		model_run(kind, &m, h, op, &op->result);
	}
}

/* Is the result of these names a number and no truth value? */
static bool gives_number(const char *name)
{
	return !strncmp(name, "pop", 3) || !strncmp(name, "peek", 4) || !strcmp(name, "read") ||
	       !strcmp(name, "get") || !strcmp(name, "size") || !strcmp(name, "fetch_add") ||
	       !strcmp(name, "put") || !strcmp(name, "swap");
}

static void spoil(struct random *r, const struct shape *s, struct history *h)
{
	for (uint32_t k = 0; k < s->mistakes && h->nops; k++) {
		struct history_op *op = &h->ops[random_below(r, (uint32_t)h->nops)];
		struct history_op *other = &h->ops[random_below(r, (uint32_t)h->nops)];

		if (op->result.tag == VALUE_INT && !(op->result.v >> 1) && random_below(r, 2))
			op->result.v = !op->result.v;
		else if (op->method == other->method)
			op->result = other->result;
		else if (op->result.tag == VALUE_INT && gives_number(h->methods[op->method]))
			op->result.v = 1 + random_below(r, 6);
	}
	for (size_t i = 0; i < h->nops && s->unknown; i++)
		if (!random_below(r, 4))
			h->ops[i].result.tag = VALUE_UNKNOWN;
}

void generate(struct random *r, enum kind kind, const struct shape *s, struct history *h)
{
	uint32_t n = random_below(r, s->max_ops + 1);
	int64_t fresh = random_below(r, 2);

	history_init(h);
	history_object(h, "object", NULL);
	for (uint32_t i = 0; i < n; i++) {
		struct history_op *op = history_add(h);

		op->method = history_method(h, pick_name(r, kind, s->looks));
		arguments(r, kind, s, h, op, &fresh);
	}
	times(r, s, h, n);
	results(r, kind, h);
	spoil(r, s, h);
}
