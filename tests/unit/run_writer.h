/* SPDX-License-Identifier: MIT
 *
 * Hand-made run directories for tests: a writer of the trace format that shares no code with the
 * reader.
 *
 *	struct writer w;
 *	writer_open(&w);                          // a new temporary directory, w.directory
 *	writer_string(&w, "push");                // ids are implicit, as in the format
 *	class_begin(&w, 0, 2);                    // keep, count
 *	class_number(&w, site << 1 | 1);          // fields, as the format lists them
 *	class_end(&w);
 *	writer_close(&w);                         // everything is on disk
 *	writer_remove(&w);
 */
#ifndef RUN_WRITER_H
#define RUN_WRITER_H

#include "../../format/run_dir.h"
#include "../../format/trace_format.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct writer {
	char directory[256];
	unsigned char *data; /* the trace so far */
	size_t used, capacity;
	unsigned char *body; /* the record being built */
	size_t body_used, body_capacity;
	unsigned classes;
	FILE *modules;
	unsigned nmodules, nstrings;
	unsigned stack; /* id + 1 of the stack of the outcomes that follow, 0 for none */
};

static inline void writer_append(unsigned char **data, size_t *used, size_t *capacity,
				 const void *bytes, size_t n)
{
	if (*used + n > *capacity) {
		*capacity = (*used + n) * 2;
		*data = realloc(*data, *capacity);
		if (!*data)
			abort();
	}
	if (n)
		memcpy(*data + *used, bytes, n);
	*used += n;
}

static inline FILE *writer_file(const struct writer *w, const char *name)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", w->directory, name);
	f = fopen(path, "wb");
	if (!f)
		abort();
	return f;
}

