/* SPDX-License-Identifier: MIT */
#include "run/files.h"
#include "format/run_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What says that all others are whole comes first. */
static const char *const names[] = { "left",	 "run",	     "modules", "trace",	"status",
				     "states",	 "steering", "ops",	"uninstrumented",
				     "blocks",	 "coverage", "frontier", "keys",
				     "left.new", "part",     "frontier.new", "modules.new", "file.new" };

#define SELF            "self"
#define NNAMES          (sizeof names / sizeof *names)
#define MAX_DIRECTORIES 100000

int run_files_write(const char *directory, const char *name, const char *text, size_t size,
		    struct error *e)
{
	char *fresh = xasprintf("%s/file.new", directory), *path = xasprintf("%s/%s", directory, name);
	FILE *to = fopen(fresh, "w");
	bool good = to != NULL;

	if (to) {
		good = fwrite(text, 1, size, to) == size && fflush(to) == 0 && fsync(fileno(to)) == 0;
		good = fclose(to) == 0 && good;
	}
	good = good && rename(fresh, path) == 0;
	if (!good)
		error_set(e, "%s: %s", path, strerror(errno));
	free(fresh);
	free(path);
	return good ? 0 : -1;
}

char *run_files_temporary(const char *what, struct error *e)
{
	const char *base = getenv("TMPDIR");
	char *path = xasprintf("%s/linchpin-%s-XXXXXX", base && *base == '/' ? base : "/tmp", what);

	if (mkdtemp(path))
		return path;
	error_set(e, "%s: %s", path, strerror(errno));
	free(path);
	return NULL;
}

int run_files_copy(const char *from, const char *to, const char *name, struct error *e)
{
	char *path = run_files_path(from, name), *text;
	size_t size;
	int result;

	if (!path)
		return 0;
	text = read_file(path, &size, e);
	result = text ? run_files_write(to, name, text, size, e) : -1;
	free(text);
	free(path);
	return result;
}

/* Parts of a process that was killed give the lock back a little later. */
int run_files_lock(const char *directory, struct error *e)
{
	static const struct timespec period = { .tv_nsec = 10000000 };
	int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return error_set(e, "%s: %s", directory, strerror(errno));
	for (unsigned n = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; n++) {
		if (errno != EWOULDBLOCK)
			break; /* this file system has no locks */
		if (n == 100) {
			close(fd);
			return error_set(e, "%s is being explored", directory);
		}
		nanosleep(&period, NULL);
	}
	return fd;
}

/* Sequential executions are a run of their own, one level down. */
static void remove_self(const char *directory)
{
	char *path;

	for (size_t i = 0; i < NNAMES; i++) {
		path = xasprintf("%s/" SELF "/%s", directory, names[i]);
		unlink(path);
		free(path);
	}
	path = xasprintf("%s/" SELF, directory);
	rmdir(path);
	free(path);
}

void run_files_remove_parts(const char *directory)
{
	char *parts = xasprintf("%s/" LP_PARTS, directory);
	DIR *d = opendir(parts);
	const struct dirent *entry;

	while (d && (entry = readdir(d)) != NULL) {
		char *path = xasprintf("%s/%s", parts, entry->d_name);

		if (entry->d_name[0] != '.') {
			run_files_remove(path);
			rmdir(path);
		}
		free(path);
	}
	if (d)
		closedir(d);
	rmdir(parts);
	free(parts);
}

void run_files_remove(const char *directory)
{
	for (size_t i = 0; i < NNAMES; i++) {
		char *path = xasprintf("%s/%s", directory, names[i]);

		unlink(path);
		free(path);
	}
	remove_self(directory);
	run_files_remove_parts(directory);
}

static bool is_ours(const char *name)
{
	for (size_t i = 0; i < NNAMES; i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return !strcmp(name, ".") || !strcmp(name, "..") || !strcmp(name, SELF) ||
	       !strcmp(name, LP_PARTS);
}

/* May this directory be used: is it empty, or does it hold an earlier run? */
static int check_contents(const char *path, struct error *e)
{
	DIR *directory = opendir(path);
	const struct dirent *entry;
	int result = 0;

	if (!directory)
		return error_set(e, "%s: %s", path, strerror(errno));
	while (result == 0 && (entry = readdir(directory)) != NULL) {
		if (!is_ours(entry->d_name))
			result = error_set(
				e,
				"%s holds other files (%s), so it is not used as a run directory",
				path, entry->d_name);
	}
	closedir(directory);
	return result;
}

static char *make_new(struct error *e)
{
	for (unsigned n = 1; n < MAX_DIRECTORIES; n++) {
		char name[32];

		snprintf(name, sizeof name, "linchpin.%u", n);
		if (mkdir(name, 0777) == 0)
			return realpath(name, NULL);
		if (errno != EEXIST) {
			error_set(e, "cannot make a run directory here: %s; give one with -o DIR",
				  strerror(errno));
			return NULL;
		}
	}
	error_set(e,
		  "there are too many run directories here; remove some, or give one with -o DIR");
	return NULL;
}

char *run_files_prepare(const char *given, struct error *e)
{
	char *path;
	int lock;

	if (!given)
		return make_new(e);
	if (mkdir(given, 0777) < 0 && errno != EEXIST) {
		error_set(e, "%s: %s", given, strerror(errno));
		return NULL;
	}
	if (check_contents(given, e) < 0 || (lock = run_files_lock(given, e)) < 0)
		return NULL;
	run_files_remove(given);
	close(lock);
	path = realpath(given, NULL);
	if (!path)
		error_set(e, "%s: %s", given, strerror(errno));
	return path;
}

char *run_files_path(const char *directory, const char *name)
{
	char *path = xasprintf("%s/%s", directory, name);
	char *absolute = realpath(path, NULL);

	free(path);
	return absolute;
}
