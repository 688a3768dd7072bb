/* SPDX-License-Identifier: MIT
 *
 * Message queues and descriptors of signals: what calls return, and what they wait for.
 */
#include "same.h"

#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/uio.h>

#define NAME own_name("same")

ssize_t __read_chk(int fd, void *to, size_t n, size_t room); /* what read is with -D_FORTIFY_SOURCE */

static mqd_t q;
static volatile sig_atomic_t noticed;

static void handler(int sig, siginfo_t *info, void *unused)
{
	(void)unused;
	noticed++;
	printf("handler: %d %d %d\n", sig == SIGUSR1, info->si_code == SI_MESGQ, info->si_value.sival_int);
}

static long late; /* what another thread got: which of two prints first is not known */

static void *sends_late(void *unused)
{
	usleep(20000);
	late = mq_send(q, "late", 5, 7);
	return unused;
}

static void *receives_late(void *unused)
{
	char text[16];

	usleep(20000);
	late = mq_receive(q, text, sizeof text, NULL);
	return unused;
}

static void errors(void)
{
	struct mq_attr bad = { .mq_maxmsg = -1, .mq_msgsize = 16 };
	char text[64];

	E(mq_open("no-slash", O_CREAT | O_RDWR, 0600, NULL));
	E(mq_open("/", O_CREAT | O_RDWR, 0600, NULL));
	E(mq_open("/a/b", O_CREAT | O_RDWR, 0600, NULL));
	E(mq_open(NAME, O_RDWR));
	E(mq_open(NAME, O_CREAT | O_RDWR, 0600, &bad));
	E(mq_unlink(NAME));
	E(mq_unlink("no-slash"));
	E(mq_close(-1));
	E(mq_send(-1, "x", 1, 0));
	E(mq_receive(-1, text, sizeof text, NULL));
	E(mq_getattr(-1, &bad));
	E(mq_notify(-1, NULL));
	E(mq_send(1, "x", 1, 0));
}

static void messages(void)
{
	struct mq_attr attr = { .mq_maxmsg = 3, .mq_msgsize = 16 }, got;
	struct timespec soon, wrong = { 0, -1 };
	char text[64];
	unsigned priority = 99;
	mqd_t other;
	pthread_t t;

	V((q = mq_open(NAME, O_CREAT | O_RDWR, 0600, &attr)) >= 0);
	E(mq_open(NAME, O_CREAT | O_EXCL | O_RDWR, 0600, &attr));
	V((other = mq_open(NAME, O_RDONLY | O_NONBLOCK)) >= 0);
	E(mq_getattr(q, &got));
	V(got.mq_maxmsg);
	V(got.mq_msgsize);
	V(got.mq_curmsgs);
	V(got.mq_flags);
	E(mq_send(q, "one", 4, 1));
	E(mq_send(q, "three", 6, 3));
	E(mq_send(q, "two", 4, 2));
	E(mq_send(q, "x", 1, 32768));
	E(mq_send(q, text, 17, 0));
	E(mq_send(other, "x", 1, 0));
	E(mq_receive(q, text, 15, NULL));
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_nsec += 5000000;
	soon.tv_sec += soon.tv_nsec / 1000000000;
	soon.tv_nsec %= 1000000000;
	E(mq_timedsend(q, "full", 5, 0, &soon));
	E(mq_timedsend(q, "full", 5, 0, &wrong));
	E(mq_timedsend(q, "full", 5, 0, &past));
	pthread_create(&t, NULL, receives_late, NULL);
	E(mq_send(q, "waits", 6, 5));
	pthread_join(t, NULL);
	V(late);
	E(mq_getattr(other, &got));
	V(got.mq_curmsgs);
	V(got.mq_flags == O_NONBLOCK);
	for (int i = 0; i < 3; i++) {
		E(mq_receive(other, text, sizeof text, &priority));
		V(priority);
		printf("%s\n", text);
	}
	E(mq_receive(other, text, sizeof text, &priority));
	E(mq_timedreceive(q, text, sizeof text, &priority, &past));
	pthread_create(&t, NULL, sends_late, NULL);
	E(mq_receive(q, text, sizeof text, &priority));
	pthread_join(t, NULL);
	V(late);
	V(priority);
	got.mq_flags = O_NONBLOCK;
	E(mq_setattr(q, &got, &attr));
	V(attr.mq_flags);
	E(mq_receive(q, text, sizeof text, &priority));
	got.mq_flags = 0;
	E(mq_setattr(q, &got, NULL));
	E(mq_unlink(NAME));
	E(mq_open(NAME, O_RDWR));
	E(mq_send(q, "still there", 12, 0));
	E(mq_receive(other, text, sizeof text, NULL));
	E(mq_close(other));
	E(mq_close(other));
}

