/* SPDX-License-Identifier: MIT */
/* Right: that one closes, or deletes, what another uses at the same time is named, in ways below 20, and else not: under a lock, or
 * if each has its own, which has the number, address or inode of what another has closed before. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static int way, fd;
static FILE *stream;
static sem_t made;

static void ends(void *value)
{
	(void)value;
}

/* What each thread may do without another. */
static void own(const char *name)
{
	struct stat s;
	char bytes[4];
	pthread_key_t mine;
	int own_fd;
	FILE *f;

	switch (way) {
	case 22:
		own_fd = open("/etc/passwd", O_RDONLY);
		read(own_fd, bytes, 4);
		close(own_fd);
		break;
	case 23:
		f = fopen("/etc/passwd", "r");
		fgets(bytes, 4, f);
		fclose(f);
		break;
	case 24:
		f = fopen(name, "w+");
		fputs("abc", f);
		fflush(f);
		fstat(fileno(f), &s);
		pread(fileno(f), bytes, 3, 0);
		fclose(f);
		unlink(name);
		break;
	case 25:
		pthread_key_create(&mine, NULL);
		pthread_setspecific(mine, name);
		if (pthread_getspecific(mine) != name)
			abort();
		pthread_key_delete(mine);
		break;
	}
}

static void *uses(void *arg)
{
	struct stat s;
	char bytes[4];

	switch (way) {
	case 1: read(fd, bytes, 4); break;
	case 2: fstat(fd, &s); break;
	case 3: lseek(fd, 1, SEEK_SET); break;
	case 4: close(fd); break;
	case 5: case 6: dup(fd); break;
	case 7: fgets(bytes, 4, stream); break;
	case 8: fclose(stream); break;
	case 9: pthread_setspecific(key, "x"); break;
	case 10:
		pthread_setspecific(key, "x");
		sem_post(&made);
		break;
	case 20: case 21:
		pthread_mutex_lock(&m);
		if (way == 20)
			read(fd, bytes, 4);
		else
			pthread_getspecific(key);
		pthread_mutex_unlock(&m);
		break;
	default: own("file of one");
	}
	return arg;
}

static void closes(void)
{
	switch (way) {
	case 1: case 2: case 3: case 4: case 5: close(fd); break;
	case 6: dup2(0, fd); break;
	case 7: case 8: fclose(stream); break;
	case 9: pthread_key_delete(key); break;
	case 10:
		sem_wait(&made);
		pthread_key_delete(key);
		break;
	case 20: case 21:
		pthread_mutex_lock(&m);
		if (way == 20)
			close(fd);
		else
			pthread_key_delete(key);
		pthread_mutex_unlock(&m);
		break;
	default: own("file of other");
	}
}

int main(int argc, char **argv)
{
	pthread_t t;

	way = argc > 1 ? atoi(argv[1]) : 1;
	fd = open("/etc/passwd", O_RDONLY);
	stream = fopen("/etc/passwd", "r");
	pthread_key_create(&key, ends);
	sem_init(&made, 0, 0);
	pthread_create(&t, NULL, uses, NULL);
	closes();
	pthread_join(t, NULL);
	return 0;
}
