/* SPDX-License-Identifier: MIT
 *
 * `linchpin stress`: clients of a library are made and explored, from small to large, until one
 * fails; that one is made as small as it gets and written as a C file.
 */
#include "base/budget.h"
#include "client/draw.h"
#include "command/client_options.h"
#include "command/commands.h"
#include "command/spawn.h"
#include "command/stress_run.h"
#include "spec/choose.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OWN_FILE "/*\n * Made by linchpin"

struct stress {
	struct client_options options;
	double seconds, client_seconds;
	uint64_t jobs, seed;
	const char *output;
	struct option_list run;
	bool quiet, require_complete;
	struct workshop w;
	struct explorer x;
	/* the clients of the present size */
	struct client_list clients;
	size_t at;
	unsigned size, largest;
	/* what was done */
	uint64_t begun, drawn, counts[CLIENT_FAILED + 1], trivial;
	unsigned whole; /* all clients up to this size were begun */
	bool some;      /* not all clients of a size could be listed */
	size_t wrong_number;
	bool wrong;
	struct script script,
		unexplored; /* that which fails; the first of those that could not be */
	char *kind, *message;
};

/* ---- all clients ---- */

static bool enough(const struct stress *s)
{
	return s->options.clients && s->begun == s->options.clients;
}

/* The next one that is enumerated. */
static bool next_small(struct stress *s, struct client *c)
{
	while (s->at == s->clients.n) {
		if (s->size && s->clients.all)
			s->whole = s->some ? s->whole : s->size;
		s->some |= s->size && !s->clients.all;
		if (s->size == s->largest)
			return false;
		free(s->clients.list);
		s->size = s->size ? s->size + 1 : 2;
		workshop_clients(&s->w, s->size, &s->clients);
		s->trivial += s->clients.trivial;
		s->at = 0;
	}
	*c = s->clients.list[s->at++];
	return true;
}

/* Every other client is a larger one. Those of two operations come first. */
static bool next(struct script *script, void *data)
{
	struct stress *s = data;
	struct client c;

	if (enough(s))
		return false;
	if (s->size > 2 && s->begun % 2 &&
	    draw_client(&s->w.alphabet, &s->w.bounds, s->largest, s->w.sequential, &s->seed, &c))
		s->drawn++;
	else if (!next_small(s, &c))
		return false;
	script_make(&s->w.alphabet, &c, script);
	s->begun++;
	return true;
}

static void done(size_t number, const struct script *script, const struct client_result *r,
		 void *data)
{
	struct stress *s = data;

	if (r->verdict == CLIENT_FAILED && !s->counts[CLIENT_FAILED])
		s->unexplored = *script;
	s->counts[r->verdict]++;
	if (!s->quiet && isatty(STDERR_FILENO))
		fprintf(stderr, "\r%llu clients, of %u operations now   ",
			(unsigned long long)s->begun, s->size);
	if (r->verdict != CLIENT_WRONG || (s->wrong && number > s->wrong_number))
		return;
	free(s->kind);
	free(s->message);
	s->wrong = true;
	s->wrong_number = number;
	s->script = *script;
	s->kind = xstrdup(r->kind);
	s->message = xstrdup(r->message);
}

/* ---- the smallest one ---- */

/* Keeps the script if it fails in the same way. */
static bool try_script(struct stress *s, const struct script *script)
{
	struct client_result r;
	bool same;

	if (script->nthreads < 2)
		return false;
	explorer_one(&s->x, script, &r);
	same = r.verdict == CLIENT_WRONG && !strcmp(r.kind, s->kind);
	if (same) {
		s->script = *script;
		free(s->message);
		s->message = xstrdup(r.message);
	}
	client_result_free(&r);
	return same;
}

