/* SPDX-License-Identifier: MIT
 *
 * What the other programs of this kind leave out of the errors that manual pages name.
 */
#include "same.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/time.h>
#include <sys/timerfd.h>

static void *nothing(void *arg)
{
	return arg;
}

static void destroys(void *value)
{
	(void)value;
}

static void threads(void)
{
	pthread_key_t key, keys[PTHREAD_KEYS_MAX + 1];
	pthread_attr_t a;
	struct sched_param p = { .sched_priority = 0 };
	cpu_set_t cpus;
	char name[16];
	int n = 0, r;

	R(pthread_tryjoin_np(pthread_self(), NULL));
	R(pthread_timedjoin_np(pthread_self(), NULL, &past));
	R(pthread_setname_np(pthread_self(), "more than fifteen letters"));
	R(pthread_getname_np(pthread_self(), name, 1));
	R(pthread_setschedparam(pthread_self(), -1, &p));
	R(pthread_getaffinity_np(pthread_self(), 1, &cpus));
	R(pthread_setcancelstate(-1, NULL));
	R(pthread_setcanceltype(-1, NULL));
	R(pthread_key_delete(PTHREAD_KEYS_MAX));
	R(pthread_setspecific(PTHREAD_KEYS_MAX, NULL));
	V(pthread_getspecific(PTHREAD_KEYS_MAX) == NULL);
	while (!(r = pthread_key_create(&key, destroys)) && n < PTHREAD_KEYS_MAX)
		keys[n++] = key;
	printf("pthread_key_create(...): %s\n", strerrorname_np(r));
	while (n)
		pthread_key_delete(keys[--n]);
	pthread_attr_init(&a);
	R(pthread_attr_setdetachstate(&a, -1));
	R(pthread_attr_setguardsize(&a, 0));
	R(pthread_attr_setinheritsched(&a, -1));
	R(pthread_attr_setschedpolicy(&a, -1));
	R(pthread_attr_setscope(&a, -1));
	R(pthread_attr_setscope(&a, PTHREAD_SCOPE_PROCESS));
	R(pthread_attr_setstacksize(&a, PTHREAD_STACK_MIN - 1));
	R(pthread_attr_setstack(&a, name, PTHREAD_STACK_MIN - 1));
	p.sched_priority = 1000;
	R(pthread_attr_setschedparam(&a, &p));
	R(pthread_attr_destroy(&a));
}

static void mutexes(void)
{
	pthread_mutexattr_t a;
	pthread_mutex_t m;
	int old;

	pthread_mutexattr_init(&a);
	R(pthread_mutexattr_settype(&a, -1));
	R(pthread_mutexattr_setprotocol(&a, -1));
	R(pthread_mutexattr_setpshared(&a, -1));
	R(pthread_mutexattr_setrobust(&a, -1));
	R(pthread_mutexattr_setprioceiling(&a, -1));
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	R(pthread_mutex_init(&m, &a));
	R(pthread_mutex_lock(&m));
	m.__data.__count = UINT_MAX;
	R(pthread_mutex_lock(&m));
	R(pthread_mutex_trylock(&m));
	m.__data.__count = 1;
	R(pthread_mutex_destroy(&m));
	R(pthread_mutex_consistent(&m));
	R(pthread_mutex_getprioceiling(&m, &old));
	R(pthread_mutex_setprioceiling(&m, 1, &old));
	R(pthread_mutex_unlock(&m));
	R(pthread_mutex_unlock(&m));
	R(pthread_mutex_destroy(&m));
}

