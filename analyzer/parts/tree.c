/* SPDX-License-Identifier: MIT */
#include "parts/tree.h"
#include "format/run_dir.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct branch *branch_new(struct branch *parent, unsigned thread, enum branch_state state)
{
	struct branch *b = xcalloc(1, sizeof *b);

	b->parent = parent;
	b->thread = (uint8_t)thread;
	b->state = (uint8_t)state;
	if (!parent)
		return b;
	if (parent->last)
		parent->last->next = b;
	else
		parent->first = b;
	parent->last = b;
	return b;
}

static struct branch *branch_of(const struct branch *parent, unsigned thread)
{
	struct branch *b = parent->first;

	while (b && b->thread != thread)
		b = b->next;
	return b;
}

struct branch *tree_new(void)
{
	return branch_new(NULL, 0, BRANCH_LEFT);
}

/* The branch that comes after this one where each comes before those below it; NULL: none. */
static struct branch *behind(const struct branch *b)
{
	while (b && !b->next)
		b = b->parent;
	return b ? b->next : NULL;
}

static struct branch *after(const struct branch *b)
{
	return b->first ? b->first : behind(b);
}

static void free_below(struct branch *root)
{
	struct branch *b = root->first, *next;

	while (b) {
		if (b->first) {
			next = b->first;
			b->first = NULL;
		} else {
			next = b->next ? b->next : b->parent == root ? NULL : b->parent;
			free(b);
		}
		b = next;
	}
	root->first = root->last = NULL;
}

void tree_free(struct branch *root)
{
	if (!root)
		return;
	free_below(root);
	free(root);
}

static bool all_done(const struct branch *b)
{
	for (const struct branch *k = b->first; k; k = k->next)
		if (k->state != BRANCH_DONE || k->shared)
			return false;
	return b->first != NULL;
}

/* Parents come after what lies below them in the list of all, read backwards. */
void tree_prune(struct branch *root)
{
	struct units open = { 0 };

	tree_units(root, BRANCH_OPEN, &open);
	while (open.n--)
		if (all_done(open.list[open.n])) {
			free_below(open.list[open.n]);
			open.list[open.n]->state = BRANCH_DONE;
		}
	free(open.list);
}

void tree_units(struct branch *root, enum branch_state state, struct units *units)
{
	for (struct branch *b = root; b; b = after(b)) {
		if (b->state != state)
			continue;
		VEC_GROW(units->list, units->n, units->capacity);
		units->list[units->n++] = b;
	}
}

/* ---- ways ---- */

uint32_t tree_depth(const struct branch *unit)
{
	uint32_t n = 0;

	for (; unit->parent; unit = unit->parent)
		n++;
	return n;
}

static const struct branch **way_of(const struct branch *unit, uint32_t n)
{
	const struct branch **way = xcalloc(n + 1UL, sizeof *way);

	for (; n; unit = unit->parent)
		way[--n] = unit;
	return way;
}

void tree_print_unit(const struct branch *unit, const struct branch *before, FILE *to)
{
	uint32_t n = tree_depth(unit), m = before ? tree_depth(before) : 0, kept = 0;
	const struct branch **way = way_of(unit, n), **other = before ? way_of(before, m) : NULL;

	while (kept < n && kept < m && way[kept] == other[kept])
		kept++;
	fprintf(to, "unit %" PRIu32, kept);
	for (uint32_t i = kept; i < n; i++) {
		char mark = ':';

		fprintf(to, " %u", way[i]->thread);
		for (const struct branch *b = way[i]->parent->first; b != way[i]; b = b->next) {
			fprintf(to, "%c%u", mark, b->thread);
			mark = ',';
		}
	}
	putc('\n', to);
	free(way);
	free(other);
}

/* ---- what parts hand back ---- */

static int damaged(struct error *e, const char *line)
{
	return error_set(e, "`%.100s` is not what a part hands back; is the run directory damaged?",
			 line);
}

