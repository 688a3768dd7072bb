/* SPDX-License-Identifier: MIT
 *
 * The configuration, from the environment (format/run_dir.h lists the variables).
 */
#include "fiber.h"

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
	uint64_t v = 0;

	if (!s)
		return otherwise;
	for (; *p >= '0' && *p <= '9' && v < UINT64_MAX / 10 - 10; p++)
		v = v * 10 + (uint64_t)(*p - '0');
	if (*p || p == s)
		die("%s=%s: a whole number is expected", name, s);
	return v;
}

static double seconds(char **envp, const char *name, double otherwise)
{
	const char *s = env_get(envp, name), *p = s;
	double v = 0, place = 1;

	if (!s)
		return otherwise;
	for (; *p >= '0' && *p <= '9'; p++)
		v = v * 10 + (*p - '0');
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9'; p++)
			v += (*p - '0') * (place /= 10);
	if (*p || p == s)
		die("%s=%s: a number of seconds is expected", name, s);
	return v;
}

/* Which of the names is the variable's value? */
static unsigned choice(char **envp, const char *name, const char *const *names, unsigned otherwise)
{
	const char *s = env_get(envp, name);

	if (!s)
		return otherwise;
	for (unsigned i = 0; names[i]; i++)
		if (equal(s, names[i]))
			return i;
	die("%s=%s: it must be %s, %s%s%s%s%s", name, s, names[0], names[1], names[2] ? ", " : "",
	    names[2] ? names[2] : "", names[2] && names[3] ? ", " : "",
	    names[2] && names[3] ? names[3] : "");
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

void config_read(char **envp)
{
	static const char *const searches[] = { "dpor", "dfs", "random", "sequential", NULL };
	static const char *const checks[] = { "lin", "outcome", "none", NULL };
	static const char *const isolations[] = { "rollback", "fork", NULL };
	static const char *const mallocs[] = { "reuse", "quarantine", NULL };
	static const char *const tls[] = { "auto", "fsgsbase", "prctl", "shared", NULL };
	static const char *const switches[] = { "0", "1", NULL };
	static const struct strategy *const strategies[] = { &strategy_dpor, &strategy_dfs,
							     &strategy_random,
							     &strategy_sequential };
	struct config *c = &rt->config;
	long n;

	string(envp, "LINCHPIN_DIR", c->dir, sizeof c->dir);
	string(envp, "LINCHPIN_OPS", c->ops, sizeof c->ops);
	string(envp, "LINCHPIN_REPLAY", c->replay, sizeof c->replay);
	string(envp, "LINCHPIN_INSTRUMENT", c->instrument, sizeof c->instrument);
	string(envp, "LINCHPIN_SKIP", c->skip, sizeof c->skip);
	c->strategy = strategies[choice(envp, "LINCHPIN_SEARCH", searches, 0)];
	c->seed = number(envp, "LINCHPIN_SEED", 1);
	c->max_executions = number(envp, "LINCHPIN_MAX_EXECUTIONS", 0);
	c->max_steps = number(envp, "LINCHPIN_MAX_STEPS", 20000);
	c->max_time = seconds(envp, "LINCHPIN_MAX_TIME", 60);
	c->check = (uint8_t)choice(envp, "LINCHPIN_CHECK", checks, 0);
	c->fork = choice(envp, "LINCHPIN_ISOLATE", isolations, 0);
	c->quarantine = choice(envp, "LINCHPIN_MALLOC", mallocs, 0);
	c->tls = (uint8_t)choice(envp, "LINCHPIN_TLS", tls, TLS_AUTO);
	c->bare = choice(envp, "LINCHPIN_REPORT", switches, 1);
	c->quiet = choice(envp, "LINCHPIN_QUIET", switches, 0);
	if (c->max_steps < 10 || c->max_steps > 10000000)
		die("LINCHPIN_MAX_STEPS must be between 10 and 10000000");
	if (*c->replay)
		c->strategy = &strategy_replay;
	n = sys4(SYS_readlinkat, -100 /* AT_FDCWD */, "/proc/self/exe", c->program,
		 sizeof c->program - 1);
	if (n > 0)
		c->program[n] = '\0';
}
