/* SPDX-License-Identifier: MIT
 *
 * Myers, "An O(ND) Difference Algorithm and Its Variations" (1986), the greedy form. Patches are
 * small, so the square of their size is what is kept.
 */
#include "fix/diff.h"

#include <stdlib.h>
#include <string.h>

#define CONTEXT 3

struct lines {
	const char **at; /* n + 1 */
	int n;
};

static struct lines split(const char *text)
{
	struct lines l = { 0 };
	int capacity = 0;

	for (;;) {
		const char *end = strchr(text, '\n');

		VEC_GROW(l.at, l.n, capacity);
		l.at[l.n] = text;
		if (!*text)
			return l;
		l.n++;
		text = end ? end + 1 : text + strlen(text);
	}
}

static bool same(const struct lines *a, int i, const struct lines *b, int k)
{
	size_t n = (size_t)(a->at[i + 1] - a->at[i]);

	return n == (size_t)(b->at[k + 1] - b->at[k]) && !memcmp(a->at[i], b->at[k], n);
}

/* Marks the lines that are only in the one or only in the other. */
static void compare(const struct lines *a, const struct lines *b, bool *gone, bool *added)
{
	int most = a->n + b->n, width = 2 * most + 3, d, x = 0, y = 0;
	int *v = xcalloc((size_t)width, sizeof *v), **history = NULL, middle = most + 1, kept = 0;

	for (d = 0; d <= most; d++) {
		bool end = false;

		history = xreallocarray(history, (size_t)d + 1, sizeof *history);
		history[d] = xreallocarray(NULL, (size_t)(2 * d + 3), sizeof **history);
		memcpy(history[d], v + middle - d - 1, (size_t)(2 * d + 3) * sizeof **history);
		kept = d + 1;
		for (int k = -d; k <= d && !end; k += 2) {
			x = k == -d || (k != d && v[middle + k - 1] < v[middle + k + 1])
				    ? v[middle + k + 1]
				    : v[middle + k - 1] + 1;
			y = x - k;
			while (x < a->n && y < b->n && same(a, x, b, y)) {
				x++;
				y++;
			}
			v[middle + k] = x;
			end = x >= a->n && y >= b->n;
		}
		if (end)
			break;
	}
	for (x = a->n, y = b->n; d > 0; d--) {
		const int *old = history[d] + d + 1;
		int k = x - y;
		int before = k == -d || (k != d && old[k - 1] < old[k + 1]) ? k + 1 : k - 1;
		int px = old[before], py = px - before;

		while (x > px && y > py) {
			x--;
			y--;
		}
		if (x > px)
			gone[--x] = true;
		else if (y > py)
			added[--y] = true;
	}
	for (int i = 0; i < kept; i++)
		free(history[i]);
	free(history);
	free(v);
}

static void line(FILE *to, char mark, const struct lines *l, int i)
{
	int n = (int)(l->at[i + 1] - l->at[i]);

	fprintf(to, "%c%.*s", mark, n, l->at[i]);
	if (!n || l->at[i][n - 1] != '\n')
		fputs("\n\\ No newline at end of file\n", to);
}

/* The hunk that begins with the change at line i of the one, k of the other; both go behind it. */
static void hunk(FILE *to, const struct lines *a, const struct lines *b, const bool *gone,
		 const bool *added, int *at, int *bt)
{
	int lead = *at < CONTEXT ? *at : CONTEXT, i = *at, k = *bt, ni, nk, quiet = 0;
	int first = *at - lead, second = *bt - lead;

	while (i < a->n || k < b->n) {
		if (i < a->n && gone[i]) {
			i++;
			quiet = 0;
		} else if (k < b->n && added[k]) {
			k++;
			quiet = 0;
		} else if (i < a->n && k < b->n) {
			if (quiet == 2 * CONTEXT)
				break;
			i++;
			k++;
			quiet++;
		} else {
			break;
		}
	}
	if (quiet > CONTEXT) {
		i -= quiet - CONTEXT;
		k -= quiet - CONTEXT;
	}
	ni = i - first;
	nk = k - second;
	fprintf(to, "@@ -%d,%d +%d,%d @@\n", ni ? first + 1 : first, ni, nk ? second + 1 : second,
		nk);
	for (int p = first, q = second; p < i || q < k;) {
		if (p < i && gone[p])
			line(to, '-', a, p++);
		else if (q < k && added[q])
			line(to, '+', b, q++);
		else {
			line(to, ' ', a, p++);
			q++;
		}
	}
	*at = i;
	*bt = k;
}

void diff_write(FILE *to, const char *name, const char *before, const char *after)
{
	struct lines a = split(before), b = split(after);
	bool *gone = xcalloc((size_t)a.n + 1, sizeof *gone),
	     *added = xcalloc((size_t)b.n + 1, sizeof *added), begun = false;

	while (*name == '/')
		name++;
	compare(&a, &b, gone, added);
	for (int i = 0, k = 0; i < a.n || k < b.n;) {
		if (!(i < a.n && gone[i]) && !(k < b.n && added[k])) {
			i++;
			k++;
			continue;
		}
		if (!begun)
			fprintf(to, "--- a/%s\n+++ b/%s\n", name, name);
		begun = true;
		hunk(to, &a, &b, gone, added, &i, &k);
	}
	free(gone);
	free(added);
	free(a.at);
	free(b.at);
}