/* Without the operations of a thread, one after the other; without single operations. */
static bool remove_operations(struct stress *s)
{
	bool smaller = false;

	for (unsigned t = s->script.nthreads; t >= 1; t--) {
		struct script without = s->script;

		if (t > s->script.nthreads)
			continue;
		for (unsigned n = without.end[t] - script_first(&without, t); n; n--)
			script_remove(&without, script_first(&without, t));
		smaller |= try_script(s, &without);
	}
	for (unsigned i = script_size(&s->script); i-- > 0;) {
		struct script without = s->script;

		script_remove(&without, i);
		smaller |= try_script(s, &without);
	}
	return smaller;
}

/* What need not run at the same time as something else runs before or after. */
static bool move_operations(struct stress *s)
{
	static void (*const moves[])(struct script *, unsigned) = { script_hoist, script_sink };

	for (unsigned t = 1; t <= s->script.nthreads; t++)
		for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
			struct script other = s->script;

			moves[i](&other, t);
			if (try_script(s, &other))
				return true;
		}
	return false;
}

/* One value less: each is tried to be the same as a smaller one. */
static bool merge_values(struct stress *s)
{
	for (unsigned i = 0; i < script_size(&s->script); i++)
		for (unsigned k = 0; k < s->w.spec.ops[s->script.ops[i].op].nargs; k++) {
			const struct alphabet *a = &s->w.alphabet;
			struct script other = s->script;
			int64_t from = other.ops[i].args[k];
			uint32_t d = 0;

			while (strcmp(a->domains[d].argument,
				      s->w.spec.ops[s->script.ops[i].op].args[k]) != 0)
				d++;
			if (a->domains[d].kind == VALUES_FRESH || from == a->domains[d].values[0])
				continue;
			for (unsigned j = 0; j < script_size(&other); j++)
				for (unsigned m = 0; m < s->w.spec.ops[other.ops[j].op].nargs; m++)
					if (!strcmp(s->w.spec.ops[other.ops[j].op].args[m],
						    a->domains[d].argument) &&
					    other.ops[j].args[m] == from)
						other.ops[j].args[m] = a->domains[d].values[0];
			if (try_script(s, &other))
				return true;
		}
	return false;
}

/* It may take as long again. */
static void minimize(struct stress *s)
{
	if (s->seconds > 0)
		budget_start(s->seconds);
	while (budget_left() > 0 && (remove_operations(s) || move_operations(s) || merge_values(s)))
		;
}

/* ---- the file ---- */

static bool may_write(const char *path)
{
	size_t size;
	char *text = read_file(path, &size, NULL);
	bool result = !text || !strncmp(text, OWN_FILE, strlen(OWN_FILE));

	free(text);
	return result;
}

/* The path without .c */
static char *program_of(const char *path)
{
	size_t n = strlen(path);

	return n > 2 && !strcmp(path + n - 2, ".c") ? xstrndup(path, n - 2)
						    : xasprintf("%s.out", path);
}

static char *head_of(const struct stress *s, const char *text, const char *program)
{
	char *build = workshop_command(&s->w, s->output, program);
	char *head = xasprintf("Made by linchpin stress from %s:\n\n\t%s\n\n%s\n\n\t%s\n"
			       "\tlinchpin run --spec=%s -- %s%s\n",
			       s->options.spec, text, s->message, build, s->options.spec,
			       strchr(program, '/') ? "" : "./", program);

	free(build);
	return head;
}

/* Shows what `linchpin run` says of the client; its exit status. */
static int show(const struct stress *s, const char *program)
{
	char *spec = xasprintf("--spec=%s", s->options.spec);
	char *path = xasprintf("%s%s", strchr(program, '/') ? "" : "./", program);
	char **argv = xcalloc(s->run.n + 8, sizeof *argv);
	size_t n = 0;
	int status;

	argv[n++] = (char *)"linchpin";
	argv[n++] = (char *)"run";
	argv[n++] = spec;
	for (uint32_t i = 0; i < s->run.n; i++)
		argv[n++] = (char *)s->run.list[i];
	argv[n++] = (char *)"--";
	argv[n++] = path;
	status = spawn_run("/proc/self/exe", argv, NULL, NULL, SPAWN_ALL);
	free(argv);
	free(path);
	free(spec);
	return status;
}

