/* SPDX-License-Identifier: MIT
 *
 * What a picture shows, and where. Time is drawn by the order of events, not to scale: each event
 * is a step to the right, and a bar is at least as long as its text. That keeps every overlap and
 * every precedence true and everything readable, whatever the clock was.
 */
#include "lin/picture/picture.h"
#include "lin/format/format.h"

#include <stdlib.h>
#include <string.h>

#define STEP      14.0 /* pixels from one event to the next */
#define GAP       46.0 /* where operations are left out */
#define CHAR      7.7  /* width of a character of a label */
#define PADDING   20.0 /* of a bar around its label */
#define BADGE     20.0 /* the number of a witness operation, or of one in the order */
#define DIGIT     7.0  /* each digit of a number beyond the first */
#define LABEL_MAX 34   /* characters for which a bar makes room */

struct by_time {
	int64_t call, ret;
	uint32_t op;
};

static int compare_calls(const void *a, const void *b)
{
	const struct by_time *x = a, *y = b;

	if (x->call != y->call)
		return x->call < y->call ? -1 : 1;
	return x->op < y->op ? -1 : x->op > y->op;
}

/* All operations by time of call. Most logs are nearly in that order already. */
static struct by_time *sort_by_call(const struct history *h)
{
	struct by_time *all = xmalloc((h->nops + 1) * sizeof *all);
	bool sorted = true;

	for (size_t i = 0; i < h->nops; i++) {
		all[i] = (struct by_time){ h->ops[i].call, h->ops[i].ret, (uint32_t)i };
		sorted &= !i || compare_calls(&all[i - 1], &all[i]) < 0;
	}
	if (!sorted)
		qsort(all, h->nops, sizeof *all, compare_calls);
	return all;
}

/* How many operations are called at or before `time`. */
static size_t called_by(const struct by_time *all, size_t n, int64_t time)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (all[middle].call <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Marks up to `radius` operations on both sides of position i while there is room. */
static void mark_around(uint8_t *marks, size_t n, size_t i, size_t radius, size_t *room)
{
	for (size_t k = 0; k <= radius && *room; k++) {
		if (i + k < n && !marks[i + k]) {
			marks[i + k] = 1;
			--*room;
		}
		if (k <= i && *room && !marks[i - k]) {
			marks[i - k] = 1;
			--*room;
		}
	}
}

/* Chooses operations by position in `all`: the given ones first, then what is called near their
 * calls and returns. */
static void choose_around(uint8_t *marks, const struct by_time *all, size_t n, const uint32_t *ops,
			  size_t nops, const struct history *h, size_t room)
{
	size_t *at = xmalloc((nops + 1) * sizeof *at), radius;

	if (nops > room)
		nops = room;
	for (size_t i = 0; i < nops; i++) {
		int64_t call = h->ops[ops[i]].call;

		at[i] = called_by(all, n, call);
		while (at[i] && all[at[i] - 1].op != ops[i])
			at[i]--;
		at[i] -= at[i] > 0;
		room -= !marks[at[i]];
		marks[at[i]] = 1;
	}
	radius = nops ? room / (4 * nops) : 0;
	for (size_t i = 0; i < nops; i++) {
		int64_t ret = h->ops[ops[i]].ret;

		mark_around(marks, n, at[i], radius, &room);
		if (ret != TIME_PENDING && n)
			mark_around(marks, n, called_by(all, n, ret) - 1, radius, &room);
	}
	free(at);
}

static void choose(struct picture *p, const struct by_time *all, uint8_t *marks, size_t limit)
{
	const struct lin_result *r = p->result;
	const struct history *h = p->h;

	if (h->nops <= limit)
		memset(marks, 1, h->nops);
	else if (r->nwitness)
		choose_around(marks, all, h->nops, r->witness, r->nwitness, h, limit);
	else if (r->verdict == LIN_UNKNOWN && r->norder)
		choose_around(marks, all, h->nops, &r->order[r->norder - 1], 1, h, limit);
	else
		memset(marks, 1, limit);
}

static void add_ops(struct picture *p, const struct by_time *all, const uint8_t *marks)
{
	const struct lin_result *r = p->result;
	uint32_t *witness = xcalloc(p->h->nops + 1, sizeof *witness),
		 *order = xcalloc(p->h->nops + 1, sizeof *order);
	size_t capacity = 0;

	for (size_t i = 0; i < r->nwitness; i++)
		witness[r->witness[i]] = (uint32_t)i + 1;
	for (size_t i = 0; i < r->norder; i++)
		order[r->order[i]] = (uint32_t)i + 1;
	for (size_t i = 0; i < p->h->nops; i++) {
		uint32_t op = all[i].op;

		if (!marks[i])
			continue;
		VEC_GROW(p->ops, p->nops, capacity);
		p->ops[p->nops++] = (struct picture_op){ .op = op,
							 .witness = witness[op],
							 .order = order[op],
							 .label = format_op(p->h, &p->h->ops[op]) };
	}
	p->omitted = p->h->nops - p->nops;
	free(witness);
	free(order);
}

struct event {
	int64_t time;
	uint32_t op; /* index in picture->ops */
	bool is_return;
};

/* A call at the time of a return comes before it: the two overlap. */
static int compare_events(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->is_return != y->is_return)
		return x->is_return ? 1 : -1;
	return x->op < y->op ? -1 : x->op > y->op;
}

