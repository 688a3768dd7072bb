/* SPDX-License-Identifier: MIT
 *
 * Channels: pipes, events, pairs of sockets and timers that an execution has made, by which its threads pass
 * something to each other. To use one is a step; channels.c says more.
 */
#ifndef LP_CHANNELS_H
#define LP_CHANNELS_H

#include "interpose.h"

#define FOR_EVER UINT64_MAX

enum channel_kind { NO_CHANNEL, PIPE, SOCKETS, EVENT, QUEUE, TIMER, SIGNALS, EPOLL };

/* Who else may have it: no other process, a child of fork, any that is started. */
enum leads { STAYS, LEADS_TO_CHILD, LEADS_OUT };

/* The channel that a descriptor is an end of; 0: it is none. */
unsigned channel_of(int fd);
enum channel_kind channel_kind(int fd);
bool channels_any(void);

/* A call uses it: the channel of its step, which may be closed now; CHANNEL_TABLE: nothing is there; CHANNEL_NONE: what
 * is there is none. */
unsigned channel_used(int fd);

/* The step that the thread has just made did not find there what it was made for: others may put something there. */
void channel_step_missed(void);

/* Such steps, of this kind, as long as there are any. Which channel is there then, or 0. `events`: for what it waits. */
unsigned channel_look(int fd, unsigned kind, short events);

/* The use itself: a step. */
unsigned channel_use(int fd, unsigned kind);

/* After a step of a call that waits for this (POLLIN, POLLOUT): a limit if another thread has closed it meanwhile. */
void channel_closed_in_use(int fd, short events);

/* It is about to be closed or copied: a step, on the table of descriptors, too. Then it is no end any more; `to` is what
 * `from` is. */
void channel_table_step(int fd);
void channel_gone(int fd);
void channel_copied(int from, int to);

/* Something is opened or closed: a step; what is called where there can be none, a limit. */
void table_step(void);
void table_changes(void);

/* One is about to be made: a step; it is made (r: what the call has returned). */
void channel_comes(void);
int channel_made(int r, const int *ends, int n, enum channel_kind kind);
uint8_t *channel_changes(unsigned channel); /* how often it was, in its last digits */
unsigned channel_unseen(void); /* one that has no descriptor */
void channel_again(int fd, unsigned channel, enum channel_kind kind); /* one more descriptor of it */
bool channel_is_open(unsigned channel);

/* Before the kernel is asked whether something is ready. */
void show_signals(void);

/* Is another thread about to read or write it, which waits for that? */
bool channel_waited(unsigned channel, short events);
int event_made(unsigned value, int flags, enum channel_kind kind);

/* This execution has started another process, which may have those that lead so far: they are none from now on.
 * What an epoll waits for is led to by that, too. */
void channels_lead_out(enum leads least);
void channel_holds(int epoll, int fd);

/* Several channels are looked at in one step: from now on all of them are one object. */
void channels_join(void);

/* Can a call go on? */
struct ready {
	struct readiness is;
	int fd;
	unsigned channel;
	short events; /* of poll() */
	bool waits;   /* the call does, if it is not */
};
struct ready ready_for(int fd, short events);

/* A step on the channel, of this kind (LP_EV_READ, LP_EV_RMW): when it is ready, or at once. True: it was ended by
 * a signal (enum interrupt). */
bool channel_step(unsigned channel, unsigned kind, const struct readiness *ready, bool at_once,
		  unsigned interrupt);

/* Until it is ready, or this moment. True: a signal or handler has ended it. */
bool channel_until(unsigned channel, unsigned kind, const struct readiness *ready, uint64_t then,
		   unsigned interrupt);

/* Before a call that may wait for this end of one, until this moment, when it fails so. False: errno says why it
 * fails. */
bool channel_wait(int fd, short events, bool at_once);
bool channel_wait_until(int fd, short events, bool at_once, uint64_t then, int late);

/* After one that was in vain although it is ready: until it is used otherwise. False: likewise. */
bool channel_wait_for_change(int fd);

/* descriptors.c: as close(), but no cancellation point. */
int descriptor_close(int fd);

/* What a descriptor that is no channel leads to. */
void descriptor_is_used(const char *name, int fd, bool writes, bool at);

void process_starts(const char *name); /* child.c: the program starts another one */

void channels_checkpoint(void);

/* file_lock.c: one descriptor is a copy of another; one is about to be closed, and is. */
void file_lock_copied(int from, int to);
void file_lock_close_step(int fd);
void file_lock_closed(int fd);
void file_locks_checkpoint(void);

/* timer.c: somebody has looked at this one, or at several, without waiting: a limit if nothing is there, but a timer could
 * have run out. */
void timer_is_early(unsigned channel, const struct readiness *ready);

/* It may be one of these, and one of its descriptors is closed; another one, or -1. */
void timer_closed(unsigned channel, int other);
void signal_descriptor_closed(unsigned channel, int other);
void queue_closed(unsigned channel);

/* signal_descriptor.c: what the kernel is about to be asked is as this fiber would find it. */
void signal_descriptors_show(const struct fiber *f);
bool signal_descriptors_any(void);
ssize_t signal_descriptor_read(int fd, void *to, size_t n);
void signal_descriptors_checkpoint(void);
void queues_checkpoint(void);

/* descriptors.c: calls on it are about to wait, or not to: a limit where that is otherwise. */
void waits_otherwise(int fd, bool at_once);

void stdio_uses(int fd);                        /* descriptors.c: what that does there is no step */
void stdio_closes(int fd);

#endif
