/* SPDX-License-Identifier: MIT
 *
 * Which functions are cancellation points: each is called by a thread that somebody has cancelled before. Those of stdio
 * are it where they read or write the descriptor.
 *
 * Not here are joins with a time limit of a thread that has ended, aio_suspend() of nothing: libc cancels them only
 * when they wait; fseek(), functions of wide characters, fopen() with "c"; and dprintf(), after which libc's own list
 * of streams leads to the stack of the cancelled thread.
 */
#include "same.h"

#include <dirent.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>

static int ends[2], pair[2], file, event, all, nothing;
static FILE *from, *to, *at_once;
static char bytes[20000];
static void *page;
static sem_t sem;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static mtx_t mtx;
static cnd_t cnd;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct timespec zero;
static const struct timespec far = { 1000000000 };
static struct iovec one_byte = { bytes, 1 };
static struct msghdr message = { .msg_iov = &one_byte, .msg_iovlen = 1 };
static struct mmsghdr messages;
static const char *name;

static void nowhere(void)
{
}

static void *returns(void *unused)
{
	return unused;
}

/* Not cancelled; most likely, that is. */
static pthread_t ended_thread(void)
{
	pthread_t t;
	int old;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	pthread_create(&t, NULL, returns, NULL);
	usleep(100000);
	pthread_setcancelstate(old, NULL);
	return t;
}

/* Not cancelled. */
static int first_byte(void)
{
	int old, c;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	c = fgetc(from);
	pthread_setcancelstate(old, NULL);
	return c;
}

static FILE *taken(FILE **stream)
{
	FILE *f = *stream;

	*stream = NULL;
	return f;
}

static void unlock(void *unused)
{
	pthread_mutex_unlock(&mutex);
}

static void unlock_mtx(void *unused)
{
	mtx_unlock(&mtx);
}

#define WITH(lock, unlock, call)                                                                   \
	lock;                                                                                      \
	pthread_cleanup_push(unlock, NULL);                                                        \
	call;                                                                                      \
	pthread_cleanup_pop(1)

