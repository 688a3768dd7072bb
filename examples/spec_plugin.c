/* SPDX-License-Identifier: MIT
 *
 * A specification of your own: a bank account.
 *
 *	deposit(amount)
 *	withdraw(amount) -> true or false
 *	balance -> n
 *
 *	cc -shared -fPIC -Iinclude -o account.so examples/spec_plugin.c
 *	linchpin check --adt './account.so(100)' history.txt
 */
#include "linchpin_spec.h"

#include <stdlib.h>
#include <string.h>

struct account {
	int64_t balance;
};

static struct account *make(int64_t balance)
{
	struct account *a = malloc(sizeof *a);

	if (!a)
		abort();
	a->balance = balance;
	return a;
}

static void *init(const char *parameters)
{
	int64_t balance = strtoll(parameters, NULL, 10);

	return balance < 0 ? NULL : make(balance);
}

static int allows(const struct linchpin_spec_value *result, int64_t value)
{
	return result->kind != LINCHPIN_SPEC_INT || result->integer == value;
}

static void *apply(void *state, const struct linchpin_spec_operation *op, int *known)
{
	struct account *a = state;
	int64_t amount = op->nargs ? op->args[0].integer : 0;

	if (!strcmp(op->name, "deposit"))
		return make(a->balance + amount);
	if (!strcmp(op->name, "withdraw")) {
		int enough = amount <= a->balance;

		if (!allows(&op->result, enough))
			return NULL;
		return enough ? make(a->balance - amount) : a;
	}
	if (!strcmp(op->name, "balance"))
		return allows(&op->result, a->balance) ? a : NULL;
	*known = 0;
	return NULL;
}

static int equal(const void *a, const void *b)
{
	return ((const struct account *)a)->balance == ((const struct account *)b)->balance;
}

static uint64_t hash(const void *state)
{
	return (uint64_t)((const struct account *)state)->balance * 0x9e3779b97f4a7c15ULL;
}

const struct linchpin_spec *linchpin_spec(void)
{
	static const struct linchpin_spec spec = {
		.version = LINCHPIN_SPEC_VERSION,
		.name = "bank account",
		.init = init,
		.apply = apply,
		.equal = equal,
		.hash = hash,
		.free = free,
	};

	return &spec;
}