static void notices(void)
{
	struct sigaction a = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	char text[16];

	sigaction(SIGUSR1, &a, NULL);
	e.sigev_value.sival_int = 42;
	E(mq_notify(q, &e));
	E(mq_notify(q, &e));
	E(mq_notify(q, NULL));
	E(mq_notify(q, &e));
	V(noticed);
	E(mq_send(q, "x", 1, 0));
	V(noticed);
	E(mq_send(q, "x", 1, 0));
	V(noticed);
	E(mq_notify(q, &e));
	E(mq_send(q, "x", 1, 0));
	V(noticed);
	for (int i = 0; i < 3; i++)
		E(mq_receive(q, text, sizeof text, NULL));
	E(mq_notify(q, NULL));
	e.sigev_notify = 5;
	E(mq_notify(q, &e));
	e.sigev_notify = SIGEV_SIGNAL;
	e.sigev_signo = 100;
	E(mq_notify(q, &e));
	E(mq_close(q));
}

static void ready(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	E(poll(&p, 1, 0));
	V(p.revents);
}

static void *queues_one(void *unused)
{
	usleep(20000);
	sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 5 });
	return unused;
}

static void descriptors(void)
{
	struct signalfd_siginfo s[3];
	struct iovec one = { s, sizeof *s };
	struct epoll_event event = { .events = EPOLLIN };
	sigset_t set, old;
	int fd, epoll;
	pthread_t t;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	sigdelset(&set, SIGUSR2);
	E(signalfd(-1, &set, 1));
	E(signalfd(1, &set, 0));
	E(signalfd(999, &set, 0));
	V((fd = signalfd(-1, &set, SFD_NONBLOCK)) >= 0);
	ready(fd);
	E(read(fd, s, sizeof s));
	E(write(fd, s, sizeof s));
	E(read(fd, s, 10));
	E(raise(SIGUSR2));
	ready(fd);
	V(signalfd(fd, (sigaddset(&set, SIGUSR2), &set), 0) == fd);
	ready(fd);
	E(sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 1 }));
	E(sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 2 }));
	E(read(fd, s, sizeof s));
	for (int i = 0; i < 3; i++) {
		V(s[i].ssi_signo == SIGUSR2);
		V(s[i].ssi_code);
		V(s[i].ssi_signo == SIGUSR2 ? 0 : s[i].ssi_int);
		V(s[i].ssi_pid == (unsigned)getpid());
	}
	ready(fd);
	E(sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 3 }));
	E(__read_chk(fd, s, sizeof *s, sizeof s));
	V(s[0].ssi_int);
	E(sigqueue(getpid(), SIGRTMIN, (union sigval){ .sival_int = 4 }));
	E(readv(fd, &one, 1));
	V(s[0].ssi_int);
	epoll = epoll_create1(0);
	E(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event));
	E(epoll_wait(epoll, &event, 1, 0));
	pthread_create(&t, NULL, queues_one, NULL);
	E(epoll_wait(epoll, &event, 1, -1));
	pthread_join(t, NULL);
	E(read(fd, s, sizeof s));
	E(epoll_wait(epoll, &event, 1, 0));
	E(close(epoll));
	E(fcntl(fd, F_SETFL, 0));
	pthread_create(&t, NULL, queues_one, NULL);
	E(read(fd, s, sizeof s));
	pthread_join(t, NULL);
	V(s[0].ssi_int);
	E(close(fd));
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void calls(void)
{
	noticed = 0;
	errors();
	messages();
	notices();
	descriptors();
	fflush(stdout);
}
