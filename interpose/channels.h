/* SPDX-License-Identifier: MIT
 *
 * Channels: pipes, events, pairs of sockets and timers that an execution has made, by which its threads pass
 * something to each other. To use one is a step; channels.c says more.
 */
#ifndef LP_CHANNELS_H
#define LP_CHANNELS_H

#include "interpose.h"

/* The channel that a descriptor is an end of; 0: it is none. */
unsigned channel_of(int fd);
bool channels_any(void);

/* The same in a call that uses it: that there is nothing, because another thread has closed it, is something to see. */
unsigned channel_used(int fd);

/* A descriptor is one more end of the channel, or of what `of` is an end of; it is none any more. */
unsigned channel_new(void);
void channel_end(int fd, unsigned channel);
void channel_gone(int fd);

/* This execution has started another process, which may have any channel: from now on there are none. */
void channels_lead_out(void);

/* Several channels are looked at in one step: from now on all of them are one object. */
void channels_join(void);

/* Can a call go on? */
struct ready {
	struct readiness is;
	int fd;
	short events; /* of poll() */
};
struct ready ready_for(int fd, short events);

/* A step on the channel, of this kind (LP_EV_READ, LP_EV_RMW): when it is ready, or at once. True: it was ended by
 * a signal (enum interrupt). */
bool channel_step(unsigned channel, unsigned kind, const struct readiness *ready, bool at_once,
		  unsigned interrupt);

/* Before a call that may wait for this end of one. False: errno says why it fails. */
bool channel_wait(int fd, short events, bool at_once);

/* What a descriptor that is no channel leads to. */
void descriptor_is_used(const char *name, int fd, bool writes, bool at);

void process_starts(const char *name); /* child.c: the program starts another one */

void channels_checkpoint(void);
int i_eventfd(unsigned value, int flags);
void timer_closed(int fd); /* timer.c: it may be one */

#endif
