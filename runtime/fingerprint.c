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
#include "state.h"

#define VECTORS 256

void fingerprint_stop(struct fiber *f)
{
	uint64_t here = (uint64_t)__builtin_frame_address(0), entry = (uint64_t)rt->entry;
	bool site = rt->instr.full == rt->entry;
	uint64_t registers[SITE_REGISTERS];
	uint8_t vectors[VECTORS];
	uint32_t live;

	f->stopped.registers = 0;
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

static uint64_t pending_hash(const struct fiber *f)
{
	const struct pending *p = &f->pending;
	uint64_t h = mix(p->kind | p->flags << 8 | p->wait << 16 | p->attempt << 24,
			 p->compare | (uint64_t)p->size << 8);

	h = mix(mix(h, p->addr), p->addr2);
	h = mix(mix(h, p->expected), p->expected_high);
	return mix(h, p->pc);
}

/* How many have queued up before it. */
static unsigned turn(const struct fiber *f)
{
	unsigned n = 0;

	for (unsigned i = 0; i < rt->nfibers; i++)
		n += rt->fibers[i].queued < f->queued;
	return n;
}

static uint64_t fiber_hash(const struct fiber *f)
{
	uint64_t h = mix(f->id, f->state | f->detached << 8 | f->joined << 16 | f->joiner << 24);

	h = mix(h, f->in_op | f->parent << 8 | f->children << 16 | f->nheld << 24);
	h = mix(h, f->eligible | f->woken << 8 | (unsigned)in_destructor(f) << 16);
	h = mix(mix(h, f->allocations), (uint64_t)f->retval);
	h = mix(mix(h, turn(f)), (uint64_t)f->errno_saved);
	for (unsigned i = 0; i < f->nheld; i++)
		h = mix(h, f->held[i].addr);
	if (f->state == FIBER_START)
		return mix(mix(h, (uint64_t)f->start), (uint64_t)f->arg);
	if (f->state != FIBER_LIVE)
		return h;
	h = mix(mix(h, pending_hash(f)), f->stopped.registers);
	h = mix(mix(h, f->stopped.sp), (uint64_t)f->cleanup);
	/* The registers that were pushed, and what lies above them; other words move with sp. */
	h += hash_words(f->stopped.frame, f->stopped.frame + 8 * (ENTRY_PC - 1), NULL);
	return h + hash_words(f->stopped.sp, f->stack_hi, NULL);
}

bool fingerprint(uint64_t *sum)
{
	uint64_t h = rt->ready;

	if (rt->config.fork || rt->timed || rt->loaded || interposing.changed())
		return false;
	h = mix(mix(h, rt->blocked), rt->eager);
	h = mix(mix(h, rt->waiting.stuck | rt->waiting.delayed), rt->exiting);
	h = mix(mix(h, rt->unjoined), rt->nfibers);
	for (unsigned i = 0; i < rt->nfibers; i++)
		h += fiber_hash(&rt->fibers[i]);
	h = mix(h, signals_hash());
	h += fibers_tls_hash();
	if (!checkpoint_hash(&h) || !heap_hash(&h))
		return false;
	*sum = h;
	return true;
}
