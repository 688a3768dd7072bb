/* SPDX-License-Identifier: MIT
 *
 * lin/explain/ has sentences for people. It includes lin/monitor/, lin/ and base/.
 *
 * Sentences on why a few operations are not linearizable, in the words of the API. A specification
 * may have sentences of its own (adt.explain); lin/check/sentence.c has those of collections, and
 * the one for everything else.
 */
#ifndef LINCHPIN_LIN_EXPLAIN_EXPLAIN_H
#define LINCHPIN_LIN_EXPLAIN_EXPLAIN_H

#include "lin/monitor/monitor.h"

#define MAX_LISTED 12 /* operations named in a sentence */

/* A growing text; free s. */
struct text {
	char *s;
	size_t n, capacity;
};

void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "push(3)" or "pop -> 3" */
void text_op(struct text *t, const struct lin_part *part, const struct lin_op *op);
/* The same with its thread: where two operations read alike. */
void text_op_thread(struct text *t, const struct lin_part *part, const struct lin_op *op);
/* The operation's result, or another word that it could have returned: "true", "empty", 3. */
void text_result(struct text *t, const struct lin_part *part, const struct lin_op *op,
		 int64_t word);
/* A value by itself: 3, "a", nothing. */
void text_plain(struct text *t, const struct lin_part *part, int64_t word);

/* enum method_flags of the operation's method; 0 for a user specification. */
uint8_t op_method_flags(const struct lin_part *part, const struct lin_op *op);
/* Is the result a truth value? Its method's flags say so, or else the method's name, as in
 * "contains(3)". */
bool op_gives_truth(const struct lin_part *part, const struct lin_op *op);

/* Registers; classify() as for monitor_register. False, and nothing added, if there is no simple
 * reason. */
bool explain_register(struct text *t, const struct lin_part *part,
		      bool (*classify)(const struct lin_part *, const struct lin_op *,
				       struct register_op *),
		      int64_t initial);

/* What an operation does to a counter. */
struct counter_change {
	int64_t amount; /* it adds that, which may be negative */
	bool sees;      /* its result tells the count before it, which is `before` */
	int64_t before;
};

/* The same for counters. */
bool explain_counter(struct text *t, const struct lin_part *part,
		     void (*change)(const struct lin_op *, struct counter_change *),
		     int64_t initial);

#endif
