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
 * is touched; the search then begins again (contended.h). Destructors of thread-specific data are no
 * operations, but belong to the structure as these do: one that has begun runs to its end, if it can.
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
#include "../words.h"
#include "contended.h"
#include "frames.h"

#include <fcntl.h>

#define IN_OP      (1ULL << 63) /* of a node: an operation is open */

/* Of each step, by its index in the log. */
struct mark {
	uint64_t node; /* the node before it, 0: none; perhaps with IN_OP */
	bool in_op;    /* it is part of an operation */
};

static struct sequential {
	struct mark *marks;
	struct table states; /* by hash: the node */
	struct contended contended;
	uint32_t nodes;      /* handed out */
	uint32_t before;     /* as many before the latest execution */
	uint32_t met;        /* the node at which this execution ends, 0: none */
	uint64_t recorded;   /* classes, when the latest line was written */
	bool written;        /* there is one */
	bool timed;          /* the program looks at the time */
	int fd;
} * sequential;

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
			contend_common(&sequential->contended, mine, e);
	}
}

/* ---- choices ---- */

static void init(void)
{
	struct sequential *s = sequential = memory_get(sizeof *s);

	frames_init();
	s->marks = memory_get(log_capacity() * sizeof *s->marks);
	table_make(&s->states);
	table_make(&s->contended.lines);
	s->fd = run_dir_file("states", O_WRONLY);
}

/* The latest execution is run again, and must not meet what it met itself. */
static void forget_latest(void)
{
	struct sequential *s = sequential;

	for (uint32_t i = 0; i <= s->states.mask; i++)
		if (s->states.numbers[i] > s->before)
			s->states.numbers[i] = 0;
	s->nodes = s->before;
}

static bool begin(uint32_t *prefix, int32_t *choice)
{
	struct sequential *s = sequential;

	if (rt->need_restart) {
		zero(s->states.keys, (s->states.mask + 1) * sizeof *s->states.keys);
		zero(s->states.numbers, (s->states.mask + 1) * sizeof *s->states.numbers);
		s->states.used = s->nodes = s->before = 0;
		s->written = false;
		sys2(SYS_ftruncate, s->fd, 0);
		sys3(SYS_lseek, s->fd, 0, 0 /* SEEK_SET */);
	}
	if (rt->need_again)
		forget_latest();
	if (rt->need_restart || !rt->need_again)
		s->contended.grown = false; /* else it counts for the execution that is made again */
	s->before = s->nodes;
	s->met = 0;
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

		if (!is_contended(&sequential->contended, &rt->fibers[id].pending))
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
	struct state_sum sum;
	uint64_t hash;
	uint32_t i;

	if (!fingerprint(&sum))
		return ++s->nodes;
	hash = sum.a + !sum.a;
	i = table_place(&s->states, hash);
	if (s->states.keys[i] && !s->states.numbers[i])
		return s->states.numbers[i] = ++s->nodes; /* forgotten */
	if (s->states.keys[i]) {
		s->met = s->states.numbers[i];
		end_execution(LP_OUT_OK, 0, 0, NULL);
	}
	table_add(&s->states, hash, ++s->nodes);
	return s->nodes;
}

/* Those in the midst of a destructor that need not wait. */
static uint64_t destroying(uint64_t enabled)
{
	uint64_t set = 0;

	for (uint64_t b = enabled; b; b &= b - 1) {
		const struct fiber *f = &rt->fibers[__builtin_ctzll(b)];

		if (in_destructor(f) && !gives_up(f))
			set |= bit(f->id);
	}
	return set;
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
	else if (!f && destroying(set))
		alone = destroying(set);
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
	return event_is_step(&rt->log[i]) && !rt->log[i].glued && sequential->marks[i].node;
}

static void write_nodes(void)
{
	struct text t = { 0 };
	unsigned long kept = 0;

	for (uint32_t i = 0; i < rt->prefix; i++)
		kept += is_node(i);
	/* What came of the execution before is only known now: one that waits in vain is no class. */
	if (sequential->written && sequential->recorded == rt->status->classes)
		text_add(&t, "~");
	sequential->written = true;
	sequential->recorded = rt->status->classes;
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

static void end(void)
{
	struct sequential *s = sequential;

	contend_waiting(&s->contended);
	if (rt->timed && !s->timed)
		s->timed = s->contended.grown = true; /* states were told apart without it */
	if (s->contended.grown)
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
