/* Right: compilers call the generic functions of libatomic for such types; either thread may be the one that decides: assert must be found, and ok. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

struct s { uint32_t a, b; };
static struct s v;
extern void swap(unsigned long, volatile void *, void *, void *, int) __asm__("__atomic_exchange");

static void *work(void *arg)
{
	struct s e = { 0, 0 }, n = { 1, (uint32_t)(long)arg };

	swap(sizeof v, &v, &n, &e, 5);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, (void *)1);
	pthread_create(&b, NULL, work, (void *)2);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(v.b != 1);
	return 0;
}
