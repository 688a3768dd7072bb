/* SPDX-License-Identifier: MIT
 *
 * Named semaphores. They are the execution's: what it makes, no other execution and no other process
 * finds.
 */
#include "../runtime/checkpoint.h"
#include "interpose.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>

#define MAX_NAMED 64

/* Part of the checkpoint. */
static struct {
	struct named {
		sem_t sem;
		char name[NAME_MAX - 3]; /* empty: it was unlinked */
		unsigned opened;
		bool used, closed; /* closed: to who has made it, as its mode says */
	} list[MAX_NAMED];
	unsigned n;
} named;

static bool changed; /* in this execution: somebody has named one */

void named_checkpoint(void)
{
	checkpoint_add_marked((uintptr_t)&named, (uintptr_t)(&named + 1), &changed);
}

/* The name without the slashes it begins with; NULL if it is none. */
static const char *bare(const char *name)
{
	size_t n;

	while (*name == '/')
		name++;
	for (n = 0; name[n] && name[n] != '/'; n++)
		;
	return n && !name[n] && n < sizeof named.list[0].name ? name : NULL;
}

static struct named *find(const char *name)
{
	for (unsigned i = 0; i < named.n; i++)
		if (named.list[i].used && equal(named.list[i].name, name))
			return &named.list[i];
	return NULL;
}

/* Who makes, opens and unlinks a name see each other. */
static void name_step(void)
{
	changed = true;
	object_init_step(&named.n);
}

sem_t *i_sem_open(const char *name, int flags, mode_t mode, unsigned value);
sem_t *i_sem_open(const char *name, int flags, mode_t mode, unsigned value)
{
	struct named *n;

	if (!active())
		return real_sem_open(name, flags, mode, value);
	name = bare(name);
	if (!name)
		return fail(EINVAL), SEM_FAILED;
	name_step();
	process_shared_by_name();
	n = find(name);
	if (n && flags & O_CREAT && flags & O_EXCL)
		return fail(EEXIST), SEM_FAILED;
	if (n && n->closed && sys0(SYS_geteuid))
		return fail(EACCES), SEM_FAILED;
	if (n) {
		n->opened++;
		return &n->sem;
	}
	if (!(flags & O_CREAT))
		return fail(ENOENT), SEM_FAILED;
	if (value > SEM_VALUE_MAX)
		return fail(EINVAL), SEM_FAILED;
	for (n = named.list; n < named.list + named.n && n->used; n++)
		;
	if (n == named.list + MAX_NAMED)
		refuse("the program has more than %u named semaphores", (unsigned long)MAX_NAMED);
	if (n == named.list + named.n)
		named.n++;
	zero(n, sizeof *n);
	copy(n->name, name, length(name));
	n->used = true;
	n->opened = 1;
	n->closed = (mode & 0600) != 0600;
	real_sem_init(&n->sem, 0, value);
	return &n->sem;
}

int i_sem_close(sem_t *s);
int i_sem_close(sem_t *s)
{
	if (!active())
		return real_sem_close(s);
	name_step();
	for (unsigned i = 0; i < named.n; i++) {
		struct named *n = &named.list[i];

		if (&n->sem != s || !n->used || !n->opened)
			continue;
		if (!--n->opened && !n->name[0])
			n->used = false;
		return 0;
	}
	return fail(EINVAL);
}

int i_sem_unlink(const char *name);
int i_sem_unlink(const char *name)
{
	struct named *n;

	if (!active())
		return real_sem_unlink(name);
	name = bare(name);
	if (!name)
		return fail(ENOENT);
	name_step();
	n = find(name);
	if (!n)
		return fail(ENOENT);
	n->name[0] = '\0';
	n->used = n->opened;
	return 0;
}
