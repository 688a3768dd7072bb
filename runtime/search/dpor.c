/* SPDX-License-Identifier: MIT
 *
 * Optimal dynamic partial order reduction: Abdulla, Aronis, Jonsson, Sagonas, "Source Sets: A
 * Foundation for Optimal Dynamic Partial Order Reduction", JACM 64(4), 2017, algorithm 2. Read
 * source.c first: which steps race, and what sleeps, is the same.
 *
 * What differs is how a race is reversed. When an execution E is over, each race of a step e with a
 * later one e' gives the sequence v: the steps after e that do not happen after e, then e'. Unless a
 * thread that sleeps in the state before e could come first in v (a weak initial), v is inserted into
 * the *wakeup tree* of that state: a tree of sequences that are still to be executed from there. If a
 * branch of the tree is equivalent to a beginning of v, or can be extended to be, v goes on below it.
 * (In the article v ends where a leaf is reached. But some leaves are there only because it is not known what
 * their last step does; what comes behind such a leaf may be known from v alone, the first time.) A branch is executed
 * step by step, and what lies below its first step becomes the tree of the next state. So an execution is never led to
 * where only sleepers could run.
 *
 * What was executed behind e' is another in the next execution, and so is v. So a race is reversed at the end of each
 * execution that has it; once is not enough. It is done with when a sleeping thread comes first in
 * every v: by a step before e', or e' itself.
 *
 * The trees may become large, and a long execution has long sequences. From then on races are reversed as
 * with source sets (who comes first is known, what comes after is chosen freely), which loses no class
 * but leads to executions that are cut. It must be from then on: that a sleeping thread which
 * is independent of v makes v superfluous is true only because the races with it give whole
 * sequences. What is in the trees already is executed before what is added in that way.
 *
 * What e' does without e is not known: a failed compare-exchange may succeed. In v it counts as what
 * can conflict most. That may insert a sequence too many, and an execution is cut then; never one
 * too few. If a thread of a sequence cannot run when it is its turn (it waits in a loop), all others
 * are tried there, as source sets would. How much of a string is read, and so what that conflicts with, may be
 * otherwise without e: once somebody has written in a string that others read, races are reversed as with source sets, too.
 *
 * With --equivalence=observers, races are those of an order found in the end (observed.h). Of two writes of which only
 * the later, e', is seen, v ends with e, to be seen instead. Who sees it is not in v, so only a first step of v makes it
 * superfluous, or leads to it. Who slept before the other write is half asleep: v may overwrite what he writes.
 */
#include "../memory.h"
#include "../observed.h"
#include "../sched.h"
#include "../strategy.h"
#include "frames.h"
#include "races.h"
#include "sequence.h"
#include "source.h"

#define MOST_NODES (1u << 18) /* in all trees */
#define FAR        2048       /* from e to the end of the execution */

struct node {
	struct event step; /* what of it can conflict */
	uint32_t below;    /* the first of its branches, 0: it is a leaf */
	uint32_t next;     /* the branch after it, 0: none */
	uint8_t thread;
	bool wild; /* conflicts with everything: a crash */
};

static struct optimal {
	uint32_t *trees; /* by log index: the first branch, 0: none */
	uint32_t below;  /* the tree of the state that comes next */
	uint32_t again;  /* what it was when the execution began, which may have to be run once more */
	bool over;       /* the execution is over */
	bool loose;      /* races are reversed as with source sets */
	struct node *nodes;
	uint32_t nnodes, free, capacity, used;
	struct reversal *list;
	uint32_t n, most;
} *o;

/* ---- memory ---- */

static uint32_t node_new(void)
{
	uint32_t i = o->free;

	o->used++;
	if (i) {
		o->free = o->nodes[i].next;
	} else {
		if (o->nnodes == o->capacity)
			o->nodes = memory_twice(o->nodes, &o->capacity, sizeof *o->nodes);
		i = o->nnodes++;
	}
	zero(&o->nodes[i], sizeof o->nodes[i]);
	return i;
}

static void node_free(uint32_t i)
{
	o->nodes[i].next = o->free;
	o->free = i;
	o->used--;
}

/* Empties a tree. Not recursive, for trees may be high, and the program's stacks small. */
static void tree_free(uint32_t *tree)
{
	uint32_t i = *tree, rest;

	for (*tree = 0; i; i = rest) {
		rest = o->nodes[i].next;
		if (o->nodes[i].below) { /* goes before what is left */
			uint32_t end = o->nodes[i].below;

			while (o->nodes[end].next)
				end = o->nodes[end].next;
			o->nodes[end].next = rest;
			rest = o->nodes[i].below;
		}
		node_free(i);
	}
}

/* Between executions, on the large stack. */
static uint32_t tree_copy(uint32_t i)
{
	uint32_t first = 0, last = 0;

	for (; i; i = o->nodes[i].next) {
		uint32_t n = node_new(), below;

		o->nodes[n] = o->nodes[i];
		o->nodes[n].next = 0;
		below = tree_copy(o->nodes[i].below);
		o->nodes[n].below = below;
		if (last)
			o->nodes[last].next = n;
		else
			first = n;
		last = n;
	}
	return first;
}

