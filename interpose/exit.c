/* SPDX-License-Identifier: MIT
 *
 * The end of the process, in all its forms, is the end of an execution: main returns, exit,
 * quick_exit, the last thread ends. Handlers are kept and run here.
 */
#include "../runtime/checkpoint.h"
#include "../runtime/modules.h"
#include "../runtime/output.h"
#include "../runtime/unseen.h"
#include "interpose.h"
#include "stream_lock.h"

#include <elf.h>
#include <errno.h>
#include <link.h>

#define MAX_FINIS 64

struct program_state program_state;
bool program_state_changed;


/* The process ends here. It is a step if there are threads that were not joined, whether or not
 * they have finished: the same steps in another order must stay the same steps. */
static __attribute__((noreturn)) void end(int status, uint64_t pc)
{
	/* If main has ended by pthread_exit, any other thread is the last. */
	bool other_thread = rt->cur->id != 0 && rt->fibers[0].state != FIBER_FINISHED;

	if (rt->tracing) {
		announce(LP_EV_EXIT_ALL, NULL, 0, pc)->expected = (uint64_t)status;
		step(rt->cur);
	}
	status &= 0xff;
	if (status || other_thread)
		end_execution(LP_OUT_EXIT, status, pc, NULL);
	end_execution(LP_OUT_OK, 0, 0, NULL);
}

/* The latest that was registered first. Handlers may register more, or call exit() themselves. Those of
 * libraries of the system that were registered before main belong to the real end. */
static void run_handlers(bool quick, int status)
{
	for (unsigned i; (i = program_state.nat_exits);) {
		struct at_exit a = program_state.at_exits[--i];

		program_state.nat_exits = i;
		program_state_changed = true;
		if ((a.kind == AT_QUICK_EXIT) != quick ||
		    (i < program_state.nearly && !module_is_program((uint64_t)a.function)))
			continue;
		if (a.kind == ON_EXIT)
			call_back((uint64_t)a.function, (uint64_t)status, (uint64_t)a.arg, 0);
		else
			call_back((uint64_t)a.function, (uint64_t)a.arg, 0, 0);
	}
}

/* Destructors in the sense of the linker, of the executable and its libraries. */
static struct {
	void (**functions)(void);
	size_t n;
} finis[MAX_FINIS];
static unsigned nfinis;

static int find_finis(struct dl_phdr_info *info, size_t size, void *unused)
{
	const ElfW(Dyn) *d = module_dynamic(info);
	const void *array = dynamic_address(d, info->dlpi_addr, DT_FINI_ARRAY);
	uint64_t bytes = dynamic_value(d, DT_FINI_ARRAYSZ);

	(void)size;
	(void)unused;
	if (!bytes || library_of(info->dlpi_name) != LIBRARY_NONE || nfinis == MAX_FINIS)
		return 0;
	finis[nfinis].functions = (void (**)(void))(uintptr_t)array;
	finis[nfinis++].n = bytes / sizeof(void *);
	return 0;
}

void program_state_checkpoint(void)
{
	program_state.nearly = program_state.nat_exits;
	real.dl_iterate_phdr(find_finis, NULL);
	checkpoint_add_marked((uintptr_t)&program_state, (uintptr_t)(&program_state + 1),
			      &program_state_changed);
}

static void run_finis(void)
{
	for (unsigned m = 0; m < nfinis; m++)
		for (size_t i = finis[m].n; i-- > 0;)
			finis[m].functions[i]();
}

void program_exit(int status, uint64_t pc)
{
	if (real.call_tls_dtors)
		real.call_tls_dtors();
	run_handlers(false, status);
	run_finis();
	if (UNLIKELY(rt->child)) {
		real.fflush(NULL);
		sys1(SYS_exit_group, status);
	}
	streams_unlocked(true);
	flush_program_output();
	streams_unlocked(false);
	end(status, pc);
}

/* The ends of threads are no steps, so any of them may be the last. */
void process_end_by_thread(void)
{
	if (program_state.nat_exits > program_state.nearly && rt->nfibers > 1 && !in_child())
		unseen("all threads have ended by themselves, and the last of them runs what was registered with atexit: that "
		       "it is another one is not explored",
		       NULL);
	program_exit(0, 0);
}

void thread_at_exit(void)
{
	if (real.call_tls_dtors)
		real.call_tls_dtors();
	keys_destroy();
}

void thread_ends(void)
{
	rt->cur->waits_at = 0;
	mutexes_of_ended();
	rt->cur->alternate.size = 0;
	end_is_seen();
}

/* The program's call: of the function that ends the process, or of a libc function that calls
 * it. */
