/* SPDX-License-Identifier: MIT
 *
 * Other processes: they run for real, and a pipe leads to them.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static int ends[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n;
static sem_t posted;

static void *work(void *unused)
{
	pthread_mutex_lock(&lock);
	n++;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void ended(pid_t id, int with)
{
	int status;

	assert(waitpid(id, &status, 0) == id && WIFEXITED(status) && WEXITSTATUS(status) == with);
}

static void answered(pid_t id)
{
	char text[8] = "";

	close(ends[1]);
	assert(read(ends[0], text, sizeof text) == 3 && !strcmp(text, "hi\n"));
	ended(id, 0);
}

#define SAYS(start)                                                                                \
	pid_t id = start();                                                                        \
	if (!id) {                                                                                 \
		dup2(ends[1], 1);                                                                  \
		execl("/bin/echo", "echo", "hi", (char *)0);                                       \
		_exit(127);                                                                        \
	}                                                                                          \
	answered(id)

static void forks(void) { SAYS(fork); }
static void vforks(void) { SAYS(vfork); }
static void child_returns(void)
{
	pid_t id = fork();

	if (!id) {
		n = 100;
		exit(write(ends[1], "hi\n", 3) != 3);
	}
	answered(id);
}
/* Its end is that of a process: what was registered runs, and output is written. */
static void says_hi(void)
{
	fputs("hi\n", stdout);
}
static void ends_as_process(void (*how)(int))
{
	pid_t id = fork();

	if (!id) {
		dup2(ends[1], 1);
		atexit(says_hi);
		how(0);
	}
	answered(id);
}
static void exits_thread(int unused)
{
	(void)unused;
	pthread_exit(NULL);
}
static void child_exits(void) { ends_as_process(exit); }
static void child_ends_thread(void) { ends_as_process(exits_thread); }
/* What comes to it goes to its handler, or ends it, as if nothing were explored. */
static void handler(int sig)
{
	_exit(sig == SIGUSR1 ? 9 : 10);
}
static void child_takes_signals(void)
{
	pid_t id;
	int status;

	signal(SIGUSR1, handler);
	id = fork();
	if (!id) {
		pause();
		_exit(11);
	}
	kill(id, SIGUSR1);
	ended(id, 9);
	id = fork();
	if (!id)
		abort();
	assert(waitpid(id, &status, 0) == id && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}
/* How its thread was scheduled. */
static void child_has_schedule(void)
{
	struct sched_param p = { 0 };
	pid_t id;

	assert(!sched_setscheduler(0, SCHED_BATCH, &p));
	id = fork();
	if (!id)
		_exit(sched_getscheduler(0) == SCHED_BATCH ? 15 : 1);
	ended(id, 15);
}
static volatile sig_atomic_t came;
static void takes(int sig) { came = sig; }
/* To all of the group is to this process, and to those that it has made. */
static void group_takes_signals(void)
{
	pid_t id;
	int status;

	signal(SIGUSR1, takes);
	assert(!killpg(getpgrp(), SIGUSR1) && came == SIGUSR1);
	came = 0;
	assert(!kill(0, SIGUSR1) && came == SIGUSR1);
	came = 0;
	assert(!kill(-getpgrp(), SIGUSR1) && came == SIGUSR1);
	signal(SIGUSR2, SIG_DFL);
	id = fork();
	if (!id) {
		pause();
		_exit(1);
	}
	signal(SIGUSR2, SIG_IGN);
	assert(!killpg(0, SIGUSR2));
	assert(waitpid(id, &status, 0) == id && WIFSIGNALED(status) && WTERMSIG(status) == SIGUSR2);
}
/* The child goes on with what the handler has interrupted. */
static pid_t made;
static int mine;
static int is_child(void)
{
	return came && !made;
}
static void makes(int sig)
{
	made = fork();
	came = sig;
}
static void *sends(void *to)
{
	pthread_kill(*(pthread_t *)to, SIGUSR2);
	return NULL;
}
static void handler_forks(void)
{
	pthread_t t, own = pthread_self();

	signal(SIGUSR2, makes);
	pthread_create(&t, NULL, sends, &own);
	mine += 10;
	if (is_child())
		_exit(mine == 10 ? 16 : 1);
	sem_post(&posted);
	if (is_child())
		_exit(!sem_trywait(&posted) ? 16 : 2);
	pthread_join(t, NULL);
	if (is_child())
		_exit(16);
	ended(made, 16);
}
/* Until the parent was asleep five times in a row: on a busy machine it may take long to come to its wait. */
static void parent_waits(void)
{
	char path[40], text[512];
	const char *state;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)getppid());
	for (int i = 0, asleep = 0; i < 1000 && asleep < 5; i++) {
		usleep(10000);
		f = fopen(path, "r");
		state = f && fgets(text, sizeof text, f) ? strrchr(text, ')') : NULL;
		asleep = state && state[2] == 'S' ? asleep + 1 : 0;
		if (f)
			fclose(f);
	}
}
/* A child sends what ends a wait, once the parent has begun it, and while it sleeps. */
static void child_sends_signals(void)
{
	pid_t id;

	signal(SIGUSR1, takes);
	signal(SIGABRT, takes);
	id = fork();
	if (!id) {
		parent_waits();
		kill(getppid(), SIGUSR1);
		_exit(13);
	}
	pause();
	assert(came == SIGUSR1);
	ended(id, 13);
	id = fork();
	if (!id) {
		parent_waits();
		kill(getppid(), SIGABRT);
		_exit(14);
	}
	assert(sleep(2) > 0 && came == SIGABRT);
	ended(id, 14);
}
/* What a process has sent before it ended has come when the wait for it is over. */
static volatile sig_atomic_t counted;
static void counts(int sig)
{
	(void)sig;
	counted++;
}
static void child_sends_and_ends(void)
{
	static char *const words[] = { "sh", "-c", "kill -USR1 $PPID", NULL };
	siginfo_t info;
	pid_t id;
	int n = 0;
	FILE *f;

	signal(SIGUSR1, counts);
	for (; n < 5; n++) {
		id = fork();
		if (!id) {
			kill(getppid(), SIGUSR1);
			_exit(0);
		}
		switch (n) {
		case 0: wait(NULL); break;
		case 1: waitpid(id, NULL, 0); break;
		case 2: waitid(P_PID, (id_t)id, &info, WEXITED); break;
		case 3: wait3(NULL, 0, NULL); break;
		default: wait4(id, NULL, 0, NULL);
		}
		assert(counted == n + 1);
	}
	assert(!system(words[2]) && counted == ++n);
	f = popen(words[2], "r");
	assert(!pclose(f) && counted == ++n);
	assert(!posix_spawn(&id, "/bin/sh", NULL, NULL, words, environ));
	ended(id, 0);
	assert(counted == ++n);
}
/* One of two is not waited for: it is none of the next execution's. */
static void leaves_child(void)
{
	pid_t one = fork(), other, id;

	if (!one)
		_exit(21);
	other = fork();
	if (!other)
		_exit(22);
	id = wait(NULL);
	assert(id == one || id == other);
}
static int order;
static void prepares(void) { order = order * 10 + 1; }
static void prepares_first(void) { order = order * 10 + 2; }
static void in_parent(void) { order = order * 10 + 3; }
static void in_child(void) { order = order * 10 + 4; }
static void child_at_fork(void)
{
	pid_t id;

	pthread_atfork(prepares, in_parent, in_child);
	pthread_atfork(prepares_first, in_parent, NULL);
	id = fork();
	if (!id) {
		if (order == 214)
			write(ends[1], "hi\n", 3);
		exit(0);
	}
	answered(id);
	assert(order == 2133);
}
/* It has used time of the processor once it was waited for, not before. */
static void child_computes(void)
{
	struct rusage used;
	struct tms t;
	pid_t id = fork();

	if (!id) {
		do
			times(&t);
		while (t.tms_utime + t.tms_stime <= 0);
		_exit(17);
	}
	times(&t);
	assert(!t.tms_cutime && !t.tms_cstime);
	ended(id, 17);
	times(&t);
	assert(t.tms_cutime + t.tms_cstime > 0);
	getrusage(RUSAGE_CHILDREN, &used);
	assert(used.ru_utime.tv_usec + used.ru_stime.tv_usec > 0);
}
/* Longer than a search may take. */
static void sleeps_long(void)
{
	pid_t id = fork();

	if (!id) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(1);
	}
	for (int i = 0; i < 300; i++)
		sleep(1);
	kill(id, SIGKILL);
}
/* The time is all spent in the call. */
static void vforks_for_ever(void)
{
	signal(SIGCHLD, SIG_IGN);
	for (;;)
		if (!vfork()) {
			usleep(900000);
			_exit(0);
		}
}
static void spawns(void)
{
	char *words[] = { "false", NULL };
	pid_t id;

	assert(!posix_spawn(&id, "/bin/false", NULL, NULL, words, environ));
	ended(id, 1);
}
static void runs(void) { assert(WEXITSTATUS(system("exit 3")) == 3); }
static void reads(void)
{
	FILE *f = popen("echo hi", "r");
	char line[10];

	assert(f && fgets(line, sizeof line, f) && !strcmp(line, "hi\n") && !pclose(f));
}

int main(void)
{
	pthread_t t;

	assert(!pipe(ends));
	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	HOW();
	pthread_join(t, NULL);
	assert(n == 2);
	return 0;
}
