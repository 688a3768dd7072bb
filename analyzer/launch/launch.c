/* SPDX-License-Identifier: MIT */
#include "launch/launch.h"
#include "format/search.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

const struct settings settings_default = {
	.search = LP_SEARCH_STANDARD,
	.check = "lin",
	.progress = "none",
	.equivalence = "mazurkiewicz",
	.isolate = "rollback",
	.malloc = "reuse",
	.enforce = "atomic",
	.keep = "all",
	.seed = 1,
	.max_steps = 20000,
	.max_time = 60,
};

char *installed_find(const char *const *suffixes, const char *name)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	char *slash;

	if (n < 0)
		return NULL;
	self[n] = '\0';
	slash = strrchr(self, '/');
	if (slash)
		*slash = '\0';
	for (; *suffixes; suffixes++) {
		char *path = xasprintf("%s%s/%s", self, *suffixes, name);
		char *real = realpath(path, NULL);

		free(path);
		if (real)
			return real;
	}
	return NULL;
}

char *runtime_find(struct error *e)
{
	static const char *const suffixes[] = { "", "/../lib", NULL };
	const char *given = getenv("LINCHPIN_RUNTIME");
	char *path;

	if (given && *given) {
		path = realpath(given, NULL);
		if (!path)
			error_set(e, "LINCHPIN_RUNTIME=%s: %s", given, strerror(errno));
	} else {
		path = installed_find(suffixes, "libsched.so");
		if (!path)
			error_set(e, "libsched.so is neither beside this command nor in ../lib; "
				     "set LINCHPIN_RUNTIME to its path");
	}
	if (path && strpbrk(path, " :")) {
		error_set(e, "%s: the loader cannot preload a path with a space or a colon in it",
			  path);
		free(path);
		return NULL;
	}
	return path;
}

static void set_number(const char *name, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof text, "%" PRIu64, value);
	setenv(name, text, 1);
}

bool settings_stateful(const struct settings *s)
{
	return lp_search_stateful(lp_search_named(s->search));
}

static void set_environment(const struct launch *l, const char *runtime)
{
	const struct settings *s = l->settings;
	const char *others = getenv("LD_PRELOAD");
	char *preload = others && *others ? xasprintf("%s:%s", runtime, others) : xstrdup(runtime);
	char seconds[64];

	snprintf(seconds, sizeof seconds, "%.3f", s->max_time);
	setenv("LD_PRELOAD", preload, 1);
	setenv("LINCHPIN_DIR", l->directory, 1);
	setenv("LINCHPIN_SEARCH", s->search, 1);
	setenv("LINCHPIN_CHECK", s->check, 1);
	setenv("LINCHPIN_PROGRESS", s->progress, 1);
	setenv("LINCHPIN_EQUIVALENCE", s->equivalence, 1);
	setenv("LINCHPIN_ISOLATE", s->isolate, 1);
	setenv("LINCHPIN_MALLOC", s->malloc, 1);
	setenv("LINCHPIN_LEAKS", s->leaks ? "1" : "0", 1);
	setenv("LINCHPIN_COVERAGE", s->coverage ? "1" : "0", 1);
	setenv("LINCHPIN_AUDIT", s->audit ? "1" : "0", 1);
	setenv("LINCHPIN_SPURIOUS", s->spurious ? "1" : "0", 1);
	if (s->instrument)
		setenv("LINCHPIN_INSTRUMENT", s->instrument, 1);
	if (s->skip)
		setenv("LINCHPIN_SKIP", s->skip, 1);
	setenv("LINCHPIN_MAX_TIME", seconds, 1);
	set_number("LINCHPIN_SEED", s->seed);
	set_number("LINCHPIN_MAX_EXECUTIONS", s->max_executions);
	set_number("LINCHPIN_MAX_STEPS", s->max_steps);
	set_number("LINCHPIN_STOP_AT", s->stop_at);
	setenv("LINCHPIN_KEEP", s->keep, 1);
	setenv("LINCHPIN_REPORT", "0", 1);
	setenv("LINCHPIN_QUIET", l->quiet ? "1" : "0", 1);
	if (l->part)
		setenv("LINCHPIN_PART", l->part, 1);
	else
		unsetenv("LINCHPIN_PART");
	if (l->steering && access(l->steering, R_OK) == 0)
		setenv("LINCHPIN_STEERING", l->steering, 1);
	else
		unsetenv("LINCHPIN_STEERING");
	set_number("LINCHPIN_REUSED", l->reused);
	if (l->replay)
		setenv("LINCHPIN_REPLAY", l->replay, 1);
	else
		unsetenv("LINCHPIN_REPLAY");
	if (l->ops && access(l->ops, R_OK) == 0)
		setenv("LINCHPIN_OPS", l->ops, 1);
	else
		unsetenv("LINCHPIN_OPS");
	if (l->blocks && access(l->blocks, R_OK) == 0)
		setenv("LINCHPIN_BLOCKS", l->blocks, 1);
	else
		unsetenv("LINCHPIN_BLOCKS");
	setenv("LINCHPIN_ENFORCE", s->enforce, 1);
	/* Threads of OpenMP that spin while they wait would make a step of each round; the runtime does
	 * the same in a bare run (runtime/start.c). */
	if (!getenv("OMP_WAIT_POLICY") && !getenv("GOMP_SPINCOUNT"))
		setenv("OMP_WAIT_POLICY", "passive", 1);
	free(preload);
}

static int redirect(int fd, const char *path, int flags)
{
	int opened = open(path, flags);

	if (opened < 0 || dup2(opened, fd) < 0)
		return -1;
	if (opened > STDERR_FILENO)
		close(opened);
	return 0;
}

