/* SPDX-License-Identifier: MIT
 *
 * Locks of files and of streams, and named semaphores.
 */
#define _GNU_SOURCE
#include "target_calls.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>

static int descriptors[MOST_THREADS];

QUIET void files_start(const struct program *p, const char *file)
{
	for (unsigned t = 0; t < p->nthreads && program_has(p, OP_FLOCK, OP_FLOCK_UNLOCK); t++)
		if ((descriptors[t] = open(file, O_RDONLY)) < 0)
			abort();
}

QUIET int call_flock(const struct op *o, unsigned thread)
{
	int how = o->what == OP_FLOCK_UNLOCK ? LOCK_UN : o->value ? LOCK_EX : LOCK_SH;

	return flock(descriptors[thread], o->what == OP_FLOCK_TRY ? how | LOCK_NB : how) != 0;
}

QUIET int call_stream(const struct op *o)
{
	switch (o->what) {
	case OP_STREAM_LOCK:
		flockfile(stdin);
		return 0;
	case OP_STREAM_TRY:
		return ftrylockfile(stdin) != 0;
	default:
		funlockfile(stdin);
		return 0;
	}
}

QUIET int call_named(const struct op *o, sem_t **mine)
{
	sem_t *s = *mine;

	switch (o->what) {
	case OP_NAMED_OPEN:
		*mine = sem_open("/linchpin-test", O_CREAT, 0600, o->value);
		return *mine == SEM_FAILED;
	case OP_NAMED_UNLINK:
		return sem_unlink("/linchpin-test") ? 9 : 0;
	case OP_NAMED_POST:
		return s ? sem_post(s) : 9;
	case OP_NAMED_TRY:
		return s ? sem_trywait(s) != 0 : 9;
	default:
		*mine = NULL;
		return s ? sem_close(s) : 9;
	}
}
