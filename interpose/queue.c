/* SPDX-License-Identifier: MIT
 *
 * Message queues of POSIX: the execution's. Those that were there before it, which other processes may have, are
 * refused. The kernel has the queues, without a name, and each is a channel; names and notices are kept here.
 */
#include "../runtime/checkpoint.h"
#include "../runtime/run_dir.h"
#include "../runtime/unseen.h"
#include "clock.h"
#include "sending.h"
#include "timers.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>

#define MOST 32
#define MOST_PRIORITY 32768

/* Part of the checkpoint. */
static struct {
	struct queue {
		char name[NAME_MAX + 1]; /* empty: it was unlinked */
		unsigned channel;        /* 0: there is none */
		int kept;                /* a descriptor of it, by which it is opened again */
		bool wanted;             /* a notice is, by ... */
		uint8_t how;             /* ... SIGEV_* */
		int sig;
		uint64_t value;
		struct notice notice;
	} list[MOST];
	unsigned n;
} queues;

static bool changed; /* in this execution */

void queues_checkpoint(void)
{
	checkpoint_add_marked((uintptr_t)&queues, (uintptr_t)(&queues + 1), &changed);
}

void queues_end(void)
{
	for (unsigned i = 0; i < queues.n; i++)
		if (queues.list[i].channel)
			descriptor_copy_close(queues.list[i].kept);
}

static struct queue *queue_on(unsigned channel)
{
	for (unsigned i = 0; i < queues.n && channel; i++)
		if (queues.list[i].channel == channel)
			return &queues.list[i];
	return NULL;
}

static struct queue *queue_named(const char *name)
{
	for (unsigned i = 0; i < queues.n; i++)
		if (queues.list[i].channel && *queues.list[i].name && equal(queues.list[i].name, name))
			return &queues.list[i];
	return NULL;
}

/* Nobody can come to it any more. */
static void forget_lost(struct queue *q)
{
	if (*q->name || channel_is_open(q->channel))
		return;
	descriptor_copy_close(q->kept);
	zero(q, sizeof *q);
}

/* A notice is the process's, and it is asked for no more when one of its descriptors is closed. */
void queue_closed(unsigned channel)
{
	struct queue *q = queue_on(channel);

	if (!q)
		return;
	q->wanted = false;
	forget_lost(q);
}

/* What libc and the kernel say of others is what the program is told. */
static bool is_name(const char *name)
{
	size_t n = length(name);

	if (name[0] != '/' || n < 2 || n > NAME_MAX || (name[1] == '.' && (!name[2] || (name[2] == '.' && !name[3]))))
		return false;
	for (size_t i = 1; i < n; i++)
		if (name[i] == '/')
			return false;
	return true;
}

static void refuse_if_there(const char *name)
{
	int fd = real_mq_open(name, O_RDONLY | O_NONBLOCK);

	if (fd < 0 && *real.errno_location() != EACCES)
		return;
	refuse("the program uses a message queue that was there before it, so other processes may use it, too: let it "
	       "make a queue with a name of its own, or remove the file of this name in /dev/mqueue");
}

static struct queue *queue_new(void)
{
	struct queue *q = queues.list;

	while (q < queues.list + queues.n && q->channel)
		q++;
	if (q == queues.list + MOST)
		refuse("the program has more than %u message queues", (unsigned long)MOST);
	if (q == queues.list + queues.n)
		queues.n++;
	return q;
}

/* With a name that no other process knows, and which it has only until it is there. */
static int make(const char *name, int flags, mode_t mode, const struct mq_attr *attr)
{
	struct text hidden = { 0 };
	struct queue *q;
	int fd;

	text_add(&hidden, "/linchpin.%u%c", (unsigned long)rt->target_pid, '\0');
	fd = real_mq_open(hidden.s, flags | O_CREAT | O_EXCL, mode, attr);
	if (fd < 0)
		return fd;
	real_mq_unlink(hidden.s);
	channel_made(fd, &fd, 1, QUEUE);
	q = queue_new();
	copy(q->name, name, length(name) + 1);
	q->channel = channel_of(fd);
	q->kept = descriptor_copy(fd);
	return fd;
}

