/* SPDX-License-Identifier: MIT
 *
 * `linchpin completion bash|zsh|fish`: a script with which the shell completes commands, options and
 * their values. It is made from the tables that the subcommands parse their options with.
 */
#include "command/commands.h"
#include "command/options.h"
#include "lin/adt.h"

#include <stdlib.h>
#include <string.h>

/* What a value or an argument is. */
enum thing {
	THING_TEXT,
	THING_WORDS,
	THING_FILE,
	THING_DIRECTORY,
	THING_PROGRAM,
	THING_SPECIFICATION, /* a name or a file */
	THING_SHELL
};

struct shell {
	const char *name;
	void (*begin)(void);
	void (*command)(const struct command *c, const struct option_table *table);
	void (*end)(void);
};

static enum thing thing_named(const char *name)
{
	if (strstr(name, "SPEC") || !strcmp(name, "NAME|FILE"))
		return THING_SPECIFICATION;
	if (strstr(name, "FILE"))
		return THING_FILE;
	if (strstr(name, "DIR"))
		return THING_DIRECTORY;
	if (strstr(name, "PROGRAM") || strstr(name, "COMPILER"))
		return THING_PROGRAM;
	return strstr(name, "SHELL") ? THING_SHELL : THING_TEXT;
}

static enum thing thing_of(const struct option_row *row)
{
	return row->type == OPTION_CHOICE ? THING_WORDS : thing_named(row->value);
}

/* What the first argument of a command is, from "run [OPTION...] [--] PROGRAM [ARG...]". */
static enum thing argument_of(const struct option_table *table)
{
	return table->most ? thing_named(table->usage) : THING_TEXT;
}

/* "a|b" as "a b". */
static void print_words(const char *choices)
{
	for (; *choices; choices++)
		putchar(*choices == '|' ? ' ' : *choices);
}

static void print_specifications(void)
{
	for (const struct adt *const *const *file = adt_files; *file; file++)
		for (const struct adt *const *adt = *file; *adt; adt++)
			printf("%.*s ", (int)strcspn((*adt)->names, " "), (*adt)->names);
}

/* Text between single quotes; `special` characters get a backslash. */
static void print_quoted(const char *text, const char *special, const char *quote)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs(quote, stdout);
		else
			printf("%s%c", strchr(special, *text) ? "\\" : "", *text);
	}
}

static void bash_begin(void)
{
	printf("# Completion of linchpin for bash, made by `linchpin completion bash`.\n"
	       "_linchpin()\n"
	       "{\n"
	       "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} options i\n"
	       "\tif [ \"$cur\" = = ]; then\n\t\tcur=\n"
	       "\telif [ \"$prev\" = = ]; then\n\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n\tfi\n"
	       "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\tCOMPREPLY=($(compgen -W '");
	for (const struct command *c = commands; c->name; c++)
		if (c->summary)
			printf("%s ", c->name);
	printf("--help --version' -- \"$cur\"))\n\t\treturn\n\tfi\n"
	       "\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
	       "\t\t[ \"${COMP_WORDS[i]}\" != -- ] || { compopt -o default; return; }\n\tdone\n"
	       "\tcase ${COMP_WORDS[1]}$prev in\n");
}

static void bash_values(enum thing thing, const char *choices)
{
	switch (thing) {
	case THING_WORDS:
		printf("COMPREPLY=($(compgen -W '");
		print_words(choices);
		printf("' -- \"$cur\"))");
		break;
	case THING_SHELL:
		printf("COMPREPLY=($(compgen -W 'bash zsh fish' -- \"$cur\"))");
		break;
	case THING_SPECIFICATION:
		printf("COMPREPLY=($(compgen -f -W '");
		print_specifications();
		printf("' -- \"$cur\"))");
		break;
	case THING_DIRECTORY:
		printf("COMPREPLY=($(compgen -d -- \"$cur\"))");
		break;
	case THING_PROGRAM:
		printf("COMPREPLY=($(compgen -c -f -- \"$cur\"))");
		break;
	case THING_FILE:
		printf("compopt -o default");
		break;
	case THING_TEXT:
		printf(":");
		break;
	}
}