static int write_client(const struct stress *s, struct error *e)
{
	char *program = program_of(s->output), *text = script_text(&s->w.spec, &s->script);
	char *head = head_of(s, text, program);
	char *code = emit_client(&s->w.emitter, &s->script, head);
	int result = workshop_compile(&s->w, code, s->output, program, e);

	if (result == 0) {
		printf("smallest: %s\nfile:     %s (compiled: %s)\n\n", text, s->output, program);
		if (show(s, program) != EXIT_VIOLATION)
			result = error_set(e,
					   "%s does not show what the client showed when it was "
					   "run by a driver: %s",
					   s->output, s->message);
	}
	free(code);
	free(head);
	free(text);
	free(program);
	return result;
}

/* ---- the command ---- */

static void print_counts(const struct stress *s, double seconds)
{
	uint64_t n = 0;

	for (int i = 0; i <= CLIENT_FAILED; i++)
		n += s->counts[i];
	printf("stress:   %llu client%s in %.1f s: of up to %u operations in order of size (%llu "
	       "trivial ones left out), %llu drawn of up to %u\n",
	       (unsigned long long)n, plural(n, "", "s"), seconds, s->size,
	       (unsigned long long)s->trivial, (unsigned long long)s->drawn, s->largest);
	if (s->w.emitter.guessed)
		printf("object:   made by %s, because of its name\n", s->w.emitter.create.function);
	if (s->wrong)
		return;
	printf("bound:    ");
	if (s->whole >= 2)
		printf("all clients of up to %u operations (%llu thread%s, %llu each, %llu before)",
		       s->whole, (unsigned long long)s->options.threads,
		       plural(s->options.threads, "", "s"),
		       (unsigned long long)s->options.operations,
		       (unsigned long long)s->options.before);
	else
		printf("not all clients of any size");
	printf("; %llu finished, %llu not\n",
	       (unsigned long long)(s->counts[CLIENT_RIGHT] + s->counts[CLIENT_VAIN]),
	       (unsigned long long)s->counts[CLIENT_UNFINISHED]);
	if (s->counts[CLIENT_VAIN])
		printf("limit:    %llu clients wait for ever even if operations run one at a time; "
		       "name functions that wait in a line `waits`\n",
		       (unsigned long long)s->counts[CLIENT_VAIN]);
	if (s->counts[CLIENT_FAILED]) {
		char *text = script_text(&s->w.spec, &s->unexplored);

		printf("limit:    %llu client%s could not be explored, such as %s (linchpin run "
		       "says why)\n",
		       (unsigned long long)s->counts[CLIENT_FAILED],
		       plural(s->counts[CLIENT_FAILED], "", "s"), text);
		free(text);
	}
	for (size_t i = 0; i < s->x.limits.n && i < 8; i++)
		printf("limit:    of %u client%s: %s\n", s->x.limits.list[i].clients,
		       plural(s->x.limits.list[i].clients, "", "s"), s->x.limits.list[i].text);
	printf("result:   %s\n",
	       n > s->counts[CLIENT_FAILED] ? "no client fails" : "nothing was explored");
}

static int run_all(struct stress *s, struct error *e)
{
	char *driver = emit_driver(&s->w.emitter), *source = workshop_path(&s->w, "driver.c");
	char *program = workshop_path(&s->w, "driver");
	double began = now_seconds();
	int result = workshop_compile(&s->w, driver, source, program, e);

	s->largest = enumerate_largest(&s->w.bounds);
	if (s->largest > s->options.size)
		s->largest = (unsigned)s->options.size;
	s->x = (struct explorer){ .spec = s->options.spec,
				  .program = program,
				  .directory = s->w.directory,
				  .seconds = s->client_seconds,
				  .options = &s->run,
				  .jobs = (unsigned)s->jobs };
	if (result == 0) {
		explorer_begin(&s->x);
		explorer_all(&s->x, next, done, s);
		if (!s->quiet && isatty(STDERR_FILENO))
			fprintf(stderr, "\r%40s\r", "");
		print_counts(s, now_seconds() - began);
		if (s->wrong) {
			minimize(s);
			result = write_client(s, e);
		}
	}
	explorer_end(&s->x);
	free(driver);
	free(source);
	free(program);
	return result;
}

