/* SPDX-License-Identifier: MIT
 *
 * Mutexes of all types and protocols.
 */
#include "same.h"

static pthread_mutex_t m;

static void make(int type, int robust, int protocol)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	R(pthread_mutexattr_settype(&a, type));
	R(pthread_mutexattr_setrobust(&a, robust ? PTHREAD_MUTEX_ROBUST : PTHREAD_MUTEX_STALLED));
	R(pthread_mutexattr_setprotocol(&a, protocol));
	R(pthread_mutex_init(&m, &a));
	pthread_mutexattr_destroy(&a);
}

static void *lock_and_end(void *unused)
{
	R(pthread_mutex_lock(&m));
	return unused;
}

static void *while_held(void *checked)
{
	R(pthread_mutex_trylock(&m));
	R(pthread_mutex_timedlock(&m, &past));
	R(pthread_mutex_timedlock(&m, &too_small));
	R(pthread_mutex_timedlock(&m, &too_large));
	R(pthread_mutex_clocklock(&m, CLOCK_REALTIME, &past));
	R(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &past));
	R(pthread_mutex_clocklock(&m, CLOCK_MONOTONIC, &too_large));
	R(pthread_mutex_clocklock(&m, CLOCK_PROCESS_CPUTIME_ID, &past));
	R(pthread_mutex_clocklock(&m, 77, &past));
	if (checked)
		R(pthread_mutex_unlock(&m));
	return NULL;
}

static void of_type(int type, int robust, int protocol)
{
	long checked = robust || type == PTHREAD_MUTEX_ERRORCHECK || type == PTHREAD_MUTEX_RECURSIVE;

	printf("type %d robust %d protocol %d\n", type, robust, protocol);
	make(type, robust, protocol);
	if (checked)
		R(pthread_mutex_unlock(&m));
	R(pthread_mutex_lock(&m));
	R(pthread_mutex_trylock(&m));
	R(pthread_mutex_timedlock(&m, &past));
	if (type == PTHREAD_MUTEX_ERRORCHECK || type == PTHREAD_MUTEX_RECURSIVE)
		R(pthread_mutex_lock(&m));
	if (type == PTHREAD_MUTEX_RECURSIVE) {
		R(pthread_mutex_unlock(&m));
		R(pthread_mutex_unlock(&m));
		R(pthread_mutex_unlock(&m));
	}
	elsewhere(while_held, (void *)checked);
	R(pthread_mutex_consistent(&m));
	R(pthread_mutex_unlock(&m));
	if (checked)
		R(pthread_mutex_unlock(&m));
	R(pthread_mutex_timedlock(&m, &too_large));
	R(pthread_mutex_unlock(&m));
	R(pthread_mutex_destroy(&m));
}

static void owner_died(int type)
{
	make(type, 1, PTHREAD_PRIO_NONE);
	elsewhere(lock_and_end, NULL);
	R(pthread_mutex_trylock(&m));
	R(pthread_mutex_consistent(&m));
	R(pthread_mutex_consistent(&m));
	R(pthread_mutex_unlock(&m));
	R(pthread_mutex_lock(&m));
	R(pthread_mutex_unlock(&m));
	elsewhere(lock_and_end, NULL);
	R(pthread_mutex_timedlock(&m, &past));
	R(pthread_mutex_unlock(&m));
	R(pthread_mutex_lock(&m));
	R(pthread_mutex_timedlock(&m, &past));
	R(pthread_mutex_consistent(&m));
	R(pthread_mutex_trylock(&m)); /* libc does not give it back then */
	R(pthread_mutex_destroy(&m));
}

static void ceilings(void)
{
	pthread_mutexattr_t a;
	int v = -1;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_PROTECT);
	R(pthread_mutexattr_setprioceiling(&a, 5));
	R(pthread_mutexattr_setprioceiling(&a, 1000));
	pthread_mutex_init(&m, &a);
	R(pthread_mutex_getprioceiling(&m, &v));
	V(v);
	R(pthread_mutex_setprioceiling(&m, 1000, &v));
	R(pthread_mutex_destroy(&m));
	pthread_mutex_init(&m, NULL);
	R(pthread_mutex_getprioceiling(&m, &v));
	R(pthread_mutex_setprioceiling(&m, 5, &v));
	R(pthread_mutexattr_settype(&a, 99));
	R(pthread_mutexattr_setprotocol(&a, 99));
	R(pthread_mutexattr_setrobust(&a, 99));
	R(pthread_mutexattr_setpshared(&a, 99));
}

void calls(void)
{
	for (int type = PTHREAD_MUTEX_NORMAL; type <= PTHREAD_MUTEX_ADAPTIVE_NP; type++)
		for (int robust = 0; robust < 2; robust++) {
			if (type == PTHREAD_MUTEX_ADAPTIVE_NP && robust)
				continue;
			of_type(type, robust, PTHREAD_PRIO_NONE);
			if (type != PTHREAD_MUTEX_ADAPTIVE_NP && !robust)
				of_type(type, robust, PTHREAD_PRIO_INHERIT);
		}
	owner_died(PTHREAD_MUTEX_NORMAL);
	owner_died(PTHREAD_MUTEX_RECURSIVE);
	owner_died(PTHREAD_MUTEX_ERRORCHECK);
	ceilings();
}
