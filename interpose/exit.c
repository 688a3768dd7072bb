/* SPDX-License-Identifier: MIT
 *
 * The end of the process, in all its forms, is the end of an execution. Handlers registered while
 * the program runs are kept and run here; those registered before main belong to the real end and
 * never run.
 */
#include "../runtime/checkpoint.h"
#include "../runtime/modules.h"
#include "../runtime/output.h"
#include "interpose.h"

#include <errno.h>

struct program_state program_state;

void program_state_checkpoint(void)
{
	checkpoint_add((uintptr_t)&program_state, (uintptr_t)(&program_state + 1));
}

/* The process ends here. It is a step if there are threads that were not joined, whether or not
 * they have finished: the same steps in another order must stay the same steps. */
static __attribute__((noreturn)) void end(int status, uint64_t pc)
{
	bool other_thread = rt->cur->id != 0;

	if (rt->tracing) {
		announce(LP_EV_EXIT_ALL, NULL, 0, pc);
		step(rt->cur);
	}
	status &= 0xff;
	if (status || other_thread)
		end_execution(LP_OUT_EXIT, status, pc, NULL);
	end_execution(LP_OUT_OK, 0, 0, NULL);
}

void program_exit(int status, uint64_t pc)
{
	if (real.call_tls_dtors)
		real.call_tls_dtors();
	while (program_state.nat_exits) {
		struct at_exit *a = &program_state.at_exits[--program_state.nat_exits];

		a->function(a->arg);
	}
	flush_program_output();
	end(status, pc);
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
	if (!active() && exits_redirected)
		exit_at_once(status); /* the real function jumps to ours */
	if (!active())
		real_exit(status);
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
	exit_at_once(status);
}

void i_abort(void) __attribute__((noreturn));
void i_abort(void)
{
	if (!active())
		real_abort();
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

int i___cxa_atexit(void (*function)(void *), void *arg, void *dso);
int i___cxa_atexit(void (*function)(void *), void *arg, void *dso)
{
	if (!active())
		return real___cxa_atexit(function, arg, dso);
	if (program_state.nat_exits == MAX_AT_EXITS)
		return -1;
	program_state.at_exits[program_state.nat_exits++] = (struct at_exit){ function, arg };
	return 0;
}
