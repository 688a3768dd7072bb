/* SPDX-License-Identifier: MIT */
#include "parts/explore.h"
#include "format/search.h"
#include "format/trace_format.h"
#include "parts/jobs.h"
#include "parts/left.h"
#include "parts/plan.h"
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
#define SAVE_EACH 0.1 /* seconds, and ... */
#define SAVE_COST 20  /* ... so many times as long as it took before */

struct exploration {
	const struct parts *p;
	struct frontier *f;
	struct joined *joined;
	struct job_setting setting;
	bool restart;
	bool last;	  /* the last job is made whatever the bounds are */
	enum lp_end why;  /* the search had ended before it */
	enum lp_end stop; /* why no more is begun; LP_END_RUNNING: it goes on */
	double save;	  /* when RUNDIR/frontier is to be written */
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
	if (settings_stateful(s))
		return "a stateful search ends executions in states that any other one may have met, and is not "
		       "divided";
	if (strcmp(s->equivalence, "auto") != 0 && strcmp(s->equivalence, "mazurkiewicz") != 0)
		return "only --equivalence=mazurkiewicz is divided";
	if (strcmp(s->keep, "all") != 0 && plan_meets_again(s))
		return "--keep counts what is not recorded, and parts of this search would count the "
		       "same classes; use --search=dpor or source";
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
	f->leaks = s->leaks;
	f->status.magic = LP_STATUS_MAGIC;
	f->status.version = LP_RUN_VERSION;
	f->status.estimate = -1;
	f->root = plan_is_random(s) ? NULL : tree_new();
}

/* ---- what is given out ---- */

static uint64_t failures(const struct lp_status *s)
{
	uint64_t n = 0;

	for (unsigned k = LP_OUT_EXIT + 1; k < LP_OUT_COUNT; k++)
		n += s->outcomes[k];
	return n;
}

/* As many failed as are wanted: what was not put together until then is not. */
static bool found(const struct exploration *x)
{
	const uint64_t stop_at = x->p->launch->settings->stop_at;

	return stop_at && !x->last && failures(&x->f->status) >= stop_at;
}

static enum lp_end bound_reached(const struct exploration *x)
{
	const struct settings *s = x->p->launch->settings;

	if (x->stop != LP_END_RUNNING)
		return x->stop;
	if (s->max_executions && x->f->status.executions >= plan_share(s->max_executions, x->f))
		return LP_END_EXECUTIONS;
	return found(x) ? LP_END_FOUND : LP_END_RUNNING;
}

/* As many jobs as there are now. */
static void give_out(struct exploration *x)
{
	struct frontier *f = x->f;

	while (!x->last && bound_reached(x) == LP_END_RUNNING && !plan_is_time_to_share(f) &&
	       plan_next(f, x->p->launch->settings))
		jobs_find(&f->jobs.list[f->jobs.n - 1], &x->setting);
}

/* ---- one job after the other ---- */

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* What its process has learned holds for all parts, which begin again. */
static int learn(struct exploration *x, const struct job *job, const struct lp_status *s, struct error *e)
{
	struct frontier *f = x->f;
	size_t size;
	char *steering = read_file_in(job->directory, "steering", &size, NULL);

	if (s->reused == f->reused && same_text(steering, f->steering)) {
		free(steering);
		return error_set(e, "this program cannot be explored in parts: the search has to "
				    "begin again for something that one process cannot tell "
				    "another one (a library that is opened while it runs?); "
				    "explore it without -j and --shard");
	}
	free(f->steering);
	f->steering = steering;
	f->reused = s->reused;
	return 0;
}

static int write_steering(const struct exploration *x, struct error *e)
{
	const char *s = x->f->steering;

	return s ? run_files_write(x->p->launch->directory, "steering", s, strlen(s), e) : 0;
}

/* With an empty trace. The frontier comes first: it must not speak of what the trace no longer has. */
static int start_over(struct exploration *x, struct error *e)
{
	const char *directory = x->p->launch->directory;

	x->f->status.trace_bytes = 0;
	if (frontier_write(directory, x->f, e) < 0)
		return -1;
	join_close(x->joined);
	x->joined = join_open(directory, 0, plan_meets_again(x->p->launch->settings), e);
	x->f->status.trace_bytes = LP_TRACE_HEADER;
	return x->joined ? join_flush(x->joined, e) : -1;
}

/* Jobs that are done do not know what was learned: they go before the frontier says that it is known. */
static int begin_again(struct exploration *x, struct error *e)
{
	struct frontier *f = x->f, fresh;
	uint32_t restarts = f->status.restarts + 1;
	uint64_t again = f->status.again;

	frontier_take_back(f);
	run_files_remove_parts(x->p->launch->directory);
	jobs_begin(&x->setting);
	parts_begin(&fresh, x->p->launch->settings, f->shard, f->shards);
	fresh.steering = f->steering;
	fresh.reused = f->reused;
	free(fresh.keep);
	fresh.keep = f->keep; /* the settings have it, too */
	fresh.leaks = f->leaks;
	memcpy(fresh.inputs, f->inputs, sizeof fresh.inputs);
	fresh.status.restarts = restarts;
	fresh.status.again = again;
	f->steering = f->keep = NULL;
	frontier_free(f);
	*f = fresh;
	x->restart = x->last = false;
	return start_over(x, e) < 0 ? -1 : write_steering(x, e);
}

