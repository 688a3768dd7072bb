/* SPDX-License-Identifier: MIT
 *
 * Records and classes of a trace file (format/trace_format.h).
 *
 * The file is read through a window, so memory does not grow with it and a trace that is still
 * being written can be followed. Records are scanned once, in order: what is not a class goes into
 * the tables of the run, a class is noted in an index with the number of events it takes over from
 * the class before. To decode class n, walk the index back to where its first event comes from:
 * record j supplies the events from keep[j] up to what the later ones take over. Reading in order
 * decodes each stored event exactly once; reading any class decodes no event that is not part of
 * it.
 */
#include "run/private.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define WINDOW     65536
#define MAX_HEADER 11 /* bytes before the body of a record: type, length */

struct record {
	unsigned type;
	uint64_t end;    /* offset of the next record */
	struct cursor c; /* over the body */
};

/* Up to `need` bytes at `offset`; *have says how many there are (fewer at the end of the file). */
static const uint8_t *window_at(struct run_private *p, uint64_t offset, size_t need, size_t *have)
{
	if (offset < p->start || offset + need > p->start + p->have) {
		size_t size = need > WINDOW ? need : WINDOW;

		if (size > p->window_size) {
			p->window = xrealloc(p->window, size);
			p->window_size = size;
		}
		p->start = offset;
		p->have = 0;
		while (p->have < p->window_size) {
			ssize_t n = pread(p->fd, p->window + p->have, p->window_size - p->have,
					  (off_t)(offset + p->have));

			if (n <= 0 && !(n < 0 && errno == EINTR))
				break;
			p->have += n > 0 ? (size_t)n : 0;
		}
	}
	*have = p->start + p->have - offset;
	return p->window + (offset - p->start);
}

static bool file_reaches(const struct run_private *p, uint64_t offset, uint64_t length)
{
	struct stat st;

	return fstat(p->fd, &st) == 0 && offset <= (uint64_t)st.st_size &&
	       length <= (uint64_t)st.st_size - offset;
}

/* Finds the record at `offset`: 1, 0 at the end (also one that the writer did not finish), -1 if it
 * is damaged. */
static int read_record(struct run *run, uint64_t offset, struct record *r, struct error *e)
{
	struct run_private *p = run->private;
	size_t have;
	const uint8_t *b = window_at(p, offset, MAX_HEADER, &have), *length_end;
	uint64_t length;

	if (have == 0 || b[0] == LP_REC_END || offset >= p->most)
		goto end;
	r->type = b[0];
	if (have > MAX_HEADER)
		have = MAX_HEADER;
	r->c = (struct cursor){ b + 1, b + have, b, offset, run, e };
	if (r->type >= LP_REC_COUNT) {
		r->c.p = b;
		return cursor_broken(&r->c, "record type %u, expected less than %d", r->type,
				     LP_REC_COUNT);
	}
	for (length_end = b + 1; length_end < b + have && *length_end & 0x80; length_end++)
		;
	if (length_end == b + have && have < MAX_HEADER)
		goto end;
	if (cursor_varint(&r->c, &length))
		return -1;
	offset += (uint64_t)(r->c.p - b);
	if (length > WINDOW && !file_reaches(p, offset, length))
		goto end;
	b = window_at(p, offset, length, &have);
	if (have < length)
		goto end;
	r->end = offset + length;
	r->c = (struct cursor){ b, b + length, b, offset, run, e };
	return 1;
end:
	p->have = 0; /* look again next time: the file may grow */
	return 0;
}

/* most: so many events are there to be taken over. */
static int class_header(struct cursor *c, uint32_t n, uint32_t most, uint32_t *keep, uint32_t *count)
{
	uint64_t number;

	if (cursor_varint(c, &number))
		return -1;
	if (number != n)
		return cursor_broken(c, "class %llu, expected number %u",
				     (unsigned long long)number, n);
	if (cursor_id(c, most + 1, "number of kept events", keep))
		return -1;
	if (cursor_id(c, READER_MAX_ENTRIES - *keep, "number of events", count))
		return -1;
	if (*count > (size_t)(c->end - c->p))
		return cursor_broken(c, "%u events in a record of %zu more bytes", *count,
				     (size_t)(c->end - c->p));
	return 0;
}

static int index_class(struct record *r, struct run *run)
{
	struct run_private *p = run->private;
	uint32_t keep, count;
	uint64_t offset = p->scanned;

	if (p->nindex >= READER_MAX_ENTRIES || offset >= READER_MAX_BYTES)
		return cursor_broken(&r->c, "more than %u classes or %llu bytes", READER_MAX_ENTRIES, READER_MAX_BYTES);
	if (class_header(&r->c, p->nindex + 1, p->total, &keep, &count))
		return -1;
	VEC_GROW(p->index, p->nindex, p->index_capacity);
	p->index[p->nindex++] = (struct class_index){ offset, keep };
	p->total = keep + count;
	return 0;
}

