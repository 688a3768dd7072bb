/* SPDX-License-Identifier: MIT
 *
 * Each class that a run recorded is followed in the checker's semantics (follow.c), so what state
 * it ends in is known exactly. It must be an end, of the kind that linchpin says; for a livelock, a
 * state from which no end can be reached, with the threads in the parts that linchpin names. And
 * each end and each livelock must be found, unless the search says that it is not complete.
 */
#include "compare.h"
#include "emit.h"
#include "follow.h"
#include "run/outcome.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GRACE_SECONDS     30 /* a run that takes so much longer than it should hangs */
#define RANDOM_EXECUTIONS 200
#define MOST_PRINTED      1

const struct setup setups[SETUPS] = {
	{ "dpor", "dpor -O2", BUILD_PLAIN, true },
	{ "dpor", "dpor -O0", BUILD_UNOPTIMIZED, true },
	{ "dpor", "dpor hooks", BUILD_HOOKS, true },
	{ "source", "source -O2", BUILD_PLAIN, true },
	{ "dfs", "dfs -O2", BUILD_PLAIN, true },
	{ "random", "random hooks", BUILD_HOOKS, false },
};

struct comparison {
	const struct checker *c;
	const struct setup *setup;
	unsigned differences;
	bool *end_found;
	uint64_t livelocks_found;
	bool bad; /* some class ended badly */
};

