/* SPDX-License-Identifier: MIT
 *
 * Functions that refuse some of their calls in an execution, because these would reach the real
 * threads behind the fibers or leave the runtime. A function that always refuses needs only its
 * line in functions.def.
 */
#include "interpose.h"

/* The library would get its own libc, whose threads and memory the runtime does not see. */
void *i_dlmopen(long list, const char *path, int mode);
void *i_dlmopen(long list, const char *path, int mode)
{
	if (active() && list)
		refuse("the program calls dlmopen for another list of libraries, which is not "
		    "supported: they would have a libc of their own");
	return real_dlmopen(list, path, mode);
}
