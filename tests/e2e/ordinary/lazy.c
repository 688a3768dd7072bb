/* SPDX-License-Identifier: MIT
 *
 * A value that is made when it is first asked for.
 * With FAULTY nothing is locked.
 *
 * faulty: found
 */
#include "ordinary.h"

static pthread_mutex_t once_lock = PTHREAD_MUTEX_INITIALIZER;
static int made, value;

int config_get(void)
{
	IF_CORRECT(pthread_mutex_lock(&once_lock);)
	if (!made) {
		value = ++made * 42;
	}
	int v = value;
	IF_CORRECT(pthread_mutex_unlock(&once_lock);)
	return v;
}

void config_reset(void)
{
	pthread_mutex_lock(&once_lock);
	made = 0;
	value = 0;
	pthread_mutex_unlock(&once_lock);
}

static void *one(void *arg)
{
	r[0] = config_get();
	config_reset();
	return arg;
}

static void *two(void *arg)
{
	r[1] = config_get();
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
