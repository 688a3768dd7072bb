/* SPDX-License-Identifier: MIT
 *
 * What threads pass to each other through the kernel: pipes, sockets, events. Reading and writing them are
 * no steps, so that an order may matter is not seen; a program that has them is told so. So is one that lets
 * other processes do something.
 */
#include "../runtime/unseen.h"
#include "interpose.h"

static void passes(const char *name)
{
	if (!active())
		return;
	rt->opened = 1;
	unseen("what threads pass to each other through ", name,
	       " is no step: executions in which it comes in another order are missed", NULL);
}

int i_pipe(int ends[2]);
int i_pipe(int ends[2])
{
	passes("pipe");
	return real_pipe(ends);
}

int i_pipe2(int ends[2], int flags);
int i_pipe2(int ends[2], int flags)
{
	passes("pipe2");
	return real_pipe2(ends, flags);
}

int i_eventfd(unsigned value, int flags);
int i_eventfd(unsigned value, int flags)
{
	passes("eventfd");
	return real_eventfd(value, flags);
}

int i_socket(int domain, int type, int protocol);
int i_socket(int domain, int type, int protocol)
{
	passes("socket");
	return real_socket(domain, type, protocol);
}

int i_socketpair(int domain, int type, int protocol, int ends[2]);
int i_socketpair(int domain, int type, int protocol, int ends[2])
{
	passes("socketpair");
	return real_socketpair(domain, type, protocol, ends);
}

int i_system(const char *command);
int i_system(const char *command)
{
	if (command && active())
		unseen("what a command of system() changes is no step and is not taken back: later "
		       "executions find it",
		       NULL);
	return real_system(command);
}
