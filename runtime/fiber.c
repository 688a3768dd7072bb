/* SPDX-License-Identifier: MIT
 *
 * Fibers: the program's threads as stacks inside one real thread. Each has the thread-local storage
 * of a donor (donors.c).
 *
 * Stacks are at fixed addresses and are wiped between executions: what a program reads from its
 * stack without having written it is at least the same in every execution.
 */
#include "fiber.h"
#include "carriers.h"
#include "donors.h"
#include "explore.h"
#include "extended.h"
#include "fingerprint.h"
#include "heap.h"
#include "maps.h"
#include "memory.h"
#include "memory_errors.h"
#include "modules.h"
#include "names.h"
#include "own_stack.h"
#include "owners.h"
#include "real.h"
#include "sched.h"
#include "services.h"
#include "share.h"
#include "steps.h"
#include "twins.h"

#include <sys/mman.h>

#define WIPE_CHUNK      512 /* whole lines of lines_zero */
#define WIPE_CLEAN      2048 /* below this much that is zero, nothing was used */
#define STACK_TOP       64 /* bytes of a stack above its first frame */

static size_t stack_mapped[MAX_FIBERS]; /* bytes of the stack; 0: it has none */
static bool stacks_executable; /* for functions inside functions, as gcc compiles them */

/* What looks for pointers on main's stack goes up to where libc says that it begins. */
static void move_stack_end(void)
{
	void **end = real.dlsym(NULL, "__libc_stack_end");
	uintptr_t page = (uintptr_t)end & ~(PAGE - 1);

	if (!end || sys3(SYS_mprotect, page, PAGE, PROT_READ | PROT_WRITE) < 0)
		return;
	*end = (void *)(STACK_END(0) - STACK_TOP);
}

/* As the loader has left the stack of the process: it knows which modules ask for it. */
static void look_at_stack(uintptr_t lo, uintptr_t hi, const char *rest)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (here >= lo && here < hi)
		stacks_executable = rest[2] == 'x';
}

void fibers_init(void)
{
	map(OWN_STACKS, MAX_FIBERS * OWN_STACK, true, false);
	for (unsigned i = 0; i < MAX_FIBERS; i++)
		sys3(SYS_mprotect, OWN_STACKS + i * OWN_STACK, PAGE, PROT_NONE);
	move_stack_end();
	maps_each(look_at_stack);
	donors_init();
}

static void stack_map(struct fiber *f, const struct stack_asked *asked)
{
	size_t size = MAIN_STACK, *mapped = &stack_mapped[f->id];

	f->given_stack = asked && asked->base && asked->size >= GIVEN_LEAST;
	if (f->given_stack) {
		f->stack_lo = asked->base;
		f->stack_hi = (asked->base + asked->size) & ~15UL;
		rt->given_stacks = 1;
		return;
	}
	if (asked && asked->size > size)
		size = round_up(asked->size, PAGE);
	f->stack_hi = STACK_END(f->id);
	f->stack_lo = f->stack_hi - size;
	if (*mapped == size)
		return;
	if (*mapped)
		sys2(SYS_munmap, f->stack_hi - *mapped - PAGE, *mapped + PAGE);
	map(f->stack_lo - PAGE, size + PAGE, true, false);
	if (stacks_executable)
		sys3(SYS_mprotect, f->stack_lo, size, PROT_READ | PROT_WRITE | PROT_EXEC);
	sys3(SYS_mprotect, f->stack_lo - PAGE, PAGE, PROT_NONE);
	*mapped = size;
}