static uint64_t called_from(void)
{
	uint64_t pc = caller(), program;

	if (module_is_program(pc))
		return pc;
	program = program_caller((uint64_t)(rt->entry + ENTRY_SP));
	return program ? program : pc;
}

static __attribute__((noreturn)) void exit_at_once(int status)
{
	if (!active()) {
		sys1(SYS_exit_group, status);
		__builtin_unreachable();
	}
	end(status, called_from());
}

void i_exit(int status) __attribute__((noreturn));
void i_exit(int status)
{
	if (!kept_here()) {
		if (exits_redirected)
			exit_at_once(status); /* the real function jumps to ours */
		real_exit(status);
	}
	program_exit(status, called_from());
}

void i__exit(int status) __attribute__((noreturn));
void i__exit(int status)
{
	exit_at_once(status);
}

void i__Exit(int status) __attribute__((noreturn));
void i__Exit(int status)
{
	exit_at_once(status);
}

void i_quick_exit(int status) __attribute__((noreturn));
void i_quick_exit(int status)
{
	if (kept_here())
		run_handlers(true, status);
	exit_at_once(status);
}

void i_abort(void) __attribute__((noreturn));
void i_abort(void)
{
	if (!active())
		real_abort();
	signal_abort();
	end_execution(LP_OUT_ABORT, SIGABRT, caller(), NULL);
}

static __attribute__((noreturn)) void assertion(const char *what, const char *file, unsigned line,
						const char *function)
{
	struct text t;

	t.n = 0;
	text_add(&t, "%s:%u: %s: Assertion `%s' failed.", file, (unsigned long)line,
		 function ? function : "?", what);
	if (!active()) {
		text_add(&t, "\n");
		text_flush(&t, 2);
		real_abort();
	}
	if (t.n > sizeof rt->outcome.message - 1)
		t.n = sizeof rt->outcome.message - 1;
	t.s[t.n] = '\0';
	end_execution(LP_OUT_ASSERT, SIGABRT, caller(), t.s);
}

void i___assert_fail(const char *what, const char *file, unsigned line, const char *function)
	__attribute__((noreturn));
void i___assert_fail(const char *what, const char *file, unsigned line, const char *function)
{
	assertion(what, file, line, function);
}

void i___assert_perror_fail(int error, const char *file, unsigned line, const char *function)
	__attribute__((noreturn));
void i___assert_perror_fail(int error, const char *file, unsigned line, const char *function)
{
	(void)error;
	assertion("no error", file, line, function);
}

static int add(void *function, void *arg, void *dso, int kind)
{
	if (program_state.nat_exits == MAX_AT_EXITS)
		return -1;
	program_state_changed = true;
	program_state.at_exits[program_state.nat_exits++] =
		(struct at_exit){ function, arg, dso, kind };
	return 0;
}

/* Before executions the real process may be the one that ends. */
int i___cxa_atexit(void (*function)(void *), void *arg, void *dso);
int i___cxa_atexit(void (*function)(void *), void *arg, void *dso)
{
	int r = kept_here() ? 0 : real___cxa_atexit(function, arg, dso);

	return r ? r : add((void *)(uintptr_t)function, arg, dso, AT_EXIT) && kept_here() ? -1 : 0;
}

int i___cxa_at_quick_exit(void (*function)(void *), void *dso);
int i___cxa_at_quick_exit(void (*function)(void *), void *dso)
{
	int r = kept_here() ? 0 : real___cxa_at_quick_exit(function, dso);

	return r ? r : add((void *)(uintptr_t)function, NULL, dso, AT_QUICK_EXIT) && kept_here() ? -1 : 0;
}

int i_on_exit(void (*function)(int, void *), void *arg);
int i_on_exit(void (*function)(int, void *), void *arg)
{
	int r = kept_here() ? 0 : real_on_exit(function, arg);

	return r ? r : add((void *)(uintptr_t)function, arg, NULL, ON_EXIT) && kept_here() ? -1 : 0;
}

/* A library is closed: what it has registered runs now. At the end, all has run. */
void i___cxa_finalize(void *dso);
void i___cxa_finalize(void *dso)
{
	if (!kept_here()) {
		real___cxa_finalize(dso);
		return;
	}
	at_forks_forget(dso);
	for (unsigned i = program_state.nat_exits; i-- > program_state.nearly;) {
		struct at_exit a = program_state.at_exits[i];

		if (a.dso != dso || !dso || a.kind == AT_QUICK_EXIT)
			continue;
		for (unsigned k = i; k + 1 < program_state.nat_exits; k++)
			program_state.at_exits[k] = program_state.at_exits[k + 1];
		program_state.nat_exits--;
		program_state_changed = true;
		call_back((uint64_t)a.function, (uint64_t)a.arg, 0, 0);
	}
}
