/* SPDX-License-Identifier: MIT
 *
 * Users and groups: what sets them returns, and each execution begins with those of the first. Rights that the program has
 * given up for a time are got back.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static int x;

static void *work(void *arg) { x++; return arg; }

static void same(void)
{
	assert(!seteuid(geteuid()));
}

static int is_member(gid_t group)
{
	gid_t list[1000];
	int n = getgroups(1000, list);

	while (n > 0 && list[n - 1] != group)
		n--;
	return n > 0;
}

static void another(void)
{
	const gid_t groups[] = { 60011, 60012 };

	if (getuid()) /* not allowed */
		return;
	assert(!geteuid() && !getegid() && !is_member(60011));
	assert(!setgroups(2, groups) && !setegid(13) && !seteuid(14));
	assert(geteuid() == 14 && getegid() == 13 && is_member(60011));
	assert(sem_open("/linchpin-user", O_CREAT, 0400, 0) != SEM_FAILED);
	assert(sem_open("/linchpin-user", O_CREAT, 0400, 0) == SEM_FAILED && errno == EACCES);
}

static void for_good(void)
{
	if (!getuid() && setuid(14))
		_exit(2);
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	x++;
	HOW();
	pthread_join(t, NULL);
	return 0;
}
