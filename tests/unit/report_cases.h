/* SPDX-License-Identifier: MIT
 *
 * A hand-made run of an array stack that is compiled here, for the tests of what is printed about
 * traces.
 */
#ifndef REPORT_CASES_H
#define REPORT_CASES_H

#include "built_program.h"
#include "report/outcome.h"
#include "report/text.h"
#include "report/trace.h"

static const char program[] =
	PLACES_SOURCE "int range, items[4];\n"
		      "int lock_a, lock_b;\n"
		      "__attribute__((noinline)) void push(int x)\n"
		      "{\n"
		      "	int i = (hook(\"claim\", 0), range++); /* @claim */\n"
		      "	items[i] = (hook(\"fill\", 0), x); /* @fill */\n"
		      "}\n"
		      "__attribute__((noinline)) int pop(void)\n"
		      "{\n"
		      "	int x = (hook(\"read\", 0), items[0]); /* @read */\n"
		      "	items[0] = (hook(\"clear\", 0), 0); /* @clear */\n"
		      "	return x;\n"
		      "}\n"
		      "__attribute__((noinline)) void locks(void)\n"
		      "{\n"
		      "	hook(\"first\", 0); /* @first */\n"
		      "	hook(\"second\", 0); /* @second */\n"
		      "	hook(\"third\", 0); /* @third */\n"
		      "	__asm__ volatile(\"\"); /* no tail call */\n"
		      "}\n"
		      "int main(void)\n"
		      "{\n"
		      "	dl_iterate_phdr(find_base, 0);\n"
		      "	push(7);\n"
		      "	pop();\n"
		      "	locks();\n"
		      "	hook(\"range\", &range);\n"
		      "	hook(\"items\", items);\n"
		      "	hook(\"lock_a\", &lock_a);\n"
		      "	hook(\"lock_b\", &lock_b);\n"
		      "	return 0;\n"
		      "}\n";

/* Sites, locations and strings of the run. */
enum {
	CLAIM,
	FILL,
	POP_READ,
	POP_CLEAR,
	CALL,
	RETURN,
	CREATE,
	LOCK_1,
	LOCK_2,
	SPIN,
	ALLOC,
	FREE,
	CRASH
};
enum { RANGE, ITEMS, LOCK_A, LOCK_B, OBJECT, BLOCK, BLOCK_8 };
enum { S_PATH, S_PUSH, S_POP, S_ADDRESS, S_ASSERT, S_LIBC_ASSERT };

static inline void write_sites(struct build *b)
{
	struct writer *w = &b->w;

	writer_site(w, LP_EV_RMW, LP_SITE_ATOMIC | 0x50, 4, 1, place(b, "claim"), 0);
	writer_site(w, LP_EV_WRITE, 0, 4, 1, place(b, "fill"), 0);
	writer_site(w, LP_EV_READ, LP_SITE_ATOMIC | 0x20, 4, 1, place(b, "read"), 0);
	writer_site(w, LP_EV_WRITE, 0, 4, 1, place(b, "clear"), 0);
	writer_site(w, LP_EV_CALL, 0, 0, 1, place(b, "first"), 0);
	writer_site(w, LP_EV_RETURN, 0, 0, 1, place(b, "first"), 0);
	writer_site(w, LP_EV_CREATE, 0, 0, 1, place(b, "first"), 0);
	writer_site(w, LP_EV_LOCK, 0, 0, 1, place(b, "first"), 0);
	writer_site(w, LP_EV_LOCK, 0, 0, 1, place(b, "second"), 0);
	writer_site(w, LP_EV_READ, 0, 4, 1, place(b, "third"), 0);
	writer_site(w, LP_EV_ALLOC, 0, 0, 1, place(b, "first"), 0);
	writer_site(w, LP_EV_FREE, 0, 0, 1, place(b, "second"), 0);
	writer_site(w, LP_EV_NONE, 0, 0, 1, place(b, "clear") - 1, 0);
}

