/* SPDX-License-Identifier: MIT
 *
 * wants: # left out: parameter `message` (struct message)
 * wants: object self
 * wants: op pop() -> int : mailbox_pop(this)
 * verdict: 0
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct message {
	int kind;
	long body[3];
};

struct mailbox {
	pthread_mutex_t lock;
	int n;
	struct message messages[4];
};

static struct mailbox box = { .lock = PTHREAD_MUTEX_INITIALIZER };

void mailbox_push(struct mailbox *m, struct message message)
{
	pthread_mutex_lock(&m->lock);
	m->messages[m->n++] = message;
	pthread_mutex_unlock(&m->lock);
}

int mailbox_pop(struct mailbox *m)
{
	int kind;

	pthread_mutex_lock(&m->lock);
	if (!m->n) {
		pthread_mutex_unlock(&m->lock);
		return -1;
	}
	kind = m->messages[--m->n].kind;
	pthread_mutex_unlock(&m->lock);
	return kind;
}

static volatile long sink;

static void *first(void *unused)
{
	sink = mailbox_pop(&box);
	return unused;
}

static void *second(void *unused)
{
	mailbox_push(&box, (struct message){ .kind = 2 });
	return unused;
}

int main(void)
{
	pthread_t a, b;

	mailbox_push(&box, (struct message){ .kind = 1 });
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
