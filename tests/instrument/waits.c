/* SPDX-License-Identifier: MIT
 *
 * Functions that wait, as programs have them, and values that must outlive the wait: in callee-saved
 * registers, in slots of the stack, behind pointers to it, in arguments on the stack. Two threads go
 * through one of them. What they return must be what it was when there was one thread only, of which
 * nothing is an event.
 *
 *	waits N
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

struct node {
	_Atomic(struct node *) next;
	atomic_int locked;
};

static atomic_int serving, next_ticket, tas, x, turns;
static _Atomic(struct node *) tail;
static int guarded;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE long ticket(long a, long b)
{
	int my = atomic_fetch_add(&next_ticket, 1);

	while (atomic_load(&serving) != my)
		;
	atomic_store(&serving, my + 1);
	return a * 3 + b;
}

static NOINLINE long test_and_set(long a, long b)
{
	for (;;) {
		while (atomic_load(&tas))
			;
		if (!atomic_exchange(&tas, 1))
			break;
	}
	atomic_store(&tas, 0);
	return a - b;
}

static NOINLINE long retry(long a, long b)
{
	int old;

	do
		old = atomic_load(&x);
	while (!atomic_compare_exchange_strong(&x, &old, old + 1));
	return a ^ b << 3;
}

static NOINLINE long retry_weak(long a, long b)
{
	int old = atomic_load(&x);

	while (!atomic_compare_exchange_weak(&x, &old, old + 1))
		;
	return a + 2 * b;
}

static NOINLINE void mcs_lock(struct node *n)
{
	struct node *before;

	atomic_store(&n->next, NULL);
	atomic_store(&n->locked, 1);
	before = atomic_exchange(&tail, n);
	if (!before)
		return;
	atomic_store(&before->next, n);
	while (atomic_load(&n->locked))
		;
}

static NOINLINE void mcs_unlock(struct node *n)
{
	struct node *last = n;

	if (!atomic_load(&n->next)) {
		if (atomic_compare_exchange_strong(&tail, &last, NULL))
			return;
		while (!atomic_load(&n->next))
			;
	}
	atomic_store(&atomic_load(&n->next)->locked, 0);
}

static NOINLINE long queue(long a, long b)
{
	static struct node nodes[2];

	mcs_lock(&nodes[b]);
	mcs_unlock(&nodes[b]);
	return a * b;
}

static NOINLINE long poll(long a, long b)
{
	int v;

	do {
		pthread_mutex_lock(&m);
		v = guarded;
		pthread_mutex_unlock(&m);
	} while (v != (int)b);
	pthread_mutex_lock(&m);
	guarded = !guarded;
	pthread_mutex_unlock(&m);
	return v + a;
}

static NOINLINE long back_off(long a, long b)
{
	pthread_mutex_t *first = b ? &m : &m2, *second = b ? &m2 : &m;

	for (;;) {
		pthread_mutex_lock(first);
		if (!pthread_mutex_trylock(second))
			break;
		pthread_mutex_unlock(first);
		sched_yield();
	}
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
	return a + 5 * b;
}

/* Counters that nobody needs, in every size; one that decides; one that is returned. */
static NOINLINE long counters(long a, long b)
{
	volatile int rounds = 0;
	volatile short small = 3;
	unsigned long product = 1, sum = 0;
	int left = 40;

	while (atomic_exchange(&tas, 1) && left-- > 0) {
		rounds++;
		small = (short)(small * 5);
		product = product * 3 + (unsigned long)b;
		sum += product >> 7;
	}
	atomic_store(&tas, 0);
	return a + (left > -50);
}

static NOINLINE long tries(long a, long b)
{
	int pause = 1, last = 0, expected = 0;
	long made = 0;

	while (!atomic_compare_exchange_strong(&tas, &expected, 1)) {
		for (int k = 0; k < pause; k++)
			made += 2;
		last = pause;
		pause = pause * 2 & 7;
		expected = 0;
		sched_yield();
	}
	a += last < 8;
	atomic_store(&tas, 0);
	return a + (made >= 0 ? b : 0);
}

/* More values than there are registers, all of them needed after the wait. */
static NOINLINE long spilled(long a, long b)
{
	long c = a * 3, d = b + 5, e = a ^ 17, f = b * 7, g = a - b, h = a << 2, i = b << 3, j = a | 8,
	     k = c + e, l = d * f;

	while (!atomic_load(&turns) && atomic_load(&x) < 0)
		;
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j + 11 * k +
	       12 * l;
}

