/* SPDX-License-Identifier: MIT
 *
 * Futexes, by which libraries make locks of their own: syscall(SYS_futex, ...). Waiting is a step
 * that reads the word and, if it is as expected, queues; waking is one that lets the first in the
 * queue go, as the kernel does. Both are taken to write the word, so that they are ordered with
 * everything that touches it.
 *
 * FUTEX_WAIT, WAIT_BITSET (of all bits), WAKE, WAKE_BITSET, REQUEUE, CMP_REQUEUE. A timed wait may
 * time out at any time.
 */
#include "interpose.h"

#include <errno.h>
#include <linux/futex.h>

long syscall_failed(long error);
long syscall_failed(long error)
{
	*real.errno_location() = (int)error;
	return -1;
}

static struct event *word_step(unsigned kind, uint32_t *word, uint64_t pc)
{
	announce(kind, word, sizeof *word, pc)->flags = LP_SITE_NOVALUE;
	return step(rt->cur);
}

static long wait_on(uint32_t *word, uint32_t expected, bool timed)
{
	struct fiber *f = rt->cur;
	uint64_t pc = caller();
	struct pending *p = announce(LP_EV_WAIT, word, sizeof *word, pc);

	p->flags = LP_SITE_NOVALUE;
	p->addr2 = (uint64_t)word;
	p->compare = 1;
	p->expected = expected;
	if (step(f)->kind != LP_EV_WAIT)
		return syscall_failed(EAGAIN);
	f->woken = 0;
	p = announce(LP_EV_WAKE, word, sizeof *word, pc);
	p->flags = LP_SITE_NOVALUE;
	p->wait = WAIT_FUTEX;
	p->attempt = timed;
	if (step(f)->kind != LP_EV_WAKE) {
		f->timeouts = 1;
		return syscall_failed(ETIMEDOUT);
	}
	f->timeouts = 0;
	return 0;
}

/* The one that has waited longest and was not woken, NULL if there is none. */
static struct fiber *first_waiter(const uint32_t *word)
{
	struct fiber *first = NULL;

	for (uint64_t b = rt->blocked; b; b &= b - 1) {
		struct fiber *f = &rt->fibers[__builtin_ctzll(b)];

		if (f->pending.wait == WAIT_FUTEX && f->pending.addr == (uint64_t)word &&
		    !f->woken && (!first || f->last_event < first->last_event))
			first = f;
	}
	return first;
}

static long wake(uint32_t *word, uint32_t most)
{
	uint32_t n = 0;
	struct fiber *f;

	while (n < most && (f = first_waiter(word))) {
		f->woken = 1;
		n++;
	}
	return n;
}

static long requeue(uint32_t *word, uint32_t wakes, uint32_t moves, uint32_t *to)
{
	long n = wake(word, wakes);
	struct fiber *f;

	for (; moves && (f = first_waiter(word)); moves--, n++)
		f->pending.addr = (uint64_t)to;
	return n;
}

long i_futex(long number, uint32_t *word, int op, uint32_t value, uint64_t timeout,
	     uint32_t *word2);
long i_futex(long number, uint32_t *word, int op, uint32_t value, uint64_t timeout, uint32_t *word2)
{
	uint32_t value3 = (uint32_t)rt->entry[ENTRY_SP];

	(void)number;
	switch (op & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		return wait_on(word, value, timeout != 0);
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
		if (alone())
			return 0;
		word_step(LP_EV_SIGNAL, word, caller());
		return wake(word, value);
	case FUTEX_CMP_REQUEUE:
	case FUTEX_REQUEUE:
		if (alone())
			return 0;
		word_step(LP_EV_BROADCAST, word, caller());
		if ((op & FUTEX_CMD_MASK) == FUTEX_CMP_REQUEUE && *word != value3)
			return syscall_failed(EAGAIN);
		return requeue(word, value, (uint32_t)timeout, word2);
	default:
		trace_note("a futex operation that is not modelled was answered with ENOSYS");
		return syscall_failed(ENOSYS);
	}
}
