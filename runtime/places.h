/* SPDX-License-Identifier: MIT
 *
 * The map of fixed addresses. What the program sees, and what could get into its way, is at the same
 * address in every run: an address is a value like any other in a trace. Nothing is put right below
 * the libraries (0x7f...), for copies of their code must be near them, and what executions map must
 * find the same places free each time.
 *
 *	0x000070000000  bytes that instrumented code sets where it has run
 *	0x00007f000000  struct runtime: below 2 GiB, where all code reaches it from anywhere, and behind
 *			what a program may have there itself (the small code model ends at 0x7effffff)
 *	0x0b0000000000  what the runtime maps one after the other (working_place)
 *	0x0c0000000000  the file of the trace
 *	0x0d0000000000  the runtime's own memory (memory_get)
 *	0x0d8000000000  its stacks, one a thread (own_stack.h)
 *	0x0e0000000000  main's argv
 *	0x0f0000000000  stacks, one a thread
 *	0x100000000000  the program's heap, a window a thread
 *	0x700000000000  from here on the kernel puts libraries and what executions map
 *
 * Copies of instrumented code are near what they are copies of; instrument/instrument.c finds a
 * place for them.
 */
#ifndef LP_PLACES_H
#define LP_PLACES_H

#include "../format/run_dir.h"
#include "offsets.h"

#define MAX_FIBERS LP_MAX_THREADS

#define COVERAGE_PLACE 0x70000000UL
#define WORKING_PLACE 0x0b0000000000UL
#define TRACE_PLACE   0x0c0000000000UL
#define MEMORY_PLACE  0x0d0000000000UL
#define OWN_STACKS    0x0d8000000000UL
#define ARGUMENTS     0x0e0000000000UL
#define FILES         0x0e4000000000UL /* the same (interpose/unseen.c) */
#define FILES_SIZE    0x004000000000UL
#define CHANNELS      0x0e8000000000UL /* always zero: names only (interpose/channels.c) */
#define STACK_BASE    0x0f0000000000UL
#define HEAP_BASE     0x100000000000UL
#define LIBRARIES     0x700000000000UL

#define CHANNEL_TABLE 0
#define CHANNEL_NONE  UINT32_MAX
#define CHANNEL_ALL   (LP_CHANNELS_EACH * (MAX_FIBERS + 1UL))
#define CHANNEL_LOCKS LP_CHANNEL_LOCKS /* those of files */

#define MEMORY_SIZE  (128UL << 30) /* reserved; paged in as it is touched */
#define MAIN_STACK   (8UL << 20)  /* of each thread, unless it asks for more */
#define STACK_STRIDE ((unsigned long)STACK_MOST) /* the most, with the guard page */
#define STACK_END(i) (STACK_BASE + ((i) + 1UL) * STACK_STRIDE)

/* One window a thread, so that its addresses do not depend on the others; and one for what the
 * runtime makes libc allocate outside executions. */
#define HEAP_WINDOW   (1UL << 38)
#define SYSTEM_WINDOW MAX_FIBERS
#define HEAP_END      (HEAP_BASE + (SYSTEM_WINDOW + 1) * HEAP_WINDOW)

#endif
