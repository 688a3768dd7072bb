/* SPDX-License-Identifier: MIT
 *
 * Taking what was sent to a thread, a signal or a cancellation: who does, and what is kept meanwhile of the
 * step that it has announced (interpose/sending.c).
 */
#include "extended.h"
#include "objects.h"
#include "sched.h"
#include "services.h"
#include "unseen.h"

static bool meant(const struct fiber *f, uint64_t set)
{
	return f->state != FIBER_FINISHED && !(f->mask & ~f->handling & set);
}

/* A signal for the process is taken by the first thread that does not block it, but for handlers: that one
 * returns is no step, so it cannot change who is meant. */
static bool first_without(const struct fiber *f, uint64_t set)
{
	for (unsigned i = 0; i < f->id; i++)
		if (meant(&rt->fibers[i], set))
			return false;
	return true;
}

int signal_to_take(const struct fiber *f)
{
	int first = -1;

	for (uint32_t i = 0; i < rt->nsent; i++) {
		uint64_t set = bit(rt->sent[i].signal - 1U);

		if (f->pending.wait == WAIT_SIGNAL && f->pending.expected & set)
			continue;
		if (!(f->mask & set) &&
		    (rt->sent[i].to == f->id ||
		     (rt->sent[i].to == SENT_TO_PROCESS && first_without(f, set))) &&
		    sent_before((int)i, first))
			first = (int)i;
	}
	return first;
}

bool takes(const struct fiber *f)
{
	const struct pending *p = &f->pending;

	if (f->cancelled && !f->cancel_off && !f->ending &&
	    (p->interrupt & BY_CANCEL || f->cancel_async))
		return true;
	return rt->nsent && signal_to_take(f) >= 0;
}

uint64_t takers(void)
{
	uint64_t set = 0;

	for (uint64_t s = rt->ready | rt->blocked; s; s &= s - 1)
		if (takes(&rt->fibers[__builtin_ctzll(s)]))
			set |= s & -s;
	return set;
}

struct sent sent_remove(int i)
{
	struct sent s = rt->sent[i];

	for (rt->nsent--; (uint32_t)i < rt->nsent; i++)
		rt->sent[i] = rt->sent[i + 1];
	return s;
}

void sent_forget(unsigned thread)
{
	for (int i = (int)rt->nsent; i-- > 0;)
		if (rt->sent[i].to == thread)
			sent_remove(i);
}

/* Who waits for a signal of a condition, or in the queue of a futex, leaves it or may. */
static uint64_t left_by_taking(const struct pending *p)
{
	return p->wait == WAIT_COND ? p->addr : p->wait == WAIT_FUTEX ? lp_futex_queue(p->addr) : 0;
}

/* POSIX does not say which of several threads gets a signal. Linux prefers the main thread. */
static void others_not_tried(uint64_t waited, uint64_t handled)
{
	if (waited & handled)
		unseen("a signal to the process is waited for by one thread and not blocked by "
		       "another: "
		       "not each order in which they may get it is explored",
		       NULL);
}

void signal_waited(uint64_t set)
{
	rt->signals_waited |= set;
	others_not_tried(set, rt->signals_handled);
}

static void signal_handled(const struct fiber *f, uint64_t set)
{
	rt->signals_handled |= set;
	others_not_tried(rt->signals_waited, set);
	for (unsigned i = f->id + 1U; f->id && i < rt->nfibers; i++)
		if (meant(&rt->fibers[i], set)) {
			unseen("a signal to the process is blocked by the main thread, but not by "
			       "several "
			       "others: only that the first of them gets it is explored",
			       NULL);
			return;
		}
}

void take_announced(struct fiber *f)
{
	struct pending *p = &f->pending;
	int i = signal_to_take(f);

	p->own = OWN_READS;
	if (i >= 0 && rt->sent[i].to == SENT_TO_PROCESS) {
		p->own = OWN_TAKES;
		signal_handled(f, bit(rt->sent[i].signal - 1U));
	}
	p->kind = LP_EV_TAKE;
	p->flags = LP_SITE_NOVALUE;
	p->addr2 = left_by_taking(p);
	p->wait = p->attempt = p->compare = 0;
	p->size = 1;
	p->addr = SENT_THREAD(f);
}

void take_waited(struct fiber *f)
{
	int i = sent_to(f, f->pending.expected);

	if (i < 0 || rt->sent[i].to != SENT_TO_PROCESS)
		return;
	f->pending.own = OWN_TAKES;
	/* Where another thread does not block it either, it loses what it would have taken. */
	for (unsigned k = 0; k < rt->nfibers; k++)
		if (&rt->fibers[k] != f && meant(&rt->fibers[k], bit(rt->sent[i].signal - 1U)))
			f->pending.addr2 = SENT_PROCESS;
}

/* The running fiber has taken what was sent to it: a handler runs, or it ends. What the runtime keeps of
 * its entry is the handler's meanwhile. */
bool take_sent(struct fiber *f, const struct pending *announced)
{
	struct instr instr = rt->instr;
	uint64_t *entry = rt->entry;
	uint8_t area[EXTENDED_AREA + 64] __attribute__((aligned(64)));
	bool site = instr.full == entry, over;

	callback_interrupts(f, announced);
	if (site)
		extended_keep(area);
	rt->instr.full = NULL;
	over = interposing.taken(announced->interrupt);
	settle();
	rt->instr.full = instr.full;
	rt->instr.site = instr.site;
	rt->instr.skip = instr.skip;
	rt->instr.element = instr.element;
	rt->instr.frame = instr.frame;
	rt->instr.tail_pc = instr.tail_pc;
	rt->instr.tail_sp = instr.tail_sp;
	call_stack_jumped();
	rt->instr.resume = instr.resume;
	rt->instr.addr = instr.addr;
	rt->instr.rax = instr.rax;
	rt->instr.rcx = instr.rcx;
	rt->instr.rdx = instr.rdx;
	rt->instr.flags = instr.flags;
	if (site)
		extended_bring(area);
	rt->entry = entry;
	f->pending = *announced;
	context_now(f);
	return over;
}

void take_at_access(void)
{
	struct fiber *f = rt->cur;
	struct pending announced = f->pending;
	uint64_t *full = rt->instr.full;

	announced.interrupt = 0;
	announced.wait = WAIT_NOT;
	f->pending = announced;
	rt->instr.full = rt->entry; /* the program needs its vector registers */
	while (signal_to_take(f) >= 0)
		take_sent(f, &announced);
	rt->instr.full = full;
}
