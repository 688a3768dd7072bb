/* SPDX-License-Identifier: MIT
 *
 * Closing descriptors. Those of the runtime are not there for the program: one that closes whatever is open
 * does not end what records it.
 */
#include "../runtime/run_dir.h"
#include "changes.h"
#include "interpose.h"

#include <errno.h>

int i_close(int fd);
int i_close(int fd)
{
	if (!active())
		return real_close(fd);
	if (descriptor_is_ours(fd))
		return fail(EBADF);
	inherited_changes(fd);
	return real_close(fd);
}

/* Around those of the runtime. */
static int close_from_to(unsigned first, unsigned last, int flags)
{
	unsigned to = (unsigned)rt->fd_first - 1;
	int r = 0;

	inherited_may_change();
	if (first <= to)
		r = real_close_range(first, last < to ? last : to, flags);
	for (unsigned fd = first > to ? first : to + 1; !r && fd <= last && fd < to + 1000; fd++)
		if (!descriptor_is_ours((int)fd))
			r = real_close_range(fd, fd, flags);
	return r;
}

int i_close_range(unsigned first, unsigned last, int flags);
int i_close_range(unsigned first, unsigned last, int flags)
{
	if (!active() || first > last)
		return real_close_range(first, last, flags);
	return close_from_to(first, last, flags);
}

void i_closefrom(int first);
void i_closefrom(int first)
{
	if (active())
		close_from_to(first < 0 ? 0 : (unsigned)first, ~0U, 0);
	else
		sys3(SYS_close_range, first < 0 ? 0 : first, ~0U, 0);
}
