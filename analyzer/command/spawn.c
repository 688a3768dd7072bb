/* SPDX-License-Identifier: MIT */
#include "command/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void redirect(const char *input, enum spawn_output output)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int given = input ? open(input, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;

	if (null < 0 || given < 0 || (input && dup2(given, STDIN_FILENO) < 0))
		_exit(127);
	if (output == SPAWN_ERRORS)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	else if (output != SPAWN_ALL)
		dup2(null, STDOUT_FILENO);
	if (output == SPAWN_SILENT)
		dup2(null, STDERR_FILENO);
}

pid_t spawn_start(const char *file, char *const *argv, const char *directory, const char *input,
		  enum spawn_output output)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child)
		return child;
	/* before it is somewhere else */
	redirect(input, output);
	if (directory && chdir(directory) < 0)
		_exit(127);
	execvp(file, argv);
	_exit(127);
}

pid_t spawn_logged(const char *file, char *const *argv, const char *log)
{
	const pid_t parent = getpid();
	pid_t child;
	int fd;

	fflush(stdout);
	child = fork();
	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(127);
	fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	redirect("/dev/null", SPAWN_MESSAGES);
	if (fd >= 0)
		dup2(fd, STDERR_FILENO);
	execvp(file, argv);
	_exit(127);
}

static int wait_for(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return spawn_status(status);
}

char *spawn_text(const char *file, char *const *argv)
{
	int ends[2], status;
	char *text = NULL;
	size_t size;
	ssize_t n;
	char bytes[4096];
	FILE *to;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return NULL;
	fflush(stdout);
	child = fork();
	if (!child) {
		redirect(NULL, SPAWN_SILENT);
		dup2(ends[1], STDOUT_FILENO);
		execvp(file, argv);
		_exit(127);
	}
	close(ends[1]);
	to = open_memstream(&text, &size);
	while (to && child > 0 && ((n = read(ends[0], bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR)))
		if (n > 0)
			fwrite(bytes, 1, (size_t)n, to);
	close(ends[0]);
	if (to)
		fclose(to);
	status = child > 0 ? wait_for(child) : -1;
	if (status != 0) {
		free(text);
		return NULL;
	}
	if (text && *text && text[strlen(text) - 1] == '\n')
		text[strlen(text) - 1] = '\0';
	return text;
}

int spawn_status(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int spawn_run(const char *file, char *const *argv, const char *directory, const char *input,
	      enum spawn_output output)
{
	pid_t child = spawn_start(file, argv, directory, input, output);

	return child < 0 ? -1 : wait_for(child);
}
