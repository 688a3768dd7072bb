/* SPDX-License-Identifier: MIT
 *
 * Futexes, from which libraries build their own locks: syscall(SYS_futex, ...). The word and the
 * queue of its waiters are two objects (see lp_futex_kind()). A wait is a step that reads the word
 * and, if the value is as expected, joins the queue. A wake is a step that lets the first in the
 * queue go, as the kernel does, and does not touch the word. A woken thread continues immediately,
 * as after a join: that commutes with all steps of others.
 *
 * FUTEX_WAIT, WAIT_BITSET, WAKE, WAKE_BITSET, WAKE_OP, REQUEUE, CMP_REQUEUE. A timed wait may
 * time out at any time, so leaving the queue is a step of its own there. Who waits keeps its mask in
 * `expected`; a wake passes over those who have no bit in common with its own. A call with
 * FUTEX_PRIVATE_FLAG and one without do not meet, so the masks of the latter are in the upper half.
 */
#include "../runtime/steps.h"
#include "../runtime/trace.h"
#include "clock.h"
#include "interpose.h"

#include <errno.h>
#include <linux/futex.h>


long syscall_failed(long error);
long syscall_failed(long error)
{
	return fail((int)error);
}

static struct pending *announce_futex(unsigned kind, uint32_t *word, uint64_t pc)
{
	struct pending *p = announce(kind, word, sizeof *word, pc);

	p->flags = LP_SITE_NOVALUE | LP_SITE_FUTEX;
	return p;
}

/* Behind all who are in the queue already. */
static void queue(struct fiber *f)
{
	f->queued = ++rt->futex_turns;
}

/* Until another thread wakes this one. */
static long wait_queued(struct fiber *f, uint32_t *word, uint64_t mask, uint64_t pc)
{
	struct pending *p = announce_futex(LP_EV_WAKE, word, pc);
	struct event *e;

	p->wait = WAIT_FUTEX;
	p->expected = mask;
	if (UNLIKELY(rt->blocks))
		steps_wait(f);
	rt->blocked |= bit(f->id);
	schedule_blocked();
	e = note(f, LP_EV_WOKEN, (uint64_t)word, 0);
	e->flags |= LP_SITE_FUTEX;
	e->size = sizeof *word;
	return 0;
}

/* The same, or until it times out, or a signal comes: then leaving the queue is a step. */
static long wait_stepwise(struct fiber *f, uint32_t *word, uint64_t mask,
			  const struct timespec *until, uint64_t pc)
{
	uint32_t handlers = f->handlers;
	struct pending *p;
	unsigned kind;

	do {
		if (f->handlers != handlers)
			return syscall_failed(EINTR);
		p = announce_futex(LP_EV_WAKE, word, pc);
		p->wait = WAIT_FUTEX;
		p->attempt = until != NULL;
		p->expected = mask;
		interruptible(p, until ? BY_SIGNAL | BY_ANY_SIGNAL : BY_RESTART);
		kind = step(f)->kind;
	} while (kind == LP_EV_TIMEOUT && until && wait_again(until));
	if (kind == LP_EV_WAKE || f->woken)
		return 0;
	if (kind == LP_EV_TAKE && !until && f->anew)
		return 1;
	return syscall_failed(kind == LP_EV_TAKE ? EINTR : ETIMEDOUT);
}

/* 1: a handler has run, and the kernel makes the call anew. */
static long wait_once(uint32_t *word, uint32_t expected, uint64_t mask, const struct timespec *until)
{
	struct fiber *f = rt->cur;
	uint64_t pc = caller();
	struct pending *p;

	touch(word);
	p = announce_futex(LP_EV_WAIT, word, pc);
	p->addr2 = (uint64_t)word;
	p->compare = 1;
	p->expected = expected;
	if (step(f)->kind != LP_EV_WAIT)
		return syscall_failed(EAGAIN);
	f->woken = 0;
	queue(f);
	if (until || UNLIKELY(rt->sends))
		return wait_stepwise(f, word, mask, until, pc);
	return wait_queued(f, word, mask, pc);
}

static long wait_on(uint32_t *word, uint32_t expected, uint64_t mask, const struct timespec *until)
{
	long r;

	while ((r = wait_once(word, expected, mask, until)) > 0)
		;
	return r;
}

/* That of FUTEX_WAIT is a length, that of the other a moment. */
static long wait_timed(uint32_t *word, uint32_t expected, uint64_t mask, const struct timespec *t,
		       bool is_moment)
{
	struct timespec until;

	if (!t)
		return wait_on(word, expected, mask, NULL);
	if (!valid_time(t) || t->tv_sec < 0)
		return syscall_failed(EINVAL);
	until = is_moment ? *t : moment(time_after(time_now(), t));
	return wait_on(word, expected, mask, &until);
}

/* The thread that has waited longest and was not woken; NULL if there is none. */
static struct fiber *first_waiter(const uint32_t *word, uint64_t mask)
{
	struct fiber *first = NULL;

	for (uint64_t b = rt->blocked; b; b &= b - 1) {
		struct fiber *f = &rt->fibers[__builtin_ctzll(b)];

		if (f->pending.wait == WAIT_FUTEX && f->pending.addr == (uint64_t)word &&
		    f->pending.expected & mask && !f->woken &&
		    (!first || f->queued < first->queued))
			first = f;
	}
	return first;
}

static void wake_one(struct fiber *f)
{
	const uint32_t *clock = rt->cur->clock;

	f->woken = 1;
	if (f->pending.attempt || UNLIKELY(rt->sends))
		return;
	rt->blocked &= ~bit(f->id);
	rt->eager |= bit(f->id);
	for (unsigned i = 0; i < rt->nfibers; i++)
		if (clock[i] > f->clock[i])
			f->clock[i] = clock[i];
	time_is_after(f, rt->cur);
}

