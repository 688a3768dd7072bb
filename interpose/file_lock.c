/* SPDX-License-Identifier: MIT
 *
 * flock: of two openings of one file, by threads of this process, one waits for the other. To lock and unlock is a
 * step, and so is closing what holds a lock; all files are one object. The kernel has the locks; here is only what
 * is needed to say who would have to wait. Another process that holds one is a limit, and is waited for for real.
 *
 * Locks of the process (lockf, F_SETLK) never keep its threads out.
 */
#include "../runtime/checkpoint.h"
#include "../runtime/unseen.h"
#include "channels.h"
#include "sending.h"

#include <errno.h>
#include <sys/file.h>
#include <sys/stat.h>

#define MOST 1024 /* descriptors, and openings */

/* Part of the checkpoint. */
static struct {
	uint16_t of[MOST]; /* the opening of a descriptor that was locked or copied; 0 */
	struct opening {
		uint64_t device, number;
		uint8_t how; /* LOCK_SH, LOCK_EX, 0 */
	} list[MOST];
} locks;
static bool changed; /* may be, in this execution */

void file_locks_checkpoint(void)
{
	checkpoint_add_marked((uintptr_t)&locks, (uintptr_t)(&locks + 1), &changed);
}

static struct opening *opening_of(int fd)
{
	if (fd < 0 || fd >= MOST || !locks.of[fd])
		return NULL;
	changed = true;
	return &locks.list[locks.of[fd]];
}

static bool is_open(unsigned opening)
{
	for (int fd = 0; fd < MOST; fd++)
		if (locks.of[fd] == opening)
			return true;
	return false;
}

/* NULL: it is none, or there are too many. */
static struct opening *opening_new(int fd)
{
	unsigned i = 1;
	struct stat s;

	if (fd < 0 || fd >= MOST || sys2(SYS_fstat, fd, &s) < 0)
		return NULL;
	while (i < MOST && is_open(i))
		i++;
	if (i == MOST)
		return NULL;
	changed = true;
	locks.of[fd] = (uint16_t)i;
	locks.list[i] = (struct opening){ s.st_dev, s.st_ino, 0 };
	return &locks.list[i];
}

void file_lock_copied(int from, int to)
{
	if (to >= 0 && to < MOST && (opening_of(from) || opening_new(from)))
		locks.of[to] = locks.of[from];
}

static bool is_last(int fd)
{
	for (int i = 0; i < MOST; i++)
		if (i != fd && locks.of[i] == locks.of[fd])
			return false;
	return true;
}

void file_lock_close_step(int fd)
{
	const struct opening *o = opening_of(fd);

	if (o && o->how && is_last(fd))
		channel_step(CHANNEL_LOCKS, LP_EV_RMW, NULL, false, 0);
}

void file_lock_closed(int fd)
{
	struct opening *o = opening_of(fd);

	if (!o)
		return;
	if (is_last(fd))
		o->how = 0;
	locks.of[fd] = 0;
}

struct wanted {
	struct readiness is;
	const struct opening *by;
	int how;
};

static bool may_lock(const struct readiness *is)
{
	const struct wanted *w = (const struct wanted *)is;

	for (const struct opening *o = locks.list + 1; o < locks.list + MOST; o++)
		if (o != w->by && o->how && o->device == w->by->device && o->number == w->by->number &&
		    (w->how == LOCK_EX || o->how == LOCK_EX))
			return false;
	return true;
}

static bool never(const struct readiness *is)
{
	(void)is;
	return false;
}

/* As the kernel does it: what is held as another kind is given back first. */
static void give_back(int fd, struct opening *o)
{
	channel_step(CHANNEL_LOCKS, LP_EV_RMW, NULL, false, 0);
	real_flock(fd, LOCK_UN);
	o->how = 0;
}

static int lock(int fd, struct opening *o, int how, bool at_once)
{
	const struct wanted w = { { may_lock, never }, o, how };
	int r;

	if (o->how && o->how != how)
		give_back(fd, o);
	if (!at_once)
		signals_first();
	if (channel_step(CHANNEL_LOCKS, LP_EV_RMW, &w.is, at_once, at_once ? 0 : BY_SIGNAL))
		return fail(EINTR);
	if (!may_lock(&w.is))
		return fail(EWOULDBLOCK);
	r = real_flock(fd, how | LOCK_NB);
	if (r < 0 && *real.errno_location() == EWOULDBLOCK && !at_once) {
		unseen("another process has locked a file (flock): when it unlocks that is not explored", NULL);
		r = real_flock(fd, how);
	}
	if (!r)
		o->how = (uint8_t)how;
	return r;
}

int i_lockf(int fd, int command, off_t size);
int i_lockf(int fd, int command, off_t size)
{
	if (active() && command == F_LOCK)
		cancellation_point();
	return real_lockf(fd, command, size);
}

int i_lockf64(int fd, int command, off_t size);
int i_lockf64(int fd, int command, off_t size)
{
	return i_lockf(fd, command, size);
}

int i_flock(int fd, int operation);
int i_flock(int fd, int operation)
{
	const int how = operation & ~LOCK_NB;
	struct opening *o;

	if (!active() || (how != LOCK_SH && how != LOCK_EX && how != LOCK_UN))
		return real_flock(fd, operation);
	o = opening_of(fd);
	if (!o)
		o = opening_new(fd);
	if (!o)
		return real_flock(fd, operation);
	if (how != LOCK_UN)
		return lock(fd, o, how, operation & LOCK_NB);
	give_back(fd, o);
	return 0;
}
