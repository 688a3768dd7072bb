/* SPDX-License-Identifier: MIT
 *
 * A field of a heap block; machine code does not tell whether it is atomic.
 *
 * hooks: 1
 * plain: 0
 */
#include "twice.h"

#include <stdlib.h>

static void *work(void *arg)
{
	*(int *)arg += 1;
	return NULL;
}

int main(void)
{
	int *p = calloc(1, sizeof *p), v;

	twice(work, p);
	v = *p;
	free(p);
	return v > 9;
}