/* Do other shards know that this state has branches? */
static bool forks_for_all(const struct branch *b)
{
	return b->first && b->first->shared;
}

/* About as many executions, as a power of two. */
static uint8_t size_of(uint64_t executions)
{
	return (uint8_t)(executions ? 63 - __builtin_clzll(executions) : 0);
}

static int apply_above(const struct branch *unit, unsigned level, unsigned thread, uint8_t size)
{
	uint32_t n = tree_depth(unit);

	if (level >= n || thread >= LP_MAX_THREADS)
		return -1;
	for (; n > level; n--)
		unit = unit->parent;
	if (!branch_of(unit, thread))
		branch_new((struct branch *)unit, thread,
			   forks_for_all(unit) ? BRANCH_FOUND : BRANCH_LEFT)
			->size = size;
	return 0;
}

/* The branches from one state: dTHREAD is done, oTHREAD goes on in the next line, lTHREAD is left. */
static int apply_state(struct branch **at, char *words)
{
	struct branch *next = NULL;
	char *rest = NULL, *end;

	for (char *w = strtok_r(words, " ", &rest); w; w = strtok_r(NULL, " ", &rest)) {
		unsigned long thread = strtoul(w + 1, &end, 10);
		struct branch *b;

		if (!*at || end == w + 1 || thread >= LP_MAX_THREADS ||
		    *end || !strchr("dol", *w) || branch_of(*at, (unsigned)thread) || (*w == 'o' && next))
			return -1;
		b = branch_new(*at, (unsigned)thread,
			       *w == 'd'   ? BRANCH_DONE
			       : *w == 'o' ? BRANCH_OPEN
					   : BRANCH_LEFT);
		if (*w == 'o')
			next = b;
	}
	if (!*at || !(*at)->first)
		return -1;
	*at = next;
	return 0;
}

static int apply_line(struct branch *const *units, uint32_t n, char *line, uint8_t size, struct branch **at)
{
	unsigned unit = 0, level, thread;
	int used = 0;

	if (!strncmp(line, "state", 5))
		return apply_state(at, line + 5);
	if (*at) /* what goes on is not said */
		return -1;
	if (sscanf(line, "above %u %u %u%n", &unit, &level, &thread, &used) == 3 && !line[used] && unit < n)
		return apply_above(units[unit], level, thread, size);
	if (sscanf(line, "done %u%n", &unit, &used) == 1 && !line[used] && unit < n && !units[unit]->first)
		units[unit]->state = BRANCH_DONE;
	else if (sscanf(line, "split %u%n", &unit, &used) == 1 && !line[used] && unit < n &&
		 !units[unit]->first)
		(*at = units[unit])->state = BRANCH_OPEN;
	else
		return -1;
	return 0;
}

/* A unit was divided after so many executions: what is left from its last state, which is the nearest to its
 * beginning, may be as much again; from the state before, half of that. */
static void guess_sizes(struct branch *unit, uint8_t size)
{
	struct branch *end = behind(unit), **left = NULL;
	uint32_t n = 0, capacity = 0;

	for (struct branch *b = unit; b != end; b = after(b))
		if (b->state == BRANCH_LEFT) {
			VEC_GROW(left, n, capacity);
			left[n++] = b;
		}
	while (n--) {
		left[n]->size = size;
		size -= size != 0;
	}
	free(left);
}

int tree_apply(struct branch *const *units, uint32_t n, char *const *lines, uint32_t nlines, uint64_t executions,
	       struct error *e)
{
	uint8_t size = size_of(executions);
	struct branch *at = NULL;

	for (uint32_t i = 0; i < nlines; i++) {
		char *line = xstrdup(lines[i]);
		int result = apply_line(units, n, line, size, &at);

		free(line);
		if (result < 0)
			return damaged(e, lines[i]);
	}
	for (uint32_t i = 0; i < n; i++)
		if (units[i]->state == BRANCH_OPEN)
			guess_sizes(units[i], size);
	return at ? damaged(e, "end") : 0;
}

