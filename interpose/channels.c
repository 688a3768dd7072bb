/* SPDX-License-Identifier: MIT
 *
 * Channels: the kernel has them, as without the runtime, and they are closed with what is in them at the end of the
 * execution. What is added is only that each use is a step, on an object that the channel is, and that a thread
 * that would have to wait is blocked until the kernel says that it need not. So a deadlock is one, and what
 * reads, writes and closes do is what it always is.
 *
 * Coarse: each use but a vain one changes the channel, whichever end it is of. Who looks at several (poll)
 * makes all channels one object. Each is named by the thread that has made it and the number of its making, as
 * blocks of the heap are. Numbers of descriptors depend on the order in which they are made, so making and closing
 * one is a step on the table of descriptors.
 *
 * A descriptor that leads out of the process (a socket, a pipe that was given, or one that another process has)
 * is none: it is a limit, and waits for real. descriptors.c has what closes and copies them.
 */
#include "channels.h"
#include "../runtime/checkpoint.h"
#include "../runtime/explore.h"
#include "../runtime/run_dir.h"
#include "../runtime/unseen.h"
#include "clock.h"
#include "closings.h"
#include "sending.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define MOST_DESCRIPTORS 1024
#define MOST_PAST	 2

/* Part of the checkpoint. */
static struct {
	bool any, stepped;
	bool unnumbered; /* threads have opened or closed something before there were any, and that was no step */
	uint16_t made[MAX_FIBERS];
	uint8_t changes[256]; /* of channels, by their last digits */
	struct end {
		uint32_t channel; /* from 1 */
		uint32_t opened, closed; /* by these steps ... */
		uint8_t opener, closer;  /* ... of these threads */
		uint8_t idle;     /* for what (POLLIN, POLLOUT) one would have waited when it was about to be closed */
		uint8_t kind;     /* enum channel_kind */
		uint8_t leads;    /* enum leads */
		struct past {
			uint32_t channel, opened;
			uint8_t opener;
		} past[MOST_PAST]; /* which it was before those were closed, the latest first */
	} of[MOST_DESCRIPTORS];
} channels;

static bool changed; /* in this execution */

void channels_checkpoint(void)
{
	checkpoint_add_marked((uintptr_t)&channels, (uintptr_t)(&channels + 1), &changed);
	/* Whoever looks at what is at the place of a step finds nothing. */
	map(CHANNELS, round_up(8 * (CHANNEL_LOCKS + 1), PAGE), true, false);
}

static struct end *end_at(int fd)
{
	changed |= channels.any;
	return fd >= 0 && fd < MOST_DESCRIPTORS ? &channels.of[fd] : NULL;
}

unsigned channel_of(int fd)
{
	const struct end *e = end_at(fd);

	return e ? e->channel : 0;
}

enum channel_kind channel_kind(int fd)
{
	return channel_of(fd) ? end_at(fd)->kind : NO_CHANNEL;
}

bool channels_any(void)
{
	return channels.any;
}

static void *place_of(unsigned channel)
{
	if (rt->channels_joined && channel != CHANNEL_TABLE && channel != CHANNEL_LOCKS)
		channel = CHANNEL_ALL;
	return (void *)(CHANNELS + 8UL * channel);
}

