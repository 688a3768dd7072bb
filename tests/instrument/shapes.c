/* SPDX-License-Identifier: MIT
 *
 * Functions of many shapes, each on shared memory, and calls of them by libc: comparators, pthread_once, atexit, signal
 * handlers, thread starts. Prints the results.
 */
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

static int numbers[16], lock, ticket, serving;
static long total;
static double mean;
static jmp_buf place;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* ---- called by libc ---- */

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void at_once(void)
{
	total += 1000;
}

static void on_signal(int signal)
{
	total += signal == SIGUSR1 ? 10000 : 1;
}

static void at_end(void)
{
	printf("end %d\n", numbers[3]);
}

/* ---- inline assembly ---- */

static NOINLINE void spin_lock(int *l)
{
	__asm__ volatile("1:	movl $1, %%ecx\n"
			 "	xorl %%eax, %%eax\n"
			 "	lock cmpxchgl %%ecx, %0\n"
			 "	je 3f\n"
			 "2:	pause\n"
			 "	cmpl $0, %0\n"
			 "	jne 2b\n"
			 "	jmp 1b\n"
			 "3:\n"
			 : "+m"(*l)
			 :
			 : "eax", "ecx", "cc", "memory");
}

static NOINLINE void spin_unlock(int *l)
{
	__asm__ volatile("movl $0, %0" : "=m"(*l) : : "memory");
}

static NOINLINE int take_ticket(void)
{
	int mine = 1;

	__asm__ volatile("lock xaddl %0, %1" : "+r"(mine), "+m"(ticket) : : "cc", "memory");
	while (*(volatile int *)&serving != mine)
		__builtin_ia32_pause();
	return mine;
}

/* ---- jumps ---- */

static NOINLINE int interpret(const char *program, int *memory)
{
	static const void *const labels[] = { &&add, &&twice, &&next, &&end };
	int acc = 0;

	goto *labels[program[0] - 'a'];
add:
	acc += *memory;
	goto *labels[*++program - 'a'];
twice:
	*memory = acc * 2;
	goto *labels[*++program - 'a'];
next:
	memory++;
	goto *labels[*++program - 'a'];
end:
	return acc;
}

static NOINLINE int choose(int k, int *p)
{
	switch (k) {
	case 0: return *p + 3;
	case 1: return *p * 5;
	case 2: *p = 4; return 1;
	case 3: p[1] += 2; return p[1];
	case 4: return p[2] ^ 9;
	case 5: p[3]--; return 6;
	case 6: return p[4] << 1;
	default: return -1;
	}
}

static NOINLINE void leave(int depth, int *p) /* it does not return */
{
	++*p;
	if (depth == 0)
		longjmp(place, *p);
	leave(depth - 1, p);
	++*p;
}

static NOINLINE int jump(int *p)
{
	volatile int before = *p;
	int r = setjmp(place);

	if (!r)
		leave(5, p);
	return r * 100 + *p - before;
}

/* ---- frames ---- */

static NOINLINE long frames(int n, const int *from)
{
	int array[n + 1];
	int *more = alloca((size_t)n * sizeof *more);
	long sum = 0;

	memcpy(array, from, (size_t)n * sizeof *array);
	for (int i = 0; i < n; i++)
		more[i] = array[n - 1 - i] * i;
	for (int i = 0; i < n; i++)
		sum += more[i] - (array[i] & 1);
	return sum;
}

static NOINLINE double average(const int *p, int n, double scale)
{
	double sum = 0;

	for (int i = 0; i < n; i++)
		sum += p[i] * scale;
	return sum / n;
}

static NOINLINE long add_all(int n, ...)
{
	va_list list;
	long sum = 0;

	va_start(list, n);
	while (n--)
		sum += *va_arg(list, int *) * va_arg(list, double);
	va_end(list);
	return sum;
}

struct large {
	long v[9];
};

static NOINLINE struct large make_large(const int *p)
{
	struct large l;

	for (int i = 0; i < 9; i++)
		l.v[i] = p[i] * (i + 1L);
	return l;
}

/* ---- names ---- */

NOINLINE int real_name(int *p)
{
	return ++*p;
}
int other_name(int *p) __attribute__((alias("real_name")));

static int chosen(int *p)
{
	return *p += 2;
}
#ifdef __GNUC__
static int (*resolve(void))(int *)
{
	return chosen;
}
int indirect(int *p) __attribute__((ifunc("resolve")));
#endif

static void *work(void *unused)
{
	static const int key = 9;
	int *found;

	take_ticket();
	spin_lock(&lock);
	for (int i = 0; i < 16; i++)
		numbers[i] = i * 7 % 16;
	total += interpret("acbacad", numbers);
	for (int k = 0; k < 9; k++)
		total = total * 3 + choose(k, numbers);
	total += jump(&numbers[5]);
	qsort(numbers, 16, sizeof *numbers, by_value);
	found = bsearch(&key, numbers, 16, sizeof *numbers, by_value);
	total += found ? found - numbers : -1;
	total += frames(12, numbers) + make_large(numbers).v[8];
	mean += average(numbers, 16, 0.5);
	total += add_all(2, &numbers[7], 2.5, &numbers[8], 0.5);
	total += other_name(&numbers[1]) + real_name(&numbers[1]) + indirect(&numbers[2]);
	pthread_once(&once, at_once);
	raise(SIGUSR1);
	spin_unlock(&lock);
	__atomic_fetch_add(&serving, 1, __ATOMIC_SEQ_CST);
	return unused;
}

int main(void)
{
	pthread_t t[2];

	signal(SIGUSR1, on_signal);
	atexit(at_end);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%ld %.3f %d\n", total, mean, ticket);
	return 0;
}
