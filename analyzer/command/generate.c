/* SPDX-License-Identifier: MIT
 *
 * `linchpin generate`: clients of a library, as C files.
 */
#include "command/client_options.h"
#include "command/commands.h"
#include "spec/choose.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define STANDARD_CLIENTS 100

struct generate {
	struct client_options options;
	const char *output;
};

static char *head_of(const struct workshop *w, const char *text, const char *name)
{
	char *build, *source = xasprintf("%s.c", name), *head;

	build = workshop_command(w, source, name);
	head = xasprintf("Made by linchpin generate from %s:\n\n\t%s\n\n\t%s\n\tlinchpin run "
			 "--spec=%s -- ./%s\n",
			 w->options->spec, text, build, w->options->spec, name);
	free(build);
	free(source);
	return head;
}

static int write_client(const struct generate *g, const struct workshop *w, const struct client *c,
			uint64_t number, struct error *e)
{
	struct script script;
	char *name = xasprintf("client-%03llu", (unsigned long long)number);
	char *path = xasprintf("%s/%s.c", g->output, name), *text, *head, *code;
	int result;

	script_make(&w->alphabet, c, &script);
	text = script_text(&w->spec, &script);
	head = head_of(w, text, name);
	code = emit_client(&w->emitter, &script, head);
	result = write_text_file(path, code, e);
	if (result == 0)
		printf("%s  %s\n", path, text);
	free(code);
	free(head);
	free(text);
	free(path);
	free(name);
	return result;
}

static int generate(const struct generate *g, const struct workshop *w, struct error *e)
{
	uint64_t n = 0, most = g->options.clients ? g->options.clients : STANDARD_CLIENTS;
	unsigned largest = enumerate_largest(&w->bounds);

	if (mkdir(g->output, 0777) < 0 && errno != EEXIST)
		return error_set(e, "%s: %s", g->output, strerror(errno));
	if (largest > g->options.size)
		largest = (unsigned)g->options.size;
	for (unsigned size = 2; size <= largest && n < most; size++) {
		struct client_list clients;
		int result = 0;

		workshop_clients(w, size, &clients);
		for (size_t i = 0; i < clients.n && n < most && result == 0; i++)
			result = write_client(g, w, &clients.list[i], ++n, e);
		free(clients.list);
		if (result < 0)
			return -1;
	}
	return 0;
}

int cmd_generate(int argc, char **argv)
{
	struct generate g = { .options = client_options_standard, .output = "clients" };
	const struct option_row rows[] = {
		CLIENT_ROWS(&g.options),
		{ "output", 'o', OPTION_TEXT, "DIR", &g.output,
		  "where they are written (clients)" },
	};
	const struct option_table table = {
		.usage = "generate --spec=FILE [OPTION...] [--] LIBRARY.so|OBJECT|FLAG...",
		.about = "Writes small clients of a library as C files, from small to large, those "
			 "first whose operations conflict.",
		.rows = rows,
		.nrows = sizeof rows / sizeof *rows,
		.least = 1,
		.most = -1,
		.stop = true,
	};
	struct workshop w;
	struct error e;
	int first, result;
	enum options_end end = options_parse(&table, argc, argv, &first);

	if (end != OPTIONS_OK)
		return end == OPTIONS_HELP ? EXIT_CLEAN : EXIT_MISUSE;
	result = workshop_begin(&w, &g.options, argv + first, &e);
	if (result == 0)
		result = generate(&g, &w, &e);
	workshop_end(&w);
	return result < 0 ? spec_print(&e) : EXIT_CLEAN;
}
