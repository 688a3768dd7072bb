/* SPDX-License-Identifier: MIT
 *
 * The alternate stack for signals. The kernel's is the runtime's, for crashes; a thread is told what it has
 * set.
 */
#include "interpose.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>

/* As Linux: the upper bit only says what a handler is to find. */
static bool flags_are_known(int flags)
{
	flags &= INT_MAX;
	return flags == 0 || flags == SS_ONSTACK || flags == SS_DISABLE;
}

int i_sigaltstack(const stack_t *set, stack_t *old);
int i_sigaltstack(const stack_t *set, stack_t *old)
{
	static const stack_t none = { .ss_flags = SS_DISABLE };
	stack_t *mine, before;

	if (!active())
		return real_sigaltstack(set, old);
	mine = &program_state.alternate[rt->cur->id];
	before = mine->ss_size ? *mine : none;
	if (set && !flags_are_known(set->ss_flags))
		return fail(EINVAL);
	program_state_changed |= set != NULL;
	if (set && set->ss_flags & SS_DISABLE)
		mine->ss_size = 0;
	else if (set && set->ss_size < 2048)
		return fail(ENOMEM);
	else if (set)
		*mine = *set;
	if (old)
		*old = before;
	return 0;
}
