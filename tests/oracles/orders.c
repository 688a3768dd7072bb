/* SPDX-License-Identifier: MIT
 *
 * Threads that read (r) and write (w) variables, each write with a number of its own. A race that is reversed in one execution
 * only, as that goes on behind it, loses a class of each of these.
 */
#include "oracle.h"

#include <stdatomic.h>
#include <stddef.h>

static const char *const programs[][5] = {
	{ "wd", "wawawawb", "ra", "rarbrdra" },
	{ "rbwbwb", "rbwa", "rbrararb", "warbwb", "ra" },
	{ "warcrb", "rbwawc", "rarara", "rbrcwa", "wbra" },
};

static atomic_int variables[4];

static void *thread(void *argument)
{
	int me = (int)(uintptr_t)argument, written = 0;

	for (const char *s = programs[P - 1][me]; *s; s += 2)
		if (*s == 'r')
			atomic_load(&variables[s[1] - 'a']);
		else
			atomic_store(&variables[s[1] - 'a'], 100 * me + ++written);
	return NULL;
}

int main(void)
{
	oracle_run(programs[P - 1][4] ? 5 : 4, thread);
	return 0;
}