/* Scans on until class n is in the index: 1, 0 if the trace ends before, -1. */
static int scan_to(struct run *run, uint64_t n, struct error *e)
{
	struct run_private *p = run->private;
	struct record r;
	int rc = 1;

	while (p->nindex < n && !p->broken) {
		rc = read_record(run, p->scanned, &r, &p->failure);
		if (rc == 0 && p->scanned < p->least)
			run->status.end = LP_END_CUT;
		if (rc == 0)
			return 0;
		if (rc > 0 &&
		    (r.type == LP_REC_CLASS ? index_class(&r, run) : tables_add(&r.c, r.type)) < 0)
			rc = -1;
		if (rc < 0)
			p->broken = true;
		else
			p->scanned = r.end;
	}
	if (p->nindex >= n)
		return 1;
	return error_set(e, "%s", p->failure.message);
}

/* The write of all of it comes before, in the same call (trace_format.h). */
static bool is_given_again(const struct run *run, const struct event *e)
{
	return e->kind == LP_EV_ALLOC && e[-1].kind == LP_EV_WRITE && e[-1].thread == e->thread &&
	       run->sites[e[-1].site].pc == run->sites[e->site].pc;
}

/* Reads the record of class n and appends its events until the base has `total` of them; NONE: all. */
static int decode_record(struct run *run, uint32_t n, uint32_t total, struct record *r,
			 struct error *e)
{
	struct run_private *p = run->private;
	uint32_t keep, count, thread;

	if (read_record(run, p->index[n - 1].offset, r, e) <= 0 || r->type != LP_REC_CLASS)
		return error_set(e,
				 "%s: byte %llu: a record that was there is gone; is the file "
				 "being changed?",
				 p->path, (unsigned long long)p->index[n - 1].offset);
	if (class_header(&r->c, n, READER_MAX_ENTRIES - 1, &keep, &count))
		return -1;
	total = total == NONE ? keep + count : total;
	/* Under a file that changed, the index and the record may differ by now. */
	if (keep != p->index[n - 1].keep || keep + count < total || keep > p->nevents)
		return cursor_broken(&r->c, "the record changed while it was read");
	truncate_base(run, keep);
	thread = keep ? p->events[keep - 1].thread : 0;
	while (p->nevents < total) {
		VEC_GROW(p->events, p->nevents, p->events_capacity);
		if (decode_event(&r->c, &p->events[p->nevents], &thread))
			return -1;
		if (p->nevents)
			p->events[p->nevents].again = is_given_again(run, &p->events[p->nevents]);
		p->nevents++;
	}
	return 0;
}

/* Makes class n the base, up to its last event; r->c is then at its outcome. */
static int decode_base(struct run *run, uint32_t n, struct record *r, struct error *e)
{
	struct run_private *p = run->private;
	uint64_t base = p->base;
	uint32_t need = p->index[n - 1].keep, chain_length = 0, chain_capacity = 0;
	struct {
		uint32_t class, total;
	} *chain = NULL;
	int rc = 0;

	for (uint32_t j = n - 1; need && j >= 1 && j != base; j--) {
		if (p->index[j - 1].keep >= need)
			continue;
		VEC_GROW(chain, chain_length, chain_capacity);
		chain[chain_length].class = j;
		chain[chain_length++].total = need;
		need = p->index[j - 1].keep;
	}
	p->base = 0; /* until all went well */
	while (chain_length-- && !rc)
		rc = decode_record(run, chain[chain_length].class, chain[chain_length].total, r, e);
	free(chain);
	if (!rc)
		rc = decode_record(run, n, NONE, r, e);
	if (!rc)
		p->base = n;
	return rc;
}

static void copy_base(struct trace *t, const struct run_private *p)
{
	t->events = trace_copy_array(t->events, &t->events_capacity, p->events, p->nevents,
				     sizeof *t->events);
	t->nevents = p->nevents;
	t->nadded = t->npending = 0;
	t->ops = trace_copy_array(t->ops, &t->ops_capacity, p->ops, p->nops, sizeof *t->ops);
	t->nops = p->nops;
}

static void count_threads(struct trace *t)
{
	uint32_t last = t->outcome.thread;

	for (uint32_t i = 0; i < t->nevents; i++) {
		const struct event *ev = &t->events[i];

		if (ev->thread > last)
			last = ev->thread;
		if ((ev->kind == LP_EV_CREATE || ev->kind == LP_EV_JOIN) && ev->other > last)
			last = ev->other;
	}
	for (uint32_t i = 0; i < t->outcome.nwaiters; i++) {
		const struct waiter *w = &t->outcome.waiters[i];

		if (w->thread > last)
			last = w->thread;
		if (w->holder != NONE && w->holder > last)
			last = w->holder;
	}
	t->nthreads = last + 1;
}

int run_load(struct run *run, uint64_t number, struct trace *t, struct error *e)
{
	struct run_private *p = run->private;
	struct record r;
	int rc;

	if (number == 0)
		return 0;
	rc = scan_to(run, number, e);
	if (rc <= 0)
		return rc;
	if (decode_base(run, (uint32_t)number, &r, e) || decode_outcome(&r.c, t))
		return -1;
	copy_base(t, p);
	count_threads(t);
	t->number = number;
	p->next_class = number + 1;
	return 1;
}

int run_next(struct run *run, struct trace *t, struct error *e)
{
	return run_load(run, run->private->next_class, t, e);
}

void run_rewind(struct run *run)
{
	run->private->next_class = 1;
}
