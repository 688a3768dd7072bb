/* SPDX-License-Identifier: MIT
 *
 * `linchpin replay`: execute one recorded schedule again, or one that is
 * written out.
 */
#include "command/commands.h"
#include "command/options.h"
#include "judge/judge.h"
#include "judge/replay.h"
#include "judge/self.h"
#include "launch/launch.h"
#include "report/session.h"
#include "report/trace.h"
#include "run/canonical.h"
#include "run/process_id.h"
#include "run/outcome.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct replay_command {
	const char *directory, *what, *specification;
	char **debugger_args; /* NULL-terminated */
	bool raw, gdb, threads;
	struct run *run;
	struct replay replay;
	struct trace recorded, executed;
};

/* The schedule to execute, to free; reads the recorded execution if `what` is
 * its number. */
static char *find_schedule(struct replay_command *c, struct error *e)
{
	uint64_t number;
	int found;

	if (c->what[strspn(c->what, "0123456789")]) {
		return xstrdup(c->what);
	}
	if (parse_number(c->what, "the number of a class", &number, e) < 0)
		return NULL;
	found = run_load(c->run, number, &c->recorded, e);
	if (found == 0)
		error_set(e, "%s has no class %" PRIu64, c->directory, number);
	return found == 1 ? trace_schedule(c->run, &c->recorded) : NULL;
}

static int execute(struct replay_command *c, struct error *e)
{
	char *schedule = find_schedule(c, e);
	int result;

	if (!schedule)
		return -1;
	result = replay_schedules(c->run, &schedule, 1, !c->raw, &c->replay, e);
	free(schedule);
	if (result < 0)
		return -1;
	result = run_load(c->replay.run, 1, &c->executed, e);
	if (result == 0)
		error_set(e, "the runtime recorded no execution");
	return result == 1 ? 0 : -1;
}

static bool same_as_recorded(struct replay_command *c)
{
	unsigned char *recorded, *executed;
	size_t n, m;
	bool same;

	trace_take_process(&c->recorded, &c->executed, c->replay.run->status.process);
	recorded = trace_canonical(c->run, &c->recorded, &n);
	executed = trace_canonical(c->replay.run, &c->executed, &m);
	same = n == m && !memcmp(recorded, executed, n);
	free(recorded);
	free(executed);
	return same;
}

static int print_text(const struct replay_command *c, struct error *e)
{
	struct text_style style = text_style_for(stdout);
	struct srcmap *map = srcmap_open(c->replay.run, e);

	if (!map)
		return -1;
	trace_text_dump(stdout, &style, map, c->replay.run, &c->executed);
	fflush(stdout);
	srcmap_warnings(map, stderr);
	srcmap_close(map);
	return 0;
}

static int print_raw(const struct replay_command *c, struct error *e)
{
	size_t size;
	unsigned char *bytes = trace_canonical(c->replay.run, &c->executed, &size);
	bool failed = fwrite(bytes, 1, size, stdout) != size || fflush(stdout) != 0;

	free(bytes);
	return failed ? error_set(e, "standard output: %s", strerror(errno)) : 0;
}

static int judge_with_self(const struct replay_command *c, struct judge *judge,
			   enum lin_verdict *verdict, struct error *e)
{
	struct self *self;
	int result;

	if (!self_wanted(c->replay.run, c->specification))
		return judge_execution(judge, &c->executed, verdict, e);
	self = self_open(c->run, SELF_WHOLE, e);
	if (!self)
		return -1;
	judge_use_self(judge, self);
	result = judge_execution(judge, &c->executed, verdict, e);
	self_free(self);
	return result;
}

/* Is this execution a violation by itself, with its operations in the order
 * they had? */
static int is_violation(const struct replay_command *c, bool *violation, struct error *e)
{
	enum lin_verdict verdict = LIN_OK;
	struct judge judge;
	int result;

	*violation = outcome_is_error(c->executed.outcome.kind, c->executed.outcome.code);
	if (*violation || !c->executed.nops || !strcmp(c->run->check, "none"))
		return 0;
	judge_init(&judge, c->replay.run, c->run->check, c->specification);
	result = judge_with_self(c, &judge, &verdict, e);
	judge_free(&judge);
	*violation = verdict == LIN_VIOLATION;
	return result;
}

static int replay(struct replay_command *c, struct error *e)
{
	bool violation;

	if (execute(c, e) < 0 || is_violation(c, &violation, e) < 0)
		return -1;
	if ((c->raw ? print_raw(c, e) : print_text(c, e)) < 0)
		return -1;
	if (c->recorded.number && !same_as_recorded(c))
		return error_set(e, "the execution differs from the recorded one; is the "
				    "program not deterministic?");
	if (!c->raw && c->recorded.number)
		printf("same trace as recorded\n");
	if (!c->raw)
		printf("%s\n", violation ? "this execution is a violation"
					 : "this execution is not a violation");
	return violation ? EXIT_VIOLATION : EXIT_CLEAN;
}

