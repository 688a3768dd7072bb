/* SPDX-License-Identifier: MIT
 *
 * The stack of the thread at fault, at the end of an execution. Library functions keep no frame
 * pointers, so finding the calls takes the unwind tables of each module. Here, in the process that
 * crashed, nothing is unwound: what unwinding needs is written to the trace (LP_REC_STACK), and the
 * analyzer does it.
 *
 * What it needs are return addresses and saved registers that point into the stack. All else is
 * left out: it may differ from run to run, and a trace must not. Addresses are written relative to
 * their module or to the top of the stack, for the same reason.
 */
#include "stack.h"
#include "checkpoint.h"
#include "memory.h"
#include "modules.h"
#include "names.h"
#include "sched.h"
#include "services.h"
#include "trace.h"

#define MOST_BYTES (64UL << 10)
#define ROOM	   (MOST_BYTES / 8 * 24 + 1024)

static struct stacks {
	uint64_t *seen; /* hashes of the records, in their order */
	uint32_t n, capacity;
	uint8_t *record; /* being made: half a record must not be in the file */
} * stacks;

void stacks_init(void)
{
	stacks = memory_get(sizeof *stacks);
}

void stack_of_signal(const ucontext_t *uc)
{
	static const uint8_t order[STACK_REGISTERS] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
		REG_R9,	 REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};
	uint64_t *r = rt->outcome.registers;

	for (unsigned i = 0; i < STACK_REGISTERS; i++)
		r[i] = (uint64_t)uc->uc_mcontext.gregs[order[i]];
	r[STACK_PC] = instrumentation.original(r[STACK_PC]);
}

void stack_of_hook(void)
{
	static const uint8_t saved[] = { 15, 14, 13, 12, 3, 6 }; /* from rt->entry[1] up */
	uint64_t *r = rt->outcome.registers;

	zero(r, sizeof rt->outcome.registers);
	for (unsigned i = 0; i < sizeof saved; i++)
		r[saved[i]] = rt->entry[i + 1];
	r[STACK_SP] = (uint64_t)(rt->entry + (tail_called(rt->entry + ENTRY_PC) ? ENTRY_PC : ENTRY_SP));
	r[STACK_PC] = call_pc() - 1;
}

static bool put_value(uint8_t **p, const struct fiber *f, uint64_t value)
{
	uint64_t offset;
	int32_t module;

	if (value - f->stack_lo <= f->stack_hi - f->stack_lo) {
		*(*p)++ = LP_STACK_ADDRESS;
		put_varint(p, f->stack_hi - value);
		return true;
	}
	module = module_of_code(value, &offset);
	if (module < 0)
		return false;
	*(*p)++ = LP_STACK_CODE;
	put_varint(p, (uint64_t)module);
	put_varint(p, offset);
	return true;
}

static size_t make_record(const struct fiber *f)
{
	const uint64_t *r = rt->outcome.registers, *sp = (const uint64_t *)(r[STACK_SP] & ~7UL);
	size_t n = (f->stack_hi - (uintptr_t)sp) / 8, skipped = 0;
	uint8_t *p = stacks->record;

	put_varint(&p, f->id);
	for (unsigned i = 0; i < STACK_REGISTERS; i++)
		if (!put_value(&p, f, r[i]))
			*p++ = LP_STACK_OTHER;
	for (size_t i = 0; i < n && i < MOST_BYTES / 8; i++) {
		uint8_t *at = p;

		put_varint(&p, skipped);
		if (put_value(&p, f, sp[i])) {
			skipped = 0;
		} else {
			p = at;
			skipped++;
		}
	}
	return (size_t)(p - stacks->record);
}

static uint64_t hash_of(const uint8_t *p, size_t n)
{
	uint64_t h = n;

	for (size_t i = 0; i < n; i++)
		h = mix(h, p[i]);
	return h;
}

uint32_t stack_intern(void)
{
	const struct fiber *f = &rt->fibers[rt->outcome.thread];
	uint64_t sp = rt->outcome.registers[STACK_SP], hash;
	size_t n;

	if (sp < f->stack_lo || sp >= f->stack_hi)
		return 0;
	if (!stacks->record)
		stacks->record = memory_get(ROOM);
	n = make_record(f);
	hash = hash_of(stacks->record, n);
	for (uint32_t i = 0; i < stacks->n; i++)
		if (stacks->seen[i] == hash)
			return i + 1;
	if (stacks->n == stacks->capacity) {
		uint32_t more = stacks->capacity ? stacks->capacity * 2 : 64;
		uint64_t *bigger = memory_get(more * sizeof *bigger);

		copy(bigger, stacks->seen, stacks->n * sizeof *bigger);
		stacks->seen = bigger;
		stacks->capacity = more;
	}
	stacks->seen[stacks->n++] = hash;
	copy(writer_record(n), stacks->record, n);
	writer_commit(LP_REC_STACK, n);
	return stacks->n;
}

void stacks_forget(void)
{
	stacks->n = 0;
}
