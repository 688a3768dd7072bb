/* SPDX-License-Identifier: MIT
 *
 * The runtime's own memory. It survives the rollback, and the children of --isolate=fork share it.
 */
#ifndef LP_MEMORY_H
#define LP_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes `rt`, and the memory that memory_get gives out. */
void memory_init(bool shared);

/* Zeroed, never given back. */
void *memory_get(size_t size);

/* Twice the room of `old`, *capacity elements of `size` bytes, with what is there. */
void *memory_twice(const void *old, uint32_t *capacity, size_t size);

/* The text of a file, terminated; `variable` of the environment names it. */
char *memory_file(const char *path, const char *variable);

/* Where else memory of the runtime is asked for: away from the libraries, so that what executions
 * map finds the same places free each time. */
uintptr_t working_place(size_t size);

#endif
