/* SPDX-License-Identifier: MIT
 *
 * Operations with many kinds of branches, of which the client takes the same in every schedule.
 */
#include "linchpin.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int counter, table[8], sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static inline int clamp(int x, int most)
{
	if (x > most)
		return most;
	if (x < 0)
		return 0;
	return x;
}

static int digit(int x)
{
	switch (x) {
	case 0:
		return 10;
	case 1:
		return 20;
	case 2:
		return 40;
	case 3:
		return 25;
	default:
		break;
	}
	return -1;
}

static int collatz(int n)
{
	int steps = 0;

	while (n != 1) {
		if (n % 2)
			n = 3 * n + 1;
		else
			n /= 2;
		steps++;
	}
	return steps;
}

static int never(int x)
{
	counter = x;
	return x + 1;
}

__attribute__((noinline)) static int update(int x)
{
	int r = 0;

	if (x < 0) {
		counter = -1;
		return -1;
	}
	pthread_mutex_lock(&lock);
	counter += clamp(x, 5);
	if (x == 100)
		r = 7;
	else if (x == 3)
		r = 9;
	for (int i = 0; i < 8; i++) {
		if (i == x)
			continue;
		if (table[i] > 1000)
			goto out;
		table[i] += digit(i & 3);
	}
	if (counter > 1000) {
		sum = 0;
		r = -5;
	}
	sum += collatz(x + 2);
out:
	pthread_mutex_unlock(&lock);
	if (x > 50)
		return never(r);
	return r > 3 ? r : x;
}

__attribute__((noinline)) static int look(int key)
{
	int n = 0;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < 8; i++)
		if (table[i] == key)
			n++;
	pthread_mutex_unlock(&lock);
	if (n > 7) {
		n = 7;
		return -n;
	}
	return n;
}

static void *one(void *arg)
{
	linchpin_call(&counter, "update", 3);
	linchpin_return(update(3));
	return arg;
}

static void *two(void *arg)
{
	linchpin_call(&counter, "update", 4);
	linchpin_return(update(4));
	linchpin_call(&counter, "look", -1);
	linchpin_return(look(-1));
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return counter == 7 ? 0 : 1;
}
