/* SPDX-License-Identifier: MIT
 *
 * What a child of fork has of the process that made it, and what not.
 */
#include "same.h"

#include <sched.h>
#include <setjmp.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/wait.h>

/* Its lines come before what the parent prints next. */
static void in_child(void (*f)(void))
{
	pid_t id;
	int status;

	fflush(stdout);
	id = fork();
	if (!id) {
		f();
		exit(7);
	}
	if (waitpid(id, &status, 0) != id)
		abort();
	printf("ended: %x\n", (unsigned)status);
}

static pid_t parent;
static pthread_t of_parent;

static void ids(void)
{
	V(getpid() != parent);
	V(getppid() == parent);
	V(gettid() == getpid());
	V(pthread_equal(pthread_self(), of_parent));
}

/* Held by the thread that forks, which is the one that the child has. */
static pthread_mutex_t normal, checked, recursive, robust, inherits;
static pthread_rwlock_t read_locked, write_locked;
static sem_t two;

static void make(pthread_mutex_t *m, int type, int robustness, int protocol)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, type);
	pthread_mutexattr_setrobust(&a, robustness);
	pthread_mutexattr_setprotocol(&a, protocol);
	pthread_mutex_init(m, &a);
	pthread_mutex_lock(m);
}

static void of_held(void)
{
	int n;

	R(pthread_mutex_trylock(&normal));
	R(pthread_mutex_trylock(&checked));
	R(pthread_mutex_timedlock(&recursive, &past));
	R(pthread_mutex_trylock(&recursive));
	R(pthread_rwlock_trywrlock(&read_locked));
	R(pthread_rwlock_tryrdlock(&read_locked));
	R(pthread_rwlock_tryrdlock(&write_locked));
	R(pthread_rwlock_timedwrlock(&write_locked, &past));
	for (n = 0; n < 3; n++)
		R(pthread_mutex_unlock(&recursive));
	R(pthread_mutex_unlock(&recursive));
	R(pthread_mutex_unlock(&checked));
	R(pthread_mutex_unlock(&checked));
	R(pthread_mutex_unlock(&normal));
	R(pthread_mutex_trylock(&normal));
	R(pthread_mutex_trylock(&checked));
	R(pthread_mutex_unlock(&inherits));
	R(pthread_rwlock_unlock(&write_locked));
	R(pthread_rwlock_trywrlock(&write_locked));
	R(pthread_rwlock_unlock(&read_locked));
	R(pthread_rwlock_unlock(&read_locked));
	R(pthread_rwlock_trywrlock(&read_locked));
	sem_getvalue(&two, &n);
	V(n);
	E(sem_trywait(&two));
	E(sem_trywait(&two));
	E(sem_trywait(&two));
}

