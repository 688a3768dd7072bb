/* SPDX-License-Identifier: MIT
 *
 * Progress conditions: Herlihy and Shavit, "On the nature of progress", OPODIS 2011. A thread that
 * is stalled for ever is one that is not chosen any more. So in every state of every class
 * (cuts.c), each thread that is in an operation goes on alone, all others stalled where they are:
 *
 * obstruction-free  It must come to the end of its operation. It does not if it is blocked, or if
 *                   it comes back to the same state of all threads and memory: then it would do
 *                   the same for ever.
 * lock-free         Besides, no threads may go round together for ever without completing an
 *                   operation. From each state the threads that are in operations go on in every
 *                   order, up to where one completes; a state met again on the way is such a
 *                   circle. Whatever set of threads is stalled, a circle of the others is one of
 *                   these, so the sets need not be tried.
 * wait-free         Besides, no operation may begin anew as often as others complete (restarts.c).
 *
 * A circle is only believed if it is still one after many rounds (alone.c). Loops whose state differs
 * in each round come to a bound, which is a limit and not a violation.
 */
#include "../progress.h"
#include "../alone.h"
#include "../memory.h"
#include "../sched.h"
#include "../strategy.h"
#include "../trace.h"

#define MAX_DEPTH  400  /* of circles of several threads */
#define MAX_RUNS   20000
#define ROUNDS     50   /* of these, for which it must go on */
#define DONE       (1u << 19)
#define FINDINGS   64

enum claim { CLAIM_NONE = 0, CLAIM_OPEN, CLAIM_TRUE, CLAIM_FALSE };

static struct alone *a; /* its runs */

static struct progress {
	/* Circles of several threads: the states on the way, and who was not tried there. */
	uint64_t on_way[MAX_DEPTH + 1], left[MAX_DEPTH + 1];
	uint64_t done[DONE]; /* hash table of states from which there is none */
	uint32_t ndone, epoch;

	unsigned victim;
	uint8_t claim;

	struct finding {
		uint64_t key;
		uint8_t *schedule;
		uint32_t length;
		uint8_t why, victim;
	} findings[FINDINGS];
	uint32_t nfindings;
	const struct finding *now;
	uint32_t at; /* in its schedule */
	look_run *run;
} *p;

void progress_init(void)
{
	if (!rt->config.progress)
		return;
	p = memory_get(sizeof *p);
	a = alone_init();
	cuts_init();
	restarts_init();
}

void progress_forget(void)
{
	if (!p)
		return;
	cuts_forget();
	p->nfindings = 0;
	p->epoch++;
}

static void limit(void)
{
	rt->status->limits |= LP_LIMIT_PROGRESS;
}

/* ---- what was found ---- */

static bool found_before(unsigned why, uint64_t key)
{
	for (uint32_t i = 0; i < p->nfindings; i++)
		if (p->findings[i].why == why && p->findings[i].key == key)
			return true;
	return false;
}

/* The schedule leads to it. */
static void find(unsigned why, unsigned victim, uint64_t key)
{
	struct finding *f = &p->findings[p->nfindings];

	if (found_before(why, key) || p->nfindings == FINDINGS)
		return;
	p->nfindings++;
	*f = (struct finding){ key, memory_get(a->length + 1), a->length, (uint8_t)why,
			       (uint8_t)victim };
	copy(f->schedule, a->schedule, a->length);
}

/* The same loop, wherever it was entered. */
static uint64_t loop_key(void)
{
	uint64_t key = UINT64_MAX;

	for (uint32_t i = 0; i < a->nloop; i++)
		if (a->loop[i].pc < key)
			key = a->loop[i].pc;
	return key;
}

/* Does this thread complete its operation, alone from here? */
static void look_alone(unsigned id)
{
	enum how how = alone_run(p->run, id, false);
	uint32_t length = a->length;

	if (how == GOES_ROUND && found_before(LP_STALL_ROUND, loop_key()))
		return;
	if (how == GOES_ROUND) /* when it is back first */
		how = alone_run(p->run, id, true);
	if (how == TOO_LONG || how == LOST)
		limit();
	if (how != BLOCKED && how != GOES_ROUND)
		return;
	a->length += how == BLOCKED ? a->taken : a->circle;
	for (uint32_t i = length; i < a->length; i++)
		a->schedule[i] = (uint8_t)id;
	find(how == BLOCKED ? LP_STALL_BLOCKED : LP_STALL_ROUND, id,
	     how == BLOCKED ? rt->fibers[id].pending.pc : loop_key());
	a->length = length;
}

/* ---- circles of several threads ---- */

