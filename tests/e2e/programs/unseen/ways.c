/*
 * Right: one thread changes memory in two steps, the other looks and may come between them: abort must be found, and ok. The
 * argument says how the memory is accessed. The states are the same however it is compiled.
 */
#ifndef WAY
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BARRIER __asm__ volatile("" ::: "memory")
#define PASTE(a, b) a##_##b
#define NAMED(a, b) PASTE(a, b)

struct way {
	void (*first)(void);
	int (*second)(void), (*third)(void);
};

#define x NAMED(x_, WAY)
#define p NAMED(p_, WAY)
#define s NAMED(s_, WAY)
#define memory NAMED(memory_, WAY)
#define own NAMED(own_, WAY)
#define from NAMED(from_, WAY)
#define then NAMED(then_, WAY)
#define n NAMED(n_, WAY)
#define done NAMED(done_, WAY)
#define set NAMED(set_, WAY)
#define fill NAMED(fill_, WAY)
#define update NAMED(update_, WAY)
#define between NAMED(between_, WAY)
#define lost NAMED(lost_, WAY)
#define update_of NAMED(update_of_, WAY)
#define v4 NAMED(v4_, WAY)
#define WAY 1
#include "ways.c"
#define WAY 2
#include "ways.c"
#define WAY 3
#include "ways.c"
#define WAY 4
#include "ways.c"
#define WAY 5
#include "ways.c"
#define WAY 6
#include "ways.c"
#define WAY 7
#include "ways.c"
#define WAY 8
#include "ways.c"
#define WAY 9
#include "ways.c"
#define WAY 10
#include "ways.c"
#define WAY 11
#include "ways.c"
#define WAY 12
#include "ways.c"
#define WAY 13
#include "ways.c"
#define WAY 14
#include "ways.c"
#define WAY 15
#include "ways.c"
#define WAY 16
#include "ways.c"
#define WAY 17
#include "ways.c"
#define WAY 18
#include "ways.c"
#define WAY 19
#include "ways.c"
#define WAY 20
#include "ways.c"
#define WAY 21
#include "ways.c"
#define WAY 22
#include "ways.c"
#define WAY 23
#include "ways.c"
#define WAY 24
#include "ways.c"
#define WAY 25
#include "ways.c"
#define WAY 26
#include "ways.c"
#undef x
#undef p
#undef s
#undef memory
#undef own
#undef from
#undef then
#undef n
#undef done
#undef set
#undef fill
#undef update
#undef between
#undef lost
#undef update_of
#undef v4

static const struct way *const ways[] = {
	NULL, &way_1, &way_2, &way_3, &way_4, &way_5, &way_6, &way_7, &way_8, &way_9, &way_10, &way_11,
	&way_12, &way_13, &way_14, &way_15, &way_16, &way_17, &way_18, &way_19, &way_20, &way_21, &way_22,
	&way_23, &way_24, &way_25, &way_26
};

static const struct way *way;

static void *one(void *arg)
{
	way->first();
	return arg;
}

static void *other(void *arg)
{
	if (way->second())
		abort();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	if (argc < 2)
		return 2;
	way = ways[atoi(argv[1])];
	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	if (way->third())
		abort();
	return 0;
}

#else
/* `update` makes both steps; `between` is true in between only; LOST: both threads update, main says if one was lost. */

