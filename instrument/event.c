/* SPDX-License-Identifier: MIT
 *
 * What a site does in the runtime: the events of its access. The access itself is done by the
 * program's own instruction when the copy continues, directly afterwards, so the value of a write
 * is known when the fiber enters the runtime again (late_value).
 */
#include "../interpose/system_calls.h"
#include "../runtime/fingerprint.h"
#include "../runtime/heap.h"
#include "../runtime/strategy.h"
#include "event.h"
#include "load.h"
#include "spec_ops.h"

static const uint8_t place[16] = { R_AX, R_RCX, R_RDX, R_ENTRY + 5, 0,           R_ENTRY + 6, R_RSI,       R_RDI,
				   R_R8, R_R9,  R_R10, R_R11,       R_ENTRY + 4, R_ENTRY + 3, R_ENTRY + 2, R_ENTRY + 1 };

uint64_t register_value(const struct site *s, const uint64_t *r, unsigned n)
{
	if (n == RSP)
		return (uint64_t)(r + R_ENTRY + ENTRY_SP + RED_ZONE_WORDS);
	if (n == RAX && s->flags)
		return r[R_SAVED_RAX];
	return r[place[n & 15]];
}

void set_register_value(uint64_t *r, unsigned n, uint64_t value)
{
	r[n == RAX ? R_SAVED_RAX : place[n & 15]] = value;
}

void instrument_registers(const void *site, const uint64_t *entry, uint64_t *to)
{
	const struct site *s = site;
	const uint64_t *r = entry - R_ENTRY;

	for (unsigned n = 0; n < 16; n++)
		to[n] = register_value(s, r, n);
	to[16] = s->live & LIVE_FLAGS ? r[R_AX] & 0xffff : 0;
}

uint64_t instrument_some_registers(const void *site, const uint64_t *entry, uint32_t set)
{
	uint64_t h = 0;

	for (set &= 0xffff; set; set &= set - 1)
		h = mix(h, register_value(site, entry - R_ENTRY, (unsigned)__builtin_ctz(set)));
	return h;
}

uint32_t instrument_live(const void *site)
{
	return ((const struct site *)site)->live;
}

/* linchpin.h's own variable: the marks are not accesses of the program. */
bool is_hooks_variable(uint64_t addr, uint32_t size)
{
	return size == 8 && static_data(addr) &&
	       *(volatile uint64_t *)addr == (uint64_t)&operation_hooks;
}

/* Nothing visible to the program changes there, or it is not the program's memory. */
bool of_interest(uint64_t addr, uint32_t size, bool write)
{
	if (!visible(addr, size))
		return false;
	if (write || in_heap(addr))
		return true;
	if (read_only_memory(addr))
		return false;
	return !is_hooks_variable(addr, size);
}

static struct event *access_step(unsigned kind, uint64_t addr, uint32_t size, unsigned flags,
				 uint64_t pc)
{
	struct pending *p;

	rt->entry[ENTRY_PC] = pc;
	rt->instr.full = rt->entry;
	p = announce(kind, (void *)addr, size, pc);
	if (size != 1 && size != 2 && size != 4 && size != 8)
		flags |= LP_SITE_NOVALUE;
	p->flags = (uint8_t)flags;
	return step(rt->cur);
}

static uint64_t value_at(uint64_t addr, uint32_t size)
{
	uint64_t v;

	rt->accessing = 1;
	v = peek(addr, size);
	rt->accessing = 0;
	return v;
}

void read_event(uint64_t addr, uint32_t size, uint64_t pc)
{
	struct event *e = access_step(LP_EV_READ, addr, size, 0, pc);

	e->value[0] = value_at(addr, size);
}

void write_event(uint64_t addr, uint32_t size, uint64_t pc)
{
	struct event *e = access_step(LP_EV_WRITE, addr, size, 0, pc);

	if (!(e->flags & LP_SITE_NOVALUE))
		rt->cur->late_write = (uint32_t)(e - rt->log);
}

