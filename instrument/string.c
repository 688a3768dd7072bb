/* SPDX-License-Identifier: MIT
 *
 * String instructions: their accesses are to ranges.
 */
#include "event.h"

/* How many elements a comparison or scan looks at. */
static uint64_t elements(const struct site *s, const uint64_t *r, uint64_t a, uint64_t b,
			 uint64_t most)
{
	uint64_t rax = low_bytes(register_value(s, r, RAX), s->size), n = 0;
	bool equal_now = true;

	if (!s->repeat)
		return 1;
	rt->accessing = 1;
	while (n < most && equal_now == (s->repeat == 1 || !n)) {
		uint64_t x = s->reg == STRING_SCAN ? rax : peek(a + n * s->size, s->size);

		equal_now = x == peek(b + n * s->size, s->size);
		n++;
		if (equal_now != (s->repeat == 1))
			break;
		if (s->repeat == 2)
			equal_now = false;
	}
	rt->accessing = 0;
	return n;
}

static void range_event(bool write, uint64_t addr, uint64_t size, uint64_t pc, uint64_t *entry)
{
	if (!size || size > UINT32_MAX || !of_interest(addr, (uint32_t)size, write))
		return;
	rt->entry = entry;
	if (write)
		write_event(addr, (uint32_t)size, pc);
	else
		read_event(addr, (uint32_t)size, pc);
}

void string_event(const struct site *s, const uint64_t *r, uint64_t *entry)
{
	uint64_t from = r[R_RSI], to = r[R_RDI], n = s->repeat ? register_value(s, r, RCX) : 1;

	switch (s->reg) {
	case STRING_MOVE:
		range_event(false, from, n * s->size, s->pc, entry);
		range_event(true, to, n * s->size, s->pc, entry);
		break;
	case STRING_STORE:
		range_event(true, to, n * s->size, s->pc, entry);
		break;
	case STRING_LOAD:
		range_event(false, from, n * s->size, s->pc, entry);
		break;
	case STRING_COMPARE:
		n = elements(s, r, from, to, n);
		range_event(false, from, n * s->size, s->pc, entry);
		range_event(false, to, n * s->size, s->pc, entry);
		break;
	default:
		n = elements(s, r, from, to, n);
		range_event(false, to, n * s->size, s->pc, entry);
	}
}
