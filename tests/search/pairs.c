/* SPDX-License-Identifier: MIT
 *
 * Each pair of operations on one object, by two threads, from the states that a few operations of
 * main lead to, before or after which a third thread may hold the object. compare() checks that
 * dpor, dfs and the model agree, so an order that matters and is not seen is an error. Here it is
 * counted whether the runtime took the two for dependent (main's part leaves no choice, so more
 * than one class means that), and whether the order did matter: what they return, what main sees
 * afterwards, or who waits for ever differs. And each operation by a thread to which meanwhile a signal or a
 * cancellation is sent, or of which main looks whether it has ended.
 */
#include "pairs.h"
#include "print.h"

#include <stdio.h>
#include <string.h>

static const struct family {
	uint8_t first, last;
	uint8_t before[3]; /* what main may do before: one of these, or nothing */
	uint8_t after[2];  /* how main looks at the object afterwards */
	uint8_t kind;      /* enum mutex_type, or 1: of a read-write lock, writers come first */
} families[] = {
	{ OP_LOAD, OP_CAS, { OP_FETCH_ADD }, { OP_LOAD }, 0 },
	{ OP_READ, OP_ADD, { OP_WRITE }, { OP_READ }, 0 },
	{ OP_MUTEX_LOCK, OP_MUTEX_DESTROY, { OP_MUTEX_LOCK }, { OP_MUTEX_TRY }, NORMAL },
	{ OP_MUTEX_LOCK, OP_MUTEX_DESTROY, { OP_MUTEX_LOCK }, { OP_MUTEX_TRY }, RECURSIVE },
	{ OP_MUTEX_LOCK, OP_MUTEX_DESTROY, { OP_MUTEX_LOCK }, { OP_MUTEX_TRY }, ERROR_CHECKING },
	{ OP_MUTEX_LOCK, OP_MUTEX_DESTROY, { OP_MUTEX_LOCK }, { OP_MUTEX_TRY }, ROBUST },
	{ OP_RW_READ, OP_RW_DESTROY, { OP_RW_READ, OP_RW_WRITE }, { OP_RW_TRY_WRITE, OP_RW_TRY_READ }, 0 },
	{ OP_RW_READ, OP_RW_DESTROY, { OP_RW_READ, OP_RW_WRITE }, { OP_RW_TRY_WRITE, OP_RW_TRY_READ }, 1 },
	{ OP_SPIN_LOCK, OP_SPIN_DESTROY, { OP_SPIN_LOCK }, { OP_SPIN_TRY }, 0 },
	{ OP_SEM_WAIT, OP_SEM_DESTROY, { OP_SEM_POST, OP_SEM_TRY }, { OP_SEM_GET }, 0 },
	{ OP_COND_SIGNAL, OP_COND_DESTROY, { 0 }, { 0 }, 0 },
	{ OP_BARRIER_WAIT, OP_BARRIER_DESTROY, { 0 }, { 0 }, 0 },
	{ OP_ONCE, OP_ONCE, { OP_ONCE }, { 0 }, 0 },
	{ OP_FUTEX_SET, OP_FUTEX_WAKE_OP, { OP_FUTEX_SET }, { 0 }, 0 },
	{ OP_NAMED_OPEN, OP_NAMED_UNLINK, { OP_NAMED_OPEN }, { OP_NAMED_TRY }, 0 },
	{ OP_HEAP_NEW, OP_HEAP_GROW, { OP_HEAP_NEW }, { OP_HEAP_READ }, 0 },
	{ OP_CHANNEL_PUT, OP_CHANNEL_COUNT, { OP_CHANNEL_PUT, OP_CHANNEL_CLOSE }, { OP_CHANNEL_COUNT, OP_CHANNEL_GET }, 0 },
	{ OP_TIMER_SET, OP_TIMER_GET, { OP_TIMER_SET }, { OP_TIMER_GET }, 0 },
	{ OP_EPOLL_ADD, OP_EPOLL_WAIT, { OP_EPOLL_ADD }, { OP_EPOLL_WAIT }, 0 },
	{ OP_NUMBER_DUP, OP_NUMBER_CLOSE, { OP_NUMBER_DUP, OP_NUMBER_TAKE }, { OP_NUMBER_DUP }, 0 },
	{ OP_ALARM, OP_ALARM, { OP_ALARM }, { OP_ALARM }, 0 },
	{ OP_FLOCK, OP_FLOCK_UNLOCK, { OP_FLOCK, OP_FLOCK_TRY }, { OP_FLOCK_TRY }, 0 },
	{ OP_STREAM_LOCK, OP_STREAM_UNLOCK, { OP_STREAM_LOCK }, { OP_STREAM_TRY }, 0 },
	{ OP_SIGNAL_SEND, OP_SIGNAL_PENDING, { OP_SIGNAL_SEND }, { OP_SIGNAL_TIMED }, 0 },
};

