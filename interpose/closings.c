/* SPDX-License-Identifier: MIT
 *
 * Descriptors of what is no channel (channels.c), streams and files: to use one is no step, nor is to close it. That a
 * thread closes one while another uses it is a limit. A number, address or inode may stand for something else after
 * that, and who uses that has nothing to do with who used it before; so what is used is what it is since it ended last.
 */
#include "closings.h"
#include "../runtime/checkpoint.h"
#include "channels.h"

#include <fcntl.h>
#include <sys/stat.h>

#define MOST 1024 /* those with the same remainder count as one */

/* Numbers that stand for one thing after the other. */
enum since_kind {
	SINCE_DESCRIPTOR,
	SINCE_STREAM, /* by its address in words */
	SINCE_FILE,   /* by a hash of device and inode */
	SINCE_KINDS
};

/* Part of the checkpoint. */
static struct {
	uint32_t made[MAX_FIBERS]; /* how many ends a thread has made */
	struct since {
		uint32_t now, before; /* ended by which thread, its how many-th; 0: not yet */
	} of[SINCE_KINDS][MOST];
} closings;

static bool changed; /* in this execution */

void closings_checkpoint(void)
{
	checkpoint_add_marked((uintptr_t)&closings, (uintptr_t)(&closings + 1), &changed);
}

static struct since *since(enum since_kind kind, uint64_t number)
{
	return &closings.of[kind][number % MOST];
}

static void ended(enum since_kind kind, uint64_t number)
{
	struct since *s = since(kind, number);

	changed = true;
	s->before = s->now;
	s->now = (uint32_t)rt->cur->id << 24 | ++closings.made[rt->cur->id];
}

/* Of what is not there any more: what it was. */
static uint64_t used(enum since_kind kind, uint64_t number, bool there)
{
	const struct since *s = since(kind, number);

	return mix(mix(0, number), there ? s->now : s->before);
}

static bool is_open(int fd)
{
	return sys2(SYS_fcntl, fd, F_GETFD) >= 0;
}

static uint64_t descriptor_now(int fd)
{
	return used(SINCE_DESCRIPTOR, (uint64_t)fd, is_open(fd));
}

static uint64_t address_of(const FILE *stream)
{
	return (uint64_t)stream / sizeof(void *);
}

uint64_t stream_now(const FILE *stream)
{
	return used(SINCE_STREAM, address_of(stream),
		    !in_heap((uintptr_t)stream) || heap_live(stream));
}

static uint64_t file_number(uint64_t device, uint64_t inode)
{
	return mix(mix(0, device), inode);
}

uint64_t file_now(uint64_t device, uint64_t inode)
{
	return used(SINCE_FILE, file_number(device, inode), true);
}

uint64_t descriptor_used(const char *name, int fd)
{
	uint64_t now;

	if (alone() || fd < 0)
		return 0;
	now = descriptor_now(fd);
	if (!channel_of(fd))
		unseen_descriptor(name, now, false);
	return now;
}

void descriptor_closes(int fd)
{
	if (fd < 0)
		return;
	if (!alone())
		unseen_descriptor("close", descriptor_now(fd), true);
	if (is_open(fd))
		ended(SINCE_DESCRIPTOR, (uint64_t)fd);
}

void stream_ends(const char *name, const FILE *stream)
{
	if (!alone())
		unseen_stream(name, caller() - 1, stream, false);
	ended(SINCE_STREAM, address_of(stream));
}

void file_loses_name(const char *path)
{
	struct stat s;

	if (!sys2(SYS_lstat, path, &s) && S_ISREG(s.st_mode) && s.st_nlink == 1)
		ended(SINCE_FILE, file_number(s.st_dev, s.st_ino));
}
