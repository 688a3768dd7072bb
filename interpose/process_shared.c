/* SPDX-License-Identifier: MIT
 *
 * Locks and the like that a program shares with a child that it forks: PTHREAD_PROCESS_SHARED in a shared mapping, or a
 * semaphore or message queue with a name, which the child would not find. The child runs for real, so it would wait and
 * wake in the kernel, of which the threads here know nothing.
 * Who only says that it shares something, but has no child, or has it in memory of its own, is not meant.
 */
#include "../runtime/checkpoint.h"
#include "../runtime/heap.h"
#include "../runtime/maps.h"
#include "../runtime/modules.h"
#include "../runtime/outcome.h"
#include "interpose.h"

/* Part of the checkpoint. */
static struct {
	bool made, forked;
} shared;

static uintptr_t looked_for;
static bool found;

void process_shared_checkpoint(void)
{
	checkpoint_add((uintptr_t)&shared, (uintptr_t)(&shared + 1));
}

static void refuse_both(void)
{
	if (shared.made && shared.forked)
		refuse("the program shares a lock, a condition, a barrier, a semaphore or a queue with a child of fork "
		       "(PTHREAD_PROCESS_SHARED in a shared mapping, or by a name): other processes are not explored. Let "
		       "threads of one process do it");
}

static void look(uintptr_t lo, uintptr_t hi, const char *rest)
{
	found |= looked_for >= lo && looked_for < hi && rest[3] == 's'; /* rw-s */
}

void process_shared(const void *object, bool wanted)
{
	uint64_t offset;

	looked_for = (uintptr_t)object;
	if (!wanted || shared.made || in_heap(looked_for) || module_find(looked_for, &offset) >= 0)
		return;
	found = false;
	maps_each(look);
	if (!found)
		return;
	shared.made = true;
	refuse_both();
}

void process_shared_by_name(void)
{
	shared.made = true;
	refuse_both();
}

void process_shared_forks(void)
{
	shared.forked = true;
	refuse_both();
}
