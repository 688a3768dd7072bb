/* SPDX-License-Identifier: MIT
 *
 * Instructions that give the program a number from outside: the time, random numbers, which processor it is. It gets what
 * libc's functions for them say, so the numbers are the same in every execution of a class.
 */
#include "../interpose/clock.h"
#include "event.h"
#include "load.h"

#define FLAGS_CARRY 0x0300 /* as lahf and seto leave them in ax: the number is there */

static uint64_t number(const struct site *s)
{
	uint64_t n = 0;

	if (s->number == NUMBER_TIME)
		return clock_ticks();
	if (s->number == NUMBER_RANDOM)
		random_bytes((uint8_t *)&n, s->size);
	return n; /* the program runs on the first processor */
}

uint64_t number_event(const struct site *s, uint64_t *r, uint64_t *entry)
{
	uint64_t rax = register_value(s, r, RAX), n;

	if (!active())
		return s->resume;
	rt->instr.full = entry;
	n = number(s);
	r[R_SAVED_RAX] = rax;
	if (s->number == NUMBER_TIME) {
		r[R_SAVED_RAX] = (uint32_t)n;
		r[R_RDX] = n >> 32;
		if (s->reg == RCX)
			r[R_RCX] = 0;
		return s->after;
	}
	set_register_value(r, s->reg, s->size == 2 ? (register_value(s, r, s->reg) & ~0xffffUL) | n : n);
	if (s->number == NUMBER_RANDOM)
		r[R_AX] = FLAGS_CARRY;
	return s->after;
}