static bool known_without(uint64_t state, bool enter)
{
	uint64_t key = mix(state, p->epoch) | 1;
	uint32_t i = (uint32_t)(key >> 40) & (DONE - 1);

	while (p->done[i] && p->done[i] != key)
		i = (i + 1) & (DONE - 1);
	if (p->done[i] || !enter || p->ndone == DONE / 2)
		return p->done[i] != 0;
	p->done[i] = key;
	p->ndone++;
	return false;
}

/* Is the state the same after many rounds of the last `round` steps of the schedule? */
static bool goes_on(uint32_t round, uint64_t state)
{
	uint32_t length = a->length;
	bool same_state;

	for (uint32_t i = 0; i < round * ROUNDS; i++, a->length++)
		a->schedule[a->length] = a->schedule[a->length - round];
	a->loop_from = length;
	a->loop_to = length + round;
	same_state = alone_run(p->run, NOBODY, false) == GOES_ON && a->state == state;
	a->loop_from = a->loop_to = 0;
	a->length = length;
	return same_state;
}

static bool of_several(uint32_t round)
{
	for (uint32_t i = 1; i < round; i++)
		if (a->schedule[a->length - 1 - i] != a->schedule[a->length - 1])
			return true;
	return false;
}

/* Depth-first from the end of the schedule, which is made longer by the way. True: there is a
 * circle, and the schedule goes round it once. */
static bool find_circle(uint32_t from)
{
	uint32_t depth = 0, runs = 0;
	uint64_t open;

	if (alone_run(p->run, NOBODY, false) != GOES_ON || !(a->open & (a->open - 1)) ||
	    known_without(a->state, false))
		return false;
	open = a->open;
	p->on_way[0] = a->state;
	p->left[0] = a->able;
	for (;;) {
		uint32_t i;

		if (!p->left[depth]) {
			known_without(p->on_way[depth], true);
			if (!depth--)
				return false;
			a->length--;
			continue;
		}
		a->schedule[from + depth] = (uint8_t)__builtin_ctzll(p->left[depth]);
		p->left[depth] &= p->left[depth] - 1;
		a->length = from + depth + 1;
		if (++runs > MAX_RUNS || depth + 1 == MAX_DEPTH || rt->stop) {
			limit();
			return false;
		}
		if (alone_run(p->run, NOBODY, false) == GOES_ON && a->open == open &&
		    !known_without(a->state, false)) {
			for (i = 0; i <= depth && p->on_way[i] != a->state; i++)
				;
			if (i > depth) {
				p->on_way[++depth] = a->state;
				p->left[depth] = a->able;
				continue;
			}
			if (of_several(depth + 1 - i) && goes_on(depth + 1 - i, a->state))
				return true;
		}
		a->length--;
	}
}

/* The lowest thread in it. */
static unsigned first_of_loop(void)
{
	unsigned first = a->loop[0].thread;

	for (uint32_t i = 1; i < a->nloop; i++)
		if (a->loop[i].thread < first)
			first = a->loop[i].thread;
	return first;
}

static void look_together(void)
{
	uint32_t length = a->length;

	if (found_before(LP_STALL_CIRCLE, 0)) /* one is enough */
		return;
	if (find_circle(length))
		find(LP_STALL_CIRCLE, first_of_loop(), 0);
	a->length = length;
}

/* ---- during the search ---- */

static void look_for_restarts(unsigned id)
{
	uint32_t length = a->length;
	uint64_t pc;

	if (restarts_provoke(p->run, id, a->schedule, &a->length, &pc))
		find(LP_STALL_RESTARTS, id, pc);
	a->length = length;
}

static bool look_at(const uint8_t *schedule, uint32_t length)
{
	uint64_t open, able;

	copy(a->schedule, schedule, length);
	a->length = length;
	if (alone_run(p->run, NOBODY, false) != GOES_ON) {
		limit();
		return !a->restart;
	}
	open = a->open;
	able = a->able;
	for (; open && !a->restart; open &= open - 1)
		look_alone((unsigned)__builtin_ctzll(open));
	if (rt->config.progress == LP_PROGRESS_WAIT_FREE)
		for (; able && !a->restart; able &= able - 1)
			look_for_restarts((unsigned)__builtin_ctzll(able));
	if (rt->config.progress >= LP_PROGRESS_LOCK_FREE && !a->restart)
		look_together();
	return !rt->stop && !a->restart;
}

void progress_look(look_run *run)
{
	bool ended;

	if (!p || *rt->config.replay || rt->no_class || rt->need_restart || rt->need_again)
		return;
	p->run = run;
	ended = rt->outcome.kind <= LP_OUT_EXIT;
	a->restart = false;
	if (!cuts_of_log(look_at))
		limit();
	if (a->restart)
		rt->need_restart = 1;
	else if (rt->config.progress == LP_PROGRESS_WAIT_FREE && ended && restarts_few())
		trace_note("wait-free: that others delay an operation for ever is only seen where three "
			   "operations of others can come between; here, some operation had fewer");
}