static void move(void *to, const void *from, uint32_t size)
{
	switch (size) {
	case 1:
		*(uint8_t *)to = *(const uint8_t *)from;
		break;
	case 4:
		*(uint32_t *)to = *(const uint32_t *)from;
		break;
	case 8:
		*(uint64_t *)to = *(const uint64_t *)from;
		break;
	default:
		copy(to, from, size);
	}
}

/* Others may write in between, but the instruction, which does both at once, must find the value
 * that was read. */
static void read_write_event(uint64_t addr, uint32_t size, uint64_t pc, uint64_t *entry)
{
	_Alignas(8) uint8_t old[64];

	if (size > sizeof old) {
		write_event(addr, size, pc);
		return;
	}
	read_event(addr, size, pc);
	rt->accessing = 1;
	move(old, (void *)addr, size);
	rt->accessing = 0;
	rt->entry = entry;
	write_event(addr, size, pc);
	rt->accessing = 1;
	move((void *)addr, old, size);
	rt->accessing = 0;
}

#define ATOMIC_FLAGS (LP_SITE_ATOMIC | __ATOMIC_SEQ_CST << 4)

static void rmw_event(uint64_t addr, uint32_t size, uint64_t pc)
{
	struct event *e = access_step(LP_EV_RMW, addr, size, ATOMIC_FLAGS, pc);

	if (e->flags & LP_SITE_NOVALUE)
		return;
	e->value[0] = value_at(addr, size);
	rt->cur->late_write = (uint32_t)(e - rt->log);
}

static void cas_event(const struct site *s, const uint64_t *r, uint64_t addr)
{
	bool pair = s->kind == SITE_CAS_PAIR;
	uint64_t rax = register_value(s, r, RAX), rdx = register_value(s, r, RDX), new;
	struct pending *p;
	struct event *e;

	new = pair ? low_bytes(register_value(s, r, RBX), 4) | register_value(s, r, RCX) << 32
		   : register_value(s, r, s->reg) >> (s->high ? 8 : 0);
	rt->entry[ENTRY_PC] = s->pc;
	rt->instr.full = rt->entry;
	p = announce(LP_EV_RMW, (void *)addr, s->size, s->pc);
	p->flags = ATOMIC_FLAGS | (s->size > 8 ? LP_SITE_NOVALUE : 0);
	p->compare = 1;
	p->expected =
		pair && s->size == 8 ? low_bytes(rax, 4) | rdx << 32 : low_bytes(rax, s->size);
	p->expected_high = s->size == 16 ? rdx : 0;
	e = step(rt->cur);
	if (s->size > 8)
		return;
	e->value[0] = value_at(addr, s->size);
	e->value[1] = low_bytes(new, s->size);
}

/* The fiber's latest step was an atomic load from there. */
static bool loaded(uint64_t addr)
{
	const struct pending *p = &rt->cur->pending;

	return p->kind == LP_EV_READ && p->addr == addr && p->flags & LP_SITE_ATOMIC;
}

static void access_site(const struct site *s, uint64_t addr, const uint64_t *r, uint64_t *entry)
{
	bool write = s->kind != SITE_READ && s->kind != SITE_STATE_READ;
	uint32_t size = s->size;

	if (s->bits) {
		int64_t bit_index = (int64_t)register_value(s, r, s->reg);

		if (s->bits < 8)
			bit_index = s->bits == 4 ? (int32_t)bit_index : (int16_t)bit_index;
		addr += (uint64_t)((bit_index >> (s->bits == 8   ? 6
						  : s->bits == 4 ? 5
								 : 4)) *
				   s->bits);
		if (s->narrow)
			addr = (uint32_t)addr;
	}
	if (s->kind == SITE_LINE)
		addr &= ~(s->size - 1ULL);
	if (s->kind == SITE_STATE_READ || s->kind == SITE_STATE_WRITE)
		size = state_size(s, r);
	if (!of_interest(addr, size, write))
		return;
	if (s->repeat && loaded(addr))
		return;
	switch (s->kind) {
	case SITE_READ:
	case SITE_STATE_READ:
		read_event(addr, size, s->pc);
		break;
	case SITE_WRITE:
	case SITE_STATE_WRITE:
	case SITE_LINE:
		write_event(addr, size, s->pc);
		break;
	case SITE_READ_WRITE:
		read_write_event(addr, s->size, s->pc, entry);
		break;
	case SITE_RMW:
		rmw_event(addr, s->size, s->pc);
		break;
	default:
		cas_event(s, r, addr);
	}
}

