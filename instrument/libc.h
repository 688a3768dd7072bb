/* SPDX-License-Identifier: MIT
 *
 * The functions of libc whose accesses are seen; interpose/hooks.S and runtime/libsched.map list
 * them as well.
 */
#ifndef LP_LIBC_H
#define LP_LIBC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIBC_RANGES(each)                                                                          \
	each(memcpy) each(memmove) each(memset) each(memcmp) each(memchr) each(bzero) each(strlen) \
		each(strnlen) each(strcmp) each(strncmp) each(strcpy) each(stpcpy) each(strncpy)   \
			each(strcat) each(strchr) each(strrchr)

void libc_ranges_init(void); /* finds the real ones */

extern void *(*real_memcpy)(void *, const void *, size_t);
extern void *(*real_memset)(void *, int, size_t);

/* libc_more.c: functions that are called less, or by what -D_FORTIFY_SOURCE makes of the others. */
void libc_more_init(void);

/* For both files. Is this a call of instrumented code that others could see? */
bool libc_observed(void);
/* The event of reading or writing a range; false if nobody else could see it. */
bool libc_range(unsigned kind, const void *at, size_t n);
/* Until rt->accessing is 0 again, a crash in the runtime is one of the program's call. */
void libc_access(void);
void libc_fetch(uint8_t *to, const void *from, size_t n);
/* Reads `from` now and writes it to `to` in a step of its own: others may change either in between.
 */
void libc_transfer(void *to, const void *from, size_t n);
/* Reads a string into the fiber's saved bytes: to the first c, which counts, or 0 if that is an
 * end, too; at most `most`. How many they are; *found: is the last one the end? */
size_t libc_read_string(const char *s, size_t most, char c, bool zero_ends, bool *found);

#define ENTRY_POINT(type, name, ...)                                                               \
	type i_##name(__VA_ARGS__);                                                                \
	type i_##name(__VA_ARGS__)

#endif
