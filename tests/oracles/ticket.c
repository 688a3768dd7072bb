/* SPDX-License-Identifier: MIT
 *
 * N threads take a ticket lock (Mellor-Crummey and Scott, TOCS 1991) once each: N! classes, the
 * orders of the tickets. A look at `serving` that comes too early is in vain.
 */
#include "oracle.h"

#include <assert.h>
#include <stdatomic.h>

static atomic_int tickets, serving;
static int count;

static void *take(void *unused)
{
	int own = atomic_fetch_add(&tickets, 1);

	while (atomic_load(&serving) != own)
		continue;
	count++;
	atomic_store(&serving, own + 1);
	return unused;
}

int main(void)
{
	oracle_run(N, take);
	assert(count == N);
	return 0;
}
