/* SPDX-License-Identifier: MIT
 *
 * Random programs: a few families of operations for each program, so that its threads meet. Locks
 * that are made late are not given back, and used once by a thread: more is undefined.
 */
#include "draw.h"

#include <string.h>

enum family {
	F_ATOMIC,
	F_MEMORY,
	F_MUTEX,
	F_RWLOCK,
	F_SPIN,
	F_SEM,
	F_COND,
	F_BARRIER,
	F_ONCE,
	F_FUTEX,
	F_HEAP,
	F_CHANNEL,
	F_TIMER,
	F_EPOLL,
	F_NUMBER,
	F_SIGNAL,
	F_JOIN,
	F_NAMED,
	F_FLOCK,
	F_STREAM,
	F_SENT,
	F_CANCEL,
	F_OTHER,
	F_ENDS,
	FAMILIES
};

static const struct range {
	uint8_t first, last;
} ranges[FAMILIES] = {
	[F_ATOMIC] = { OP_LOAD, OP_CAS },
	[F_MEMORY] = { OP_READ, OP_ADD },
	[F_MUTEX] = { OP_MUTEX_LOCK, OP_MUTEX_DESTROY },
	[F_RWLOCK] = { OP_RW_READ, OP_RW_DESTROY },
	[F_SPIN] = { OP_SPIN_LOCK, OP_SPIN_DESTROY },
	[F_SEM] = { OP_SEM_WAIT, OP_SEM_DESTROY },
	[F_COND] = { OP_COND_WAIT, OP_COND_DESTROY },
	[F_BARRIER] = { OP_BARRIER_WAIT, OP_BARRIER_DESTROY },
	[F_ONCE] = { OP_ONCE, OP_ONCE },
	[F_FUTEX] = { OP_FUTEX_SET, OP_FUTEX_WAKE_OP },
	[F_HEAP] = { OP_HEAP_NEW, OP_HEAP_GROW },
	[F_CHANNEL] = { OP_CHANNEL_PUT, OP_CHANNEL_COUNT },
	[F_TIMER] = { OP_TIMER_SET, OP_TIMER_GET },
	[F_EPOLL] = { OP_CHANNEL_PUT, OP_EPOLL_WAIT },
	[F_NUMBER] = { OP_NUMBER_DUP, OP_NUMBER_CLOSE },
	[F_SIGNAL] = { OP_SIGNAL_SEND, OP_SIGNAL_PENDING },
	[F_JOIN] = { OP_JOIN_TRY, OP_JOIN_TIMED },
	[F_NAMED] = { OP_NAMED_OPEN, OP_NAMED_UNLINK },
	[F_FLOCK] = { OP_FLOCK, OP_FLOCK_UNLOCK },
	[F_STREAM] = { OP_STREAM_LOCK, OP_STREAM_UNLOCK },
	[F_SENT] = { OP_KILL, OP_ALARM },
	[F_CANCEL] = { OP_CANCEL, OP_CANCEL_TEST },
	[F_OTHER] = { OP_YIELD, OP_FENCE },
	[F_ENDS] = { OP_EXIT_IF, OP_LEAVE_IF },
};

struct draw {
	struct program *p;
	uint64_t state;
	uint8_t families[3];
	unsigned nfamilies;
	bool late;                      /* locks may be made late */
	bool destroys;                  /* or destroyed */
	bool timers;                    /* run out; then no wait ends by time */
	bool crashes;                   /* then memory that turns out to be private is no step */
	uint32_t used[MOST_THREADS];    /* families whose locks a thread has used */
	uint8_t mutex_held[MOST_THREADS]; /* as far as one can say before */
	uint8_t parent[MOST_THREADS];     /* who creates a thread */
	bool async;                       /* nothing is there that one may not be cancelled in */
	uint8_t wanted;                   /* an operation that is to be there; 0 */
};

static bool draws(const struct draw *d, unsigned family)
{
	for (unsigned i = 0; i < d->nfamilies; i++)
		if (d->families[i] == family)
			return true;
	return false;
}

static unsigned draw(struct draw *d, unsigned n)
{
	return draw_number(&d->state, n);
}

