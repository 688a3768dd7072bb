/* SPDX-License-Identifier: MIT
 *
 * What is no step, and said: WHAT is one of the functions.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/msg.h>
#include <unistd.h>

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

static void watched(void)
{
	char what[4096];
	int notices = inotify_init();

	inotify_add_watch(notices, ".", IN_OPEN);
	close(open(".", O_RDONLY));
	assert(read(notices, what, sizeof what) > 0);
	close(notices);
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
