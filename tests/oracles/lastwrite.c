/* SPDX-License-Identifier: MIT
 *
 * N threads write one variable: N! classes, of which N can be told apart, by who came last.
 */
#include "oracle.h"

#include <stdatomic.h>

static atomic_int last;

static void *thread(void *argument)
{
	atomic_store(&last, 1 + (int)(uintptr_t)argument);
	return NULL;
}

int main(void)
{
	oracle_run(N, thread);
	return 0;
}
