/* SPDX-License-Identifier: MIT
 *
 * Replay: runs exactly the schedules of a file, one a line ("0x3 0.1 0.2x7": thread names with
 * repeat counts). Where a schedule ends, the lowest runnable thread runs on, unless it says that no
 * progress is possible there ("!1:0.2", see format/run_dir.h).
 */
#include "../memory.h"
#include "../progress.h"
#include "../sched.h"
#include "../state.h"
#include "../strategy.h"

static char *line;      /* the schedule that runs, in the text of the file */
static const char *at;  /* in it */
static uint64_t repeat; /* of the thread last read */
static int thread;
static unsigned line_number;
static bool tried; /* it may ask for what is not possible: then it is over */

static void load(void)
{
	line = memory_file(rt->config.replay, "LINCHPIN_REPLAY");
}

static __attribute__((noreturn)) void bad(const char *what)
{
	die("%s:%u: %s", rt->config.replay, (unsigned long)line_number, what);
}

/* A name is the path of child numbers from the main thread. -1: there is none of that name, in a schedule
 * that is tried. */
static int thread_named(const char **p)
{
	int id = 0;

	if (**p != '0')
		bad("a thread name (0, 0.1, 0.2.1, ...) is expected");
	++*p;
	while (**p == '.') {
		unsigned number = 0, found = 0;

		for (++*p; **p >= '0' && **p <= '9'; ++*p)
			number = number * 10 + (unsigned)(**p - '0');
		for (unsigned i = 1, seen = 0; i < rt->nfibers && !found; i++)
			if (rt->fibers[i].parent == id && ++seen == number)
				found = i;
		if (!found && tried)
			return -1;
		if (!found)
			bad("this thread does not exist at this point of the execution; was the "
			    "program rebuilt?");
		id = (int)found;
	}
	return id;
}

static uint64_t number(const char **p)
{
	uint64_t n = 0;

	for (; **p >= '0' && **p <= '9'; ++*p)
		n = n * 10 + (uint64_t)(**p - '0');
	return n;
}

/* How many steps a schedule says, as far as it is one. */
static uint32_t steps_of(const char *p)
{
	uint64_t n = 0;

	while (*p && *p != '!') {
		bool begins = *p != ' ', repeats;

		while (*p && *p != ' ' && *p != 'x')
			p++;
		repeats = *p == 'x';
		p += repeats;
		n += repeats ? number(&p) : begins;
		while (*p == ' ')
			p++;
	}
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static bool begin(uint32_t *prefix, int32_t *choice)
{
	char *end;

	/* The record begins anew, so all schedules are executed again. */
	if (rt->need_restart && line_number) {
		load();
		line_number = 0;
	}
	if (line_number && (rt->need_again || rt->aborted)) {
		at = line;
	} else {
		if (line_number)
			line += length(line) + 1;
		do {
			line_number++;
			at = line;
			if (!*line)
				return false;
			for (end = line; *end && *end != '\n'; end++)
				;
			if (*end)
				*end = '\0';
			else
				end[1] = '\0';
		} while (*line == '#' && (line = end + 1));
	}
	tried = *at == '?';
	at += tried;
	rt->waiting.all = false;
	for (const char *p = at; *p; p++)
		rt->waiting.all |= *p == '!';
	rt->waiting.given = steps_of(at);
	repeat = 0;
	*prefix = 0;
	*choice = -1;
	return true;
}

/* "WHY:THREAD": no progress from here. It stays to be read once more: an open claim is answered
 * by other runs, and the execution is then run again. */
static void claim(const char *p)
{
	unsigned why = (unsigned)(*p - '0');

	if (*p < '1' || why > LP_STALL_LAST || p[1] != ':')
		bad("a reason and a thread (!1:0.2) are expected");
	p += 2;
	progress_claim(why, (unsigned)thread_named(&p));
}

/* The schedule has ended, with what it claims. */
static int over(uint64_t enabled)
{
	while (*at)
		at++;
	repeat = 0;
	return __builtin_ctzll(enabled);
}

static int pick(uint64_t enabled)
{
	if (UNLIKELY(rt->again)) { /* the schedule is over; a child of --isolate=fork has read it */
		repeat = 0;
		while (*at && *at != '!')
			at++;
	}
	while (*at == ' ')
		at++;
	if (!repeat && *at == '!') {
		claim(at + 1);
		while (*at)
			at++;
	}
	if (!repeat && *at) {
		thread = thread_named(&at);
		repeat = 1;
		if (*at == 'x') {
			at++;
			repeat = number(&at);
		}
		if ((*at && *at != ' ') || !repeat)
			bad("a repeat count (0.1x3) is expected");
	}
	if (!repeat)
		return __builtin_ctzll(enabled);
	repeat--;
	/* The rules for waiting are no matter of the schedule. */
	if (thread < 0 || !(sched_enabled() & bit((unsigned)thread))) {
		if (tried)
			return over(enabled);
		bad("the schedule asks for a thread that cannot run; was the program rebuilt?");
	}
	return thread;
}

const struct strategy strategy_replay = {
	.init = load,
	.begin = begin,
	.pick = pick,
	/* Schedules that were asked for, though they may be equivalent. */
	.distinct = true,
};
