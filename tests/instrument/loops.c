/* SPDX-License-Identifier: MIT
 *
 * Loops that a search could mistake for waiting. loops KIND: sum reads much memory and writes nothing; count, two and
 * pause wait for a flag, count their rounds, and poll one word, two in turn, or with longer and longer pauses.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { WORDS = 5000 };

static atomic_int flag, other;
static int words[WORDS], sum;
static char kind;

static __attribute__((noinline)) int add_up(const int *p, int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += p[i] ^ i;
	return s;
}

static __attribute__((noinline)) unsigned wait_one(void)
{
	unsigned n;

	for (n = 0; !atomic_load(&flag); n++)
		;
	return n;
}

static __attribute__((noinline)) unsigned wait_two(void)
{
	unsigned n;

	for (n = 0; !(n & 1 ? atomic_load(&flag) : atomic_load(&other)); n++)
		;
	return n;
}

static __attribute__((noinline)) unsigned wait_pausing(void)
{
	unsigned n, total = 0;

	for (n = 1; !atomic_load(&flag); n = n < 64 ? n * 2 : n) {
		for (unsigned i = 0; i < n; i++)
			__builtin_ia32_pause();
		total += n;
	}
	return total;
}

static void *first(void *unused)
{
	if (kind == 's')
		sum = add_up(words, WORDS);
	else if (kind == 'c')
		sum = (int)wait_one();
	else if (kind == 't')
		sum = (int)wait_two();
	else
		sum = (int)wait_pausing();
	return unused;
}

static void *second(void *unused)
{
	atomic_store(&other, 1);
	atomic_store(&flag, 1);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	kind = argc > 1 ? argv[1][0] : 's';
	words[7] = 5;
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(kind != 's' || sum == add_up(words, WORDS));
	return 0;
}