/* `changes` is another that the step changes, too; CHANNEL_NONE. */
static bool step_on(unsigned channel, unsigned changes, unsigned kind, const struct readiness *ready, bool at_once,
		    unsigned interrupt)
{
	struct pending *p;

	if (alone() && (at_once || !ready || ready->is(ready))) {
		if (interrupt & BY_CANCEL)
			cancellation_point();
		return false;
	}
	channels.stepped = changed = true;
	p = announce(kind, place_of(channel), 1, caller());
	p->flags = LP_SITE_ATOMIC | LP_SITE_NOVALUE | __ATOMIC_SEQ_CST << 4;
	if (changes != CHANNEL_NONE)
		p->addr2 = (uint64_t)place_of(changes);
	if (ready) {
		p->wait = WAIT_CHANNEL;
		p->attempt = at_once;
		p->expected = (uint64_t)ready;
		interruptible(p, interrupt);
	}
	if (UNLIKELY(signal_descriptors_any()))
		p->own = OWN_LOOKS;
	kind = step(rt->cur)->kind;
	if (ready && kind != LP_EV_TAKE && ready->missed(ready))
		channel_step_missed();
	if (at_once && kind != LP_EV_TAKE)
		timer_is_early(channel, ready);
	if (kind == LP_EV_RMW) {
		rt->passed = mix(rt->passed, p->addr << 8 | rt->cur->id);
		channels.changes[channel % 256]++;
	}
	return kind == LP_EV_TAKE;
}

bool channel_step(unsigned channel, unsigned kind, const struct readiness *ready, bool at_once,
		  unsigned interrupt)
{
	return step_on(channel, CHANNEL_NONE, kind, ready, at_once, interrupt);
}

void show_signals(void)
{
	if (UNLIKELY(signal_descriptors_any()))
		signal_descriptors_show(rt->asking ? &rt->fibers[rt->asking - 1] : rt->cur);
}

static bool is_there(const struct readiness *is)
{
	const struct ready *r = (const struct ready *)is;
	struct pollfd p = { .fd = r->fd, .events = r->events };

	show_signals();
	return sys3(SYS_poll, &p, 1, 0) != 0;
}

/* Has what happens before the running thread's next step? */
static bool known(uint8_t thread, uint32_t seq)
{
	return thread == rt->cur->id || rt->cur->clock[thread] >= seq;
}

/* Another thread has closed it, and the call could have begun before that. */
void channel_closed_in_use(int fd, short events)
{
	const struct end *e = end_at(fd);

	if (!alone() && e && e->past[0].channel && !e->channel && e->idle & events && !known(e->closer, e->closed))
		unseen("a thread closes a pipe, an event or a socket while another waits for it: that this one goes on "
		       "waiting is not explored",
		       NULL);
}

static bool is_another(const struct readiness *is)
{
	const struct ready *r = (const struct ready *)is;

	if (r->waits)
		channel_closed_in_use(r->fd, r->events);
	return channel_of(r->fd) != r->channel;
}

struct ready ready_for(int fd, short events)
{
	return (struct ready){ { is_there, is_another }, fd, channel_of(fd), events, false };
}

bool channel_waited(unsigned channel, short events)
{
	for (uint64_t b = rt->blocked; b; b &= b - 1) {
		const struct pending *p = &rt->fibers[__builtin_ctzll(b)].pending;
		const struct ready *r = (const struct ready *)p->expected;

		if (p->wait == WAIT_CHANNEL && r->is.is == is_there && r->channel == channel && r->events & events)
			return true;
	}
	return false;
}

/* Who uses a number that another thread gets at the same time looks at what was there before; so there is one class,
 * whatever there was when the call began. */
unsigned channel_used(int fd)
{
	const struct end *e = end_at(fd);

	if (e && e->channel && (alone() || e->channel == e->past[0].channel || known(e->opener, e->opened)))
		return e->channel;
	for (unsigned i = 0; e && i < MOST_PAST && e->past[i].channel; i++)
		if (alone() || known(e->past[i].opener, e->past[i].opened))
			return e->past[i].channel;
	if (fd >= 0 && channels_any() && (channel_of(fd) || sys2(SYS_fcntl, fd, F_GETFD) < 0))
		return CHANNEL_TABLE;
	return CHANNEL_NONE;
}

void channel_step_missed(void)
{
	struct event *e = &rt->log[rt->cur->last_event];

	if (alone() || !on_channel(e->addr))
		return;
	if (e->addr != (uint64_t)place_of(CHANNEL_TABLE))
		e->addr2 = (uint64_t)place_of(CHANNEL_TABLE);
	settle();
}

