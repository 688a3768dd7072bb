/* SPDX-License-Identifier: MIT */
#include "steering.h"
#include "memory.h"
#include "modules.h"
#include "run_dir.h"
#include "share.h"
#include "state.h"

#include <fcntl.h>

#define LARGEST (1UL << 20)

static int fd; /* open from the beginning: the program may give up the right to write there */

/* With room for a line more. */
static struct text *room(struct text *t)
{
	if (t->n > sizeof t->s - 128)
		text_flush(t, fd);
	return t;
}

static void write_loops(struct text *t)
{
	unsigned kinds;
	uint32_t i = 0;
	uint64_t pc, offset;

	while ((pc = loop_next(&i, &kinds))) {
		int32_t m = module_of_key(pc, &offset);

		if (m >= 0 && kinds & (LOOP_ENDLESS | LOOP_HIDDEN))
			text_add(room(t), "loop %u %x %u\n", (unsigned long)m, offset,
				 (unsigned long)kinds);
	}
}

static void write_stacks(struct text *t)
{
	uint64_t lo, hi = 0;

	for (unsigned i = 0; i < MAX_FIBERS; i++, hi = 0)
		while (stack_shared_range(i, &lo, &hi))
			text_add(room(t), "stack %u %x %x\n", (unsigned long)i, lo, hi);
}

void steering_write(void)
{
	struct text t = { 0 };

	sys2(SYS_ftruncate, fd, 0); /* it may have been written before */
	sys3(SYS_lseek, fd, 0, SEEK_SET);
	/* Steps that there are, or that are others, only once it is known that somebody looks for them. */
	text_add(&t, "sends %u\nends %u\nchannels %u\n", (unsigned long)rt->sends,
		 (unsigned long)rt->ends_watched, (unsigned long)rt->channels_joined);
	write_stacks(&t);
	for (unsigned i = 0; i < MAX_FIBERS; i++)
		if (rt->shared_tls[i].hi)
			text_add(room(&t), "tls %u %x %x\n", (unsigned long)i, rt->shared_tls[i].lo,
				 rt->shared_tls[i].hi);
	write_loops(&t);
	text_flush(&t, fd);
}

static uint64_t number(const char **p, unsigned base)
{
	while (**p == ' ')
		++*p;
	return text_number(p, base);
}

static void read_line(const char *p)
{
	if (same(p, "loop ", 5)) {
		uint64_t m, offset;

		p += 5;
		m = number(&p, 10);
		offset = number(&p, 16);
		loop_learn(module_key((int32_t)m, offset), (unsigned)number(&p, 10) &
								   (LOOP_ENDLESS | LOOP_HIDDEN));
	} else if (same(p, "tls ", 4)) {
		uint64_t thread;

		p += 4;
		thread = number(&p, 10);
		if (thread < MAX_FIBERS) {
			rt->shared_tls[thread].lo = number(&p, 16);
			rt->shared_tls[thread].hi = number(&p, 16);
		}
	} else if (same(p, "sends ", 6)) {
		p += 6;
		rt->sends = number(&p, 10) & (SENDS_CANCEL | SENDS_SIGNALS | SENDS_ALONE | SENDS_CAUGHT);
	} else if (same(p, "ends ", 5)) {
		p += 5;
		rt->ends_watched = number(&p, 10) != 0;
	} else if (same(p, "channels ", 9)) {
		p += 9;
		rt->channels_joined = number(&p, 10) != 0;
	} else if (same(p, "stack ", 6)) {
		uint64_t thread, lo;

		p += 6;
		thread = number(&p, 10);
		lo = number(&p, 16);
		stack_share_range((unsigned)thread, lo, number(&p, 16));
	}
}

void steering_read(void)
{
	char *text, *next;
	long n;

	fd = run_dir_file("steering", O_WRONLY);
	if (!*rt->config.steering)
		return;
	text = memory_get(LARGEST + 1);
	n = read_file(rt->config.steering, text, LARGEST);
	if (n < 0)
		die("LINCHPIN_STEERING=%s: it cannot be read (errno %d)", rt->config.steering, -n);
	for (text[n] = '\0'; *text; text = next) {
		for (next = text; *next && *next != '\n'; next++)
			;
		if (*next)
			*next++ = '\0';
		read_line(text);
	}
}