/* The n-th call; false: there is none. */
static bool call(int n)
{
	struct timeval no_time = { 0, 0 };
	struct pollfd polled = { ends[0], POLLIN, 0 };
	struct epoll_event happens = { 0 };
	struct flock lock = { .l_type = F_RDLCK };
	struct sembuf up = { 0 };
	struct stat status;
	siginfo_t info;
	sigset_t set;
	char *line = NULL;
	size_t size = 0;
	int old;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	switch (n) {
#define P(...)                                                                                     \
	case __COUNTER__:                                                                          \
		name = #__VA_ARGS__;                                                               \
		__VA_ARGS__;                                                                       \
		return true;

		/* threads */
		P(pthread_testcancel())
		P(WITH(pthread_mutex_lock(&mutex), unlock, pthread_cond_wait(&condition, &mutex)))
		P(WITH(pthread_mutex_lock(&mutex), unlock, pthread_cond_timedwait(&condition, &mutex, &past)))
		P(WITH(pthread_mutex_lock(&mutex), unlock, pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &past)))
		P(WITH(mtx_lock(&mtx), unlock_mtx, cnd_wait(&cnd, &mtx)))
		P(WITH(mtx_lock(&mtx), unlock_mtx, cnd_timedwait(&cnd, &mtx, &past)))
		P(pthread_cond_signal(&condition))
		P(pthread_mutex_lock(&mutex); pthread_mutex_unlock(&mutex))
		P(pthread_mutex_timedlock(&mutex, &past); pthread_mutex_unlock(&mutex))
		P(pthread_rwlock_rdlock(&rwlock); pthread_rwlock_unlock(&rwlock))
		P(pthread_rwlock_wrlock(&rwlock); pthread_rwlock_unlock(&rwlock))
		P(pthread_once(&once, nowhere))
		P(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old))
		P(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old))
		P(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old))
		P(pthread_kill(pthread_self(), 0))
		P(pthread_sigmask(SIG_BLOCK, &set, NULL))
		P(sched_yield())
		P(thrd_yield())
		P(sem_wait(&sem))
		P(sem_timedwait(&sem, &past))
		P(sem_trywait(&sem))
		P(sem_post(&sem))
		/* time, signals, processes */
		P(nanosleep(&zero, NULL))
		P(nanosleep(&too_small, NULL))
		P(clock_nanosleep(CLOCK_MONOTONIC, 0, &zero, NULL))
		P(clock_nanosleep(CLOCK_MONOTONIC_RAW, 0, &zero, NULL))
		P(thrd_sleep(&zero, NULL))
		P(sleep(0))
		P(usleep(0))
		P(pause())
		P(sigsuspend(&set))
		P(sigtimedwait(&set, NULL, &zero))
		P(pthread_sigmask(SIG_BLOCK, &set, NULL); pthread_kill(pthread_self(), SIGUSR1); sigwait(&set, &old))
		P(pthread_sigmask(SIG_BLOCK, &set, NULL); pthread_kill(pthread_self(), SIGUSR1); sigwaitinfo(&set, NULL))
		P(sigpending(&set))
		P(wait(NULL))
		P(waitpid(-1, NULL, WNOHANG))
		P(waitid(P_ALL, 0, &info, WEXITED | WNOHANG))
		P(wait4(-1, NULL, WNOHANG, NULL))
		P(system(NULL))
		P(getrandom(bytes, 1, 0))
		P(getentropy(bytes, 1))
		/* descriptors */
		P(read(ends[0], bytes, 1))
		P(read(file, bytes, 1))
		P(read(nothing, bytes, 1))
		P(read(-1, bytes, 1))
		P(readv(ends[0], &one_byte, 1))
		P(readv(file, &one_byte, 1))
		P(pread(file, bytes, 1, 0))
		P(preadv(file, &one_byte, 1, 0))
		P(preadv2(file, &one_byte, 1, 0, 0))
		P(write(ends[1], bytes, 1))
		P(write(file, bytes, 1))
		P(write(nothing, bytes, 0))
		P(write(-1, bytes, 1))
		P(writev(ends[1], &one_byte, 1))
		P(writev(file, &one_byte, 1))
		P(pwrite(file, bytes, 1, 0))
		P(pwritev(file, &one_byte, 1, 0))
		P(pwritev2(file, &one_byte, 1, 0, 0))
		P(syscall(SYS_read, ends[0], bytes, 1))
		P(syscall(SYS_read, file, bytes, 1))
		P(syscall(SYS_open, "given", O_RDONLY))
		P(eventfd_read(event, (eventfd_t *)(void *)bytes))
		P(eventfd_write(event, 1))
		P(poll(&polled, 1, 0))
		P(poll(NULL, 0, 0))
		P(ppoll(&polled, 1, &zero, NULL))
		P(select(0, NULL, NULL, NULL, &no_time))
		P(pselect(0, NULL, NULL, NULL, &zero, NULL))
		P(epoll_wait(all, &happens, 1, 0))
		P(epoll_pwait(all, &happens, 1, 0, NULL))
		P(epoll_pwait2(all, &happens, 1, &zero, NULL))
		P(epoll_ctl(all, EPOLL_CTL_ADD, ends[0], &happens))
		P(recv(pair[0], bytes, 1, 0))
		P(recvfrom(pair[0], bytes, 1, 0, NULL, NULL))
		P(recvmsg(pair[0], &message, 0))
		P(recvmmsg(pair[0], &messages, 1, 0, NULL))
		P(send(pair[0], bytes, 1, 0))
		P(sendto(pair[0], bytes, 1, 0, NULL, 0))
		P(sendmsg(pair[0], &message, 0))
		P(sendmmsg(pair[0], &messages, 1, 0))
		P(accept(nothing, NULL, NULL))
		P(accept4(nothing, NULL, NULL, 0))
		P(connect(nothing, NULL, 0))
		P(shutdown(pair[0], SHUT_RD))
		P(splice(-1, NULL, nothing, NULL, 1, 0))
		P(tee(-1, nothing, 1, 0))
		P(vmsplice(-1, &one_byte, 1, 0))
		P(mq_receive(-1, bytes, 64, NULL))
		P(mq_send(-1, bytes, 1, 0))
		P(mq_timedreceive(-1, bytes, 64, NULL, &past))
		P(mq_timedsend(-1, bytes, 1, 0, &past))
		P(mq_close(-1))
		P(msgrcv(-1, bytes, 1, 0, IPC_NOWAIT))
		P(msgsnd(-1, bytes, 1, IPC_NOWAIT))
		P(semop(-1, &up, 1))
		P(tcdrain(nothing))
		/* files */
		P(open("given", O_RDONLY))
		P(open("missing", O_RDONLY))
		P(openat(AT_FDCWD, "given", O_RDONLY))
		P(creat("made", 0600))
		P(close(nothing))
		P(close(-1))
		P(dup(-1))
		P(fcntl(file, F_SETLKW, &lock))
		P(fcntl(file, F_SETLK, &lock))
		P(fcntl(file, F_GETFL))
		P(lockf(file, F_LOCK, 1))
		P(lockf(file, F_TLOCK, 1))
		P(flock(file, LOCK_SH))
		P(fsync(file))
		P(fdatasync(file))
		P(msync(page, 4096, MS_ASYNC))
		P(fallocate(file, 0, 0, 10))
		P(posix_fallocate(file, 0, 10))
		P(copy_file_range(-1, NULL, nothing, NULL, 1, 0))
		P(lseek(file, 0, SEEK_SET))
		P(ftruncate(file, 1))
		P(stat("given", &status))
		P(access("given", R_OK))
		P(unlink("missing"))
		P(rename("missing", "other"))
		P(opendir("missing"))
		/* Not mkstemp and its kind: they are points only where they have to ask the kernel
		   for a better random number, in one of some twenty runs. */
		/* streams */
		P(fgetc(from))
		P(getc(from))
		P(getc_unlocked(from))
		P(fgets(bytes, 8, from))
		P(fread(bytes, 1, 8, from))
		P(fread_unlocked(bytes, 1, 8, from))
		P(fscanf(from, "%8s", bytes))
		P(getline(&line, &size, from))
		P(getdelim(&line, &size, ':', from))
		P(first_byte(); fgetc(from))
		P(first_byte(); fread(bytes, 1, 19, from))
		P(first_byte(); fread(bytes, 1, 20, from))
		P(first_byte(); fgets(bytes, 60, from))
		P(first_byte(); getline(&line, &size, from))
		P(first_byte(); getdelim(&line, &size, ':', from))
		P(ungetc('x', from))
		P(fputc('x', to))
		P(fputc('x', at_once))
		P(fputs("x", to))
		P(fputs("x", at_once))
		P(fputs("", at_once))
		P(fwrite("x", 1, 1, to))
		P(fwrite("x", 1, 1, at_once))
		P(fwrite(bytes, 1, sizeof bytes, to))
		P(fprintf(to, "%d\n", 1))
		P(fprintf(at_once, "%d and %f", 1, 2.5))
		P(fprintf(to, "%20000d", 1))
		P(setvbuf(to, NULL, _IOLBF, 100); fprintf(to, "%d\n", 1))
		P(setvbuf(to, NULL, _IOLBF, 100); fprintf(to, "%d", 1))
		P(setvbuf(to, NULL, _IOFBF, 10); fputs("0123456789", to))
		P(setvbuf(to, NULL, _IOFBF, 10); fputs("0123456789a", to))
		P(setvbuf(to, NULL, _IOFBF, 10); for (int i = 0; i < 10; i++) fputc('x', to))
		P(setvbuf(to, NULL, _IOFBF, 10); for (int i = 0; i < 11; i++) putc_unlocked('x', to))
		P(fflush(to))
		P(fputs("x", to); fflush(to))
		P(fputs("x", to); fflush(NULL))
		P(fputs("x", to); fseek(to, 0, SEEK_SET))
		P(fputs("x", to); rewind(to))
		P(fputs("x", to); fclose(taken(&to)))
		P(fclose(taken(&to)))
		P(fclose(taken(&from)))
		P(fopen("given", "r"))
		P(fopen("missing", "r"))
		P(freopen("given", "r", from))
		P(fdopen(nothing, "r"))
		P(tmpfile())
		P(fputs("x", fmemopen(bytes, 64, "w")); fflush(NULL))
		P(snprintf(bytes, 9, "%d", 1))
		P(flockfile(to); funlockfile(to))
		P(free(malloc(3)))
		P(pthread_join(ended_thread(), NULL))
		P(sem_clockwait(&sem, CLOCK_MONOTONIC, &far))
		P(sem_timedwait(&sem, &far))
	}
	return false;
}