/* ---- claims ---- */

static bool touches_loop(const struct event *e)
{
	for (uint32_t i = 0; i < a->nloop; i++)
		if (a->loop[i].access && e->addr < a->loop[i].addr + a->loop[i].size &&
		    a->loop[i].addr < e->addr + e->size)
			return true;
	return false;
}

/* For whom the victim waits: who holds the lock, or else who wrote last what the victim reads, or
 * did anything last, and is in an operation still. The victim itself: nobody. */
static const struct fiber *stalled_thread(const struct fiber *victim)
{
	uint64_t open = alone_in_operations() & ~bit(victim->id);
	const struct event *latest = NULL;

	for (unsigned i = 0; i < rt->nfibers && !a->nloop; i++)
		for (unsigned k = 0; k < rt->fibers[i].nheld; k++)
			if (rt->fibers[i].held[k].addr == victim->pending.addr)
				return &rt->fibers[i];
	for (uint32_t k = rt->n; k-- > 0;) {
		const struct event *e = &rt->log[k];

		if (!event_is_step(e) || !(open & bit(e->thread)))
			continue;
		if (!latest)
			latest = e;
		if (e->access > LP_READS && touches_loop(e))
			return &rt->fibers[e->thread];
	}
	return latest ? &rt->fibers[latest->thread] : victim;
}

void progress_claim(unsigned why, unsigned victim)
{
	const struct fiber *f = &rt->fibers[victim];
	bool alone = why == LP_STALL_BLOCKED || why == LP_STALL_ROUND;

	if (!p || p->claim == CLAIM_FALSE || victim >= rt->nfibers) {
		if (p)
			p->claim = CLAIM_NONE;
		return;
	}
	p->victim = victim;
	p->claim = p->claim == CLAIM_TRUE ? CLAIM_NONE : CLAIM_OPEN;
	settle();
	end_no_progress(alone ? stalled_thread(f) : f, why, lp_progress_name(rt->config.progress));
}

bool progress_open(void)
{
	return p && p->claim == CLAIM_OPEN;
}

/* a->schedule: is it true that the victim makes no progress after it? */
static bool is_true(unsigned why, unsigned victim)
{
	enum how how;

	if (why == LP_STALL_CIRCLE) {
		uint32_t length = a->length;
		bool yes;

		p->epoch++;
		yes = find_circle(length);
		a->length = length;
		return yes;
	}
	how = alone_run(p->run, victim, true);
	return how == (why == LP_STALL_BLOCKED ? BLOCKED : GOES_ROUND);
}

static bool restarts_now(void)
{
	uint32_t at;

	if (!restarts_find(p->victim, &at))
		return false;
	a->nloop = 1;
	a->loop[0] = rt->log[at];
	return true;
}

void progress_answer(look_run *run)
{
	bool yes;

	p->run = run;
	a->length = 0;
	for (uint32_t k = 0; k < rt->n; k++)
		if (event_is_step(&rt->log[k]))
			a->schedule[a->length++] = rt->log[k].thread;
	yes = rt->outcome.code == LP_STALL_RESTARTS ? restarts_now()
						    : is_true((unsigned)rt->outcome.code, p->victim);
	p->claim = yes ? CLAIM_TRUE : CLAIM_FALSE;
}

unsigned progress_victim(void)
{
	return p->victim;
}

const struct event *progress_loop(uint32_t *n)
{
	*n = a->nloop;
	return a->loop;
}

static int pick_recorded(uint64_t enabled)
{
	if (p->at < p->now->length)
		return p->now->schedule[p->at++];
	progress_claim(p->now->why, p->now->victim);
	return first_choice(enabled);
}

static const struct strategy strategy_recorded = { .pick = pick_recorded, .distinct = true };

void progress_record(look_run *run)
{
	const struct strategy *strategy = rt->strategy;

	for (uint32_t i = 0; p && i < p->nfindings; i++) {
		p->now = &p->findings[i];
		p->at = 0;
		p->claim = CLAIM_NONE;
		rt->waiting.all = true;
		rt->strategy = &strategy_recorded;
		rt->prefix = rt->keep = 0;
		rt->choice = -1;
		run(); /* up to the claim; what is open is answered as in a replay */
		if (!progress_open())
			continue;
		progress_answer(run);
		if (p->claim != CLAIM_TRUE)
			continue;
		p->at = 0;
		rt->prefix = 0;
		rt->choice = -1;
		rt->again = true;
		run();
		rt->again = false;
	}
	rt->strategy = strategy;
	rt->waiting.all = false;
}