static void prepare(struct fiber *f, void *(*start)(void *), void *arg,
		    const struct stack_asked *asked)
{
	struct environment floating = environment_now();
	uint64_t *sp;

	f->fs = donor_fs(f->id);
	f->handle = f->fs;
	stack_map(f, asked);
	heap_window(f->id);
	f->stack_low_seen = f->stack_hi;
	f->start = start;
	f->arg = arg;
	f->late_write = f->last_event = NO_EVENT;
	f->state = FIBER_START;
	f->shared_stack = rt->shared_stack[f->id] != NULL;
	if (rt->instr.on) {
		call_stack_reset(f);
		extended_reset(f);
		instrumentation.fiber_begins(f->id);
	}
	/* The floating-point environment is that of the thread which makes it (C11 7.26.5.1). Main has the modes that
	 * constructors have left, but no exceptions: those may be the runtime's. */
	if (f->id == 0)
		environment_clear(&floating);
	/* What switch_stack pops: that environment, six registers, the return address. The thunk's
	 * call then finds the stack aligned. */
	sp = (uint64_t *)((f->stack_hi & ~63UL) - STACK_TOP);
	*--sp = (uint64_t)fiber_entry_thunk;
	for (int i = 0; i < 6; i++)
		*--sp = 0;
	__builtin_memcpy(--sp, &floating, sizeof *sp);
	f->sp = sp;
}

void fibers_reset(void)
{
	unsigned looked_at = rt->nfibers < MAX_FIBERS ? rt->nfibers + 1U : MAX_FIBERS;
	struct fiber *f;

	fibers_no_late_tls();
	for (unsigned i = 0; i < rt->nfibers; i++) {
		f = &rt->fibers[i];
		zero(f, __builtin_offsetof(struct fiber, clock));
		zero(f->clock, looked_at * sizeof f->clock[0]);
		f->id = (uint8_t)i;
	}
	f = &rt->fibers[0];
	rt->given_stacks = 0;
	prepare(f, NULL, NULL, NULL);
	f->state = FIBER_LIVE;
	rt->nfibers = 1;
}

/* There are no more places: that of a thread which has ended, if the running one knows. Then all that
 * the old one did happens before what the new one does, as if it were one thread. */
static struct fiber *place_of_ended(void)
{
	for (unsigned i = 1; i < rt->nfibers; i++) {
		struct fiber *f = &rt->fibers[i];

		if (f->state == FIBER_FINISHED && (f->joined || f->detached) && !f->joiner &&
		    rt->cur->clock[i] >= f->seq && !owner_of_any(i))
			return f;
	}
	return NULL;
}

static struct fiber *in_place_of(struct fiber *f)
{
	struct fiber old = *f;

	zero(f, __builtin_offsetof(struct fiber, clock));
	f->id = old.id;
	f->parent = old.parent;
	f->seq = f->before = old.seq;
	f->allocations = old.allocations;
	f->lives = (uint8_t)(old.lives + 1);
	f->born = rt->n;
	donor_reset(f->id);
	sent_forget(f->id);
	f->rounds.counting = 1;
	vain_again(f);
	return f;
}

struct wanted {
	void *(*start)(void *);
	void *arg;
	bool detached;
	const struct stack_asked *asked;
};

static void *new_here(void *thread)
{
	const struct wanted *w = thread;
	struct fiber *f = &rt->fibers[rt->nfibers];
	bool again = rt->nfibers >= MAX_FIBERS;

	settle();
	if (again) {
		f = place_of_ended();
		if (!f)
			refuse("the program has more than %u threads that have not ended, or of which "
			    "the one that creates the next cannot know that they have (join them)",
			    (unsigned long)MAX_FIBERS - 1);
		in_place_of(f);
	} else {
		if (rt->nfibers >= donors_n()) {
			rt->need_again = rt->need_donors = 1;
			abandon_execution();
		}
		f->id = (uint8_t)rt->nfibers++;
		f->parent = rt->cur->id;
		rt->cur->children++;
	}
	f->detached = w->detached;
	prepare(f, w->start, w->arg, w->asked);
	for (unsigned i = 0; i < rt->nfibers; i++) {
		if (i == f->id) {
			f->clock[i] = f->seq;
			continue;
		}
		if (!again)
			rt->fibers[i].clock[f->id] = 0;
		f->clock[i] = rt->cur->clock[i];
	}
	f->now = rt->cur->now;
	f->busy = rt->cur->busy;
	f->mask = rt->cur->mask;
	if (again)
		return f;
	/* Nothing in the log so far is after one of its steps. */
	for (uint32_t i = 0; i < rt->n; i++)
		rt->clocks[i][f->id] = 0;
	names_thread(f->id);
	return f;
}

