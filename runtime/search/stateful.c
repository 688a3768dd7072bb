/* SPDX-License-Identifier: MIT
 *
 * Stateful search: an execution that comes to a state in which another one was before goes on like that one,
 * and ends there. After Cirisci, "Formal Verification of Concurrent Data Structures" (thesis, Paris 2022),
 * 2.2: spor.c, despor.c and dlspor.c are its three algorithms.
 *
 * A *state* is all memory, the threads with their registers and stacks (fingerprint.c), and what is checked of
 * the past (past.c). Where a part of it cannot be told, it is like no other. States are compared only where
 * there is a choice: while some thread is about to do what nobody else can tell (touched.h), it alone goes
 * on, the lowest first, so that what happens then is a function of the state.
 *
 * Why nothing is lost by that. Let the last restart be over, so that what was taken for quiet is: no step that
 * was executed from any state conflicts with it. A way through all states in which another thread's step
 * conflicts with it first would, with the quiet step moved to its beginning, be one of those executed, so there
 * is none. Once a crash, or another end in the midst of others, was seen, nothing is quiet. A cycle of
 * states has a choice in it, and there all threads are explored; a thread that goes round in quiet steps
 * alone is stopped by the bound on steps, and reported.
 *
 * There is no rule for waiting: a thread that waits in a loop comes back to a state that was met before. Once
 * all is explored, there is an end behind every state, or the search says that it does not know what
 * the others are: livelocks are found by dpor.
 *
 * --audit: a state that is met again is compared word by word with the one of before, and all steps that are
 * known from it are made once more, up to the next choice: they must be the same, and lead to the same states.
 */
#include "stateful.h"
#include "../fingerprint.h"
#include "../memory.h"
#include "../past.h"
#include "../trace.h"
#include "frames.h"
#include "touched.h"

struct graph *graph;
struct place_in_search *places_of_search;
uint64_t (*current_of)[MAX_FIBERS];

static const struct reduction *reduction;

static struct stateful {
	struct touched touched;
	uint32_t from; /* the latest step at a choice; NO_EVENT: none, or what it led to is known */
	uint32_t nodes, edges; /* before the latest execution */
	bool started;
	bool timed;    /* the program looks at the time */
	/* With --audit: the words of states. */
	struct kept {
		uint64_t (*list)[2];
		uint32_t n;
	} * kept;
	uint32_t nkept, kept_capacity;
} *s;

void stateful_init(const struct reduction *r)
{
	s = memory_get(sizeof *s);
	graph = memory_get(sizeof *graph);
	reduction = r;
	frames_init();
	graph_make(graph);
	touched_make(&s->touched);
	places_of_search = memory_get(log_capacity() * sizeof *places_of_search);
	current_of = memory_get(log_capacity() * sizeof *current_of);
	s->kept_capacity = 64;
	s->kept = memory_get(s->kept_capacity * sizeof *s->kept);
	words.kept = rt->config.audit;
	rt->keeps_arguments = kept_arguments.on = true;
}

/* ---- the stack ---- */

static void count_states(void)
{
	rt->status->states = graph->n;
	rt->status->transitions = graph->nedges;
}

static bool begin_again(uint32_t *prefix, int32_t *choice)
{
	s->started = true;
	graph_forget(graph);
	s->nkept = 0;
	s->nodes = s->edges = 0;
	rt->status->merged = rt->status->untold = rt->status->audited = 0;
	*prefix = 0;
	*choice = -1;
	return true;
}

/* The step there is the latest one that was explored from the node before it. */
static uint64_t left_at(uint32_t i)
{
	struct search_frame *f = &search_frames[i];
	const struct place_in_search *p = &places_of_search[i];

	f->done |= bit(rt->log[i].thread);
	if (p->node != NO_NODE && !p->audited && reduction->explored)
		reduction->explored(i);
	return f->backtrack & ~f->done;
}

