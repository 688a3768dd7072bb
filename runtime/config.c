/* SPDX-License-Identifier: MIT
 *
 * The configuration, from the environment (format/run_dir.h lists the variables).
 */
#include "config.h"
#include "debug.h"
#include "state.h"
#include "watchdog.h"

static const char *value_of(char **envp, const char *name)
{
	size_t n = length(name);

	for (; *envp; envp++)
		if (same(*envp, name, n) && (*envp)[n] == '=')
			return *envp + n + 1;
	return NULL;
}

const char *env_get(char **envp, const char *name)
{
	const char *v = value_of(envp, name);

	return v && *v ? v : NULL;
}

static uint64_t number(char **envp, const char *name, uint64_t otherwise)
{
	const char *s = env_get(envp, name), *p = s;
	uint64_t v;

	if (!s)
		return otherwise;
	v = text_number(&p, 10);
	if (*p || p == s)
		die("%s=%s: a whole number is expected", name, s);
	return v;
}

/* What tells more of a program than its kinds of classes needs all of them. */
static uint64_t keep(char **envp, const struct config *c)
{
	const char *s = env_get(envp, "LINCHPIN_KEEP");

	if (!s || equal(s, "all") || *c->blocks || *c->replay || c->search == LP_SEARCH_SEQUENTIAL)
		return KEEP_ALL;
	if (equal(s, "findings"))
		return 0;
	if (*s < '0' || *s > '9')
		die("LINCHPIN_KEEP=%s: it must be all, findings or a whole number", s);
	return number(envp, "LINCHPIN_KEEP", 0);
}

static double seconds(char **envp, const char *name, double otherwise)
{
	const char *s = env_get(envp, name), *p = s;
	double v, place = 1;

	if (!s)
		return otherwise;
	v = (double)text_number(&p, 10);
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9'; p++)
			v += (*p - '0') * (place /= 10);
	if (*p || p == s)
		die("%s=%s: a number of seconds is expected", name, s);
	return v;
}

static __attribute__((noreturn)) void no_choice(const char *name, const char *value,
						const char *const *names, unsigned n)
{
	struct text t = { 0 };

	text_add(&t, "%s", names[0]);
	for (unsigned i = 1; i < n; i++)
		text_add(&t, ", %s", names[i]);
	text_add(&t, "%c", '\0');
	die("%s=%s: it must be %s", name, value, t.s);
}

/* Which of the n names is the variable's value? */
static unsigned choice(char **envp, const char *name, const char *const *names, unsigned n,
		       unsigned otherwise)
{
	const char *s = env_get(envp, name);

	if (!s)
		return otherwise;
	for (unsigned i = 0; i < n; i++)
		if (equal(s, names[i]))
			return i;
	no_choice(name, s, names, n);
}

#define CHOICE(envp, name, otherwise, ...)                                                         \
	choice(envp, name, (const char *const[]){ __VA_ARGS__ },                                   \
	       sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *), otherwise)

/* Real-time order, repairs, progress and replays are about all that happens in a class. */
static void equivalence(char **envp, struct config *c)
{
	enum { EACH, OBSERVERS, AUTO, SYMMETRY, BOTH };
	unsigned asked = CHOICE(envp, "LINCHPIN_EQUIVALENCE", EACH, "mazurkiewicz", "observers", "auto", "symmetry",
				"observers+symmetry");

	if (*c->blocks || *c->replay || c->progress || *c->part || c->search == LP_SEARCH_SEQUENTIAL ||
	    lp_search_stateful(c->search))
		return;
	c->symmetry = asked >= SYMMETRY;
	if (c->check)
		c->observers = asked == AUTO				 ? OBSERVERS_WHILE_FINE
			       : asked == OBSERVERS || asked == BOTH ? OBSERVERS_ALWAYS
								 : OBSERVERS_NOT;
}

/* All but the last, which LINCHPIN_REPLAY asks for. */
static enum lp_search search_choice(char **envp)
{
	static const char *const names[] = { LP_SEARCHES(LP_SEARCH_NAME) };
	unsigned standard = 0;

	while (!equal(names[standard], LP_SEARCH_STANDARD))
		standard++;
	return (enum lp_search)choice(envp, "LINCHPIN_SEARCH", names, LP_SEARCH_REPLAY, standard);
}

static void string(char **envp, const char *name, char *to, size_t size)
{
	const char *s = env_get(envp, name);
	size_t n = s ? length(s) : 0;

	if (n >= size)
		die("%s is longer than %u bytes", name, size - 1);
	copy(to, s, n);
	to[n] = '\0';
}

