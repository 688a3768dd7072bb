/* SPDX-License-Identifier: MIT
 *
 * A counter under Peterson's lock.
 * With FAULTY the turn is given to oneself.
 *
 * faulty: found
 */
#include "ordinary.h"

struct sh {
	atomic_int flag[2], turn;
	int n;
};
static struct sh sh;

static int sh_inc(struct sh *s, int me)
{
	atomic_store(&s->flag[me], 1);
	IF_CORRECT(atomic_store(&s->turn, 1 - me);)
	IF_FAULTY(atomic_store(&s->turn, me);)
	while (atomic_load(&s->flag[1 - me]) && atomic_load(&s->turn) == 1 - me)
		;
	int v = s->n++;
	atomic_store(&s->flag[me], 0);
	return v;
}

static void *one(void *arg)
{
	r[0] = sh_inc(&sh, 0);
	return arg;
}

static void *two(void *arg)
{
	r[1] = sh_inc(&sh, 1);
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
