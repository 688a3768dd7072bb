/* SPDX-License-Identifier: MIT
 *
 * The source map on a real program, compiled here in several ways, that prints where it is:
 * functions, lines, inlined calls, variables; and the messages when information is missing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "built_program.h"

static const char program[] =
	PLACES_SOURCE "struct pair { int key; long value; };\n"
		      "struct pair table[4];\n"
		      "int matrix[2][3];\n"
		      "volatile int counter;\n"
		      "static inline __attribute__((always_inline)) void leaf(void)\n"
		      "{\n"
		      "	counter = counter + 1;\n"
		      "	hook(\"leaf\", 0); /* @leaf */\n"
		      "}\n"
		      "static inline __attribute__((always_inline)) void middle(int n)\n"
		      "{\n"
		      "	counter = counter + n;\n"
		      "	leaf(); /* @call-leaf */\n"
		      "}\n"
		      "__attribute__((noinline)) void outer(int n)\n"
		      "{\n"
		      "	static int calls;\n"
		      "	calls += n;\n"
		      "	hook(\"context\", __builtin_return_address(0));\n"
		      "	middle(calls); /* @call-middle */\n"
		      "	hook(\"calls\", &calls);\n"
		      "	counter = 7;\n"
		      "}\n"
		      "int main(void)\n"
		      "{\n"
		      "	dl_iterate_phdr(find_base, 0);\n"
		      "	outer(1); /* @call-outer */\n"
		      "	hook(\"table\", &table[2].value);\n"
		      "	hook(\"matrix\", (char *)&matrix[1][2] + 1);\n"
		      "	hook(\"counter\", (void *)&counter);\n"
		      "	return 0;\n"
		      "}\n";

/* A run with one site and four locations of that program. */
static void make_run(struct build *b, const char *build_id)
{
	struct writer *w = &b->w;
	struct trace t = { 0 };

	writer_module(w, b->binary, build_id);
	writer_thread(w, 0, 0);
	writer_thread(w, 1, 2);
	writer_context(w, 0, 1, place(b, "context"));
	writer_site(w, LP_EV_READ, 0, 4, 1, place(b, "leaf"), 1);
	writer_site(w, LP_EV_READ, 0, 4, 0, 0x1234, 0);
	writer_location(w, LP_LOC_GLOBAL, 0, 0, place(b, "table"));
	writer_location(w, LP_LOC_GLOBAL, 0, 0, place(b, "matrix"));
	writer_location(w, LP_LOC_GLOBAL, 0, 0, place(b, "counter"));
	writer_location(w, LP_LOC_GLOBAL, 0, 0, place(b, "calls"));
	writer_location(w, LP_LOC_HEAP, 1, 3, 8);
	writer_location(w, LP_LOC_STACK, 1, 0, 16);
	writer_location(w, LP_LOC_OTHER, 0, 0, 0x1000);
	class_begin(w, 0, 0);
	class_end_ok(w);
	writer_close(w);
	b->run = open_run(w);
	next_class(b->run, &t);
	trace_free(&t);
}

static char *warnings(struct srcmap *m)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	srcmap_warnings(m, f);
	fclose(f);
	return text;
}

static void expect_frame(const struct build *b, const struct source_frame *f, const char *function,
			 const char *mark)
{
	char path[300];

	snprintf(path, sizeof path, "%s/program.c", b->w.directory);
	assert_string_equal(f->function, function);
	assert_non_null(f->file);
	assert_string_equal(f->file, path);
	assert_int_equal(f->line, marked_line(b, mark));
	assert_non_null(strstr(srcmap_line_text(b->map, f->file, f->line), mark));
}

static void check_known(struct build *b)
{
	const struct source_frame *frames, *again;
	char text[400], *w;

	assert_int_equal(srcmap_frames(b->map, 0, &frames), 4);
	expect_frame(b, &frames[0], "main", "@call-outer");
	expect_frame(b, &frames[1], "outer", "@call-middle");
	expect_frame(b, &frames[2], "middle", "@call-leaf");
	expect_frame(b, &frames[3], "leaf", "@leaf");
	assert_true(frames[3].column > 0);
	assert_true(frames[0].address != frames[1].address);
	assert_true(frames[1].address && frames[2].address);
	assert_int_equal(srcmap_frames(b->map, 0, &again), 4);
	assert_ptr_equal(frames, again);
	assert_ptr_equal(srcmap_frame(b->map, 0), &frames[3]);
	snprintf(text, sizeof text, "%s/program.c:%u", b->w.directory, marked_line(b, "@leaf"));
	assert_string_equal(srcmap_place(b->map, &frames[3], false), text);
	assert_string_equal(srcmap_location(b->map, 0), "table[2].value");
	assert_string_equal(srcmap_location(b->map, 1), "matrix[1][2]+1");
	assert_string_equal(srcmap_location(b->map, 2), "counter");
	assert_string_equal(srcmap_location(b->map, 3), "calls");
	w = warnings(b->map);
	assert_string_equal(w, "");
	free(w);
}

