/* SPDX-License-Identifier: MIT
 *
 * A night that has not found a fault says that it is gone only if it has seen everything, or as many
 * executions as the one that found it. So a search that time ended early neither makes a fault gone nor, the night
 * after, new. Nights in which the test could not be explored say nothing about faults.
 */
#include "nightly/compare.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define SLOWER_FACTOR  1.5
#define SLOWER_SECONDS 0.5
#define SLOWER_NIGHTS  5

const char *word_name(enum word w)
{
	static const char *const names[WORD_COUNT] = {
		[WORD_NEW] = "new",        [WORD_FAILED] = "failed", [WORD_LIMIT] = "limit",
		[WORD_FLAKY] = "flaky",    [WORD_STILL] = "still there", [WORD_GONE] = "gone",
		[WORD_UNSEEN] = "not seen", [WORD_SLOWER] = "slower", [WORD_FEWER] = "fewer classes",
		[WORD_KNOWN] = "known",
	};

	return names[w];
}

struct comparison {
	const struct suite_test *test;
	const struct record *now, *past, *last; /* last: the newest that was explored, or NULL */
	uint32_t npast;
	struct remarks *to;
};

static struct remark *remark(struct comparison *c, enum word word, bool fresh, char *text)
{
	struct remarks *to = c->to;

	VEC_GROW(to->list, to->n, to->capacity);
	to->list[to->n] = (struct remark){ .word = word,
					   .fresh = fresh,
					   .text = text,
					   .test = c->test->name,
					   .record = c->now };
	return &to->list[to->n++];
}

static const struct fault *fault_in(const struct record *r, const char *fingerprint)
{
	for (uint32_t i = 0; i < r->nfaults; i++)
		if (!strcmp(r->faults[i].fingerprint, fingerprint))
			return &r->faults[i];
	return NULL;
}

/* Would `r` have found what `other` found, if it were there? */
static bool conclusive(const struct record *r, const struct record *other)
{
	return r->status != STATUS_FAILED && (r->complete || r->executions >= other->executions);
}

/* What earlier nights know of a fault. */
struct trail {
	const struct fault *last; /* NULL: nothing */
	const struct record *at;
	bool gone; /* it was, before this night */
	int64_t since;
	uint32_t nights;
};

static struct trail follow(const struct comparison *c, const char *fingerprint)
{
	struct trail t = { 0 };

	for (uint32_t i = 0; i < c->npast; i++) {
		const struct fault *f = fault_in(&c->past[i], fingerprint);
		uint32_t newer;

		if (!f)
			continue;
		/* Between this and the next one that has it, was it gone? */
		for (newer = i; newer > 0 && !fault_in(&c->past[newer - 1], fingerprint); newer--)
			if (conclusive(&c->past[newer - 1], &c->past[i]))
				break;
		if (newer > 0 && !fault_in(&c->past[newer - 1], fingerprint)) {
			if (t.last)
				return t;
			t.gone = true;
		}
		if (!t.last) {
			t.last = f;
			t.at = &c->past[i];
		}
		t.since = c->past[i].night;
		t.nights++;
		if (t.gone)
			return t;
	}
	return t;
}

static void found(struct comparison *c, const struct fault *f)
{
	struct trail t = follow(c, f->fingerprint);
	struct remark *r;
	char *text = xstrdup(f->message);

	if (f->known) {
		r = remark(c, WORD_KNOWN, false, text);
	} else if (t.last && !t.gone) {
		r = remark(c, WORD_STILL, false, text);
	} else {
		if (t.gone) {
			free(text);
			text = xasprintf("%s; it is back, last seen in night %lld", f->message,
					 (long long)t.at->night);
		}
		r = remark(c, WORD_NEW, true, text);
	}
	r->fault = f;
	if (!t.gone) {
		r->since = t.since;
		r->nights = t.nights;
	}
}

static bool told(const struct comparison *c, const char *fingerprint)
{
	for (uint32_t i = 0; i < c->to->n; i++) {
		const struct remark *r = &c->to->list[i];

		if (r->record == c->now && r->fault && !strcmp(r->fault->fingerprint, fingerprint))
			return true;
	}
	return false;
}

/* Faults that were there in the nights before. */
static void missing(struct comparison *c)
{
	for (uint32_t i = 0; i < c->npast; i++)
		for (uint32_t k = 0; k < c->past[i].nfaults; k++) {
			const struct fault *f = &c->past[i].faults[k];
			struct trail t;
			struct remark *r;

			if (told(c, f->fingerprint))
				continue;
			t = follow(c, f->fingerprint);
			if (t.gone)
				continue;
			r = remark(c, conclusive(c->now, t.at) ? WORD_GONE : WORD_UNSEEN, false,
				   xstrdup(f->message));
			r->fault = f;
			r->since = t.since;
			r->nights = t.nights;
		}
}

