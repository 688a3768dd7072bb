/* SPDX-License-Identifier: MIT
 *
 * Locks of files and of streams, between threads. WHAT is one of the functions; with -DWRONG it has a fault.
 */
#include "what.h"

#include <sys/file.h>

static int files[2], count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void open_files(void)
{
	char name[] = "lockedXXXXXX";

	files[0] = mkstemp(name);
	files[1] = open(name, O_RDWR);
	assert(files[0] >= 0 && files[1] >= 0);
	unlink(name);
}

/* Two openings of one file keep each other out; the same opening does not. */
static void *adds_locked(void *n)
{
	int fd = files[wrong ? 0 : (long)n];

	assert(!flock(fd, LOCK_EX));
	count++;
	assert(!flock(fd, LOCK_UN));
	return NULL;
}
static void exclusive(void)
{
	open_files();
	both(adds_locked, adds_locked);
	assert(count == 2);
}

/* Readers share it. Who wants it as a writer, too, gives back first what he has. */
static void *reads_and_writes(void *n)
{
	int fd = files[(long)n];

	assert(!flock(fd, LOCK_SH));
	if (wrong)
		pthread_mutex_lock(&mutex);
	assert(!flock(fd, LOCK_EX));
	count++;
	if (wrong)
		pthread_mutex_unlock(&mutex);
	assert(!flock(fd, LOCK_UN));
	return NULL;
}
static void upgraded(void)
{
	open_files();
	both(reads_and_writes, reads_and_writes);
	assert(count == 2);
}

/* Without waiting it fails; what holds the lock is closed, and then it does not. */
static void *tries(void *n)
{
	int fd = files[(long)n];

	if (flock(fd, LOCK_EX | LOCK_NB)) {
		assert(errno == EWOULDBLOCK);
		return NULL;
	}
	count++;
	close(fd);
	return NULL;
}
static void tried(void)
{
	open_files();
	both(tries, tries);
	assert(count > wrong);
}

/* A copy is the same opening, and the lock is there until the last is closed. */
static void *takes_other(void *n)
{
	if (n)
		return close(files[0]), NULL;
	assert(!flock(files[1], LOCK_EX));
	return NULL;
}
static void copied(void)
{
	int copy;

	open_files();
	copy = dup(files[0]);
	assert(!flock(copy, LOCK_EX) && !flock(files[0], LOCK_EX));
	if (!wrong)
		close(copy);
	both(takes_other, takes_other);
}

/* Streams. */
static void *prints(void *unused)
{
	flockfile(stdout);
	flockfile(stdout);
	putchar_unlocked('a');
	count++;
	funlockfile(stdout);
	funlockfile(stdout);
	return unused;
}
static void *prints_in_other_order(void *n)
{
	if (n)
		pthread_mutex_lock(&mutex);
	flockfile(stdout);
	if (!n)
		pthread_mutex_lock(&mutex);
	count++;
	pthread_mutex_unlock(&mutex);
	funlockfile(stdout);
	return NULL;
}
static void streams(void)
{
	void *(*f)(void *) = wrong ? prints_in_other_order : prints;

	both(f, f);
	assert(count == 2);
}

static void *tries_stream(void *unused)
{
	if (ftrylockfile(stdout))
		return unused;
	count++;
	if (wrong)
		count += !pthread_mutex_trylock(&mutex);
	funlockfile(stdout);
	return unused;
}
static void streams_tried(void)
{
	both(tries_stream, tries_stream);
	assert(count && (!wrong || count != 2));
}

/* A function that takes the lock itself waits for it; that both may wait for each other is not explored. */
static void *prints_or_locks(void *n)
{
	if (n) {
		pthread_mutex_lock(&mutex);
		printf("%d\n", 1);
		pthread_mutex_unlock(&mutex);
		return NULL;
	}
	flockfile(stdout);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	funlockfile(stdout);
	return NULL;
}
static void printed(void) { both(prints_or_locks, prints_or_locks); }
