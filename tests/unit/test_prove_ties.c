/* SPDX-License-Identifier: MIT
 *
 * Ties of the ranking: which repair comes first once they were explored.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge/prove.h"
#include "repair/rank.h"

#define MOST 6

struct tie {
	const char *atomic, *lock; /* a letter for each repair: Holds, Bounded, Fails, not explored (-), Waits inside */
	const char *ranks;
	const char *order; /* what comes of it, by their former numbers */
};

static enum proof proof_of(char letter)
{
	return letter == 'H' ? PROOF_HOLDS : letter == 'B' ? PROOF_BOUNDED : letter == 'F' ? PROOF_FAILS : PROOF_NONE;
}

static void test_order(void **state)
{
	static const struct tie ties[] = {
		{ "HHH", "FHB", "111", "120" },
		{ "HHH", "WFH", "111", "201" },
		{ "FHH", "-FH", "111", "210" },
		{ "HH", "FH", "12", "01" },         /* another rank: it rules out more */
		{ "HHHH", "FFHH", "1133", "0123" }, /* only among themselves */
		{ "HH", "BH", "11", "01" },         /* what is not known is not held against it */
		{ "H-", "F-", "11", "01" },         /* it was not to be explored */
	};

	for (size_t i = 0; i < sizeof ties / sizeof *ties; i++) {
		const struct tie *t = &ties[i];
		struct proof_of_repair list[MOST] = { 0 };
		struct ranked_repair repairs[MOST] = { 0 };
		struct proofs p = { .list = list };

		for (; t->ranks[p.n]; p.n++) {
			list[p.n].asked = t->atomic[p.n] != '-';
			list[p.n].atomic.result = proof_of(t->atomic[p.n]);
			list[p.n].atomic.classes = p.n;
			list[p.n].lock.result = proof_of(t->lock[p.n]);
			list[p.n].closed.wait_site = t->lock[p.n] == 'W' ? 7 : NONE;
			repairs[p.n].disabled = (uint64_t)(t->ranks[p.n] - '0');
			repairs[p.n].rank = p.n;
		}
		proofs_order(&p, repairs);
		for (uint32_t k = 0; k < p.n; k++) {
			assert_int_equal(repairs[k].rank, t->order[k] - '0');
			assert_int_equal(list[k].atomic.classes, t->order[k] - '0');
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
