/* SPDX-License-Identifier: MIT */
#include "checker.h"

#include "base/util.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash(const struct state *s)
{
	const uint8_t *b = (const uint8_t *)s;
	uint64_t h = 0;

	for (size_t i = 0; i < sizeof *s; i++)
		h = hash_mix(h, b[i]);
	return h ^ h >> 32;
}

/* The slot of the state, or the free one where it belongs. */
static uint32_t slot_of(const struct checker *c, const struct state *s)
{
	uint32_t i = (uint32_t)hash(s) & c->mask;

	while (c->slots[i] && memcmp(&c->states[c->slots[i] - 1], s, sizeof *s))
		i = (i + 1) & c->mask;
	return i;
}

static void grow(struct checker *c)
{
	c->capacity = c->capacity ? c->capacity * 2 : 256;
	c->states = xreallocarray(c->states, c->capacity, sizeof *c->states);
	c->next = xreallocarray(c->next, c->capacity, sizeof *c->next);
	free(c->slots);
	c->mask = c->capacity * 2 - 1;
	c->slots = xcalloc(c->capacity * 2, sizeof *c->slots);
	for (uint32_t i = 0; i < c->nstates; i++)
		c->slots[slot_of(c, &c->states[i])] = i + 1;
}

static uint32_t number_of(struct checker *c, const struct state *s)
{
	uint32_t i;

	if (c->nstates == c->capacity)
		grow(c);
	i = slot_of(c, s);
	if (!c->slots[i]) {
		c->states[c->nstates] = *s;
		c->slots[i] = ++c->nstates;
	}
	return c->slots[i] - 1;
}

int64_t checker_find(const struct checker *c, const struct state *s)
{
	return (int64_t)c->slots[slot_of(c, s)] - 1;
}

static bool visit_all(struct checker *c, uint32_t most)
{
	struct state s;

	program_start(c->program, &s);
	number_of(c, &s);
	for (uint32_t i = 0; i < c->nstates; i++) {
		if (c->states[i].unusable)
			c->unusable = true;
		if (c->nstates > most)
			c->too_big = true;
		if (c->unusable || c->too_big)
			return false;
		for (unsigned t = 0; t < MOST_THREADS; t++) {
			int32_t to = -1;

			if (t < c->program->nthreads &&
			    program_enabled(c->program, &c->states[i], t)) {
				s = c->states[i];
				program_step(c->program, &s, t);
				to = (int32_t)number_of(c, &s);
			}
			c->next[i][t] = to;
		}
	}
	return true;
}

/* Goes through all steps for what each thread accesses, and changes. */
static void find_sharing(struct checker *c)
{
	uint8_t accessed[VARIABLES] = { 0 }, changed[VARIABLES] = { 0 };

	for (uint32_t i = 0; i < c->nstates; i++) {
		for (unsigned t = 0; t < c->program->nthreads; t++) {
			unsigned x = program_next(c->program, &c->states[i], t)->x;

			if (c->next[i][t] < 0)
				continue;
			accessed[x] |= (uint8_t)(1u << t);
			if (c->states[c->next[i][t]].value[x] != c->states[i].value[x])
				changed[x] |= (uint8_t)(1u << t);
		}
	}
	for (unsigned x = 0; x < VARIABLES; x++) {
		bool several = accessed[x] & (accessed[x] - 1);

		c->shares |= changed[x] && several;
	}
}

static bool is_end(const struct checker *c, uint32_t i)
{
	for (unsigned t = 0; t < MOST_THREADS; t++) {
		if (c->next[i][t] >= 0)
			return false;
	}
	return true;
}

static uint32_t add_end(struct checker *c, uint32_t i)
{
	const struct state *s = &c->states[i];
	struct end e = { .state = i };

	if (s->failed) {
		e.kind = END_ASSERT;
		e.thread = s->failed - 1;
		e.pc = s->pc[e.thread];
		for (uint32_t k = 0; k < c->nends; k++) {
			if (c->ends[k].kind == END_ASSERT && c->ends[k].thread == e.thread &&
			    c->ends[k].pc == e.pc)
				return k;
		}
	} else {
		e.kind = program_all_ended(c->program, s) ? END_OK : END_DEADLOCK;
	}
	VEC_GROW(c->ends, c->nends, c->ends_capacity);
	c->ends[c->nends] = e;
	return c->nends++;
}

/* Marks, until nothing changes, who has a successor that is marked. */
static void find_ends(struct checker *c)
{
	bool changed = true;

	for (uint32_t i = 0; i < c->nstates; i++) {
		c->has_way_out[i] = is_end(c, i);
		c->end_of[i] = c->has_way_out[i] ? (int32_t)add_end(c, i) : -1;
	}
	while (changed) {
		changed = false;
		for (uint32_t i = c->nstates; i-- > 0;) {
			for (unsigned t = 0; t < MOST_THREADS && !c->has_way_out[i]; t++) {
				int32_t to = c->next[i][t];

				if (to >= 0 && c->has_way_out[to]) {
					c->has_way_out[i] = true;
					changed = true;
				}
			}
		}
	}
}

/* Appends to `list` what can be reached from state i, itself first; `seen` is of the last caller's
 * number. */
static uint32_t reach(const struct checker *c, uint32_t i, uint32_t *list, uint32_t *seen,
		      uint32_t mark)
{
	uint32_t n = 0;

	list[n++] = i;
	seen[i] = mark;
	for (uint32_t k = 0; k < n; k++) {
		for (unsigned t = 0; t < MOST_THREADS; t++) {
			int32_t to = c->next[list[k]][t];

			if (to >= 0 && seen[to] != mark) {
				seen[to] = mark;
				list[n++] = (uint32_t)to;
			}
		}
	}
	return n;
}

