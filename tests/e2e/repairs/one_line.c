/* All of a function is on one line, and what it calls was inlined: the body of that begins where the access before it ends.
 *
 * flags: -O2
 * repair: add @all..@all
 * atomic: true
 * lock: true */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t done;
static int sum;

void take(void) { sem_wait(&done); }
void give(void) { sem_post(&done); }

static void *add(void *unused)
{
	int seen = sum; sum = seen + 1; give(); return unused; /* @all */
}

int main(void)
{
	pthread_t t[2];

	sem_init(&done, 0, 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, add, NULL);
	take();
	take();
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(sum == 2);
	return 0;
}