/* Pairs whose order never matters, although the table says that they are dependent. */
static const struct reason {
	uint8_t a, b;
	const char *why;
} reasons[] = {
	{ OP_COND_SIGNAL, OP_COND_SIGNAL, "who is let go is not said, only how many" },
	{ OP_COND_SIGNAL, OP_COND_BROADCAST, "all are let go in both orders" },
	{ OP_COND_BROADCAST, OP_COND_BROADCAST, "all are let go in both orders" },
	{ OP_SEM_POST, OP_SEM_POST, "they commute, but a wait has to know which post let it go" },
	{ OP_MUTEX_INIT, OP_MUTEX_INIT, "both leave the same; one of them is a mistake" },
	{ OP_RW_INIT, OP_RW_INIT, "both leave the same; one of them is a mistake" },
	{ OP_SPIN_INIT, OP_SPIN_INIT, "both leave the same; one of them is a mistake" },
	{ OP_COND_INIT, OP_COND_INIT, "both leave the same; one of them is a mistake" },
	{ OP_BARRIER_INIT, OP_BARRIER_INIT, "both leave the same; one of them is a mistake" },
	{ OP_FUTEX_WAKE, OP_FUTEX_WAKE, "one waiter at most is there in these programs" },
	{ OP_FUTEX_WAIT, OP_FUTEX_WAIT, "who comes first in the queue shows only in a wake" },
	{ OP_FUTEX_WAIT, OP_FUTEX_TIMED, "who comes first in the queue shows only in a wake" },
	{ OP_FUTEX_TIMED, OP_FUTEX_TIMED, "who comes first in the queue shows only in a wake" },
	{ OP_FUTEX_WAIT, OP_FUTEX_WAIT_MASK, "who comes first in the queue shows only in a wake" },
	{ OP_FUTEX_TIMED, OP_FUTEX_WAIT_MASK, "who comes first in the queue shows only in a wake" },
	{ OP_FUTEX_WAIT_MASK, OP_FUTEX_WAIT_MASK, "who comes first in the queue shows only in a wake" },
	{ OP_NAMED_OPEN, OP_NAMED_OPEN, "here both say the same value, and one finds what the other has made" },
	{ OP_NAMED_OPEN, OP_NAMED_POST, "before a post the thread opens it, too" },
	{ OP_NAMED_OPEN, OP_NAMED_CLOSE, "one that is closed keeps its name" },
	{ OP_NAMED_POST, OP_NAMED_POST, "before it, both open it, which is dependent" },
	{ OP_NAMED_POST, OP_NAMED_CLOSE, "before it, both open it, which is dependent" },
	{ OP_NAMED_TRY, OP_NAMED_CLOSE, "before it, both open it, which is dependent" },
	{ OP_NAMED_CLOSE, OP_NAMED_CLOSE, "how many have it open shows only when it has no name" },
	{ OP_FLOCK_UNLOCK, OP_FLOCK_UNLOCK, "the second needs a lock, which needs the first" },
	{ OP_STREAM_UNLOCK, OP_STREAM_UNLOCK, "the second needs a lock, which needs the first" },
	{ OP_MUTEX_UNLOCK, OP_MUTEX_UNLOCK, "the second needs a lock, which needs the first" },
	{ OP_SPIN_UNLOCK, OP_SPIN_UNLOCK, "the second needs a lock, which needs the first" },
	{ OP_SEM_WAIT, OP_SEM_POST, "they commute, but a post may be what lets a wait go" },
	{ OP_CHANNEL_PUT, OP_CHANNEL_GET, "what comes first is got first; but a put may be what lets a get go" },
	{ OP_CHANNEL_PUT, OP_CHANNEL_EITHER, "a put may be what lets it go" },
	{ OP_CHANNEL_GET, OP_CHANNEL_CLOSE, "the end may be what lets a get go" },
	{ OP_CHANNEL_EITHER, OP_CHANNEL_CLOSE, "the end may be what lets it go" },
	{ OP_CHANNEL_CLOSE, OP_CHANNEL_COUNT, "what is in the pipe stays, but closing it is like any use of it" },
	{ OP_EPOLL_MOD, OP_EPOLL_MOD, "that it is said once only shows in a second wait" },
	{ OP_NUMBER_TAKE, OP_NUMBER_TAKE, "what gets the number is the same" },
	{ OP_SIGNAL_SEND, OP_SIGNAL_SEND, "one is pending, however often it was sent" },
	{ OP_SIGNAL_SEND, OP_SIGNAL_PENDING, "it is sent to main, and others look" },
	{ OP_SIGNAL_TIMED, OP_SIGNAL_PENDING, "it is sent to main, and others look" },
	{ OP_ONCE, OP_ONCE, "who of them runs the routine shows in nothing that they return" },
};

