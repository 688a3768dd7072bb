/* SPDX-License-Identifier: MIT */
#include "follow.h"
#include "base.h"
#include "config.h"
#include "../format/starters.h"
#include "memory.h"

#include <sys/syscall.h>
#include <unistd.h>

#define NAME "LINCHPIN_FOLLOW"

static const char *const shells[] = { LP_SHELLS, "linchpin" };
static const char *const wrappers[] = { LP_WRAPPERS };
static char variable[64]; /* of what this process starts */

static bool is_one_of(const char *name, const char *const *list, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (equal(name, list[i]))
			return true;
	return false;
}

static bool is_shell(const char *name)
{
	return is_one_of(name, shells, sizeof shells / sizeof *shells);
}

/* Where the system has its programs. */
static bool of_system(const char *path)
{
	static const char *const places[] = { "/usr/bin/", "/usr/sbin/", "/usr/lib", "/bin/", "/sbin/" };

	for (unsigned i = 0; i < sizeof places / sizeof *places; i++)
		if (same(path, places[i], length(places[i])))
			return true;
	return false;
}

static void set_variable(const char *name)
{
	size_t n = length(name), head = sizeof NAME;

	copy(variable, NAME "=", head);
	if (n > sizeof variable - head - 1)
		n = sizeof variable - head - 1;
	copy(variable + head, name, n);
}

bool follow_needed(char **envp)
{
	static char path[4096];
	const char *name = path, *starter = env_get(envp, NAME);
	long n = sys3(SYS_readlink, "/proc/self/exe", path, sizeof path - 1);

	path[n > 0 ? n : 0] = '\0';
	for (const char *p = path; *p; p++)
		if (*p == '/')
			name = p + 1;
	if (is_shell(name) || is_one_of(name, wrappers, sizeof wrappers / sizeof *wrappers)) {
		set_variable(name);
		return true;
	}
	if (!starter || !of_system(path))
		return false;
	set_variable(starter);
	if (!is_shell(starter))
		say("%s, which %s has started, is not explored: it is a program of the system",
			path, starter);
	return true;
}

void follow_announce(void)
{
	size_t n = 0, kept = 0;
	char **list;

	while (environ[n])
		n++;
	list = memory_get((n + 2) * sizeof *list);
	for (size_t i = 0; i < n; i++)
		if (!same(environ[i], NAME "=", sizeof NAME))
			list[kept++] = environ[i];
	list[kept] = variable;
	environ = list;
}