/* ---- files ---- */

void tree_write(const struct branch *root, FILE *to)
{
	uint32_t depth = 0;

	for (const struct branch *b = root, *next; b; b = next) {
		fprintf(to, "%" PRIu32 " %u %u %u", depth, b->thread, b->state, b->shared);
		if (b->state == BRANCH_LEFT)
			fprintf(to, " %u %u", b->size, b->given);
		putc('\n', to);
		next = after(b);
		if (next && next->parent == b)
			depth++;
		else if (next)
			for (const struct branch *k = b; k->parent != next->parent; k = k->parent)
				depth--;
	}
	fputs("end\n", to);
}

/* What is open goes on in branches, and nothing else has any. */
static bool loose_ends(const struct branch *root)
{
	for (const struct branch *b = root; b; b = after(b))
		if ((b->state == BRANCH_OPEN) != (b->first != NULL))
			return true;
	return false;
}

struct branch *tree_read(char **text, struct error *e)
{
	struct branch *root = NULL, *latest = NULL;
	uint32_t depth = 0;

	while (*text) {
		char *line = strsep(text, "\n");
		unsigned at, thread, state, shared, size = 0, given = 0;
		int used = 0, more = 0;
		struct branch *parent = latest;

		if (!strcmp(line, "end") && root && !loose_ends(root))
			return root;
		if (sscanf(line, "%u %u %u %u%n", &at, &thread, &state, &shared, &used) != 4 ||
		    thread >= LP_MAX_THREADS || state > BRANCH_FOUND || shared > 1 ||
		    (latest ? !at || at > depth + 1 : at))
			break;
		if (state == BRANCH_LEFT && sscanf(line + used, " %u %u%n", &size, &given, &more) == 2)
			used += more;
		if (line[used] || size > 63 || given > UINT8_MAX)
			break;
		for (; latest && depth >= at; depth--)
			parent = parent->parent;
		if (parent && branch_of(parent, thread))
			break;
		latest = branch_new(parent, thread, state);
		latest->shared = shared;
		latest->size = (uint8_t)size;
		latest->given = (uint8_t)given;
		if (!root)
			root = latest;
		depth = at;
	}
	tree_free(root);
	error_set(e, "the list of what is left is damaged");
	return NULL;
}

/* ---- shards ---- */

void tree_share(struct branch *root, uint64_t shard, uint64_t of)
{
	uint64_t turn = 0;

	for (struct branch *b = root; b; b = after(b)) {
		b->shared = true;
		if (b->state == BRANCH_LEFT && turn++ % of != shard - 1)
			b->state = BRANCH_ELSEWHERE;
	}
}

void tree_merged(struct branch *root)
{
	for (struct branch *b = root; b; b = after(b)) {
		b->shared = false;
		if (b->state == BRANCH_FOUND)
			b->state = BRANCH_LEFT;
	}
}

/* They begin with the same branches. What only one of them has left, or has done, is so in all; what
 * was found above units comes behind them, in the order in which shards are merged. */
int tree_merge(struct branch *root, const struct branch *from)
{
	struct branch *mine = root, *to;
	uint32_t known = 0;

	for (const struct branch *b = from, *next; b; b = next) {
		if (mine->thread != b->thread || mine->shared != b->shared)
			return -1;
		known += b->shared;
		if (mine->state == BRANCH_ELSEWHERE && b->state != BRANCH_ELSEWHERE)
			mine->state = b->state;
		next = after(b);
		if (!next)
			break;
		for (const struct branch *k = b; next->parent != k; k = k->parent)
			mine = mine->parent;
		to = mine;
		mine = branch_of(to, next->thread);
		if (!mine)
			mine = branch_new(to, next->thread, next->state); /* no other shard knows it */
		if (mine->size < next->size)
			mine->size = next->size;
	}
	for (const struct branch *b = root; b; b = after(b))
		known -= b->shared;
	return known ? -1 : 0;
}
