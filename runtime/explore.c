/* SPDX-License-Identifier: MIT
 *
 * The exploration: prepares the process once, then runs the program's main again and again, each
 * time in another schedule, and takes everything back in between.
 */
#include "explore.h"
#include "checkpoint.h"
#include "debug.h"
#include "memory.h"
#include "observed.h"
#include "output.h"
#include "run_dir.h"
#include "sched.h"
#include "services.h"
#include "shadow.h"
#include "steering.h"
#include "steps.h"
#include "strategy.h"
#include "trace.h"
#include "closed.h"
#include "leaks.h"
#include "livelock.h"
#include "look.h"
#include "part.h"
#include "progress.h"
#include "runs.h"
#include "twins.h"
#include "waiting.h"
#include "watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

static struct {
	int (*main)(int, char **, char **);
	int argc;
	char **argv, **envp;
} program;

int run_program_main(void)
{
	int status = (int)call_program((uint64_t)program.main, (uint64_t)program.argc,
				       (uint64_t)program.argv, (uint64_t)program.envp);

	leaks_main_frame();
	return status;
}

static void prepare_output(void)
{
	rt->fd_out = descriptor_copy(1);
	rt->fd_err = descriptor_copy(2);
	rt->fd_null = descriptor_copy(
		(int)sys4(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC, 0));
}

/* Runs one execution up to its outcome; afterwards we are the root again. */
static void run_execution(void)
{
	sched_reset();
	fibers_reset();
	leaks_main_begins();
	fiber_run_main();
}

/* A redundant one is recorded if no other shows the same (livelock.c), or if it was asked for. */
static void count_livelock(struct lp_status *s)
{
	const struct closed *closed = look_closed(rt->end_state);

	if (closed && rt->waiting.redundant && !rt->record && !*rt->config.replay) {
		s->redundant++;
		livelock_later(closed);
		return;
	}
	if (closed && rt->record && livelock_is_recorded(closed->name))
		return;
	trace_class();
	if (closed)
		livelock_recorded(closed->name);
}

/* How the execution counts. All that are left may wait in loops; then look.c has said what that
 * means. */
static void count(struct lp_status *s)
{
	if (rt->cut) {
		s->cut++;
	} else if (rt->no_class) {
		s->blocked++;
	} else if (rt->verdict == LOOK_BOUND) {
		s->limits |= LP_LIMIT_LOOK;
		s->cut++;
	} else if (rt->verdict == LOOK_WAY_OUT && rt->blocks == BLOCKS_ATOMIC &&
		   !rt->waiting.redundant) { /* it was looked for without blocks */
		s->limits |= LP_LIMIT_LOOK;
		s->cut++;
	} else if (rt->verdict == LOOK_WAY_OUT) {
		s->redundant++;
	} else if (rt->verdict == LOOK_CLOSED) {
		count_livelock(s);
	} else if (rt->waiting.redundant && rt->outcome.kind <= LP_OUT_EXIT && !*rt->config.replay) {
		s->redundant++;
	} else {
		trace_class();
	}
}

/* Classes that ended with an error. */
static uint64_t failures(const struct lp_status *s)
{
	uint64_t n = 0;

	for (unsigned k = LP_OUT_EXIT + 1; k < LP_OUT_COUNT; k++)
		n += s->outcomes[k];
	return n;
}

/* What is done with an execution that has ended, in the process in which it ran. */
static void account(void)
{
	struct lp_status *s = rt->status;

	if (rt->need_restart || rt->need_again || rt->aborted || rt->broken_off || rt->probing)
		return;
	s->executions++;
	s->events += rt->n;
	s->steps += rt->steps;
	if (rt->n > s->max_events)
		s->max_events = rt->n;
	if (rt->nfibers > s->threads)
		s->threads = rt->nfibers;
	s->woken += rt->waiting.woken;
	count(s);
	if (UNLIKELY(rt->outcome.kind > LP_OUT_EXIT) && !s->first_failure && failures(s))
		s->first_failure = s->executions;
	if (rt->strategy->estimate && (s->executions & 127) == 0)
		s->estimate = rt->strategy->estimate();
}

