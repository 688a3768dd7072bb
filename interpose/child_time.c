/* SPDX-License-Identifier: MIT
 *
 * Time in a child of fork. It runs for real, but its clocks go on from where they were when it was made, as what the
 * program has kept of them is virtual: deadlines, beginnings. All clocks are one there, too.
 */
#include "timers.h"

static struct {
	uint64_t then;           /* virtual */
	struct timespec at, day; /* CLOCK_MONOTONIC and CLOCK_REALTIME then */
} made;

static struct timespec kernel_time(clockid_t clock)
{
	struct timespec t;

	sys2(SYS_clock_gettime, clock, &t);
	return t;
}

/* a + b - c */
static struct timespec shifted(struct timespec a, struct timespec b, struct timespec c)
{
	long ns = a.tv_nsec + b.tv_nsec - c.tv_nsec;
	const time_t carry = ns < 0 ? -1 : ns / 1000000000;

	return (struct timespec){ a.tv_sec + b.tv_sec - c.tv_sec + carry, ns - carry * 1000000000 };
}

void time_in_child(void)
{
	made.then = time_now();
	made.at = kernel_time(CLOCK_MONOTONIC);
	made.day = kernel_time(CLOCK_REALTIME);
}

struct timespec child_now(void)
{
	return shifted(moment(made.then), kernel_time(CLOCK_MONOTONIC), made.at);
}

struct timespec child_stamp(struct timespec stamp)
{
	const struct timespec t = shifted(moment(made.then), stamp, made.day), first = moment(0);

	return t.tv_sec < first.tv_sec ? first : t;
}

const struct timespec *child_until(clockid_t clock, const struct timespec *t, struct timespec *room)
{
	if (!in_child() || !t || !valid_time(t) || t->tv_sec < 0 || t->tv_sec > EPOCH_SECONDS * 2)
		return t;
	*room = shifted(*t, kernel_time(clock), child_now());
	if (room->tv_sec < 0)
		*room = (struct timespec){ 0, 0 };
	return room;
}

const struct itimerspec *child_timer(const struct itimerspec *t, struct itimerspec *room)
{
	const struct timespec none = { 0, 0 };

	if (!t || !valid_timer(t) || t->it_value.tv_sec > EPOCH_SECONDS * 2 ||
	    (!t->it_value.tv_sec && !t->it_value.tv_nsec))
		return t;
	*room = *t;
	room->it_value = shifted(t->it_value, none, child_now());
	if (room->it_value.tv_sec < 0 || (!room->it_value.tv_sec && !room->it_value.tv_nsec))
		room->it_value = (struct timespec){ 0, 1 };
	return room;
}
