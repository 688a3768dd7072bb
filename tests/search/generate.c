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
	F_SIGNAL,
	F_OTHER,
	F_ENDS,
	FAMILIES
};

static const struct range {
	uint8_t first, last;
} ranges[FAMILIES] = {
	[F_ATOMIC] = { OP_LOAD, OP_CAS },
	[F_MEMORY] = { OP_READ, OP_ADD },
	[F_MUTEX] = { OP_MUTEX_LOCK, OP_MUTEX_INIT },
	[F_RWLOCK] = { OP_RW_READ, OP_RW_INIT },
	[F_SPIN] = { OP_SPIN_LOCK, OP_SPIN_INIT },
	[F_SEM] = { OP_SEM_WAIT, OP_SEM_INIT },
	[F_COND] = { OP_COND_WAIT, OP_COND_INIT },
	[F_BARRIER] = { OP_BARRIER_WAIT, OP_BARRIER_INIT },
	[F_ONCE] = { OP_ONCE, OP_ONCE },
	[F_FUTEX] = { OP_FUTEX_SET, OP_FUTEX_REQUEUE },
	[F_HEAP] = { OP_HEAP_NEW, OP_HEAP_GROW },
	[F_CHANNEL] = { OP_CHANNEL_PUT, OP_CHANNEL_COUNT },
	[F_SIGNAL] = { OP_SIGNAL_SEND, OP_SIGNAL_PENDING },
	[F_OTHER] = { OP_YIELD, OP_FENCE },
	[F_ENDS] = { OP_EXIT_IF, OP_ABORT_IF },
};

struct draw {
	struct program *p;
	uint64_t state;
	uint8_t families[3];
	unsigned nfamilies;
	bool late;                      /* locks may be made late */
	bool crashes;                   /* then memory that turns out to be private is no step */
	uint32_t used[MOST_THREADS];    /* families whose locks a thread has used */
	uint8_t mutex_held[MOST_THREADS]; /* as far as one can say before */
};

static unsigned draw(struct draw *d, unsigned n)
{
	return draw_number(&d->state, n);
}

static void add(struct draw *d, unsigned t, uint8_t what, uint8_t object, uint8_t value)
{
	add_operation(d->p, t, what, object, value);
}

/* May thread t use this operation on a lock that may be made late, or that may not? */
static bool allowed(struct draw *d, unsigned t, unsigned family, uint8_t what)
{
	bool init = what == OP_MUTEX_INIT || what == OP_RW_INIT || what == OP_SPIN_INIT;
	bool unlock = what == OP_MUTEX_UNLOCK || what == OP_RW_UNLOCK || what == OP_SPIN_UNLOCK;

	if (family != F_MUTEX && family != F_RWLOCK && family != F_SPIN)
		return true;
	if (!d->late)
		return !init;
	if (unlock || d->used[t] >> family & 1)
		return false;
	d->used[t] |= 1U << family;
	return true;
}

static void operation(struct draw *d, unsigned t)
{
	unsigned family = d->families[draw(d, d->nfamilies)];
	const struct range *r = &ranges[family];
	uint8_t what = (uint8_t)(r->first + draw(d, r->last - r->first + 1U));
	uint8_t object = (uint8_t)draw(d, family == F_MEMORY ? (d->crashes ? 1 : MEMORIES) : 2);
	uint8_t value = (uint8_t)draw(d, family == F_ATOMIC || family == F_HEAP ? 3 : 2);

	if (!allowed(d, t, family, what)) {
		family = F_ATOMIC;
		what = OP_FETCH_ADD;
	}
	if (what == OP_SIGNAL_PENDING && d->crashes) /* no step where nobody sends */
		what = OP_SIGNAL_TIMED;
	if (what == OP_FUTEX_WAKE)
		value++;
	if ((what == OP_COND_WAIT || what == OP_COND_TIMED) && !d->mutex_held[t]) {
		add(d, t, OP_MUTEX_LOCK, 0, 0);
		d->mutex_held[t] = 1;
	}
	add(d, t, what, object, value);
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
	struct program *p = d->p;
	uint8_t parent[MOST_THREADS] = { 0 };

	for (unsigned t = 2; t < p->nthreads; t++)
		parent[t] = draw(d, 4) ? 0 : (uint8_t)(1 + draw(d, t - 1));
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
		p->mutex_type[0] = (uint8_t)draw(&d, 3);
		p->mutex_type[1] = (uint8_t)draw(&d, 3);
		d.late = !draw(&d, 3);
		d.nfamilies = 1 + draw(&d, 3);
		for (unsigned i = 0; i < d.nfamilies; i++)
			d.families[i] = (uint8_t)draw(&d, FAMILIES);
		detached = !draw(&d, 6);
		d.crashes = false;
		for (unsigned i = 0; i < d.nfamilies; i++) {
			d.crashes |= d.families[i] == F_ENDS || d.families[i] == F_HEAP ||
				     d.families[i] == F_BARRIER;
			detached &= d.families[i] != F_MEMORY; /* main's stack would be gone */
			if (d.families[i] == F_COND)
				d.late = false;
		}
		threads(&d, detached);
		p->api = (uint8_t)draw(&d, APIS);
		if (p->api == API_C11 && (p->mutex_type[0] == ERROR_CHECKING ||
					  p->mutex_type[1] == ERROR_CHECKING))
			p->api = API_CLOCK;
	} while (!whole(p, detached));
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
			if (other.ops[t][i].what != OP_CREATE && other.ops[t][i].what != OP_JOIN)
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