static int verdict(const struct stress *s)
{
	uint64_t n =
		s->counts[CLIENT_RIGHT] + s->counts[CLIENT_UNFINISHED] + s->counts[CLIENT_VAIN];

	if (s->wrong)
		return EXIT_VIOLATION;
	if (!n)
		return EXIT_MISUSE;
	if (s->require_complete &&
	    (s->whole < s->largest || s->counts[CLIENT_UNFINISHED] || s->counts[CLIENT_FAILED]))
		return EXIT_UNFINISHED;
	return EXIT_CLEAN;
}

static enum options_end parse(struct stress *s, int argc, char **argv, int *first)
{
	const struct option_row rows[] = {
		CLIENT_ROWS(&s->options),
		{ "max-time", 0, OPTION_SECONDS, "SECONDS", &s->seconds,
		  "begin no client after this time; 0: no bound (60)" },
		{ "client-time", 0, OPTION_SECONDS, "SECONDS", &s->client_seconds,
		  "time for each client (2)" },
		{ "jobs", 'j', OPTION_NUMBER, "N", &s->jobs, "clients at once (processors)" },
		{ "seed", 0, OPTION_NUMBER, "N", &s->seed, "seed of clients that are drawn (1)" },
		{ "run", 0, OPTION_LIST, "OPTION", &s->run,
		  "an option for `linchpin run`; may be given several times" },
		{ "output", 'o', OPTION_TEXT, "FILE", &s->output,
		  "the client that fails (linchpin-client.c)" },
		{ "quiet", 'q', OPTION_FLAG, NULL, &s->quiet, "show no progress" },
		{ "require-complete", 0, OPTION_FLAG, NULL, &s->require_complete,
		  "exit with 3 if not all clients were explored to the end" },
	};
	const struct option_table table = {
		.usage = "stress --spec=FILE [OPTION...] [--] LIBRARY.so|OBJECT|FLAG...",
		.about = "Makes clients of a library, explores each, and stops with the smallest "
			 "that fails.",
		.rows = rows,
		.nrows = sizeof rows / sizeof *rows,
		.least = 1,
		.most = -1,
		.stop = true,
	};

	return options_parse(&table, argc, argv, first);
}

int cmd_stress(int argc, char **argv)
{
	struct stress s = { .options = client_options_standard,
			    .seconds = 60,
			    .client_seconds = 2,
			    .seed = 1,
			    .output = "linchpin-client.c" };
	struct error e;
	int first, result;
	enum options_end end;

	s.jobs = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	end = parse(&s, argc, argv, &first);
	if (end != OPTIONS_OK)
		return end == OPTIONS_HELP ? EXIT_CLEAN : EXIT_MISUSE;
	if (!s.jobs)
		s.jobs = 1;
	if (s.jobs > 64)
		s.jobs = 64;
	budget_signals();
	budget_start(s.seconds);
	result = may_write(s.output)
			 ? 0
			 : error_set(&e, "%s exists and is not one of linchpin's", s.output);
	if (result == 0)
		result = workshop_begin(&s.w, &s.options, argv + first, &e);
	if (result == 0)
		result = run_all(&s, &e);
	workshop_end(&s.w);
	free(s.clients.list);
	free(s.run.list);
	free(s.kind);
	free(s.message);
	return result < 0 ? spec_print(&e) : verdict(&s);
}
