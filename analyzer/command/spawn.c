/* SPDX-License-Identifier: MIT */
#include "command/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
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

int spawn_status(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int spawn_run(const char *file, char *const *argv, const char *directory, const char *input,
	      enum spawn_output output)
{
	pid_t child = spawn_start(file, argv, directory, input, output);
	int status;

	if (child < 0)
		return -1;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return spawn_status(status);
}