static inline void writer_open(struct writer *w)
{
	const char *tmp = getenv("TMPDIR");

	*w = (struct writer){ 0 };
	snprintf(w->directory, sizeof w->directory, "%s/linchpin-test-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(w->directory))
		abort();
	writer_append(&w->data, &w->used, &w->capacity, LP_TRACE_MAGIC, 8);
	writer_append(&w->data, &w->used, &w->capacity, "\1\0\0\0", 4);
	w->modules = writer_file(w, "modules");
}

static inline void class_byte(struct writer *w, unsigned v)
{
	unsigned char b = (unsigned char)v;

	writer_append(&w->body, &w->body_used, &w->body_capacity, &b, 1);
}

static inline void class_number(struct writer *w, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		class_byte(w, (unsigned)(v & 0x7f) | 0x80);
	class_byte(w, (unsigned)v);
}

static inline void class_signed(struct writer *w, int64_t v)
{
	class_number(w, v < 0 ? (uint64_t)~v << 1 | 1 : (uint64_t)v << 1);
}

static inline void writer_record(struct writer *w, unsigned type)
{
	unsigned char b = (unsigned char)type;
	size_t n = w->body_used;

	writer_append(&w->data, &w->used, &w->capacity, &b, 1);
	for (; n >= 0x80; n >>= 7) {
		b = (unsigned char)((n & 0x7f) | 0x80);
		writer_append(&w->data, &w->used, &w->capacity, &b, 1);
	}
	b = (unsigned char)n;
	writer_append(&w->data, &w->used, &w->capacity, &b, 1);
	writer_append(&w->data, &w->used, &w->capacity, w->body, w->body_used);
	w->body_used = 0;
}

/* A record of n plain numbers. */
static inline void writer_numbers(struct writer *w, unsigned type, unsigned n, ...)
{
	va_list args;

	va_start(args, n);
	while (n--)
		class_number(w, va_arg(args, uint64_t));
	va_end(args);
	writer_record(w, type);
}

static inline unsigned writer_string(struct writer *w, const char *s)
{
	writer_append(&w->body, &w->body_used, &w->body_capacity, s, strlen(s));
	writer_record(w, LP_REC_STRING);
	return w->nstrings++;
}

static inline unsigned writer_module(struct writer *w, const char *path, const char *build_id)
{
	unsigned string = writer_string(w, path);

	fprintf(w->modules, "%u %s 1000 %s\n", w->nmodules, build_id, path);
	writer_numbers(w, LP_REC_MODULE, 1, (uint64_t)string);
	return w->nmodules++;
}

/* The stack of a thread: the pc in module 0, rsp 24 bytes below the top, all other registers
 * unknown; one word is left out, then come an address of the stack and one of module 0. */
static inline void writer_stack(struct writer *w, unsigned thread)
{
	static const unsigned char sp[] = { LP_STACK_ADDRESS, 24 };
	static const unsigned char rest[] = { LP_STACK_CODE, 0, 16, 1, LP_STACK_ADDRESS, 8,
					      0, LP_STACK_CODE, 0, 32 };
	unsigned char id = (unsigned char)thread;

#define APPEND(bytes, n) writer_append(&w->body, &w->body_used, &w->body_capacity, bytes, n)
	APPEND(&id, 1);
	for (unsigned i = 0; i < LP_STACK_REGISTERS - 1; i++)
		APPEND(i == 7 ? sp : (const unsigned char[]){ LP_STACK_OTHER }, i == 7 ? 2 : 1);
	APPEND(rest, sizeof rest);
#undef APPEND
	writer_record(w, LP_REC_STACK);
}

/* parent and module: id + 1, 0 for none; the same in the functions below */
static inline void writer_context(struct writer *w, uint64_t parent, uint64_t module, uint64_t pc)
{
	writer_numbers(w, LP_REC_CONTEXT, 3, parent, module, pc);
}

static inline void writer_site(struct writer *w, unsigned kind, unsigned flags, uint64_t size,
			       uint64_t module, uint64_t pc, uint64_t context)
{
	class_byte(w, kind);
	class_byte(w, flags);
	writer_numbers(w, LP_REC_SITE, 4, size, module, pc, context);
}

static inline void writer_location(struct writer *w, unsigned type, uint64_t a, uint64_t b,
				   uint64_t offset)
{
	class_byte(w, type);
	writer_numbers(w, LP_REC_LOCATION, 3, a, b, offset);
}

static inline void writer_thread(struct writer *w, uint64_t parent, uint64_t number)
{
	writer_numbers(w, LP_REC_THREAD, 4, parent, number, (uint64_t)0, (uint64_t)0);
}

static inline void class_begin(struct writer *w, unsigned keep, unsigned count)
{
	class_number(w, ++w->classes);
	class_number(w, keep);
	class_number(w, count);
}

static inline void class_event(struct writer *w, uint64_t site, int thread)
{
	class_number(w, site << 1 | (thread >= 0));
	if (thread >= 0)
		class_number(w, (uint64_t)thread);
}

static inline void class_outcome(struct writer *w, unsigned kind, uint64_t thread, uint64_t site,
				 int64_t code, uint64_t message)
{
	class_byte(w, kind);
	class_number(w, thread);
	class_number(w, site);
	class_signed(w, code);
	class_number(w, message);
	class_number(w, w->stack);
}

static inline void class_end(struct writer *w)
{
	writer_record(w, LP_REC_CLASS);
}

/* The class ends with everything well. */
static inline void class_end_ok(struct writer *w)
{
	class_outcome(w, LP_OUT_OK, 0, 0, 0, 0);
	class_number(w, 0);
	class_end(w);
}

static inline void writer_trace_bytes(const struct writer *w, const void *data, size_t n)
{
	FILE *f = writer_file(w, "trace");

	fwrite(data, 1, n, f);
	fclose(f);
}

static inline void writer_status(const struct writer *w)
{
	struct lp_status s = { .magic = LP_STATUS_MAGIC,
			       .version = LP_RUN_VERSION,
			       .end = LP_END_COMPLETE,
			       .executions = w->classes,
			       .classes = w->classes,
			       .trace_bytes = w->used,
			       .threads = 2 };
	FILE *f = writer_file(w, "status");

	fwrite(&s, 1, sizeof s, f);
	fclose(f);
}

/* Writes all files. Frees the buffers. */
static inline void writer_close(struct writer *w)
{
	FILE *f = writer_file(w, "run");

	fputs("format 1\nprogram ./my_test\ncwd /somewhere\nargc 2\narg ./my_test\narg a\\040b\n"
	      "search dpor\nseed 1\nmax-executions 0\ncheck lin\n",
	      f);
	fclose(f);
	if (w->modules)
		fclose(w->modules);
	w->modules = NULL;
	writer_trace_bytes(w, w->data, w->used);
	writer_status(w);
	free(w->body);
	w->body = NULL;
	w->body_used = w->body_capacity = 0;
}

static inline void writer_remove(struct writer *w)
{
	static const char *const names[] = { "run", "modules", "trace", "status" };
	char path[512];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/%s", w->directory, names[i]);
		unlink(path);
	}
	rmdir(w->directory);
	free(w->data);
	w->data = NULL;
}

#endif
