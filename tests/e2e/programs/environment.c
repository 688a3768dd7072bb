/* SPDX-License-Identifier: MIT
 *
 * What a thread finds as it is natively, a case an argument: the floating-point environment of who
 * made it, the bounds of its own stack, room for blocks of gigabytes. Two threads race on `shared`,
 * so that there are several executions; whatever is wrong ends one by abort().
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <xmmintrin.h>

#define GIB (1UL << 30)
#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "line %d: " #condition "\n", __LINE__);                    \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

static int shared;
static char *early; /* a block that a constructor has made */

static uint16_t x87_control(void)
{
	uint16_t word;

	__asm__ volatile("fnstcw %0" : "=m"(word));
	return word;
}

static void set_x87_control(uint16_t word)
{
	__asm__ volatile("fldcw %0" : : "m"(word));
}

/* ---- floating point ---- */

#define SINGLE 0x007f /* x87: single precision, nearest */

static void *inner_float(void *unused)
{
	shared++;
	CHECK(fegetround() == FE_TOWARDZERO);
	CHECK(!_MM_GET_FLUSH_ZERO_MODE());
	return unused;
}

static void *float_thread(void *unused)
{
	pthread_t t;

	CHECK(fegetround() == FE_UPWARD);
	CHECK(_MM_GET_FLUSH_ZERO_MODE() == _MM_FLUSH_ZERO_ON);
	CHECK((x87_control() & 0x3ff) == SINGLE);
	shared++;
	CHECK(fegetround() == FE_UPWARD);
	_MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_OFF);
	fesetround(FE_TOWARDZERO);
	pthread_create(&t, NULL, inner_float, NULL);
	shared++;
	CHECK(fegetround() == FE_TOWARDZERO);
	pthread_join(t, NULL);
	return unused;
}

static void floating_point(void)
{
	pthread_t t;

	/* As a constructor has left it: see there. */
	CHECK(fegetround() == FE_DOWNWARD);
	fesetround(FE_UPWARD);
	_MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
	set_x87_control((uint16_t)((x87_control() & ~0x3ff) | SINGLE));
	pthread_create(&t, NULL, float_thread, NULL);
	shared++;
	CHECK(fegetround() == FE_UPWARD);
	pthread_join(t, NULL);
	CHECK(fegetround() == FE_UPWARD);
	CHECK((x87_control() & 0x3ff) == SINGLE);
}

/* ---- stacks ---- */

extern void *__libc_stack_end;
static pthread_t main_thread;
static char *on_main;

static void bounds(pthread_t of, const char *inside, int detached)
{
	pthread_attr_t a;
	size_t size, guard;
	void *lo;
	int state;

	CHECK(!pthread_getattr_np(of, &a));
	CHECK(!pthread_attr_getstack(&a, &lo, &size));
	CHECK(!pthread_attr_getguardsize(&a, &guard));
	CHECK(!pthread_attr_getdetachstate(&a, &state));
	CHECK(inside >= (char *)lo && inside < (char *)lo + size);
	CHECK(size >= 16384);
	CHECK(state == (detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE));
	pthread_attr_destroy(&a);
}

static void *stack_thread(void *unused)
{
	char here = 1;

	bounds(pthread_self(), &here, 0);
	shared++;
	bounds(main_thread, on_main, 0);
	return unused;
}

/* A collector of garbage looks at main's stack word by word. */
static __attribute__((noinline)) int found_on_stack(const void *what)
{
	void *const volatile *p = __builtin_frame_address(0);

	while ((void *)p < __libc_stack_end)
		if (*p++ == what)
			return 1;
	return 0;
}

static void stacks(void)
{
	void *volatile kept = malloc(8);
	pthread_t t;
	char here = 1;

	main_thread = pthread_self();
	on_main = &here;
	bounds(pthread_self(), &here, 0);
	CHECK((char *)__libc_stack_end > &here && (char *)__libc_stack_end - &here < 1 << 20);
	pthread_create(&t, NULL, stack_thread, NULL);
	shared++;
	CHECK(found_on_stack(kept));
	pthread_join(t, NULL);
	free(kept);
}

/* ---- large blocks ---- */

static void use(char *p, size_t size)
{
	CHECK(p);
	CHECK(!p[0] && !p[size / 2] && !p[size - 1]);
	p[0] = p[size / 2] = p[size - 1] = 7;
}

static void *large_thread(void *unused)
{
	char *p = calloc(4, GIB), *q;

	use(p, 4 * GIB);
	shared++;
	q = realloc(p, 5 * GIB);
	CHECK(q && q[0] == 7 && q[2 * GIB] == 7 && q[4 * GIB - 1] == 7);
	free(q);
	p = calloc(5, GIB);
	use(p, 5 * GIB);
	free(p);
	return unused;
}

static void large(void)
{
	const size_t size = 4 * GIB;
	struct rusage used;
	pthread_t t;
	char *p;
	void *q;

	CHECK(early && early[0] == 1 && early[3 * GIB] == 2 && early[size - 1] == 3);
	CHECK(!early[GIB] && !early[2 * GIB]);
	early[GIB] = early[0] = early[size - 1] = 9;
	pthread_create(&t, NULL, large_thread, NULL);
	shared++;
	p = malloc(size);
	use(p, size);
	errno = 0;
	CHECK(!malloc(SIZE_MAX / 2) && errno == ENOMEM);
	CHECK(posix_memalign(&q, 1UL << 50, 16) == ENOMEM);
	pthread_join(t, NULL);
	free(p);
	free(early);
	getrusage(RUSAGE_SELF, &used);
	CHECK(used.ru_maxrss < 1 << 20); /* KiB */
}

static __attribute__((constructor)) void before_main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "float"))
		fesetround(FE_DOWNWARD);
	if (argc > 1 && !strcmp(argv[1], "large")) {
		early = malloc(4 * GIB);
		if (early) {
			early[0] = 1;
			early[3 * GIB] = 2;
			early[4 * GIB - 1] = 3;
		}
	}
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	if (!strcmp(name, "float"))
		floating_point();
	else if (!strcmp(name, "stack"))
		stacks();
	else if (!strcmp(name, "large"))
		large();
	else
		return 2;
	return 0;
}
