/* SPDX-License-Identifier: MIT
 *
 * Writes seed inputs for fuzz_trace into the directory that is its argument.
 */
#include "../unit/run_writer.h"

#define LOCATIONS 4

static void tables(struct writer *w)
{
	writer_module(w, "/m", "-");
	writer_string(w, "op");
	writer_thread(w, 0, 0);
	writer_thread(w, 1, 1);
	writer_context(w, 0, 1, 16);
	writer_context(w, 1, 1, 32);
	for (unsigned kind = 0; kind < LP_EV_COUNT; kind++)
		writer_site(w, kind, kind & 1, kind % 9, 1, kind * 5, kind % 3);
	writer_location(w, LP_LOC_GLOBAL, 0, 0, 64);
	writer_location(w, LP_LOC_HEAP, 1, 2, 8);
	writer_location(w, LP_LOC_STACK, 1, 0, 24);
	writer_location(w, LP_LOC_OTHER, 0, 0, 4096);
	writer_numbers(w, LP_REC_OBJECT, 2, (uint64_t)1, (uint64_t)1);
	writer_numbers(w, LP_REC_NOTE, 1, (uint64_t)1);
	writer_numbers(w, LP_REC_LEAKS, 10, (uint64_t)1, (uint64_t)2, (uint64_t)1, (uint64_t)1, (uint64_t)2,
		       (uint64_t)3, (uint64_t)4, (uint64_t)0, (uint64_t)5, (uint64_t)6);
	writer_stack(w, 1);
	w->stack = 1;
}

static void event(struct writer *w, unsigned kind, int thread)
{
	class_event(w, kind, thread);
	if (kind == LP_EV_CREATE || kind == LP_EV_JOIN)
		class_number(w, 1);
	else if (lp_kind_access(kind) || kind == LP_EV_ALLOC || kind == LP_EV_CALL)
		class_number(w, kind % LOCATIONS);
	if (kind == LP_EV_READ || kind == LP_EV_WRITE || kind == LP_EV_CAS_FAIL ||
	    kind == LP_EV_RMW || kind == LP_EV_FREE || kind == LP_EV_ALLOC)
		class_number(w, kind * 100);
	if (kind == LP_EV_RMW || kind == LP_EV_WAIT || kind == LP_EV_CALL)
		class_number(w, 1);
	if (kind == LP_EV_CALL) {
		class_number(w, 2);
		class_signed(w, -3);
		class_signed(w, 500);
	}
	if (kind == LP_EV_RETURN) {
		class_byte(w, 1);
		class_signed(w, -1);
	}
}

static void outcome(struct writer *w, unsigned kind)
{
	class_outcome(w, kind, 1, 3, -6, 2);
	class_number(w, 1);
	class_number(w, 1);
	class_number(w, 6);
	class_number(w, 1);
	class_number(w, 0);
	class_byte(w, LP_WAIT_LOCK);
	class_end(w);
}

static void save(const char *directory, const char *name, unsigned which, const void *data,
		 size_t size)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", directory, name);
	f = fopen(path, "wb");
	if (!f)
		exit(1);
	fputc((int)which, f);
	fwrite(data, 1, size, f);
	fclose(f);
}

int main(int argc, char **argv)
{
	static const char run[] = "format 1\nprogram a\\040b\nargc 1\narg x\ncwd /\ncheck lin\n";
	static const char modules[] = "0 - 10 /m\n1 00ff 20 /n\\012\n";
	struct lp_status status = { .magic = LP_STATUS_MAGIC, .version = LP_RUN_VERSION };
	struct writer w;

	if (argc != 2)
		return 2;
	writer_open(&w);
	tables(&w);
	class_begin(&w, 0, LP_EV_COUNT - 1);
	for (unsigned kind = 1; kind < LP_EV_COUNT; kind++)
		event(&w, kind, kind % 4 ? -1 : kind / 4 % 2);
	class_end_ok(&w);
	for (unsigned keep = 0; keep < 12; keep += 4) {
		class_begin(&w, keep, 2);
		event(&w, LP_EV_CALL, 0);
		event(&w, LP_EV_READ, 1);
		outcome(&w, keep % LP_OUT_DATA_RACE);
	}
	save(argv[1], "trace", 0, w.data + LP_TRACE_HEADER, w.used - LP_TRACE_HEADER);
	save(argv[1], "whole", 1, w.data, w.used);
	save(argv[1], "run", 2, run, sizeof run - 1);
	save(argv[1], "modules", 3, modules, sizeof modules - 1);
	save(argv[1], "status", 4, &status, sizeof status);
	writer_close(&w);
	writer_remove(&w);
	return 0;
}
