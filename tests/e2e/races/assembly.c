/* SPDX-License-Identifier: MIT
 *
 * A lock in assembly: no compiler hook tells that it is one.
 *
 * hooks: 0
 * plain: 0
 */
#include "twice.h"

static int lock, data;

static void take(void)
{
	int taken;

	do {
		taken = 1;
		__asm__ volatile("xchgl %0, %1" : "+r"(taken), "+m"(lock) : : "memory");
	} while (taken);
}

static void give(void)
{
	__asm__ volatile("movl $0, %0" : "=m"(lock) : : "memory");
}

static void *work(void *arg)
{
	(void)arg;
	take();
	data++;
	give();
	return NULL;
}

int main(void)
{
	twice(work, NULL);
	return data > 9;
}
