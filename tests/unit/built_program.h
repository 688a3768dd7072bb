/* SPDX-License-Identifier: MIT
 *
 * A program compiled during a test, which prints places in itself ("tag offset" a line), and a run
 * of it.
 */
#ifndef BUILT_PROGRAM_H
#define BUILT_PROGRAM_H

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <sys/wait.h>

#include "open_run.h"
#include "source/map.h"

/* Begins the text of such a program: main calls dl_iterate_phdr(find_base, 0) first; then hook("tag",
 * 0) prints where it was called, hook("tag", &variable) where the variable is. */
#define PLACES_SOURCE                                                                              \
	"#define _GNU_SOURCE\n"                                                                    \
	"#include <link.h>\n"                                                                      \
	"#include <stdio.h>\n"                                                                     \
	"static unsigned long base;\n"                                                             \
	"static int find_base(struct dl_phdr_info *i, size_t n, void *p)\n"                        \
	"{\n"                                                                                      \
	"	base = i->dlpi_addr;\n"                                                                  \
	"	return 1;\n"                                                                             \
	"}\n"                                                                                      \
	"__attribute__((noinline)) void hook(const char *tag, void *pc)\n"                         \
	"{\n"                                                                                      \
	"	if (!pc)\n"                                                                              \
	"		pc = __builtin_return_address(0);\n"                                                    \
	"	printf(\"%s %lx\\n\", tag, (unsigned long)pc - base);\n"                                 \
	"}\n"

struct build {
	const char *source;
	struct writer w;
	char binary[300];
	char build_id[64];
	struct run *run;
	struct srcmap *map;
};

static inline uint32_t marked_line(const struct build *b, const char *mark)
{
	const char *at = strstr(b->source, mark);
	uint32_t line = 1;

	assert_non_null(at);
	for (const char *p = b->source; p < at; p++)
		line += *p == '\n';
	return line;
}

static inline bool command(const struct build *b, const char *format, ...)
{
	char text[1024];
	va_list args;
	int n = snprintf(text, sizeof text, "cd %s && ", b->w.directory), status;

	va_start(args, format);
	vsnprintf(text + n, sizeof text - (size_t)n, format, args);
	va_end(args);
	status = system(text);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static inline void read_build_id(struct build *b)
{
	const void *bits;
	int fd = open(b->binary, O_RDONLY);
	Elf *elf;
	ssize_t n;

	strcpy(b->build_id, "-");
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	n = dwelf_elf_gnu_build_id(elf, &bits);
	for (ssize_t i = 0; i < n && i < 30; i++)
		sprintf(b->build_id + i * 2, "%02x", ((const unsigned char *)bits)[i]);
	elf_end(elf);
	close(fd);
}

/* Compiles the program; `after` is a shell command on it. Skips the test where there is no such
 * compiler. */
static inline void build(struct build *b, const char *source, const char *compile,
			 const char *after)
{
	FILE *f;

	b->source = source;
	writer_open(&b->w);
	f = writer_file(&b->w, "program.c");
	fputs(source, f);
	fclose(f);
	snprintf(b->binary, sizeof b->binary, "%s/program", b->w.directory);
	if (!command(b, "%s -o program program.c >log 2>&1", compile)) {
		command(b, "rm -f program program.c log");
		writer_close(&b->w);
		writer_remove(&b->w);
		skip();
	}
	assert_true(command(b, "%s", after));
	assert_true(command(b, "./program >places"));
	read_build_id(b);
}

static inline uint64_t place(const struct build *b, const char *tag)
{
	char path[300], name[32];
	unsigned long value;
	FILE *f;

	snprintf(path, sizeof path, "%s/places", b->w.directory);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fscanf(f, "%31s %lx", name, &value) == 2) {
		if (!strcmp(name, tag)) {
			fclose(f);
			return value;
		}
	}
	fail_msg("no %s", tag);
	return 0;
}

static inline void open_map(struct build *b)
{
	struct error e = { "" };

	b->map = srcmap_open(b->run, &e);
	if (!b->map)
		fail_msg("%s", e.message);
}

static inline void remove_build(struct build *b)
{
	srcmap_close(b->map);
	run_close(b->run);
	command(b, "rm -rf program program.c program.debug places log .debug");
	writer_remove(&b->w);
}

#endif
