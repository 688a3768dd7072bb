/* SPDX-License-Identifier: MIT */
#include "command/options.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define LONG_BASE 256 /* getopt value of row i without a letter: LONG_BASE + i */

#define MOST_SECONDS 1e9 /* the runtime counts them in numbers that hold far more */

/* Digits, perhaps with a point: strtod would also take 0x10. */
static int parse_seconds(const char *text, const char *what, double *value, struct error *e)
{
	const char *digits = "0123456789";
	size_t whole = strspn(text, digits), part = text[whole] == '.' ? strspn(text + whole + 1, digits) : 0;
	size_t all = whole + (text[whole] == '.') + part;

	if (!whole && !part)
		all = 0;
	if (!all || text[all])
		return error_set(e, "%s must be a number of seconds, not `%s`", what, text);
	*value = strtod(text, NULL);
	if (*value > MOST_SECONDS)
		return error_set(e, "%s must be at most %.0f seconds, not `%s`", what, MOST_SECONDS, text);
	return 0;
}

/* Is `word` one of the words of "a|b|c"? */
static bool is_choice(const char *choices, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = choices; n;) {
		size_t length = strcspn(p, "|");

		if (length == n && !strncmp(p, word, n))
			return true;
		if (!p[length])
			return false;
		p += length + 1;
	}
	return false;
}

static int set_row(const struct option_row *row, const char *text, struct error *e)
{
	char *what = xasprintf("--%s", row->name);
	int result = 0;

	switch (row->type) {
	case OPTION_FLAG:
		*(bool *)row->to = true;
		break;
	case OPTION_CHOICE:
		if (!is_choice(row->value, text)) {
			result = error_set(e, "%s must be one of %s, not `%s`", what, row->value,
					   text);
			break;
		}
		/* fall through */
	case OPTION_TEXT:
		*(const char **)row->to = text;
		break;
	case OPTION_NUMBER:
		result = parse_number(text, what, row->to, e);
		break;
	case OPTION_SECONDS:
		result = parse_seconds(text, what, row->to, e);
		break;
	case OPTION_LIST: {
		struct option_list *l = row->to;

		VEC_GROW(l->list, l->n, l->capacity);
		l->list[l->n++] = text;
		break;
	}
	}
	free(what);
	return result;
}

static void print_row(const struct option_row *row)
{
	char letter[8] = "    ";
	char *left;

	if (row->letter)
		snprintf(letter, sizeof letter, "-%c, ", row->letter);
	left = xasprintf("%s--%s%s%s", letter, row->name, row->value ? "=" : "",
			 row->value ? row->value : "");
	if (strlen(left) > 32)
		printf("  %s\n  %-32s  %s\n", left, "", row->help);
	else
		printf("  %-32s  %s\n", left, row->help);
	free(left);
}

static void print_help(const struct option_table *table)
{
	static const struct option_row help = { "help", 'h',  OPTION_FLAG,
						NULL,   NULL, "print this and exit" };

	printf("Usage: linchpin %s\n\n%s\n\nOptions:\n", table->usage, table->about);
	for (size_t i = 0; i < table->nrows; i++)
		print_row(&table->rows[i]);
	print_row(&help);
}

/* getopt's two tables, from ours. */
static struct option *make_getopt(const struct option_table *table, char *letters)
{
	struct option *options = xcalloc(table->nrows + 2, sizeof *options);

	if (table->stop)
		*letters++ = '+';
	*letters++ = ':';
	*letters++ = 'h';
	for (size_t i = 0; i < table->nrows; i++) {
		const struct option_row *row = &table->rows[i];

		options[i].name = row->name;
		options[i].has_arg = row->value ? required_argument : no_argument;
		options[i].val = LONG_BASE + (int)i;
		if (row->letter) {
			*letters++ = row->letter;
			if (row->value)
				*letters++ = ':';
		}
	}
	*letters = '\0';
	options[table->nrows].name = "help";
	options[table->nrows].val = 'h';
	return options;
}

static const struct option_row *find_row(const struct option_table *table, int c)
{
	if (c >= LONG_BASE)
		return &table->rows[c - LONG_BASE];
	for (size_t i = 0; i < table->nrows; i++) {
		if (table->rows[i].letter == c)
			return &table->rows[i];
	}
	return NULL;
}

static enum options_end usage_error(const struct option_table *table, const char *message)
{
	fprintf(stderr, "linchpin: %s\nUsage: linchpin %s\n", message, table->usage);
	return OPTIONS_ERROR;
}

static enum options_end parse_all(const struct option_table *table, int argc, char **argv,
				  const char *letters, const struct option *options)
{
	const struct option_row *row;
	struct error e;
	int c;

	optind = 0; /* makes getopt start afresh */
	opterr = 0;
	while ((c = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		const char *given = argv[optind > 0 ? optind - 1 : 0];

		if (c == 'h') {
			print_help(table);
			return OPTIONS_HELP;
		}
		if (c == '?' || c == ':') {
			if (c == ':')
				error_set(&e, "`%s` needs a value", given);
			else if (optopt >= LONG_BASE)
				error_set(&e, "`%s` takes no value", given);
			else if (optopt)
				error_set(&e, "there is no option -%c", optopt);
			else
				error_set(&e, "there is no option %s", given);
			return usage_error(table, e.message);
		}
		row = find_row(table, c);
		/* `--json -- ./test`: the value was forgotten. */
		if (optarg && optarg == given && !strncmp(optarg, "--", 2)) {
			error_set(&e, "`%s` needs a value, not `%s` (write `--%s=%s` if it is one)",
				  argv[optind - 2], optarg, row->name, optarg);
			return usage_error(table, e.message);
		}
		if (set_row(row, optarg, &e) < 0)
			return usage_error(table, e.message);
		if (table->given)
			table->given[row - table->rows] = true;
	}
	return OPTIONS_OK;
}

static void (*visitor)(const struct option_table *table, void *data);
static void *visitor_data;

void options_visit(void (*visit)(const struct option_table *table, void *data), void *data)
{
	visitor = visit;
	visitor_data = data;
}

enum options_end options_parse(const struct option_table *table, int argc, char **argv, int *first)
{
	char *letters;
	struct option *options;
	enum options_end end;
	int left;

	if (visitor) {
		visitor(table, visitor_data);
		return OPTIONS_HELP;
	}
	letters = xmalloc(2 * table->nrows + 4);
	options = make_getopt(table, letters);
	end = parse_all(table, argc, argv, letters, options);
	free(options);
	free(letters);
	if (end != OPTIONS_OK)
		return end;
	*first = optind;
	left = argc - optind;
	if (left < table->least)
		return usage_error(table, left ? "something is missing" : "an argument is missing");
	if (table->most >= 0 && left > table->most)
		return usage_error(table, "too many arguments");
	return OPTIONS_OK;
}
