/* SPDX-License-Identifier: MIT */
#include "run/join.h"
#include "run/join_tables.h"
#include "run/private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct joined {
	struct join_tables tables;
	char *directory;
	FILE *trace, *keys, *modules;
	uint64_t classes;
	struct numbering seen; /* keys of classes */
};

/* ---- opening ---- */

static FILE *open_file(const char *directory, const char *name, struct error *e)
{
	char *path = xasprintf("%s/%s", directory, name);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r+b");

	if (!file)
		error_set(e, "%s: %s", path, strerror(errno));
	free(path);
	return file;
}

static int cut(FILE *file, uint64_t size)
{
	return ftruncate(fileno(file), (off_t)size) == 0 && fseeko(file, 0, SEEK_END) == 0 ? 0 : -1;
}

static int begin_trace(struct joined *j, struct error *e)
{
	unsigned char header[LP_TRACE_HEADER] = LP_TRACE_MAGIC;

	header[8] = LP_TRACE_VERSION;
	if (cut(j->trace, 0) < 0 || fwrite(header, sizeof header, 1, j->trace) != 1)
		return error_set(e, "%s/trace: %s", j->directory, strerror(errno));
	j->tables.bytes = sizeof header;
	return 0;
}

/* What the trace has defined is numbered again in the same order. */
static int go_on(struct joined *j, uint64_t bytes, struct error *e)
{
	struct trace t = { 0 };
	struct stat st;
	struct run *run;
	uint32_t nmodules;

	if (fstat(fileno(j->trace), &st) == 0 && (uint64_t)st.st_size < bytes)
		return error_set(e,
				 "%s/trace is shorter than the search has left it, so the search cannot "
				 "go on; start it again",
				 j->directory);
	if (cut(j->trace, bytes) < 0)
		return error_set(e, "%s/trace: %s", j->directory, strerror(errno));
	run = run_open(j->directory, e);
	if (!run)
		return -1;
	if (run_load(run, UINT64_MAX, &t, e) < 0) {
		run_close(run);
		return -1;
	}
	/* no more modules than the trace knows, whatever was written after it */
	nmodules = run->nmodules;
	run->nmodules = run->private->module_records;
	j->classes = run->private->classes;
	join_tables_know(&j->tables, run);
	j->tables.bytes = bytes;
	trace_free(&t);
	for (uint32_t i = 0; i < run->nmodules; i++)
		join_module_line(j->tables.modules_file, i, &run->modules[i]);
	run->nmodules = nmodules;
	run_close(run);
	return 0;
}

static int read_keys(struct joined *j, struct error *e)
{
	uint64_t key;
	bool added;

	rewind(j->keys);
	for (uint64_t i = 0; i < j->classes; i++) {
		if (fread(&key, sizeof key, 1, j->keys) != 1)
			return error_set(e, "%s/keys is too short", j->directory);
		numbering_add(&j->seen, &key, sizeof key, &added);
	}
	return cut(j->keys, j->classes * sizeof key) < 0
		       ? error_set(e, "%s/keys: %s", j->directory, strerror(errno))
		       : 0;
}

static int rename_modules(struct joined *j, struct error *e)
{
	char *from = xasprintf("%s/modules.new", j->directory);
	char *to = xasprintf("%s/modules", j->directory);
	int result = fflush(j->modules) || rename(from, to) < 0
			     ? error_set(e, "%s: %s", to, strerror(errno))
			     : 0;

	free(from);
	free(to);
	return result;
}

struct joined *join_open(const char *directory, uint64_t bytes, bool keys, struct error *e)
{
	struct joined *j = xcalloc(1, sizeof *j);

	j->directory = xstrdup(directory);
	j->trace = open_file(directory, "trace", e);
	j->tables.to = j->trace;
	j->modules = open_file(directory, "modules.new", e);
	j->tables.modules_file = j->modules;
	if (!j->trace || !j->modules || cut(j->modules, 0) < 0 || (bytes ? go_on(j, bytes, e) : begin_trace(j, e)) < 0)
		goto failed;
	if (rename_modules(j, e) < 0)
		goto failed;
	if (keys && (!(j->keys = open_file(directory, "keys", e)) || read_keys(j, e) < 0))
		goto failed;
	return j;
failed:
	join_close(j);
	return NULL;
}

