/* SPDX-License-Identifier: MIT */
#include "watchdog.h"
#include "debug.h"
#include "real.h"
#include "state.h"

#include <time.h>

#define PERIOD_MS       50
#define LATE_PERIOD_MS  1 /* most of the time may be the runtime's own, where a thread is not interrupted */
#define STOPPED_SECONDS 0.5

double seconds_now(void)
{
	struct timespec t;

	sys2(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}


/* Of the process that is watched. */
static double processor_seconds(void)
{
	struct timespec t = { 0 };

	/* The clock of another process, as clock_getcpuclockid() makes it. */
	sys2(SYS_clock_gettime, (int)(~rt->target_pid << 3 | 2), &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Does its thread sleep in the kernel, rather than wait for a processor or be stopped? */
static bool sleeps(void)
{
	char path[64], text[512];
	struct text t = { 0 };
	long n;

	text_add(&t, "/proc/%u/task/%u/stat", (unsigned long)rt->target_pid,
		 (unsigned long)rt->target_tid);
	copy(path, t.s, t.n);
	path[t.n] = '\0';
	n = read_file(path, text, sizeof text);
	while (n > 0 && text[n - 1] != ')')
		n--;
	return n > 0 && n + 1 < (long)sizeof text && text[n + 1] == 'S';
}

/* Who looks at the program with `linchpin replay --gdb` may take his time. */
static bool at_leisure(void)
{
	return rt->config.debugger && *rt->config.replay;
}

static void interrupt(enum hung how)
{
	if (at_leisure())
		return;
	rt->hung = how;
	sys3(SYS_tgkill, rt->target_pid, rt->target_tid, WATCHDOG_SIGNAL);
}

/* When the search must be over, so that what it found can be judged in time: that takes up to a
 * microsecond for each byte of the trace, and less where there are no operations. */
static double deadline(void)
{
	const struct config *c = &rt->config;
	double most = c->max_time / 3, needs = 0.3 + LATE_SECONDS;

	if (c->search == LP_SEARCH_SEQUENTIAL || *c->replay)
		return rt->begin + c->max_time;
	needs += (double)rt->status->trace_bytes * (rt->status->calls ? 1e-6 : 0.2e-6);
	return rt->begin + c->max_time - (needs < most ? needs : most);
}

/* Raw system calls only; it never returns. A debugger that stops the process stops this thread, too, and that time
 * does not count. Others that trace a process, as strace does, only look on. */
static void *watchdog(void *unused)
{
	struct timespec period = { 0, PERIOD_MS * 1000000L };
	uint64_t all = ~0ULL, seen = 0;
	unsigned waited = 0;
	double start = rt->start, computed = 0, slept = 0, stopped = 0, held = 0, before = seconds_now();

	(void)unused;
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &all, 0, sizeof all);
	for (;;) {
		double now;

		sys2(SYS_nanosleep, &period, 0);
		now = seconds_now();
		if (now - before >= STOPPED_SECONDS && debugger_attached())
			held += now - before;
		before = now;
		rt->status->seconds = now - start;
		if (rt->config.max_time > 0 && !rt->stop && now - held >= deadline() &&
		    !at_leisure())
			rt->stop = STOP_TIME;
		stopped = rt->stop ? stopped + (double)period.tv_nsec * 1e-9 : 0;
		if (stopped >= LATE_SECONDS && rt->searching) {
			rt->late = 1;
			/* One after the other, or on a busy machine they would be all that is done. */
			if (!rt->hung || ++waited == PERIOD_MS / LATE_PERIOD_MS) {
				interrupt(HUNG_LATE);
				waited = 0;
			}
			period.tv_nsec = LATE_PERIOD_MS * 1000000L;
			continue;
		}
		period.tv_nsec = PERIOD_MS * 1000000L;
		if (rt->progress != seen || !rt->running) {
			seen = rt->progress;
			computed = processor_seconds();
			slept = 0;
			continue;
		}
		slept = sleeps() ? slept + PERIOD_MS * 1e-3 : 0;
		if (processor_seconds() - computed >= HUNG_SECONDS) {
			interrupt(HUNG_COMPUTES);
			computed = processor_seconds();
		} else if (slept >= HUNG_SECONDS) {
			interrupt(HUNG_BLOCKED);
			slept = 0;
		}
	}
	return NULL;
}

void watchdog_start(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	real.pthread_attr_init(&attr);
	real.pthread_attr_setstacksize(&attr, 64 << 10);
	real.pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	if (real.pthread_create(&thread, &attr, watchdog, NULL))
		die("cannot make the watchdog thread; is there a limit on processes (ulimit -u)?");
	real.pthread_attr_destroy(&attr);
}
