/* SPDX-License-Identifier: MIT
 *
 * A counter without a lock, beside one with a lock.
 *
 * hooks: 1
 * plain: 1
 */
#include "twice.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int bare, locked;

static void *work(void *arg)
{
	(void)arg;
	bare++;
	pthread_mutex_lock(&m);
	locked++;
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	twice(work, NULL);
	return bare + locked > 9;
}