static void add(struct draw *d, unsigned t, uint8_t what, uint8_t object, uint8_t value)
{
	add_operation(d->p, t, what, object, value);
}

static bool is_init(uint8_t what)
{
	return what == OP_MUTEX_INIT || what == OP_RW_INIT || what == OP_SPIN_INIT;
}

static bool is_timed(uint8_t what)
{
	return what == OP_MUTEX_TIMED || what == OP_RW_TIMED_READ || what == OP_RW_TIMED_WRITE || what == OP_SEM_TIMED ||
	       what == OP_COND_TIMED || what == OP_FUTEX_TIMED || what == OP_JOIN_TIMED || what == OP_CHANNEL_READY ||
	       what == OP_SIGNAL_TIMED;
}

/* May thread t use this operation, in a program whose locks may be made late, or not? */
static bool allowed(struct draw *d, unsigned t, unsigned family, uint8_t what)
{
	bool unlock = what == OP_MUTEX_UNLOCK || what == OP_RW_UNLOCK || what == OP_SPIN_UNLOCK;

	if (is_destruction(what))
		return d->destroys;
	if (what == OP_ALARM || what == OP_TIMER_SET)
		return d->timers;
	if (is_timed(what) && d->timers)
		return false;
	if (what == OP_CHANNEL_CLOSE) /* others would get its number, and be written to */
		return !draws(d, F_NUMBER);
	if (family != F_MUTEX && family != F_RWLOCK && family != F_SPIN)
		return true;
	if (!d->late)
		return !is_init(what);
	if (unlock || d->used[t] >> family & 1)
		return false;
	d->used[t] |= 1U << family;
	return true;
}

static bool has_created(const struct program *p, unsigned t, unsigned c)
{
	for (unsigned i = 0; i < p->n[t]; i++)
		if (p->ops[t][i].what == OP_CREATE && p->ops[t][i].object == c)
			return true;
	return false;
}

static bool has_children(const struct draw *d, unsigned t)
{
	for (unsigned c = 1; c < d->p->nthreads; c++)
		if (d->parent[c] == t)
			return true;
	return false;
}

/* Operations on threads. False: there is none that it could be done to. */
static bool on_thread(struct draw *d, unsigned t, struct op *o)
{
	unsigned n = d->p->nthreads;

	switch (o->what) {
	case OP_JOIN_TRY:
	case OP_JOIN_TIMED:
		o->object = (uint8_t)(1 + draw(d, n - 1));
		return has_created(d->p, t, o->object);
	case OP_KILL:
		o->object = (uint8_t)draw(d, n);
		return true;
	case OP_CANCEL:
		o->object = (uint8_t)(1 + draw(d, n - 1));
		return true;
	case OP_CANCEL_TYPE:
		return d->async;
	case OP_LEAVE_IF: /* those who are not joined could still run at the end */
		return t ? !has_children(d, t) : !draws(d, F_MEMORY);
	default:
		return true;
	}
}

static void operation(struct draw *d, unsigned t)
{
	unsigned family = d->families[d->wanted ? 0 : draw(d, d->nfamilies)];
	const struct range *r = &ranges[family];
	uint8_t what = (uint8_t)(r->first + draw(d, r->last - r->first + 1U));
	uint8_t object = (uint8_t)draw(d, family == F_MEMORY ? (d->crashes ? 1 : MEMORIES) : 2);
	uint8_t value = (uint8_t)draw(d, family == F_ATOMIC || family == F_HEAP ? 3 : 2);

	struct op o;

	if (is_destruction(r->last) && (d->destroys || d->late) && !draw(d, 4))
		what = (uint8_t)(r->last - d->late); /* before it is the initialization */
	if (d->wanted)
		what = d->wanted;
	if (what == OP_MUTEX_DESTROY && draws(d, F_COND)) /* a wait with it that just ends is a limit */
		object = 1;
	o = (struct op){ what, object, value };

	if (!allowed(d, t, family, what) || !on_thread(d, t, &o)) {
		family = F_ATOMIC;
		o = (struct op){ OP_FETCH_ADD, object & 1, value };
	} else {
		d->wanted = 0;
	}
	if (what == OP_SIGNAL_PENDING && d->crashes) /* no step where nobody sends */
		o.what = OP_SIGNAL_TIMED;
	if (what == OP_FUTEX_WAKE)
		o.value++;
	if (what == OP_FUTEX_WAIT_MASK || what == OP_FUTEX_WAKE_MASK)
		o.value = (uint8_t)(1 + draw(d, 3));
	if ((what == OP_COND_WAIT || what == OP_COND_TIMED) && !d->mutex_held[t]) {
		add(d, t, OP_MUTEX_LOCK, 0, 0);
		d->mutex_held[t] = 1;
	}
	add(d, t, o.what, o.object, o.value);
	if (family == F_COND && d->mutex_held[t] && draw(d, 2)) {
		add(d, t, OP_MUTEX_UNLOCK, 0, 0);
		d->mutex_held[t] = 0;
	}
}

