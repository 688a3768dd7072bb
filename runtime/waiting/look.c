/* SPDX-License-Identifier: MIT
 *
 * Livelocks and loops with a hidden state.
 *
 * When all threads that are left wait in loops, that is a livelock only if no end of any kind can
 * be reached from there. So all that can be reached is explored, by the hash of the state, as an
 * explicit-state model checker would: each run is the schedule of the execution, then the way to
 * some state with a thread that was not tried there, then that thread, on and on, until a known
 * state comes. An end: no livelock. All states known and no end: a livelock. Most states that are
 * asked for are few and are asked for often, so the answers are remembered.
 *
 * A thread that is back in the same state and reads the same must do the same again. If it does
 * not, something is not seen: a variable of a library, a file, the time. So each loop is run alone
 * once, for LOOP_STEPS steps, with a clock that hurries. If it comes to something else although it
 * has read the same, it is never taken for a round again (LOOP_HIDDEN).
 */
#include "../look.h"
#include "../closed.h"
#include "../runs.h"
#include "../memory.h"
#include "../objects.h"
#include "../sched.h"
#include "../strategy.h"

#define MAX_NODES  4096
#define MAX_STEPS  400000 /* of all runs of one question */
#define LOOP_STEPS 2000
#define JUDGED     (1u << 16)
#define MAX_ASKED  8 /* times that others came between */

struct node {
	uint64_t state, enabled, tried;
	uint32_t parent; /* the root's is itself */
	uint8_t thread;  /* that led here */
};

struct judged {
	uint64_t state;
	const struct closed *closed; /* of a livelock */
	uint8_t verdict;
};

static struct look {
	/* The schedule of the execution, and how much of it a run has done. */
	uint8_t *schedule;
	uint32_t length, at;

	/* look_for_end() */
	struct node *nodes;
	uint64_t states[MAX_NODES];
	uint32_t nnodes, node;
	uint8_t way[MAX_NODES];
	uint32_t nway, way_at, goal; /* the way to a node */
	uint8_t tried;               /* the thread that was chosen last */
	uint64_t steps;
	bool found, exhausted;

	/* look_at_loops() */
	bool alone, deviates, other_values;
	uint8_t thread;
	uint32_t nround, in_round, taken, round_from;
	struct step_seen {
		uint64_t pc, addr, value;
		uint8_t kind, access;
	} *round;
	uint32_t round_capacity;

	struct judged *judged;
	uint32_t njudged;
	uint64_t *seen; /* in look_state(): what was touched, a hash table */
	uint32_t *slots; /* those in use */
	uint32_t seen_mask;

} *l;

void look_init(void)
{
	l = memory_get(sizeof *l);
	closed_init();
	l->schedule = memory_get(log_capacity());
	l->nodes = memory_get(MAX_NODES * sizeof *l->nodes);
	l->judged = memory_get(JUDGED * sizeof *l->judged);
	l->round_capacity = (uint32_t)log_capacity();
	l->round = memory_get(l->round_capacity * sizeof *l->round);
	for (l->seen_mask = 1; l->seen_mask < log_capacity() * 2;)
		l->seen_mask *= 2;
	l->seen = memory_get(l->seen_mask * sizeof *l->seen);
	l->seen_mask--;
	l->slots = memory_get(log_capacity() * sizeof *l->slots);
}

/* Its bytes now; of an object as much as libc's structures have of state. */
static uint64_t contents(const struct event *e)
{
	uint64_t lo = e->addr, n = e->size, h = lo;
	const uint8_t *p = (const uint8_t *)lo;

	if (e->kind > LP_EV_CAS_FAIL && !(e->flags & LP_SITE_FUTEX) && n == 1)
		n = 32;
	if (n > 4096)
		n = 4096;
	if (n > PAGE - (lo & (PAGE - 1)) && e->size == 1)
		n = PAGE - (lo & (PAGE - 1));
	for (uint64_t i = 0; i < n; i++)
		h = mix(h, p[i]);
	return h;
}

/* Takes the entries out again, so that the table is empty the next time. */
static void forget_seen(uint32_t n)
{
	while (n)
		l->seen[l->slots[--n]] = 0;
}

static uint64_t memory_state(void)
{
	uint64_t sum = 0;
	uint32_t n = 0;

	for (uint32_t k = 0; k < rt->n; k++) {
		const struct event *e = &rt->log[k];
		uint64_t key = e->addr ^ (uint64_t)e->size << 48;
		uint32_t i;

		if (!event_is_step(e) || !e->access || !key || e->kind == LP_EV_FREE)
			continue;
		for (i = (uint32_t)mix(key, 1) & l->seen_mask; l->seen[i] && l->seen[i] != key;)
			i = (i + 1) & l->seen_mask;
		if (l->seen[i])
			continue;
		l->seen[i] = key;
		l->slots[n++] = i;
		sum += contents(e);
	}
	forget_seen(n);
	return sum;
}

/* Of a thread that has stopped at an event, from when it announced it: registers may be another
 * thread's now. */
