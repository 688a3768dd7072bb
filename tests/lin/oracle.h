/* SPDX-License-Identifier: MIT
 *
 * An oracle for linearizability that shares no code with the checker: it tries the operations in
 * every order that respects their times, on a plain model of each data type. For a dozen operations
 * at most.
 */
#ifndef TEST_LIN_ORACLE_H
#define TEST_LIN_ORACLE_H

#include "lin/lin.h"

enum kind {
	K_SET,
	K_MULTISET,
	K_MAP,
	K_STACK,
	K_QUEUE,
	K_DEQUE,
	K_PQUEUE_MIN,
	K_PQUEUE_MAX,
	K_REGISTER,
	K_MULTI_REGISTER,
	K_COUNTER,
	K_MUTEX,
	K_SEMAPHORE,
	K_BOUNDED_QUEUE,
	K_BOUNDED_STACK,
	K_APPEND_LIST,
	K_KV,
	K_COUNT
};

/* The specification text that names the kind. */
extern const char *const kind_specification[K_COUNT];

#define MODEL_MAX 16
#define KEYS      4

struct model {
	int64_t a[MODEL_MAX];
	int n;
	int64_t by_key[KEYS]; /* set, multiset: how many; map, registers: value, ABSENT */
	char text[KEYS][128]; /* kv */
};

#define ABSENT (-1000)

void model_init(enum kind kind, struct model *m);
/*
 * Runs the operation; its result goes to *result. False if it would block (a lock that is held,
 * when the result cannot say so). `h` is for strings.
 */
bool model_run(enum kind kind, struct model *m, struct history *h, const struct history_op *op,
	       struct value *result);

/* Is the recorded result one that the model's allows? */
bool result_allows(const struct value *recorded, const struct value *model);

/* Is the history (one object) linearizable? Operations whose bit in `without` is set are left
 * out. */
bool oracle(enum kind kind, struct history *h, uint64_t without);

/* Is this order of operations a linearization? */
bool oracle_order(enum kind kind, struct history *h, const uint32_t *order, size_t n);

#endif
