/* Blocks for which no patch is sensible. Nothing is wrong with the program. */
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER;
static int x, y;
static sem_t gate;
static jmp_buf away;

void jumps(void)
{
	x++; /* @long.from */
	if (y)
		longjmp(away, 1);
	y++; /* @long.to */
}

void waits(void)
{
	x++; /* @wait.from */
	sem_wait(&gate);
	y++; /* @wait.to */
}

void enters(int n)
{
	if (n)
		goto inside;
	x++; /* @goto.from */
inside:
	y++; /* @goto.to */
}

void both(void)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	x = y;
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
}

void inner(void)
{
	pthread_mutex_lock(&a);
	y = x;
	pthread_mutex_unlock(&a);
}

void outer(void)
{
	pthread_mutex_lock(&b); /* @held.from */
	x = 1;
	pthread_mutex_unlock(&b); /* @held.to */
}

void *work(void *arg)
{
	both();
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, 0, work, 0);
	outer();
	pthread_join(t, 0);
	(void)full;
	return 0;
}