/* Locks that are only held by a thread that ends are less interesting. */
static void unlock(struct draw *d, unsigned t)
{
	for (unsigned i = 0; i < d->nfamilies; i++) {
		unsigned family = d->families[i];

		if (d->late || !draw(d, 3))
			continue;
		if (family == F_MUTEX || family == F_COND)
			add(d, t, OP_MUTEX_UNLOCK, (uint8_t)(family == F_MUTEX ? draw(d, 2) : 0), 0);
		else if (family == F_RWLOCK)
			add(d, t, OP_RW_UNLOCK, 0, 0);
		else if (family == F_SPIN)
			add(d, t, OP_SPIN_UNLOCK, 0, 0);
	}
}

/* The tree of threads: who creates thread t. Main creates and joins first and last. */
static void threads(struct draw *d, bool detached)
{
	bool flat = draws(d, F_SENT) || draws(d, F_CANCEL); /* all can be sent to from the beginning, and main joins all */
	struct program *p = d->p;
	uint8_t *parent = d->parent;

	memset(parent, 0, sizeof d->parent);
	for (unsigned t = 2; t < p->nthreads; t++)
		parent[t] = flat || draw(d, 4) ? 0 : (uint8_t)(1 + draw(d, t - 1));
	for (uint8_t t = 0; t < p->nthreads; t++) {
		unsigned n = t ? 1 + draw(d, p->nthreads > 3 ? 2 : 3) : draw(d, 2);
		unsigned at = draw(d, 2);

		for (uint8_t c = 1; c < p->nthreads && !(t && at); c++)
			if (c != t && parent[c] == t)
				add(d, t, OP_CREATE, c, 0);
		for (unsigned i = 0; i < n; i++)
			operation(d, t);
		unlock(d, t);
		for (uint8_t c = 1; c < p->nthreads && t && at; c++)
			if (c != t && parent[c] == t)
				add(d, t, OP_CREATE, c, 0);
		for (uint8_t c = 1; c < p->nthreads; c++)
			if (c != t && parent[c] == t && !detached && p->n[t] < MOST_OPS)
				p->ops[t][p->n[t]++] = (struct op){ OP_JOIN, c, 0 };
		if (!t && !detached && draw(d, 2))
			add(d, 0, OP_LOAD, 0, 0);
	}
}

/* Every creation must be there, and every join unless all are detached. */
static bool whole(const struct program *p, bool detached)
{
	unsigned creations = 0, joins = 0;

	for (unsigned t = 0; t < p->nthreads; t++)
		for (unsigned i = 0; i < p->n[t]; i++) {
			creations += p->ops[t][i].what == OP_CREATE;
			joins += p->ops[t][i].what == OP_JOIN;
		}
	return creations == p->nthreads - 1U && joins == (detached ? 0U : creations);
}

static bool only_posix(const struct draw *d)
{
	const struct program *p = d->p;

	return p->mutex_type[0] >= ERROR_CHECKING || p->mutex_type[1] == ERROR_CHECKING || draws(d, F_SENT) ||
	       draws(d, F_CANCEL) || draws(d, F_JOIN) || program_has(p, OP_LEAVE_IF, OP_LEAVE_IF);
}