static double number_width(uint32_t number)
{
	double width = number ? BADGE : 0;

	for (; number >= 10; number /= 10)
		width += DIGIT;
	return width;
}

static double label_width(const struct picture_op *op)
{
	const char *label = op->label;
	size_t n = 0;

	for (; *label; label++)
		n += ((unsigned char)*label & 0xc0) != 0x80;
	return (double)(n < LABEL_MAX ? n : LABEL_MAX) * CHAR + PADDING +
	       number_width(op->witness ? op->witness : op->order);
}

/* Operations left out whose calls lie between the events at two times. */
static size_t omitted_between(const struct by_time *all, const size_t *shown, size_t n,
			      int64_t from, int64_t to)
{
	size_t a = called_by(all, n, from), b = called_by(all, n, to);

	return a < b ? (b - a) - (shown[b] - shown[a]) : 0;
}

/* Where operations are left out there is one gap, before the next call that is shown. */
static double open_gap(struct picture *p, size_t *capacity, double x, size_t omitted)
{
	VEC_GROW(p->gaps, p->ngaps, *capacity);
	p->gaps[p->ngaps++] = (struct picture_gap){ x + GAP / 2, omitted };
	return x + GAP;
}

static void place(struct picture *p, const struct event *events, size_t nevents,
		  const struct by_time *all, const size_t *shown)
{
	double x = STEP, least;
	size_t capacity = 0, omitted = 0;

	for (size_t i = 0; i < nevents; i++) {
		struct picture_op *op = &p->ops[events[i].op];

		omitted += omitted_between(all, shown, p->h->nops,
					   i ? events[i - 1].time : INT64_MIN, events[i].time);
		x += STEP;
		if (!events[i].is_return) {
			if (omitted)
				x = open_gap(p, &capacity, x - STEP, omitted);
			omitted = 0;
			op->x = x;
			continue;
		}
		least = op->x + label_width(op);
		x = x < least ? least : x;
		op->end = x;
	}
	if (nevents)
		omitted += omitted_between(all, shown, p->h->nops, events[nevents - 1].time,
					   INT64_MAX);
	if (omitted)
		x = open_gap(p, &capacity, x, omitted);
	p->width = x + 3 * STEP;
}

static void lay_out(struct picture *p, const struct by_time *all, const uint8_t *marks)
{
	struct event *events = xmalloc((2 * p->nops + 1) * sizeof *events);
	size_t *shown = xmalloc((p->h->nops + 1) * sizeof *shown), n = 0;

	shown[0] = 0;
	for (size_t i = 0; i < p->h->nops; i++)
		shown[i + 1] = shown[i] + marks[i];
	for (uint32_t i = 0; i < p->nops; i++) {
		const struct history_op *op = &p->h->ops[p->ops[i].op];

		events[n++] = (struct event){ op->call, i, false };
		if (op->ret != TIME_PENDING)
			events[n++] = (struct event){ op->ret, i, true };
	}
	qsort(events, n, sizeof *events, compare_events);
	place(p, events, n, all, shown);
	for (uint32_t i = 0; i < p->nops; i++) {
		struct picture_op *op = &p->ops[i];

		if (p->h->ops[op->op].ret == TIME_PENDING &&
		    p->width < op->x + label_width(op) + STEP)
			p->width = op->x + label_width(op) + STEP;
	}
	for (uint32_t i = 0; i < p->nops; i++) {
		if (p->h->ops[p->ops[i].op].ret == TIME_PENDING)
			p->ops[i].end = p->width;
	}
	free(events);
	free(shown);
}

