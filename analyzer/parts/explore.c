/* SPDX-License-Identifier: MIT */
#include "parts/explore.h"
#include "format/search.h"
#include "format/trace_format.h"
#include "parts/jobs.h"
#include "parts/round.h"
#include "run/files.h"
#include "run/join.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_NS 20000000L
#define DRAW_EACH 5 /* periods */

struct exploration {
	const struct parts *p;
	struct frontier *f;
	struct joined *joined;
	struct jobs jobs;
	struct job_setting setting;
	uint32_t next; /* the job that is joined next */
	bool restart, last; /* last: this round is made whatever the bounds are */
	enum lp_end why;  /* the search had ended before the last round */
	enum lp_end stop; /* why no more is begun; LP_END_RUNNING: it goes on */
	double begin, before; /* seconds: now; of earlier sittings */
	uint64_t periods;
};

const char *parts_impossible(const struct settings *s, bool blocks)
{
	if (!strcmp(s->search, lp_search_name(LP_SEARCH_BOUNDED)) ||
	    !strcmp(s->search, lp_search_name(LP_SEARCH_DELAYED)))
		return "the search by bounds counts along the whole of each execution, and is not "
		       "divided; use dpor, source, dfs, auto or a random search";
	if (strcmp(s->progress, "none") != 0)
		return "--progress looks at states across the whole search, which is not divided then";
	if (strcmp(s->equivalence, "mazurkiewicz") != 0)
		return "--equivalence=observers is not divided";
	if (blocks)
		return "with blocks in force the search is not divided";
	return NULL;
}

void parts_begin(struct frontier *f, const struct settings *s, uint64_t shard, uint64_t shards)
{
	memset(f, 0, sizeof *f);
	f->shard = shard;
	f->shards = shards;
	f->keep = xstrdup(s->keep);
	f->status.magic = LP_STATUS_MAGIC;
	f->status.version = LP_RUN_VERSION;
	f->status.estimate = -1;
	f->root = round_is_random(s) ? NULL : tree_new();
}

/* ---- files ---- */

static int copy_file(const char *from, const char *to, const char *name, struct error *e)
{
	char *source = xasprintf("%s/%s", from, name), *target = xasprintf("%s/%s", to, name);
	size_t size;
	char *text = read_file(source, &size, NULL);
	FILE *file = text ? fopen(target, "w") : NULL;
	int result = 0;

	if (file && (fwrite(text, 1, size, file) != size || ferror(file)))
		result = error_set(e, "%s: %s", target, strerror(errno));
	if (file && fclose(file) != 0)
		result = error_set(e, "%s: %s", target, strerror(errno));
	free(text);
	free(source);
	free(target);
	return result;
}

static char *left_of(const struct job *job)
{
	char *path = xasprintf("%s/left", job->directory), *text;
	size_t size;

	text = read_file(path, &size, NULL);
	free(path);
	return text;
}

/* ---- one job after the other ---- */

/* What its process has learned holds for all parts, which begin again. */
static int learn(struct exploration *x, const struct job *job, struct error *e)
{
	struct frontier *f = x->f;
	struct frontier now = *f;
	char *before = xasprintf("%s/steering", x->p->launch->directory);
	char *after = xasprintf("%s/steering", job->directory), *old, *new;
	struct lp_status s;
	size_t size;
	int result = 0;

	old = f->steered ? read_file(before, &size, NULL) : NULL;
	new = read_file(after, &size, NULL);
	result = status_read(job->directory, &s, e);
	now.reused = result == 0 ? s.reused : 0;
	now.steered = new != NULL;
	if (result == 0 && now.reused == f->reused && now.steered == f->steered && (!old || !strcmp(old, new)))
		result = error_set(e, "this program cannot be explored in parts: the search has to "
				      "begin again for something that one process cannot tell "
				      "another one (a library that is opened while it runs?); "
				      "explore it without -j and --shard");
	if (result == 0 && new)
		result = copy_file(job->directory, x->p->launch->directory, "steering", e);
	*f = now;
	free(before);
	free(after);
	free(old);
	free(new);
	return result;
}

static int begin_again(struct exploration *x, struct error *e)
{
	struct frontier *f = x->f, fresh;
	uint32_t restarts = f->status.restarts + 1;
	uint64_t again = f->status.again;

	parts_begin(&fresh, x->p->launch->settings, f->shard, f->shards);
	tree_free(f->root);
	free(fresh.keep);
	livelocks_free(&f->livelocks);
	f->root = fresh.root;
	f->status = fresh.status;
	f->status.restarts = restarts;
	f->status.again = again;
	f->round = f->drawn = 0;
	f->shared = false;
	join_close(x->joined);
	x->joined = join_open(x->p->launch->directory, 0, round_meets_again(x->p->launch->settings), e);
	return x->joined ? 0 : -1;
}

