/* SPDX-License-Identifier: MIT
 *
 * Functions of which some calls are refused in an execution, because they would reach the real
 * threads behind the fibers or escape the runtime. Those that are refused always need no more than
 * their line in functions.def.
 */
#include "interpose.h"

/* Its library gets a libc of its own, whose threads and memory nobody sees. */
void *i_dlmopen(long list, const char *path, int mode);
void *i_dlmopen(long list, const char *path, int mode)
{
	if (active() && list)
		die("the program calls dlmopen for another list of libraries, which is not "
		    "supported: they would have a libc of their own");
	return real_dlmopen(list, path, mode);
}

int i_pthread_kill(pthread_t thread, int sig);
int i_pthread_kill(pthread_t thread, int sig)
{
	if (active() && sig)
		die("the program calls pthread_kill, which is not supported: threads are scheduled "
		    "inside one process");
	if (active())
		return 0;
	return real_pthread_kill(thread, sig);
}
