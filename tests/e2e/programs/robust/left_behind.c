/* SPDX-License-Identifier: MIT
 *
 * What an execution leaves in the system, by name: `check` fails if an earlier execution of the same
 * exploration left it, `change` leaves it. So each of these programs is correct. SHARED names a shared memory object:
 * the whole system sees it, and others may run this, too.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static struct stat status;
static struct rlimit limit;
static char line[100];
extern volatile char _end[]; /* behind all variables, in the same page */

static int there(const char *path) { return !lstat(path, &status); }
static void put(const char *path, int flags) {
	int fd = open(path, flags, 0644);
	assert(fd >= 0 && write(fd, "more", 4) == 4);
	close(fd);
}

static stack_t other_stack(void) {
	stack_t s = { 0 };
	s.ss_sp = malloc(s.ss_size = 1 << 15);
	return s;
}

#define STATE(name, check, change) \
	static void name##_check(void) { check; } \
	static void name##_change(void) { change; }
#define STATES \
	STATE(behind_variables, assert(!*_end), *_end = 1) \
	STATE(made, assert(!there("made")), put("made", O_CREAT | O_WRONLY)) \
	STATE(made_by_stdio, assert(!there("made")), FILE *f = fopen("made", "w"); fputs("x", f); fclose(f)) \
	STATE(made_elsewhere, assert(!there("directory/made")), \
	      int d = open("directory", O_PATH); close(openat(d, "made", O_CREAT | O_RDWR, 0600)); close(d)) \
	STATE(appended, assert(there("old") && status.st_size == 6), put("old", O_APPEND | O_WRONLY)) \
	STATE(emptied, assert(there("old") && status.st_size == 6), assert(!truncate("old", 0))) \
	STATE(through_a_link, assert(there("old") && status.st_size == 6), put("link", O_TRUNC | O_WRONLY)) \
	STATE(shared_mapping, FILE *f = fopen("old", "r"); assert(fgets(line, 9, f) && *line == 'f'); fclose(f), \
	      int fd = open("old", O_RDWR); *(char *)mmap(0, 6, PROT_WRITE, MAP_SHARED, fd, 0) = 'X') \
	STATE(removed, assert(there("old") && (status.st_mode & 0777) == 0640), assert(!unlink("old"))) \
	STATE(renamed, assert(there("old") && !there("new")), assert(!rename("old", "new"))) \
	STATE(link_removed, assert(there("link") && S_ISLNK(status.st_mode)), assert(!remove("link"))) \
	STATE(hard_link, assert(!there("second")), assert(!link("old", "second"))) \
	STATE(symbolic_link, assert(!there("third")), assert(!symlink("old", "third"))) \
	STATE(tree, assert(!there("a")), assert(!mkdir("a", 0755) && !mkdir("a/b", 0755)); put("a/b/c", O_CREAT | O_RDWR)) \
	STATE(tree_removed, assert(there("directory/file") && there("directory")), \
	      assert(!unlink("directory/file") && !rmdir("directory"))) \
	STATE(mode, assert(there("old") && (status.st_mode & 0777) == 0640), assert(!chmod("old", 0600))) \
	STATE(temporary, strcpy(line, "tXXXXXX"); close(mkstemp(line)); unlink(line); assert(!there(line)), \
	      strcpy(line, "tXXXXXX"); close(mkstemp(line)); strcpy(line, "dXXXXXX"); assert(mkdtemp(line))) \
	STATE(shared_object, assert(shm_open(getenv("SHARED"), O_RDWR, 0) < 0), \
	      assert(shm_open(getenv("SHARED"), O_RDWR | O_CREAT, 0600) >= 0)) \
	STATE(working_directory, assert(there("old")), assert(!chdir("/"))) \
	STATE(creation_mask, assert(umask(022) != 0707), umask(0707)) \
	STATE(soft_limit, assert(!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur != 77), \
	      limit.rlim_cur = 77; assert(!setrlimit(RLIMIT_NOFILE, &limit))) \
	STATE(input_line, assert(fgets(line, 99, stdin) && !strcmp(line, "first\n")), assert(fgets(line, 99, stdin))) \
	STATE(input_bytes, assert(read(0, line, 6) == 6 && !memcmp(line, "first\n", 6)), lseek(0, 3, SEEK_CUR)) \
	STATE(input_closed, assert(fcntl(0, F_GETFD) >= 0), fclose(stdin)) \
	STATE(input_replaced, assert(read(0, line, 6) == 6), assert(!dup2(open("/dev/null", O_RDONLY), 0))) \
	STATE(input_flags, assert(!(fcntl(0, F_GETFL) & O_NONBLOCK)), fcntl(0, F_SETFL, O_NONBLOCK)) \
	STATE(output_closed, int fd = open("/dev/null", O_RDONLY); assert(fd > 2); close(fd), fclose(stdout); close(2)) \
	STATE(alternate_stack, stack_t s; assert(!sigaltstack(0, &s) && s.ss_flags & SS_DISABLE), \
	      stack_t s = other_stack(); assert(!sigaltstack(&s, 0))) \
	STATE(given_above_a_gap, assert(fcntl(42, F_GETFD) >= 0 && fcntl(41, F_GETFD) < 0), close(open("/dev/null", O_RDONLY))) \
	STATE(given_offset, assert(lseek(40, 0, SEEK_CUR) == 0), assert(read(40, line, 3) == 3)) \
	STATE(given_closed, assert(fcntl(42, F_GETFD) >= 0), close(42)) \
	STATE(all_closed, assert(fcntl(42, F_GETFD) >= 0), for (int fd = 3; fd < 1100; fd++) close(fd)) \
	STATE(closed_from, assert(fcntl(42, F_GETFD) >= 0), open("/dev/null", O_RDONLY); closefrom(3)) \
	STATE(closed_range, assert(fcntl(42, F_GETFD) >= 0), assert(!close_range(3, ~0U, 0))) \
	STATE(through_a_dangling_link, assert(!there("target") && there("nowhere")), put("nowhere", O_CREAT | O_WRONLY)) \
	STATE(pipe_removed, assert(there("pipe") && S_ISFIFO(status.st_mode)), assert(!unlink("pipe"))) \
	STATE(pipe_mode, assert(there("pipe") && (status.st_mode & 0777) == 0644), assert(!chmod("pipe", 0600))) \
	STATE(mode_by_descriptor, assert(there("old") && (status.st_mode & 0777) == 0640), \
	      assert(!fchmod(open("old", O_RDONLY), 0600))) \
	STATE(owner, assert(there("old") && status.st_uid == geteuid()), if (!geteuid()) assert(!chown("old", 7, 7))) \
	STATE(owner_by_descriptor, assert(there("old") && status.st_gid == getegid()), \
	      if (!geteuid()) assert(!fchown(open("old", O_RDONLY), 7, 7))) \
	STATE(times, assert(there("old") && status.st_mtime > 1000), \
	      assert(!utimensat(AT_FDCWD, "old", (struct timespec[]){ { 9, 0 }, { 9, 0 } }, 0))) \
	STATE(times_by_descriptor, assert(there("directory") && status.st_mtime > 1000), \
	      assert(!futimens(open("directory", O_RDONLY), (struct timespec[]){ { 9, 0 }, { 9, 0 } }))) \
	STATE(length_by_descriptor, assert(there("old") && status.st_size == 6), assert(!ftruncate(40, 0))) \
	STATE(environment, assert(!getenv("LEFT")), setenv("LEFT", "1", 1)) \
	STATE(numbers, assert(rand() == 1804289383), rand())
STATES

#undef STATE
#define STATE(name, check, change) { #name, name##_check, name##_change },
static const struct { const char *name; void (*check)(void), (*change)(void); } states[] = { STATES };

static int shared;

static void *worker(void *unused)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&lock);
	shared++;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t a, b;
	unsigned n = 0;
	if (argc < 2) {
		for (; n < sizeof states / sizeof *states; n++)
			puts(states[n].name);
		return 0;
	}
	while (strcmp(states[n].name, argv[1]))
		n++;
	states[n].check();
	pthread_create(&a, NULL, worker, NULL);
	pthread_create(&b, NULL, worker, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(shared == 2);
	states[n].change();
	return 0;
}