static long wake(uint32_t *word, uint32_t most, uint64_t mask)
{
	uint32_t n = 0;
	struct fiber *f;

	while (n < most && (f = first_waiter(word, mask))) {
		wake_one(f);
		n++;
	}
	return n;
}

/* A thread that is moved goes behind those in the other queue. */
static long requeue(uint32_t *word, uint32_t wakes, uint32_t moves, uint32_t *to, uint64_t mask)
{
	long n = wake(word, wakes, mask);
	struct fiber *f;

	if (word == to)
		return n;
	for (; moves && (f = first_waiter(word, mask)); moves--, n++) {
		f->pending.addr = (uint64_t)to;
		queue(f);
	}
	return n;
}

static long requeue_step(uint32_t *word, uint32_t wakes, uint32_t moves, uint32_t *to,
			 const uint32_t *expected, uint64_t mask)
{
	struct pending *p = announce_futex(LP_EV_BROADCAST, word, caller());

	p->addr2 = (uint64_t)to;
	if (expected) {
		p->compare = 1;
		p->expected = *expected;
	}
	if (step(rt->cur)->kind != LP_EV_BROADCAST)
		return syscall_failed(EAGAIN);
	return requeue(word, wakes, moves, to, mask);
}

/* What FUTEX_WAKE_OP does to the second word. */
static uint32_t operated(unsigned op, uint32_t value, uint32_t argument)
{
	switch (op) {
	case FUTEX_OP_SET:
		return argument;
	case FUTEX_OP_ADD:
		return value + argument;
	case FUTEX_OP_OR:
		return value | argument;
	case FUTEX_OP_ANDN:
		return value & ~argument;
	default:
		return value ^ argument;
	}
}

static bool compares(unsigned how, int32_t a, int32_t b)
{
	switch (how) {
	case FUTEX_OP_CMP_EQ:
		return a == b;
	case FUTEX_OP_CMP_NE:
		return a != b;
	case FUTEX_OP_CMP_LT:
		return a < b;
	case FUTEX_OP_CMP_LE:
		return a <= b;
	case FUTEX_OP_CMP_GT:
		return a > b;
	default:
		return a >= b;
	}
}

/* Of 12 bits, with a sign. */
static int32_t small(uint32_t bits)
{
	return (int32_t)(bits << 20) >> 20;
}

static long wake_step(uint32_t *word, uint32_t most, uint64_t mask)
{
	if (alone())
		return 0;
	announce_futex(LP_EV_SIGNAL, word, caller());
	step(rt->cur);
	return wake(word, most, mask);
}

/* An atomic operation on the second word, and then a wake of each. Who comes to wait between these may be woken
 * without need, as it may at any time. */
static long wake_op(uint32_t *word, uint32_t wakes, uint32_t wakes2, uint32_t *word2, uint32_t code,
		    uint64_t mask)
{
	uint32_t argument = (uint32_t)small(code >> 12 & 0xfff), old, new;
	unsigned op = code >> 28 & 7;
	struct event *e = NULL;
	long n;

	if (code >> 31)
		argument = 1u << (argument & 31);
	if (op > FUTEX_OP_XOR || (code >> 24 & 0xf) > FUTEX_OP_CMP_GE)
		return syscall_failed(ENOSYS);
	if (visible((uintptr_t)word2, sizeof *word2)) {
		announce(LP_EV_RMW, word2, sizeof *word2, caller())->flags =
			LP_SITE_ATOMIC | __ATOMIC_SEQ_CST << 4;
		e = step(rt->cur);
	}
	old = *word2;
	new = *word2 = operated(op, old, argument);
	if (e) {
		e->value[0] = old;
		e->value[1] = new;
	}
	n = wake_step(word, wakes, mask);
	if (compares(code >> 24 & 0xf, (int32_t)old, small(code & 0xfff)))
		n += wake_step(word2, wakes2, mask);
	return n;
}

static bool aligned(const uint32_t *word)
{
	return (uintptr_t)word % sizeof *word == 0;
}

static bool has_two_words(unsigned command)
{
	return command == FUTEX_REQUEUE || command == FUTEX_CMP_REQUEUE || command == FUTEX_WAKE_OP;
}

long futex_call(uint32_t *word, int op, uint32_t value, uint64_t timeout, uint32_t *word2,
		uint32_t value3)
{
	unsigned command = (unsigned)op & FUTEX_CMD_MASK;
	bool masked = command == FUTEX_WAIT_BITSET || command == FUTEX_WAKE_BITSET;
	uint64_t mask = masked ? value3 : FUTEX_BITSET_MATCH_ANY;

	if (!mask || !aligned(word) || (has_two_words(command) && !aligned(word2)))
		return syscall_failed(EINVAL);
	if (!(op & FUTEX_PRIVATE_FLAG))
		mask <<= 32;
	switch (command) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		return wait_timed(word, value, mask, (const struct timespec *)timeout, masked);
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
		return wake_step(word, value, mask);
	case FUTEX_CMP_REQUEUE:
		if (alone() && *word != value3)
			return syscall_failed(EAGAIN);
		/* fall through */
	case FUTEX_REQUEUE:
		if (alone())
			return 0;
		return requeue_step(word, value, (uint32_t)timeout, word2,
				    command == FUTEX_CMP_REQUEUE ? &value3 : NULL, mask);
	case FUTEX_WAKE_OP:
		return wake_op(word, value, (uint32_t)timeout, word2, value3, mask);
	default:
		trace_note("a futex operation that is not modelled was answered with ENOSYS");
		return syscall_failed(ENOSYS);
	}
}
