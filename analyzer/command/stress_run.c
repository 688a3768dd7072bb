/* SPDX-License-Identifier: MIT */
#include "command/stress_run.h"
#include "base/budget.h"
#include "client/emit.h"
#include "command/spawn.h"
#include "run/files.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct exploration {
	pid_t pid; /* 0: none */
	size_t number;
	struct script script;
	bool whole; /* it does not stop at the first violation */
	char *directory, *json;
};

void explorer_begin(struct explorer *x)
{
	x->running = xcalloc(x->jobs, sizeof *x->running);
	for (unsigned i = 0; i < x->jobs; i++) {
		x->running[i].directory = xasprintf("%s/run%u", x->directory, i);
		x->running[i].json = xasprintf("%s/run%u.json", x->directory, i);
	}
}

void explorer_end(struct explorer *x)
{
	for (unsigned i = 0; i < x->jobs && x->running; i++) {
		free(x->running[i].directory);
		free(x->running[i].json);
	}
	for (size_t i = 0; i < x->limits.n; i++)
		free(x->limits.list[i].text);
	free(x->limits.list);
	free(x->running);
}

void client_result_free(struct client_result *r)
{
	free(r->kind);
	free(r->message);
}

static void start(struct explorer *x, struct exploration *j, bool whole)
{
	char **argv = xcalloc(x->options->n + 16, sizeof *argv);
	char *argument = emit_argument(&j->script);
	size_t n = 0;

	j->whole = whole;
	unlink(j->json);
	argv[n++] = xstrdup("linchpin");
	argv[n++] = xstrdup("run");
	argv[n++] = xstrdup("-q");
	argv[n++] = xstrdup("--prove=0");
	argv[n++] = xasprintf("--stop-at=%d", !whole);
	argv[n++] = xasprintf("--spec=%s", x->spec);
	argv[n++] = xasprintf("--max-time=%.3f", x->seconds);
	argv[n++] = xasprintf("--output=%s", j->directory);
	argv[n++] = xasprintf("--json=%s", j->json);
	for (uint32_t i = 0; i < x->options->n; i++)
		argv[n++] = xstrdup(x->options->list[i]);
	argv[n++] = xstrdup("--");
	argv[n++] = xstrdup(x->program);
	argv[n++] = argument;
	j->pid = spawn_start("/proc/self/exe", argv, NULL, NULL, SPAWN_SILENT);
	if (j->pid < 0)
		j->pid = 0;
	for (size_t i = 0; i < n; i++)
		free(argv[i]);
	free(argv);
}

/* ---- what it says ---- */

static void add_limits(struct explorer *x, json_t *limits)
{
	json_t *limit;
	size_t i, k;

	json_array_foreach(limits, i, limit)
	{
		const char *text = json_string_value(limit);

		for (k = 0; text && k < x->limits.n; k++)
			if (!strcmp(x->limits.list[k].text, text))
				break;
		if (!text)
			continue;
		if (k == x->limits.n) {
			VEC_GROW(x->limits.list, x->limits.n, x->limits.capacity);
			x->limits.list[x->limits.n++] = (struct limit_seen){ xstrdup(text), 0 };
		}
		x->limits.list[k].clients++;
	}
}

static bool waits(const char *kind)
{
	return !strcmp(kind, "deadlock") || !strcmp(kind, "livelock");
}

/* Do threads wait in vain, and do they also if operations run one at a time? */
static void find_waits(json_t *violations, bool *any, bool *alone)
{
	json_t *v;
	size_t i;

	*any = *alone = false;
	json_array_foreach(violations, i, v)
	{
		const char *kind = json_string_value(json_object_get(v, "kind"));

		if (!kind || !waits(kind))
			continue;
		*any = true;
		*alone |= json_is_true(json_object_get(v, "sequential"));
	}
}

/* The first violation that is one of the library. A client in which threads wait in vain even if
 * operations run one at a time says nothing about how they wait. */
static void read_violations(json_t *violations, bool vain, struct client_result *r)
{
	json_t *v;
	size_t i;

	json_array_foreach(violations, i, v)
	{
		const char *kind = json_string_value(json_object_get(v, "kind"));
		const char *message = json_string_value(json_object_get(v, "message"));

		if (!kind || json_is_false(json_object_get(v, "replayed")) || (vain && waits(kind)))
			continue;
		r->verdict = CLIENT_WRONG;
		r->kind = xstrdup(kind);
		r->message = xstrdup(message ? message : kind);
		return;
	}
	if (vain && r->verdict == CLIENT_RIGHT)
		r->verdict = CLIENT_VAIN;
}