/* What looks at every class, or at what lies between two choices. */
static void check_stateful(const struct config *c)
{
	const char *needed = c->fork ? "LINCHPIN_ISOLATE=rollback" : *c->blocks ? "no blocks in force"
			     : c->progress ? "LINCHPIN_PROGRESS=none"
			     : c->leaks	   ? "LINCHPIN_LEAKS=0"
					   : NULL;

	if (lp_search_stateful(c->search) && needed)
		die("LINCHPIN_SEARCH=%s needs %s", lp_search_name(c->search), needed);
}

void config_read(char **envp)
{
	struct config *c = &rt->config;
	long n;

	string(envp, "LINCHPIN_DIR", c->dir, sizeof c->dir);
	string(envp, "LINCHPIN_OPS", c->ops, sizeof c->ops);
	string(envp, "LINCHPIN_REPLAY", c->replay, sizeof c->replay);
	string(envp, "LINCHPIN_STEERING", c->steering, sizeof c->steering);
	string(envp, "LINCHPIN_BLOCKS", c->blocks, sizeof c->blocks);
	string(envp, "LINCHPIN_PART", c->part, sizeof c->part);
	string(envp, "LINCHPIN_INSTRUMENT", c->instrument, sizeof c->instrument);
	string(envp, "LINCHPIN_SKIP", c->skip, sizeof c->skip);
	c->search = search_choice(envp);
	c->seed = number(envp, "LINCHPIN_SEED", 1);
	c->max_executions = number(envp, "LINCHPIN_MAX_EXECUTIONS", 0);
	c->max_steps = number(envp, "LINCHPIN_MAX_STEPS", 20000);
	c->stop_at = number(envp, "LINCHPIN_STOP_AT", 0);
	c->max_time = seconds(envp, "LINCHPIN_MAX_TIME", 60);
	rt->begin = seconds_now();
	c->check = (uint8_t)CHOICE(envp, "LINCHPIN_CHECK", 0, "lin", "outcome", "none");
	c->progress = (enum lp_progress)CHOICE(envp, "LINCHPIN_PROGRESS", 0, LP_PROGRESS_NAMES);
	c->enforce = (enum lp_enforce)CHOICE(envp, "LINCHPIN_ENFORCE", 0, LP_ENFORCE_NAMES);
	c->leaks = CHOICE(envp, "LINCHPIN_LEAKS", 0, "0", "1");
	c->coverage = CHOICE(envp, "LINCHPIN_COVERAGE", 0, "0", "1");
	c->audit = CHOICE(envp, "LINCHPIN_AUDIT", 0, "0", "1");
	c->spurious = CHOICE(envp, "LINCHPIN_SPURIOUS", 0, "0", "1");
	c->fork = CHOICE(envp, "LINCHPIN_ISOLATE", 0, "rollback", "fork");
	c->malloc = (uint8_t)CHOICE(envp, "LINCHPIN_MALLOC", MALLOC_REUSE, "reuse", "thread",
				    "quarantine");
	c->reused = number(envp, "LINCHPIN_REUSED", 0);
	c->tls = (uint8_t)CHOICE(envp, "LINCHPIN_TLS", TLS_AUTO, "auto", "fsgsbase", "prctl",
				 "shared", "threads");
	if (c->fork && c->tls == TLS_THREADS)
		die("LINCHPIN_TLS=threads: with LINCHPIN_ISOLATE=fork each execution is a process, which has one thread");
	c->bare = CHOICE(envp, "LINCHPIN_REPORT", 1, "0", "1");
	c->left = CHOICE(envp, "LINCHPIN_TEST_LEFT", 0, "0", "1");
	c->room = number(envp, "LINCHPIN_TEST_ROOM", 0);
	c->poison = CHOICE(envp, "LINCHPIN_TEST_POISON", 0, "0", "1");
	c->debugger = debugger_attached();
	c->quiet = CHOICE(envp, "LINCHPIN_QUIET", 0, "0", "1");
	if (c->max_steps < LP_STEPS_LEAST || c->max_steps > LP_STEPS_MOST)
		die("LINCHPIN_MAX_STEPS must be from %u to %u", (unsigned long)LP_STEPS_LEAST, (unsigned long)LP_STEPS_MOST);
	if (*c->replay)
		c->search = LP_SEARCH_REPLAY;
	c->keep = keep(envp, c);
	equivalence(envp, c);
	check_stateful(c);
	n = sys4(SYS_readlinkat, -100 /* AT_FDCWD */, "/proc/self/exe", c->program,
		 sizeof c->program - 1);
	if (n > 0)
		c->program[n] = '\0';
}
