/* SPDX-License-Identifier: MIT
 *
 * The functions of libc whose accesses are seen; interpose/hooks.S and runtime/libsched.map list
 * them as well.
 */
#ifndef LP_LIBC_H
#define LP_LIBC_H

#include <stddef.h>

#define LIBC_RANGES(each)                                                                          \
	each(memcpy) each(memmove) each(memset) each(memcmp) each(memchr) each(bzero) each(strlen) \
		each(strnlen) each(strcmp) each(strncmp) each(strcpy) each(stpcpy) each(strncpy)   \
			each(strcat) each(strchr) each(strrchr) each(mempcpy) each(strncat)        \
				each(strdup) each(strndup)

/* What their names become by -D_FORTIFY_SOURCE: the last argument is the room there is. */
#define LIBC_CHECKED(each)                                                                         \
	each(__memcpy_chk) each(__memmove_chk) each(__mempcpy_chk) each(__memset_chk)              \
		each(__strcpy_chk) each(__stpcpy_chk) each(__strncpy_chk) each(__strcat_chk)       \
			each(__strncat_chk)

void libc_ranges_init(void);  /* finds the real ones */
void libc_checked_init(void); /* of those in libc_checked.c */

/* The entry points, behind the hooks. */
void *i_memcpy(void *to, const void *from, size_t n);
void *i_memmove(void *to, const void *from, size_t n);
void *i_mempcpy(void *to, const void *from, size_t n);
void *i_memset(void *to, int c, size_t n);
char *i_strcpy(char *to, const char *from);
char *i_stpcpy(char *to, const char *from);
char *i_strncpy(char *to, const char *from, size_t n);
char *i_strcat(char *to, const char *from);
char *i_strncat(char *to, const char *from, size_t n);

#endif
