/* Right: the process ends while a thread looks for ever. Whether it looked before the last change makes no difference. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int news;

static void *look(void *unused)
{
	for (;;)
		atomic_load(&news);
	return unused;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, look, NULL);
	news = 1;
	return 0;
}