static NOINLINE long many(long a, long b, long c, long d, long e, long f, long g, long h)
{
	atomic_fetch_add(&turns, 1);
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

static NOINLINE long on_stack(long a, long b)
{
	long first = many(a, b, a + 1, b + 1, a + 2, b + 2, a + 3, b + 3);

	return first - many(b, a, 1, 2, 3, 4, first, a);
}

static NOINLINE long through(const long *p, long *q)
{
	atomic_fetch_add(&turns, 1);
	*q = *p + 1;
	atomic_fetch_add(&turns, 1);
	return *p;
}

/* Addresses of the frame, in a function called and in a loop over an array. */
static NOINLINE long pointers(long a, long b)
{
	long v = a, w = b, t[6] = { a, b, 1, 2, 3, 4 };
	char text[24];

	for (unsigned k = 0; k < 6; k++) {
		t[k] += through(&v, &w) + t[(k + 1) % 6];
		v = w;
	}
	snprintf(text, sizeof text, "%ld", t[3]);
	atomic_fetch_add(&turns, 1);
	return t[0] + t[1] + t[5] + (long)strlen(text) + v;
}

struct wide {
	long part[5];
};

static NOINLINE struct wide by_value(struct wide w, long by)
{
	for (unsigned k = 0; k < 5; k++) {
		w.part[k] += by;
		atomic_fetch_add(&turns, 1);
	}
	return w;
}

static NOINLINE long wide(long a, long b)
{
	struct wide w = { { a, b, a, b, a } };

	w = by_value(w, b);
	atomic_fetch_add(&turns, 1);
	w = by_value(w, a);
	return w.part[0] + 2 * w.part[1] + 3 * w.part[4];
}

static NOINLINE long choose(long a, long b)
{
	long r = 1;

	for (int k = 0; k < 6; k++) {
		switch ((a + k) % 7) {
		case 0:
			r += atomic_fetch_add(&turns, 1) * 0 + b;
			break;
		case 1:
			r = r * 2 + k;
			break;
		case 2:
			atomic_fetch_add(&turns, 1);
			r -= b;
			break;
		case 3:
			r ^= a;
			break;
		case 4:
			r += many(r, a, b, 1, 2, 3, r, 5);
			break;
		default:
			r++;
		}
	}
	return r;
}

static NOINLINE double floating(double a, double b)
{
	double c = a * b;

	atomic_fetch_add(&turns, 1);
	return c + a;
}

static NOINLINE long depth(long n, long b)
{
	if (!n)
		return atomic_fetch_add(&turns, 1) * 0 + b;
	return depth(n - 1, b + n) * 2 + n;
}

static NOINLINE long variable(long a, long b)
{
	long t[a % 5 + 2];

	t[a % 5 + 1] = a;
	t[0] = b;
	atomic_fetch_add(&turns, 1);
	t[a % 5 + 1] += 4;
	atomic_fetch_add(&turns, 1);
	return t[0] + t[a % 5 + 1];
}

static long other(long a, long b)
{
	return (long)floating((double)a, (double)b) + depth(3, b) + variable(a, b);
}

typedef long function(long, long);
static function *const functions[] = { ticket, test_and_set, retry,	 retry_weak, queue,
				       poll,   back_off,     spilled,	 on_stack,   pointers,
				       wide,   choose,	     other,	 counters,   tries };
#define NFUNCTIONS (sizeof functions / sizeof *functions)

static unsigned chosen;

static void *thread(void *number)
{
	long n = (long)number;

	return (void *)functions[chosen](n + 3, n);
}

int main(int argc, char **argv)
{
	long before[2], after[2];
	pthread_t t;
	void *result;

	chosen = (unsigned)(argc > 1 ? atoi(argv[1]) : 0) % NFUNCTIONS;
	for (long n = 0; n < 2; n++)
		before[n] = (long)thread((void *)n);
	pthread_create(&t, NULL, thread, (void *)1);
	after[0] = (long)thread((void *)0);
	pthread_join(t, &result);
	after[1] = (long)result;
	assert(before[0] == after[0] && before[1] == after[1]);
	printf("%ld %ld\n", after[0], after[1]);
	return 0;
}
