/* SPDX-License-Identifier: MIT
 *
 * Jumps between frames. libc does them, but the mask of signals that it would keep and put back is that of the
 * real thread: a fiber's is kept in a part of the buffer that libc and the kernel have no use for.
 */
#include "interpose.h"

#define KEPT_HERE 0x6b73616d20656874UL /* libc alone never leaves that there */

enum { JB_RSP = 6 };
enum { MASK = 1, MARK = 2 }; /* words of the set in the buffer; the kernel's is the first */

int i_pthread_sigmask(int how, const sigset_t *set, sigset_t *old);

/* Called by the stubs: the arguments are a buffer, and if the mask is to be kept. */
void jump_keeps_mask(const uint64_t *arguments);
void jump_keeps_mask(const uint64_t *arguments)
{
	struct __jmp_buf_tag *buffer = (struct __jmp_buf_tag *)arguments[0];

	if (!(int)arguments[1])
		return;
	buffer->__saved_mask.__val[MASK] = rt->cur->mask;
	buffer->__saved_mask.__val[MARK] = KEPT_HERE;
}

/* A handler may be left so; it blocks nothing any more then. */
static void put_mask_back(const struct __jmp_buf_tag *buffer)
{
	sigset_t set = { { 0 } };

	if (!active() || !buffer->__mask_was_saved ||
	    buffer->__saved_mask.__val[MARK] != KEPT_HERE)
		return;
	set.__val[0] = buffer->__saved_mask.__val[MASK];
	rt->cur->handling &= set.__val[0];
	i_pthread_sigmask(SIG_SETMASK, &set, NULL);
}

/* The stack pointer in the buffer, as libc mangles it. */
static uintptr_t target_of(const struct __jmp_buf_tag *buffer)
{
	uint64_t sp = (uint64_t)buffer->__jmpbuf[JB_RSP], guard;

	__asm__("movq %%fs:0x30, %0" : "=r"(guard));
	return (sp >> 17 | sp << 47) ^ guard;
}

#define JUMP(name)                                                                                 \
	void i_##name(struct __jmp_buf_tag *buffer, int value) __attribute__((noreturn));          \
	void i_##name(struct __jmp_buf_tag *buffer, int value)                                     \
	{                                                                                          \
		put_mask_back(buffer);                                                             \
		if (active() && (rt->cur->aside.hi || rt->cur->rounds.ncallbacks))                \
			alternate_left(target_of(buffer));                                         \
		real_##name(buffer, value);                                                        \
		__builtin_unreachable();                                                           \
	}

JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)
