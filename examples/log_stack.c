/* SPDX-License-Identifier: MIT
 *
 * A stress test that records its history: threads push and pop on one stack at full speed, and
 * `linchpin check` says whether all of it can be explained by a stack.
 *
 *	cc -O2 -pthread -Iinclude examples/log_stack.c -o log_stack
 *	./log_stack history.txt && linchpin check history.txt
 *	./log_stack --broken history.txt && linchpin check --html history.html history.txt
 *
 * The stack is Treiber's (IBM RJ 5118, 1986), without reuse of nodes, so without ABA. With --broken
 * the compare-and-swap has become a load, a comparison and a store: two threads can both succeed.
 */
#include "linchpin_log.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#define THREADS_MAX 64

struct node {
	int64_t value;
	struct node *next;
};

static _Atomic(struct node *) head;
static bool broken;
static struct linchpin_log *history;
static long operations = 2000;
static pthread_barrier_t start;

static bool swing(struct node **expected, struct node *desired)
{
	if (!broken)
		return atomic_compare_exchange_strong(&head, expected, desired);
	if (atomic_load(&head) != *expected) {
		*expected = atomic_load(&head);
		return false;
	}
	/* Somebody else may be here, too. */
	sched_yield();
	atomic_store(&head, desired);
	return true;
}

static void push(struct node *node)
{
	struct node *top = atomic_load(&head);

	do {
		node->next = top;
	} while (!swing(&top, node));
}

static struct node *pop(void)
{
	struct node *top = atomic_load(&head);

	while (top && !swing(&top, top->next))
		;
	return top;
}

static void *work(void *argument)
{
	unsigned number = (unsigned)(uintptr_t)argument;
	struct linchpin_logger *me = linchpin_log_thread(history, number);
	struct node *nodes = calloc((size_t)operations, sizeof *nodes);
	uint64_t random = number + 1;

	pthread_barrier_wait(&start);
	for (long i = 0; nodes && i < operations; i++) {
		random = random * 6364136223846793005u + 1442695040888963407u;
		if (random >> 63) {
			/* Different values: a history says more, and is checked faster. */
			nodes[i].value = (int64_t)number * operations + i;
			linchpin_log_call(me, "push", nodes[i].value);
			push(&nodes[i]);
			linchpin_log_return_void(me);
		} else {
			struct node *node;

			linchpin_log_call(me, "pop");
			node = pop();
			if (node)
				linchpin_log_return(me, node->value);
			else
				linchpin_log_return_empty(me);
		}
	}
	/* Nodes are reachable from the stack until the program ends. */
	return nodes;
}

static int usage(const char *name)
{
	fprintf(stderr, "usage: %s [--broken] FILE [THREADS [OPERATIONS]]\n", name);
	return 2;
}

int main(int argc, char **argv)
{
	int first = argc > 1 && !strcmp(argv[1], "--broken") ? 2 : 1;
	unsigned threads = argc > first + 1 ? (unsigned)atoi(argv[first + 1]) : 4;
	pthread_t ids[THREADS_MAX];
	void *nodes[THREADS_MAX];
	int result;

	broken = first == 2;
	if (argc > first + 2)
		operations = atol(argv[first + 2]);
	if (argc <= first || !threads || threads > THREADS_MAX || operations < 1)
		return usage(argv[0]);
	history = linchpin_log_open(threads, (size_t)operations);
	if (!history || pthread_barrier_init(&start, NULL, threads))
		return 2;
	for (unsigned i = 0; i < threads; i++)
		if (pthread_create(&ids[i], NULL, work, (void *)(uintptr_t)i))
			return 2;
	for (unsigned i = 0; i < threads; i++)
		pthread_join(ids[i], &nodes[i]);
	result = linchpin_log_save(history, argv[first], "specification stack");
	if (result)
		perror(argv[first]);
	for (unsigned i = 0; i < threads; i++)
		free(nodes[i]);
	linchpin_log_close(history);
	return result ? 2 : 0;
}
