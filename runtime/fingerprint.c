/* SPDX-License-Identifier: MIT
 *
 * The whole state of an execution at a choice, as a number: two executions with the same one go on
 * alike. It is summed up from all memory that a rollback restores, each thread's stack from its
 * stack pointer at the call or site where it stopped, the registers that are live there, and what
 * the runtime keeps about threads and their next events. Not in it is what only tells an
 * execution's past: the log, clocks, and which step a lock was acquired in.
 *
 * There is no number where a part of the state is not known: descriptors, mappings or libraries of
 * an execution, processes of their own, a program that looks at the time (which passes with steps).
 */
#include "fingerprint.h"
#include "checkpoint.h"
#include "extended.h"
#include "heap.h"
#include "objects.h"
#include "services.h"
#include "reuse.h"
#include "state.h"
#include "words.h"

#define VECTORS 256

struct kept_arguments kept_arguments;

/* They go with the thread. Which exceptions there were is no state: the runtime computes, too. */
static uint64_t rounding_modes(void)
{
	uint32_t mxcsr;
	uint16_t x87;

	__asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
	__asm__ volatile("fnstcw %0" : "=m"(x87));
	return (mxcsr & 0xffc0) | (uint64_t)x87 << 32;
}

/* The step that the fiber has made last. */
static const struct event *latest_step(const struct fiber *f)
{
	static const struct event none;

	return f->rounds.own ? &rt->log[f->rounds.own - 1] : &none;
}

/*
 * What is to come depends on what the functions of the runtime that the fiber is in have in their frames. Before the
 * first step of a call, that follows from its arguments; before later ones, also from what came of the
 * earlier ones. Where it is not known to be told from little, it is not told.
 */
static bool told_inside(struct fiber *f, bool site)
{
	const struct event *before = latest_step(f);
	const struct pending *p = &f->pending;
	unsigned n = f->stopped.steps;

	if (p->kind == LP_EV_EXIT_ALL) { /* nothing more is to come; but others may look at its stack */
		f->stopped.frame = f->stopped.sp = f->stack_hi;
		return !f->shared_stack;
	}
	if (n == 1) {
		for (unsigned i = 0; i < 6 && !site; i++)
			f->stopped.inside = mix(f->stopped.inside, kept_arguments.registers[i]);
		return true;
	}
	f->stopped.inside = mix(f->stopped.inside, before->kind);
	if (site) { /* an instruction that reads, and then writes */
		f->stopped.inside = mix(f->stopped.inside, before->value[0]);
		return n == 2 && before->kind == LP_EV_READ && before->pc == p->pc && before->addr == p->addr &&
		       before->size == p->size && !(before->flags & LP_SITE_NOVALUE);
	}
	switch (p->kind) {
	case LP_EV_BARRIER_LEAVE:
		return n == 2;
	case LP_EV_WAKE:
		return n == 2 && p->wait == WAIT_COND;
	case LP_EV_LOCK: /* again, after a wait for a condition; or a writer has come */
		return (n == 3 && p->wait == WAIT_MUTEX &&
			(before->kind == LP_EV_WAKE || before->kind == LP_EV_TIMEOUT)) ||
		       (n == 2 && p->wait == WAIT_WRLOCK && before->kind == LP_EV_ARRIVE);
	default:
		return false;
	}
}

static void stop_inside(struct fiber *f, bool announced, bool site)
{
	if (kept_arguments.fresh) {
		f->stopped.steps = 1;
		f->stopped.inside = 1;
	} else if (announced) {
		f->stopped.steps++;
	} else {
		return;
	}
	f->stopped.told = told_inside(f, site);
	kept_arguments.fresh = 0;
}

static void stop_outside(struct fiber *f, bool site)
{
	uint64_t here = (uint64_t)__builtin_frame_address(0), entry = (uint64_t)rt->entry;
	uint64_t registers[SITE_REGISTERS];
	uint8_t vectors[VECTORS];
	uint32_t live;

	f->stopped.registers = rounding_modes();
	/* What was left by an earlier call, which has returned, is below. */
	if (entry < here || entry >= f->stack_hi) {
		f->stopped.frame = f->stopped.sp = here;
		return;
	}
	f->stopped.frame = entry + 8;
	f->stopped.sp = entry + 8 * (ENTRY_SP + (site ? rt->instr.skip : 0));
	if (!site)
		return;
	instrumentation.registers(rt->instr.site, rt->entry, registers);
	live = instrumentation.live(rt->instr.site);
	for (unsigned i = 0; i < SITE_REGISTERS; i++)
		if (i == 16 || live >> i & 1)
			f->stopped.registers = mix(f->stopped.registers, registers[i]);
	if (!(live & SITE_VECTORS))
		return;
	vectors_copy(vectors);
	f->stopped.registers += hash_words((uintptr_t)vectors, (uintptr_t)vectors + VECTORS, NULL);
}

