/* SPDX-License-Identifier: MIT */
#include "judge/ahead.h"
#include "base/budget.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHUNK	  128u	 /* classes that a process takes at a time */
#define LEAST	  10000u /* classes for which processes are worth while */
#define MOST	  64u	 /* processes */
#define PERIOD_NS 200000L

/* What all processes see. */
struct board {
	atomic_uint next; /* the first chunk that nobody has taken */
	atomic_bool done[]; /* by chunk */
};

struct ahead {
	struct run *run;
	struct judge *judge;
	struct board *board;
	unsigned char *right; /* by class */
	size_t size;
	uint64_t first;
	uint32_t chunks, n, mine; /* mine: the chunk that this process judges itself */
	pid_t processes[MOST];
};

static bool is_right(struct ahead *a, const struct trace *t)
{
	struct lin_class_result r = { .verdict = LIN_OK };
	struct error e;

	return !t->nops || (lin_class_check(a->judge->classes, t, &r, &e) == 0 && r.verdict == LIN_OK);
}

/* False: the trace cannot be read. */
static bool judge_chunk(struct ahead *a, uint32_t chunk, struct trace *t)
{
	uint64_t i = (uint64_t)chunk * CHUNK, end = i + CHUNK;
	struct error e;

	for (int more = run_load(a->run, a->first + i, t, &e); i < end; more = ++i < end ? run_next(a->run, t, &e) : 0) {
		if (more < 0)
			return false;
		if (!more)
			break;
		a->right[i] = is_right(a, t);
	}
	atomic_store(&a->board->done[chunk], true);
	return true;
}

static void work(struct ahead *a)
{
	struct trace t = { 0 };
	uint32_t chunk;

	while ((chunk = atomic_fetch_add(&a->board->next, 1)) < a->chunks && judge_chunk(a, chunk, &t))
		;
}

static void start(struct ahead *a)
{
	pid_t parent = getpid(), pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() == parent)
			work(a);
		_exit(0);
	}
	if (pid > 0)
		a->processes[a->n++] = pid;
}

struct ahead *ahead_begin(struct run *run, struct judge *judge, uint64_t first, uint64_t processes)
{
	uint64_t classes = run->status.classes < first ? 0 : run->status.classes - first + 1;
	struct ahead *a;

	if (!processes || classes < LEAST || classes > UINT32_MAX)
		return NULL;
	a = xcalloc(1, sizeof *a);
	*a = (struct ahead){ .run = run, .judge = judge, .first = first, .mine = NONE };
	a->chunks = (uint32_t)((classes + CHUNK - 1) / CHUNK);
	a->size = sizeof *a->board + a->chunks + (size_t)a->chunks * CHUNK;
	a->board = mmap(NULL, a->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (a->board == MAP_FAILED) {
		free(a);
		return NULL;
	}
	a->right = (unsigned char *)a->board->done + a->chunks;
	while (a->n < MOST && processes--)
		start(a);
	return a;
}

/* False: who has the chunk was killed, or there is no time to wait. */
static bool wait_for(struct ahead *a, uint32_t chunk)
{
	static const struct timespec period = { .tv_nsec = PERIOD_NS };

	while (!atomic_load(&a->board->done[chunk])) {
		for (uint32_t i = 0; i < a->n; i++)
			if (waitpid(a->processes[i], NULL, WNOHANG) != 0)
				a->processes[i--] = a->processes[--a->n];
		if (!a->n || budget_phase_over())
			return atomic_load(&a->board->done[chunk]);
		nanosleep(&period, NULL);
	}
	return true;
}

bool ahead_is_right(struct ahead *a, uint64_t class)
{
	uint64_t i = class - a->first;
	uint32_t chunk = (uint32_t)(i / CHUNK);

	if (class < a->first || i / CHUNK >= a->chunks || chunk == a->mine)
		return false;
	if (wait_for(a, chunk))
		return a->right[i];
	a->mine = chunk;
	return false;
}

void ahead_end(struct ahead *a)
{
	if (!a)
		return;
	for (uint32_t i = 0; i < a->n; i++)
		kill(a->processes[i], SIGKILL);
	for (uint32_t i = 0; i < a->n; i++)
		waitpid(a->processes[i], NULL, 0);
	munmap(a->board, a->size);
	free(a);
}