uint64_t look_local_state(const struct fiber *f)
{
	if (rt->waiting.off)
		return f->rounds.state;
	return visit_state(f);
}

uint64_t look_state(void)
{
	uint64_t h = 1;

	for (unsigned i = 0; i < rt->nfibers; i++) {
		struct fiber *f = &rt->fibers[i];
		uint64_t local;

		h = mix(h, f->state);
		if (f->state == FIBER_FINISHED) {
			h = mix(h, f->joined || f->detached ? 0 : (uint64_t)f->retval); /* who joins it will see that */
			continue;
		}
		local = f->pending.wait == WAIT_JOIN ? 0 : look_local_state(f);
		h = mix(h, local ? local : f->pending.pc);
		h = mix(h, f->pending.wait | f->eligible << 8 | f->woken << 16);
	}
	h = mix(h, signals_hash());
	rt->accessing = 1;
	h = mix(h, memory_state());
	rt->accessing = 0;
	return h ? h : 1;
}

static struct judged *judged_slot(uint64_t state)
{
	uint32_t i = (uint32_t)(state >> 32) & (JUDGED - 1);

	while (l->judged[i].state && l->judged[i].state != state)
		i = (i + 1) & (JUDGED - 1);
	return &l->judged[i];
}

enum look_verdict look_known(uint64_t state)
{
	return judged_slot(state)->verdict;
}

const struct closed *look_closed(uint64_t state)
{
	return judged_slot(state)->closed;
}

static void keep_schedule(uint32_t end)
{
	l->length = 0;
	for (uint32_t k = 0; k < end; k++)
		if (event_is_step(&rt->log[k]))
			l->schedule[l->length++] = rt->log[k].thread;
}

/* The threads that led from the root to a node, to `way`; how many they are. */
static uint32_t way_to(uint32_t node, uint8_t *way)
{
	uint32_t n = 0;

	for (uint32_t k = node; l->nodes[k].parent != k; k = l->nodes[k].parent)
		n++;
	for (uint32_t w = n; w > 0; node = l->nodes[node].parent)
		way[--w] = l->nodes[node].thread;
	return n;
}

/* The next state to go on from: the latest node with a thread that was not tried. */
static bool next_way(void)
{
	uint32_t i = l->nnodes;

	if (!i) { /* the root is not known yet */
		l->nway = 0;
		return true;
	}
	while (i-- > 0 && !(l->nodes[i].enabled & ~l->nodes[i].tried))
		;
	if (i == UINT32_MAX)
		return false;
	l->goal = i;
	l->nway = way_to(i, l->way);
	return true;
}

static uint32_t node_of(uint64_t state)
{
	for (uint32_t i = 0; i < l->nnodes; i++)
		if (l->nodes[i].state == state)
			return i;
	return l->nnodes;
}

/* One that was not tried here: the one that led here, or else the first. */
static int try_from(struct node *n)
{
	uint64_t left = n->enabled & ~n->tried;
	unsigned id = left & bit(n->thread) ? n->thread : (unsigned)__builtin_ctzll(left);

	n->tried |= bit(id);
	l->tried = (uint8_t)id;
	return (int)id;
}

static int explore_on(uint64_t enabled)
{
	uint64_t state;
	uint32_t i;

	if (enabled & rt->exiting) {
		l->found = true;
		return -1;
	}
	if (++l->steps > MAX_STEPS || l->nnodes == MAX_NODES || rt->stop) {
		l->exhausted = true;
		return -1;
	}
	if (l->way_at < l->nway)
		return l->way[l->way_at++];
	state = look_state();
	i = node_of(state);
	if (l->nnodes && l->way_at > l->nway)
		closed_edge(l->node, i, &rt->log[rt->fibers[l->tried].rounds.own - 1]);
	if (l->way_at == l->nway && l->nnodes && i != l->goal) {
		/* The way leads somewhere else: some state is not seen. */
		l->exhausted = true;
		return -1;
	}
	if (i < l->nnodes) {
		/* Known: go on only if this is where the way leads to. */
		if (l->way_at > l->nway)
			return -1;
		l->way_at = l->nway + 1;
		l->node = i;
		return try_from(&l->nodes[i]);
	}
	l->nodes[i] = (struct node){ .state = state,
				     .enabled = enabled,
				     .parent = l->nnodes ? l->node : i,
				     .thread = l->nnodes ? l->tried : rt->cur->id };
	l->nnodes++;
	l->node = i;
	l->way_at = l->nway + 1;
	return try_from(&l->nodes[i]);
}

static int alone_on(uint64_t enabled)
{
	struct fiber *f = &rt->fibers[l->thread];
	const struct event *last;

	settle();
	last = &rt->log[f->rounds.own - 1];
	if (l->taken) {
		const struct step_seen *s = &l->round[l->in_round];

		if (s->pc != last->pc || s->kind != last->kind || s->addr != last->addr) {
			l->deviates = true;
			return -1;
		}
		if (s->value != last->value[0] && s->access == LP_READS) {
			l->other_values = true;
			return -1;
		}
		l->in_round = (l->in_round + 1) % l->nround;
	}
	if (!(enabled & bit(l->thread))) {
		/* It ended, or waits for something, behind the loop. */
		l->deviates |= f->state == FIBER_FINISHED ||
			       f->pending.pc != l->round[l->in_round].pc;
		return -1;
	}
	return ++l->taken > LOOP_STEPS ? -1 : l->thread;
}

