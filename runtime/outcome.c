/* SPDX-License-Identifier: MIT
 *
 * How an execution ends. Whatever happens to the program (it returns, exits, crashes, aborts,
 * overflows its stack, blocks for ever, never comes back) becomes the outcome of this execution,
 * and control goes to the root, which rolls back.
 */
#include "outcome.h"
#include "checkpoint.h"
#include "debug.h"
#include "memory.h"
#include "memory_errors.h"
#include "maps.h"
#include "modules.h"
#include "own_stack.h"
#include "real.h"
#include "sched.h"
#include "services.h"
#include "spinning.h"
#include "stack.h"
#include "state.h"
#include "trace.h"
#include "waiters.h"
#include "watchdog.h"

#include <signal.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

#define SIGNAL_STACK (64UL << 10)

static void record(unsigned kind, int64_t code, uint64_t pc, const char *message)
{
	struct fiber *f = rt->cur;
	uintptr_t sp = (uintptr_t)__builtin_frame_address(0);
	size_t n = 0;

	if (rt->waiting.unsettled)
		settle_step(kind == LP_OUT_CRASH);
	if (sp < f->stack_low_seen && sp >= f->stack_lo) /* a handler has another one */
		f->stack_low_seen = sp;
	rt->outcome.kind = (uint8_t)kind;
	rt->outcome.code = code;
	rt->outcome.pc = instrumentation.original(pc);
	rt->outcome.addr = 0;
	rt->outcome.before_is = 0;
	rt->outcome.thread = rt->cur->id;
	rt->outcome.context = rt->cur->context;
	if (message)
		for (; message[n] && n < sizeof rt->outcome.message - 1; n++)
			rt->outcome.message[n] = message[n];
	rt->outcome.message[n] = '\0';
	rt->ended = 1;
	debug_end(kind);
}

/* At the very instruction, where end_execution is told a return address. */
static __attribute__((noreturn)) void end_at(unsigned kind, int64_t code, uint64_t pc,
					     const char *message)
{
	record(kind, code, pc, message);
	fiber_to_root();
}

void end_execution(unsigned kind, int64_t code, uint64_t pc, const char *message)
{
	if (kind == LP_OUT_OK && !rt->no_class)
		blocks_check();
	if (pc && rt->instr.full != rt->entry &&
	    (kind == LP_OUT_ABORT || kind == LP_OUT_ASSERT || kind == LP_OUT_EXIT ||
	     kind == LP_OUT_MISUSE))
		stack_of_hook();
	end_at(kind, code, pc ? pc - 1 : 0, message);
}

void end_misuse(const volatile void *object, const char *message, const struct call_place *before,
		unsigned before_is)
{
	uint64_t pc = call_pc();

	context_now(rt->cur);
	record(LP_OUT_MISUSE, 0, pc - 1, message);
	rt->outcome.addr = (uint64_t)object;
	if (before) {
		rt->outcome.before = *before;
		rt->outcome.before_is = (uint8_t)before_is;
	}
	if (rt->instr.full != rt->entry)
		stack_of_hook();
	fiber_to_root();
}

void end_memory_error(unsigned kind, const struct fiber *f, uint64_t pc, uint32_t context,
		      uint64_t addr, const char *message)
{
	record(kind, 0, pc ? pc - 1 : 0, message);
	rt->outcome.thread = f->id;
	rt->outcome.context = context;
	rt->outcome.addr = addr;
	fiber_to_root();
}

static void refused_at(uint64_t pc, uint32_t context)
{
	const struct event e = { .kind = LP_EV_NONE, .pc = pc - 1, .context = context };

	limit_reached(LP_LIMIT_REFUSED, &e);
}

void limit_call(const char *name)
{
	struct event e = { .kind = LP_EV_NONE, .pc = call_pc() - 1 };
	uint8_t before = rt->outcome.thread;

	context_now(rt->cur);
	e.context = rt->cur->context;
	rt->outcome.thread = rt->cur->id;
	if (rt->instr.full != rt->entry)
		stack_of_hook();
	limit_named(LP_LIMIT_CALL, &e, name);
	rt->outcome.registers[STACK_SP] = 0;
	rt->outcome.thread = before;
}