void join_close(struct joined *j)
{
	if (!j)
		return;
	if (j->trace)
		fclose(j->trace);
	if (j->keys)
		fclose(j->keys);
	if (j->modules)
		fclose(j->modules);
	join_tables_free(&j->tables);
	numbering_free(&j->seen);
	free(j->directory);
	free(j);
}

int join_flush(struct joined *j, struct error *e)
{
	if (fflush(j->modules) || fflush(j->trace) || ferror(j->trace) || (j->keys && (fflush(j->keys) || ferror(j->keys))))
		return error_set(e, "%s/trace: %s", j->directory, strerror(errno));
	return 0;
}

static bool synced(FILE *file)
{
	return !file || fdatasync(fileno(file)) == 0;
}

int join_sync(struct joined *j, struct error *e)
{
	if (join_flush(j, e) < 0)
		return -1;
	if (!synced(j->trace) || !synced(j->keys) || !synced(j->modules))
		return error_set(e, "%s/trace: %s", j->directory, strerror(errno));
	return 0;
}

/* ---- classes ---- */

static void put_event(struct join_part *p, const struct event *ev, const struct trace *t,
		      bool switched)
{
	struct record *r = &p->tables->record;
	const struct site *site = &p->run->sites[ev->site];
	bool values = !(site->flags & LP_SITE_NOVALUE);

	put_varint(r, (uint64_t)p->sites[ev->site] << 1 | switched);
	if (switched)
		put_varint(r, ev->thread);
	if (ev->location != NONE)
		put_varint(r, p->locations[ev->location]);
	switch (ev->kind) {
	case LP_EV_RMW:
	case LP_EV_READ:
	case LP_EV_WRITE:
	case LP_EV_CAS_FAIL:
		if (values)
			put_varint(r, ev->value[0]);
		if (values && ev->kind == LP_EV_RMW)
			put_varint(r, ev->value[1]);
		break;
	case LP_EV_WAIT:
	case LP_EV_BROADCAST:
		if (ev->location2 != NONE)
			put_varint(r, p->locations[ev->location2]);
		break;
	case LP_EV_FREE:
	case LP_EV_ALLOC:
		put_varint(r, ev->size);
		break;
	case LP_EV_CREATE:
	case LP_EV_JOIN:
		put_varint(r, ev->other);
		break;
	case LP_EV_CALL: {
		const struct operation *op = &t->ops[ev->op];

		put_varint(r, p->strings[ev->other]);
		put_varint(r, op->nargs);
		for (uint32_t i = 0; i < op->nargs; i++)
			put_svarint(r, op->args[i]);
		break;
	}
	case LP_EV_RETURN:
		put_byte(r, ev->other);
		put_svarint(r, (int64_t)ev->value[0]);
		break;
	default:
		break;
	}
}

/* Defines what the class uses, before its record is begun. */
static void define(struct join_part *p, const struct trace *t, uint32_t keep)
{
	const struct outcome *o = &t->outcome;

	for (uint32_t i = keep; i < t->nevents; i++) {
		const struct event *ev = &t->events[i];

		join_thread(p, ev->thread);
		join_site(p, ev->site);
		if (ev->location != NONE)
			join_location(p, ev->location);
		if (ev->location2 != NONE)
			join_location(p, ev->location2);
		if (ev->kind == LP_EV_CALL)
			join_string(p, ev->other);
		else if (ev->kind == LP_EV_CREATE || ev->kind == LP_EV_JOIN)
			join_thread(p, ev->other);
	}
	join_thread(p, o->thread);
	if (o->site != NONE)
		join_site(p, o->site);
	if (o->message != NONE)
		join_string(p, o->message);
	if (o->stack != NONE)
		join_stack(p, o->stack);
	for (uint32_t i = 0; i < o->nwaiters; i++) {
		const struct waiter *w = &o->waiters[i];

		join_thread(p, w->thread);
		if (w->site != NONE)
			join_site(p, w->site);
		if (w->location != NONE)
			join_location(p, w->location);
		if (w->holder != NONE)
			join_thread(p, w->holder);
	}
}