/* Calls of probed functions that have not returned, of each thread. */
#define MAX_OPEN 64

struct open_call {
	uint64_t sp, back;
	uint32_t probe;
};

static struct open_calls {
	unsigned n;
	struct open_call calls[MAX_OPEN];
} open_calls[MAX_FIBERS];

static void call_probe(const struct site *s, const uint64_t *r, const struct probe *p, bool entry)
{
	const uint64_t *sp = r + R_ENTRY + ENTRY_SP + RED_ZONE_WORDS;
	struct probe_regs regs = { .rdi = r[R_RDI],
				   .rsi = r[R_RSI],
				   .rdx = r[R_RDX],
				   .rcx = r[R_RCX],
				   .r8 = r[R_R8],
				   .r9 = r[R_R9],
				   .rax = r[R_SAVED_RAX],
				   .rsp = (uint64_t)sp,
				   .pc = entry ? *sp : s->pc };
	probe_fn *function = entry ? p->on_entry : p->on_return;

	if (s->kind == SITE_RETURN_LATE)
		regs.rsp -= 8;
	if (function && rt->running)
		function(p->cookie, &regs);
}

/* The innermost open call was left without a return. */
static void abandon_call(struct open_calls *open)
{
	const struct open_call *o = &open->calls[--open->n];
	const struct probe *p = &instrument_probes[o->probe];
	struct probe_regs regs = { .rsp = o->sp };

	if (p->on_return && rt->running)
		p->on_return(p->cookie, &regs);
}

/* A probed call is open until its stack pointer is left. If the stack pointer is the same,
 * compare return addresses: the function that returns, or is entered by a tail call, has that of
 * the open call; after a jump out of the call it is another. */
static bool was_left(const struct open_call *o, uint64_t sp, uint64_t back)
{
	return o->sp < sp || (o->sp == sp && o->back != back);
}

static void probe_site(const struct site *s, const uint64_t *r)
{
	uint64_t sp = (uint64_t)(r + R_ENTRY + ENTRY_SP + RED_ZONE_WORDS);
	struct open_calls *open;
	uint64_t back;

	if (!rt->cur || !rt->running)
		return;
	open = &open_calls[rt->cur->id];
	if (s->kind == SITE_RETURN_LATE)
		sp -= 8;
	back = s->kind == SITE_RETURN_LATE ? s->back : *(const uint64_t *)sp;
	while (open->n && was_left(&open->calls[open->n - 1], sp, back))
		abandon_call(open);
	if (s->kind == SITE_ENTRY) {
		if (open->n < MAX_OPEN)
			open->calls[open->n++] = (struct open_call){ sp, back, s->probe };
		call_probe(s, r, &instrument_probes[s->probe], true);
	} else {
		while (open->n && open->calls[open->n - 1].sp == sp) {
			uint32_t probe = open->calls[--open->n].probe;

			call_probe(s, r, &instrument_probes[probe], false);
			rt->entry = (uint64_t *)(uintptr_t)(r + R_ENTRY);
		}
	}
}

/* From what lahf and seto have left in ax. */
static uint64_t flags_register(const uint64_t *r)
{
	const uint64_t always = 0x202, direction = 0x400, from_lahf = 0xd5;

	return always | (r[R_FLAGS] & direction) | (r[R_AX] >> 8 & from_lahf) | (r[R_AX] & 1) << 11;
}

