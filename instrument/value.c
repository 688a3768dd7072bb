/* SPDX-License-Identifier: MIT */
#include "value.h"
#include "../runtime/sched.h"

static int64_t widen(uint64_t value, const struct source *s)
{
	unsigned shift = 64 - 8 * (unsigned)s->size;

	if (s->type == 'b')
		return (value << shift) != 0;
	return s->type == 's' ? (int64_t)(value << shift) >> shift
			      : (int64_t)(value << shift >> shift);
}

static uint64_t argument(const struct probe_regs *r, unsigned reg)
{
	switch (reg) {
	case 0:
		return r->rdi;
	case 1:
		return r->rsi;
	case 2:
		return r->rdx;
	case 3:
		return r->rcx;
	case 4:
		return r->r8;
	default:
		return r->r9;
	}
}

int64_t value_of(const struct source *s, const struct probe_regs *entry,
		 const struct probe_regs *now)
{
	uint64_t value;

	switch (s->kind) {
	case FROM_CONST:
		return (int64_t)s->value;
	case FROM_REGISTER:
		return widen(argument(entry, s->reg), s);
	case FROM_POINTEE:
		if (!argument(entry, s->reg))
			return 0;
		rt->accessing = 1;
		value = peek(argument(entry, s->reg), s->size);
		rt->accessing = 0;
		return widen(value, s);
	case FROM_RET:
		return widen(now->rax, s);
	default:
		return 0;
	}
}