static void add(struct program *p, unsigned t, uint8_t what, uint8_t value)
{
	p->ops[t][p->n[t]++] = (struct op){ what, 0, value };
}

/* A thread that waits on a condition or a futex first needs what it waits with. */
static void side(struct program *p, unsigned t, uint8_t what, uint8_t value)
{
	if (what == OP_FUTEX_WAIT_MASK || what == OP_FUTEX_WAKE_MASK) /* one of no bits is none */
		value++;
	if (what == OP_MUTEX_UNLOCK)
		add(p, t, OP_MUTEX_LOCK, 0);
	if (what == OP_RW_UNLOCK)
		add(p, t, OP_RW_READ, 0);
	if (what == OP_SPIN_UNLOCK)
		add(p, t, OP_SPIN_LOCK, 0);
	if (what == OP_STREAM_UNLOCK)
		add(p, t, OP_STREAM_LOCK, 0);
	if (what == OP_NAMED_POST || what == OP_NAMED_TRY || what == OP_NAMED_CLOSE)
		add(p, t, OP_NAMED_OPEN, 0);
	if (what == OP_FLOCK_UNLOCK)
		add(p, t, OP_FLOCK, 1);
	if (what == OP_COND_WAIT || what == OP_COND_TIMED)
		add(p, t, OP_MUTEX_LOCK, 0);
	add(p, t, what, value);
}

/* A third thread waits, where that is what the two are about. */
static void waiter(struct program *p, unsigned t, const struct family *f)
{
	if (f->first == OP_BARRIER_WAIT) {
		add(p, t, OP_BARRIER_WAIT, 0);
	} else if (f->first == OP_COND_SIGNAL) {
		add(p, t, OP_MUTEX_LOCK, 0);
		add(p, t, OP_COND_WAIT, 0);
	} else {
		add(p, t, OP_FUTEX_WAIT, 0);
	}
}

