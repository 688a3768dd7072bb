/* SPDX-License-Identifier: MIT
 *
 * A run with every kind of record and field, for the tests of the reader.
 */
#ifndef TRACE_CASES_H
#define TRACE_CASES_H

#include "open_run.h"
#include "run/trace.h"

enum { READ, WRITE, RMW, LOCK, CALL, RETURN, CREATE, START, WAIT, FREE, RANGE, SPIN };

/* Tables that all tests share: two threads, four locations, a site of each kind above. */
static inline void write_tables(struct writer *w)
{
	writer_open(w);
	writer_module(w, "/nowhere/my_test", "-");
	writer_string(w, "push");
	writer_thread(w, 0, 0);
	writer_thread(w, 1, 1);
	writer_context(w, 0, 1, 0x1000);
	writer_context(w, 1, 1, 0x1010);
	writer_site(w, LP_EV_READ, 0, 4, 1, 0x2000, 2);
	writer_site(w, LP_EV_WRITE, LP_SITE_ATOMIC, 4, 1, 0x2004, 2);
	writer_site(w, LP_EV_RMW, LP_SITE_ATOMIC | 0x50, 8, 1, 0x2008, 2);
	writer_site(w, LP_EV_LOCK, 0, 0, 1, 0x200c, 0);
	writer_site(w, LP_EV_CALL, 0, 0, 1, 0x2010, 0);
	writer_site(w, LP_EV_RETURN, 0, 0, 1, 0x2014, 0);
	writer_site(w, LP_EV_CREATE, 0, 0, 0, 0x2018, 0);
	writer_site(w, LP_EV_START, 0, 0, 0, 0, 0);
	writer_site(w, LP_EV_WAIT, 0, 0, 1, 0x201c, 0);
	writer_site(w, LP_EV_FREE, 0, 0, 1, 0x2020, 0);
	writer_site(w, LP_EV_WRITE, LP_SITE_NOVALUE, 64, 1, 0x2024, 0);
	writer_site(w, LP_EV_NONE, 0, 0, 1, 0x2028, 0);
	writer_location(w, LP_LOC_GLOBAL, 0, 0, 0x4000);
	writer_location(w, LP_LOC_GLOBAL, 0, 0, 0x4002);
	writer_location(w, LP_LOC_HEAP, 1, 3, 8);
	writer_location(w, LP_LOC_STACK, 1, 0, 128);
	writer_location(w, LP_LOC_STACK, 1, 0, 124);
	writer_numbers(w, LP_REC_OBJECT, 2, (uint64_t)2, (uint64_t)writer_string(w, "stack"));
	writer_numbers(w, LP_REC_NOTE, 1, (uint64_t)writer_string(w, "a limit"));
	writer_numbers(w, LP_REC_LEAKS, 6, (uint64_t)1, (uint64_t)1, (uint64_t)2, (uint64_t)3,
		       (uint64_t)4, (uint64_t)56);
	writer_numbers(w, LP_REC_LEAKS, 2, (uint64_t)3, (uint64_t)0);
}

static inline void call(struct writer *w, int thread, int64_t argument)
{
	class_event(w, CALL, thread);
	class_number(w, 2);
	class_number(w, 1); /* string: module path is 0 */
	class_number(w, 1);
	class_signed(w, argument);
}

static inline void ret(struct writer *w, int thread, unsigned kind, int64_t value)
{
	class_event(w, RETURN, thread);
	class_byte(w, kind);
	class_signed(w, value);
}

static inline void access_to(struct writer *w, unsigned site, int thread, unsigned location,
			     uint64_t value)
{
	class_event(w, site, thread);
	class_number(w, location);
	class_number(w, value);
}

/* Class 1: every kind of field. Class 2 shares 4 events of it, class 3 two of that. */
static inline void write_classes(struct writer *w)
{
	write_tables(w);
	class_begin(w, 0, 10);
	class_event(w, START, -1);
	class_event(w, CREATE, -1);
	class_number(w, 1);
	call(w, 1, -7);
	access_to(w, READ, -1, 0, 5);
	access_to(w, WRITE, 0, 1, UINT64_MAX);
	access_to(w, RMW, 1, 3, 1);
	class_number(w, 300);
	ret(w, -1, 1, -1);
	class_event(w, WAIT, 0);
	class_number(w, 0);
	class_number(w, 1);
	class_event(w, FREE, -1);
	class_number(w, 2);
	class_number(w, 1ULL << 33);
	class_event(w, RANGE, -1);
	class_number(w, 4);
	class_end_ok(w);

	class_begin(w, 4, 2);
	access_to(w, WRITE, -1, 0, 6);
	class_event(w, LOCK, -1);
	class_number(w, 0);
	class_outcome(w, LP_OUT_DEADLOCK, 1, LOCK + 1, 0, 0);
	class_number(w, 1);
	class_number(w, 1);
	class_number(w, LOCK + 1);
	class_number(w, 1);
	class_number(w, 1);
	class_byte(w, LP_WAIT_LOCK);
	class_end(w);

	writer_stack(w, 1);
	w->stack = 1;
	class_begin(w, 2, 1);
	access_to(w, WRITE, 1, 0, 9);
	class_end_ok(w);
	writer_close(w);
}

static inline unsigned count_classes(struct run *run, struct error *e, int *rc)
{
	struct trace t = { 0 };
	unsigned n = 0;

	while ((*rc = run_next(run, &t, e)) > 0)
		n++;
	trace_free(&t);
	return n;
}

#endif
