/* SPDX-License-Identifier: MIT
 *
 * Spin loops. A thread that comes back to the same point in the same state, having written nothing
 * in between, will go round for ever unless somebody else writes something that it read: it is
 * delayed until then. "The same state" is exact: same pc, stack pointer, callee-saved registers,
 * arguments and contents of its stack (caller-saved registers are dead, for the point is a call).
 * So the delay loses no behaviour: an execution with more rounds differs from one with fewer by
 * steps that change nothing. Cycles of any length are found by moving the point that is compared
 * with to the present one at each power of two (Brent).
 *
 * A loop that counts its rounds never repeats a state. After SPIN_GUESS events without a write it
 * is delayed as well if it reads again what it has read before, but may go on when nobody else can,
 * and the search is no longer called complete (LP_LIMIT_SPIN). A loop that only computes, say a
 * checksum, comes to new memory all the time: if one of the latest GUESS_KEEPS reads is of an
 * address that was not among the GUESS_LOOKS before them, it is not waiting.
 */
#include "spin.h"
#include "extended.h"
#include "memory.h"
#include "sched.h"
#include "shadow.h"

#define STACK_COPY  (16u << 10)
#define REGISTERS   sizeof rt->instr.registers
#define VECTORS     256
#define SPIN_GUESS  2000
#define GUESS_KEEPS 64 /* events of the loop looked at for a guess */
#define GUESS_LOOKS 2048
#define GUESS_LOG   (1u << 14) /* entries of the log, of all threads, looked through for these */
#define GUESS_BITS  (1u << 16)

static bool read_only(unsigned kind)
{
	return kind == LP_EV_READ || kind == LP_EV_CAS_FAIL || kind == LP_EV_TRYLOCK_FAIL ||
	       kind == LP_EV_SEM_FAIL || kind == LP_EV_YIELD || kind == LP_EV_FENCE;
}

/* In the middle of code, where every register may matter, and not at a call? */
static bool at_site(void)
{
	return rt->instr.full == rt->entry;
}

/* A place that the thread may come back to. What its state was is kept only when it has come back
 * once, so straight code does not pay for it. */
static void note_place(struct fiber *f, uint64_t sp)
{
	struct spin *s = &f->spin;

	s->pc = f->pending.pc;
	s->sp = sp;
	s->copied = 0;
}

static void take_anchor(struct fiber *f, uint64_t sp)
{
	struct spin *s = &f->spin;
	size_t n = f->stack_hi - sp;

	if (!f->spin_state)
		f->spin_state = memory_get(STACK_COPY + REGISTERS + VECTORS);
	if (n > STACK_COPY)
		n = STACK_COPY;
	s->addr = f->pending.addr;
	s->expected = f->pending.expected;
	copy(s->regs, rt->entry + 1, sizeof s->regs);
	s->tls = fiber_tls_hash(f);
	s->copied = (uint32_t)n;
	copy(f->spin_state, (void *)sp, n);
	s->full = at_site();
	if (s->full) {
		copy(f->spin_state + STACK_COPY, rt->instr.registers, REGISTERS);
		vectors_copy(f->spin_state + STACK_COPY + REGISTERS);
	}
	s->anchor = rt->n;
}

static bool same_registers(const struct fiber *f)
{
	const struct spin *s = &f->spin;
	uint8_t now[VECTORS];

	if (s->full != at_site())
		return false;
	if (!s->full)
		return true;
	if (!same(f->spin_state + STACK_COPY, rt->instr.registers, REGISTERS))
		return false;
	if (!rt->instr.vectors)
		return true;
	vectors_copy(now);
	return same(f->spin_state + STACK_COPY + REGISTERS, now, VECTORS);
}

static bool same_state(const struct fiber *f, uint64_t sp)
{
	const struct spin *s = &f->spin;

	return s->addr == f->pending.addr && s->expected == f->pending.expected &&
	       same(s->regs, rt->entry + 1, sizeof s->regs) &&
	       same(f->spin_state, (void *)sp, s->copied) && same_registers(f) &&
	       s->tls == fiber_tls_hash(f);
}

/* Has anybody written to what the fiber read in its log entries from `from` on, after it read it?
 */
