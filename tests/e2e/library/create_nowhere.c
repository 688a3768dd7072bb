/* SPDX-License-Identifier: MIT
 *
 * Pthread_create is told to store to address 1, in one order: a crash of the program, not of the
 * tool.
 */
#include <pthread.h>

static pthread_t other;
static pthread_t *volatile where = &other;
static int x;

static void *work(void *arg) { x++; return arg; }
static void *spoils(void *arg) { where = (pthread_t *)1; return arg; }

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, spoils, NULL);
	pthread_create(where, NULL, work, NULL);
	pthread_join(t, NULL);
	return 0;
}