static void objects(void)
{
	make(&normal, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	make(&checked, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	make(&recursive, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	make(&inherits, PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_INHERIT);
	pthread_rwlock_init(&read_locked, NULL);
	pthread_rwlock_rdlock(&read_locked);
	pthread_rwlock_init(&write_locked, NULL);
	pthread_rwlock_wrlock(&write_locked);
	sem_init(&two, 0, 2);
	in_child(of_held);
	R(pthread_mutex_unlock(&normal));
	R(pthread_mutex_unlock(&checked));
	R(pthread_mutex_unlock(&recursive));
	R(pthread_mutex_unlock(&inherits));
	R(pthread_rwlock_unlock(&read_locked));
	R(pthread_rwlock_unlock(&write_locked));
	E(sem_trywait(&two));
}

/* Time goes on from where it was; that of the processor begins. */
static struct timespec before[3];

static long long past_of(clockid_t clock, const struct timespec *since)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (t.tv_sec - since->tv_sec) * 1000000000LL + t.tv_nsec - since->tv_nsec;
}

static bool soon(long long ns)
{
	return ns >= 0 && ns < 20000000000LL;
}

/* A twentieth of a second from now. */
static struct timespec soon_on(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += 50000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static pthread_cond_t condition = PTHREAD_COND_INITIALIZER, monotonic;

static void timer_at_moment(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	struct itimerspec at = { .it_value = soon_on(CLOCK_REALTIME) }, left;
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	unsigned long n;
	sigset_t set;
	timer_t t;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	E(timer_create(CLOCK_REALTIME, &e, &t));
	E(timer_settime(t, TIMER_ABSTIME, &at, NULL));
	V(sigwaitinfo(&set, NULL) == SIGUSR1);
	at.it_value.tv_sec += 1000;
	E(timer_settime(t, TIMER_ABSTIME, &at, NULL));
	E(timer_gettime(t, &left));
	V(left.it_value.tv_sec > 900 && left.it_value.tv_sec <= 1000);
	at.it_value = soon_on(CLOCK_MONOTONIC);
	E(timerfd_settime(fd, TFD_TIMER_ABSTIME, &at, NULL));
	V(read(fd, &n, sizeof n) == sizeof n && n == 1);
	close(fd);
}

/* Of a file that the child has written; the kernel's clock of stamps goes by ticks. */
static void stamp(void)
{
	char name[] = "child-XXXXXX";
	int fd = mkstemp(name);
	struct stat s;

	write(fd, "", 1);
	fstat(fd, &s);
	V(soon(past_of(CLOCK_REALTIME, &s.st_mtim)));
	V(s.st_mtim.tv_sec + 1 >= before[0].tv_sec);
	close(fd);
	unlink(name);
}

static void of_time(void)
{
	struct timespec t;
	struct timeval v;
	struct tms used;
	struct rusage r;
	clockid_t own;

	V(soon(past_of(CLOCK_REALTIME, &before[0])));
	V(soon(past_of(CLOCK_MONOTONIC, &before[1])));
	V(soon(past_of(CLOCK_BOOTTIME, &before[2])));
	gettimeofday(&v, NULL);
	V(soon((v.tv_sec - before[0].tv_sec) * 1000000000LL + v.tv_usec * 1000LL - before[0].tv_nsec));
	V(soon((time(NULL) + 1 - before[0].tv_sec) * 1000000000LL)); /* its clock goes by ticks */
	timespec_get(&t, TIME_UTC);
	V(soon((t.tv_sec - before[0].tv_sec) * 1000000000LL + t.tv_nsec - before[0].tv_nsec));
	E(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t));
	V(t.tv_sec);
	E(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t));
	V(t.tv_sec);
	R(pthread_getcpuclockid(pthread_self(), &own));
	E(clock_gettime(own, &t));
	V(t.tv_sec);
	R(clock_getcpuclockid(0, &own));
	E(clock_gettime(own, &t));
	V(t.tv_sec);
	times(&used);
	V(used.tms_utime + used.tms_stime < sysconf(_SC_CLK_TCK));
	V(used.tms_cutime + used.tms_cstime);
	E(getrusage(RUSAGE_CHILDREN, &r));
	V(r.ru_utime.tv_sec);
	t = soon_on(CLOCK_MONOTONIC);
	R(clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL));
	V(soon(past_of(CLOCK_MONOTONIC, &t)));
	/* Deadlines of the parent's */
	R(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &before[0], NULL));
	pthread_mutex_init(&normal, NULL);
	pthread_mutex_lock(&normal);
	R(pthread_mutex_timedlock(&normal, &before[0]));
	R(pthread_mutex_clocklock(&normal, CLOCK_MONOTONIC, &before[1]));
	t = soon_on(CLOCK_REALTIME);
	R(pthread_mutex_timedlock(&normal, &t));
	V(soon(past_of(CLOCK_REALTIME, &t)));
	pthread_rwlock_init(&write_locked, NULL);
	pthread_rwlock_rdlock(&write_locked);
	R(pthread_rwlock_timedwrlock(&write_locked, &before[0]));
	t = soon_on(CLOCK_MONOTONIC);
	R(pthread_rwlock_clockwrlock(&write_locked, CLOCK_MONOTONIC, &t));
	V(soon(past_of(CLOCK_MONOTONIC, &t)));
	R(pthread_cond_timedwait(&condition, &normal, &before[0]));
	t = soon_on(CLOCK_REALTIME);
	R(pthread_cond_timedwait(&condition, &normal, &t));
	V(soon(past_of(CLOCK_REALTIME, &t)));
	t = soon_on(CLOCK_MONOTONIC);
	R(pthread_cond_timedwait(&monotonic, &normal, &t));
	V(soon(past_of(CLOCK_MONOTONIC, &t)));
	sem_init(&two, 0, 0);
	E(sem_timedwait(&two, &before[0]));
	t = soon_on(CLOCK_REALTIME);
	E(sem_timedwait(&two, &t));
	V(soon(past_of(CLOCK_REALTIME, &t)));
	E(sem_timedwait(&two, &too_large));
	timer_at_moment();
	stamp();
}