static bool next(uint32_t *prefix, int32_t *choice)
{
	for (uint32_t i = rt->n; i-- > 0;) {
		uint64_t left;

		if (!event_is_step(&rt->log[i]))
			continue;
		left = left_at(i);
		if (left) {
			*prefix = i;
			*choice = __builtin_ctzll(left);
			s->from = places_of_search[i].node != NO_NODE ? i : NO_EVENT;
			return true;
		}
		if (places_of_search[i].node != NO_NODE && !places_of_search[i].audited)
			graph->nodes[places_of_search[i].node].open = 0;
	}
	return false;
}

bool stateful_begin(uint32_t *prefix, int32_t *choice)
{
	if (!s->started || rt->need_restart) {
		s->touched.grown = false;
		s->from = NO_EVENT;
		return begin_again(prefix, choice);
	}
	if (rt->need_again) { /* and must not meet what it met itself */
		graph_shrink(graph, s->nodes, s->edges);
		*prefix = rt->prefix;
		*choice = rt->choice;
		s->from = *choice >= 0 && places_of_search[*prefix].node != NO_NODE ? *prefix : NO_EVENT;
		return true;
	}
	s->touched.grown = false;
	s->nodes = graph->n;
	s->edges = graph->nedges;
	if (next(prefix, choice))
		return true;
	if (graph_has_trap(graph))
		rt->status->limits |= LP_LIMIT_LOOK;
	return false;
}

/* ---- audit ---- */

static void keep_words(uint32_t node)
{
	struct kept *k;

	if (s->nkept == s->kept_capacity)
		s->kept = memory_twice(s->kept, &s->kept_capacity, sizeof *s->kept);
	k = &s->kept[s->nkept++];
	k->n = words.n;
	k->list = memory_get((words.n + 1UL) * sizeof *k->list);
	copy(k->list, words.list, words.n * sizeof *k->list);
	graph->nodes[node].kept = s->nkept;
}

static __attribute__((noreturn)) void audit_failed(const char *what, uint32_t node)
{
	die("audit: state %u is not the one that was met before: %s (execution %u). "
	    "Please report this as a fault of linchpin; --search=dpor does without states",
	    (unsigned long)node, what, (unsigned long)rt->status->executions + 1);
}

/* Where they differ first, of what words.h calls its places. */
static void tell_difference(uint32_t node)
{
	const struct kept *k = &s->kept[graph->nodes[node].kept - 1];
	uint32_t i = 0;

	while (i < k->n && i < words.n && same(k->list[i], words.list[i], sizeof *k->list))
		i++;
	if (i < k->n && i < words.n)
		complain("audit: word %u of %u and %u: %x has %x, %x had %x", (unsigned long)i,
			 (unsigned long)words.n, (unsigned long)k->n, words.list[i][0], words.list[i][1],
			 k->list[i][0], k->list[i][1]);
}

static void compare_words(uint32_t node)
{
	const struct kept *k = &s->kept[graph->nodes[node].kept - 1];

	if (k->n != words.n || !same(k->list, words.list, words.n * sizeof *k->list))
		audit_failed("its contents differ, though their sums are the same", node);
}

static bool told(uint32_t node)
{
	const struct state_sum *state = &graph->nodes[node].state;

	return node != NO_NODE && (state->a || state->b);
}

/* The step at a state that is audited has come to this node, or to an end. */
static void compare_step(const struct label *label, uint32_t to)
{
	uint32_t node = places_of_search[s->from].node;
	const struct edge *e = graph_edge_of(graph, node, label->thread);
	const struct label *before = &graph->labels[e->label];

	if (!same(before, label, sizeof *label))
		audit_failed("the same thread did something else from there", node);
	if (to == NO_NODE && !told(e->to)) /* to an end, or to a state that is like no other */
		to = e->to;
	if (e->to != to && graph->nodes[e->to].kept)
		tell_difference(e->to);
	if (e->to != to)
		audit_failed("the same step led to another state", node);
	rt->status->audited++;
	s->from = NO_EVENT;
}