void refuse(const char *format, ...)
{
	va_list args;

	if (rt->running && rt->entry) {
		context_now(rt->cur);
		refused_at(call_pc(), rt->cur->context);
	}
	va_start(args, format);
	die_args(format, args);
}

static struct {
	uint64_t pc;
	uint32_t context;
} started;

void process_started(void)
{
	context_now(rt->cur);
	started.pc = call_pc();
	started.context = rt->cur->context;
}

void refused_by_child(void)
{
	if (LIKELY(rt->status->end != LP_END_ERROR))
		return;
	rt->outcome.registers[STACK_SP] = 0; /* not where this process has ended */
	if (started.pc)
		refused_at(started.pc, started.context);
	sys1(SYS_exit_group, 2);
}

void end_no_progress(const struct fiber *stalled, unsigned why, const char *condition)
{
	record(LP_OUT_NO_PROGRESS, why, stalled->pending.pc ? stalled->pending.pc - 1 : 0, condition);
	rt->outcome.thread = stalled->id;
	rt->outcome.context = stalled->pending.context;
	fiber_to_root();
}

void abandon_execution(void)
{
	rt->no_class = 1;
	rt->broken_off = rt->late & rt->searching;
	record(LP_OUT_OK, 0, 0, NULL);
	fiber_to_root();
}

/* What some thread waits for, if that is in memory that other processes may have, too. */
static const struct fiber *waits_in_shared;

static void find_waiter(uintptr_t lo, uintptr_t hi, const char *rest)
{
	for (unsigned i = 0; rest[3] == 's' && i < rt->nfibers; i++) {
		const struct fiber *f = &rt->fibers[i];

		if (f->state == FIBER_LIVE && f->pending.wait != WAIT_JOIN && f->pending.addr >= lo &&
		    f->pending.addr < hi)
			waits_in_shared = f;
	}
}

/* Nobody here can go on, but a process that the program has started may be about to change that. */
static void end_if_shared(void)
{
	waits_in_shared = NULL;
	maps_each(find_waiter);
	if (!waits_in_shared)
		return;
	refused_at(waits_in_shared->pending.pc, waits_in_shared->pending.context);
	die("a thread waits for what another process may do with memory that they share: other "
	    "processes are not explored. Let threads of one process do it");
}

void end_blocked(void)
{
	if (rt->forked)
		end_if_shared();
	end_execution(LP_OUT_DEADLOCK, 0, 0, "every thread that is left waits for another");
}

void end_cut(void)
{
	rt->cut = 1;
	abandon_execution();
}

void end_waiting(uint64_t can)
{
	if (can & rt->waiting.too_long)
		end_cut();
	rt->judge = 1;
	/* One that was stopped in its round with a lock goes on to release it in another execution. */
	rt->waiting.redundant |= waiters_holders(can);
	end_execution(LP_OUT_LIVELOCK, 0, 0,
		      "every thread that is left is in a loop for ever");
}

/*
 * Where the program called the library in which it crashed: the innermost word of the stack that
 * points behind a call in the program's code. Library functions keep no frame pointers, and what is
 * wanted is one line, not every frame.
 */
uint64_t program_caller(uint64_t sp)
{
	const struct fiber *f = rt->cur;
	uintptr_t hi = is_aside(f, sp) ? f->aside.hi : f->stack_hi;

	if (sp < f->stack_lo)
		return 0;
	for (const uint64_t *p = (const uint64_t *)(sp & ~7UL); (uintptr_t)(p + 1) <= hi; p++) {
		const uint8_t *code = (const uint8_t *)*p;

		if (!module_is_program(*p) || !module_is_program(*p - 6))
			continue;
		if (code[-5] == 0xe8 || (code[-6] == 0xff && code[-5] == 0x15) ||
		    (code[-2] == 0xff && (code[-1] & 0x38) == 0x10) ||
		    (code[-3] == 0xff && (code[-2] & 0x38) == 0x10))
			return *p;
	}
	return 0;
}

