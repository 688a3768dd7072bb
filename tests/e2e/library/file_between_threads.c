/* SPDX-License-Identifier: MIT
 *
 * One thread writes what another one reads from a file: HOW says by which functions. With -DLOCKED a lock orders them.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int fd, other;
static int n;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *writes(void *unused)
{
	pthread_mutex_lock(&lock);
	n++;
#ifndef LOCKED
	pthread_mutex_unlock(&lock);
#endif
	WRITE;
#ifdef LOCKED
	pthread_mutex_unlock(&lock);
#endif
	return unused;
}

int main(void)
{
	pthread_t t;
	char c;

	fd = open("file", O_RDWR | O_CREAT, 0600);
	other = open("file", O_RDWR);
	pthread_create(&t, NULL, writes, NULL);
	pthread_mutex_lock(&lock);
	n++;
#ifndef LOCKED
	pthread_mutex_unlock(&lock);
#endif
	READ;
#ifdef LOCKED
	pthread_mutex_unlock(&lock);
#endif
	pthread_join(t, NULL);
	return 0;
}
