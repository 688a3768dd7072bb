/* SPDX-License-Identifier: MIT
 *
 * Users and groups. libc would signal all real threads, which never answer. There is one thread of the
 * kernel that runs the program, so the system call is enough.
 */
#include "../runtime/unseen.h"
#include "interpose.h"

#include <grp.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_GROUPS 1024

static struct {
	bool changed; /* in this execution */
	uid_t users[3];
	gid_t groups[3];
	long n;
	gid_t others[MOST_GROUPS];
} before;

/* Called before the system call, which is the argument of `changed`. */
static bool keep(void)
{
	uid_t *u = before.users;
	gid_t *g = before.groups;

	if (before.changed)
		return true;
	before.changed = true;
	sys3(SYS_getresuid, u, u + 1, u + 2);
	sys3(SYS_getresgid, g, g + 1, g + 2);
	before.n = sys2(SYS_getgroups, MOST_GROUPS, before.others);
	return true;
}

static bool as_before(void)
{
	uid_t u[3];
	gid_t g[3];

	sys3(SYS_getresuid, u, u + 1, u + 2);
	sys3(SYS_getresgid, g, g + 1, g + 2);
	for (unsigned i = 0; i < 3; i++)
		if (u[i] != before.users[i] || g[i] != before.groups[i])
			return false;
	return true;
}

/* The right to do so may be that of a user that is only kept, so that comes first. */
void users_rollback(void)
{
	const uid_t *u = before.users;
	const gid_t *g = before.groups;

	if (LIKELY(!before.changed))
		return;
	before.changed = false;
	sys3(SYS_setresuid, -1, u[1], -1);
	if (before.n >= 0)
		sys2(SYS_setgroups, before.n, before.others);
	sys3(SYS_setresgid, g[0], g[1], g[2]);
	sys3(SYS_setresuid, u[0], u[1], u[2]);
	if (!as_before())
		unseen("the program gives up rights for good (setuid and its kin): executions after the first begin without them; "
		       "--isolate=fork begins each with them",
		       NULL);
}

static int result(long r)
{
	if (r >= 0)
		return 0;
	*real.errno_location() = (int)-r;
	return -1;
}

#define changed(call) (keep() ? result(call) : -1)

int i_setuid(uid_t a);
int i_setuid(uid_t a)
{
	return active() ? changed(sys1(SYS_setuid, a)) : real_setuid(a);
}

int i_setgid(gid_t a);
int i_setgid(gid_t a)
{
	return active() ? changed(sys1(SYS_setgid, a)) : real_setgid(a);
}

int i_setreuid(uid_t a, uid_t b);
int i_setreuid(uid_t a, uid_t b)
{
	return active() ? changed(sys2(SYS_setreuid, a, b)) : real_setreuid(a, b);
}

int i_setregid(gid_t a, gid_t b);
int i_setregid(gid_t a, gid_t b)
{
	return active() ? changed(sys2(SYS_setregid, a, b)) : real_setregid(a, b);
}

int i_setresuid(uid_t a, uid_t b, uid_t c);
int i_setresuid(uid_t a, uid_t b, uid_t c)
{
	return active() ? changed(sys3(SYS_setresuid, a, b, c)) : real_setresuid(a, b, c);
}

int i_setresgid(gid_t a, gid_t b, gid_t c);
int i_setresgid(gid_t a, gid_t b, gid_t c)
{
	return active() ? changed(sys3(SYS_setresgid, a, b, c)) : real_setresgid(a, b, c);
}

int i_seteuid(uid_t a);
int i_seteuid(uid_t a)
{
	return active() ? changed(sys3(SYS_setresuid, -1, a, -1)) : real_seteuid(a);
}

int i_setegid(gid_t a);
int i_setegid(gid_t a)
{
	return active() ? changed(sys3(SYS_setresgid, -1, a, -1)) : real_setegid(a);
}

int i_setgroups(size_t n, const gid_t *list);
int i_setgroups(size_t n, const gid_t *list)
{
	return active() ? changed(sys2(SYS_setgroups, n, list)) : real_setgroups(n, list);
}
