/* SPDX-License-Identifier: MIT
 *
 * Sequential executions: operations one at a time, in every order that the threads allow. They show
 * what the structure does when nobody disturbs it, which is what the specification `self` compares
 * with.
 *
 * An operation that has begun runs until it returns. Which of the threads begins its operation is a
 * choice, and all are tried. What threads do between operations is one only if it touches memory
 * that another thread touches as well, unordered by creation and join and not by two operations;
 * everything else commutes with what others do, and runs at once. Such memory becomes known when it
 * is touched; the search then begins again. An event that was not taken for a choice, and should
 * have been, can be moved up to the first one that conflicts with it by exchanging independent
 * neighbours; so that conflict is met in an execution that is explored.
 *
 * Executions that come to a state in which another one was before go on like that one, and end
 * there (stateful search; fingerprint.c tells states apart). What remains is a graph, whose nodes are the
 * states at choices; RUNDIR/states has it, see format/run_dir.h.
 *
 * An operation that cannot go on by itself lets threads work that are in no operation (a server,
 * say), but none begins another operation; if nobody is left, the execution ends there, with that
 * operation pending: it is not possible in the state that the others made.
 */
#include "../fingerprint.h"
#include "../memory.h"
#include "../objects.h"
#include "../run_dir.h"
#include "../sched.h"
#include "../state.h"
#include "../strategy.h"
#include "frames.h"

#include <fcntl.h>

#define LINE       64u /* memory is touched by several threads, or not, in pieces of this size */
#define FIRST_SIZE 1024u
#define IN_OP      (1ULL << 63) /* of a node: an operation is open */

struct table { /* open addressing; keys are not 0 */
	uint64_t *keys;
	uint32_t *numbers;
	uint32_t mask, used;
};

/* Of each step, by its index in the log. */
struct mark {
	uint64_t node; /* the node before it, 0: none; perhaps with IN_OP */
	bool in_op;    /* it is part of an operation */
};

static struct sequential {
	struct mark *marks;
	struct table states; /* by hash: the node */
	struct table lines;  /* contended ones, by number + 1 */
	uint32_t nodes;      /* handed out */
	uint32_t met;        /* the node at which this execution ends, 0: none */
	bool grown;          /* a line has become contended: begin again */
	bool timed;          /* the program looks at the time */
	int fd;
} * sequential;

/* ---- tables ---- */

static uint32_t place(const struct table *t, uint64_t key)
{
	uint32_t i = (uint32_t)(mix(0, key) >> 20) & t->mask;

	while (t->keys[i] && t->keys[i] != key)
		i = (i + 1) & t->mask;
	return i;
}

static void table_make(struct table *t, uint32_t size)
{
	t->keys = memory_get(size * sizeof *t->keys);
	t->numbers = memory_get(size * sizeof *t->numbers);
	t->mask = size - 1;
}

static void table_add(struct table *t, uint64_t key, uint32_t number)
{
	struct table old = *t;
	uint32_t i;

	if (++t->used * 2 > t->mask) {
		table_make(t, (old.mask + 1) * 4);
		for (uint32_t k = 0; k <= old.mask; k++)
			if (old.keys[k]) {
				i = place(t, old.keys[k]);
				t->keys[i] = old.keys[k];
				t->numbers[i] = old.numbers[k];
			}
	}
	i = place(t, key);
	t->keys[i] = key;
	t->numbers[i] = number;
}

/* ---- contended memory ---- */

static void contend(uint64_t lo, uint64_t hi)
{
	struct table *t = &sequential->lines;

	for (uint64_t line = lo / LINE; line * LINE < hi; line++) {
		uint32_t i = place(t, line + 1);

		if (t->keys[i])
			continue;
		table_add(t, line + 1, 0);
		sequential->grown = true;
	}
}

static bool contended(const struct pending *p)
{
	const struct table *t = &sequential->lines;
	uint64_t size = p->size ? p->size : 1;

	if (!t->used)
		return false;
	if (p->addr2 && t->keys[place(t, p->addr2 / LINE + 1)])
		return true;
	for (uint64_t line = p->addr / LINE; line * LINE < p->addr + size; line++)
		if (t->keys[place(t, line + 1)])
			return true;
	return false;
}

/* Of two events of different threads, what they have in common; all of a lock is its first byte. */
static void contend_common(const struct event *a, const struct event *b)
{
	uint64_t lo = a->addr > b->addr ? a->addr : b->addr;
	uint64_t a_hi = a->addr + a->size, b_hi = b->addr + b->size;
	uint64_t hi = a_hi < b_hi ? a_hi : b_hi;

	if (lo < hi)
		contend(lo, hi);
	if (a->addr2)
		contend(a->addr2, a->addr2 + 1);
	if (b->addr2)
		contend(b->addr2, b->addr2 + 1);
}

static void sequential_step(uint32_t i, const uint32_t *conflicts, unsigned n,
			    const uint32_t *clock)
{
	const struct event *mine = &rt->log[i];
	struct mark *marks = sequential->marks;

	marks[i].in_op = rt->fibers[mine->thread].in_op != 0;
	for (unsigned k = 0; k < n; k++) {
		const struct event *e = &rt->log[conflicts[k]];

		/* Operations are tried in every order anyway; what is ordered already stays so. */
		if (!(marks[i].in_op && marks[conflicts[k]].in_op) && clock[e->thread] < e->seq)
			contend_common(mine, e);
	}
}

/* ---- choices ---- */

static void init(void)
{
	struct sequential *s = sequential = memory_get(sizeof *s);

	frames_init();
	s->marks = memory_get(log_capacity() * sizeof *s->marks);
	table_make(&s->states, FIRST_SIZE);
	table_make(&s->lines, FIRST_SIZE);
	s->fd = run_dir_file("states", O_WRONLY);
}

