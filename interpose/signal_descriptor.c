/* SPDX-License-Identifier: MIT
 *
 * signalfd: descriptors that are ready when a signal is pending. The signals are the runtime's, so the kernel has an
 * event in its place, which is set before the kernel is asked, as it is for the thread that asks. To read is what
 * sigwaitinfo is.
 */
#include "../runtime/checkpoint.h"
#include "channels.h"
#include "sending.h"

#include <errno.h>
#include <sys/signalfd.h>

#define MOST 32

/* Part of the checkpoint. */
static struct {
	struct shown {
		unsigned channel; /* 0: none */
		int fd;           /* an end of it */
		bool set;
		uint64_t signals;
	} list[MOST];
	unsigned n;
} shown;

static bool changed; /* in this execution */

void signal_descriptors_checkpoint(void)
{
	checkpoint_add_marked((uintptr_t)&shown, (uintptr_t)(&shown + 1), &changed);
}

bool signal_descriptors_any(void)
{
	return shown.n;
}

void signal_descriptors_show(const struct fiber *f)
{
	uint64_t one = 1;

	for (unsigned i = 0; i < shown.n; i++) {
		struct shown *s = &shown.list[i];
		bool ready = s->channel && sent_to(f, s->signals) >= 0;

		if (ready && !s->set)
			sys3(SYS_write, s->fd, &one, sizeof one);
		else if (!ready && s->set)
			sys3(SYS_read, s->fd, &one, sizeof one);
		s->set = ready;
	}
}

static struct shown *shown_on(unsigned channel)
{
	for (unsigned i = 0; i < shown.n && channel; i++)
		if (shown.list[i].channel == channel)
			return &shown.list[i];
	return NULL;
}

void signal_descriptor_closed(unsigned channel, int other)
{
	struct shown *s = shown_on(channel);

	if (s && other >= 0)
		s->fd = other;
	else if (s)
		zero(s, sizeof *s);
}

static int made(uint64_t signals, int flags)
{
	struct shown *s = shown.list;
	int fd;

	while (s < shown.list + shown.n && s->channel)
		s++;
	if (s == shown.list + MOST)
		return fail(ENFILE);
	fd = event_made(0, flags, SIGNALS);
	if (fd < 0)
		return fd;
	if (s == shown.list + shown.n)
		shown.n++;
	*s = (struct shown){ .channel = channel_of(fd), .fd = fd, .signals = signals };
	changed = true;
	return fd;
}

int i_signalfd(int fd, const sigset_t *set, int flags);
int i_signalfd(int fd, const sigset_t *set, int flags)
{
	struct shown *s;

	if (!active())
		return real_signalfd(fd, set, flags);
	if (flags & ~(SFD_CLOEXEC | SFD_NONBLOCK))
		return fail(EINVAL);
	sends(SENDS_SIGNALS);
	if (fd == -1)
		return made(sigs_blocked(set), flags);
	s = shown_on(channel_use(fd, LP_EV_RMW));
	if (!s)
		return fail(sys2(SYS_fcntl, fd, F_GETFD) < 0 ? EBADF : EINVAL);
	s->signals = sigs_blocked(set);
	changed = true;
	return fd;
}

static struct signalfd_siginfo told(const siginfo_t *info)
{
	struct signalfd_siginfo s;

	zero(&s, sizeof s);
	s.ssi_signo = (uint32_t)info->si_signo;
	s.ssi_code = info->si_code;
	if (info->si_code == SI_TIMER) {
		s.ssi_tid = (uint32_t)info->si_timerid;
		s.ssi_overrun = (uint32_t)info->si_overrun;
	} else {
		s.ssi_pid = (uint32_t)info->si_pid;
		s.ssi_uid = info->si_uid;
	}
	s.ssi_int = info->si_value.sival_int;
	s.ssi_ptr = (uint64_t)info->si_value.sival_ptr;
	return s;
}

ssize_t signal_descriptor_read(int fd, void *to, size_t n)
{
	struct signalfd_siginfo *list = to;
	const struct shown *s = shown_on(channel_use(fd, LP_EV_READ));
	const bool at_once = sys2(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK;
	sigset_t set = { { s ? s->signals : 0 } };
	siginfo_t info;
	size_t got = 0;

	if (!s)
		return fail(EBADF);
	if (n < sizeof *list)
		return fail(EINVAL);
	while (n - got * sizeof *list >= sizeof *list) {
		const unsigned interrupt = got ? 0 : at_once ? BY_CANCEL : BY_CANCEL | BY_SIGNAL;
		int r = signal_wait(&set, &info, at_once || got, interrupt);

		if (r < 0 && !got)
			return fail(-r);
		if (r < 0)
			break;
		list[got++] = told(&info);
	}
	return (ssize_t)(got * sizeof *list);
}
