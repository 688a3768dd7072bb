/* Right: libatomic's functions for objects of any size copy and compare all their bytes, so nothing fails, whatever the order: silent. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

extern _Bool cas(unsigned long, volatile void *, void *, void *, int, int) __asm__("__atomic_compare_exchange");
extern void swap(unsigned long, volatile void *, void *, void *, int) __asm__("__atomic_exchange");
extern void load(unsigned long, const volatile void *, void *, int) __asm__("__atomic_load");
extern void store(unsigned long, volatile void *, void *, int) __asm__("__atomic_store");

static _Alignas(16) unsigned char v[2][48];

static void same(const void *a, const void *b, unsigned long n)
{
	if (memcmp(a, b, n))
		abort();
}

static void *work(void *arg)
{
	volatile unsigned char *o = v[(long)arg];

	for (unsigned long n = 1; n <= 40; n += n < 9 ? 1 : 7) {
		unsigned char a[48], b[48], e[48], zero[48] = { 0 };

		memset(a, 'a', n);
		memset(b, 'b', n);
		a[n - 1] = 'z';				/* only the last byte differs */
		memset(e, 'a', n);
		store(n, o, a, 5);
		if (cas(n, o, e, b, 5, 5))
			abort();
		same(e, a, n);
		if (!cas(n, o, e, b, 5, 5))
			abort();
		load(n, o, e, 5);
		same(e, b, n);
		swap(n, o, zero, e, 5);
		same(e, b, n);
		load(n, o, e, 5);
		same(e, zero, n);
	}
	return NULL;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, (void *)1);
	work(NULL);
	pthread_join(t, NULL);
	return 0;
}
