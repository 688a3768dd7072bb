/* Functions that are given memory which another thread uses: by the first argument, or all of them. The second one says
 * whether the other thread uses it at the same time, under the same lock, or before and after. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static struct {
	struct stat stat;
	struct statvfs statvfs;
	struct utsname utsname;
	struct rusage rusage;
	struct rlimit rlimit;
	struct timespec timespec;
	struct timeval timeval;
	struct tm tm;
	struct random_data random;
	struct sigaction action;
	sigset_t set;
	pthread_attr_t attr;
	pthread_t thread;
	mbstate_t shift;
	regex_t pattern;
	time_t time;
	double number;
	char *end;
	void *result;
	size_t size;
	int fds[2], exponent, value;
	wchar_t wide[8];
	char text[64], state[64], path[8];
} of = { .path = "/" };

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static sem_t sem;
static volatile double half = 0.5;
static char line[8] = "a,b";
static const char *which, *way;

static void *nothing(void *unused)
{
	return unused;
}

static void make(pthread_t *t)
{
	pthread_create(t, NULL, nothing, NULL);
	pthread_detach(*t);
}

static void join_into(void **result)
{
	pthread_t t;

	pthread_create(&t, NULL, nothing, NULL);
	pthread_join(t, result);
}

static void through_pipe(char *to)
{
	int fds[2];

	if (pipe(fds) || write(fds[1], "abc", 3) != 3 || read(fds[0], to, 3) != 3)
		abort();
	close(fds[0]);
	close(fds[1]);
}

/* name, call, what the other thread uses */
#define CALLS                                                                                                              \
	CALL(stat, stat("/", &of.stat), of.stat.st_size)                                                                  \
	CALL(fstat, fstat(0, &of.stat), of.stat.st_mtim)                                                                   \
	CALL(statvfs, statvfs("/", &of.statvfs), of.statvfs.f_namemax)                                                     \
	CALL(access, access(of.path, F_OK), of.path[0])                                                                   \
	CALL(open, close(open(of.path, O_RDONLY)), of.path[0])                                                            \
	CALL(readlink, readlink("/proc/self/exe", of.text, 8), of.text[5])                                                \
	CALL(realpath, realpath("/", of.text), of.text[0])                                                                \
	CALL(getcwd, getcwd(of.text, 64), of.text[63])                                                                    \
	CALL(uname, uname(&of.utsname), of.utsname.machine)                                                               \
	CALL(gethostname, gethostname(of.text, 64), of.text[9])                                                           \
	CALL(getrlimit, getrlimit(RLIMIT_NOFILE, &of.rlimit), of.rlimit.rlim_max)                                         \
	CALL(getrusage, getrusage(RUSAGE_SELF, &of.rusage), of.rusage.ru_maxrss)                                          \
	CALL(frexp, frexp(half, &of.exponent), of.exponent)                                                               \
	CALL(modf, modf(half, &of.number), of.number)                                                                     \
	CALL(remquo, remquo(half, 0.2, &of.exponent), of.exponent)                                                        \
	CALL(random_r, (initstate_r(1, of.state, 64, &of.random), random_r(&of.random, &of.value)), of.value)             \
	CALL(strtol, strtol("12", &of.end, 10), of.end)                                                                   \
	CALL(strtod, strtod(of.text, NULL), of.text[0])                                                                 \
	CALL(localtime_r, localtime_r(&of.time, &of.tm), of.tm.tm_year)                                                   \
	CALL(mktime, mktime(&of.tm), of.tm.tm_wday)                                                                       \
	CALL(strftime, strftime(of.text, 64, "%Y", &of.tm), of.tm.tm_year)                                                \
	CALL(strptime, strptime("7", "%d", &of.tm), of.tm.tm_mday)                                                        \
	CALL(clock_gettime, clock_gettime(CLOCK_REALTIME, &of.timespec), of.timespec.tv_nsec)                             \
	CALL(gettimeofday, gettimeofday(&of.timeval, NULL), of.timeval.tv_sec)                                            \
	CALL(time, time(&of.time), of.time)                                                                               \
	CALL(nanosleep, nanosleep(&of.timespec, NULL), of.timespec.tv_nsec)                                               \
	CALL(pthread_create, make(&of.thread), of.thread)                                                                 \
	CALL(pthread_join, join_into(&of.result), of.result)                                                              \
	CALL(pthread_attr_setscope, pthread_attr_setscope(&of.attr, PTHREAD_SCOPE_SYSTEM), of.attr)                 \
	CALL(pthread_getname_np, pthread_getname_np(pthread_self(), of.text, 20), of.text[3])                             \
	CALL(sem_getvalue, sem_getvalue(&sem, &of.value), of.value)                                                       \
	CALL(sigfillset, sigfillset(&of.set), of.set)                                                                     \
	CALL(sigaddset, sigaddset(&of.set, SIGHUP), of.set)                                                               \
	CALL(sigaction, sigaction(SIGHUP, NULL, &of.action), of.action.sa_flags)                                          \
	CALL(pthread_sigmask, pthread_sigmask(SIG_BLOCK, NULL, &of.set), of.set)                                          \
	CALL(pipe, (pipe(of.fds), close(of.fds[0]), close(of.fds[1])), of.fds[0])                                         \
	CALL(read, through_pipe(of.text), of.text[2])                                                                     \
	CALL(strerror_r, strerror_r(2, of.text, 20), of.text[7])                                                          \
	CALL(asprintf, free((asprintf(&of.end, "a"), of.end)), of.end)                                                    \
	CALL(snprintf, snprintf(of.text, 8, "%d", 5), of.text[0])                                                         \
	CALL(fputs, fputs(of.text, stderr), of.text[0])                                                                   \
	CALL(regcomp, regcomp(&of.pattern, "a", 0), of.pattern)                                                           \
	CALL(mbrtowc, mbrtowc(of.wide, "a", 1, &of.shift), of.shift)                                                      \
	CALL(wcsncpy, wcsncpy(of.wide, L"a", 2), of.wide[0])                                                              \
	CALL(swprintf, swprintf(of.wide, 8, L"%d", 5), of.wide[0])                                                        \
	CALL(setenv, setenv("A", of.text, 1), of.text[0])                                                                 \
	CALL(getenv, getenv(of.text), of.text[0])