/* Every second program has an operation by its number, so that some hundred programs have all of them. */
static void want(struct draw *d, uint64_t seed)
{
	unsigned family = 0;

	d->wanted = seed % 2 ? 0 : (uint8_t)(OP_JOIN_TRY + seed / 2 % (OPS - OP_JOIN_TRY));
	if (!d->wanted)
		return;
	while (d->wanted < ranges[family].first || d->wanted > ranges[family].last)
		family++;
	d->families[0] = (uint8_t)family;
	d->late = is_init(d->wanted);
	d->destroys = is_destruction(d->wanted);
	if (family == F_SENT || family == F_CANCEL || family == F_JOIN) /* not with what ends the process */
		d->nfamilies = 1;
}

/* Do timers run out? Then no wait ends by time. */
static bool draw_timers(struct draw *d)
{
	if (d->wanted == OP_ALARM || d->wanted == OP_TIMER_SET)
		return true;
	return (draws(d, F_SENT) || draws(d, F_TIMER) || draws(d, F_EPOLL)) && !is_timed(d->wanted) && draw(d, 2);
}

void generate(struct program *p, uint64_t seed)
{
	struct draw d = { .p = p, .state = seed * 0x9e3779b97f4a7c15UL + 1 };
	bool detached;

	do {
		memset(p, 0, sizeof *p);
		memset(d.used, 0, sizeof d.used);
		memset(d.mutex_held, 0, sizeof d.mutex_held);
		for (int i = 0; i < 5; i++)
			draw(&d, 2);
		p->nthreads = (uint8_t)(draw(&d, 4) ? 3 : draw(&d, 2) ? 2 : 4);
		p->quarantine = (uint8_t)draw(&d, 2);
		p->sem = (uint8_t)draw(&d, 2);
		p->writers_first = (uint8_t)draw(&d, 2);
		p->event_counts = (uint8_t)draw(&d, 2);
		p->mutex_type[0] = (uint8_t)draw(&d, 4);
		p->spurious = !draw(&d, 4);
		p->restarts = (uint8_t)draw(&d, 2);
		p->mutex_type[1] = (uint8_t)draw(&d, 3);
		d.late = !draw(&d, 3);
		d.destroys = !d.late && !draw(&d, 3);
		d.nfamilies = 1 + draw(&d, 3);
		for (unsigned i = 0; i < d.nfamilies; i++)
			d.families[i] = (uint8_t)draw(&d, FAMILIES);
		detached = !draw(&d, 6);
		want(&d, seed);
		d.timers = draw_timers(&d);
		d.crashes = d.destroys;
		for (unsigned i = 0; i < d.nfamilies; i++) {
			d.crashes |= d.families[i] == F_ENDS || d.families[i] == F_HEAP ||
				     d.families[i] == F_BARRIER;
			detached &= d.families[i] != F_MEMORY; /* main's stack would be gone */
			if (d.families[i] == F_COND)
				d.late = false;
		}
		for (unsigned i = 0; i < d.nfamilies; i++)
			if (d.crashes && (d.families[i] == F_SENT || d.families[i] == F_CANCEL || d.families[i] == F_JOIN))
				d.families[i] = F_ATOMIC; /* nothing is a step before somebody sends, or looks */
		detached &= !draws(&d, F_SENT) && !draws(&d, F_CANCEL) && !draws(&d, F_JOIN);
		if (draws(&d, F_COND) && p->mutex_type[0] == ROBUST)
			p->mutex_type[0] = NORMAL;
		for (unsigned k = 0; k < 2; k++) /* whose unlock by another thread is no step, and fails in one order only */
			if (d.destroys && p->mutex_type[k] == ERROR_CHECKING)
				p->mutex_type[k] = NORMAL;
		d.async = true;
		for (unsigned i = 0; i < d.nfamilies; i++)
			d.async &= d.families[i] <= F_MEMORY || d.families[i] == F_CANCEL;
		threads(&d, detached);
		p->api = (uint8_t)draw(&d, APIS);
		if (p->api == API_C11 && only_posix(&d))
			p->api = API_CLOCK;
	} while (!whole(p, detached));
}

/* Not what is done to threads, or with what each has for itself. */
static bool may_be_of_twins(uint8_t what)
{
	return what > OP_JOIN_TIMED && what != OP_LEAVE_IF && !(what >= OP_KILL && what <= OP_CANCEL_TEST) &&
	       !(what >= OP_FLOCK && what <= OP_FLOCK_UNLOCK);
}