static void __attribute__((format(printf, 2, 3)))
differ(struct comparison *k, const char *format, ...)
{
	va_list args;

	if (k->differences++ >= MOST_PRINTED)
		return;
	printf("seed %llu, %s: ", (unsigned long long)k->c->program->seed, k->setup->name);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

/* Runs linchpin to its end. Its exit status, or -1 if it had to be killed. */
static int explore(const struct setup *setup, const struct exploration *x)
{
	char executions[40], seconds[40], index[16], json[512], out[512], log[512];
	unsigned tries = (x->max_seconds + GRACE_SECONDS) * 1000;
	int status;
	pid_t pid;

	snprintf(executions, sizeof executions, "--max-executions=%u",
		 setup->exhaustive ? x->max_executions : RANDOM_EXECUTIONS);
	snprintf(seconds, sizeof seconds, "--max-time=%u", x->max_seconds);
	snprintf(index, sizeof index, "%u", x->index);
	snprintf(json, sizeof json, "--json=%s/json", x->directory);
	snprintf(out, sizeof out, "%s/run", x->directory);
	snprintf(log, sizeof log, "%s/log", x->directory);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);

		setpgid(0, 0);
		dup2(fd, 1);
		dup2(fd, 2);
		execl(x->linchpin, x->linchpin, "run", "-q", "--check=none", "--search",
		      setup->search, executions, seconds, json, "-o", out, "--",
		      x->programs[setup->build], index, NULL);
		_exit(127);
	}
	while (waitpid(pid, &status, WNOHANG) == 0) {
		const struct timespec pause = { 0, 1000000 };

		if (--tries == 0) {
			kill(-pid, SIGKILL);
			waitpid(pid, &status, 0);
			return -1;
		}
		nanosleep(&pause, NULL);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Is what linchpin says of the thread its part in the livelock? */
static bool part_fits(const struct comparison *k, const struct part *part, const struct run *run,
		      const struct outcome *o, unsigned t)
{
	uint16_t blocked = 0, spins = 0;

	for (uint32_t i = 0; i < o->nwaiters; i++) {
		const struct waiter *w = &o->waiters[i];
		int x = variable_at(k->c->program, run, w->location);

		if (thread_number(run, w->thread) != (int)t)
			continue;
		if (w->location == NONE)
			continue; /* a yield in the loop */
		if (x < 0)
			return false;
		if (w->why == LP_WAIT_SPIN)
			spins |= (uint16_t)(1u << x);
		else
			blocked |= (uint16_t)(1u << x);
	}
	switch (part->kind) {
	case PART_ENDED:
		return !blocked && !spins;
	case PART_BLOCKED:
		return blocked == part->variables && !spins;
	default: /* at a mutex in its loop it may be blocked for the moment */
		return (blocked || spins) && !((blocked | spins) & ~part->variables);
	}
}

static bool parts_fit(const struct comparison *k, const struct livelock *l, const struct run *run,
		      const struct outcome *o)
{
	for (unsigned t = 0; t < k->c->program->nthreads; t++) {
		if (!part_fits(k, &l->parts[t], run, o, t))
			return false;
	}
	return true;
}

static void livelock(struct comparison *k, const struct run *run, const struct trace *t,
		     uint32_t state)
{
	const struct checker *c = k->c;
	uint64_t possible;
	bool fits = false;

	if (c->has_way_out[state]) {
		differ(k, "class %llu is called a livelock, but can end",
		       (unsigned long long)t->number);
		return;
	}
	possible = checker_livelocks_from(c, state);
	k->livelocks_found |= possible;
	for (uint32_t i = 0; i < c->nlivelocks; i++) {
		if (possible >> i & 1 && parts_fit(k, &c->livelocks[i], run, &t->outcome))
			fits = true;
	}
	for (uint32_t i = 0; i < c->nlivelocks && !fits; i++) {
		char text[400];

		if (!(possible >> i & 1))
			continue;
		checker_livelock_text(c, &c->livelocks[i], text, sizeof text);
		differ(k, "class %llu does not say what its threads do: %s",
		       (unsigned long long)t->number, text);
		break;
	}
}

/* The numbers and registers that the program itself saw at its end. */
static bool values_fit(const struct program *p, const struct state *s, const struct trace *t)
{
	uint64_t numbers = 0, registers = 0;

	for (unsigned x = 0; x < NUMBERS; x++)
		numbers |= (uint64_t)s->value[x] << 3 * x;
	for (unsigned n = 0; n < p->nthreads; n++)
		registers |= (uint64_t)(s->reg[n][2] | s->reg[n][3] << 8)
			     << EMITTED_SHIFT << 16 * n;
	return t->nops == 1 && t->ops[0].nargs == 2 && t->ops[0].args[0] == (int64_t)numbers &&
	       t->ops[0].args[1] == (int64_t)registers;
}

static bool kind_fits(const struct comparison *k, const struct end *e, const struct run *run,
		      const struct outcome *o)
{
	char place[40];

	switch (e->kind) {
	case END_OK:
		return o->kind == LP_OUT_OK;
	case END_DEADLOCK:
		return o->kind == LP_OUT_DEADLOCK;
	default:
		snprintf(place, sizeof place, "thread %u at %u\"", e->thread, e->pc);
		return o->kind == LP_OUT_ASSERT && o->message != NONE &&
		       strstr(run->strings[o->message], place) &&
		       thread_number(run, o->thread) == e->thread;
	}
}

static void one_class(struct comparison *k, const struct run *run, const struct trace *t)
{
	const struct checker *c = k->c;
	unsigned kind = t->outcome.kind;
	unsigned long long number = t->number;
	struct state s;
	char text[400];
	int64_t i;

	if (!follow(c->program, run, t, &s, text, sizeof text)) {
		differ(k, "class %llu is no execution of the program: %s", number, text);
		return;
	}
	k->bad |= outcome_is_error(kind, t->outcome.code);
	i = checker_find(c, &s);
	if (i < 0) {
		differ(k, "class %llu is an execution that the checker did not find", number);
	} else if (kind == LP_OUT_LIVELOCK) {
		livelock(k, run, t, (uint32_t)i);
	} else if (c->end_of[i] < 0) {
		if (outcome_is_error(kind, t->outcome.code) || kind == LP_OUT_OK)
			differ(k, "class %llu is called %s, but somebody could go on", number,
			       outcome_name(kind));
	} else if (!kind_fits(k, &c->ends[c->end_of[i]], run, &t->outcome)) {
		checker_end_text(c, &c->ends[c->end_of[i]], text, sizeof text);
		differ(k, "class %llu is called %s, but is %s", number, outcome_name(kind), text);
	} else if (kind == LP_OUT_OK && !values_fit(c->program, &s, t)) {
		differ(k, "class %llu does not end with the values of its trace", number);
	} else {
		k->end_found[c->end_of[i]] = true;
	}
}

static bool all_classes(struct comparison *k, const char *directory, struct lp_status *status)
{
	struct trace t = { 0 };
	struct error e;
	struct run *run = run_open(directory, &e);
	int rc = -1;

	if (run) {
		while ((rc = run_next(run, &t, &e)) > 0)
			one_class(k, run, &t);
		*status = run->status;
		run_close(run);
	}
	trace_free(&t);
	if (rc < 0)
		differ(k, "%s", e.message);
	return rc == 0;
}

static bool says(const char *directory, const char *text)
{
	char path[512], *json;
	struct error e;
	size_t size;
	bool found;

	snprintf(path, sizeof path, "%s/json", directory);
	json = read_file(path, &size, &e);
	found = json && strstr(json, text);
	free(json);
	return found;
}

/* Counts what was not found, and prints it if it should have been. */
static void losses(struct comparison *k, struct tally *tally, bool complete)
{
	const struct checker *c = k->c;
	uint64_t lost = 0;
	char text[400];

	for (uint32_t i = 0; i < c->nends; i++) {
		if (k->end_found[i])
			continue;
		lost++;
		checker_end_text(c, &c->ends[i], text, sizeof text);
		if (complete)
			differ(k, "lost: %s", text);
	}
	tally->lost_ends += lost;
	for (uint32_t i = 0; i < c->nlivelocks; i++) {
		if (k->livelocks_found >> i & 1)
			continue;
		lost++;
		tally->lost_livelocks++;
		checker_livelock_text(c, &c->livelocks[i], text, sizeof text);
		if (complete)
			differ(k, "lost: %s", text);
	}
	tally->ends += c->nends;
	tally->livelocks += c->nlivelocks;
	tally->unreported += complete && lost;
}

bool compare(const struct checker *c, const struct setup *setup, const struct exploration *x,
	     struct tally *tally, uint64_t *classes)
{
	struct comparison k = { .c = c, .setup = setup };
	struct lp_status status = { 0 };
	char directory[512];
	unsigned wrong;
	bool complete;
	int code = explore(setup, x);

	k.end_found = xcalloc(c->nends + 1, sizeof *k.end_found);
	snprintf(directory, sizeof directory, "%s/run", x->directory);
	tally->programs++;
	if (code < 0)
		differ(&k, "did not end in %u seconds", x->max_seconds + GRACE_SECONDS);
	else if (all_classes(&k, directory, &status) && code != (k.bad ? 1 : 0))
		differ(&k, "exit status %d", code);
	if (says(x->directory, "\"replayed\": false"))
		differ(&k, "a violation did not happen again");
	complete = says(x->directory, "\"complete\": true");
	wrong = k.differences;
	tally->wrong += wrong != 0;
	*classes = complete ? status.classes : 0;
	tally->classes += status.classes;
	tally->executions += status.executions;
	if (setup->exhaustive && status.end == LP_END_COMPLETE) {
		tally->complete += complete;
		tally->bounded += !complete;
		losses(&k, tally, complete);
	} else {
		tally->over++;
	}
	if (k.differences > MOST_PRINTED)
		printf("seed %llu, %s: and %u more\n", (unsigned long long)c->program->seed,
		       setup->name, k.differences - MOST_PRINTED);
	free(k.end_found);
	return k.differences == 0;
}