static void check_build(const char *compile, const char *after)
{
	struct build b = { 0 };

	build(&b, program, compile, after);
	make_run(&b, b.build_id);
	open_map(&b);
	check_known(&b);
	remove_build(&b);
}

static void test_pie(void **state)
{
	check_build("gcc -g -O2 -fPIE -pie", "true");
}

static void test_not_pie(void **state)
{
	check_build("gcc -g -O2 -no-pie", "true");
}

static void test_dwarf4(void **state)
{
	check_build("gcc -gdwarf-4 -O2", "true");
}

static void test_clang(void **state)
{
	check_build("clang -g -O2", "true");
}

static void test_separate_debug_file(void **state)
{
	check_build("gcc -g -O2",
		    "objcopy --only-keep-debug program program.debug && "
		    "strip -g program && objcopy --add-gnu-debuglink=program.debug program");
}

/* For what is not position independent, offsets may also count from the beginning of the image. */
static void test_not_pie_from_image(void **state)
{
	const struct source_frame *frames;
	struct build b = { 0 };
	struct trace t = { 0 };

	build(&b, program, "gcc -g -O2 -no-pie", "true");
	writer_module(&b.w, b.binary, b.build_id);
	writer_thread(&b.w, 0, 0);
	writer_site(&b.w, LP_EV_READ, 0, 4, 1, place(&b, "leaf") - 0x400000, 0);
	class_begin(&b.w, 0, 0);
	class_end_ok(&b.w);
	writer_close(&b.w);
	b.run = open_run(&b.w);
	next_class(b.run, &t);
	trace_free(&t);
	open_map(&b);
	assert_int_equal(srcmap_frames(b.map, 0, &frames), 3);
	expect_frame(&b, &frames[2], "leaf", "@leaf");
	remove_build(&b);
}

static void test_no_debug_information(void **state)
{
	const struct source_frame *frames;
	struct build b = { 0 };
	char *w;

	build(&b, program, "gcc -O2", "true");
	make_run(&b, b.build_id);
	open_map(&b);
	assert_int_equal(srcmap_frames(b.map, 0, &frames), 2);
	assert_string_equal(frames[0].function, "main");
	assert_string_equal(frames[1].function, "outer");
	assert_null(frames[1].file);
	assert_int_equal(frames[1].line, 0);
	assert_int_equal(strncmp(srcmap_place(b.map, &frames[1], true), "outer+0x", 8), 0);
	assert_string_equal(srcmap_location(b.map, 0), "table+40");
	assert_string_equal(srcmap_location(b.map, 2), "counter");
	w = warnings(b.map);
	assert_non_null(strstr(w, "no debug information"));
	assert_non_null(strstr(w, "compile with -g"));
	free(w);
	w = warnings(b.map);
	assert_string_equal(w, "");
	free(w);
	remove_build(&b);
}

static void test_stripped(void **state)
{
	const struct source_frame *frames;
	struct build b = { 0 };
	char text[64], *w;

	build(&b, program, "gcc -g -O2", "strip program");
	make_run(&b, b.build_id);
	open_map(&b);
	assert_int_equal(srcmap_frames(b.map, 0, &frames), 2);
	assert_null(frames[1].function);
	snprintf(text, sizeof text, "program+0x%llx", (unsigned long long)place(&b, "leaf"));
	assert_string_equal(srcmap_place(b.map, &frames[1], true), text);
	w = warnings(b.map);
	assert_non_null(strstr(w, "no symbols"));
	free(w);
	remove_build(&b);
}

static void test_rebuilt(void **state)
{
	struct build b = { 0 };
	struct error e = { "" };

	build(&b, program, "gcc -g -O2", "true");
	make_run(&b, "00112233445566778899aabbccddeeff00112233");
	assert_null(srcmap_open(b.run, &e));
	assert_non_null(strstr(e.message, "was rebuilt since this run"));
	assert_non_null(strstr(e.message, b.binary));
	remove_build(&b);
}