/* The case for options of this command that take a value, then that for all others. */
static void bash_command(const struct command *c, const struct option_table *table)
{
	for (size_t i = 0; i < table->nrows; i++) {
		const struct option_row *row = &table->rows[i];

		if (!row->value)
			continue;
		printf("\t%s--%s", c->name, row->name);
		if (row->letter)
			printf("|%s-%c", c->name, row->letter);
		printf(")\n\t\t");
		bash_values(thing_of(row), row->value);
		printf("\n\t\treturn ;;\n");
	}
	printf("\t%s*)\n\t\toptions='--help", c->name);
	for (size_t i = 0; i < table->nrows; i++)
		printf(" --%s%s", table->rows[i].name, table->rows[i].value ? "=" : "");
	printf("'\n\t\t[[ $cur == -* ]] || { ");
	bash_values(argument_of(table), "");
	printf("; return; } ;;\n");
}

static void bash_end(void)
{
	printf("\tesac\n"
	       "\tCOMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
	       "\t[[ ${COMPREPLY[0]} != *= ]] || compopt -o nospace\n"
	       "}\n"
	       "complete -F _linchpin linchpin\n");
}

static void zsh_begin(void)
{
	printf("#compdef linchpin\n"
	       "# Completion of linchpin for zsh, made by `linchpin completion zsh`.\n"
	       "local -a commands\ncommands=(\n");
	for (const struct command *c = commands; c->name; c++) {
		if (!c->summary)
			continue;
		printf("\t'%s:", c->name);
		print_quoted(c->summary, "", "'\\''");
		printf("'\n");
	}
	printf(")\n"
	       "if (( CURRENT == 2 )); then\n"
	       "\t_describe command commands\n"
	       "\t_arguments '--help[list the commands]' '--version[print the version]'\n"
	       "\treturn\nfi\n"
	       "local command=$words[2]\n"
	       "shift words\n(( CURRENT-- ))\n"
	       "case $command in\n");
}

static void zsh_values(enum thing thing, const char *choices)
{
	switch (thing) {
	case THING_WORDS:
		putchar('(');
		print_words(choices);
		putchar(')');
		break;
	case THING_SHELL:
		printf("(bash zsh fish)");
		break;
	case THING_SPECIFICATION:
		printf("{_alternative \"names:specification:(");
		print_specifications();
		printf(")\" \"files:file:_files\"}");
		break;
	case THING_DIRECTORY:
		printf("_files -/");
		break;
	case THING_PROGRAM:
		printf("{_alternative \"files:program:_files\" \"commands:command:_command_names "
		       "-e\"}");
		break;
	case THING_FILE:
		printf("_files");
		break;
	case THING_TEXT:
		break;
	}
}

static void zsh_row(const struct option_row *row)
{
	printf("\t\t");
	if (row->letter)
		printf("'(-%c --%s)'{-%c%s,--%s%s}'", row->letter, row->name, row->letter,
		       row->value ? "+" : "", row->name, row->value ? "=" : "");
	else
		printf("'--%s%s", row->name, row->value ? "=" : "");
	putchar('[');
	print_quoted(row->help, "[]", "'\\''");
	putchar(']');
	if (row->value) {
		printf(":%.*s:", (int)strcspn(row->value, "|"), row->value);
		zsh_values(thing_of(row), row->value);
	}
	printf("' \\\n");
}

static void zsh_command(const struct command *c, const struct option_table *table)
{
	printf("%s)\n\t_arguments -s%s \\\n", c->name, table->stop ? " -A '-*'" : "");
	for (size_t i = 0; i < table->nrows; i++)
		zsh_row(&table->rows[i]);
	if (table->most) {
		printf("\t\t'1: :");
		zsh_values(argument_of(table), "");
		printf("' '*: :_files' \\\n");
	}
	printf("\t\t'(-h --help)'{-h,--help}'[print the options]' ;;\n");
}

static void zsh_end(void)
{
	printf("esac\n");
}

