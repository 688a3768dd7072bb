/* SPDX-License-Identifier: MIT
 *
 * Users and groups. libc would signal all real threads, which never answer. There is one thread of the
 * kernel that runs the program, so the system call is enough.
 */
#include "interpose.h"

#include <grp.h>
#include <sys/syscall.h>
#include <unistd.h>

static int result(long r)
{
	if (r >= 0)
		return 0;
	*real.errno_location() = (int)-r;
	return -1;
}

int i_setuid(uid_t a);
int i_setuid(uid_t a)
{
	return active() ? result(sys1(SYS_setuid, a)) : real_setuid(a);
}

int i_setgid(gid_t a);
int i_setgid(gid_t a)
{
	return active() ? result(sys1(SYS_setgid, a)) : real_setgid(a);
}

int i_setreuid(uid_t a, uid_t b);
int i_setreuid(uid_t a, uid_t b)
{
	return active() ? result(sys2(SYS_setreuid, a, b)) : real_setreuid(a, b);
}

int i_setregid(gid_t a, gid_t b);
int i_setregid(gid_t a, gid_t b)
{
	return active() ? result(sys2(SYS_setregid, a, b)) : real_setregid(a, b);
}

int i_setresuid(uid_t a, uid_t b, uid_t c);
int i_setresuid(uid_t a, uid_t b, uid_t c)
{
	return active() ? result(sys3(SYS_setresuid, a, b, c)) : real_setresuid(a, b, c);
}

int i_setresgid(gid_t a, gid_t b, gid_t c);
int i_setresgid(gid_t a, gid_t b, gid_t c)
{
	return active() ? result(sys3(SYS_setresgid, a, b, c)) : real_setresgid(a, b, c);
}

int i_seteuid(uid_t a);
int i_seteuid(uid_t a)
{
	return active() ? result(sys3(SYS_setresuid, -1, a, -1)) : real_seteuid(a);
}

int i_setegid(gid_t a);
int i_setegid(gid_t a)
{
	return active() ? result(sys3(SYS_setresgid, -1, a, -1)) : real_setegid(a);
}

int i_setgroups(size_t n, const gid_t *list);
int i_setgroups(size_t n, const gid_t *list)
{
	return active() ? result(sys2(SYS_setgroups, n, list)) : real_setgroups(n, list);
}