/* What libc keeps for all threads: both call it. */
#define STATES                                                                                                             \
	CALL(rand, rand(), half)                                                                                          \
	CALL(drand48, drand48(), half)                                                                                    \
	CALL(strtok, strtok(line, ","), half)                                                                             \
	CALL(localtime, localtime(&(time_t){ 5 }), half)                                                                  \
	CALL(getpwuid, getpwuid(0), half)                                                                                 \
	CALL(unsetenv, unsetenv("A"), half)                                                                               \
	CALL(ftell, ftell(stderr), half)                                                                                  \
	CALL(fgetc, fgetc(stdin), half)

/* Those that open and close descriptors have limits of their own. */
static int is(const char *name)
{
	return !strcmp(which, name) ||
	       (!strcmp(which, "all") && strcmp(name, "open") && strcmp(name, "pipe") && strcmp(name, "read"));
}

static void call_all(void)
{
#define CALL(name, call, used)                                                                                             \
	if (is(#name))                                                                                                    \
		(void)(call);
	CALLS STATES
#undef CALL
}

static void use_all(void)
{
#define CALL(name, call, used)                                                                                             \
	if (is(#name))                                                                                                    \
		++*(volatile char *)&(used);
	CALLS
#undef CALL
#define CALL(name, call, used)                                                                                             \
	if (is(#name))                                                                                                    \
		(void)(call);
	STATES
#undef CALL
}

static void *calls(void *unused)
{
	if (*way == 'l')
		pthread_mutex_lock(&m);
	call_all();
	if (*way == 'l')
		pthread_mutex_unlock(&m);
	return unused;
}

static void *uses(void *unused)
{
	if (*way == 'l')
		pthread_mutex_lock(&m);
	use_all();
	if (*way == 'l')
		pthread_mutex_unlock(&m);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t a, b, c;

	if (argc < 3)
		return 2;
	which = argv[1];
	way = argv[2];
	sem_init(&sem, 0, 1);
	if (*way == 'b') { /* before and after */
		pthread_create(&c, NULL, nothing, NULL);
		call_all();
		pthread_create(&b, NULL, uses, NULL);
		pthread_join(b, NULL);
		call_all();
		pthread_create(&a, NULL, calls, NULL);
		pthread_join(a, NULL);
		use_all();
		return pthread_join(c, NULL);
	}
	pthread_create(&a, NULL, calls, NULL);
	pthread_create(&b, NULL, uses, NULL);
	pthread_join(a, NULL);
	return pthread_join(b, NULL);
}