struct fiber *fiber_new(void *(*start)(void *), void *arg, bool detached,
			const struct stack_asked *asked)
{
	struct wanted w = { start, arg, detached, asked };

	return on_own_stack(new_here, &w);
}

struct fiber *fiber_to_join(uint64_t handle)
{
	for (unsigned i = 0; i < rt->nfibers; i++)
		if (rt->fibers[i].handle == handle)
			return &rt->fibers[i];
	return NULL;
}

struct fiber *fiber_of(uint64_t handle)
{
	struct fiber *f = fiber_to_join(handle);

	if (f)
		twin_asks(f);
	return f;
}

void fiber_has_no_room(void)
{
	refuse("a handler on an alternate stack has less than %u bytes of that left, which the runtime needs: make "
	       "the stack larger (sigaltstack)",
	       (unsigned long)ASIDE_LEAST);
}

static void become(struct fiber *to)
{
	rt->cur = to;
	rt->instr.frame = to->frame;
	rt->instr.tail_room = to->frames + CALL_FRAMES;
	rt->stack_lo = to->stack_lo;
	set_tracing();
	if (!fibers_share_tls())
		donor_use(to->fs);
}

void fiber_switch(struct fiber *to)
{
	struct fiber *from = rt->cur;
	uint64_t *full = rt->instr.full, *entry = rt->entry;

	from->frame = rt->instr.frame;
	from->tail_pc = rt->instr.tail_pc;
	from->tail_sp = rt->instr.tail_sp;
	if (full)
		extended_save(from);
	else
		extended_left_in_call();
	rt->instr.full = NULL;
	if (fibers_share_tls()) {
		int *e = real.errno_location();

		from->errno_saved = *e;
		*e = to->errno_saved;
	}
	become(to);
	if (UNLIKELY(fibers_have_threads()))
		carrier_switch(from, to);
	else
		switch_stack(&from->sp, to->sp);
	kept_arguments.fresh = 0; /* those were another fiber's */
	rt->entry = entry;
	if (full)
		extended_restore(from);
	else
		extended_back_in_call();
	rt->instr.tail_pc = from->tail_pc;
	rt->instr.tail_sp = from->tail_sp;
	call_stack_jumped();
	rt->instr.full = full;
}

void fiber_run_main(void)
{
	become(&rt->fibers[0]);
	if (rt->instr.on)
		extended_begin();
	rt->running = 1;
	switch_stack(&rt->root_sp, rt->fibers[0].sp);
	if (UNLIKELY(fibers_have_threads()))
		carriers_gather();
}

void fiber_to_root(void)
{
	void *unused;

	rt->running = 0;
	rt->tracing = rt->looking = 0;
	rt->instr.full = NULL;
	donor_use(rt->root_fs);
	if (UNLIKELY(fibers_have_threads()))
		carrier_to_root(rt->cur);
	switch_stack(&unused, rt->root_sp);
	__builtin_unreachable();
}

/* Where a fiber begins (called by fiber_entry_thunk). */
void fiber_main(void)
{
	struct fiber *f = rt->cur;

	extended_back_in_call();
	kept_arguments.fresh = 0;
	f->state = FIBER_LIVE;
	f->rounds.top = (uintptr_t)__builtin_frame_address(0);
	__asm__ volatile("movq %%rsp, %0" : "=r"(f->outermost));
	if (f->id == 0) {
		int status = run_program_main();

		memory_main_returned();
		interposing.program_end(status, 0);
	}
	fiber_finish((void *)call_program((uint64_t)f->start, (uint64_t)f->arg, 0, 0));
}