/* The first part has described the run; what says so comes last. */
static int describe(const struct exploration *x, const struct job *job, struct error *e)
{
	const char *directory = x->p->launch->directory;

	if (job->number)
		return 0;
	return run_files_copy(job->directory, directory, "uninstrumented", e) < 0 ||
			       (!x->f->steering &&
				run_files_copy(job->directory, directory, "steering", e) < 0) ||
			       run_files_copy(job->directory, directory, "run", e) < 0
		       ? -1
		       : 0;
}

static int join_part(struct exploration *x, struct job *job, const struct left *left,
		     const struct lp_status *s, struct error *e)
{
	struct frontier *f = x->f;

	if (describe(x, job, e) < 0 || join_add(x->joined, job->directory, NULL, &f->status, e) < 0 ||
	    tree_apply(job->units, job->nunits, left->lines, left->nlines, s->executions, e) < 0)
		return -1;
	livelocks_merge(&f->livelocks, &left->livelocks);
	if (job->livelocks)
		livelocks_done(&f->livelocks);
	if (job->draws) {
		uint64_t drawn = s->end == LP_END_COMPLETE ? job->range.n : s->executions;

		if (drawn < job->range.n)
			frontier_left(f, job->range.first + drawn, job->range.n - drawn);
		f->status.drawn += s->executions;
	}
	if (s->end == LP_END_FULL || s->end == LP_END_ERROR)
		x->stop = s->end;
	return 0;
}

static int join_job(struct exploration *x, uint32_t number, struct error *e)
{
	struct job *job = &x->f->jobs.list[number];
	struct left left = { 0 };
	struct lp_status s;
	int result;

	if (left_read(job->directory, &left, e) < 0 || status_read(job->directory, &s, e) < 0) {
		result = -1;
	} else if (left.restart) {
		x->restart = true;
		result = learn(x, job, &s, e);
		jobs_signal(&x->setting, SIGTERM, 0);
	} else {
		result = join_part(x, job, &left, &s, e);
		frontier_forget(x->f, number);
		x->f->joined++;
	}
	left_free(&left);
	return result;
}

/* In their order, as far as they are done; behind: also those behind one that was not begun. What is given out
 * next depends on each. */
static int join_done(struct exploration *x, bool behind, struct error *e)
{
	const struct jobs *jobs = &x->f->jobs;
	struct lp_status *s = &x->f->status;
	uint64_t before = x->f->joined;

	for (uint32_t i = 0; i < jobs->n && !x->restart && !found(x);)
		if (jobs->list[i].state == JOB_DONE) {
			if (join_job(x, i, e) < 0)
				return -1;
			give_out(x);
		} else if (behind) {
			i++;
		} else {
			break;
		}
	if (x->f->joined == before || x->restart)
		return 0;
	s->seconds = x->before + now_seconds() - x->begin;
	return join_flush(x->joined, e) < 0 || frontier_show(x->p->launch->directory, s, e) < 0 ? -1 : 0;
}

/* ---- waiting ---- */

