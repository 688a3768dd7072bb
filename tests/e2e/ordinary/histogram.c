/* SPDX-License-Identifier: MIT
 *
 * Two atomic counters.
 * With FAULTY add reads and writes in two steps.
 *
 * faulty: found
 */
#include "ordinary.h"

struct hist {
	atomic_int bin[2];
};
static struct hist hg;

void hist_add(struct hist *x, int i)
{
	IF_CORRECT(atomic_fetch_add(&x->bin[i], 1);) IF_FAULTY(x->bin[i] = x->bin[i] + 1;)
}

int hist_count(struct hist *x, int i)
{
	return atomic_load(&x->bin[i]);
}

static void *one(void *arg)
{
	hist_add(&hg, 0);
	hist_add(&hg, 1);
	r[0] = hist_count(&hg, 0);
	return arg;
}

static void *two(void *arg)
{
	hist_add(&hg, 0);
	r[1] = hist_count(&hg, 0);
	r[2] = hist_count(&hg, 1);
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