void fingerprint_stop(struct fiber *f, bool announced)
{
	bool site = rt->instr.full == rt->entry;

	stop_outside(f, site);
	if (!rt->keeps_arguments)
		return;
	stop_inside(f, announced, site);
	if (is_aside(f, (uintptr_t)rt->entry))
		f->stopped.told = false; /* what is on the other stack is not looked at */
	if (site && !extended_is_small(instrumentation.live(rt->instr.site) & SITE_VECTORS))
		f->stopped.told = false;
}

static uint64_t pending_hash(const struct fiber *f)
{
	const struct pending *p = &f->pending;
	uint64_t h = hash_part(p->kind | p->flags << 8 | p->wait << 16 | (uint64_t)p->attempt << 24,
			       p->compare | (uint64_t)p->size << 8 | (uint64_t)p->own << 40 |
				       (uint64_t)p->interrupt << 48);

	h = hash_part(hash_part(h, p->addr), p->addr2);
	h = hash_part(hash_part(h, p->expected), p->expected_high);
	return hash_part(h, p->pc);
}

/* How many have queued up before it. */
static unsigned turn(const struct fiber *f)
{
	unsigned n = 0;

	for (unsigned i = 0; i < rt->nfibers; i++)
		n += rt->fibers[i].queued < f->queued;
	return n;
}

/* What threads are told by the functions that ask for it. */
static uint64_t attributes_hash(uint64_t h, const struct fiber *f)
{
	h = hash_part(h, (uint64_t)f->policy << 32 | (uint32_t)f->priority);
	h = hash_part(hash_part(h, f->random), f->named | (uint64_t)f->ncpus << 8 | (uint64_t)f->lives << 16);
	h = hash_part(h, f->alternate.size);
	h = hash_part(hash_part(h, f->alternate.lo), (uint64_t)f->alternate.flags);
	for (unsigned i = 0; f->named && i < sizeof f->name; i++)
		h = hash_part(h, (uint8_t)f->name[i]);
	for (unsigned i = 0; i < f->ncpus; i++)
		h = hash_part(h, f->cpus[i]);
	return h;
}

static uint64_t fiber_hash(const struct fiber *f)
{
	uint64_t h = hash_part(f->id, f->state | (uint64_t)f->detached << 8 | (uint64_t)f->joined << 16 |
					      (uint64_t)f->joiner << 24);

	h = hash_part(h, f->in_op | (uint64_t)f->parent << 8 | (uint64_t)f->children << 16 |
				 (uint64_t)f->nheld << 24);
	h = hash_part(h, f->eligible | (uint64_t)f->woken << 8 | (uint64_t)in_destructor(f) << 16 |
				 (uint64_t)f->spurious << 24 | (uint64_t)f->ending << 32 |
				 (uint64_t)(f->arrival != 0) << 40);
	h = hash_part(hash_part(h, f->allocations), (uint64_t)f->retval);
	h = hash_part(hash_part(h, turn(f)), (uint64_t)f->errno_saved);
	for (unsigned i = 0; i < f->nheld; i++)
		h = hash_part(h, f->held[i].addr);
	h = attributes_hash(h, f);
	if (f->state == FIBER_START)
		return hash_part(hash_part(h, (uint64_t)f->start), (uint64_t)f->arg);
	if (f->state != FIBER_LIVE)
		return h;
	h = hash_part(hash_part(h, pending_hash(f)), f->stopped.registers);
	h = hash_part(h, rt->keeps_arguments ? f->stopped.inside : 0);
	h = hash_part(hash_part(h, f->stopped.sp), (uint64_t)f->cleanup);
	h = hash_part(hash_part(h, (uint64_t)f->routines), (uint64_t)f->once);
	/* The registers that were pushed, and what lies above them; other words move with sp. */
	if (f->stopped.frame < f->stack_hi)
		h += hash_words(f->stopped.frame, f->stopped.frame + 8 * (ENTRY_PC - 1), NULL);
	return h + hash_words(f->stopped.sp, f->stack_hi, NULL);
}

bool fingerprint_is_whole(void)
{
	for (unsigned i = 0; i < rt->nfibers; i++)
		if (rt->fibers[i].state == FIBER_LIVE && !rt->fibers[i].stopped.told)
			return false;
	return true;
}

bool fingerprint(struct state_sum *sum)
{
	uint64_t h = 0;

	if (rt->config.fork || rt->timed || rt->loaded || interposing.changed())
		return false;
	words_begin();
	h = hash_part(hash_part(hash_part(h, rt->ready), rt->blocked), rt->eager);
	h = hash_part(hash_part(h, rt->waiting.stuck | rt->waiting.delayed), rt->exiting);
	h = hash_part(hash_part(h, rt->unjoined), rt->nfibers | (uint64_t)rt->freed << 32);
	for (unsigned i = 0; i < rt->nfibers; i++)
		h += hash_word(i, fiber_hash(&rt->fibers[i]));
	h = hash_part(h, signals_hash());
	h = hash_part(h, reuse_hash());
	h += fibers_tls_hash();
	if (!checkpoint_hash(&h) || !heap_hash(&h))
		return false;
	sum->a = h;
	sum->b = fold(words.second ^ 0x9e3779b97f4a7c15ULL, h ^ 0xd1342543de82ef95ULL) ^ words.second;
	return true;
}