/* Did the runtime touch memory for the program: is the fault that of what it was given? It has no
 * pointers of its own into memory that may not be there. */
static bool for_program(int sig, uintptr_t addr)
{
	const struct fiber *f = rt->cur;
	uintptr_t entry = (uintptr_t)rt->entry;
	bool own = addr >= WORKING_PLACE && addr < ARGUMENTS;

	if (rt->accessing || sig == SIGABRT)
		return true;
	return (sig == SIGSEGV || sig == SIGBUS) && !own && addr - RUNTIME_PLACE >= sizeof *rt &&
	       ((entry >= f->stack_lo && entry < f->stack_hi) || is_aside(f, entry));
}

/* Where the program's stack ends, though the runtime may be on its own. */
static uint64_t program_sp(const ucontext_t *uc)
{
	uint64_t sp = (uint64_t)uc->uc_mcontext.gregs[REG_RSP];

	return in_own_stacks(sp) ? (uint64_t)rt->entry : sp;
}

/* Not a trap of ours, but a step. */
static bool stepped(int sig, const siginfo_t *info, ucontext_t *uc)
{
	if (sig != SIGTRAP || info->si_code != TRAP_TRACE || !rt->placing)
		return false;
	if (spinning_stepped(uc)) {
		if (rt->instr.on)
			call_stack_context(rt->cur, program_sp(uc));
		stack_of_signal(uc);
		end_at(LP_OUT_ENDLESS, 0, (uint64_t)uc->uc_mcontext.gregs[REG_RIP], ENDLESS_LOOP);
	}
	return true;
}

/* The program crashed, or the runtime did while it touched memory for the program. */
static void on_crash(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	uint64_t pc = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
	uintptr_t addr = (uintptr_t)info->si_addr;
	bool by_address = (sig == SIGSEGV || sig == SIGBUS) && info->si_code > 0;
	struct text message = { 0 };
	struct fiber *f;

	uint64_t to = sig == SIGTRAP                         ? instrumentation.trap(pc - 1)
		      : sig == SIGILL && rt->config.debugger ? instrumentation.trap(pc)
							     : 0;

	if (stepped(sig, info, uc))
		return;
	if (to) {
		uc->uc_mcontext.gregs[REG_RIP] = (greg_t)to;
		return;
	}
	if (!active()) {
		struct sigaction dfl = { 0 };

		/* Not ours: let it happen again with the default action. */
		real.sigaction(sig, &dfl, NULL);
		return;
	}
	if (info->si_code <= 0 && info->si_pid && info->si_pid != (pid_t)rt->target_pid) {
		interposing.signal_from_process(sig);
		return;
	}
	f = rt->cur;
	if (rt->instr.on)
		call_stack_context(f, program_sp(uc));
	if (by_address && addr >= f->stack_lo - PAGE && addr < f->stack_lo + PAGE)
		end_at(LP_OUT_STACK_OVERFLOW, sig, in_runtime_text(pc) ? f->pending.pc - 1 : pc,
		       NULL);
	stack_of_signal(uc);
	if (in_runtime_text(pc)) {
		if (!for_program(sig, addr))
			die("internal error: signal %d at %x in the runtime, address %x, execution "
			    "%u",
			    (long)sig, (unsigned long)(pc - (uintptr_t)lp_text_lo),
			    (unsigned long)addr, (unsigned long)rt->status->executions + 1);
		step_crashed();
		pc = (rt->accessing ? f->pending.pc : call_pc()) - 1;
		/* At an access, the functions that instrumentation knows to be called are enough. */
		if (rt->accessing || rt->instr.full == rt->entry)
			rt->outcome.registers[STACK_SP] = 0;
		else
			stack_of_hook();
		rt->accessing = 0;
	}
	if (sig == SIGABRT)
		end_at(LP_OUT_ABORT, sig, pc, NULL);
	text_add(&message, "address 0x%x%c", addr, '\0');
	/* A general protection fault (an address that cannot be one) comes without the address. */
	end_at(LP_OUT_CRASH, sig, pc, by_address ? message.s : NULL);
}