/* What the debugger's commands are to know. */
static int write_session(const char *path, void *data, struct error *e)
{
	const struct replay_command *c = data;
	const struct run *run = c->recorded.number ? c->run : c->replay.run;
	const struct trace *t = c->recorded.number ? &c->recorded : &c->executed;
	struct srcmap *map = srcmap_open(run, e);
	json_t *j, *args;
	int result = 0;

	if (!map)
		return -1;
	j = session_json(map, run, t);
	srcmap_close(map);
	args = json_array();
	for (int i = 1; i < run->argc; i++)
		json_array_append_new(args, json_string(run->argv[i]));
	json_object_set_new(j, "program", json_string(run->program));
	json_object_set_new(j, "args", args);
	json_object_set_new(j, "cwd", json_string(run->cwd));
	json_object_set_new(j, "input", run->input ? json_string(run->input) : json_null());
	if (json_dump_file(j, path, JSON_COMPACT) < 0)
		result = error_set(e, "%s: %s", path, strerror(errno));
	json_decref(j);
	return result;
}

/* The command line of gdb, to free; its words are ours or the user's. */
static char **gdb_command(const struct replay_command *c, const char *extension)
{
	const char *gdb = getenv("LINCHPIN_GDB");
	const char *const begin[] = { gdb && *gdb ? gdb : "gdb", "-q", "-x", extension };
	size_t n = 0, k = 0;
	char **words;

	while (c->debugger_args[n])
		n++;
	words = xcalloc(n + sizeof begin / sizeof *begin + 1, sizeof *words);
	for (; k < sizeof begin / sizeof *begin; k++)
		words[k] = (char *)begin[k];
	for (size_t i = 0; i < n; i++)
		words[k++] = c->debugger_args[i];
	return words;
}

/* The schedule once more, to know its events; then by gdb. */
static int debug(struct replay_command *c, struct error *e)
{
	static const char *const places[] = { "", "/../share/linchpin", NULL };
	char *extension = installed_find(places, "linchpin_gdb.py"), *schedule = NULL, **words = NULL;
	struct replay session = { 0 };
	int result = -1;

	if (!extension)
		error_set(e, "linchpin_gdb.py is neither beside this command nor in "
			     "../share/linchpin");
	else
		schedule = find_schedule(c, e);
	if (schedule && (c->recorded.number || execute(c, e) == 0)) {
		words = gdb_command(c, extension);
		result = replay_debug(c->run, schedule, words, write_session, c, &session, e);
		replay_end(&session);
	}
	free(words);
	free(schedule);
	free(extension);
	return result < 0 ? -1 : EXIT_CLEAN;
}

static int use_threads(const char *directory, struct error *e)
{
	struct settings settings;
	char *text;
	bool forks;

	if (settings_read(directory, &settings, &text, e) < 0)
		return -1;
	forks = !strcmp(settings.isolate, "fork");
	free(text);
	if (forks)
		return error_set(e, "--threads: %s was explored with --isolate=fork, where each execution is a "
				    "process of its own, which has one thread", directory);
	setenv("LINCHPIN_TLS", "threads", 1);
	return 0;
}

static int replay_command(struct replay_command *c)
{
	struct error e;
	int result;

	c->run = run_open(c->directory, &e);
	if (c->run && c->threads && use_threads(c->directory, &e) < 0)
		return error_print(&e);
	result = !c->run ? -1 : c->gdb ? debug(c, &e) : replay(c, &e);
	replay_end(&c->replay);
	trace_free(&c->recorded);
	trace_free(&c->executed);
	if (c->run)
		run_close(c->run);
	return result < 0 ? error_print(&e) : result;
}

int cmd_replay(int argc, char **argv)
{
	struct replay_command c = { 0 };
	const struct option_row rows[] = {
		{ "raw", 0, OPTION_FLAG, NULL, &c.raw,
		  "write the bytes that `linchpin trace --raw` writes for the recorded one" },
		{ "gdb", 0, OPTION_FLAG, NULL, &c.gdb,
		  "open gdb on it, at the first event of the finding; its arguments follow --" },
		{ "threads", 0, OPTION_FLAG, NULL, &c.threads,
		  "each thread of the program is one of the system, for debuggers; one runs at a time, as recorded" },
		{ "spec", 0, OPTION_TEXT, "NAME", &c.specification,
		  "specification of objects without one" },
	};
	const struct option_table table = {
		.usage = "replay [OPTION...] DIR N|SCHEDULE [-- GDB-ARG...]",
		.about = "Executes the schedule of the N-th class of the run directory DIR again, "
			 "or a schedule\n"
			 "that is written out, such as '0x3 0.1 0.2x7', and prints the execution.",
		.rows = rows,
		.nrows = sizeof rows / sizeof *rows,
		.least = 2,
		.most = -1,
	};
	struct error e;
	int first;
	enum options_end end = options_parse(&table, argc, argv, &first);

	if (end != OPTIONS_OK)
		return end == OPTIONS_HELP ? EXIT_CLEAN : EXIT_MISUSE;
	c.directory = argv[first];
	c.what = argv[first + 1];
	c.debugger_args = argv + first + 2;
	if (*c.debugger_args && !c.gdb) {
		error_set(&e, "too many arguments; those of gdb need --gdb");
		return error_print(&e);
	}
	return replay_command(&c);
}