/* ---- what conflicts ---- */

static void label_at(struct label *l, uint32_t step)
{
	label_of(l, &rt->log[step]);
	/* Who is about to use what is given back matters as well, and so does all that is sent to threads. */
	l->any = rt->sends || l->kind == LP_EV_FREE || l->kind == LP_EV_EXIT_ALL;
}

static bool is_reduced(uint32_t step)
{
	return places_of_search[step].node != NO_NODE && !places_of_search[step].audited;
}

void explore_all(uint32_t step)
{
	if (is_reduced(step))
		search_frames[step].backtrack = rt->enabled[step];
}

void conflict_later(uint32_t step, const struct label *later)
{
	unsigned thread = rt->log[step].thread;
	struct label l;

	if (!is_reduced(step) || thread == later->thread || current_of[step][thread] >> later->thread & 1)
		return;
	label_at(&l, step);
	if (labels_conflict(&l, later))
		current_of[step][thread] |= bit(later->thread);
}

/* Is there a set of them whose steps conflict with no others' later ones? Those that conflict with one that is
 * not in it are dropped until none does. */
static bool some_are_closed(uint64_t set, const uint64_t *current)
{
	uint64_t before;

	do {
		before = set;
		for (uint64_t b = set; b; b &= b - 1)
			if (current[__builtin_ctzll(b)] & ~set)
				set &= ~(b & -b);
	} while (set != before);
	return set != 0;
}

void update_backtrack(uint32_t step)
{
	struct search_frame *f = &search_frames[step];
	uint64_t all = 0, *current = current_of[step];

	for (uint64_t b = f->done; b; b &= b - 1)
		all |= current[__builtin_ctzll(b)] |= b & -b;
	if (all & ~rt->enabled[step])
		explore_all(step); /* what enables it may be the step of anybody */
	else if (some_are_closed(f->done, current))
		f->backtrack = f->done;
	else
		f->backtrack |= all;
}

/* ---- choices ---- */

static bool audits(void)
{
	return s->from != NO_EVENT && places_of_search[s->from].audited;
}

/* The latest step at a choice led there. */
static void add_edge(const struct label *label, uint32_t to)
{
	uint32_t from = s->from;

	if (from == NO_EVENT)
		return;
	graph_edge(graph, places_of_search[from].node, label, to);
	s->from = NO_EVENT;
	if (reduction->edge)
		reduction->edge(from);
}

/* Those whose next step nobody else can tell from none. */
static uint64_t quiet(uint64_t set)
{
	uint64_t q = 0;

	for (uint64_t b = set; b; b &= b - 1)
		if (touched_quiet(&s->touched, &rt->fibers[__builtin_ctzll(b)].pending))
			q |= b & -b;
	return q;
}

static bool present(struct state_sum *state)
{
	if (rt->sends || !fingerprint_is_whole() || !fingerprint(state))
		return false;
	state->a = mix(state->a, past_hash());
	state->b += hash_word(1, state->a);
	return true;
}

static int choose_at(uint32_t node, uint64_t set)
{
	struct search_frame *frame = &search_frames[rt->n];

	places_of_search[rt->n].node = node;
	frame->backtrack = set;
	s->from = rt->n;
	return __builtin_ctzll(set);
}

/* A node that was met before: the execution ends, unless what is known of it is to be compared. */
static int meet(uint32_t node)
{
	uint64_t known = 0;

	rt->status->merged++;
	if (reduction->met)
		reduction->met(node);
	if (rt->exiting && graph->nodes[node].open) /* somebody waits until the others cannot go on */
		limit_reached(LP_LIMIT_EXIT, &rt->log[rt->n - 1]);
	if (!rt->config.audit)
		return -1;
	compare_words(node);
	for (uint32_t i = graph->nodes[node].edges; i; i = graph->edges[i].next)
		known |= bit(graph->labels[graph->edges[i].label].thread);
	if (!known)
		return -1;
	if (known & ~rt->enabled[rt->n])
		audit_failed("a thread that could go on cannot any more", node);
	places_of_search[rt->n].audited = true;
	return choose_at(node, known);
}