static void ask_to_stop(struct exploration *x, enum lp_end why)
{
	if (x->stop != LP_END_RUNNING || (x->last && why != LP_END_ERROR))
		return;
	x->stop = why;
	jobs_signal(&x->setting, SIGTERM, why == LP_END_FOUND ? LP_STOP_FOUND : 0);
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

/* ---- all jobs ---- */

/* Now what was put together is on the disk, and nobody needs the files of its jobs any more. */
static int save(struct exploration *x, struct error *e)
{
	double before = now_seconds(), now;

	if (x->f->root)
		tree_prune(x->f->root);
	if (join_sync(x->joined, e) < 0 || frontier_write(x->p->launch->directory, x->f, e) < 0)
		return -1;
	jobs_remove_joined(&x->setting);
	now = now_seconds();
	x->save = now + SAVE_EACH + SAVE_COST * (now - before);
	return 0;
}

static bool is_over(const struct exploration *x)
{
	return x->stop != LP_END_RUNNING || x->restart || !x->f->jobs.n;
}

/* Starts, waits for and puts together what there is to be. True: a worker may have nothing to do. */
static bool go_on(struct exploration *x, bool *idle, struct error *e)
{
	uint64_t before = x->f->joined;

	*idle = jobs_run(&x->setting, is_over(x), e);
	if (*e->message || join_done(x, false, e) < 0)
		return false;
	if (x->f->joined != before && !x->restart && now_seconds() >= x->save)
		save(x, e);
	if (found(x))
		ask_to_stop(x, LP_END_FOUND);
	return x->f->joined != before;
}

/* Until all that was given out is put together, or no more is to be. */
static int run_jobs(struct exploration *x, struct error *e)
{
	struct error failure = { .message = "" };
	bool idle, more;

	do {
		look(x);
		more = go_on(x, &idle, &failure);
		if (*failure.message)
			ask_to_stop(x, LP_END_ERROR);
		if (!more && !(idle && is_over(x)))
			wait_a_little(x);
	} while (!idle || !is_over(x));
	if (*failure.message)
		return error_set(e, "%s", failure.message);
	return x->restart || found(x) ? 0 : join_done(x, true, e);
}

/* What was given out and is not put together is left, and its files are nobody's. */
static int take_back(struct exploration *x, struct error *e)
{
	frontier_take_back(x->f);
	if (save(x, e) < 0)
		return -1;
	run_files_remove_parts(x->p->launch->directory);
	jobs_begin(&x->setting);
	return 0;
}

static int share(struct exploration *x, struct error *e)
{
	struct frontier *f = x->f;

	f->shared = true;
	if (f->root)
		tree_share(f->root, f->shard, f->shards);
	if (f->root && f->shard == 1)
		return 0;
	/* what comes before is in the first one; of a random search it is in its range */
	f->left.n = 0;
	plan_forget_counts(&f->status);
	return start_over(x, e);
}

/* -1 and *e: it cannot be that nothing is left. */
static int nothing_left(const struct frontier *f, enum lp_end *end, struct error *e)
{
	*end = LP_END_COMPLETE;
	if (!f->root) /* no more may be drawn */
		*end = LP_END_EXECUTIONS;
	else if (plan_left_elsewhere(f) || f->shard > 1)
		*end = LP_END_SHARD;
	else if (f->root->state != BRANCH_DONE && !f->shards)
		return error_set(e, "something of the search was lost; please report this");
	return 0;
}

static int explore(struct exploration *x, struct error *e)
{
	struct frontier *f = x->f;

	for (;;) {
		enum lp_end end = x->last ? x->why : bound_reached(x);

		if ((end == LP_END_RUNNING || (end == LP_END_EXECUTIONS && !f->root)) && plan_is_time_to_share(f)) {
			if (share(x, e) < 0)
				return -1;
			continue; /* with a bound of its own */
		}
		give_out(x);
		if (end == LP_END_RUNNING && !f->jobs.n && nothing_left(f, &end, e) < 0)
			return -1;
		if (!f->jobs.n) {
			if (x->last || !plan_livelocks(f)) {
				f->status.end = end;
				return 0;
			}
			jobs_find(f->jobs.list, &x->setting);
			x->last = true;
			x->why = end;
			x->stop = LP_END_RUNNING;
		}
		if (run_jobs(x, e) < 0 || (x->restart ? begin_again(x, e) : take_back(x, e)) < 0)
			return -1;
	}
}

/* Jobs that were given out before the search was killed. */
static void find_jobs(struct exploration *x)
{
	struct frontier *f = x->f;
	const uint64_t most = x->p->launch->settings->max_executions;
	uint64_t n = f->status.executions;

	jobs_begin(&x->setting);
	for (uint32_t i = 0; i < f->jobs.n; i++)
		n += f->jobs.list[i].budget;
	if (most && n > plan_share(most, f))
		frontier_take_back(f);
	for (uint32_t i = 0; i < f->jobs.n; i++)
		jobs_find(&f->jobs.list[i], &x->setting);
}

int parts_explore(const struct parts *p, struct frontier *f, struct error *e)
{
	const bool meets_again = plan_meets_again(p->launch->settings);
	struct exploration x = { .p = p, .f = f, .begin = now_seconds(), .before = f->status.seconds };
	sigset_t blocked;
	int result = -1;

	x.setting = (struct job_setting){
		.launch = p->launch, .frontier = f, .workers = p->workers, .lock = p->lock
	};
	signal(SIGCHLD, SIG_DFL);
	progress_signals(&blocked);
	sigprocmask(SIG_BLOCK, &blocked, &x.setting.mask);
	f->status.end = LP_END_RUNNING;
	x.joined = join_open(p->launch->directory, p->fresh ? 0 : f->status.trace_bytes, meets_again, e);
	if (x.joined) {
		find_jobs(&x);
		f->status.trace_bytes = f->status.trace_bytes ? f->status.trace_bytes : LP_TRACE_HEADER;
		if (join_flush(x.joined, e) == 0 && write_steering(&x, e) == 0 &&
		    (!p->fresh || frontier_write(p->launch->directory, f, e) == 0) && explore(&x, e) == 0)
			result = 0;
		if (result < 0)
			f->status.end = LP_END_ERROR;
		f->status.seconds = x.before + now_seconds() - x.begin;
		if (f->status.end == LP_END_COMPLETE)
			f->status.estimate = 1;
		if (x.joined && result == 0)
			result = join_sync(x.joined, e);
		join_close(x.joined);
		if (frontier_show(p->launch->directory, &f->status, result < 0 ? NULL : e) < 0 ||
		    (result == 0 && frontier_write(p->launch->directory, f, e) < 0))
			result = -1;
		if (result == 0) /* after an error, the jobs that are done count */
			run_files_remove_parts(p->launch->directory);
		if (p->launch->progress)
			progress_clear();
	}
	sigprocmask(SIG_SETMASK, &x.setting.mask, NULL);
	return result;
}