/* A thread that has no event for long: endless only if nobody else could go on. */
static void on_watchdog(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	uint64_t pc = (uint64_t)uc->uc_mcontext.gregs[REG_RIP];
	unsigned hung = rt->hung;
	struct event here = { .kind = LP_EV_NONE, .flags = LP_SITE_NOVALUE };

	(void)sig;
	(void)info;
	rt->hung = 0;
	if (!active() || !hung || in_runtime_text(pc) || rt->cur->loading)
		return;
	if (hung == HUNG_LATE && !rt->searching)
		return;
	if (hung == HUNG_LATE)
		abandon_execution();
	stack_of_signal(uc);
	settle(); /* its latest step may be what others wait for */
	if (hung == HUNG_COMPUTES && !(rt->sends & SENDS_ALONE) && interposing.interrupts()) {
		/* Time is to pass in this loop (spinning.c). */
		rt->sends |= SENDS_ALONE | SENDS_SIGNALS;
		rt->need_restart = 1;
		abandon_execution();
	}
	if (hung == HUNG_COMPUTES && !waiting_allows(sched_enabled())) {
		rt->outcome.registers[STACK_SP] = 0;
		if (spinning_begin(context))
			return;
		stack_of_signal(uc);
		end_at(LP_OUT_ENDLESS, 0, pc, ENDLESS_LOOP);
	}
	here.pc = instrumentation.original(pc);
	here.context = rt->cur->context;
	rt->outcome.thread = rt->cur->id;
	limit_reached(hung == HUNG_COMPUTES ? LP_LIMIT_COMPUTES : LP_LIMIT_KERNEL, &here);
	end_cut();
}

static void on_interrupt(int sig, siginfo_t *info, void *context)
{
	double now = seconds_now();

	(void)sig;
	(void)context;
	/* The watchdog sees to it that the search ends soon. Only if that fails, one more signal ends
	 * the process without a report. */
	if (rt->stop == STOP_INTERRUPTED && now - rt->interrupted > 2)
		sys1(SYS_exit_group, 2);
	if (rt->stop != STOP_INTERRUPTED)
		rt->interrupted = now;
	if (info->si_code == SI_QUEUE && info->si_value.sival_int == LP_STOP_FOUND)
		rt->stop = STOP_FOUND;
	else
		rt->stop = STOP_INTERRUPTED;
}

bool outcome_is_interrupt(int sig)
{
	return sig == SIGINT || sig == SIGTERM || sig == SIGHUP || sig == SIGXCPU;
}

bool outcome_handles(const struct sigaction *a)
{
	return a->sa_sigaction == on_interrupt;
}

void outcome_interrupts(void)
{
	struct sigaction act = { 0 }, old;

	for (int sig = 1; sig < NSIG; sig++) {
		if (!outcome_is_interrupt(sig) || real.sigaction(sig, NULL, &old) || old.sa_handler != SIG_DFL)
			continue;
		act.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
		act.sa_sigaction = on_interrupt;
		real.sigaction(sig, &act, NULL);
	}
}

void *signal_stack_new(void)
{
	return map(working_place(SIGNAL_STACK), SIGNAL_STACK, false, false);
}

void signal_stack_take(void *memory)
{
	stack_t stack = { .ss_sp = memory, .ss_size = SIGNAL_STACK };

	sys2(SYS_sigaltstack, &stack, 0);
}

void outcome_init(void)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP };
	struct sigaction act = { 0 };

	signal_stack_take(signal_stack_new());
	act.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
	act.sa_sigaction = on_crash;
	for (unsigned i = 0; i < sizeof crashes / sizeof *crashes; i++)
		real.sigaction(crashes[i], &act, NULL);
	act.sa_sigaction = on_watchdog;
	real.sigaction(WATCHDOG_SIGNAL, &act, NULL);
}