/* The execution has just ended. What is asked of its last state is asked now; if questions are
 * open (look.h), it is accounted later. */
static void ended(void)
{
	rt->questions = false;
	refused_by_child();
	interposing.ended();
	if (rt->waiting.off)
		return;
	if (UNLIKELY(rt->probing)) { /* only its first steps were wanted */
		rt->strategy->end();
		return;
	}
	if (rt->need_again) {
		rt->aborted = 0; /* if so, it will be so again */
	} else if (rt->aborted) {
		if (rt->strategy->aborted)
			rt->strategy->aborted();
	} else if (!rt->need_restart && !rt->broken_off) {
		if (rt->again) {
			account();
			return;
		}
		if (rt->blocks == BLOCKS_ATOMIC)
			steps_over();
		twins_ended();
		observed_find();
		if (rt->strategy->end)
			rt->strategy->end();
		rt->end_state = rt->judge ? look_state() : 0;
		rt->verdict = rt->judge ? look_known(rt->end_state) : 0;
		rt->questions = (rt->judge && !rt->verdict) || look_unknown_loops() ||
				progress_open();
	}
	if (!rt->questions)
		account();
}

/* The same in a child of its own, for programs whose kernel state must not be shared between
 * executions. */
static void run_isolated(void)
{
	int status = 0;
	long pid = sys6(SYS_clone, 17 /* SIGCHLD */, 0, 0, 0, 0, 0);

	if (pid < 0)
		die("fork failed (errno %d)", -pid);
	if (!pid) {
		rt->status->process = rt->target_pid = (uint32_t)sys0(SYS_getpid);
		rt->target_tid = (uint32_t)sys0(SYS_gettid);
		run_execution();
		ended();
		sys1(SYS_exit_group, 0);
	}
	rt->running = 1; /* the watchdog looks at the child's progress */
	while (sys4(SYS_wait4, pid, &status, 0, 0) == -EINTR)
		;
	rt->running = 0;
	if (WIFSIGNALED(status)) {
		/* It could not even be caught; the position is lost. */
		rt->outcome.kind = LP_OUT_CRASH;
		rt->outcome.code = WTERMSIG(status);
		rt->outcome.pc = 0;
		rt->outcome.message[0] = '\0';
		rt->outcome.thread = rt->cur ? rt->cur->id : 0;
		rt->questions = false;
		if (!rt->waiting.off)
			account();
	} else if (WEXITSTATUS(status)) {
		sys1(SYS_exit_group, 2);
	}
}

/* Runs one execution, and takes it back. */
static void run_one(void)
{
	if (rt->config.fork) {
		run_isolated();
	} else {
		run_execution();
		ended();
	}
	checkpoint_rollback(!rt->config.fork);
	interposing.rollback();
}

static void answer_questions(void)
{
	if (!look_at_loops(run_one)) {
		rt->need_restart = 1;
		return;
	}
	if (rt->judge && !rt->verdict)
		rt->verdict = look_for_end(rt->end_state, run_one);
	if (!rt->need_restart && progress_open())
		progress_answer(run_one);
	/* To look may have shown something that changes the steps of the schedule. */
	if (rt->need_restart)
		return;
	/* Its state is needed for the record, so it is run once more. */
	rt->prefix = rt->n;
	rt->choice = -1;
	rt->again = true;
	run_one();
	rt->again = false;
}

static void run_to_answers(void)
{
	run_one();
	if (UNLIKELY(rt->questions))
		answer_questions();
}

static bool bound_reached(void)
{
	static const uint32_t ends[] = {
		[STOP_TIME] = LP_END_TIME,
		[STOP_INTERRUPTED] = LP_END_INTERRUPTED,
		[STOP_FOUND] = LP_END_FOUND,
		[STOP_FULL] = LP_END_FULL,
	};
	const struct lp_status *s = rt->status;

	if ((rt->config.max_executions && s->executions >= rt->config.max_executions) ||
	    (part && s->executions >= part->budget))
		rt->end = LP_END_EXECUTIONS;
	else if (rt->config.stop_at && failures(s) >= rt->config.stop_at)
		rt->end = LP_END_FOUND;
	else if (rt->stop)
		rt->end = ends[rt->stop];
	else
		return false;
	return true;
}