static inline void begin(struct build *b)
{
	struct writer *w = &b->w;

	build(b, program, "gcc -g -O2", "true");
	writer_module(w, b->binary, b->build_id);
	writer_string(w, "push");
	writer_string(w, "pop");
	writer_string(w, "address 0x10");
	writer_string(w, "x \033[31m> 0");
	writer_string(w, "p: f.c:3: f: Assertion `a == b' failed.\n");
	writer_thread(w, 0, 0);
	writer_thread(w, 1, 1);
	writer_thread(w, 1, 2);
	write_sites(b);
	writer_location(w, LP_LOC_GLOBAL, 0, 0, place(b, "range"));
	writer_location(w, LP_LOC_GLOBAL, 0, 0, place(b, "items"));
	writer_location(w, LP_LOC_GLOBAL, 0, 0, place(b, "lock_a"));
	writer_location(w, LP_LOC_GLOBAL, 0, 0, place(b, "lock_b"));
	writer_location(w, LP_LOC_OTHER, 0, 0, 0);
	writer_location(w, LP_LOC_HEAP, 1, 1, 0);
	writer_location(w, LP_LOC_HEAP, 1, 1, 8);
}

static inline void access_to(struct writer *w, unsigned site, int thread, unsigned location,
			     uint64_t value)
{
	class_event(w, site, thread);
	class_number(w, location);
	class_number(w, value);
}

static inline void lock(struct writer *w, unsigned site, int thread, unsigned location)
{
	class_event(w, site, thread);
	class_number(w, location);
}

static inline void call(struct writer *w, int thread, unsigned name, int nargs)
{
	class_event(w, CALL, thread);
	class_number(w, OBJECT);
	class_number(w, name);
	class_number(w, (uint64_t)nargs);
	if (nargs)
		class_signed(w, 7);
}

static inline void ret(struct writer *w, int thread, unsigned kind, int64_t value)
{
	class_event(w, RETURN, thread);
	class_byte(w, kind);
	class_signed(w, value);
}

/* push(7), then two pops that read before either clears; the second pop never returns if
 * `pending`. */
static inline void duplicate_pop(struct writer *w, bool pending)
{
	class_begin(w, 0, pending ? 13 : 14);
	class_event(w, CREATE, -1);
	class_number(w, 1);
	class_event(w, CREATE, -1);
	class_number(w, 2);
	call(w, -1, S_PUSH, 1);
	access_to(w, CLAIM, -1, RANGE, 0);
	class_number(w, 1);
	access_to(w, FILL, -1, ITEMS, 7);
	ret(w, -1, 0, 0);
	call(w, 1, S_POP, 0);
	call(w, 2, S_POP, 0);
	access_to(w, POP_READ, 1, ITEMS, 7);
	access_to(w, POP_READ, 2, ITEMS, 7);
	access_to(w, POP_CLEAR, 1, ITEMS, 0);
	ret(w, -1, 1, 7);
	access_to(w, POP_CLEAR, 2, ITEMS, 0xffffffff);
	if (!pending)
		ret(w, -1, 1, 7);
	class_end_ok(w);
}

static inline void load(struct build *b, struct trace *t)
{
	writer_close(&b->w);
	b->run = open_run(&b->w);
	next_class(b->run, t);
	open_map(b);
}

/* The run of duplicate_pop(), written and loaded. */
static inline void load_duplicate_pop(struct build *b, struct trace *t, bool pending)
{
	begin(b);
	duplicate_pop(&b->w, pending);
	load(b, t);
}

static inline void done(struct build *b, struct trace *t, char *text)
{
	free(text);
	trace_free(t);
	remove_build(b);
}

/* Each of the strings is in the text, one after the other. A leading `!`: it is nowhere after the
 * one before. */
static inline void expect(const char *text, ...)
{
	const char *at = text, *s;
	va_list args;

	va_start(args, text);
	while ((s = va_arg(args, const char *))) {
		const char *found = strstr(at, *s == '!' ? s + 1 : s);

		if (!found != (*s == '!'))
			fail_msg("expected `%s` in:\n%s", s, text);
		if (found)
			at = found + strlen(s);
	}
	va_end(args);
}

static const struct text_style plain;

static inline char *dump(struct build *b, const struct trace *t, const struct text_style *s)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	trace_text_dump(f, s, b->map, b->run, t);
	fclose(f);
	return text;
}

#endif
