/* SPDX-License-Identifier: MIT
 *
 * Critical sections with N writes each, and threads that read and write the same variables outside: figure 2 of
 * Huang, "Stateless Model Checking Concurrent Programs with Maximal Causality Reduction" (PLDI 2015). 345,069 classes
 * for 5 if each write counts; 25,333 if one that leaves the value as it was is a read.
 */
#include "oracle.h"

#include <stdatomic.h>

static atomic_int x, y;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void set_both(void)
{
	pthread_mutex_lock(&lock);
	atomic_store(&x, 1);
	for (int i = 0; i < N; i++)
		atomic_store(&y, 1);
	pthread_mutex_unlock(&lock);
}

static void clear_and_add(void)
{
	pthread_mutex_lock(&lock);
	atomic_store(&x, 0);
	pthread_mutex_unlock(&lock);
	if (atomic_load(&x) > 0) {
		atomic_store(&y, atomic_load(&y) + 1);
		atomic_store(&x, 2);
	}
}

static int look(void)
{
	if (atomic_load(&x) <= 1)
		return 0;
	if (atomic_load(&y) == 3)
		return 1;
	atomic_store(&y, 2);
	return 0;
}

static void *thread(void *argument)
{
	for (int i = 0; i < 2; i++)
		switch ((int)(uintptr_t)argument) {
		case 0:
			set_both();
			break;
		case 1:
			clear_and_add();
			break;
		default:
			if (look())
				return NULL;
		}
	return NULL;
}

int main(void)
{
	oracle_run(3, thread);
	return 0;
}
