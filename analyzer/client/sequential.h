/* SPDX-License-Identifier: MIT
 *
 * What the operations of a client do one at a time, by the specification.
 */
#ifndef LINCHPIN_CLIENT_SEQUENTIAL_H
#define LINCHPIN_CLIENT_SEQUENTIAL_H

#include "client/client.h"

enum op_kind {
	OP_READS,   /* never changes the object */
	OP_TAKES,   /* can only take out */
	OP_CHANGES, /* anything else */
};

/* What the data type says of an operation; of a specification that is not built in, its name. */
enum op_kind op_kind_of(const struct spec_file *spec, uint32_t op);

struct sequential;

/* NULL if the specification is none that is built in: then nothing is known of what runs do. */
struct sequential *sequential_new(const struct alphabet *a);
void sequential_free(struct sequential *m);

struct sequential_answer {
	bool before;        /* each operation before the threads changes the object */
	bool stuck;         /* in some order, operations that wait would wait for ever */
	bool moves;         /* in some order, an operation of a thread changes the object */
	unsigned conflicts; /* pairs of operations of two threads that can notice each other */
};

/* Executes the operations in all orders. */
void sequential_run(struct sequential *m, const struct client *c, struct sequential_answer *answer);

#endif