/* False if the client has to be explored again, all of it: whether threads also wait in vain with
 * operations one at a time is not known from one execution in which they do. */
static bool read_result(struct explorer *x, struct exploration *j, int status,
			struct client_result *r)
{
	json_t *o = json_load_file(j->json, 0, NULL);
	bool any, alone;

	find_waits(json_object_get(o, "violations"), &any, &alone);
	if (any && !alone && !j->whole) {
		json_decref(o);
		return false;
	}
	*r = (struct client_result){ .verdict = CLIENT_FAILED };
	/* Misuse with results: no two threads touch the same memory, so there is one class. */
	if (o && status <= EXIT_MISUSE) {
		r->classes = (uint64_t)json_integer_value(json_object_get(o, "classes"));
		r->verdict = json_is_true(json_object_get(o, "complete")) &&
					     !json_integer_value(json_object_get(o, "unknown"))
				     ? CLIENT_RIGHT
				     : CLIENT_UNFINISHED;
		read_violations(json_object_get(o, "violations"), alone, r);
		if (r->verdict == CLIENT_UNFINISHED || r->verdict == CLIENT_RIGHT)
			add_limits(x, json_object_get(o, "limits"));
	}
	json_decref(o);
	run_files_remove(j->directory);
	return true;
}

/* ---- several at once ---- */

static struct exploration *find(struct explorer *x, pid_t pid)
{
	for (unsigned i = 0; i < x->jobs; i++)
		if (x->running[i].pid == pid)
			return &x->running[i];
	return NULL;
}

/* Any that is not needed any more is ended. */
static void end_later(struct explorer *x, size_t number)
{
	for (unsigned i = 0; i < x->jobs; i++)
		if (x->running[i].pid && x->running[i].number > number)
			kill(x->running[i].pid, SIGTERM);
}

/* One that could not be started has failed; it is not forgotten. */
static void not_started(struct exploration *j,
			void (*done)(size_t number, const struct script *s,
				     const struct client_result *r, void *data),
			void *data)
{
	const struct client_result failed = { .verdict = CLIENT_FAILED };

	if (!j->pid)
		done(j->number, &j->script, &failed, data);
}

void explorer_all(struct explorer *x, bool (*next)(struct script *s, void *data),
		  void (*done)(size_t number, const struct script *s, const struct client_result *r,
			       void *data),
		  void *data)
{
	size_t number = 0, wrong = SIZE_MAX;
	bool more = true;

	for (;;) {
		struct exploration *j = find(x, 0);
		struct client_result r;
		struct script s;
		int status;
		pid_t pid;

		more = more && wrong == SIZE_MAX && budget_left() > 0;
		if (j && more) {
			more = next(&s, data);
			if (more) {
				j->number = number++;
				j->script = s;
				start(x, j, false);
				not_started(j, done, data);
			}
			continue;
		}
		pid = waitpid(-1, &status, 0);
		if (pid < 0 && errno == EINTR)
			continue;
		if (pid < 0)
			return;
		j = find(x, pid);
		if (!j)
			continue;
		j->pid = 0;
		if (j->number > wrong) {
			run_files_remove(j->directory);
			continue;
		}
		if (!read_result(x, j, spawn_status(status), &r)) {
			start(x, j, true);
			not_started(j, done, data);
			continue;
		}
		if (r.verdict == CLIENT_WRONG) {
			wrong = j->number;
			end_later(x, wrong);
		}
		done(j->number, &j->script, &r, data);
		client_result_free(&r);
	}
}

static int finish(struct exploration *j)
{
	int status = -1;

	while (j->pid && waitpid(j->pid, &status, 0) < 0)
		if (errno != EINTR)
			break;
	j->pid = 0;
	return spawn_status(status);
}

void explorer_one(struct explorer *x, const struct script *s, struct client_result *r)
{
	struct exploration *j = &x->running[0];

	j->number = 0;
	j->script = *s;
	start(x, j, false);
	if (read_result(x, j, finish(j), r))
		return;
	start(x, j, true);
	read_result(x, j, finish(j), r);
}