static void search(void)
{
	const struct strategy *strategy = rt->strategy;

	while (!bound_reached() && !(part && rt->need_restart)) { /* all parts begin again */
		if (!strategy->begin(&rt->prefix, &rt->choice)) {
			rt->end = *rt->config.replay ? LP_END_REPLAYED : LP_END_COMPLETE;
			rt->status->estimate = 1;
			break;
		}
		if (rt->need_restart) {
			trace_restart();
			rt->status->first_failure = rt->status->drawn = rt->status->woken = rt->status->bounds = 0;
			progress_forget();
			steering_write(); /* for who follows the search, and executes schedules of it */
		}
		rt->barred_to = rt->aborted && !rt->strategy->frames ? rt->barred_to : rt->prefix;
		if (rt->need_restart && rt->blocks)
			rt->barred[0] = 0;
		rt->need_restart = rt->need_again = rt->need_donors = rt->aborted = 0;
		interposing.begin();
		if (rt->prefix < rt->keep)
			rt->keep = rt->prefix;
		rt->searching = 1;
		run_one();
		rt->searching = rt->late = 0;
		rt->status->again += rt->need_again && !rt->need_restart;
		if (UNLIKELY(rt->need_donors)) {
			fibers_more_donors();
			checkpoint_take();
			interposing.keep_mappings();
		}
		if (UNLIKELY(!rt->printed)) {
			if (rt->need_restart || rt->need_again || rt->probing || rt->questions)
				forget_output();
			else
				show_output();
		}
		if (UNLIKELY(rt->questions))
			answer_questions();
		progress_look(run_one);
	}
	part_write_rest();
	if (!part || !rt->need_restart)
		livelocks_record(run_to_answers);
	progress_record(run_one);
	if (rt->need_restart && rt->end == LP_END_COMPLETE && !part)
		die("after the search it turned out that threads share more than was known");
}

/* `linchpin` is installed beside this library or in ../bin. Returns if it is not. */
static void become_linchpin(char **argv)
{
	struct text t;
	size_t dir = 0, own = length(rt->config.report);

	for (size_t i = 0; i < own; i++)
		if (rt->config.report[i] == '/')
			dir = i + 1;
	for (int attempt = 0; attempt < 2; attempt++) {
		t.n = 0;
		for (size_t i = 0; i < dir; i++)
			text_add(&t, "%c", rt->config.report[i]);
		text_add(&t, "%s%c", attempt ? "../bin/linchpin" : "linchpin", '\0');
		argv[0] = t.s;
		sys3(SYS_execve, t.s, argv, program.envp);
	}
	argv[0] = NULL;
}

/* What is left of the time is for the report. */
static void become_report(void)
{
	char *argv[] = { NULL, (char *)"report", NULL, rt->config.dir, NULL };
	double left = rt->begin + rt->config.max_time - seconds_now();
	struct text t = { 0 };

	left = left < 0.2 ? 0.2 : left;
	text_add(&t, "--max-time=%u%c", rt->config.max_time > 0 ? (unsigned long)left + 1 : 0UL, '\0');
	argv[2] = t.s;
	become_linchpin(argv);
	die("explored; no `linchpin` beside %s or in ../bin to report with: run `linchpin report "
	    "%s`",
	    rt->config.report, rt->config.dir);
}

