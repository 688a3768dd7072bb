/* SPDX-License-Identifier: MIT
 *
 * What is no step, and said: WHAT is one of the functions.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/msg.h>
#include <sys/signalfd.h>

static int queue;
static volatile int both;

static void *sends(void *unused)
{
	struct { long type; char text; } m = { 1, 'x' };

	assert(!msgsnd(queue, &m, 1, 0));
	return unused;
}
static void messages(void)
{
	struct { long type; char text; } m;

	queue = msgget(IPC_PRIVATE, 0600);
	assert(queue >= 0);
	sends(NULL);
	msgrcv(queue, &m, 1, 0, IPC_NOWAIT);
	msgctl(queue, IPC_RMID, NULL);
}

static void posix_queue(void) { mq_close(mq_open("/x", O_CREAT | O_RDWR, 0600, NULL)); }

static void signal_descriptor(void)
{
	sigset_t set;

	sigemptyset(&set);
	signalfd(-1, &set, 0);
}

static void *calls(void *unused)
{
	both++;
	WHAT();
	return unused;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, calls, NULL);
	both++;
	pthread_join(t, NULL);
	return 0;
}