static void build(struct program *p, const struct family *f, uint8_t a, uint8_t b, uint8_t before,
		  uint8_t value)
{
	bool waits = f->first == OP_COND_SIGNAL || f->first == OP_FUTEX_SET ||
		     (f->first == OP_BARRIER_WAIT && a != b);

	memset(p, 0, sizeof *p);
	p->nthreads = waits ? 4 : 3;
	p->quarantine = 1;
	p->mutex_type[0] = f->kind;
	p->writers_first = f->kind != 0;
	if (f->first == OP_EPOLL_ADD)
		add(p, 0, OP_CHANNEL_PUT, 0);
	if (before)
		add(p, 0, before, 1);
	for (uint8_t t = 1; t < p->nthreads; t++)
		p->ops[0][p->n[0]++] = (struct op){ OP_CREATE, t, 0 };
	side(p, 1, a, value & 1);
	side(p, 2, b, a == b ? 1 : value >> 1);
	if (waits)
		waiter(p, 3, f);
	p->ops[0][p->n[0]++] = (struct op){ OP_JOIN, 1, 0 };
	p->ops[0][p->n[0]++] = (struct op){ OP_JOIN, 2, 0 };
	for (unsigned i = 0; i < 2 && f->after[i]; i++)
		if (p->n[0] < MOST_OPS - 1)
			add(p, 0, f->after[i], 0);
	if (waits)
		p->ops[0][p->n[0]++] = (struct op){ OP_JOIN, 3, 0 };
}

/* Giving back a lock that was made anew meanwhile is undefined. */
static bool undefined(uint8_t a, uint8_t b)
{
	return (a == OP_MUTEX_UNLOCK && b == OP_MUTEX_INIT) ||
	       (a == OP_RW_UNLOCK && b == OP_RW_INIT) || (a == OP_SPIN_UNLOCK && b == OP_SPIN_INIT);
}

static bool takes_values(const struct family *f)
{
	return f->first != OP_MUTEX_LOCK && f->first != OP_RW_READ && f->first != OP_SPIN_LOCK && f->first != OP_COND_SIGNAL &&
	       f->first != OP_BARRIER_WAIT && f->first != OP_ONCE && f->first != OP_STREAM_LOCK;
}

static void one(const struct setting *s, const struct family *f, uint8_t a, uint8_t b,
		struct tally *tally)
{
	uint8_t seen = 0;

	for (unsigned i = 0; i < 4; i++)
		for (uint8_t value = 0; value < (takes_values(f) ? 4 : 1); value++) {
			struct program p;
			struct explored x;
			struct model m;

			if (i && !f->before[i - 1])
				continue;
			build(&p, f, a, b, i ? f->before[i - 1] : 0, value);
			model_build(&m, &p, 20000);
			if (!compare(&m, &p, s, tally)) {
				tally->different++;
				printf("pair of %s and %s:\n", op_name(a), op_name(b));
				print_program(&p);
			}
			explore(&x, s, &p, "dpor");
			seen |= PAIR_TESTED;
			seen |= x.status.classes > 1 ? PAIR_DEPENDENT : 0;
			seen |= m.nends > 1 ? PAIR_DIFFERS : 0;
			tally->pairs[a * OPS + b] |= seen;
			explored_free(&x);
			model_free(&m);
			if (seen & PAIR_DIFFERS)
				return;
		}
}

/* Whatever thread 1 does, thread 2 sends it a signal, or cancels it, before, meanwhile, or behind it; or main looks whether
 * it has ended. Main does what lets it go. */
static void build_sent(struct program *p, uint8_t what, uint8_t value, uint8_t sends)
{
	static const uint8_t lets_go[] = { [OP_SEM_WAIT] = OP_SEM_POST,		  [OP_COND_WAIT] = OP_COND_SIGNAL,
					   [OP_BARRIER_WAIT] = OP_BARRIER_WAIT,	  [OP_FUTEX_WAIT] = OP_FUTEX_WAKE,
					   [OP_FUTEX_WAIT_MASK] = OP_FUTEX_WAKE,  [OP_CHANNEL_GET] = OP_CHANNEL_PUT,
					   [OP_CHANNEL_EITHER] = OP_CHANNEL_PUT,  [OP_SIGNAL_WAIT] = OP_SIGNAL_SEND,
					   [OP_TIMER_GET] = OP_TIMER_SET,
					   [OP_MUTEX_LOCK] = OP_MUTEX_UNLOCK,	  [OP_RW_WRITE] = OP_RW_UNLOCK,
					   [OP_FLOCK] = OP_FLOCK_UNLOCK,	  [OP_STREAM_LOCK] = OP_STREAM_UNLOCK };
	uint8_t other = what < sizeof lets_go ? lets_go[what] : 0;
	bool joins = sends == OP_JOIN_TRY || sends == OP_JOIN_TIMED;

	memset(p, 0, sizeof *p);
	p->nthreads = joins ? 2 : 3;
	p->quarantine = 1;
	p->restarts = value & 1;
	if (other == OP_MUTEX_UNLOCK || other == OP_RW_UNLOCK || other == OP_FLOCK_UNLOCK || other == OP_STREAM_UNLOCK)
		add(p, 0, what, 1);
	for (uint8_t t = 1; t < p->nthreads; t++)
		p->ops[0][p->n[0]++] = (struct op){ OP_CREATE, t, 0 };
	side(p, 1, what, value);
	add(p, 1, OP_FETCH_ADD, 0);
	p->ops[joins ? 0 : 2][p->n[joins ? 0 : 2]++] = (struct op){ sends, 1, 0 };
	if (other)
		add(p, 0, other, 1);
	for (uint8_t t = 1; t < p->nthreads; t++)
		p->ops[0][p->n[0]++] = (struct op){ OP_JOIN, t, 0 };
}

