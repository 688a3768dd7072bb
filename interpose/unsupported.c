/* SPDX-License-Identifier: MIT
 *
 * Calls that would reach the real threads behind the fibers, or escape the runtime. In an execution
 * they end the run with a message: better than to go on with a wrong answer.
 */
#include "interpose.h"

#include <dlfcn.h>

static __attribute__((noreturn)) void unsupported(const char *what)
{
	die("the program calls %s, which is not supported: threads are scheduled inside one "
	    "process",
	    what);
}

void exec_refused(void) __attribute__((noreturn));
void exec_refused(void)
{
	die("the program calls exec, so another one takes its place: explore that one");
}

union next {
	void *found;
	void *(*dlmopen)(long, const char *, int);
	int (*cancel)(pthread_t);
	int (*kill)(pthread_t, int);
	int (*tryjoin)(pthread_t, void **);
	int (*timedjoin)(pthread_t, void **, const struct timespec *);
};

/* Outside an execution: whatever libc does. */
static union next next(const char *name)
{
	union next n = { .found = dlsym(RTLD_NEXT, name) };

	if (!n.found)
		die("libc has no %s", name);
	return n;
}

/* Its library gets a libc of its own, whose threads and memory nobody sees. */
void *i_dlmopen(long list, const char *path, int mode);
void *i_dlmopen(long list, const char *path, int mode)
{
	if (active() && list)
		die("the program calls dlmopen for another list of libraries, which is not "
		    "supported: they would have a libc of their own");
	return next("dlmopen").dlmopen(list, path, mode);
}

int i_pthread_cancel(pthread_t thread);
int i_pthread_cancel(pthread_t thread)
{
	if (active())
		unsupported("pthread_cancel");
	return next("pthread_cancel").cancel(thread);
}

int i_pthread_kill(pthread_t thread, int sig);
int i_pthread_kill(pthread_t thread, int sig)
{
	if (active() && sig)
		unsupported("pthread_kill");
	if (active())
		return 0;
	return next("pthread_kill").kill(thread, sig);
}

int i_pthread_tryjoin_np(pthread_t thread, void **retval);
int i_pthread_tryjoin_np(pthread_t thread, void **retval)
{
	if (active())
		unsupported("pthread_tryjoin_np");
	return next("pthread_tryjoin_np").tryjoin(thread, retval);
}

int i_pthread_timedjoin_np(pthread_t thread, void **retval, const struct timespec *until);
int i_pthread_timedjoin_np(pthread_t thread, void **retval, const struct timespec *until)
{
	if (active())
		unsupported("pthread_timedjoin_np");
	return next("pthread_timedjoin_np").timedjoin(thread, retval, until);
}
