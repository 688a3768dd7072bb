/* SPDX-License-Identifier: MIT */
#include "judge/follow.h"
#include "base/budget.h"
#include "judge/confirm.h"
#include "judge/pass.h"

#include <math.h>
#include <time.h>

#define PERIOD_NS  20000000L
#define MOST_TRIES 1000 /* to read a trace that is being written anew */

struct follower {
	const struct follow_options *options;
	volatile struct judged *judged;
	struct analysis a;
	struct pass pass;
	uint32_t restarts; /* of the search, when the run was opened */
	size_t tried;      /* findings of which it is settled whether they are confirmed */
};

enum followed { FOLLOWED_END, FOLLOWED_RESTART, FOLLOWED_ERROR };

/* There is no budget but the one that a signal leaves. */
static bool asked_to_stop(void)
{
	return budget_left() < INFINITY;
}

static void wait_a_little(void)
{
	const struct timespec period = { .tv_nsec = PERIOD_NS };

	nanosleep(&period, NULL);
}

/* Executes new findings again, as many as are wanted. */
static void confirm_new(struct follower *f)
{
	const struct follow_options *o = f->options;
	struct analysis *a = &f->a;

	for (; f->tried < a->nfindings && f->judged->confirmed < o->confirm; f->tried++) {
		struct finding *found = &a->findings[f->tried];

		/* What the replay needs of it may have changed since the run was opened. */
		if (asked_to_stop() || status_read(a->run->directory, &a->run->status, NULL) < 0 ||
		    a->run->status.end != LP_END_RUNNING || a->run->status.seconds < o->delay ||
		    a->run->status.files)
			return;
		confirm_findings(a, found, 1, o->analysis.specification);
		if (found->replayed == REPLAY_SAME) {
			f->judged->confirmed++;
			f->judged->last = found->class;
			o->confirmed(o->data, a, found);
		}
		replay_end(&a->replay);
	}
}

static void count(struct follower *f)
{
	uint64_t wrong = f->a.nonlinearizable;

	for (size_t i = 0; i < f->a.nfindings; i++)
		if (!f->a.findings[i].is_history)
			wrong += f->a.findings[i].classes;
	f->judged->wrong = wrong < f->a.classes ? wrong : f->a.classes;
	f->judged->classes = f->a.classes;
}

/* All that is there was read. Is there more to come? */
static bool goes_on(const struct follower *f, enum followed *end)
{
	struct lp_status now;

	*end = FOLLOWED_ERROR;
	if (status_read(f->a.run->directory, &now, NULL) < 0)
		return false;
	*end = now.restarts == f->restarts ? FOLLOWED_END : FOLLOWED_RESTART;
	return now.end == LP_END_RUNNING && now.restarts == f->restarts;
}

static enum followed follow_run(struct follower *f)
{
	struct trace t = { 0 };
	enum followed end = FOLLOWED_END;

	while (!asked_to_stop()) {
		int more = run_next(f->a.run, &t, NULL);

		if (more == 0 && goes_on(f, &end)) {
			confirm_new(f);
			wait_a_little();
			continue;
		}
		if (more < 0)
			end = FOLLOWED_RESTART;
		else if (more == 1 && pass_class(&f->pass, &t, NULL) < 0)
			end = FOLLOWED_ERROR;
		else if (more == 1) {
			count(f);
			confirm_new(f);
			continue;
		}
		break;
	}
	trace_free(&t);
	return end;
}

/* From the first class, as far as it goes. */
static enum followed follow_once(struct follower *f, struct run *run)
{
	enum followed end = FOLLOWED_ERROR;

	pass_begin(&f->pass, &f->a, run, &f->options->analysis);
	f->restarts = run->status.restarts;
	f->tried = 0;
	f->judged->confirmed = f->judged->last = 0;
	f->a.map = srcmap_open(run, NULL);
	if (f->a.map)
		end = follow_run(f);
	pass_free(&f->pass);
	analysis_free(&f->a);
	return end;
}

void follow(const char *directory, const struct follow_options *options,
	    volatile struct judged *judged)
{
	struct follower f = { .options = options, .judged = judged };
	enum followed end = FOLLOWED_RESTART;

	for (unsigned i = 0; i < MOST_TRIES && end == FOLLOWED_RESTART && !asked_to_stop(); i++) {
		struct run *run = run_open(directory, NULL);

		/* The status is there before the first execution begins. */
		if (run && run->status.magic == LP_STATUS_MAGIC && run->nmodules)
			end = follow_once(&f, run);
		if (run)
			run_close(run);
		if (end == FOLLOWED_RESTART)
			wait_a_little();
	}
}