static bool begin(uint32_t *prefix, int32_t *choice)
{
	struct sequential *s = sequential;

	if (rt->need_restart) {
		zero(s->states.keys, (s->states.mask + 1) * sizeof *s->states.keys);
		s->states.used = s->nodes = 0;
		sys2(SYS_ftruncate, s->fd, 0);
		sys3(SYS_lseek, s->fd, 0, 0 /* SEEK_SET */);
	}
	s->met = 0;
	s->grown = false;
	return frames_begin(prefix, choice, false);
}

/* Those of the set that are about to begin an operation. */
static uint64_t beginning(uint64_t set)
{
	uint64_t calls = 0;

	for (uint64_t b = set; b; b &= b - 1) {
		unsigned id = (unsigned)__builtin_ctzll(b);

		if (rt->fibers[id].pending.kind == LP_EV_CALL)
			calls |= bit(id);
	}
	return calls;
}

/* Those whose next event nobody else can tell from none. */
static uint64_t quiet(uint64_t set)
{
	uint64_t left = 0;

	for (uint64_t b = set; b; b &= b - 1) {
		unsigned id = (unsigned)__builtin_ctzll(b);

		if (!contended(&rt->fibers[id].pending))
			left |= bit(id);
	}
	return left;
}

static const struct fiber *in_operation(void)
{
	for (unsigned i = 0; i < rt->nfibers; i++)
		if (rt->fibers[i].in_op && rt->fibers[i].state == FIBER_LIVE)
			return &rt->fibers[i];
	return NULL;
}

/* Would it rather wait? It goes on now only because its time is up. */
static bool gives_up(const struct fiber *f)
{
	return f->pending.attempt && f->pending.wait && !object_allows(f, &f->pending);
}

/* Who may be chosen at this point, one operation being open or none. */
static uint64_t choices(const struct fiber *f, uint64_t enabled)
{
	uint64_t others;

	if (!f)
		return enabled;
	others = enabled & ~beginning(enabled) & ~bit(f->id);
	if (enabled & bit(f->id))
		return bit(f->id) | (gives_up(f) ? others : 0);
	if (others)
		return others;
	if (rt->waiting.vain & bit(f->id) && sched_enabled() & bit(f->id))
		return bit(f->id);
	end_blocked();
}

/* The node of the present state; ends the execution if another one has been there. */
static uint64_t node(void)
{
	struct sequential *s = sequential;
	uint64_t hash;
	uint32_t i;

	if (!fingerprint(&hash))
		return ++s->nodes;
	hash += !hash;
	i = place(&s->states, hash);
	if (s->states.keys[i]) {
		s->met = s->states.numbers[i];
		end_execution(LP_OUT_OK, 0, 0, NULL);
	}
	table_add(&s->states, hash, ++s->nodes);
	return s->nodes;
}

static int pick(uint64_t enabled)
{
	struct search_frame *frame = &search_frames[rt->n];
	uint64_t *mark = &sequential->marks[rt->n].node;
	const struct fiber *f = in_operation();
	uint64_t set = choices(f, enabled), alone;

	frame->done = *mark = 0;
	frame->ran = false;
	if (f && set == bit(f->id))
		alone = set;
	else
		alone = quiet(set & ~beginning(set) & ~(f ? bit(f->id) : 0));
	if (alone) {
		frame->backtrack = alone & -alone;
	} else {
		frame->backtrack = set;
		*mark = f ? IN_OP | ++sequential->nodes : node();
	}
	return __builtin_ctzll(frame->backtrack);
}

/* ---- the graph ---- */

static bool is_node(uint32_t i)
{
	return rt->log[i].kind <= LP_EV_LAST_STEP && !rt->log[i].glued && sequential->marks[i].node;
}

static void write_nodes(void)
{
	struct text t = { 0 };
	unsigned long kept = 0;

	for (uint32_t i = 0; i < rt->prefix; i++)
		kept += is_node(i);
	text_add(&t, "%u", kept);
	for (uint32_t i = rt->prefix; i < rt->n; i++) {
		uint64_t node = sequential->marks[i].node;

		if (!is_node(i))
			continue;
		if (t.n > sizeof t.s - 128)
			text_flush(&t, sequential->fd);
		text_add(&t, " %u/%x/%u%s", (unsigned long)(node & ~IN_OP),
			 search_frames[i].backtrack, (unsigned long)rt->log[i].thread,
			 node & IN_OP                    ? "-"
			 : rt->log[i].kind == LP_EV_CALL ? "+"
							 : "");
	}
	if (sequential->met)
		text_add(&t, " =%u", (unsigned long)sequential->met);
	text_add(&t, "\n");
	text_flush(&t, sequential->fd);
}

/* What waits for others at the end has tried, and they should have been tried before it. */
static void contend_waiting(void)
{
	for (uint64_t b = rt->blocked; b; b &= b - 1) {
		const struct pending *p = &rt->fibers[__builtin_ctzll(b)].pending;

		if (p->wait != WAIT_JOIN)
			contend(p->addr, p->addr + 1);
	}
}

static void end(void)
{
	struct sequential *s = sequential;

	if (rt->need_restart || rt->need_again)
		return;
	contend_waiting();
	if (rt->timed && !s->timed)
		s->timed = s->grown = true; /* states were told apart without it */
	if (s->grown)
		rt->need_restart = 1;
	else
		write_nodes();
}

const struct strategy strategy_sequential = {
	.init = init,
	.begin = begin,
	.pick = pick,
	.step = sequential_step,
	.end = end,
	.estimate = frames_estimate,
	/* Orders of operations that do not conflict are one class, but two orders. */
	.distinct = true,
	.stateful = true,
	.frames = true,
};