/* One that has not begun yet has not found out either what is no step. */
static bool may_be_first(uint8_t what)
{
	return what != OP_MUTEX_UNLOCK && what != OP_MUTEX_CONSISTENT && what != OP_RW_UNLOCK && what != OP_SPIN_UNLOCK &&
	       what != OP_STREAM_UNLOCK && !(what >= OP_NAMED_POST && what <= OP_NAMED_CLOSE);
}

/* What the threads of another program do is done by two or three of the same. Sometimes main does something between
 * making them, or between joining them. */
void generate_twins(struct program *p, uint64_t seed)
{
	struct draw d = { .p = p, .state = seed * 0xd1342543de82ef95UL + 1 };
	struct program other;
	unsigned most;

	generate(&other, seed);
	*p = other;
	memset(p->ops, 0, sizeof p->ops);
	memset(p->n, 0, sizeof p->n);
	for (int i = 0; i < 5; i++)
		draw(&d, 2);
	p->twins = (uint8_t)(2 + draw(&d, 2));
	p->nthreads = (uint8_t)(p->twins + 1);
	most = 5U - p->twins;
	for (unsigned t = 1; t < other.nthreads && p->n[1] < most; t++)
		for (unsigned i = 0; i < other.n[t] && p->n[1] < most; i++)
			if (may_be_of_twins(other.ops[t][i].what) && (p->n[1] || may_be_first(other.ops[t][i].what)))
				p->ops[1][p->n[1]++] = other.ops[t][i];
	for (unsigned t = 2; t <= p->twins; t++) {
		memcpy(p->ops[t], p->ops[1], sizeof p->ops[t]);
		p->n[t] = p->n[1];
	}
	for (uint8_t t = 1; t <= p->twins; t++) {
		p->ops[0][p->n[0]++] = (struct op){ OP_CREATE, t, 0 };
		if (p->n[1] && p->n[0] + 2U * p->twins - t < MOST_OPS && !draw(&d, 8))
			p->ops[0][p->n[0]++] = p->ops[1][draw(&d, p->n[1])];
	}
	for (uint8_t t = 1; t <= p->twins; t++) {
		p->ops[0][p->n[0]++] = (struct op){ OP_JOIN, t, 0 };
		if (p->n[1] && p->n[0] + p->twins - t < MOST_OPS && !draw(&d, 6))
			p->ops[0][p->n[0]++] = p->ops[1][draw(&d, p->n[1])];
	}
}

/* Threads that write two variables again and again, and seldom look. */
void generate_writes(struct program *p, uint64_t seed)
{
	static const uint8_t kinds[] = { OP_STORE, OP_STORE, OP_STORE, OP_STORE,     OP_LOAD,
					 OP_LOAD,  OP_CAS,   OP_FETCH_ADD, OP_MUTEX_LOCK };
	struct draw d = { .p = p, .state = seed * 0x9e3779b97f4a7c15UL + 1 };

	memset(p, 0, sizeof *p);
	for (int i = 0; i < 5; i++)
		draw(&d, 2);
	p->nthreads = (uint8_t)(3 + draw(&d, 2));
	for (uint8_t t = 1; t < p->nthreads; t++)
		add(&d, 0, OP_CREATE, t, 0);
	for (unsigned t = 0; t < p->nthreads; t++) {
		unsigned n = t ? 2 + draw(&d, p->nthreads > 3 ? 2 : 3) : draw(&d, 2);
		bool locked = false;

		while (n--) {
			uint8_t what = kinds[draw(&d, sizeof kinds)];
			bool lock = what == OP_MUTEX_LOCK;

			if (lock && locked)
				what = OP_MUTEX_UNLOCK;
			add(&d, t, what, lock ? 0 : (uint8_t)!draw(&d, 3), (uint8_t)draw(&d, 3));
			locked ^= lock;
		}
		if (locked)
			add(&d, t, OP_MUTEX_UNLOCK, 0, 0);
	}
	for (uint8_t t = 1; t < p->nthreads; t++)
		p->ops[0][p->n[0]++] = (struct op){ OP_JOIN, t, 0 };
}
