/* Threads keep the ids that they are known by, and operations have them as values: those of threads are always the same,
 * that of the process, which is main's, is another one in each run. One of the pushes may be lost. */
#define _GNU_SOURCE
#include <linchpin.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static long stack[4];
static int n, lock_word;
static long both;

static void push(long v)
{
	linchpin_call(stack, "push", v);
	stack[n] = v;
	n++;
	linchpin_return_void();
}

static long pop(void)
{
	long v;

	linchpin_call(stack, "pop");
	v = n ? stack[--n] : -1;
	linchpin_return(v);
	return v;
}

static void *of_process(void *unused)
{
	push(getpid());
	lock_word = (int)(0x80000000U | (unsigned)getpid());
	return unused;
}

static void *of_thread(void *unused)
{
	pid_t id = (pid_t)syscall(SYS_gettid);

	if (id == getpid() || id != gettid() || tgkill(getpid(), id, 0) || kill(getpid(), 0))
		abort();
	push(id);
	both = (long)getpid() << 32 | 5;
	return unused;
}

int main(void)
{
	pthread_t a, b;

	if (gettid() != getpid())
		abort();
	linchpin_object(stack, "stack");
	pthread_create(&a, NULL, of_process, NULL);
	pthread_create(&b, NULL, of_thread, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	pop();
	pop();
	return 0;
}
