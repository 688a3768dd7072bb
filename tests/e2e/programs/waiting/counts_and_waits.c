/* Wrong: nobody ever sets the flag. That the thread counts how often it looks, which nobody asks for, hides nothing. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int flag, other;

static void *wait(void *unused)
{
	volatile int rounds = 0;
	long product = 1;

	while (!flag) {
		rounds++;
		product *= 3;
		usleep(10);
	}
	return unused;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, wait, NULL);
	other = 1;
	pthread_join(t, NULL);
	return 0;
}