/* The first part has described the run. */
static int describe(const struct exploration *x, const struct job *job, struct error *e)
{
	const char *directory = x->p->launch->directory;

	if (x->f->round || x->next)
		return 0;
	return copy_file(job->directory, directory, "run", e) < 0 ||
			       copy_file(job->directory, directory, "uninstrumented", e) < 0 ||
			       copy_file(job->directory, directory, "steering", e) < 0
		       ? -1
		       : 0;
}

static void take_livelocks(struct frontier *f, const char *left)
{
	for (const char *line = strstr(left, "livelock "); line; line = strstr(line + 1, "\nlivelock ")) {
		char *copy;

		line += *line == '\n';
		copy = xstrndup(line, strcspn(line, "\n"));
		livelocks_line(&f->livelocks, copy);
		free(copy);
	}
}

/* In the order of the jobs, whenever the next one is done. */
static int join_next(struct exploration *x, struct error *e)
{
	struct frontier *f = x->f;
	struct job *job = &x->jobs.list[x->next];
	char *left = left_of(job);
	struct lp_status s;
	int result = 0;

	if (!left || status_read(job->directory, &s, e) < 0) {
		result = error_set(e, "%s is damaged", job->directory);
	} else if (strstr(left, "restart\n")) {
		x->restart = true;
		result = learn(x, job, e);
		jobs_signal(&x->jobs, SIGTERM, 0);
	} else {
		result = describe(x, job, e);
		if (result == 0)
			result = join_add(x->joined, job->directory, &f->status, e);
		if (result == 0)
			result = tree_apply(job->units, job->nunits, left, e);
		take_livelocks(f, left);
		if (job->livelocks)
			livelocks_done(&f->livelocks);
		if (job->draws)
			f->status.drawn += s.executions;
		if (s.end == LP_END_FULL || s.end == LP_END_ERROR)
			x->stop = s.end;
	}
	free(left);
	x->next++;
	return result;
}

static int join_done(struct exploration *x, struct error *e)
{
	struct lp_status *s = &x->f->status;
	uint32_t before = x->next;

	while (x->next < x->jobs.n && x->jobs.list[x->next].state == JOB_DONE && !x->restart)
		if (join_next(x, e) < 0)
			return -1;
	if (x->next == before || x->restart)
		return 0;
	s->seconds = x->before + now_seconds() - x->begin;
	return join_flush(x->joined, e) < 0 || frontier_show(x->p->launch->directory, s, e) < 0 ? -1
											      : 0;
}

/* ---- waiting ---- */

static void ask_to_stop(struct exploration *x, enum lp_end why)
{
	if (x->stop != LP_END_RUNNING || (x->last && why != LP_END_ERROR))
		return;
	x->stop = why;
	jobs_signal(&x->jobs, SIGTERM, why == LP_END_FOUND ? LP_STOP_FOUND : 0);
}

static uint64_t failures(const struct lp_status *s)
{
	uint64_t n = 0;

	for (unsigned k = LP_OUT_EXIT + 1; k < LP_OUT_COUNT; k++)
		n += s->outcomes[k];
	return n;
}

static void look(struct exploration *x)
{
	const struct launch *l = x->p->launch;
	const struct progress progress = { .directory = l->directory,
					   .what = l->what,
					   .show = l->progress,
					   .search = true,
					   .judged = l->judged,
					   .stop_at = l->settings->stop_at };

	if (x->p->seconds > 0 && now_seconds() - x->begin >= x->p->seconds)
		ask_to_stop(x, LP_END_TIME);
	if (l->settings->stop_at && l->judged && l->judged->confirmed >= l->settings->stop_at)
		ask_to_stop(x, LP_END_FOUND);
	if (l->progress && x->f->status.executions && x->periods++ % DRAW_EACH == 0) {
		x->f->status.seconds = x->before + now_seconds() - x->begin;
		progress_draw(&progress, &x->f->status);
	}
}

/* A signal from the terminal has reached the workers as well. */
static void wait_a_little(struct exploration *x)
{
	static const struct timespec period = { .tv_nsec = PERIOD_NS };
	siginfo_t info;
	sigset_t set;

	progress_signals(&set);
	if (sigtimedwait(&set, &info, &period) > 0 && info.si_signo != SIGCHLD)
		ask_to_stop(x, LP_END_INTERRUPTED);
}

static int run_jobs(struct exploration *x, struct error *e)
{
	struct error failure = { .message = "" };
	bool over;

	jobs_find_done(&x->jobs, &x->setting);
	x->next = 0;
	do {
		look(x);
		over = jobs_run(&x->jobs, &x->setting, x->stop != LP_END_RUNNING || x->restart,
				&failure);
		if (*failure.message)
			ask_to_stop(x, LP_END_ERROR);
		if (!*failure.message && join_done(x, &failure) < 0)
			ask_to_stop(x, LP_END_ERROR);
		if (!over)
			wait_a_little(x);
	} while (!over);
	if (*failure.message)
		return error_set(e, "%s", failure.message);
	/* those that came to an end behind one that was not begun */
	for (; x->next < x->jobs.n && !x->restart; x->next++) {
		if (x->jobs.list[x->next].state != JOB_DONE)
			continue;
		if (join_next(x, e) < 0)
			return -1;
		x->next--;
	}
	return 0;
}

