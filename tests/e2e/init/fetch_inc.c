/* SPDX-License-Identifier: MIT
 *
 * wants: object counter
 * wants: op fetch_inc() -> int : fetch_inc(this)
 * wants: # unsure: it is the only function with the name of an operation
 * verdict: 1
 */
#include <pthread.h>

static int n;

int fetch_inc(int *p)
{
	int before = *p;

	*p = before + 1;
	return before;
}

static volatile long sink;

static void *thread(void *unused)
{
	sink = fetch_inc(&n);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, thread, NULL);
	pthread_create(&b, NULL, thread, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