static void test_gone(void **state)
{
	const struct source_frame *frames;
	struct build b = { 0 };
	char *w;

	build(&b, program, "gcc -g -O2", "true");
	make_run(&b, b.build_id);
	command(&b, "rm program");
	open_map(&b);
	assert_int_equal(srcmap_frames(b.map, 0, &frames), 2);
	assert_null(frames[1].function);
	assert_non_null(strstr(srcmap_place(b.map, &frames[1], false), "program+0x"));
	w = warnings(b.map);
	assert_non_null(strstr(w, "not there any more"));
	free(w);
	assert_null(srcmap_line_text(b.map, "anything.c", 1));
	remove_build(&b);
}

static void test_other_names(void **state)
{
	const struct source_frame *frames;
	struct build b = { 0 };

	build(&b, program, "gcc -g -O2", "true");
	make_run(&b, b.build_id);
	open_map(&b);
	assert_string_equal(srcmap_location(b.map, 4), "heap T0.2#3+8");
	assert_string_equal(srcmap_location(b.map, 5), "stack T0.2-16");
	assert_string_equal(srcmap_location(b.map, 6), "0x1000");
	assert_string_equal(srcmap_location(b.map, NONE), "?");
	assert_int_equal(srcmap_frames(b.map, 1, &frames), 1);
	assert_string_equal(srcmap_place(b.map, &frames[0], false), "0x1234");
	assert_int_equal(srcmap_frames(b.map, 2, &frames), 0);
	assert_int_equal(srcmap_frames(b.map, NONE, &frames), 0);
	assert_string_equal(srcmap_place(b.map, NULL, false), "?");
	remove_build(&b);
}

/* Below the working directory, files are named from there. */
static void test_relative_names(void **state)
{
	const struct source_frame *frames;
	struct build b = { 0 };
	char *before = getcwd(NULL, 0);

	build(&b, program, "gcc -g -O2", "true");
	make_run(&b, b.build_id);
	assert_int_equal(chdir(b.w.directory), 0);
	open_map(&b);
	assert_int_equal(srcmap_frames(b.map, 0, &frames), 4);
	assert_string_equal(frames[3].file, "program.c");
	assert_non_null(srcmap_line_text(b.map, "program.c", marked_line(&b, "@leaf")));
	assert_null(srcmap_line_text(b.map, "program.c", 100000));
	assert_null(srcmap_line_text(b.map, "program.c", 0));
	assert_int_equal(chdir(before), 0);
	free(before);
	remove_build(&b);
}

/* A damaged ELF file is reported or understood in part, never a crash. */
static void test_damaged_module(void **state)
{
	struct build b = { 0 };
	uint64_t seed = 7;

	build(&b, program, "gcc -g -O2", "cp program log");
	make_run(&b, "-");
	for (int i = 0; i < 60; i++) {
		const struct source_frame *frames;
		struct error e;
		FILE *f;

		command(&b, "cp log program");
		f = fopen(b.binary, "r+b");
		fseek(f, 0, SEEK_END);
		for (long size = ftell(f), j = 0; j < 40; j++) {
			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			fseek(f, (long)(seed >> 33) % (j < 2 ? 64 : size), SEEK_SET);
			fputc((int)(seed >> 20 & 0xff), f);
		}
		fclose(f);
		b.map = srcmap_open(b.run, &e);
		if (b.map) {
			assert_true(srcmap_frames(b.map, 0, &frames) > 0);
			assert_non_null(srcmap_location(b.map, 0));
			assert_non_null(srcmap_place(b.map, &frames[0], true));
		}
		srcmap_close(b.map);
		b.map = NULL;
	}
	remove_build(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pie),
		cmocka_unit_test(test_not_pie),
		cmocka_unit_test(test_dwarf4),
		cmocka_unit_test(test_clang),
		cmocka_unit_test(test_separate_debug_file),
		cmocka_unit_test(test_not_pie_from_image),
		cmocka_unit_test(test_no_debug_information),
		cmocka_unit_test(test_stripped),
		cmocka_unit_test(test_rebuilt),
		cmocka_unit_test(test_gone),
		cmocka_unit_test(test_other_names),
		cmocka_unit_test(test_relative_names),
		cmocka_unit_test(test_damaged_module),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