unsigned channel_look(int fd, unsigned kind, short events)
{
	unsigned channel;

	do {
		channel = channel_used(fd);
		if (channel == CHANNEL_NONE || channel == channel_of(fd))
			break;
		channel_step(channel, kind, NULL, false, 0);
		channel_closed_in_use(fd, events);
		channel_step_missed();
	} while (channel_of(fd));
	return channel_of(fd);
}

unsigned channel_use(int fd, unsigned kind)
{
	unsigned channel;

	do {
		channel = channel_used(fd);
		if (channel == CHANNEL_NONE)
			return 0;
		channel_step(channel, kind, NULL, false, 0);
		if (channel_of(fd) != channel)
			channel_step_missed();
	} while (channel_of(fd) && channel_of(fd) != channel);
	return channel_of(fd);
}

static uint8_t idle_now(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT };

	if (sys2(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK || sys3(SYS_poll, &p, 1, 0) < 0)
		return 0;
	return p.revents & ~(POLLIN | POLLOUT) ? 0 : p.events & ~p.revents;
}

void channel_table_step(int fd)
{
	unsigned channel;

	do {
		channel = channel_used(fd);
		if (channel == CHANNEL_NONE || channel == CHANNEL_TABLE)
			table_step();
		else
			step_on(channel, CHANNEL_TABLE, LP_EV_RMW, NULL, false, 0);
		settle();
	} while (channel_of(fd) && channel_of(fd) != channel);
	file_lock_close_step(fd);
	if (channel_of(fd))
		end_at(fd)->idle = idle_now(fd);
}

bool channel_until(unsigned channel, unsigned kind, const struct readiness *ready, uint64_t then, unsigned interrupt)
{
	const bool ends = then != FOR_EVER;
	const struct timespec until = moment(ends ? then : 0);
	uint32_t handlers;
	bool ended;

	signals_first();
	handlers = rt->cur->handlers;
	if (ends)
		time_due(&until);
	do
		ended = interrupted_since(handlers, interrupt) || channel_step(channel, kind, ready, ends, interrupt);
	while (!ended && ends && !ready->is(ready) && then > time_now() && wait_again(&until));
	rt->cur->due = 0;
	return ended || (interrupted_since(handlers, interrupt) && !ready->is(ready));
}

static unsigned channel_new(void)
{
	struct fiber *f = rt->cur;

	if (channels.made[f->id] == LP_CHANNELS_EACH)
		refuse("a thread makes more than %u pipes, events and pairs of sockets",
		       (unsigned long)LP_CHANNELS_EACH);
	changed = true;
	return CHANNEL_TABLE + 1U + f->id * LP_CHANNELS_EACH + channels.made[f->id]++;
}

uint8_t *channel_changes(unsigned channel)
{
	return &channels.changes[channel % 256];
}

unsigned channel_unseen(void)
{
	return channel_new();
}

static void channel_end(int fd, struct end end)
{
	struct end *e = end_at(fd);

	if (e)
		copy(end.past, e->past, sizeof end.past);
	end.opened = rt->cur->seq;
	end.opener = rt->cur->id;
	if (e)
		*e = end;
	else if (fd >= 0)
		unseen("a pipe, an event or a socket has a descriptor above 1023: its use is no step", NULL);
}

void channel_copied(int from, int to)
{
	const struct end *e = end_at(from);

	if (e && e->channel)
		channel_end(to, *e);
	else
		file_lock_copied(from, to);
}

static int descriptor_of(unsigned channel)
{
	for (int i = 0; i < MOST_DESCRIPTORS; i++)
		if (channel_of(i) == channel)
			return i;
	return -1;
}

bool channel_is_open(unsigned channel)
{
	return descriptor_of(channel) >= 0;
}

