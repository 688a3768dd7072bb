/* SPDX-License-Identifier: MIT
 *
 * Command-line options of a subcommand as a table: parsed, checked and listed by --help from the
 * same text.
 */
#ifndef LINCHPIN_COMMAND_OPTIONS_H
#define LINCHPIN_COMMAND_OPTIONS_H

#include "base/util.h"

enum option_type {
	OPTION_FLAG,    /* bool */
	OPTION_TEXT,    /* const char * */
	OPTION_CHOICE,  /* const char *: one of the words in `value`, "a|b|c" */
	OPTION_NUMBER,  /* uint64_t */
	OPTION_SECONDS, /* double, not negative */
	OPTION_LIST,    /* struct option_list: may be given several times */
};

/* The values of an option in the order given; zero-initialise it, and free `list`. */
struct option_list {
	const char **list;
	uint32_t n, capacity;
};

struct option_row {
	const char *name; /* long name without dashes */
	char letter;      /* short name or 0 */
	enum option_type type;
	/* what stands for the value in --help; the words of a choice; NULL for a flag */
	const char *value;
	void *to;         /* what is set, of the type above; holds the default before */
	const char *help; /* one line */
};

struct option_table {
	/* what follows "linchpin ", e.g. "run [OPTION...] -- PROGRAM [ARG...]" */
	const char *usage;
	const char *about; /* a paragraph */
	const struct option_row *rows;
	size_t nrows;
	int least, most; /* how many positional arguments; most < 0: any number */
	bool stop;       /* the first positional argument ends the options */
	bool *given;     /* NULL, or for each row: set if it was there */
};

enum options_end {
	OPTIONS_OK,
	OPTIONS_HELP,  /* --help was given and has been answered */
	OPTIONS_ERROR, /* the message has been printed */
};

/* Parses argv. On OPTIONS_OK argv[*first] is the first positional argument; options that stood
 * behind positional arguments have been moved before them unless table->stop. */
enum options_end options_parse(const struct option_table *table, int argc, char **argv, int *first);

/* From now on options_parse calls `visit` with the table that it is given and answers OPTIONS_HELP,
 * so that a subcommand tells its options and does nothing; NULL ends that. */
void options_visit(void (*visit)(const struct option_table *table, void *data), void *data);

#endif