static void put_outcome(struct join_part *p, const struct outcome *o)
{
	struct record *r = &p->tables->record;

	put_byte(r, o->kind);
	put_varint(r, o->thread);
	put_varint(r, o->site == NONE ? 0 : p->sites[o->site] + 1ULL);
	put_svarint(r, o->code);
	put_varint(r, o->message == NONE ? 0 : p->strings[o->message] + 1ULL);
	put_varint(r, o->stack == NONE ? 0 : p->stacks[o->stack] + 1ULL);
	put_varint(r, o->nwaiters);
	for (uint32_t i = 0; i < o->nwaiters; i++) {
		const struct waiter *w = &o->waiters[i];

		put_varint(r, w->thread);
		put_varint(r, w->site == NONE ? 0 : p->sites[w->site] + 1ULL);
		put_varint(r, w->location == NONE ? 0 : p->locations[w->location] + 1ULL);
		put_varint(r, w->holder == NONE ? 0 : w->holder + 1ULL);
		put_byte(r, w->why);
	}
}

static void write_class(struct joined *j, struct join_part *p, const struct trace *t, uint32_t keep)
{
	struct record *r = &j->tables.record;
	uint32_t thread = keep ? t->events[keep - 1].thread : 0;

	define(p, t, keep);
	put_varint(r, ++j->classes);
	put_varint(r, keep);
	put_varint(r, t->nevents - keep);
	for (uint32_t i = keep; i < t->nevents; i++) {
		put_event(p, &t->events[i], t, t->events[i].thread != thread);
		thread = t->events[i].thread;
	}
	put_outcome(p, &t->outcome);
	join_record(&j->tables, LP_REC_CLASS);
}

/* ---- parts ---- */

static void add_counts(struct lp_status *s, const struct lp_status *p)
{
	if (!s->first_failure && p->first_failure)
		s->first_failure = s->executions + p->first_failure;
	s->executions += p->executions;
	s->blocked += p->blocked;
	s->redundant += p->redundant;
	s->cut += p->cut;
	s->events += p->events;
	s->steps += p->steps;
	for (size_t i = 0; i < sizeof s->outcomes / sizeof *s->outcomes; i++)
		s->outcomes[i] += p->outcomes[i];
	s->calls += p->calls;
	s->again += p->again;
	s->attempts += p->attempts;
	s->woken += p->woken;
	s->unkept += p->unkept;
	s->cpu_seconds += p->cpu_seconds;
	s->limits |= p->limits;
	s->hooks |= p->hooks;
	s->reused |= p->reused;
	s->files |= p->files;
	s->change_points = p->change_points > s->change_points ? p->change_points : s->change_points;
	s->counted_steps = p->counted_steps > s->counted_steps ? p->counted_steps : s->counted_steps;
	s->max_events = p->max_events > s->max_events ? p->max_events : s->max_events;
	s->shared = p->shared > s->shared ? p->shared : s->shared;
	s->threads = p->threads > s->threads ? p->threads : s->threads;
}

/* The keys of its classes; NULL and *e. */
static uint64_t *keys_of(const char *part, uint64_t classes, struct error *e)
{
	char *path = xasprintf("%s/keys", part);
	size_t size;
	char *text = read_file(path, &size, e);

	if (text && size < classes * sizeof(uint64_t)) {
		error_set(e, "%s is too short", path);
		free(text);
		text = NULL;
	}
	free(path);
	return (uint64_t *)(void *)text;
}

static bool is_new(struct joined *j, uint64_t key)
{
	bool added;

	numbering_add(&j->seen, &key, sizeof key, &added);
	if (added)
		fwrite(&key, sizeof key, 1, j->keys);
	return added;
}

/* Which numbers the classes of a part have got. */
struct numbers {
	uint64_t before; /* classes that were there */
	uint32_t n;	 /* in the part */
	uint64_t *of;	 /* of each, 0 if it was left out; NULL: they go on from those before */
};

static uint64_t number_of(const struct numbers *numbers, uint64_t class)
{
	if (class == 0 || class > numbers->n)
		return 0;
	return numbers->of ? numbers->of[class - 1] : numbers->before + class;
}

