/* SPDX-License-Identifier: MIT */
#ifndef LP_LEAKS_H
#define LP_LEAKS_H

#include "memory.h"
#include "offsets.h"
#include "state.h"

/* Blocks that leak, allocated at one place. */
struct leak {
	uintptr_t first; /* of them */
	uint64_t pc;
	uint32_t context;
	uint64_t blocks, bytes;
	uint32_t site, location; /* their ids in the trace */
};

void leaks_init(void);

/* main has returned to the caller; nothing was called since. What main held in variables is no leak, so its
 * frame is kept, down to the latest call of the runtime, which begins with main's registers. What lies below has been the
 * runtime's, and is not the same in a replay. */
#define MAIN_FRAME 2048
extern struct main_frame {
	_Alignas(8) uint8_t memory[MAIN_FRAME];
	uint64_t registers[ENTRY_PC]; /* as they were at its latest join */
	bool left; /* in this execution */
} main_frame;
/* Inline, for a call would write there. */
static inline void leaks_main_frame(void)
{
	uintptr_t sp, from, entry = (uintptr_t)rt->entry;

	__asm__("mov %%rsp, %0" : "=r"(sp));
	from = entry > sp - MAIN_FRAME && entry < sp ? entry : sp - MAIN_FRAME;
	zero(main_frame.memory, MAIN_FRAME);
	copy(main_frame.memory + MAIN_FRAME - (sp - from), (void *)from, sp - from);
	main_frame.left = true;
}

void leaks_main_begins(void);

/* main joins a thread. What it still holds in a register then is no leak either, though it may have been
 * overwritten when it returns. */
void leaks_main_joins(void);

/* The execution has ended well, as the class that was recorded last, and its memory is still there: the
 * trace says which blocks nothing points to. */
void leaks_look(void);
void leaks_forget(void); /* the exploration begins again */

#endif