#if WAY == 1				/* a plain variable */
static int x;
static void update(void) { x = 1; BARRIER; x = 2; }
static int between(void) { return x == 1; }
#elif WAY == 2				/* volatile */
static volatile char x;
static void update(void) { x = 1; x = 2; }
static int between(void) { return x == 1; }
#elif WAY == 3				/* bit-fields of one byte */
#define LOST
static struct { unsigned a : 3, b : 3; } x;
static void update_of(int second) { if (second) x.b = 1; else x.a = 1; }
static int lost(void) { return !x.a || !x.b; }
#elif WAY == 4				/* bit-fields in bytes of one word, by a pointer */
#define LOST
static struct s { uint64_t a : 20, b : 20, c : 24; } memory, *volatile p = &memory;
static void update_of(int second) { struct s *q = p; if (second) q->b = 1; else q->a = 1; }
static int lost(void) { return !p->a || !p->b; }
#elif WAY == 5				/* a structure of 16 bytes, copied */
static struct s { long a, b; } x;
static void update(void) { static struct s one = { 1, 1 }, two = { 2, 2 }; x = one; BARRIER; x = two; }
static int between(void) { struct s y; y = x; BARRIER; return y.a == 1 && y.b == 1; }
#elif WAY == 6				/* a structure of 48 bytes, copied as a whole */
static struct s { long a[6]; } x;
static void update(void) { static struct s one = { { 1 } }, two = { { 2 } }; x = one; BARRIER; x = two; }
static int between(void) { struct s y; y = x; BARRIER; return y.a[0] == 1; }
#elif WAY == 7				/* the copy of a structure loads before it stores */
#define LOST
static struct s { int n[2]; } x, own[2];
static void update_of(int second) { own[second] = x; BARRIER; own[second].n[0]++; own[second].n[1]++; BARRIER; x = own[second]; }
static int lost(void) { return x.n[0] != 2; }
#elif WAY == 8				/* memset of a constant size */
static char x[64];
static void update(void) { memset(x, 1, 32); BARRIER; memset(x, 2, 32); }
static int between(void) { return x[31] == 1; }
#elif WAY == 9				/* memcpy of a constant size */
static char x[64];
static const char *volatile from = "1111111111111111111111111111111111111111", *volatile then = "2222222222222222222222222222222222222222";
static void update(void) { memcpy(x, from, 40); BARRIER; memcpy(x, then, 40); }
static int between(void) { char y[40]; memcpy(y, x, 40); BARRIER; return y[39] == '1'; }
#elif WAY == 10				/* memcpy of another size */
static char x[64];
static volatile size_t n = 24;
static void update(void) { memset(x, 1, n); memset(x, 2, n); }
static int between(void) { char y[64]; memcpy(y, x, n); return y[23] == 1; }
#elif WAY == 11				/* strcpy, strcmp of constants */
static char x[32];
static void update(void) { strcpy(x, "one"); BARRIER; strcpy(x, "two"); }
static int between(void) { return strcmp(x, "one") == 0; }
#elif WAY == 12				/* memcmp of a constant size */
static char x[32];
static void update(void) { memcpy(x, "one", 4); BARRIER; memcpy(x, "two", 4); }
static int between(void) { return memcmp(x, "one", 4) == 0; }
#elif WAY == 13				/* assembly */
static int x;
static void update(void) { __asm__ volatile("movl $1, %0\n\tmovl $2, %0" : "=m"(x)); }
static int between(void) { int y; __asm__ volatile("movl %1, %0" : "=r"(y) : "m"(x)); return y == 1; }
#elif WAY == 14				/* string instructions */
static char x[40];
static void fill(int c) { void *to = x; size_t n = 40; __asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(c) : "memory"); }
static void update(void) { fill(1); fill(2); }
static int between(void) { return ((volatile char *)x)[39] == 1; }
#elif WAY == 15				/* a function without hooks */
static int x;
__attribute__((noinline, no_sanitize("thread"))) static void set(int v) { x = v; BARRIER; }
static void update(void) { set(1); set(2); }
__attribute__((noinline, no_sanitize("thread"))) static int between(void) { return x == 1; }
#elif WAY == 16				/* thread-local storage, by a pointer */
static __thread int x;
static int *volatile p;
static void update(void) { p = &x; BARRIER; x = 1; BARRIER; x = 2; BARRIER; }
static int between(void) { int *q = p; return q && *q == 1; }
#elif WAY == 17				/* the stack, by a pointer */
static int *volatile p;
static volatile int done;
static void update(void) { int x = 0; p = &x; BARRIER; x = 1; BARRIER; x = 2; BARRIER; p = NULL; while (!done) ; }
static int between(void) { int *q = p, r = q && *q == 1; done = 1; return r; }
#elif WAY == 18				/* an increment */
#define LOST
static int x;
static void update_of(int second) { (void)second; x++; }
static int lost(void) { return x != 2; }
#elif WAY == 19				/* long double */
static long double x;
static void update(void) { x = 1; BARRIER; x = 2; }
static int between(void) { return x == 1; }
#elif WAY == 20				/* a vector of 16 bytes */
typedef int v4 __attribute__((vector_size(16)));
static v4 x;
static void update(void) { x = (v4){ 1, 1, 1, 1 }; BARRIER; x = (v4){ 2, 2, 2, 2 }; }
static int between(void) { v4 y = x; return y[3] == 1; }
#elif WAY == 21				/* unaligned */
static struct __attribute__((packed)) { char c; int x; } s;
static void update(void) { s.x = 1; BARRIER; s.x = 2; }
static int between(void) { return s.x == 1; }
#elif WAY == 22				/* C11 atomics */
static atomic_int x;
static void update(void) { atomic_store(&x, 1); atomic_fetch_add(&x, 1); }
static int between(void) { return atomic_load(&x) == 1; }
#elif WAY == 23				/* locked assembly */
static long x;
static void update(void) { __asm__ volatile("lock incq %0" : "+m"(x)); __asm__ volatile("lock incq %0" : "+m"(x)); }
static int between(void) { return *(volatile long *)&x == 1; }
#elif WAY == 24				/* an array that is cleared and set */
static struct s { int a[6]; } x = { { 3 } };
static void update(void) { x = (struct s){ { 0 } }; BARRIER; x.a[0] = 3; }
static int between(void) { return x.a[0] == 0; }
#elif WAY == 25				/* the low and the high half of a register's store */
static union { uint64_t whole; uint32_t half[2]; } x;
static void update(void) { x.half[1] = 1; BARRIER; x.half[0] = 1; }
static int between(void) { uint64_t y = x.whole; return y == 1UL << 32; }
#elif WAY == 26				/* complex numbers, by value */
static double _Complex x;
static void update(void) { x = 1; BARRIER; x = 2; }
static int between(void) { return __real__ x == 1; }
#endif

#ifdef LOST
static void update(void) { update_of(0); }
static int between(void) { update_of(1); return 0; }
#undef LOST
#else
static int lost(void) { return 0; }
#endif
static const struct way NAMED(way, WAY) = { update, between, lost };
#undef WAY
#endif