/* Not what makes these programs; and what ends by time lets timers run out before, which the model leaves out. */
static bool may_be_sent(uint8_t what, uint8_t sends)
{
	return what > OP_JOIN_TIMED && !(sends == OP_JOIN_TIMED && (what == OP_ALARM || what == OP_TIMER_SET));
}

static void sent(const struct setting *s, uint8_t what, uint8_t sends, struct tally *tally)
{
	for (uint8_t value = 0; value < 2; value++) {
		struct program p;
		struct model m;

		build_sent(&p, what, value, sends);
		model_build(&m, &p, 20000);
		if (!compare(&m, &p, s, tally)) {
			tally->different++;
			printf("%s, and %s:\n", op_name(what), op_name(sends));
			print_program(&p);
		}
		model_free(&m);
	}
}

static bool wanted(const char *only, uint8_t a, uint8_t b)
{
	return !only || !strncmp(op_name(a), only, strlen(only)) || !strncmp(op_name(b), only, strlen(only));
}

void pairs(const struct setting *s, unsigned number, unsigned jobs, const char *only, struct tally *tally)
{
	static const uint8_t sends[] = { OP_KILL, OP_CANCEL, OP_JOIN_TRY, OP_JOIN_TIMED };
	unsigned n = 0;

	for (unsigned i = 0; i < sizeof families / sizeof *families; i++)
		for (uint8_t a = families[i].first; a <= families[i].last; a++)
			for (uint8_t b = a; b <= families[i].last; b++)
				if (n++ % jobs == number && !undefined(a, b) && wanted(only, a, b))
					one(s, &families[i], a, b, tally);
	for (uint8_t what = OP_END + 1; what < OPS; what++)
		for (unsigned i = 0; i < sizeof sends; i++)
			if (n++ % jobs == number && may_be_sent(what, sends[i]) && wanted(only, what, sends[i]))
				sent(s, what, sends[i], tally);
}

static const char *reason(unsigned a, unsigned b)
{
	for (unsigned i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (reasons[i].a == a && reasons[i].b == b)
			return reasons[i].why;
	return NULL;
}

bool pairs_all(const uint8_t *seen)
{
	unsigned tested = 0, dependent = 0, without = 0, unknown = 0;

	for (unsigned a = 0; a < OPS; a++)
		for (unsigned b = 0; b < OPS; b++) {
			unsigned what = seen[a * OPS + b];

			tested += what & PAIR_TESTED;
			dependent += (what & PAIR_DEPENDENT) != 0;
			if (!(what & PAIR_DEPENDENT) || what & PAIR_DIFFERS)
				continue;
			without++;
			if (reason(a, b))
				continue;
			unknown++;
			printf("no state was seen in which the order of %s and %s matters\n",
				       op_name(a), op_name(b));
		}
	printf("%u pairs tested, %u dependent, %u of these without a difference\n", tested, dependent,
	       without);
	return tested > 0 && !unknown;
}
