/* SPDX-License-Identifier: MIT
 *
 * With --malloc=reuse, a thread gets memory that others have used and freed: the allocator orders that.
 *
 * hooks: 0
 * plain: 0
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct node {
	char text[24];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *box;

static void *give(void *arg)
{
	struct node *n = malloc(sizeof *n);

	memset(n, *(char *)arg, sizeof *n);
	pthread_mutex_lock(&lock);
	if (!box) {
		box = n;
		n = NULL;
	}
	pthread_mutex_unlock(&lock);
	free(n);
	return NULL;
}

static void *take(void *unused)
{
	struct node *n;

	pthread_mutex_lock(&lock);
	n = box;
	box = NULL;
	pthread_mutex_unlock(&lock);
	free(n);
	return unused;
}

int main(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, give, "a");
	pthread_create(&t[1], NULL, give, "b");
	pthread_create(&t[2], NULL, take, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	free(box);
	return 0;
}
