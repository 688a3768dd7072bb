/* The test is made before the lock is taken; what it waits for can happen between the two.
 *
 * repair: await @test..@lock
 * atomic: true
 * says: which nobody could end
 * says: widen the section of `lock` */
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static volatile bool ready;

__attribute__((noinline)) static void await(void)
{
	if (!ready) {                   /* @test */
		pthread_mutex_lock(&lock); /* @lock */
		pthread_cond_wait(&changed, &lock);
		pthread_mutex_unlock(&lock);
	}
}

static void *announce(void *arg)
{
	ready = true;
	pthread_mutex_lock(&lock);
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, announce, NULL);
	await();
	pthread_join(t, NULL);
	return 0;
}