/* Faults that the file expects; each night until it is taken off the list. */
static void expected(struct comparison *c)
{
	for (uint32_t i = 0; i < c->test->known.n; i++) {
		const char *known = c->test->known.list[i];
		bool there = false;

		for (uint32_t k = 0; k < c->now->nfaults; k++)
			there |= !strncmp(c->now->faults[k].fingerprint, known, strlen(known));
		for (uint32_t k = 0; k < c->to->n; k++)
			there |= c->to->list[k].record == c->now && c->to->list[k].fault &&
				 !strncmp(c->to->list[k].fault->fingerprint, known, strlen(known));
		if (!there)
			remark(c, c->now->complete ? WORD_GONE : WORD_UNSEEN, false,
			       xasprintf("the known finding %s was not found; if it is mended, take "
					 "it off the list",
					 known));
	}
}

/* Does it say the same, but for numbers (lines, counts)? */
static bool alike(const char *a, const char *b)
{
	while (*a && *b) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			a += strspn(a, "0123456789,.");
			b += strspn(b, "0123456789,.");
		} else if (*a++ != *b++) {
			return false;
		}
	}
	return !*a && !*b;
}

static bool allowed(const struct suite_test *t, const char *limit)
{
	for (uint32_t i = 0; i < t->limits.n; i++) {
		const char *glob = t->limits.list[i];

		if (!strcmp(glob, "unfinished") && !strncmp(limit, "the search was not finished", 27))
			return true;
		if (fnmatch(glob, limit, 0) == 0 || fnmatch(glob, limit, FNM_NOESCAPE) == 0 ||
		    strstr(limit, glob))
			return true;
	}
	return false;
}

static void limits(struct comparison *c)
{
	for (uint32_t i = 0; i < c->now->nlimits; i++) {
		bool before = false;

		if (allowed(c->test, c->now->limits[i]))
			continue;
		for (uint32_t k = 0; c->last && k < c->last->nlimits; k++)
			before |= alike(c->last->limits[k], c->now->limits[i]);
		remark(c, WORD_LIMIT, !before, xstrdup(c->now->limits[i]));
	}
}

static bool same_faults(const struct record *a, const struct record *b)
{
	if (a->nfaults != b->nfaults)
		return false;
	for (uint32_t i = 0; i < a->nfaults; i++)
		if (!fault_in(b, a->faults[i].fingerprint))
			return false;
	return true;
}

/* Have both gone the same way, so that they must have seen the same? Not if time ended them. */
static bool comparable(const struct record *a, const struct record *b)
{
	if (strcmp(a->command, b->command) != 0 || strcmp(a->end, b->end) != 0)
		return false;
	return !strcmp(a->end, "finished") ||
	       (!strcmp(a->end, "executions") && a->executions == b->executions);
}

static void numbers(struct comparison *c)
{
	const struct record *now = c->now, *last = c->last;

	if (!last || !comparable(now, last))
		return;
	if (*now->build && !strcmp(now->build, last->build) &&
	    (now->classes != last->classes || now->status != last->status || !same_faults(now, last)))
		remark(c, WORD_FLAKY, now->status != last->status,
		       xasprintf("the same build: night %lld had %llu classes and %u findings, this one "
				 "%llu and %u. Please report this: it is a fault of linchpin",
				 (long long)last->night, (unsigned long long)last->classes,
				 last->nfaults, (unsigned long long)now->classes, now->nfaults));
	else if (now->classes < last->classes)
		remark(c, WORD_FEWER, false,
		       xasprintf("%llu classes, %llu in night %lld", (unsigned long long)now->classes,
				 (unsigned long long)last->classes, (long long)last->night));
}

static int order(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Processor time, against the median of some nights that had as much to do. */
static void slower(struct comparison *c)
{
	double times[SLOWER_NIGHTS], usual;
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->npast && n < SLOWER_NIGHTS; i++) {
		const struct record *r = &c->past[i];

		if (r->status == c->now->status && r->classes == c->now->classes &&
		    !strcmp(r->command, c->now->command))
			times[n++] = r->processor;
	}
	if (!n)
		return;
	qsort(times, n, sizeof *times, order);
	usual = times[n / 2];
	if (c->now->processor > usual * SLOWER_FACTOR && c->now->processor > usual + SLOWER_SECONDS)
		remark(c, WORD_SLOWER, false,
		       xasprintf("%.1f s of processor time for the same classes, usually %.1f s",
				 c->now->processor, usual));
}

void compare(const struct suite_test *t, const struct record *now, const struct record *past,
	     uint32_t npast, struct remarks *to)
{
	struct comparison c = { t, now, past, NULL, npast, to };

	for (uint32_t i = 0; i < npast && !c.last; i++)
		if (past[i].status != STATUS_FAILED)
			c.last = &past[i];
	if (now->status == STATUS_FAILED) {
		remark(&c, WORD_FAILED, !npast || past[0].status != STATUS_FAILED, xstrdup(now->message));
		return;
	}
	for (uint32_t i = 0; i < now->nfaults; i++)
		found(&c, &now->faults[i]);
	missing(&c);
	expected(&c);
	limits(&c);
	numbers(&c);
	slower(&c);
}

void remarks_free(struct remarks *r)
{
	for (uint32_t i = 0; i < r->n; i++)
		free(r->list[i].text);
	free(r->list);
	*r = (struct remarks){ 0 };
}