int stateful_pick(uint64_t enabled)
{
	struct search_frame *frame = &search_frames[rt->n];
	struct state_sum state;
	uint32_t node = NO_NODE;
	struct label label;
	bool can_tell;
	uint64_t alone = quiet(enabled);

	places_of_search[rt->n] = (struct place_in_search){ .node = NO_NODE };
	frame->done = 0;
	if (alone) {
		frame->backtrack = alone & -alone;
		return __builtin_ctzll(alone);
	}
	can_tell = present(&state);
	if (can_tell)
		node = graph_find(graph, &state);
	if (s->from != NO_EVENT)
		label_at(&label, s->from);
	if (audits()) {
		if (!s->touched.grown) /* else others are quiet now than before, and all begins again */
			compare_step(&label, node);
		return -1;
	}
	if (node != NO_NODE) {
		add_edge(&label, node);
		return meet(node);
	}
	node = graph_add(graph, can_tell ? &state : NULL);
	if (can_tell && rt->config.audit)
		keep_words(node);
	rt->status->untold += !can_tell;
	add_edge(&label, node);
	graph->nodes[node].open = rt->n + 1;
	zero(current_of[rt->n], rt->nfibers * sizeof current_of[0][0]);
	choose_at(node, enabled);
	if (!reduction->all)
		frame->backtrack = enabled & -enabled;
	return __builtin_ctzll(enabled);
}

void stateful_step(uint32_t i, const uint32_t *conflicts, unsigned n, const uint32_t *clock)
{
	(void)conflicts;
	(void)n;
	(void)clock;
	touched_step(&s->touched, &rt->log[i]);
}

/* ---- ends ---- */

/* How far the others are when it happens matters. */
static bool ends_others(void)
{
	return rt->outcome.kind > LP_OUT_EXIT && rt->outcome.kind != LP_OUT_DEADLOCK;
}

/* Those that wait at the end would have done this. */
static uint32_t add_waiting(void)
{
	uint32_t node = NO_NODE;

	for (uint64_t b = rt->ready | rt->blocked; b; b &= b - 1) {
		const struct fiber *f = &rt->fibers[__builtin_ctzll(b)];
		const struct pending *p = &f->pending;
		struct label l;

		if (p->wait == WAIT_JOIN || lp_kind_access(p->kind) == LP_TOUCHES_NOT)
			continue;
		if (node == NO_NODE)
			node = graph_add(graph, NULL);
		zero(&l, sizeof l);
		l.addr = p->addr;
		l.addr2 = p->addr2;
		l.size = p->size ? p->size : 1;
		l.kind = p->kind;
		l.flags = p->flags;
		l.thread = f->id;
		l.access = LP_WRITES;
		l.any = rt->sends;
		graph_edge(graph, node, &l, NO_NODE);
	}
	return node;
}

void stateful_end(void)
{
	uint32_t node = NO_NODE;
	struct label label;

	for (uint64_t b = rt->ready | rt->blocked; b; b &= b - 1)
		touched_announced(&s->touched, &rt->fibers[__builtin_ctzll(b)]);
	if (rt->timed && !s->timed)
		s->timed = s->touched.grown = true; /* states were told apart without it */
	if (ends_others())
		touched_ends(&s->touched);
	if (s->touched.grown) {
		rt->need_restart = 1;
		return;
	}
	if (s->from != NO_EVENT) {
		label_at(&label, s->from);
		label.any |= rt->cut | ends_others();
		if (audits()) {
			compare_step(&label, NO_NODE);
			rt->no_class = 1; /* it was recorded before */
			return;
		}
		node = add_waiting();
		add_edge(&label, node);
		if (node != NO_NODE && reduction->met)
			reduction->met(node);
	}
	count_states();
}
