/* SPDX-License-Identifier: MIT
 *
 * Attributes of the process that an execution may change: the working directory, the mask of new files,
 * limits, the priority. They are looked at when the first execution is about to change one.
 */
#include "../runtime/run_dir.h"
#include "../runtime/unseen.h"
#include "changes.h"
#include "interpose.h"

#include <fcntl.h>
#include <sys/resource.h>

static struct {
	bool known, changed;
	int directory;
	long mask, priority;
	uint64_t limits[RLIM_NLIMITS][2];
} attributes;

static long priority_now(void)
{
	return 20 - sys2(SYS_getpriority, PRIO_PROCESS, 0);
}

static void look(void)
{
	long fd = sys3(SYS_openat, AT_FDCWD, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	attributes.known = true;
	attributes.directory = fd < 0 ? -1 : descriptor_copy((int)fd);
	if (fd >= 0)
		sys1(SYS_close, fd);
	attributes.mask = sys1(SYS_umask, 0);
	sys1(SYS_umask, attributes.mask);
	attributes.priority = priority_now();
	for (int i = 0; i < (int)RLIM_NLIMITS; i++)
		sys2(SYS_getrlimit, i, attributes.limits[i]);
}

void attributes_change(void)
{
	if (!attributes.known)
		look();
	attributes.changed = true;
}

bool attributes_changed(void)
{
	return attributes.changed;
}

void attributes_rollback(void)
{
	bool failed = false;

	if (LIKELY(!attributes.changed))
		return;
	attributes.changed = false;
	failed |= sys1(SYS_fchdir, attributes.directory) < 0;
	sys1(SYS_umask, attributes.mask);
	for (int i = 0; i < (int)RLIM_NLIMITS; i++)
		failed |= sys2(SYS_setrlimit, i, attributes.limits[i]) < 0;
	if (priority_now() != attributes.priority)
		failed |= sys3(SYS_setpriority, PRIO_PROCESS, 0, attributes.priority) < 0;
	if (failed)
		unseen("an execution leaves the working directory, a limit or the priority of the "
		       "process in a way that cannot be taken back",
		       NULL);
}
