/* SPDX-License-Identifier: MIT
 *
 * Signals: masks, handlers, waiting for them, timers; named semaphores.
 */
#include "same.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/time.h>

static volatile sig_atomic_t count, last_value;
static sem_t never;
static pthread_t main_thread;

static void handler(int sig)
{
	count++;
	printf("handler of %d\n", sig);
}

static void with_info(int sig, siginfo_t *info, void *context)
{
	count++;
	last_value = info->si_value.sival_int;
	printf("handler of %d: code %d, %s\n", sig, info->si_code, context ? "context" : "none");
}

static void install(int sig, void (*f)(int), void (*g)(int, siginfo_t *, void *), int flags)
{
	struct sigaction a;

	memset(&a, 0, sizeof a);
	if (g)
		a.sa_sigaction = g, flags |= SA_SIGINFO;
	else
		a.sa_handler = f;
	a.sa_flags = flags;
	E(sigaction(sig, &a, NULL));
}

/* How often these come depends on when main begins to wait. */
static void quiet(int sig)
{
	(void)sig;
}

static atomic_bool woken;

static void *interrupts(void *unused)
{
	do {
		usleep(20000);
		pthread_kill(main_thread, SIGUSR1);
	} while (!woken);
	return unused;
}

static void awake(pthread_t t)
{
	woken = true;
	pthread_join(t, NULL);
	woken = false;
}

static void every_fifth(bool on)
{
	struct timeval fifth = { 0, on ? 200000 : 0 };

	E(setitimer(ITIMER_REAL, &(struct itimerval){ fifth, fifth }, NULL));
}

static void *raises(void *unused)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	R(pthread_sigmask(SIG_SETMASK, NULL, &set));
	V(sigismember(&set, SIGUSR2));
	R(pthread_kill(main_thread, SIGUSR2));
	return unused;
}

static void masks(void)
{
	sigset_t set, old, pending;
	siginfo_t info;
	struct timespec none = { 0, 0 }, bad = { 0, -1 };
	int sig;
	union sigval v = { .sival_int = 42 };

	install(SIGUSR1, handler, NULL, 0);
	install(SIGUSR2, NULL, with_info, SA_RESTART);
	E(sigaction(SIGKILL, &(struct sigaction){ .sa_handler = handler }, NULL));
	E(sigaction(999, NULL, NULL));
	E(raise(SIGUSR1));
	E(raise(999));
	V(count);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGRTMIN);
	R(pthread_sigmask(SIG_BLOCK, &set, &old));
	V(sigismember(&old, SIGUSR1));
	R(pthread_sigmask(99, &set, &old));
	E(raise(SIGUSR1));
	E(raise(SIGUSR1));
	R(pthread_sigqueue(pthread_self(), SIGUSR2, v));
	E(sigpending(&pending));
	V(sigismember(&pending, SIGUSR1));
	V(sigismember(&pending, SIGUSR2));
	V(count);
	E(sigtimedwait(&set, &info, &none));
	V(info.si_signo);
	R(sigwait(&set, &sig));
	V(sig);
	E(sigtimedwait(&set, &info, &none));
	E(sigtimedwait(&set, &info, &bad));
	v.sival_int = 1;
	R(pthread_sigqueue(pthread_self(), SIGRTMIN, v));
	v.sival_int = 2;
	R(pthread_sigqueue(pthread_self(), SIGRTMIN, v));
	E(sigwaitinfo(&set, &info) == SIGRTMIN);
	V(info.si_value.sival_int);
	E(sigwaitinfo(&set, &info) == SIGRTMIN);
	V(info.si_value.sival_int);
	elsewhere(raises, NULL);
	E(sigpending(&pending));
	V(sigismember(&pending, SIGUSR2));
	R(pthread_sigmask(SIG_SETMASK, &old, NULL));
	V(count);
	for (sig = 1; sig < 32; sig++) {
		struct sigaction before;

		if (sig != SIGPIPE && !sigaction(sig, NULL, &before))
			V(before.sa_handler == SIG_DFL);
	}
	R(pthread_kill(pthread_self(), 0));
	R(pthread_kill(pthread_self(), 999));
	E(kill(getpid(), 0));
	E(kill(getpid(), SIGUSR1));
	V(count);
	v.sival_int = 7;
	E(sigqueue(getpid(), SIGUSR2, v));
	V(last_value);
}