/* Have all others ended? Then f is what they were before. */
static bool last_thread(struct fiber *f)
{
	for (unsigned i = 0; i < rt->nfibers; i++)
		if (&rt->fibers[i] != f && rt->fibers[i].state != FIBER_FINISHED)
			return false;
	settle();
	for (unsigned i = 0; i < rt->nfibers; i++) {
		const struct fiber *other = &rt->fibers[i];

		for (unsigned k = 0; k < rt->nfibers; k++)
			if (other->clock[k] > f->clock[k])
				f->clock[k] = other->clock[k];
		time_is_after(f, other);
	}
	return true;
}

static __attribute__((noreturn)) void go_on_at(uintptr_t stack, void (*function)(void))
{
	__asm__ volatile("movq %0, %%rsp\n\txorl %%ebp, %%ebp\n\tcall *%1"
			 :
			 : "r"(stack), "r"(function)
			 : "memory");
	__builtin_unreachable();
}

static __attribute__((noreturn)) void finish(void)
{
	struct fiber *f = rt->cur;

	interposing.thread_ends();
	if (UNLIKELY(rt->blocks == BLOCKS_LOCK))
		steps_leave(f);
	share_ends();
	if (last_thread(f))
		go_on_at((f->stack_hi & ~63UL) - STACK_TOP, interposing.last_thread_end);
	f->state = FIBER_FINISHED;
	rt->ready &= ~bit(f->id);
	rt->blocked &= ~bit(f->id);
	settle();
	note(f, LP_EV_EXIT, 0, 0);
	if (f->joiner && LIKELY(!rt->sends))
		rt->eager |= bit(f->joiner - 1U);
	schedule_away();
}

/* Others may use what is on its stack up to the last step, which must not be in the way. */
void fiber_finish(void *retval)
{
	struct fiber *f = rt->cur;

	interposing.thread_at_exit();
	f->retval = retval;
	if (LIKELY(!f->shared_stack || !f->id))
		finish();
	if (!f->last_stack)
		f->last_stack = memory_get(STACK_RESERVE);
	go_on_at((uintptr_t)f->last_stack + STACK_RESERVE - STACK_TOP, finish);
}

static struct fiber *by_given_stack(uintptr_t addr)
{
	for (unsigned i = 0; i < rt->nfibers; i++) {
		struct fiber *f = &rt->fibers[i];

		if (f->given_stack && f->state != FIBER_FINISHED && addr >= f->stack_lo &&
		    addr < f->stack_hi)
			return f;
	}
	return NULL;
}

struct fiber *fiber_by_stack(uintptr_t addr)
{
	uintptr_t id = (addr - STACK_BASE) / STACK_STRIDE;

	if (!in_stacks(addr))
		return UNLIKELY(rt->given_stacks) ? by_given_stack(addr) : NULL;
	if (!stack_mapped[id])
		return NULL;
	return addr >= STACK_END(id) - stack_mapped[id] - PAGE ? &rt->fibers[id] : NULL;
}

void fibers_wipe_stacks(void)
{
	for (unsigned i = 0; i < rt->nfibers; i++) {
		struct fiber *f = &rt->fibers[i];
		uintptr_t lo = f->stack_low_seen & ~(WIPE_CHUNK - 1UL);

		if (!f->stack_hi || f->given_stack)
			continue;
		while (lo - WIPE_CLEAN >= f->stack_lo && !lines_zero(lo - WIPE_CLEAN, lo))
			lo -= WIPE_CHUNK;
		if (lo - WIPE_CLEAN < f->stack_lo)
			lo = f->stack_lo;
		if (f->stack_hi - lo > 256 << 10)
			sys3(SYS_madvise, f->stack_lo, f->stack_hi - f->stack_lo, MADV_DONTNEED);
		else
			zero((void *)lo, f->stack_hi - lo);
	}
}