static int open_again(const struct queue *q, int flags)
{
	struct text path = { 0 };
	long fd;

	text_add(&path, "/proc/self/fd/%u%c", (unsigned long)q->kept, '\0');
	fd = sys4(SYS_openat, AT_FDCWD, path.s, (flags & (O_ACCMODE | O_NONBLOCK)) | O_CLOEXEC, 0);
	if (fd < 0)
		return fail((int)-fd);
	rt->opened = 1;
	channel_again((int)fd, q->channel, QUEUE);
	return (int)fd;
}

int i_mq_open(const char *name, int flags, mode_t mode, const struct mq_attr *attr);
int i_mq_open(const char *name, int flags, mode_t mode, const struct mq_attr *attr)
{
	const struct queue *q;

	if (!active() || !is_name(name))
		return real_mq_open(name, flags, mode, attr);
	changed = true;
	process_shared_by_name();
	channel_comes();
	q = queue_named(name);
	if (q && flags & O_CREAT && flags & O_EXCL)
		return fail(EEXIST);
	if (q)
		return open_again(q, flags);
	refuse_if_there(name);
	return flags & O_CREAT ? make(name, flags, mode, attr) : fail(ENOENT);
}

int i___mq_open_2(const char *name, int flags);
int i___mq_open_2(const char *name, int flags)
{
	return i_mq_open(name, flags, 0, NULL);
}

int i_mq_unlink(const char *name);
int i_mq_unlink(const char *name)
{
	struct queue *q;

	if (!active() || !is_name(name))
		return real_mq_unlink(name);
	changed = true;
	table_step();
	q = queue_named(name);
	if (!q) {
		refuse_if_there(name);
		return fail(ENOENT);
	}
	q->name[0] = '\0';
	forget_lost(q);
	return 0;
}

int i_mq_close(int fd);
int i_mq_close(int fd)
{
	return active() ? descriptor_close(fd) : real_mq_close(fd);
}

int i_mq_getattr(int fd, struct mq_attr *attr);
int i_mq_getattr(int fd, struct mq_attr *attr)
{
	if (active())
		channel_use(fd, LP_EV_READ);
	return real_mq_getattr(fd, attr);
}

int i_mq_setattr(int fd, const struct mq_attr *new, struct mq_attr *old);
int i_mq_setattr(int fd, const struct mq_attr *new, struct mq_attr *old)
{
	if (active() && channel_use(fd, LP_EV_RMW) && new)
		waits_otherwise(fd, new->mq_flags & O_NONBLOCK);
	return real_mq_setattr(fd, new, old);
}

/* ---- messages ---- */

/* Will the call fail whatever is in the queue? */
static bool is_vain(int fd, bool sends_one, size_t size, unsigned priority, const struct timespec *until)
{
	const long mode = sys2(SYS_fcntl, fd, F_GETFL) & O_ACCMODE;
	struct mq_attr attr;

	if (real_mq_getattr(fd, &attr) || (until && (!valid_time(until) || until->tv_sec < 0)))
		return true;
	if (sends_one)
		return mode == O_RDONLY || priority >= MOST_PRIORITY || size > (size_t)attr.mq_msgsize;
	return mode == O_WRONLY || size < (size_t)attr.mq_msgsize;
}

/* Until it can be done. False: it fails. */
static bool may_pass(int fd, bool sends_one, size_t size, unsigned priority, const struct timespec *until)
{
	const short events = sends_one ? POLLOUT : POLLIN;
	uint64_t then = FOR_EVER;

	if (channel_look(fd, LP_EV_RMW, events) == 0 || channel_kind(fd) != QUEUE) {
		cancellation_point();
		return true;
	}
	if (is_vain(fd, sends_one, size, priority, until)) {
		cancellation_point();
		channel_use(fd, LP_EV_RMW);
		return true;
	}
	if (until)
		time_of(until, &then);
	return channel_wait_until(fd, events, false, then, ETIMEDOUT);
}