static int pick(uint64_t enabled)
{
	if (l->at < l->length)
		return l->schedule[l->at++];
	return l->alone ? alone_on(enabled) : explore_on(enabled);
}

static bool begin(uint32_t *prefix, int32_t *choice)
{
	*prefix = 0;
	*choice = -1;
	l->at = 0;
	l->way_at = 0;
	return true;
}

static const struct strategy strategy_look = {
	.begin = begin,
	.pick = pick,
	.distinct = true,
};

static void run_again(look_run *run)
{
	begin(&rt->prefix, &rt->choice);
	run();
}

static const uint64_t *node_states(void)
{
	for (uint32_t i = 0; i < l->nnodes; i++)
		l->states[i] = l->nodes[i].state;
	return l->states;
}

/* The closed set, when all nodes are known and no end. */
static const struct closed *close_set(void)
{
	struct closed *c = closed_find(l->nnodes, node_states());
	uint8_t *way;

	c->nway = way_to(c->node, l->way);
	c->way = way = memory_get(c->nway + 1);
	copy(way, l->way, c->nway);
	return c;
}

enum look_verdict look_for_end(uint64_t state, look_run *run)
{
	struct judged *slot = judged_slot(state);
	enum look_verdict verdict;
	struct kept kept;

	keep_schedule(rt->n);
	closed_begin();
	l->nnodes = 0;
	l->steps = 0;
	l->alone = l->found = l->exhausted = false;
	runs_begin(&kept, &strategy_look);
	rt->waiting.off = true;
	while (!l->found && !l->exhausted && next_way()) {
		run_again(run);
		if (!rt->no_class)
			l->found = true; /* it came to an end */
		else if (rt->need_restart || rt->need_again)
			l->exhausted = true;
	}
	runs_end(&kept);
	verdict = l->found ? LOOK_WAY_OUT : l->exhausted ? LOOK_BOUND : LOOK_CLOSED;
	if (rt->need_restart)
		return LOOK_BOUND;
	if (l->njudged < JUDGED / 2) {
		l->njudged++;
		slot->state = state;
		slot->verdict = (uint8_t)verdict;
		if (verdict == LOOK_CLOSED)
			slot->closed = close_set();
	}
	return verdict;
}

/* The round that the thread has made, and what it does in it. */
static bool keep_round(const struct fiber *f)
{
	uint32_t n = 0;

	for (uint32_t k = f->rounds.own; k > f->rounds.from; k = rt->log[k - 1].own)
		if (k <= f->rounds.arrived)
			n++;
	if (!n || n > LOOP_STEPS / 4)
		return false;
	l->nround = n;
	for (uint32_t k = f->rounds.own; k > f->rounds.from; k = rt->log[k - 1].own) {
		const struct event *e = &rt->log[k - 1];

		if (k <= f->rounds.arrived)
			l->round[--n] = (struct step_seen){ e->pc, e->addr, e->value[0], e->kind,
							    e->access };
	}
	return true;
}

static bool unknown_loop(const struct fiber *f)
{
	return !(loop_known(f->pending.pc) & (LOOP_AUDITED | LOOP_HIDDEN));
}

static uint64_t in_pure_rounds(void)
{
	return rt->waiting.stuck & ~rt->waiting.bounded;
}

bool look_unknown_loops(void)
{
	for (uint64_t left = in_pure_rounds(); left; left &= left - 1)
		if (unknown_loop(&rt->fibers[__builtin_ctzll(left)]))
			return true;
	return false;
}

bool look_at_loops(look_run *run)
{
	uint64_t left = in_pure_rounds();
	bool all_seen = true;

	for (; left; left &= left - 1) {
		struct fiber *f = &rt->fibers[__builtin_ctzll(left)];
		uint64_t pc = f->pending.pc;
		struct kept kept;

		if (!unknown_loop(f))
			continue;
		if (!keep_round(f)) {
			loop_learn(pc, LOOP_AUDITED);
			continue;
		}
		keep_schedule(f->rounds.arrived);
		l->alone = true;
		l->deviates = l->other_values = false;
		l->taken = l->in_round = 0;
		l->thread = f->id;
		runs_begin(&kept, &strategy_look);
		rt->waiting.off = true;
		rt->waiting.hurry = true;
		run_again(run);
		if (!rt->no_class) /* it ended, instead of going round */
			l->deviates = true;
		runs_end(&kept);
		if (rt->need_restart)
			return false;
		if (l->deviates) {
			loop_learn(pc, LOOP_HIDDEN);
			all_seen = false;
		} else if (!l->other_values || loop_asked(pc) > MAX_ASKED) {
			loop_learn(pc, LOOP_AUDITED);
		}
	}
	return all_seen;
}