static void init(void)
{
	frames_init();
	o = memory_get(sizeof *o);
	o->trees = memory_get(log_capacity() * sizeof *o->trees);
	sequence_init();
	o->nnodes = 1; /* 0 is none */
	o->capacity = o->most = 1024;
	o->nodes = memory_get(o->capacity * sizeof *o->nodes);
	o->list = memory_get(o->most * sizeof *o->list);
}

/* ---- choices ---- */

/* Takes the first branch whose thread is in the set out of a tree: its thread, -1: none. What is below
 * it becomes the next state's tree. */
static int take_branch(uint32_t *tree, uint64_t threads)
{
	for (uint32_t *link = tree; *link; link = &o->nodes[*link].next) {
		uint32_t i = *link;
		unsigned thread = o->nodes[i].thread;

		if (!(threads & bit(thread)))
			continue;
		o->below = o->nodes[i].below;
		*link = o->nodes[i].next;
		node_free(i);
		return (int)thread;
	}
	return -1;
}

static int next_branch(uint32_t i, uint64_t left)
{
	int thread = take_branch(&o->trees[i], left);

	return thread >= 0 ? thread : __builtin_ctzll(left);
}

/* Takes the branches out that cannot be executed in this state. Who is to be explored from it: all,
 * if one was to go first that cannot. */
static uint64_t prune(uint32_t *link, uint64_t enabled, uint64_t sleep)
{
	uint64_t threads = 0;

	while (*link) {
		uint32_t i = *link;
		uint64_t me = bit(o->nodes[i].thread);

		threads |= me & enabled ? me : enabled;
		o->loose |= !(me & enabled);
		if (me & enabled & ~sleep) {
			link = &o->nodes[i].next;
			continue;
		}
		*link = o->nodes[i].next;
		tree_free(&o->nodes[i].below);
		node_free(i);
	}
	return threads;
}

static int pick(uint64_t enabled)
{
	struct search_frame *frame = &search_frames[rt->n];
	uint32_t *tree = &o->trees[rt->n];
	int free_choice = choose_awake(enabled), id;
	bool led = o->below != 0;

	tree_free(tree); /* what is left there has been explored already, or was abandoned */
	*tree = o->below;
	o->below = 0;
	if (free_choice < 0 || !led) {
		tree_free(tree);
		return free_choice;
	}
	frame->backtrack = prune(tree, enabled, frame->sleep);
	id = take_branch(tree, enabled & ~frame->sleep);
	return id >= 0 ? id : free_choice;
}

/* ---- races ---- */

static void reversed(uint32_t e, uint32_t end, uint8_t thread, const uint32_t *clock)
{
	struct reversal *r;

	if (o->n == o->most)
		o->list = memory_twice(o->list, &o->most, sizeof *o->list);
	r = &o->list[o->n++];
	r->e = e;
	r->thread = thread;
	r->again = false;
	r->pair = order_clocks != rt->clocks && observed_pair(e, end);
	copy(r->clock, clock, rt->nfibers * sizeof *clock);
	zero(r->clock + rt->nfibers, (MAX_FIBERS - rt->nfibers) * sizeof *clock);
	if (end < rt->n) {
		r->later = end;
		r->step = rt->log[end];
		r->wild = o->over || r->step.flags & LP_SITE_FUTEX ||
			  r->step.kind == LP_EV_EXIT_ALL || r->step.reads_own;
	} else {
		const struct pending *p = &rt->fibers[thread].pending;

		r->later = NO_EVENT;
		zero(&r->step, sizeof r->step);
		r->step.kind = p->kind;
		r->step.flags = p->flags;
		r->step.wait = p->wait;
		r->step.addr = p->addr;
		r->step.addr2 = p->addr2;
		r->step.size = p->size;
		r->step.thread = thread;
		r->step.reads_own = p->own;
		r->wild = p->flags & LP_SITE_FUTEX || p->own;
	}
	make_potential(&r->step);
	o->loose |= r->step.measured || rt->log[e].measured;
}

enum asleep { NOT, NOW, ALWAYS };

/* Has what v leads to been explored already, from a thread that sleeps in the state before e? And is it so in all
 * executions that have the race? */
static enum asleep asleep(uint32_t e)
{
	enum asleep asleep = NOT;

	for (uint64_t s = search_frames[e].sleep; s; s &= s - 1) {
		unsigned id = (unsigned)__builtin_ctzll(s);
		uint32_t k = first_of(id), since;
		const struct event *step;

		if (k != NO_EVENT) {
			if (is_always_initial(k))
				return ALWAYS;
			if (is_initial(k))
				asleep = NOW;
			continue;
		}
		step = frames_sleeper_at(id, e, &since);
		if (since >= *frames_floor && is_independent(step, step->kind == LP_EV_EXIT_ALL)) /* part.c: above */
			asleep = NOW;
	}
	for (uint64_t s = search_frames[e].half; s; s &= s - 1) {
		uint32_t k = first_of((unsigned)__builtin_ctzll(s));

		if (k != NO_EVENT && is_initial(k) && is_hidden(k))
			asleep = NOW;
	}
	return asleep;
}