static void interruptions(void)
{
	pthread_t t;
	struct timespec second = { 1, 0 }, left = { 0, 0 };
	sigset_t none;

	main_thread = pthread_self();
	sigemptyset(&none);
	sem_init(&never, 0, 0);
	install(SIGUSR1, quiet, NULL, 0);
	pthread_create(&t, NULL, interrupts, NULL);
	E(sem_wait(&never));
	awake(t);
	pthread_create(&t, NULL, interrupts, NULL);
	E(pause());
	awake(t);
	pthread_create(&t, NULL, interrupts, NULL);
	E(sigsuspend(&none));
	awake(t);
	install(SIGALRM, handler, NULL, 0);
	V(alarm(1));
	V(sleep(50) > 0);
	V(alarm(0));
	install(SIGALRM, quiet, NULL, 0);
	every_fifth(true);
	E(nanosleep(&second, &left));
	V(left.tv_sec == 0 && left.tv_nsec > 0);
	E(sem_wait(&never));
	every_fifth(false);
}

static void timers(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2 };
	struct itimerspec far = { .it_value = { 1000, 0 } }, soon = { .it_value = { 0, 10000000 } },
			  bad = { .it_value = { 0, -1 } };
	sigset_t set, none;
	timer_t t;

	e.sigev_value.sival_int = 99;
	E(timer_create(CLOCK_MONOTONIC, &e, &t));
	E(timer_settime(t, 0, &bad, NULL));
	E(timer_settime(t, 0, &far, NULL));
	E(timer_gettime(t, &bad));
	V(bad.it_value.tv_sec > 0);
	sigemptyset(&none);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	R(pthread_sigmask(SIG_BLOCK, &set, NULL));
	E(timer_settime(t, 0, &soon, NULL));
	E(sigsuspend(&none));
	R(pthread_sigmask(SIG_UNBLOCK, &set, NULL));
	V(last_value);
	E(timer_delete(t));
	E(timer_create(99, &e, &t));
}

static void nothing(union sigval unused) { (void)unused; }

/* What runs out while its signal waits; what is asked for wrongly. */
static void overruns(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1 };
	struct itimerspec s = { .it_value = { 0, 1000000 }, .it_interval = { 0, 1000000 } }, bad = { .it_value = { -1, 0 } };
	struct itimerval whole = { .it_value = { 500, 0 }, .it_interval = { 2, 0 } }, minus = { .it_value = { -1, 0 } };
	sigset_t set;
	siginfo_t info;
	timer_t t;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 1);
	R(pthread_sigmask(SIG_BLOCK, &set, NULL));
	E(timer_create(CLOCK_REALTIME, &e, &t));
	E(timer_getoverrun(t));
	E(timer_settime(t, 0, &bad, NULL));
	E(timer_settime(t, 0, &s, NULL));
	E(usleep(50500));
	E(sigwaitinfo(&set, &info) == SIGRTMIN + 1);
	V(info.si_code == SI_TIMER);
	V(info.si_overrun >= 48);
	V(timer_getoverrun(t) == info.si_overrun);
	E(timer_gettime(t, &s));
	V(s.it_interval.tv_nsec);
	E(timer_delete(t));
	E(timer_delete(t));
	e.sigev_notify = 77;
	E(timer_create(CLOCK_REALTIME, &e, &t));
	e.sigev_notify = SIGEV_SIGNAL;
	e.sigev_signo = 0;
	E(timer_create(CLOCK_REALTIME, &e, &t));
	e.sigev_signo = 65;
	E(timer_create(CLOCK_REALTIME, &e, &t));
	e.sigev_notify = SIGEV_NONE;
	E(timer_create(CLOCK_PROCESS_CPUTIME_ID, &e, &t));
	s = (struct itimerspec){ .it_value = { 100, 0 } };
	E(timer_settime(t, 0, &s, NULL));
	E(timer_gettime(t, &s));
	V(s.it_value.tv_sec > 50 && s.it_value.tv_sec <= 100);
	E(timer_delete(t));
	e.sigev_notify = SIGEV_THREAD;
	e.sigev_notify_function = nothing;
	e.sigev_notify_attributes = NULL;
	E(timer_create(CLOCK_MONOTONIC, &e, &t));
	E(timer_getoverrun(t));
	E(timer_delete(t));
	for (int which = ITIMER_REAL; which <= ITIMER_PROF + 1; which++) {
		E(setitimer(which, &whole, NULL));
		E(setitimer(which, &minus, NULL));
		E(getitimer(which, &whole));
		V(whole.it_interval.tv_sec);
		V(whole.it_value.tv_sec > 50);
		E(setitimer(which, &(struct itimerval){ { 0, 0 }, { 0, 0 } }, NULL));
	}
}

