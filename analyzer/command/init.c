/* SPDX-License-Identifier: MIT
 *
 * `linchpin init`: propose a specification file for a program.
 */
#include "command/commands.h"
#include "command/options.h"
#include "launch/program.h"
#include "spec/propose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct init_command {
	const char *output;
	bool write, force;
	char **libraries; /* that the program opens; NULL-terminated */
};

/* To free. The libraries are named by their whole paths, wherever the file goes. */
static char *with_head(const struct init_command *c, const char *program, const struct proposal *p)
{
	char *libraries = xstrdup(""), *text;

	for (char **l = c->libraries; *l; l++) {
		char *path = realpath(*l, NULL);
		char *more = xasprintf("%slibrary %s\n", libraries, path ? path : *l);

		free(path);
		free(libraries);
		libraries = more;
	}
	text = xasprintf(
		"# What is an operation in %s, guessed from the names and prototypes of its\n"
		"# functions: please check it. docs/spec-files.md describes this language.\n%s%s%s",
		program, *libraries ? "\n" : "", libraries, p->text);
	free(libraries);
	return text;
}

static int write_text(const struct init_command *c, const char *path, const char *text,
		      struct error *e)
{
	FILE *f;
	bool failed;

	if (!c->force && access(path, F_OK) == 0)
		return error_set(e, "%s exists; give --force to replace it", path);
	f = fopen(path, "w");
	if (!f)
		return error_set(e, "%s: %s", path, strerror(errno));
	failed = fputs(text, f) < 0;
	if (fclose(f) != 0 || failed)
		return error_set(e, "%s: %s", path, strerror(errno));
	fprintf(stderr, "linchpin: wrote %s\n", path);
	return 0;
}

static int put(const struct init_command *c, const char *program, const char *text, struct error *e)
{
	char *file;
	int result;

	if (c->output)
		return write_text(c, c->output, text, e);
	if (!c->write) {
		fputs(text, stdout);
		return 0;
	}
	file = xasprintf("%s.lin", program);
	result = write_text(c, file, text, e);
	free(file);
	return result;
}

static int nothing_found(const struct init_command *c, const struct functions *f,
			 const char *program, struct error *e)
{
	if (*c->libraries)
		return error_set(e,
				 "no functions of %s and of the libraries named look like "
				 "operations; are these compiled with -g?",
				 program);
	return error_set(e,
			 "no functions of %s look like operations (add, remove, contains, push, "
			 "pop, enqueue, ...); %swrite a specification file as in "
			 "docs/spec-files.md, or mark operations with linchpin.h",
			 program,
			 f->opens ? "if they are in a library that it opens, name that, too; or "
				  : "");
}

static int propose(const struct init_command *c, const char *program, struct error *e)
{
	struct functions f;
	struct proposal p = { 0 };
	char *text;
	int result = functions_read(&f, program, e);

	for (char **l = c->libraries; *l && result == 0; l++)
		result = functions_add(&f, *l, e);
	if (result == 0 && !f.debug)
		result = error_set(e, "%s has no debug information; compile with -g", program);
	if (result == 0) {
		spec_propose(&f, &p);
		text = with_head(c, program, &p);
		if (!p.nops && !p.nleft)
			result = nothing_found(c, &f, program, e);
		else
			result = put(c, program, text, e);
		if (result == 0 && !p.nops)
			result = error_set(e, "none of these functions can be caught; the comments "
					      "say why");
		free(text);
	}
	proposal_free(&p);
	functions_free(&f);
	return result;
}

int cmd_init(int argc, char **argv)
{
	struct init_command c = { 0 };
	const struct option_row rows[] = {
		{ "output", 'o', OPTION_TEXT, "FILE", &c.output, "write it to FILE" },
		{ "write", 'w', OPTION_FLAG, NULL, &c.write,
		  "write it to PROGRAM.lin, where `linchpin run` finds it" },
		{ "force", 0, OPTION_FLAG, NULL, &c.force, "replace a file that exists" },
	};
	const struct option_table table = {
		.usage = "init [OPTION...] PROGRAM [LIBRARY...]",
		.about = "Proposes a specification file: which functions of PROGRAM, and of "
			 "libraries that it opens, are operations of which object.",
		.rows = rows,
		.nrows = sizeof rows / sizeof *rows,
		.least = 1,
		.most = -1,
	};
	struct error e;
	char *program;
	int first, result;
	enum options_end end = options_parse(&table, argc, argv, &first);

	if (end != OPTIONS_OK)
		return end == OPTIONS_HELP ? EXIT_CLEAN : EXIT_MISUSE;
	c.libraries = argv + first + 1;
	program = program_find(argv[first], &e);
	result = program ? propose(&c, program, &e) : -1;
	free(program);
	return result < 0 ? error_print(&e) : EXIT_CLEAN;
}