static void prepare(void)
{
	write(ends[1], "abc", 3);
	send(pair[1], "x", 1, MSG_DONTWAIT);
	file = open("given", O_RDWR | O_CREAT | O_TRUNC, 0600);
	write(file, "hello\nworld\nand more", 20);
	lseek(file, 0, SEEK_SET);
	from = fopen("given", "r");
	to = fopen("written", "w");
	at_once = fopen("at once", "w");
	setvbuf(at_once, NULL, _IONBF, 0);
	nothing = open("/dev/null", O_RDWR);
	sem_init(&sem, 0, 1);
	mtx_init(&mtx, mtx_plain);
	cnd_init(&cnd);
}

static void put_away(void)
{
	const int fds[] = { file, nothing };
	FILE *const streams[] = { from, to, at_once };

	for (unsigned i = 0; i < sizeof fds / sizeof *fds; i++)
		close(fds[i]);
	for (unsigned i = 0; i < sizeof streams / sizeof *streams; i++)
		if (streams[i])
			fclose(streams[i]);
}

static void *cancelled_before(void *n)
{
	int old;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	pthread_cancel(pthread_self());
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
	if (!call((int)(long)n))
		return NULL;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	return n;
}

void calls(void)
{
	pthread_t t;
	void *end;

	pipe(ends);
	socketpair(AF_UNIX, SOCK_DGRAM, 0, pair);
	event = eventfd(1, 0);
	all = epoll_create1(0);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	messages.msg_hdr = message;
	for (long n = 0;; n++) {
		prepare();
		pthread_create(&t, NULL, cancelled_before, (void *)n);
		pthread_join(t, &end);
		put_away();
		if (n && !end)
			break;
		printf("%s: %s\n", name, end == PTHREAD_CANCELED ? "cancelled" : "not cancelled");
	}
}
