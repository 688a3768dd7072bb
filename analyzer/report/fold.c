/* SPDX-License-Identifier: MIT
 *
 * The rounds of a loop are the same rows again and again. Each row begins a comparison with those
 * one period later, for every period; a comparison that goes far is followed by a fold, which is
 * not looked at again, so this is linear in the rows.
 */
#include "report/fold.h"

#define MIN_TIMES 3 /* twice the same may well matter */
#define MIN_SAVED 4 /* rows; a fold needs one itself */

struct fold fold_at(const uint32_t *rows, uint32_t n, uint32_t i)
{
	struct fold best = { 1, 1 };
	uint32_t most = MIN_SAVED - 1;

	for (uint32_t period = 1; period <= FOLD_PERIOD; period++) {
		uint32_t k = i + period, times, saved;

		while (k < n && rows[k] == rows[k - period])
			k++;
		if (k > n)
			break;
		times = (k - i) / period;
		saved = (times - 1) * period;
		if (times >= MIN_TIMES && saved > most) {
			most = saved;
			best = (struct fold){ period, times };
		}
	}
	return best;
}