/* A bare run asks `linchpin` for the operations of a specification file: nobody has before. */
static void find_operations(void)
{
	char *argv[] = { NULL, (char *)"ops", rt->config.program, rt->config.ops, NULL };
	struct text t;
	int status = 0;
	long pid;

	if (!rt->config.bare || *rt->config.ops || *rt->config.replay)
		return;
	t.n = 0;
	text_add(&t, "%s/ops", rt->config.dir);
	if (t.n >= sizeof rt->config.ops)
		return;
	copy(rt->config.ops, t.s, t.n);
	rt->config.ops[t.n] = '\0';
	pid = sys6(SYS_clone, 17 /* SIGCHLD */, 0, 0, 0, 0, 0);
	if (!pid) {
		become_linchpin(argv);
		sys1(SYS_exit_group, 0);
	}
	while (pid > 0 && sys4(SYS_wait4, pid, &status, 0, 0) == -EINTR)
		;
	if (rt->stop) {
		/* A Ctrl-C reaches both; there will be no search that needs them. */
		rt->config.ops[0] = '\0';
		return;
	}
	if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
		sys1(SYS_exit_group, 2);
	if (sys2(SYS_access, rt->config.ops, 0) < 0)
		rt->config.ops[0] = '\0';
}

static double cpu_seconds(void)
{
	struct rusage u;
	double sum = 0;

	for (int who = RUSAGE_CHILDREN; who <= RUSAGE_SELF; who++) {
		sys2(SYS_getrusage, who, &u);
		sum += (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
		       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
	}
	return sum;
}

static void finish(void)
{
	show_output();
	rt->status->cpu_seconds = cpu_seconds();
	rt->status->seconds = seconds_now() - rt->start;
	sys3(SYS_dup3, rt->fd_out, 1, 0);
	sys3(SYS_dup3, rt->fd_err, 2, 0);
	instrumentation.finish();
	trace_finish();
	steering_write();
	rt->status->end = rt->end;
	part_whole();
	if (rt->config.bare)
		become_report();
	sys1(SYS_exit_group, 0);
}

/*
 * A copy of argv at a fixed place. Where the kernel puts it depends on the size of the environment,
 * which is not the same in a search, a replay and a bare run; a pointer to an argument is a value
 * like any other in a trace. Programs permute argv (getopt) and write into its strings, so it is
 * rolled back.
 */
static char **fixed_arguments(int argc, char **argv)
{
	size_t size = ((size_t)argc + 1) * sizeof *argv;
	char **vector, *string;

	for (int i = 0; i < argc; i++)
		size += length(argv[i]) + 1;
	vector = map(ARGUMENTS, round_up(size, PAGE), true, false);
	string = (char *)(vector + argc + 1);
	for (int i = 0; i < argc; i++) {
		vector[i] = string;
		copy(string, argv[i], length(argv[i]) + 1);
		string += length(argv[i]) + 1;
	}
	checkpoint_add((uintptr_t)vector, (uintptr_t)vector + size);
	return vector;
}

void explore(int (*main)(int, char **, char **), int argc, char **argv, char **envp)
{
	program.main = main;
	program.argc = argc;
	program.argv = fixed_arguments(argc, argv);
	program.envp = envp;
	part_read();
	rt->strategy = part_strategy();
	rt->log = memory_get(log_capacity() * sizeof *rt->log);
	rt->clocks = memory_get(log_capacity() * sizeof *rt->clocks);
	rt->enabled = memory_get(log_capacity() * sizeof *rt->enabled);
	rt->calls = memory_get(log_capacity() * sizeof *rt->calls);
	if (rt->config.observers)
		observed_init();
	prepare_output();
	outcome_interrupts();
	trace_init(argv);
	shadow_init();
	visits_init();
	vain_init();
	footprints_init();
	loops_init();
	steps_init();
	runs_init();
	look_init();
	livelocks_init();
	progress_init();
	find_operations();
	instrumentation.prepare();
	steering_read();
	if (rt->strategy->init)
		rt->strategy->init();
	fibers_init();
	outcome_init();
	rt->status->process = rt->target_pid = (uint32_t)sys0(SYS_getpid);
	rt->target_tid = (uint32_t)sys0(SYS_gettid);
	rt->start = seconds_now();
	watchdog_start();
	interposing.before_checkpoint();
	checkpoint_take();
	interposing.after_checkpoint();
	capture_output();
	linchpin_stop(0);
	search();
	finish();
	__builtin_unreachable();
}
