/* SPDX-License-Identifier: MIT */
#ifndef LP_LEAKS_H
#define LP_LEAKS_H

#include "base.h"

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
 * frame is kept. */
#define MAIN_FRAME 2048
extern struct main_frame {
	_Alignas(8) uint8_t memory[MAIN_FRAME];
	bool left; /* in this execution */
} main_frame;
static inline void leaks_main_frame(void)
{
	uintptr_t sp;

	__asm__("mov %%rsp, %0" : "=r"(sp));
	copy(main_frame.memory, (void *)(sp - MAIN_FRAME), MAIN_FRAME);
	main_frame.left = true;
}

/* The execution has ended well, as the class that was recorded last, and its memory is still there: the
 * trace says which blocks nothing points to. */
void leaks_look(void);
void leaks_forget(void); /* the exploration begins again */

#endif