static bool disturbed(const struct fiber *f, uint32_t from)
{
	for (uint32_t i = from; i < rt->n; i++) {
		const struct event *e = &rt->log[i];
		uint32_t w;

		if (e->thread != f->id || lp_kind_access(e->kind) != 1)
			continue;
		w = shadow_last_write(e->addr, e->size, f->id);
		if (w != NO_EVENT && w > i)
			return true;
	}
	return false;
}

static uint32_t address_hash(uint64_t addr)
{
	return (uint32_t)((addr * 0x9e3779b97f4a7c15ULL) >> 48) % GUESS_BITS;
}

/* Does the fiber, which has not written for long, still come to addresses that it has not read?
 * Those read earlier are kept as a set of hashes: rarely, a new one is taken for an old one. */
static bool makes_progress(const struct fiber *f)
{
	static uint64_t seen[GUESS_BITS / 64];
	uint32_t end = rt->n > GUESS_LOG ? rt->n - GUESS_LOG : 0, recent[GUESS_KEEPS], own = 0;

	zero(seen, sizeof seen);
	for (uint32_t i = rt->n; i-- > end && own < GUESS_KEEPS + GUESS_LOOKS;) {
		const struct event *e = &rt->log[i];
		uint32_t h;

		if (e->thread != f->id || lp_kind_access(e->kind) != 1)
			continue;
		h = address_hash(e->addr);
		if (own < GUESS_KEEPS)
			recent[own] = h;
		else
			seen[h / 64] |= 1ULL << h % 64;
		own++;
	}
	for (uint32_t k = 0; k < own && k < GUESS_KEEPS; k++)
		if (!(seen[recent[k] / 64] >> recent[k] % 64 & 1))
			return true;
	return false;
}

bool spin_check(struct fiber *f)
{
	struct spin *s = &f->spin;
	uint64_t sp = (uint64_t)(rt->entry + ENTRY_SP + (at_site() ? rt->instr.skip : 0));

	/* Only the hooks that leave their registers behind can be compared: see hooks.S. */
	if (!read_only(f->pending.kind == LP_EV_READ ? LP_EV_READ : (unsigned)resolve(f)) ||
	    f->pending.pc != call_pc() || sp - f->stack_lo > f->stack_hi - f->stack_lo) {
		s->reads = 0;
		return false;
	}
	s->reads++;
	if (s->reads == 1 || s->reads == s->next) {
		s->next = s->reads * 2;
		note_place(f, sp);
	} else if (s->pc == f->pending.pc && s->sp == sp) {
		if (!s->copied) {
			take_anchor(f, sp);
		} else if (same_state(f, sp) && !disturbed(f, s->anchor)) {
			s->last = rt->n;
			s->guess = 0;
			return true;
		}
	}
	if (UNLIKELY(s->reads > SPIN_GUESS) && s->reads % GUESS_KEEPS == 0 && !makes_progress(f)) {
		uint32_t from = rt->n > GUESS_KEEPS ? rt->n - GUESS_KEEPS : 0;

		rt->status->limits |= LP_LIMIT_SPIN;
		s->guess = 1;
		s->anchor = from;
		s->last = rt->n;
		return !disturbed(f, from);
	}
	return false;
}

void spin_wake(const struct event *w)
{
	for (uint64_t b = rt->spinning; b; b &= b - 1) {
		struct fiber *f = &rt->fibers[__builtin_ctzll(b)];

		if (w->thread == f->id)
			continue;
		for (uint32_t i = f->spin.anchor; i < f->spin.last; i++) {
			const struct event *e = &rt->log[i];

			if (e->thread != f->id || lp_kind_access(e->kind) != 1)
				continue;
			if ((e->addr < w->addr + w->size && w->addr < e->addr + e->size) ||
			    w->addr2 == e->addr) {
				rt->spinning &= ~bit(f->id);
				f->spin.reads = 0;
				break;
			}
		}
	}
}

bool spin_release_guesses(void)
{
	bool any = false;

	for (uint64_t b = rt->spinning; b; b &= b - 1) {
		struct fiber *f = &rt->fibers[__builtin_ctzll(b)];

		if (f->spin.guess) {
			rt->spinning &= ~bit(f->id);
			any = true;
		}
	}
	return any;
}