static void moments(void)
{
	struct timespec a = { 0, 300000000 };

	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&monotonic, &attr);
	nanosleep(&a, NULL);
	clock_gettime(CLOCK_REALTIME, &before[0]);
	clock_gettime(CLOCK_MONOTONIC, &before[1]);
	clock_gettime(CLOCK_BOOTTIME, &before[2]);
	in_child(of_time);
}

static timer_t timer;

static void of_timers(void)
{
	struct itimerspec left;
	struct itimerval interval;

	E(timer_gettime(timer, &left));
	E(timer_delete(timer));
	getitimer(ITIMER_REAL, &interval);
	V(interval.it_value.tv_sec);
	V(alarm(0));
}

static void timers(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_NONE };
	struct itimerspec in = { .it_value.tv_sec = 100 };

	timer_create(CLOCK_REALTIME, &e, &timer);
	timer_settime(timer, 0, &in, NULL);
	alarm(100);
	in_child(of_timers);
	E(timer_delete(timer));
	alarm(0);
}

static volatile sig_atomic_t came;

static void comes(int sig)
{
	came = sig;
}

static void of_signals(void)
{
	sigset_t set;

	sigpending(&set);
	V(sigismember(&set, SIGUSR1));
	pthread_sigmask(SIG_SETMASK, NULL, &set);
	V(sigismember(&set, SIGUSR1));
	V(sigismember(&set, SIGUSR2));
	R(raise(SIGUSR2));
	V(came == SIGUSR2);
	came = 0;
	E(kill(getpid(), SIGUSR2));
	V(came == SIGUSR2);
	came = 0;
	R(pthread_kill(pthread_self(), SIGUSR2));
	V(came == SIGUSR2);
	R(pthread_sigqueue(pthread_self(), SIGUSR1, (union sigval){ 0 }));
	sigpending(&set);
	V(sigismember(&set, SIGUSR1));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	V(sigtimedwait(&set, NULL, &past) == SIGUSR1);
	R(pthread_kill(pthread_self(), 0));
}

static void signals(void)
{
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	signal(SIGUSR2, comes);
	raise(SIGUSR1);
	in_child(of_signals);
	V(sigtimedwait(&set, NULL, &past) == SIGUSR1);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	signal(SIGUSR2, SIG_DFL);
}

static volatile pid_t made;
static volatile int counted;
static int ended;
static volatile bool jumps;
static sigjmp_buf before_handler;

static void counts(int sig)
{
	(void)sig;
	counted++;
}

/* What was sent to the thread meanwhile is taken by the parent, not by the child. */
static void makes_child(int sig)
{
	raise(SIGUSR1);
	V(counted);
	fflush(stdout);
	made = fork();
	if (made && waitpid(made, &ended, 0) != made)
		abort();
	came = sig;
	if (jumps)
		siglongjmp(before_handler, 1);
}

static void after_handler(void)
{
	sigset_t set;

	if (made) {
		printf("ended: %x\n", (unsigned)ended);
		V(counted);
		return;
	}
	V(counted);
	pthread_sigmask(SIG_SETMASK, NULL, &set);
	V(sigismember(&set, SIGUSR1));
	V(sigismember(&set, SIGUSR2));
	R(raise(SIGUSR1));
	V(counted);
	exit(7);
}

