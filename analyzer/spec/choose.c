/* SPDX-License-Identifier: MIT */
#include "spec/choose.h"
#include "lin/lin.h"
#include "lin/plugin.h"
#include "spec/propose.h"
#include "spec/resolve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

static bool is_file(const char *text)
{
	if (ends_in(text, ".lin"))
		return true;
	return strchr(text, '/') && !strchr(text, '(') && !ends_in(text, ".so");
}

/* A program that includes linchpin.h asks for this variable. One that was compiled with hooks has
 * no functions that could be caught. */
static bool has_marks(const char *program)
{
	size_t size;
	char *text = read_file(program, &size, NULL);
	bool found = text && (memmem(text, size, "LINCHPIN_HOOKS", 14) ||
			      memmem(text, size, "__tsan_func_entry", 17));

	free(text);
	return found;
}

static int choose(const char *text, const char *from, struct spec_choice *choice, struct error *e)
{
	size_t n = strcspn(text, "( \t");
	char *name;

	if (!strcmp(text, "none"))
		return 0;
	choice->asked = true;
	if (is_file(text)) {
		if (access(text, R_OK) < 0)
			return error_set(e, "%s%s: %s", from, text, strerror(errno));
		choice->file = xstrdup(text);
		return 0;
	}
	choice->specification = text;
	name = xstrndup(text, n);
	if (!plugin_named(name, n) && !adt_find(name)) {
		error_set(e,
			  "%s`%s` is not a specification (docs/operations.md); a file with one "
			  "must have a slash in its name or end in .lin",
			  from, name);
		free(name);
		return -1;
	}
	free(name);
	return 0;
}

int spec_choose(const char *program, const char *given, const char *check,
		struct spec_choice *choice, struct error *e)
{
	const char *environment = getenv("LINCHPIN_SPEC");
	char *default_file;

	*choice = (struct spec_choice){ 0 };
	if (given)
		return choose(given, "--spec ", choice, e);
	if (environment && *environment)
		return choose(environment, "LINCHPIN_SPEC=", choice, e);
	default_file = xasprintf("%s.lin", program);
	if (access(default_file, F_OK) == 0) {
		choice->file = default_file;
		choice->asked = true;
		return 0;
	}
	free(default_file);
	choice->propose = strcmp(check, "none") != 0 && !has_marks(program);
	return 0;
}

int spec_choose_name(const char *given, struct spec_choice *choice, struct error *e)
{
	*choice = (struct spec_choice){ 0 };
	if (!given)
		given = spec_from_environment();
	if (!given)
		return 0;
	if (is_file(given))
		return error_set(e,
				 "--spec %s: the operations of a file are those that the search began with; "
				 "only the name of a specification can be given now",
				 given);
	return choose(given, "--spec ", choice, e);
}

const char *spec_from_environment(void)
{
	const char *text = getenv("LINCHPIN_SPEC");

	return text && *text && strcmp(text, "none") != 0 && !is_file(text) ? text : NULL;
}

void spec_choice_free(struct spec_choice *choice)
{
	free(choice->file);
	*choice = (struct spec_choice){ 0 };
}

/* The operations without most of the comments, for the terminal. */
static void print_proposal(const char *program, const char *text)
{
	fprintf(stderr,
		"linchpin: no specification was given and nothing is marked; because of their "
		"names, these functions are taken for operations\n"
		"linchpin: (`linchpin init -w %s` writes them to %s.lin, where they can be "
		"changed):\n",
		program, program);
	for (const char *line = text; *line;) {
		size_t n = strcspn(line, "\n");

		if (n && (*line != '#' || !strncmp(line, "# unsure", 8)))
			fprintf(stderr, "    %.*s\n", (int)n, line);
		line += n + (line[n] == '\n');
	}
}

/* What the report has to say of operations that nobody will see: `limit` lines. */
static char *add_limits(char *text, const char *limits)
{
	char *all = xstrdup(text ? text : "ops 1\n");

	free(text);
	while (*limits) {
		size_t n = strcspn(limits, "\n");
		char *more = xasprintf("%slimit %.*s\n", all, (int)n, limits);

		free(all);
		all = more;
		limits += n + (limits[n] == '\n');
	}
	return all;
}

static int make_proposal(const struct functions *f, const char *program, bool quiet, char **text,
			 struct error *e)
{
	struct proposal p;
	struct spec_file file = { 0 };
	int result = 0;

	spec_propose(f, &p);
	if (p.nops) {
		result = spec_file_parse(&file, "proposal", p.text, e);
		file.guessed = true;
		if (result == 0)
			result = spec_resolve(&file, f, text, e);
		if (result == 0 && !quiet)
			print_proposal(program, p.text);
	}
	if (result == 0 && p.limits && *p.limits)
		*text = add_limits(*text, p.limits);
	else if (result == 0 && !p.nops && !f->debug)
		*text = add_limits(*text, "no operation is checked: the program has no debug "
					  "information (it was stripped, or compiled without -g), "
					  "so none could be found\n");
	spec_file_free(&file);
	proposal_free(&p);
	return result;
}

int spec_make(const struct spec_choice *choice, const char *program, bool quiet, char **text,
	      struct error *e)
{
	struct spec_file file = { 0 };
	struct functions f = { 0 };
	struct error cause;
	int result = 0;

	*text = NULL;
	if (!choice->file && !choice->propose)
		return 0;
	if (choice->file)
		result = spec_file_read(&file, choice->file, e);
	if (result == 0)
		result = functions_read(&f, program, e);
	for (uint32_t i = 0; i < file.nlibraries && result == 0; i++)
		if (functions_add(&f, file.libraries[i].path, &cause) < 0)
			result = spec_error(&file, file.libraries[i].place, e, "%s", cause.message);
	if (result == 0)
		result = choice->file ? spec_resolve(&file, &f, text, e)
				      : make_proposal(&f, program, quiet, text, e);
	functions_free(&f);
	spec_file_free(&file);
	return result;
}

int spec_save(const char *text, const char *to, struct error *e)
{
	FILE *f;
	bool failed;

	unlink(to);
	if (!text)
		return 0;
	f = fopen(to, "w");
	if (!f)
		return error_set(e, "%s: %s", to, strerror(errno));
	failed = fputs(text, f) < 0;
	if (fclose(f) != 0 || failed)
		return error_set(e, "%s: %s", to, strerror(errno));
	return 0;
}

int spec_print(const struct error *e)
{
	bool placed = strstr(e->message, ": error: ") != NULL;

	fprintf(stderr, "%s%s\n", placed ? "" : "linchpin: ", e->message);
	return EXIT_MISUSE;
}
