/* SPDX-License-Identifier: MIT
 *
 * A flag that is no atomic variable: it races, and so does what it hands over. Machine code may read too early.
 *
 * hooks: 2
 * plain: 0
 */
#include <pthread.h>

static int flag, data;

static void *give(void *arg)
{
	(void)arg;
	data = 1;
	flag = 1;
	return NULL;
}

int main(void)
{
	pthread_t t;
	int sum = 0;

	pthread_create(&t, NULL, give, NULL);
	if (flag)
		sum = data;
	pthread_join(t, NULL);
	return sum > 9;
}