/* Becomes the debugger, which must not be explored itself; or returns with errno and what failed. */
static const char *execute_debugger(const struct launch *l, const char *runtime)
{
	set_environment(l, runtime);
	setenv("LINCHPIN_PRELOAD", getenv("LD_PRELOAD"), 1);
	unsetenv("LD_PRELOAD");
	execvp(l->debugger[0], l->debugger);
	return l->debugger[0];
}

/* In the child: becomes the program, or returns with errno and what failed. */
static const char *execute_program(const struct launch *l, const char *runtime, pid_t parent)
{
	int flags;

	/* If this command is killed, the exploration must end, too. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		raise(SIGTERM);
	flags = personality(0xffffffff);
	if (flags >= 0)
		personality((unsigned long)flags | ADDR_NO_RANDOMIZE);
	if (l->debugger)
		return execute_debugger(l, runtime);
	if (l->cwd && chdir(l->cwd) < 0)
		return l->cwd;
	if (l->no_output && (redirect(STDIN_FILENO, "/dev/null", O_RDONLY) < 0 ||
			     redirect(STDOUT_FILENO, "/dev/null", O_WRONLY) < 0))
		return "/dev/null";
	if (l->input && redirect(STDIN_FILENO, l->input, O_RDONLY) < 0)
		return l->input;
	if (l->stdout_to_stderr && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return "standard output";
	set_environment(l, runtime);
	execv(l->program, l->argv);
	return l->program;
}

static void child(const struct launch *l, const char *runtime, pid_t parent, int report,
		  const sigset_t *mask)
{
	char message[512];
	const char *what;
	int n;

	sigprocmask(SIG_SETMASK, mask, NULL);
	what = execute_program(l, runtime, parent);
	n = snprintf(message, sizeof message, "%s: %s", what, strerror(errno));
	if (n > 0 &&
	    write(report, message, (size_t)n < sizeof message ? (size_t)n : sizeof message) < 0)
		_exit(126);
	_exit(127);
}

/* Reads what the child could not do; an empty message means that it became the program. */
static void read_failure(int fd, char *message, size_t size)
{
	ssize_t n;

	do
		n = read(fd, message, size - 1);
	while (n < 0 && errno == EINTR);
	message[n > 0 ? n : 0] = '\0';
}

/* Ctrl-C is for the debugger. */
static int wait_for_debugger(pid_t pid, int *status, struct error *e)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	pid_t ended;

	sigaction(SIGINT, &ignore, &before);
	do
		ended = waitpid(pid, status, 0);
	while (ended < 0 && errno == EINTR);
	sigaction(SIGINT, &before, NULL);
	return ended < 0 ? error_set(e, "waiting for the debugger: %s", strerror(errno)) : 0;
}

static int start_and_wait(const struct launch *l, const char *runtime, const sigset_t *mask,
			  int *status, struct error *e)
{
	const struct progress progress = {
		.directory = l->directory,
		.what = l->what,
		.show = l->progress,
		.search = l->search,
		.judged = l->judged,
		.stop_at = l->settings->stop_at,
	};
	char message[600];
	pid_t parent = getpid(), pid;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_set(e, "pipe: %s", strerror(errno));
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		child(l, runtime, parent, ends[1], mask);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return error_set(e, "fork: %s", strerror(errno));
	}
	read_failure(ends[0], message, sizeof message);
	close(ends[0]);
	if (!*message && l->debugger)
		return wait_for_debugger(pid, status, e);
	if (!*message)
		return progress_wait(pid, &progress, status, e);
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	return error_set(e, "%s", message);
}

int launch_run(const struct launch *l, int *status, struct error *e)
{
	char *runtime = runtime_find(e);
	sigset_t blocked, mask;
	int result;

	if (!runtime)
		return -1;
	/* If the parent process ignores SIGCHLD, this process inherits that, and the signal would
	 * never arrive. */
	signal(SIGCHLD, SIG_DFL);
	progress_signals(&blocked);
	sigprocmask(SIG_BLOCK, &blocked, &mask);
	result = start_and_wait(l, runtime, &mask, status, e);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	free(runtime);
	return result;
}

/* Sets what one `key value` line says. */
static int set_setting(struct settings *s, const char *key, const char *value, struct error *e)
{
	const struct {
		const char *key;
		const char **word;
		uint64_t *number;
	} rows[] = {
		{ "search", &s->search, NULL },
		{ "check", &s->check, NULL },
		{ "progress", &s->progress, NULL },
		{ "isolate", &s->isolate, NULL },
		{ "malloc", &s->malloc, NULL },
		{ "enforce", &s->enforce, NULL },
		{ "instrument", &s->instrument, NULL },
		{ "skip", &s->skip, NULL },
		{ "seed", NULL, &s->seed },
		{ "max-executions", NULL, &s->max_executions },
		{ "max-steps", NULL, &s->max_steps },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (strcmp(key, rows[i].key) != 0)
			continue;
		if (rows[i].number)
			return parse_number(value, key, rows[i].number, e);
		*rows[i].word = value;
	}
	if (!strcmp(key, "spurious"))
		s->spurious = !strcmp(value, "yes");
	if (!strcmp(key, "max-time-ms"))
		s->max_time = strtod(value, NULL) / 1000;
	return 0;
}

int settings_read(const char *directory, struct settings *s, char **text, struct error *e)
{
	char *path = xasprintf("%s/run", directory);
	char *next;
	size_t size;

	*s = settings_default;
	s->instrument = s->skip = "";
	*text = read_file(path, &size, e);
	free(path);
	if (!*text)
		return -1;
	for (char *line = *text; line && *line; line = next) {
		char *space;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		space = strchr(line, ' ');
		if (!space)
			continue;
		*space = '\0';
		if (set_setting(s, line, space + 1, e) < 0)
			return -1;
	}
	return 0;
}