static void append(uint32_t *link)
{
	for (uint32_t k = 0; k < sequence->n; k++) {
		const struct element *x = &sequence->list[k];
		uint32_t i;

		if (x->gone)
			continue;
		i = node_new();
		o->nodes[i].step = *x->step;
		o->nodes[i].thread = x->thread;
		o->nodes[i].wild = x->wild;
		*link = i;
		link = &o->nodes[i].below;
	}
}

static void insert(uint32_t e, bool again)
{
	uint32_t parent = 0, i, last;

	for (;;) {
		last = 0;
		i = parent ? o->nodes[parent].below : o->trees[e];
		for (; i; last = i, i = o->nodes[i].next) {
			uint32_t k = first_of(o->nodes[i].thread);

			if (k != NO_EVENT ? is_initial(k)
					  : is_independent(&o->nodes[i].step, o->nodes[i].wild)) {
				if (k != NO_EVENT)
					sequence->list[k].gone = true;
				break;
			}
		}
		if (!i)
			break;
		parent = i;
	}
	if (again && parent && !o->nodes[parent].below)
		return;
	/* room first: nodes must not move while they are linked */
	while (o->nnodes + sequence->n >= o->capacity)
		o->nodes = memory_twice(o->nodes, &o->capacity, sizeof *o->nodes);
	append(last     ? &o->nodes[last].next
	       : parent ? &o->nodes[parent].below
			: &o->trees[e]);
}

/* Is it done with, whatever later executions have behind e'? */
static bool reverse(const struct reversal *r)
{
	struct search_frame *frame = &search_frames[r->e];
	enum asleep sleeper;

	o->loose |= r->e >= *frames_floor && (rt->n - r->e > FAR || o->used > MOST_NODES);
	if (o->loose || r->e < *frames_floor) { /* above: it is handed back who comes first */
		race_reverse(r->e, r->later != NO_EVENT ? r->later : rt->n, r->thread,
			     r->clock);
		return true;
	}
	sequence_make(r);
	sleeper = asleep(r->e);
	if (sleeper)
		return sleeper == ALWAYS;
	if (!(rt->enabled[r->e] & bit(sequence->list[0].thread))) {
		frame->backtrack |= rt->enabled[r->e];
		o->loose = true;
		return true;
	}
	insert(r->e, r->again);
	for (uint32_t i = o->trees[r->e]; i; i = o->nodes[i].next)
		frame->backtrack |= bit(o->nodes[i].thread);
	return false;
}

static void reverse_all(uint32_t from)
{
	uint32_t left = from;

	for (uint32_t i = from; i < o->n; i++) {
		if (reverse(&o->list[i]) || o->list[i].later == NO_EVENT)
			continue;
		o->list[i].again = true;
		o->list[left++] = o->list[i];
	}
	o->n = left;
}

/* Those whose later step is not in the log any more are found again, if they are there. */
static void forget_from(uint32_t end)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < o->n; i++)
		if (o->list[i].later < end)
			o->list[left++] = o->list[i];
	o->n = left;
}

static bool begin(uint32_t *prefix, int32_t *choice)
{
	bool more;

	races_go_to(reversed);
	order_clocks = rt->clocks;
	sleep_nobody();
	o->over = false;
	if (rt->need_restart) {
		zero(o->trees, log_capacity() * sizeof *o->trees);
		o->nnodes = 1;
		o->free = o->used = o->below = o->again = o->n = 0;
		o->loose = false;
	}
	tree_free(&o->below);
	if (rt->need_again) {
		o->below = tree_copy(o->again);
		more = frames_begin(prefix, choice, true);
	} else {
		tree_free(&o->again);
		more = frames_begin_by(prefix, choice, true, next_branch);
		o->again = tree_copy(o->below);
	}
	forget_from(*prefix);
	return more;
}

static void end(void)
{
	bool differs = rt->config.observers && observed_differs();
	uint32_t from = 0;

	o->over = true;
	if (differs) { /* all races of the log are found again, and only for this execution */
		order_clocks = observed_order();
		from = o->n;
		o->over = false;
	}
	source_end();
	reverse_all(from);
	if (differs)
		o->n = from;
}

/* Others go on with what is left. What later executions would have reversed is left to them, as with source sets. */
static void divide(void)
{
	for (uint32_t i = 0; i < o->n; i++)
		race_reverse(o->list[i].e, o->list[i].later, o->list[i].thread, o->list[i].clock);
	o->n = 0;
}

const struct strategy strategy_dpor = {
	.init = init,
	.begin = begin,
	.pick = pick,
	.step = source_step,
	.end = end,
	.divide = divide,
	.estimate = frames_estimate,
	.frames = true,
	.distinct = true,
};