/* Classes that were there already are left out. What the class behind them shares with one of them, it
 * shares with the one before as far as that one did. */
static int add_classes(struct joined *j, struct join_part *p, struct numbers *numbers, struct lp_status *s,
		       struct error *e)
{
	const struct place *here = &p->run->private->places.here;
	uint32_t keep = UINT32_MAX;
	uint64_t *keys = j->keys ? keys_of(p->run->directory, numbers->n, e) : NULL;
	struct trace t = { 0 };
	int result = j->keys && !keys ? -1 : 0;

	if (keys)
		numbers->of = xcalloc(numbers->n + 1UL, sizeof *numbers->of);
	run_rewind(p->run);
	for (uint32_t i = 0; i < numbers->n && result == 0; i++) {
		result = run_look(p->run, &t, e) < 0 ? -1 : 0;
		if (result < 0)
			break;
		if (here->chain[here->nchain - 1].keep < keep)
			keep = here->chain[here->nchain - 1].keep;
		if (keys && !is_new(j, keys[i])) {
			s->outcomes[t.outcome.kind]--;
			s->calls -= t.nops;
		} else {
			write_class(j, p, &t, keep);
			if (keys)
				numbers->of[i] = j->classes;
			keep = UINT32_MAX;
		}
	}
	t.events = NULL; /* the run's */
	t.ops = NULL;
	trace_free(&t);
	free(keys);
	return result;
}

/* What was found of leaks, by classes; and how many others were looked at. */
static void add_leaks(struct joined *j, struct join_part *p, const struct numbers *numbers)
{
	struct record *r = &j->tables.record;
	const struct run *run = p->run;
	uint32_t looks = run->nlooks;

	for (uint32_t i = 0, k; i < run->nleaks; i = k, looks--) {
		uint64_t class = run->leaks[i].class;

		for (k = i; k < run->nleaks && run->leaks[k].class == class; k++) {
			join_site(p, run->leaks[k].site);
			join_location(p, run->leaks[k].location);
		}
		if (!number_of(numbers, class))
			continue;
		put_varint(r, number_of(numbers, class));
		put_varint(r, k - i);
		for (uint32_t m = i; m < k; m++) {
			put_varint(r, p->sites[run->leaks[m].site]);
			put_varint(r, p->locations[run->leaks[m].location]);
			put_varint(r, run->leaks[m].blocks);
			put_varint(r, run->leaks[m].bytes);
		}
		join_record(&j->tables, LP_REC_LEAKS);
	}
	for (; looks; looks--) {
		put_varint(r, j->classes);
		put_varint(r, 0);
		join_record(&j->tables, LP_REC_LEAKS);
	}
}

int join_add(struct joined *j, const char *part, const struct lp_status *of, struct lp_status *s, struct error *e)
{
	struct run *run = run_open(part, e);
	struct trace t = { 0 };
	struct numbers numbers = { .before = j->classes };
	struct join_part p;
	int result;

	if (!run)
		return -1;
	if (of) {
		run->status = *of;
		run->private->most = run->private->least = of->trace_bytes;
	}
	if (run_load(run, UINT64_MAX, &t, e) < 0) {
		run_close(run);
		return -1;
	}
	trace_free(&t);
	if (of && (run->private->scanned != of->trace_bytes || run->private->classes != of->classes)) {
		error_set(e, "%s/trace is not what the search has left there; explore this shard again", part);
		run_close(run);
		return -1;
	}
	join_part_begin(&p, &j->tables, run);
	if (j->tables.rebuilt) {
		error_set(e,
			  "%s is another build than the one that the search began with; start the "
			  "search again",
			  j->tables.rebuilt);
		join_part_end(&p);
		run_close(run);
		return -1;
	}
	numbers.n = run->private->classes;
	join_said(&p);
	add_counts(s, &run->status);
	result = add_classes(j, &p, &numbers, s, e);
	if (result == 0)
		add_leaks(j, &p, &numbers);
	s->classes = j->classes;
	s->trace_bytes = j->tables.bytes;
	free(numbers.of);
	join_part_end(&p);
	run_close(run);
	return result;
}
