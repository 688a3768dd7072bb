/* SPDX-License-Identifier: MIT
 *
 * "Did you mean": the name with the least number of letters to insert, delete, replace or exchange
 * with their neighbour (Damerau, CACM 1964), if that is few compared with its length.
 */
#include "spec/file.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST 100

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned distance(const char *a, const char *b)
{
	unsigned rows[3][LONGEST + 1];
	size_t n = strlen(a), m = strlen(b);
	unsigned *before = rows[0], *last = rows[1], *now = rows[2];

	if (n > LONGEST || m > LONGEST)
		return LONGEST;
	for (unsigned j = 0; j <= m; j++)
		last[j] = j;
	for (unsigned i = 1; i <= n; i++) {
		unsigned *reused = before;

		now[0] = i;
		for (unsigned j = 1; j <= m; j++) {
			bool same = a[i - 1] == b[j - 1];

			now[j] = least(last[j - 1] + !same, least(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], before[j - 2] + 1);
		}
		before = last;
		last = now;
		now = reused;
	}
	return last[m];
}

char *spec_did_you_mean(const char *word, const char *const *names, size_t n)
{
	const char *best = NULL;
	unsigned least_distance = 1 + (unsigned)strlen(word) / 3;

	for (size_t i = 0; i < n; i++) {
		unsigned d;

		if (!names[i])
			continue;
		d = distance(word, names[i]);
		if (d > 0 && d < strlen(word) &&
		    (d < least_distance || (d == least_distance && !best))) {
			best = names[i];
			least_distance = d;
		}
	}
	return best ? xasprintf("; did you mean `%s`?", best) : xstrdup("");
}
