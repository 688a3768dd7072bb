/* SPDX-License-Identifier: MIT
 *
 * The notation of clients, their threads and their results. Compiled without compiler hooks: an
 * exploration needs nothing from this file but the calls and returns of operations.
 */
#include "client.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef UNMARKED
/* Like a program without marks: the operations are those of NAME.lin. */
#define linchpin_object(object, specification) ((void)(object), (void)(specification))
#define linchpin_call(...)                     ((void)0)
#define linchpin_return(value)                 ((void)(value))
#define linchpin_return_empty()                ((void)0)
#define linchpin_return_void()                 ((void)0)
#else
#include <linchpin.h>
#endif

#define MAX_GROUPS 10 /* what goes before, eight threads, what goes after */
#define MAX_OPERATIONS                                                                             \
	64 /* of all groups; a roll-back copies all writable memory, so it is kept small */

struct step {
	const struct client_operation *operation;
	int argument;
	struct client_result result;
};

struct group {
	bool is_thread;
	unsigned first, end; /* steps */
};

static struct step steps[MAX_OPERATIONS];
static struct group groups[MAX_GROUPS];
static unsigned nsteps, ngroups;
static const struct client_structure *structure;
static void *object;

/* Prints what is wrong with the text, with a caret under the place. */
static int complain(const char *text, const char *at, const char *message)
{
	fprintf(stderr, "client: %s\n  %s\n  %*s\n", message, text, (int)(at - text) + 1, "^");
	return -1;
}

static const char *skip_blanks(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

/* Parses one operation at *at and moves *at past it. */
static int parse_operation(const char *text, const char **at)
{
	const struct client_operation *operation = structure->operations;
	const char *start = *at;
	struct step *step = &steps[nsteps];
	char *end;
	long argument;

	while (operation->letter && operation->letter != *start)
		operation++;
	if (!operation->letter)
		return complain(text, start, "unknown operation");
	if (nsteps == MAX_OPERATIONS)
		return complain(text, start, "too many operations");
	step->operation = operation;
	*at = ++start;
	if (operation->arguments) {
		if (!isdigit((unsigned char)*start) && *start != '-')
			return complain(text, start, "this operation needs a number");
		errno = 0;
		argument = strtol(start, &end, 10);
		/* The least and the greatest int are the keys of sentinels. */
		if (end == start || errno || argument <= INT_MIN || argument >= INT_MAX)
			return complain(text, start, "not a number of the range of int");
		step->argument = (int)argument;
		*at = end;
	}
	nsteps++;
	return 0;
}

/* Parses a group at *at, from its opening bracket on. */
static int parse_group(const char *text, const char **at)
{
	const char close = **at == '{' ? '}' : ']';
	const char *start = *at;
	struct group *group = &groups[ngroups];

	if (ngroups == MAX_GROUPS)
		return complain(text, start, "too many groups");
	group->is_thread = close == '}';
	group->first = nsteps;
	for (*at = skip_blanks(start + 1); **at != close; *at = skip_blanks(*at)) {
		if (!**at)
			return complain(text, start, "this group is not closed");
		if (parse_operation(text, at))
			return -1;
	}
	group->end = nsteps;
	ngroups++;
	++*at;
	return 0;
}

static int parse(const char *text)
{
	const char *at = skip_blanks(text);
	unsigned threads = 0;

	if (*at == '[' && parse_group(text, &at))
		return -1;
	do {
		at = skip_blanks(at);
		if (*at != '{')
			return complain(text, at, "a thread, {...}, is expected here");
		if (++threads > MAX_GROUPS - 2)
			return complain(text, at, "too many threads");
		if (parse_group(text, &at))
			return -1;
		at = skip_blanks(at);
	} while (*at++ == '|');
	at--;
	if (*at == '[' && parse_group(text, &at))
		return -1;
	at = skip_blanks(at);
	if (*at)
		return complain(text, at, "this is not part of a client");
	return 0;
}

static void run_step(struct step *step)
{
	const struct client_operation *operation = step->operation;

	if (operation->arguments == 2)
		linchpin_call(object, operation->name, step->argument / 10, step->argument % 10);
	else if (operation->arguments)
		linchpin_call(object, operation->name, step->argument);
	else
		linchpin_call(object, operation->name);
	step->result = operation->run(object, step->argument);
	if (step->result.kind == CLIENT_VOID)
		linchpin_return_void();
	else if (step->result.kind == CLIENT_EMPTY)
		linchpin_return_empty();
	else
		linchpin_return(step->result.value);
}

static void *run_group(void *argument)
{
	const struct group *group = argument;
	unsigned i;

	for (i = group->first; i < group->end; i++)
		run_step(&steps[i]);
	return NULL;
}

static int run_client(void)
{
	pthread_t threads[MAX_GROUPS];
	unsigned i;
	unsigned first = 0;
	unsigned end;
	int error;

	if (!groups[0].is_thread)
		run_group(&groups[first++]);
	for (end = first; end < ngroups && groups[end].is_thread; end++) {
		error = pthread_create(&threads[end], NULL, run_group, &groups[end]);
		if (error) {
			fprintf(stderr, "client: cannot create a thread: %s\n", strerror(error));
			return -1;
		}
	}
	for (i = first; i < end; i++)
		pthread_join(threads[i], NULL);
	if (end < ngroups)
		run_group(&groups[end]);
	return 0;
}

/* The results as text: at most 11 characters and a comma for each. */
static void format_results(char *to)
{
	unsigned i;

	*to = '\0';
	for (i = 0; i < nsteps; i++) {
		const struct client_result *result = &steps[i].result;

		if (i)
			*to++ = ',';
		if (result->kind == CLIENT_VALUE)
			to += sprintf(to, "%d", result->value);
		else if (result->kind == CLIENT_BOOL)
			*to++ = result->value ? 'T' : 'F';
		else
			*to++ = result->kind == CLIENT_EMPTY ? 'E' : '-';
		*to = '\0';
	}
}

static int usage(const char *program)
{
	static const char *const arguments[] = { "", "N", "KV" };
	const struct client_operation *operation;

	fprintf(stderr,
		"usage: %s [--unless OUTCOME] [--spec SPECIFICATION] CLIENT\n"
		"  CLIENT   [OPERATION...] {OPERATION...}|{OPERATION...}... [OPERATION...]\n"
		"           in brackets: before and after; in braces: a thread each\n"
		"  OUTCOME  results as they are printed; if these are the results, abort\n"
		"  SPECIFICATION  what the structure is compared with instead of its own\n"
		"operations:\n",
		program);
	for (operation = structure->operations; operation->letter; operation++)
		fprintf(stderr, "  %c%s\t%s\n", operation->letter, arguments[operation->arguments],
			operation->name);
	return 2;
}

int client_main(const struct client_structure *of, int argc, char **argv)
{
	char results[MAX_OPERATIONS * 12 + 1];
	const char *unless = NULL, *specification = of->specification;
	int i;

	structure = of;
	for (i = 1; i + 2 < argc; i += 2) {
		if (!strcmp(argv[i], "--unless"))
			unless = argv[i + 1];
		else if (!strcmp(argv[i], "--spec"))
			specification = argv[i + 1];
		else
			return usage(argv[0]);
	}
	if (i != argc - 1)
		return usage(argv[0]);
	if (parse(argv[argc - 1]))
		return 2;
	object = structure->create();
	if (!object) {
		fprintf(stderr, "client: out of memory\n");
		return 2;
	}
	linchpin_object(object, specification);
	if (run_client())
		return 2;
	format_results(results);
	if (unless && !strcmp(unless, results))
		abort();
	puts(results);
	return 0;
}