static volatile char here;

static void on_stack(int sig)
{
	stack_t now;
	char local;

	V(sig);
	E(sigaltstack(NULL, &now));
	V(now.ss_flags);
	V(&local - (char *)now.ss_sp >= 0 && &local - (char *)now.ss_sp < (long)now.ss_size);
	now.ss_flags = 0;
	E(sigaltstack(&now, NULL));
	here++;
}

static void alternate(void)
{
	static char stack[32768];
	stack_t s = { .ss_sp = stack, .ss_size = 100 }, old;

	E(sigaltstack(&s, NULL));
	s.ss_size = sizeof stack;
	s.ss_flags = 8;
	E(sigaltstack(&s, NULL));
	s.ss_flags = 0;
	E(sigaltstack(&s, &old));
	V(old.ss_flags);
	install(SIGUSR1, on_stack, NULL, SA_ONSTACK);
	E(raise(SIGUSR1));
	E(sigaltstack(NULL, &old));
	V(old.ss_flags);
	V(old.ss_size);
	s.ss_flags = SS_DISABLE;
	E(sigaltstack(&s, NULL));
	E(sigaltstack(NULL, &old));
	V(old.ss_flags);
	V(old.ss_size);
	V(here);
	install(SIGUSR1, handler, NULL, 0);
}

static void names(void)
{
	sem_t *a, *b;

	sem_unlink(own_name("test"));
	V(sem_open(own_name("test"), 0) == SEM_FAILED && errno == ENOENT);
	V(sem_open("", O_CREAT, 0600, 1) == SEM_FAILED && errno == EINVAL);
	a = sem_open(own_name("test"), O_CREAT | O_EXCL, 0600, 1);
	V(a != SEM_FAILED);
	V(sem_open(own_name("test"), O_CREAT | O_EXCL, 0600, 1) == SEM_FAILED && errno == EEXIST);
	b = sem_open(own_name("test"), 0);
	V(a == b);
	E(sem_wait(a));
	E(sem_trywait(b));
	E(sem_post(b));
	E(sem_unlink(own_name("test")));
	E(sem_unlink(own_name("test")));
	E(sem_close(a));
	E(sem_close(b));
}

/* Of sockets only streams say it with a signal. */
static void broken(int type)
{
	int ends[2];

	socketpair(AF_UNIX, type, 0, ends);
	E(shutdown(ends[0], SHUT_RD));
	E(send(ends[1], "x", 1, MSG_NOSIGNAL));
	E(send(ends[1], "x", 1, 0));
	close(ends[0]);
	E(write(ends[1], "x", 1));
	close(ends[1]);
}

void calls(void)
{
	install(SIGPIPE, handler, NULL, 0);
	broken(SOCK_STREAM);
	broken(SOCK_DGRAM);
	broken(SOCK_SEQPACKET);
	count = 0;
	main_thread = pthread_self();
	masks();
	interruptions();
	timers();
	overruns();
	alternate();
	names();
}
