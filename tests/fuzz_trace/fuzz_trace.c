/* SPDX-License-Identifier: MIT
 *
 * libFuzzer target for the reader of run directories. The first byte of the input says which file
 * the rest is; the other files are good ones. Classes are read in order and at random, which must
 * agree. A class written as a trace of its own and read again must give the same bytes.
 *
 *	make fuzz-trace            # FUZZ_SECONDS=60
 */
#include "../unit/run_writer.h"

#include "run/canonical.h"
#include "run/trace.h"

#include <sys/stat.h>

#define MAX_CLASSES 64

enum { FILE_TRACE, FILE_WHOLE_TRACE, FILE_RUN, FILE_MODULES, FILE_STATUS, FILES };

static struct writer first, second;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static void require(bool condition)
{
	if (!condition)
		abort();
}

/* A run directory with every file good and no class; on a file system in memory if there is one. */
static void make_directory(struct writer *w)
{
	struct stat st;

	if (!stat("/dev/shm", &st) && S_ISDIR(st.st_mode))
		setenv("TMPDIR", "/dev/shm", 0);
	writer_open(w);
	writer_close(w);
}

static void put_file(const struct writer *w, const char *name, const void *data, size_t size)
{
	FILE *f = writer_file(w, name);

	fwrite(data, 1, size, f);
	fclose(f);
}

static void remove_directories(void)
{
	writer_remove(&first);
	writer_remove(&second);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	make_directory(&first);
	make_directory(&second);
	atexit(remove_directories);
	return 0;
}

/* The files that are not under test get their good contents back. */
static void put_input(uint8_t which, const uint8_t *data, size_t size)
{
	static const char run[] = "format 1\nprogram p\n";
	unsigned char *trace;

	put_file(&first, "run", run, sizeof run - 1);
	put_file(&first, "modules", "", 0);
	put_file(&first, "trace", first.data, first.used);
	writer_status(&first);
	switch (which % FILES) {
	case FILE_TRACE:
		trace = malloc(LP_TRACE_HEADER + size);
		require(trace);
		memcpy(trace, first.data, LP_TRACE_HEADER);
		if (size)
			memcpy(trace + LP_TRACE_HEADER, data, size);
		put_file(&first, "trace", trace, LP_TRACE_HEADER + size);
		free(trace);
		break;
	case FILE_WHOLE_TRACE:
		put_file(&first, "trace", data, size);
		break;
	case FILE_RUN:
		put_file(&first, "run", data, size);
		break;
	case FILE_MODULES:
		put_file(&first, "modules", data, size);
		break;
	default:
		put_file(&first, "status", data, size);
	}
}

static void check_trace(const struct run *run, const struct trace *t)
{
	for (uint32_t i = 0; i < t->nevents; i++) {
		const struct event *ev = &t->events[i];

		require(ev->site < run->nsites && ev->thread < t->nthreads);
		require(ev->location == NONE || ev->location < run->nlocations);
		require(ev->op == NONE || ev->op < t->nops);
	}
	for (uint32_t i = 0; i < t->nops; i++) {
		require(t->ops[i].call < t->nevents && t->ops[i].name < run->nstrings);
		require(t->ops[i].ret_event == NONE || t->ops[i].ret_event < t->nevents);
	}
	free(trace_schedule(run, t));
}

static void check_round_trip(const struct run *run, const struct trace *t)
{
	struct error e;
	struct trace again = { 0 };
	size_t size, size_again;
	unsigned char *bytes = trace_canonical(run, t, &size), *bytes_again;
	struct run *copy;

	put_file(&second, "trace", bytes, size);
	copy = run_open(second.directory, &e);
	require(copy && run_next(copy, &again, &e) == 1);
	require(again.nevents == t->nevents && again.nops == t->nops);
	bytes_again = trace_canonical(copy, &again, &size_again);
	require(size == size_again && !memcmp(bytes, bytes_again, size));
	free(bytes);
	free(bytes_again);
	trace_free(&again);
	run_close(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct trace t = { 0 }, random = { 0 };
	struct error e;
	struct run *run;
	uint64_t n = 0;

	if (size == 0)
		return 0;
	put_input(data[0], data + 1, size - 1);
	run = run_open(first.directory, &e);
	while (run && n < MAX_CLASSES && run_next(run, &t, &e) == 1) {
		check_trace(run, &t);
		n++;
	}
	/* Ignore what a failed read left in t. */
	if (n)
		require(run_load(run, n, &t, &e) == 1);
	if (n)
		check_round_trip(run, &t);
	for (uint64_t i = n; i > 0; i--) {
		require(run_load(run, i, &random, &e) == 1);
		check_trace(run, &random);
		if (i == n)
			require(random.nevents == t.nevents && random.nops == t.nops);
	}
	trace_free(&t);
	trace_free(&random);
	run_close(run);
	return 0;
}
