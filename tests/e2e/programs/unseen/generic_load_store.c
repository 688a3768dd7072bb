/* Right: the load of one thread and the store of the other come in every order; the sum is 3 if they do not overlap: assert must be found, and ok. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

struct s { uint32_t a, b; };
static struct s v;
extern void load(unsigned long, const volatile void *, void *, int) __asm__("__atomic_load");
extern void store(unsigned long, volatile void *, void *, int) __asm__("__atomic_store");

static void *work(void *arg)
{
	struct s e = { 0, 0 }, n = { 1, (uint32_t)(long)arg };

	load(sizeof v, &v, &e, 5);
	n.b += e.b;
	store(sizeof v, &v, &n, 5);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, (void *)1);
	pthread_create(&b, NULL, work, (void *)2);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(v.b != 3);
	return 0;
}
