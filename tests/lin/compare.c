/* SPDX-License-Identifier: MIT */
#include "compare.h"

#include "lin/check/check.h"

#include <string.h>

static const char *check_verdict(enum kind kind, const struct history *h, enum check_mode mode,
				 bool expected)
{
	struct lin_options options = { .specification = kind_specification[kind] };
	struct lin_result result;
	struct error e;
	enum lin_verdict verdict;

	if (lin_check_mode(h, &options, mode, &result, &e)) {
		puts(e.message);
		return "an error";
	}
	verdict = result.verdict;
	lin_result_free(&result);
	if (verdict == LIN_UNKNOWN)
		return mode == CHECK_MONITOR ? "" : "unknown";
	if ((verdict == LIN_OK) == expected)
		return NULL;
	return mode == CHECK_AUTO      ? "automatic"
	       : mode == CHECK_GENERAL ? "general search"
	       : mode == CHECK_WHOLE   ? "general search, not by key"
				       : "monitor";
}

static const char *check_order(enum kind kind, struct history *h)
{
	struct lin_options options = { .specification = kind_specification[kind],
				       .linearization = true };
	struct lin_result result;
	bool ok;

	if (lin_check(h, &options, &result, NULL))
		return "an error";
	ok = oracle_order(kind, h, result.order, result.norder);
	lin_result_free(&result);
	return ok ? NULL : "linearization";
}

static uint64_t all_but(const struct history *h, const struct lin_result *result)
{
	uint64_t without = h->nops < 64 ? (1ULL << h->nops) - 1 : ~0ULL;

	for (size_t i = 0; i < result->nwitness; i++)
		without &= ~(1ULL << result->witness[i]);
	return without;
}

/* The value that an operation of a collection adds or removes. */
static bool value_of(const struct history_op *op, int64_t *value)
{
	if (op->nargs) {
		*value = op->args[0].v;
		return true;
	}
	*value = op->result.v;
	return op->ret != TIME_PENDING && op->result.tag == VALUE_INT;
}

/* Without all operations of any one value, the witness must be linearizable. */
static const char *check_minimal(enum kind kind, struct history *h, const struct lin_result *result)
{
	for (size_t i = 0; i < result->nwitness; i++) {
		uint64_t without = all_but(h, result);
		int64_t value, other;

		if (!value_of(&h->ops[result->witness[i]], &value))
			continue;
		for (size_t k = 0; k < result->nwitness; k++)
			if (value_of(&h->ops[result->witness[k]], &other) && other == value)
				without |= 1ULL << result->witness[k];
		if (!oracle(kind, h, without))
			return "witness is not minimal";
	}
	return NULL;
}

/* Values cannot be deleted from histories with sizes, or with removes of an unknown value. */
static bool can_delete_values(const struct history *h)
{
	for (size_t i = 0; i < h->nops; i++) {
		const struct history_op *op = &h->ops[i];

		if (!strcmp(h->methods[op->method], "size"))
			return false;
		if (!op->nargs && op->ret != TIME_PENDING &&
		    (op->result.tag == VALUE_UNKNOWN || op->result.tag == VALUE_NONE))
			return false;
	}
	return true;
}

static const char *check_witness(enum kind kind, struct history *h, struct tally *tally)
{
	struct lin_options options = { .specification = kind_specification[kind], .witness = true };
	struct lin_result result;
	const char *bad = NULL;

	if (lin_check(h, &options, &result, NULL))
		return "an error";
	if (!result.nwitness || !result.why || !strlen(result.why))
		bad = "no witness";
	else if (oracle(kind, h, all_but(h, &result)))
		bad = "witness is linearizable";
	else if ((kind == K_STACK || kind == K_QUEUE || kind == K_DEQUE || kind == K_PQUEUE_MIN ||
		  kind == K_PQUEUE_MAX) &&
		 can_delete_values(h))
		bad = check_minimal(kind, h, &result);
	tally->witnesses++;
	lin_result_free(&result);
	return bad;
}

const char *compare(enum kind kind, struct history *h, struct tally *tally)
{
	bool expected = oracle(kind, h, 0);
	const char *bad = check_verdict(kind, h, CHECK_GENERAL, expected), *monitor;

	if (!bad)
		bad = check_verdict(kind, h, CHECK_AUTO, expected);
	if (!bad)
		bad = check_verdict(kind, h, CHECK_WHOLE, expected);
	monitor = check_verdict(kind, h, CHECK_MONITOR, expected);
	if (!bad && monitor && *monitor)
		bad = monitor;
	if (!bad)
		bad = expected ? check_order(kind, h) : check_witness(kind, h, tally);
	tally->histories++;
	tally->linearizable += expected;
	tally->monitored += !monitor;
	return bad;
}

static void print_history(enum kind kind, const struct history *h)
{
	printf("%s\n", kind_specification[kind]);
	for (size_t i = 0; i < h->nops; i++) {
		const struct history_op *op = &h->ops[i];

		printf("  %s", h->methods[op->method]);
		for (int k = 0; k < op->nargs; k++)
			printf(" %lld", (long long)op->args[k].v);
		printf(" -> tag %d %lld", op->result.tag, (long long)op->result.v);
		if (op->result.tag == VALUE_STRING)
			printf(" \"%s\"", h->strings[op->result.v]);
		printf(" [%lld, %lld]\n", (long long)op->call,
		       op->ret == TIME_PENDING ? -1LL : (long long)op->ret);
	}
}

bool compare_many(enum kind kind, uint64_t seed, unsigned count, struct tally *tally)
{
	struct random r = { seed * 1000003 + kind };

	for (unsigned i = 0; i < count; i++) {
		struct shape shape;
		struct history h;
		const char *bad;

		generate_shape(&r, &shape);
		generate(&r, kind, &shape, &h);
		bad = compare(kind, &h, tally);
		if (bad) {
			printf("%s: wrong: %s\n", kind_specification[kind], bad);
			print_history(kind, &h);
		}
		history_free(&h);
		if (bad)
			return false;
	}
	return true;
}