static void others(void)
{
	pthread_rwlockattr_t l;
	pthread_condattr_t c;
	pthread_barrierattr_t b;
	pthread_barrier_t barrier;
	sem_t *s;
	char long_name[300];

	memset(long_name, 'a', sizeof long_name);
	long_name[0] = '/';
	long_name[sizeof long_name - 1] = '\0';
	pthread_rwlockattr_init(&l);
	R(pthread_rwlockattr_setpshared(&l, -1));
	R(pthread_rwlockattr_setkind_np(&l, -1));
	pthread_condattr_init(&c);
	R(pthread_condattr_setpshared(&c, -1));
	R(pthread_condattr_setclock(&c, -1));
	pthread_barrierattr_init(&b);
	R(pthread_barrierattr_setpshared(&b, -1));
	R(pthread_barrier_init(&barrier, NULL, (unsigned)INT_MAX + 1));
	E(sem_open(long_name, O_CREAT, 0600, 1) == SEM_FAILED ? -1 : 0);
	E(sem_open("/a/b", O_CREAT, 0600, 1) == SEM_FAILED ? -1 : 0);
	E(sem_open(own_name("none"), 0) == SEM_FAILED ? -1 : 0);
	E(sem_open(own_name("much"), O_CREAT, 0600, (unsigned)SEM_VALUE_MAX + 1) == SEM_FAILED ? -1 : 0);
	s = sem_open(own_name("errors"), O_CREAT | O_EXCL, 0600, 1);
	E(sem_open(own_name("errors"), O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED ? -1 : 0);
	E(sem_unlink(own_name("errors")));
	E(sem_unlink(own_name("errors")));
	E(sem_unlink(long_name));
	E(sem_close(s));
}

static void handler(int sig)
{
	printf("handler of %d\n", sig - (sig >= SIGRTMIN ? SIGRTMIN : 0));
}

static void signals(void)
{
	sigset_t set, old;
	siginfo_t info;
	stack_t small = { .ss_sp = &set, .ss_size = 1 }, bad = { .ss_flags = -1 };
	union sigval v = { .sival_int = 3 };

	E(signal(SIGKILL, handler) == SIG_ERR ? -1 : 0);
	E(signal(-1, handler) == SIG_ERR ? -1 : 0);
	E(sigaction(0, NULL, NULL));
	E(sigaction(SIGSTOP, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL));
	E(raise(-1));
	E(kill(getpid(), -1));
	E(kill(INT_MAX, 0));
	E(sigqueue(getpid(), -1, v));
	E(tgkill(getpid(), INT_MAX, 0));
	E(sigaltstack(&small, NULL));
	E(sigaltstack(&bad, NULL));
	R(pthread_kill(pthread_self(), -1));
	R(pthread_sigqueue(pthread_self(), -1, v));
	R(pthread_sigmask(-1, &set, NULL));
	E(sigprocmask(-1, &set, NULL));
	/* The lowest number first, whatever came first. */
	sigemptyset(&set);
	for (int i = 0; i < 4; i++)
		sigaddset(&set, SIGRTMIN + i), signal(SIGRTMIN + i, handler);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	for (int i = 3; i >= 0; i--)
		raise(SIGRTMIN + i), kill(getpid(), SIGRTMIN + i);
	raise(SIGUSR1);
	E(sigwaitinfo(&set, &info) == -1 ? -1 : 0);
	V(info.si_signo == SIGUSR1);
	V(info.si_code == SI_USER);
	for (int i = 0; i < 8; i++) {
		sigwaitinfo(&set, &info);
		V(info.si_signo - SIGRTMIN);
		V(info.si_code);
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void clocks(void)
{
	struct timespec t = { 0, 1 };
	struct itimerval i = { .it_value = { 0, 1000000 } };
	clockid_t clock;
	struct sched_param p = { .sched_priority = 1000 };

	E(clock_gettime(INT_MIN, &t));
	E(clock_gettime(INT_MIN + 1, &t));
	E(clock_gettime(-1073743192, &t));
	E(clock_gettime(10, &t));
	E(clock_getres(99, &t));
	E(clock_getcpuclockid(0, &clock));
	E(clock_gettime(clock, &t));
	R(pthread_getcpuclockid(pthread_self(), &clock));
	E(clock_gettime(clock, &t));
	E(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t));
	R(clock_nanosleep(-1, 0, &t, NULL));
	R(clock_nanosleep(CLOCK_MONOTONIC, 0, &too_small, NULL));
	E(nanosleep(&too_large, NULL));
	E(setitimer(99, &i, NULL));
	E(setitimer(ITIMER_REAL, &i, NULL));
	E(getitimer(99, &i));
	E(clock_settime(99, &t));
	E(sched_setscheduler(0, 99, &p));
	E(sched_setparam(0, &p));
	E(sched_getscheduler(INT_MAX));
	E(sched_get_priority_max(99));
	E(sched_get_priority_min(99));
	E(sched_rr_get_interval(INT_MAX, &t));
	V(thrd_sleep(&too_small, NULL) < 0);
}

static void timer_descriptors(void)
{
	struct itimerspec soon = { .it_value = { 0, 1 } }, wrong = { .it_value = { 0, -1 } };
	unsigned long n = 1;
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);

	E(timerfd_create(99, 0));
	E(timerfd_create(CLOCK_PROCESS_CPUTIME_ID, 0));
	E(timerfd_create(CLOCK_TAI, 0));
	E(timerfd_create(CLOCK_MONOTONIC, 1));
	E(timerfd_settime(fd, 4, &soon, NULL));
	E(timerfd_settime(fd, 0, &wrong, NULL));
	E(timerfd_settime(1, 0, &soon, NULL));
	E(timerfd_settime(-1, 0, &soon, NULL));
	E(timerfd_gettime(1, &wrong));
	E(timerfd_settime(fd, TFD_TIMER_CANCEL_ON_SET, &(struct itimerspec){ 0 }, NULL));
	E(write(fd, &n, sizeof n));
	E(read(fd, &n, sizeof n));
	E(timerfd_settime(fd, TFD_TIMER_ABSTIME, &soon, NULL));
	usleep(1000);
	E(read(fd, &n, sizeof n));
	V(n);
	E(close(fd));
}

void calls(void)
{
	threads();
	mutexes();
	others();
	signals();
	clocks();
	timer_descriptors();
	elsewhere(nothing, NULL);
}
