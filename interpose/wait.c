/* SPDX-License-Identifier: MIT
 *
 * Waiting for other processes, for real. What one has sent before it ended has come when the wait is over, so the
 * handler has run.
 */
#include "channels.h"
#include "sending.h"

#include <sys/wait.h>

void signals_of_others(void)
{
	if (LIKELY(!rt->forked))
		return;
	if (rt->status->end == LP_END_ERROR) /* it has ended so, and said why */
		refuse("a child of fork ended there, so what this process does now is not what it would do");
	if (rt->nsent)
		take_now();
}

#define WAIT(call)                                                                                 \
	do {                                                                                       \
		pid_t id;                                                                          \
                                                                                                   \
		if (active())                                                                      \
			cancellation_point();                                                      \
		id = call;                                                                         \
		if (active()) {                                                                    \
			rt->reaped += id > 0;                                                      \
			signals_of_others();                                                       \
		}                                                                                  \
		return id;                                                                         \
	} while (0)

pid_t i_wait(int *status);
pid_t i_wait(int *status)
{
	WAIT(real_wait(status));
}

pid_t i_waitpid(pid_t which, int *status, int options);
pid_t i_waitpid(pid_t which, int *status, int options)
{
	WAIT(real_waitpid(which, status, options));
}

int i_waitid(idtype_t type, id_t which, siginfo_t *info, int options);
int i_waitid(idtype_t type, id_t which, siginfo_t *info, int options)
{
	WAIT(real_waitid(type, which, info, options));
}

pid_t i_wait3(int *status, int options, struct rusage *used);
pid_t i_wait3(int *status, int options, struct rusage *used)
{
	WAIT(real_wait3(status, options, used));
}

pid_t i_wait4(pid_t which, int *status, int options, struct rusage *used);
pid_t i_wait4(pid_t which, int *status, int options, struct rusage *used)
{
	WAIT(real_wait4(which, status, options, used));
}

int i_system(const char *command);
int i_system(const char *command)
{
	if (active())
		process_starts("system");
	WAIT(real_system(command));
}

int i_pclose(FILE *f);
int i_pclose(FILE *f)
{
	int status;

	if (active() && f)
		stdio_closes(f->_fileno);
	status = real_pclose(f);
	if (active())
		signals_of_others();
	return status;
}