static void end_closed(struct end *e)
{
	struct end closed = { .closed = rt->cur->seq, .closer = rt->cur->id, .idle = e->idle };

	closed.past[0] = (struct past){ e->channel, e->opened, e->opener };
	copy(closed.past + 1, e->past, sizeof e->past - sizeof e->past[0]);
	*e = closed;
}

void channel_gone(int fd)
{
	unsigned channel = channel_of(fd);
	int other;

	file_lock_closed(fd);
	if (!channel) {
		descriptor_closes(fd);
		return;
	}
	end_closed(end_at(fd));
	other = descriptor_of(channel);
	timer_closed(channel, other);
	signal_descriptor_closed(channel, other);
	queue_closed(channel);
}

void channels_lead_out(enum leads least)
{
	for (int fd = 0; channels.any && fd < MOST_DESCRIPTORS; fd++)
		if (channel_of(fd) && end_at(fd)->leads >= least)
			*end_at(fd) = (struct end){ 0 };
}

void channel_holds(int epoll, int fd)
{
	const uint8_t leads = channel_of(fd) ? end_at(fd)->leads : LEADS_OUT;

	for (int i = 0; i < MOST_DESCRIPTORS; i++)
		if (channel_of(i) == channel_of(epoll) && i != epoll && end_at(i)->leads < leads)
			end_at(i)->leads = leads;
	if (channel_of(epoll) && end_at(epoll)->leads < leads)
		end_at(epoll)->leads = leads;
}

void channels_join(void)
{
	if (rt->channels_joined)
		return;
	rt->channels_joined = 1;
	if (!channels.stepped)
		return;
	rt->need_restart = 1;
	abandon_execution();
}

void descriptor_is_used(const char *name, int fd, bool writes, bool at)
{
	const uint64_t used = descriptor_used(name, fd);
	struct stat s;

	if (alone() || sys2(SYS_fstat, fd, &s) < 0 || fd == 1 || fd == 2)
		return;
	if (S_ISREG(s.st_mode)) {
		unseen_file(name, s.st_dev, s.st_ino, at ? NULL : &used, writes);
		return;
	}
	if (!S_ISFIFO(s.st_mode) && !S_ISSOCK(s.st_mode) && s.st_mode & S_IFMT) /* none: inotify and its like */
		return;
	unseen("what ", name,
	       " passes to another process, or takes from one, is no step: threads that do so, or wait "
	       "so, in another order are missed",
	       NULL);
}

/* ---- what makes them ---- */

static const char numbers[] =
	"threads open or close descriptors while others make pipes, events or sockets: which numbers they get in another "
	"order is not explored";

void table_step(void)
{
	if (channels_any())
		channel_step(CHANNEL_TABLE, LP_EV_RMW, NULL, false, 0);
	else if (!alone())
		channels.unnumbered = changed = true;
}

void table_changes(void)
{
	rt->opened = 1;
	if (channels_any() && !alone())
		unseen(numbers, NULL);
	else if (!alone())
		channels.unnumbered = changed = true;
}

void channel_comes(void)
{
	if (channels.unnumbered)
		unseen(numbers, NULL);
	channels.any = changed = true;
	table_step();
}

int channel_made(int r, const int *ends, int n, enum channel_kind kind)
{
	static const uint8_t leads[] = { [EVENT] = LEADS_TO_CHILD, [QUEUE] = LEADS_TO_CHILD, [PIPE] = LEADS_OUT, [SOCKETS] = LEADS_OUT };
	struct end end = { .kind = kind, .leads = kind < sizeof leads ? leads[kind] : STAYS };

	rt->opened = 1;
	if (r < 0)
		return r;
	end.channel = channel_new();
	for (int i = 0; i < n; i++)
		channel_end(ends[i], end);
	return r;
}

void channel_again(int fd, unsigned channel, enum channel_kind kind)
{
	channel_end(fd, (struct end){ .channel = channel, .kind = kind, .leads = LEADS_TO_CHILD });
}