/* ---- rounds ---- */

static enum lp_end bound_reached(const struct exploration *x)
{
	const struct settings *s = x->p->launch->settings;

	if (x->stop != LP_END_RUNNING)
		return x->stop;
	if (s->max_executions && x->f->status.executions >= round_share(s->max_executions, x->f))
		return LP_END_EXECUTIONS;
	if (s->stop_at && failures(&x->f->status) >= s->stop_at)
		return LP_END_FOUND;
	return LP_END_RUNNING;
}

static int next_round(struct exploration *x, struct error *e)
{
	struct frontier *f = x->f;
	int result = run_jobs(x, e);

	if (result < 0)
		return -1;
	if (x->restart) {
		x->restart = false;
		result = begin_again(x, e);
	} else {
		f->round++;
		if (f->root)
			tree_prune(f->root);
	}
	if (result == 0)
		result = join_flush(x->joined, e);
	if (result == 0)
		result = frontier_write(x->p->launch->directory, f, e);
	if (result == 0)
		jobs_forget(&x->jobs); /* not before: who goes on from the round before needs them */
	return result;
}

static int share(struct exploration *x, struct error *e)
{
	struct frontier *f = x->f;

	f->shared = true;
	if (f->root)
		tree_share(f->root, f->shard, f->shards);
	if (f->shard == 1)
		return 0;
	/* what comes before is in the first one */
	join_close(x->joined);
	x->joined = join_open(x->p->launch->directory, 0, round_meets_again(x->p->launch->settings), e);
	round_forget_counts(&f->status);
	return x->joined ? join_flush(x->joined, e) : -1;
}

static enum lp_end nothing_left(const struct frontier *f)
{
	if (!f->root) /* no more may be drawn */
		return LP_END_EXECUTIONS;
	return round_left_elsewhere(f) || f->shard > 1 ? LP_END_SHARD : LP_END_COMPLETE;
}

static int explore(struct exploration *x, struct error *e)
{
	const struct settings *s = x->p->launch->settings;

	for (;;) {
		enum lp_end end = x->last ? x->why : bound_reached(x);

		if (end == LP_END_RUNNING && round_is_time_to_share(x->f, s) && share(x, e) < 0)
			return -1;
		if (end == LP_END_RUNNING && round_make(x->f, s, &x->jobs) == 0)
			end = nothing_left(x->f);
		if (end != LP_END_RUNNING && !x->last && round_of_livelocks(x->f, &x->jobs)) {
			x->last = true;
			x->why = end;
			x->stop = LP_END_RUNNING;
		} else if (end != LP_END_RUNNING) {
			x->f->status.end = end;
			return 0;
		}
		if (next_round(x, e) < 0)
			return -1;
	}
}

int parts_explore(const struct parts *p, struct frontier *f, struct error *e)
{
	const bool meets_again = round_meets_again(p->launch->settings);
	struct exploration x = { .p = p, .f = f, .begin = now_seconds(), .before = f->status.seconds };
	sigset_t blocked;
	int result = -1;

	x.setting = (struct job_setting){ .launch = p->launch, .frontier = f, .workers = p->workers };
	signal(SIGCHLD, SIG_DFL);
	progress_signals(&blocked);
	sigprocmask(SIG_BLOCK, &blocked, &x.setting.mask);
	f->status.end = LP_END_RUNNING;
	x.joined = join_open(p->launch->directory, p->fresh ? 0 : f->status.trace_bytes, meets_again, e);
	if (x.joined) {
		f->status.trace_bytes = f->status.trace_bytes ? f->status.trace_bytes : LP_TRACE_HEADER;
		if (join_flush(x.joined, e) == 0 && (!p->fresh || frontier_write(p->launch->directory, f, e) == 0) &&
		    explore(&x, e) == 0)
			result = 0;
		if (result < 0)
			f->status.end = LP_END_ERROR;
		f->status.seconds = x.before + now_seconds() - x.begin;
		if (f->status.end == LP_END_COMPLETE)
			f->status.estimate = 1;
		join_close(x.joined);
		if (frontier_show(p->launch->directory, &f->status, result < 0 ? NULL : e) < 0 ||
		    (result == 0 && frontier_write(p->launch->directory, f, e) < 0))
			result = -1;
		jobs_forget(&x.jobs);
		run_files_remove_parts(p->launch->directory);
		if (p->launch->progress)
			progress_clear();
	}
	sigprocmask(SIG_SETMASK, &x.setting.mask, NULL);
	return result;
}