static void fish_begin(void)
{
	printf("# Completion of linchpin for fish, made by `linchpin completion fish`.\n"
	       "complete -c linchpin -f\n");
	for (const struct command *c = commands; c->name; c++) {
		if (!c->summary)
			continue;
		printf("complete -c linchpin -n __fish_use_subcommand -a %s -d '", c->name);
		print_quoted(c->summary, "\\", "\\'");
		printf("'\n");
	}
	printf("complete -c linchpin -n __fish_use_subcommand -l version -d 'print the version'\n");
}

static void fish_values(enum thing thing, const char *choices)
{
	switch (thing) {
	case THING_WORDS:
		printf(" -x -a '");
		print_words(choices);
		putchar('\'');
		break;
	case THING_SHELL:
		printf(" -x -a 'bash zsh fish'");
		break;
	case THING_SPECIFICATION:
		printf(" -r -F -a '");
		print_specifications();
		putchar('\'');
		break;
	case THING_DIRECTORY:
		printf(" -x -a '(__fish_complete_directories)'");
		break;
	case THING_PROGRAM:
		printf(" -r -F -a '(__fish_complete_command)'");
		break;
	case THING_FILE:
		printf(" -r -F");
		break;
	case THING_TEXT:
		printf(" -x");
		break;
	}
}

static void fish_command(const struct command *c, const struct option_table *table)
{
	enum thing argument = argument_of(table);

	for (size_t i = 0; i < table->nrows; i++) {
		const struct option_row *row = &table->rows[i];

		printf("complete -c linchpin -n '__fish_seen_subcommand_from %s' -l %s", c->name,
		       row->name);
		if (row->letter)
			printf(" -s %c", row->letter);
		if (row->value)
			fish_values(thing_of(row), row->value);
		printf(" -d '");
		print_quoted(row->help, "\\", "\\'");
		printf("'\n");
	}
	printf("complete -c linchpin -n '__fish_seen_subcommand_from %s' -s h -l help -d 'print "
	       "the "
	       "options'\n",
	       c->name);
	if (argument == THING_TEXT)
		return;
	printf("complete -c linchpin -n '__fish_seen_subcommand_from %s'", c->name);
	fish_values(argument, "");
	putchar('\n');
}

static void fish_end(void) {}

static const struct shell shells[] = {
	{ "bash", bash_begin, bash_command, bash_end },
	{ "zsh", zsh_begin, zsh_command, zsh_end },
	{ "fish", fish_begin, fish_command, fish_end },
};

struct visit {
	const struct shell *shell;
	const struct command *command;
};

static void visit_table(const struct option_table *table, void *data)
{
	const struct visit *v = data;

	v->shell->command(v->command, table);
}

static void print_script(const struct shell *shell)
{
	char *argv[] = { NULL, NULL };

	shell->begin();
	for (const struct command *c = commands; c->name; c++) {
		struct visit visit = { shell, c };
		char *name;

		if (!c->summary)
			continue;
		name = xstrdup(c->name);
		argv[0] = name;
		options_visit(visit_table, &visit);
		c->main(1, argv);
		free(name);
	}
	options_visit(NULL, NULL);
	shell->end();
}

int cmd_completion(int argc, char **argv)
{
	const struct option_table table = {
		.usage = "completion SHELL",
		.about =
			"Prints a script with which SHELL (bash, zsh or fish) completes linchpin's "
			"commands and options.\nmake install puts them where the shells look.",
		.least = 1,
		.most = 1,
	};
	int first;
	enum options_end end = options_parse(&table, argc, argv, &first);

	if (end != OPTIONS_OK)
		return end == OPTIONS_HELP ? EXIT_CLEAN : EXIT_MISUSE;
	for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
		if (strcmp(argv[first], shells[i].name))
			continue;
		print_script(&shells[i]);
		return EXIT_CLEAN;
	}
	fprintf(stderr, "linchpin: there is no completion for %s, only for bash, zsh and fish\n",
		argv[first]);
	return EXIT_MISUSE;
}
