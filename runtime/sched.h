/* SPDX-License-Identifier: MIT
 *
 * What a fiber does with the scheduler: it announces its next event, and makes its step.
 */
#ifndef LP_SCHED_H
#define LP_SCHED_H

#include "call_stack.h"
#include "debug.h"
#include "state.h"

/* Did the function that was called with this slot of the stack for the return address end by jumping
 * to what runs now? */
static inline bool tail_called(const uint64_t *slot)
{
	return UNLIKELY(rt->instr.tail_sp == (uint64_t)slot) && call_stack_tail(slot);
}

/* Where a library was called whose return address is in this slot: that, or the address behind the
 * jump. */
static inline uint64_t pc_of_call(const uint64_t *slot)
{
	return tail_called(slot) ? rt->instr.tail_pc : *slot;
}

/* The same for the running hook. */
static inline uint64_t call_pc(void)
{
	return pc_of_call(rt->entry + ENTRY_PC);
}

/* Brings the context of the running fiber up to date with the functions that it was in when it called
 * with the return address in this slot. */
static inline void context_of_call(struct fiber *f, const uint64_t *slot)
{
	if (UNLIKELY(rt->instr.on))
		call_stack_context(f, (uint64_t)(slot + !tail_called(slot)));
}

static inline void context_now(struct fiber *f)
{
	context_of_call(f, rt->entry + ENTRY_PC);
}

/* Fills what all pending events have. The caller adds the rest and calls step(). */
static inline struct pending *announce(unsigned kind, const volatile void *addr, uint32_t size,
				       uint64_t pc)
{
	struct fiber *f = rt->cur;
	struct pending *p = &f->pending;

	p->kind = (uint8_t)kind;
	p->flags = p->wait = p->attempt = p->compare = p->measured = 0;
	p->own = (rt->sends & SENDS_SIGNALS) != 0; /* every step may be interrupted */
	p->interrupt = 0;
	p->size = size;
	p->addr = (uint64_t)addr;
	p->addr2 = 0;
	p->pc = pc;
	context_now(f);
	p->context = f->context;
	return p;
}

/* Is the pending event one that may be interrupted? See enum interrupt. */
static inline void interruptible(struct pending *p, unsigned how)
{
	if (UNLIKELY(rt->sends)) {
		p->own = 1;
		p->interrupt = (uint8_t)(rt->cur->no_point ? how & ~(unsigned)BY_CANCEL : how);
	}
}

/* Is there something that the fiber would take now instead of its pending event? */
bool takes(const struct fiber *f);
int signal_to_take(const struct fiber *f); /* index in rt->sent; -1 */
uint64_t takers(void); /* all that would */
struct sent sent_remove(int i); /* of rt->sent */
void sent_forget(unsigned thread); /* what was sent to one whose place another takes */

/* The pending event becomes the taking. */
void take_announced(struct fiber *f);

/* The running fiber is about to wait for these. */
void signal_waited(uint64_t set);

/* It waits for signals, and gets one if there is one now. */
void take_waited(struct fiber *f);

/* The fiber runs, and takes it; this is what it had announced. True: its call is over by that. */
bool take_sent(struct fiber *f, const struct pending *announced);

/* The running fiber is alone, at an access: it takes what has come. */
void take_at_access(void);

/* f->pending is set. Returns when it has been chosen: the event. */
struct event *step(struct fiber *f);

/* The kind that f's pending event would have now. */
int resolve_now(const struct fiber *f);
static inline int resolve(const struct fiber *f)
{
	const struct pending *p = &f->pending;

	return LIKELY(!(p->compare | p->attempt | p->wait | rt->sends)) ? p->kind : resolve_now(f);
}

/* Two events of different threads, not both in this log: does their order matter? */
bool events_conflict(const struct event *a, const struct event *b);

/* Who could run, whether it waits in a loop or not. */
uint64_t sched_enabled(void);

/* The announced event of the running fiber has crashed while it was found out what it turns out to be: it
 * has happened as it was announced. Otherwise nothing. */
void step_crashed(void);

/* The latest step has had its effect, so what it did is known now. It has not if the thread has
 * crashed in it. */
void settle_step(bool crashed);
void settle_now(void); /* on the runtime's own stack */
static inline void settle(void)
{
	if (rt->waiting.unsettled)
		settle_now();
}

#define VAIN_WARM_UP 32 /* events after news, before it pays to look for rounds in vain */
static inline bool vain_counts(const struct fiber *f, uint32_t index)
{
	return UNLIKELY(rt->loops_known) || index - f->rounds.since >= VAIN_WARM_UP;
}

struct event *note_in_child(unsigned kind); /* nothing is recorded of a child of fork */

/* An event that commutes with everything: no choice, at once. note_at: what is announced has been settled. */
struct event *note_at(struct fiber *f, unsigned kind, uint64_t addr, unsigned other, uint64_t pc,
		      uint32_t context);
static inline struct event *note(struct fiber *f, unsigned kind, uint64_t addr, unsigned other)
{
	bool nowhere = kind == LP_EV_EXIT;

	settle();
	context_now(f);
	return note_at(f, kind, addr, other, nowhere ? 0 : f->pending.pc, nowhere ? 0 : f->context);
}

void schedule_away(void) __attribute__((noreturn)); /* the running fiber is finished */
void schedule_blocked(void);                        /* it waits for an eager wake-up */

void sched_reset(void); /* before an execution */
void set_tracing(void); /* after what may change whether accesses are looked at */

/* Few bytes of the program's memory; 0 if they are not a value of a plain type. */
static inline uint64_t peek(uint64_t addr, uint32_t size)
{
	switch (size) {
	case 1:
		return *(volatile uint8_t *)addr;
	case 2:
		return *(volatile uint16_t *)addr;
	case 4:
		return *(volatile uint32_t *)addr;
	case 8:
		return *(volatile uint64_t *)addr;
	default:
		return 0;
	}
}

/* The value of a plain write is in memory once the same fiber comes back to the runtime. */
static inline void late_value(struct fiber *f)
{
	if (f->late_write != NO_EVENT) {
		struct event *e = &rt->log[f->late_write];

		f->late_write = NO_EVENT;
		e->value[e->kind == LP_EV_RMW] = peek(e->addr, e->size);
	}
}

#endif
