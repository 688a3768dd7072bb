/* SPDX-License-Identifier: MIT
 *
 * A mailbox for one message; the sender gets EAGAIN, the receiver waits.
 * With FAULTY post looks before it locks.
 *
 * faulty: found
 */
#include "ordinary.h"

struct mbox {
	int full, msg;
	pthread_mutex_t m;
	pthread_cond_t c;
};
static struct mbox mb = { 0, 0, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER };

int mbox_post(struct mbox *b, int msg)
{
	int r = EAGAIN;
	IF_FAULTY(int full = b->full;)
	pthread_mutex_lock(&b->m);
	IF_CORRECT(int full = b->full;)
	if (!full) {
		b->msg = msg;
		b->full = 1;
		r = 0;
		pthread_cond_signal(&b->c);
	}
	pthread_mutex_unlock(&b->m);
	return r;
}

int mbox_fetch(struct mbox *b)
{
	pthread_mutex_lock(&b->m);
	while (!b->full)
		pthread_cond_wait(&b->c, &b->m);
	b->full = 0;
	int m = b->msg;
	pthread_mutex_unlock(&b->m);
	return m;
}

static void *one(void *arg)
{
	r[0] = mbox_post(&mb, 1);
	return arg;
}

static void *two(void *arg)
{
	r[1] = mbox_post(&mb, 2);
	return arg;
}

static void *three(void *arg)
{
	r[2] = mbox_fetch(&mb);
	return arg;
}

int main(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_create(&t[2], NULL, three, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	pthread_join(t[2], NULL);
	return 0;
}