/* The first message has come to an empty queue, and nobody waits for it. */
static void notify(struct queue *q)
{
	const struct notice notice = q->notice;

	q->wanted = false;
	if (q->how == SIGEV_THREAD) {
		notice_comes(&notice);
	} else if (q->how == SIGEV_SIGNAL && q->sig) {
		const int sig = q->sig;
		const uint64_t value = q->value;

		send_step(SENT_PROCESS);
		signal_comes(NULL, sig, SI_MESGQ, value);
		take_now();
	}
}

static bool waited_for(const struct queue *q)
{
	if (!channel_waited(q->channel, POLLIN))
		return false;
	unseen("a thread waits for a message while a notice is asked for (mq_notify): that it has not begun to wait, so "
	       "that the notice comes, is not explored",
	       NULL);
	return true;
}

int i_mq_timedsend(int fd, const char *message, size_t size, unsigned priority, const struct timespec *until);
int i_mq_timedsend(int fd, const char *message, size_t size, unsigned priority, const struct timespec *until)
{
	struct mq_attr before = { 0 };
	struct queue *q;
	int r;

	if (!active())
		return real_mq_timedsend(fd, message, size, priority, real_until(CLOCK_REALTIME, until));
	if (!may_pass(fd, true, size, priority, until))
		return -1;
	unseen_memory("mq_send", (uintptr_t)message, size, false);
	q = queue_on(channel_of(fd));
	real_mq_getattr(fd, &before);
	r = real_mq_timedsend(fd, message, size, priority, until);
	if (!r && q && q->wanted && !before.mq_curmsgs && !waited_for(q))
		notify(q);
	return r;
}

int i_mq_send(int fd, const char *message, size_t size, unsigned priority);
int i_mq_send(int fd, const char *message, size_t size, unsigned priority)
{
	return i_mq_timedsend(fd, message, size, priority, NULL);
}

ssize_t i_mq_timedreceive(int fd, char *to, size_t size, unsigned *priority, const struct timespec *until);
ssize_t i_mq_timedreceive(int fd, char *to, size_t size, unsigned *priority, const struct timespec *until)
{
	ssize_t r;

	if (!active())
		return real_mq_timedreceive(fd, to, size, priority, real_until(CLOCK_REALTIME, until));
	if (!may_pass(fd, false, size, 0, until))
		return -1;
	r = real_mq_timedreceive(fd, to, size, priority, until);
	if (r > 0)
		unseen_memory("mq_receive", (uintptr_t)to, (size_t)r, true);
	return r;
}

ssize_t i_mq_receive(int fd, char *to, size_t size, unsigned *priority);
ssize_t i_mq_receive(int fd, char *to, size_t size, unsigned *priority)
{
	return i_mq_timedreceive(fd, to, size, priority, NULL);
}

int i_mq_notify(int fd, const struct sigevent *event);
int i_mq_notify(int fd, const struct sigevent *event)
{
	struct queue *q;

	if (!active())
		return real_mq_notify(fd, event);
	if (event && event->sigev_notify != SIGEV_NONE && event->sigev_notify != SIGEV_THREAD &&
	    (event->sigev_notify != SIGEV_SIGNAL || event->sigev_signo < 0 || event->sigev_signo > LAST_SIGNAL))
		return fail(EINVAL);
	q = queue_on(channel_use(fd, LP_EV_RMW));
	if (!q)
		return fail(EBADF);
	changed = true;
	if (!event) {
		q->wanted = false;
		return 0;
	}
	if (q->wanted)
		return fail(EBUSY);
	if (event->sigev_notify == SIGEV_SIGNAL)
		sends(SENDS_SIGNALS);
	else if (event->sigev_notify == SIGEV_THREAD)
		notice_of(&q->notice, event);
	q->wanted = true;
	q->how = (uint8_t)event->sigev_notify;
	q->sig = event->sigev_signo;
	q->value = (uint64_t)event->sigev_value.sival_ptr;
	return 0;
}