/* The child goes on with what the handler has interrupted, as its parent does, with the mask that there was. */
static void made_in_handler(void)
{
	struct sigaction a = { .sa_handler = makes_child };

	sigaddset(&a.sa_mask, SIGUSR1);
	sigaction(SIGUSR2, &a, NULL);
	signal(SIGUSR1, counts);
	counted = 0;
	raise(SIGUSR2);
	after_handler();
	counted = 0;
	jumps = true;
	if (!sigsetjmp(before_handler, 1))
		raise(SIGUSR2);
	jumps = false;
	after_handler();
	signal(SIGUSR1, SIG_DFL);
	signal(SIGUSR2, SIG_DFL);
}

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT, once_more = PTHREAD_ONCE_INIT;

static void destroyed(void *value)
{
	printf("destroyed %ld\n", (long)value);
}

static void runs(void)
{
	printf("runs once\n");
}

static void cleans(void *arg)
{
	printf("cleans %ld\n", (long)arg);
}

static void of_own(void)
{
	char name[16];
	pthread_key_t more;
	int old;

	V(pthread_getspecific(key));
	R(pthread_setspecific(key, (void *)6));
	V(pthread_getspecific(key));
	R(pthread_key_create(&more, destroyed));
	V(pthread_getspecific(more));
	R(pthread_setspecific(more, (void *)8));
	R(pthread_once(&once, runs));
	R(pthread_once(&once_more, runs));
	R(pthread_getname_np(pthread_self(), name, sizeof name));
	printf("%s\n", name);
	R(pthread_setname_np(pthread_self(), "other"));
	R(pthread_getname_np(pthread_self(), name, sizeof name));
	printf("%s\n", name);
	R(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old));
	V(old == PTHREAD_CANCEL_DISABLE);
	R(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old));
	V(old == PTHREAD_CANCEL_DEFERRED);
	pthread_cleanup_push(cleans, (void *)3);
	pthread_cleanup_push(cleans, (void *)4);
	R(pthread_cancel(pthread_self()));
	pthread_testcancel();
	printf("not cancelled\n");
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
}

static void exits(void)
{
	pthread_setspecific(key, (void *)9);
	pthread_exit(NULL);
}

static void own(void)
{
	char name[16];
	int old;

	pthread_getname_np(pthread_self(), name, sizeof name);
	pthread_setname_np(pthread_self(), "mine");
	pthread_key_create(&key, destroyed);
	pthread_setspecific(key, (void *)5);
	pthread_once(&once, runs);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	in_child(of_own);
	pthread_setcancelstate(old, NULL);
	in_child(exits);
	V(pthread_getspecific(key));
	pthread_setspecific(key, NULL);
	pthread_key_delete(key);
	pthread_setname_np(pthread_self(), name);
}

static void of_schedule(void)
{
	struct sched_param p;
	cpu_set_t set;
	int policy;

	R(pthread_getschedparam(pthread_self(), &policy, &p));
	V(policy);
	V(p.sched_priority);
	E(sched_getscheduler(0));
	R(pthread_getaffinity_np(pthread_self(), sizeof set, &set));
	V(CPU_COUNT(&set));
	E(sched_getaffinity(0, sizeof set, &set) > 0);
	V(CPU_COUNT(&set));
}

static void schedule(void)
{
	cpu_set_t set, one;
	int n = 0;

	sched_getaffinity(0, sizeof set, &set);
	while (!CPU_ISSET(n, &set))
		n++;
	CPU_ZERO(&one);
	CPU_SET(n, &one);
	sched_setaffinity(0, sizeof one, &one);
	in_child(of_schedule);
	sched_setaffinity(0, sizeof set, &set);
}

static void of_group(void)
{
	came = 0;
	signal(SIGUSR2, comes);
	E(killpg(getpgrp(), 0));
	E(setpgid(0, 0));
	E(killpg(getpgrp(), SIGUSR2));
	V(came == SIGUSR2);
	came = 0;
	E(kill(0, SIGUSR2));
	V(came == SIGUSR2);
	came = 0;
	E(kill(-getpgrp(), SIGUSR2));
	V(came == SIGUSR2);
}

void calls(void)
{
	parent = getpid();
	of_parent = pthread_self();
	in_child(ids);
	objects();
	moments();
	timers();
	signals();
	made_in_handler();
	own();
	schedule();
	in_child(of_group);
}
