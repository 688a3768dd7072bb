/* SPDX-License-Identifier: MIT
 *
 * What the interposers of libc's functions on memory and strings share (the RANGEs of
 * interpose/functions.def).
 */
#ifndef LP_LIBC_H
#define LP_LIBC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is this a call of the program's code that others could see? */
bool libc_observed(void);
/* The event of reading or writing a range; false if nobody else could see it. */
bool libc_range(unsigned kind, const void *at, size_t n);
/* Reads as many bytes as the step turns out to read; or n, if it is none. */
size_t libc_range_read(const void *at, size_t n);
/* Until rt->accessing is 0 again, a crash in the runtime counts as a crash of the program's
 * call. */
void libc_access(void);
void libc_fetch(uint8_t *to, const void *from, size_t n);
/* Reads `from` now and writes it to `to` in a step of its own: others may change either between. */
void libc_transfer(void *to, const void *from, size_t n);
/* Reads a string into the fiber's saved bytes: up to and including the first c, or 0 if
 * zero_ends; at most `most` bytes. The result is their number; *found: is the last one such an
 * end? */
size_t libc_read_string(const char *s, size_t most, char c, bool zero_ends, bool *found);
/* The step that reads the second of two strings; the real function follows directly. */
void libc_look_at(const char *s, size_t most);
/* As strncmp: reads the first string, then the second one as far as need be. */
int libc_compare_strings(const char *a, const char *b, size_t most);

/* The function behind a stub of hooks.S, and libc's own (interpose/real.S). */
#define ENTRY_POINT(type, name, ...)                                                               \
	REAL(type, name, __VA_ARGS__)                                                              \
	type i_##name(__VA_ARGS__);                                                                \
	type i_##name(__VA_ARGS__)

#define REAL(type, name, ...)                                                                      \
	extern type (*real_##name)(__VA_ARGS__) __attribute__((visibility("hidden")));

REAL(void *, memcpy, void *, const void *, size_t)
REAL(void *, memmove, void *, const void *, size_t)
REAL(void *, memset, void *, int, size_t)

#endif