/* Code that makes system calls without libc gets the result in the kernel's form. */
static uint64_t syscall_event(const struct site *s, uint64_t *r, uint64_t *entry)
{
	const uint64_t args[] = { r[R_RDI], r[R_RSI], r[R_RDX], r[R_R10], r[R_R8], r[R_R9] };
	int *error = real.errno_location(), kept = *error;
	long result;

	if (!active())
		return s->resume;
	rt->instr.full = entry;
	if (!system_call((long)register_value(s, r, RAX), args, &result))
		return s->resume;
	if (result == -1)
		result = -*error;
	*error = kept;
	r[R_SAVED_RAX] = (uint64_t)result;
	r[R_RCX] = s->pc;
	r[R_R11] = flags_register(r);
	return s->after;
}

/* It is below the stack pointer as well, if it is nobody's: a function that calls others may use it between calls, though
 * compilers do not. */
static void clear_red_zone(const struct site *s, uint64_t *entry)
{
	const struct frame_view *view = frame_view_before(s->pc);

	if (view && !view->low)
		zero(entry + ENTRY_SP, RED_ZONE_WORDS * sizeof *entry);
}

uint64_t instrument_event(uint32_t index, uint64_t addr, uint64_t *r);
uint64_t instrument_event(uint32_t index, uint64_t addr, uint64_t *r)
{
	const struct site *s = &instrument_sites[index];
	uint64_t *entry = r + R_ENTRY, resume = s->resume;

	rt->entry = entry;
	entry[ENTRY_PC] = s->pc;
	call_stack_leave((uint64_t)(entry + ENTRY_SP + RED_ZONE_WORDS));
	rt->instr.skip = s->leaf ? 0 : RED_ZONE_WORDS;
	rt->status->hooks = 1;
	if (s->own)
		addr += rt->fs_now;
	rt->instr.site = s;
	rt->instr.element = 0;
	kept_arguments.fresh = 1;
	if (UNLIKELY(rt->debug_at) && !s->flags)
		r[R_SAVED_RAX] = r[R_AX]; /* where a debugger looks for it (stubs.S) */
	switch (s->kind) {
	case SITE_FENCE:
		if (rt->tracing)
			access_step(LP_EV_FENCE, 0, 0, ATOMIC_FLAGS | LP_SITE_NOVALUE, s->pc);
		break;
	case SITE_STRING:
		resume = string_event(s, r, entry);
		break;
	case SITE_SYSCALL:
		resume = syscall_event(s, r, entry);
		break;
	case SITE_NUMBER:
		resume = number_event(s, r, entry);
		break;
	case SITE_DIRECT:
		resume = direct_event(s, addr, r, entry);
		break;
	case SITE_GATHER:
	case SITE_SCATTER:
		gather_event(s, addr, r, entry);
		break;
	case SITE_MASKED_READ:
	case SITE_MASKED_WRITE:
		masked_event(s, addr, entry);
		break;
	case SITE_ENTRY:
	case SITE_RETURN:
	case SITE_RETURN_LATE:
		rt->instr.full = entry;
		probe_site(s, r);
		break;
	default:
		access_site(s, addr, r, entry);
	}
	if (UNLIKELY(kept_arguments.on) && !s->leaf)
		clear_red_zone(s, entry);
	rt->instr.full = NULL;
	return resume;
}

void instrument_overflow(uint64_t pc);
void instrument_overflow(uint64_t pc)
{
	if (!active())
		die("the stack overflowed outside of an execution");
	end_execution(LP_OUT_STACK_OVERFLOW, 0, pc, NULL);
}

void instrument_fiber_begins(unsigned id)
{
	if (id)
		reached_arm();
	open_calls[id].n = 0;
	spec_op_forget(id);
}