/* What each thread does in a closed set. */
static void describe(const struct checker *c, struct livelock *l, const uint32_t *set, uint32_t n)
{
	for (unsigned t = 0; t < c->program->nthreads; t++) {
		struct part *p = &l->parts[t];
		const struct state *s = &c->states[l->state];

		p->kind = program_ended(c->program, s, t) ? PART_ENDED : PART_BLOCKED;
		p->variables = 0;
		for (uint32_t k = 0; k < n; k++) {
			if (c->next[set[k]][t] < 0)
				continue;
			p->kind = PART_LOOPS;
			p->variables |=
				(uint16_t)(1u
					   << program_next(c->program, &c->states[set[k]], t)->x);
		}
		if (p->kind == PART_BLOCKED)
			p->variables = (uint16_t)(1u << program_next(c->program, s, t)->x);
	}
}

/*
 * A state whose reachable states all lead back to it is in a closed set. From any state without a
 * way out such a set can be reached: go to a reachable state from which the fewest can be reached.
 */
static void find_livelocks(struct checker *c)
{
	uint32_t *set = xcalloc(c->nstates, sizeof *set), *seen = xcalloc(c->nstates, sizeof *seen);
	uint32_t *count = xcalloc(c->nstates, sizeof *count), mark = 0;

	for (uint32_t i = 0; i < c->nstates; i++) {
		c->closed[i] = -1;
		count[i] = c->has_way_out[i] ? UINT32_MAX : reach(c, i, set, seen, ++mark);
	}
	for (uint32_t i = 0; i < c->nstates && !c->too_big; i++) {
		uint32_t n, fewest = UINT32_MAX;

		if (c->has_way_out[i] || c->closed[i] >= 0)
			continue;
		n = reach(c, i, set, seen, ++mark);
		for (uint32_t k = 0; k < n; k++)
			fewest = count[set[k]] < fewest ? count[set[k]] : fewest;
		if (fewest != n)
			continue; /* somewhere from here there is no way back */
		if (c->nlivelocks == MOST_LIVELOCKS) {
			c->too_big = true;
			break;
		}
		for (uint32_t k = 0; k < n; k++)
			c->closed[set[k]] = (int32_t)c->nlivelocks;
		c->livelocks[c->nlivelocks].state = i;
		describe(c, &c->livelocks[c->nlivelocks++], set, n);
	}
	free(set);
	free(seen);
	free(count);
}

void checker_build(struct checker *c, const struct program *p, uint32_t most)
{
	memset(c, 0, sizeof *c);
	c->program = p;
	if (!visit_all(c, most))
		return;
	c->has_way_out = xcalloc(c->nstates, sizeof *c->has_way_out);
	c->end_of = xcalloc(c->nstates, sizeof *c->end_of);
	c->closed = xcalloc(c->nstates, sizeof *c->closed);
	find_sharing(c);
	find_ends(c);
	find_livelocks(c);
}

void checker_free(struct checker *c)
{
	free(c->states);
	free(c->next);
	free(c->has_way_out);
	free(c->closed);
	free(c->end_of);
	free(c->slots);
	free(c->ends);
}

uint64_t checker_livelocks_from(const struct checker *c, uint32_t state)
{
	uint32_t *set = xcalloc(c->nstates, sizeof *set), *seen = xcalloc(c->nstates, sizeof *seen);
	uint32_t n = reach(c, state, set, seen, 1);
	uint64_t found = 0;

	for (uint32_t k = 0; k < n; k++) {
		if (c->closed[set[k]] >= 0)
			found |= UINT64_C(1) << c->closed[set[k]];
	}
	free(set);
	free(seen);
	return found;
}

static void state_text(const struct checker *c, const struct state *s, FILE *out)
{
	for (unsigned x = 0; x < VARIABLES; x++)
		fprintf(out, "%s%u",
			x == NUMBERS ? " mutexes "
			: x          ? ","
				     : " values ",
			s->value[x]);
	for (unsigned t = 0; t < c->program->nthreads; t++) {
		const struct thread *th = &c->program->threads[t];

		fprintf(out, "; thread %u", t);
		if (!program_ended(c->program, s, t))
			fprintf(out, " at %u", s->pc[t]);
		for (unsigned r = 0; r < REGISTERS; r++) {
			if (th->live[s->pc[t]] >> r & 1)
				fprintf(out, " r%u=%u", r, s->reg[t][r]);
		}
	}
}

void checker_end_text(const struct checker *c, const struct end *e, char *to, size_t size)
{
	FILE *out = fmemopen(to, size, "w");

	if (e->kind == END_ASSERT) {
		fprintf(out, "assertion of thread %u at %u", e->thread, e->pc);
	} else {
		fputs(e->kind == END_OK ? "ok" : "deadlock", out);
		state_text(c, &c->states[e->state], out);
	}
	fclose(out);
}

void checker_livelock_text(const struct checker *c, const struct livelock *l, char *to, size_t size)
{
	static const char *const kinds[] = { "ended", "blocked at", "loops over" };
	FILE *out = fmemopen(to, size, "w");

	fputs("livelock", out);
	for (unsigned t = 0; t < c->program->nthreads; t++) {
		fprintf(out, "; thread %u %s", t, kinds[l->parts[t].kind]);
		for (unsigned x = 0; x < VARIABLES; x++) {
			if (l->parts[t].variables >> x & 1)
				fprintf(out, x < NUMBERS ? " x%u" : " m%u",
					x < NUMBERS ? x : x - NUMBERS);
		}
	}
	fputs("; such as", out);
	state_text(c, &c->states[l->state], out);
	fclose(out);
}
