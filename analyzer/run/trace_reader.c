/* SPDX-License-Identifier: MIT
 *
 * Records and classes of a trace file (format/trace_format.h).
 *
 * The file is read through a window, so memory does not grow with it and a trace that is still
 * being written can be followed. What is not a class goes into the tables of the run when it is met for
 * the first time. To read class n, go to a place before it that was kept (places.h) and from there
 * over the records up to it, by what each takes over from the one before. That gives the pieces of
 * which the class consists, and only these are decoded. Reading in order decodes each stored event
 * exactly once.
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

/* Comes to the class of this record. */
static int pass_class_record(struct run *run, struct record *r)
{
	struct places *places = &run->private->places;
	uint32_t keep, count;

	if (places->here.class >= READER_MAX_ENTRIES)
		return cursor_broken(&r->c, "more than %u classes", READER_MAX_ENTRIES);
	if (class_header(&r->c, places->here.class + 1, places->here.total, &keep, &count))
		return -1;
	places_pass(places, keep, keep + count);
	return 0;
}

static int record_gone(const struct run *run, uint64_t offset, struct error *e)
{
	return error_set(e, "%s: byte %llu: a record that was there is gone; is the file being changed?",
			 run->private->path, (unsigned long long)offset);
}

/* Goes over a record that was met before. */
static int step_again(struct run *run, struct error *e)
{
	struct run_private *p = run->private;
	struct record r;
	int rc = read_record(run, p->places.here.next, &r, e);

	if (rc < 0)
		return rc;
	if (rc == 0 || r.end > p->scanned)
		return record_gone(run, p->places.here.next, e);
	if (r.type == LP_REC_CLASS && pass_class_record(run, &r) < 0)
		return -1;
	p->places.here.next = r.end;
	return 1;
}

/* Goes over the first record that was not met before; 0: there is none. */
static int step_on(struct run *run, struct error *e)
{
	struct run_private *p = run->private;
	struct record r;
	int rc = p->broken ? -1 : read_record(run, p->scanned, &r, &p->failure);

	if (rc == 0 && p->scanned < p->least)
		run->status.end = LP_END_CUT;
	if (rc == 0)
		return 0;
	if (rc > 0 && (r.type == LP_REC_CLASS ? pass_class_record(run, &r) : tables_add(&r.c, r.type)) < 0)
		rc = -1;
	if (rc < 0) {
		p->broken = true;
		return error_set(e, "%s", p->failure.message);
	}
	p->scanned = p->places.here.next = r.end;
	if (r.type == LP_REC_CLASS) {
		p->classes = p->places.here.class;
		places_keep(&p->places);
	}
	return 1;
}

/* Goes to class n: 1, 0 if the trace ends before, -1. */
static int go_to(struct run *run, uint64_t n, struct error *e)
{
	struct places *places = &run->private->places;
	int rc = 1;

	places_go(places, n);
	while (places->here.class < n && rc > 0)
		rc = places->here.next < run->private->scanned ? step_again(run, e) : step_on(run, e);
	return rc;
}

/* The write of all of it comes before, in the same call (trace_format.h). */
static bool is_given_again(const struct run *run, const struct event *e)
{
	return e->kind == LP_EV_ALLOC && e[-1].kind == LP_EV_WRITE && e[-1].thread == e->thread &&
	       run->sites[e[-1].site].pc == run->sites[e->site].pc;
}

/* Reads the record of a piece and appends its events until the base has `total` of them; NONE: all. */
static int decode_piece(struct run *run, const struct piece *piece, uint32_t total, struct record *r,
			struct error *e)
{
	struct run_private *p = run->private;
	uint32_t keep, count, thread;

	if (read_record(run, piece->offset, r, e) <= 0 || r->type != LP_REC_CLASS)
		return record_gone(run, piece->offset, e);
	if (class_header(&r->c, piece->class, READER_MAX_ENTRIES - 1, &keep, &count))
		return -1;
	total = total == NONE ? keep + count : total;
	/* Under a file that changed, the piece and the record may differ by now. */
	if (keep != piece->keep || keep + count < total || keep > p->nevents)
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

/* Makes the class at this place the base, up to its last event; r->c is then at its outcome. Pieces of the
 * base, or of one before it, are there. */
static int decode_base(struct run *run, struct record *r, struct error *e)
{
	struct run_private *p = run->private;
	const struct place *here = &p->places.here;
	uint64_t base = p->base < here->class ? p->base : 0;
	uint32_t i = here->nchain;
	int rc = 0;

	while (i && here->chain[i - 1].class > base)
		i--;
	p->base = 0; /* until all went well */
	for (; i < here->nchain && !rc; i++)
		rc = decode_piece(run, &here->chain[i], i + 1 < here->nchain ? here->chain[i + 1].keep : NONE, r, e);
	if (!rc)
		p->base = here->class;
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

/* Makes the class the base; of *t only its outcome. */
static int load_base(struct run *run, uint64_t number, struct trace *t, struct error *e)
{
	struct record r;
	int rc = number ? go_to(run, number, e) : 0;

	if (rc <= 0)
		return rc;
	if (decode_base(run, &r, e) || decode_outcome(&r.c, t))
		return -1;
	t->number = number;
	run->private->next_class = number + 1;
	return 1;
}

int run_load(struct run *run, uint64_t number, struct trace *t, struct error *e)
{
	int rc = load_base(run, number, t, e);

	if (rc > 0) {
		copy_base(t, run->private);
		count_threads(t);
	}
	return rc;
}

int run_look(struct run *run, struct trace *t, struct error *e)
{
	const struct run_private *p = run->private;
	int rc = load_base(run, p->next_class, t, e);

	t->events = p->events;
	t->nevents = p->nevents;
	t->ops = p->ops;
	t->nops = p->nops;
	return rc;
}

int run_next(struct run *run, struct trace *t, struct error *e)
{
	return run_load(run, run->private->next_class, t, e);
}

void run_rewind(struct run *run)
{
	run->private->next_class = 1;
}
