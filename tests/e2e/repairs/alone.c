/* Wrong whenever the other thread comes first, also as a whole.
 *
 * repair: none
 * says: so no atomic block is a repair */
#include <assert.h>
#include <pthread.h>

static int ready;

static void *begin(void *arg)
{
	ready = 1;
	return arg;
}

static void *look(void *arg)
{
	assert(ready);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, begin, NULL);
	pthread_create(&t[1], NULL, look, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
