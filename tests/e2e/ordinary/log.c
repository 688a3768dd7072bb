/* SPDX-License-Identifier: MIT
 *
 * A log of strings; append returns the place.
 * With FAULTY append reads the length before it locks.
 *
 * faulty: found
 */
#include "ordinary.h"

struct log {
	const char *line[8];
	size_t len;
	pthread_mutex_t lock;
};
static struct log lg = { .lock = PTHREAD_MUTEX_INITIALIZER };

size_t log_append(struct log *l, const char *s)
{
	IF_FAULTY(size_t at = l->len;)
	pthread_mutex_lock(&l->lock);
	IF_CORRECT(size_t at = l->len;)
	l->line[at] = s;
	l->len = at + 1;
	pthread_mutex_unlock(&l->lock);
	return at;
}

const char *log_get(struct log *l, size_t i)
{
	pthread_mutex_lock(&l->lock);
	const char *s = i < l->len ? l->line[i] : NULL;
	pthread_mutex_unlock(&l->lock);
	return s;
}

static void *one(void *arg)
{
	r[0] = log_append(&lg, "one");
	r[1] = log_get(&lg, 1) != NULL;
	return arg;
}

static void *two(void *arg)
{
	r[2] = log_append(&lg, "two");
	r[3] = log_get(&lg, 0) != NULL;
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
