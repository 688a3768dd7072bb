/* SPDX-License-Identifier: MIT */
#ifndef LINCHPIN_JUDGE_SELF_PRIVATE_H
#define LINCHPIN_JUDGE_SELF_PRIVATE_H

#include "base/numbering.h"
#include "judge/self.h"
#include "judge/value.h"

struct self {
	struct run *run; /* of the sequential executions */
	struct orders orders;
	struct numbering objects, symbols;
	struct numbering methods; /* operations of objects, by names */
	struct self_method {
		uint32_t name;         /* in run->strings */
		bool returned, waited; /* in some execution */
	} * by_method;
	uint32_t methods_capacity;
	struct numbering results; /* of operations of objects */
	uint32_t nshown;          /* the first of them are those of sequential executions */
	struct self_guess *guesses;
	uint32_t nguesses, guesses_capacity;
	bool complete;
	uint64_t executions;
};

struct self_method *self_method(struct self *s, const struct run *run, const struct operation *op);
/* The number of its result in s->results. */
uint32_t self_result(struct self *s, const struct run *run, const struct operation *op);

/* self_graph.c: reads RUNDIR/self/trace and RUNDIR/self/states into s->orders. */
int self_read_graph(struct self *s, struct error *e);

/* self_guess.c: compares the guesses of the run with its executions. */
int self_try_guesses(struct self *s, struct error *e);

#endif