static int compare_threads(const void *a, const void *b)
{
	const struct picture_row *x = a, *y = b;

	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static void make_rows(struct picture *p)
{
	size_t n = 0;

	p->rows = xcalloc(p->nops + 1, sizeof *p->rows);
	for (size_t i = 0; i < p->nops; i++)
		p->rows[i].thread = p->h->ops[p->ops[i].op].thread;
	qsort(p->rows, p->nops, sizeof *p->rows, compare_threads);
	for (size_t i = 0; i < p->nops; i++) {
		if (!n || p->rows[i].thread != p->rows[n - 1].thread)
			p->rows[n++] = p->rows[i];
	}
	p->nrows = n;
}

/* Puts each bar into its row, and there into the lowest lane that is free where the bar begins. */
static void fill_rows(struct picture *p)
{
	struct lanes {
		double *ends;
		size_t capacity, last;
	} *rows = xcalloc(p->nrows + 1, sizeof *rows);

	for (size_t i = 0; i < p->nops; i++) {
		struct picture_op *op = &p->ops[i];
		struct picture_row key = { .thread = p->h->ops[op->op].thread };
		struct picture_row *row =
			bsearch(&key, p->rows, p->nrows, sizeof key, compare_threads);
		struct lanes *lanes = &rows[row - p->rows];

		op->row = (uint32_t)(row - p->rows);
		op->next = SIZE_MAX;
		*(row->lanes ? &p->ops[lanes->last].next : &row->first) = i;
		lanes->last = i;
		while (op->lane < row->lanes && lanes->ends[op->lane] > op->x)
			op->lane++;
		if (op->lane == row->lanes) {
			VEC_GROW(lanes->ends, row->lanes, lanes->capacity);
			row->lanes++;
		}
		lanes->ends[op->lane] = op->end;
	}
	for (size_t i = 0; i < p->nrows; i++)
		free(rows[i].ends);
	free(rows);
}

/* The witness operation that returned last: before that nothing was wrong yet. */
static uint32_t find_illegal(const struct picture *p)
{
	uint32_t found = UINT32_MAX;

	for (uint32_t i = 0; i < p->nops; i++) {
		const struct picture_op *op = &p->ops[i];

		if (op->witness && p->h->ops[op->op].ret != TIME_PENDING &&
		    (found == UINT32_MAX || op->end > p->ops[found].end))
			found = i;
	}
	return found;
}

void picture_init(struct picture *p, const struct history *h, const struct lin_result *result,
		  const char *name, size_t limit)
{
	struct by_time *all = sort_by_call(h);
	uint8_t *marks = xcalloc(h->nops + 1, 1);

	*p = (struct picture){ .h = h, .result = result, .name = name };
	choose(p, all, marks, limit);
	add_ops(p, all, marks);
	lay_out(p, all, marks);
	make_rows(p);
	fill_rows(p);
	p->illegal = find_illegal(p);
	free(all);
	free(marks);
}

void picture_free(struct picture *p)
{
	for (size_t i = 0; i < p->nops; i++)
		free(p->ops[i].label);
	free(p->ops);
	free(p->rows);
	free(p->gaps);
	lin_states_free(p->states, p->result->norder);
}

/* Length of the UTF-8 character at s (n bytes are left), 0 if it is none that XML allows. */
static size_t utf8_length(const unsigned char *s, size_t n)
{
	size_t length = s[0] < 0x80   ? 1
			: s[0] < 0xc2 ? 0
			: s[0] < 0xe0 ? 2
			: s[0] < 0xf0 ? 3
			: s[0] < 0xf5 ? 4
				      : 0;

	if (!length || length > n ||
	    (length == 1 && ((s[0] < ' ' && s[0] != '\t' && s[0] != '\n') || s[0] == 0x7f)))
		return 0;
	for (size_t i = 1; i < length; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	if ((s[0] == 0xc2 && s[1] < 0xa0) || (s[0] == 0xe0 && s[1] < 0xa0) ||
	    (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xef && s[1] == 0xbf && s[2] > 0xbd) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return length;
}

void picture_escape(FILE *to, const char *s, size_t n)
{
	static const char special[] = "<>&\"'";
	static const char *const entities[] = { "&lt;", "&gt;", "&amp;", "&quot;", "&#39;" };

	for (size_t i = 0; i < n;) {
		size_t length = utf8_length((const unsigned char *)s + i, n - i);
		const char *found = length == 1 ? strchr(special, s[i]) : NULL;

		if (!length)
			fputs("\xef\xbf\xbd", to);
		else if (found)
			fputs(entities[found - special], to);
		else
			fwrite(s + i, 1, length, to);
		i += length ? length : 1;
	}
}
