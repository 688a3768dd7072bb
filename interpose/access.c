/* SPDX-License-Identifier: MIT
 *
 * Compiler hooks for plain accesses and for function entry and exit (the ABI of gcc's and clang's
 * -fsanitize=thread). The hook is called before the access: a read's value is therefore taken here,
 * a write's value when the fiber enters the runtime again.
 */
#include "../runtime/fingerprint.h"
#include "../runtime/names.h"
#include "interpose.h"

static inline __attribute__((always_inline)) void access_event(uintptr_t addr, uint32_t size, bool write, unsigned flags)
{
	struct fiber *f = rt->cur;
	struct pending *p;
	struct event *e;

	if (size != 1 && size != 2 && size != 4 && size != 8)
		flags |= LP_SITE_NOVALUE;
	p = announce(write ? LP_EV_WRITE : LP_EV_READ, (void *)addr, size, caller());
	p->flags = (uint8_t)flags;
	e = step(f);
	if (flags & LP_SITE_NOVALUE)
		return;
	if (write) {
		f->late_write = (uint32_t)(e - rt->log);
		return;
	}
	rt->accessing = 1;
	e->value[0] = peek(addr, size);
	rt->accessing = 0;
}

void i_access(uintptr_t addr, uint32_t what);
void i_access(uintptr_t addr, uint32_t what)
{
	rt->status->hooks = 1;
	if (visible(addr, what & 0xff))
		access_event(addr, what & 0xff, what >> 8 & 1, what >> 16);
}

#define READ_WRITE(size)                                                                           \
	void i___tsan_read_write##size(void *addr);                                                \
	void i___tsan_unaligned_read_write##size(void *addr);                                      \
	void i___tsan_read_write##size(void *addr)                                                 \
	{                                                                                          \
		read_write((uintptr_t)addr, size);                                                 \
	}                                                                                          \
	void i___tsan_unaligned_read_write##size(void *addr)                                       \
	{                                                                                          \
		read_write((uintptr_t)addr, size);                                                 \
	}

/* A read, then a write: two events, because other threads may run between them. */
static void read_write(uintptr_t addr, uint32_t size)
{
	uint64_t *entry;

	if (!active() || !visible(addr, size))
		return;
	entry = rt->entry;
	access_event(addr, size, false, 0);
	rt->entry = entry;
	access_event(addr, size, true, 0);
}

READ_WRITE(1)
READ_WRITE(2)
READ_WRITE(4)
READ_WRITE(8)
READ_WRITE(16)

void i___tsan_read_range(void *addr, size_t size);
void i___tsan_read_range(void *addr, size_t size)
{
	if (active() && size && visible((uintptr_t)addr, size))
		access_event((uintptr_t)addr, (uint32_t)size, false, LP_SITE_NOVALUE);
}

void i___tsan_write_range(void *addr, size_t size);
void i___tsan_write_range(void *addr, size_t size)
{
	if (active() && size && visible((uintptr_t)addr, size))
		access_event((uintptr_t)addr, (uint32_t)size, true, LP_SITE_NOVALUE);
}

EXPORT void __tsan_func_entry(void *pc);
EXPORT void __tsan_func_entry(void *pc)
{
	struct fiber *f;

	if (!active())
		return;
	f = rt->cur;
	/* Checked before the guard page is reached, so that the place does not depend on how
	 * much stack the runtime needs. */
	if ((uintptr_t)__builtin_frame_address(0) - f->stack_lo < STACK_RESERVE)
		end_execution(LP_OUT_STACK_OVERFLOW, 0, (uint64_t)pc, NULL);
	f->context = context_enter(f->context, (uint64_t)pc);
	arguments_leave(rt->keeps_arguments);
}

EXPORT void __tsan_func_exit(void);
EXPORT void __tsan_func_exit(void)
{
	struct fiber *f;

	if (!active())
		return;
	f = rt->cur;
	f->context = context_parent(f->context);
	if (UNLIKELY(rt->blocks))
		blocks_returned(f, context_depth(f->context));
	arguments_leave(rt->keeps_arguments);
}

EXPORT void __tsan_init(void);
EXPORT void __tsan_init(void)
{
	if (rt_there && rt->status)
		rt->status->hooks = 1;
}

EXPORT void __tsan_ignore_thread_begin(void);
EXPORT void __tsan_ignore_thread_begin(void) {}
EXPORT void __tsan_ignore_thread_end(void);
EXPORT void __tsan_ignore_thread_end(void) {}
EXPORT void __tsan_atomic_signal_fence(int order);
EXPORT void __tsan_atomic_signal_fence(int order)
{
	(void)order;
}
