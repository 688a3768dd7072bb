/* SPDX-License-Identifier: MIT
 *
 * The functions of libc whose accesses are seen; interpose/hooks.S and runtime/libsched.map list
 * them as well.
 */
#ifndef LP_LIBC_H
#define LP_LIBC_H

#define LIBC_RANGES(each)                                                                          \
	each(memcpy) each(memmove) each(memset) each(memcmp) each(memchr) each(bzero) each(strlen) \
		each(strnlen) each(strcmp) each(strncmp) each(strcpy) each(stpcpy) each(strncpy)   \
			each(strcat) each(strchr) each(strrchr)

void libc_ranges_init(void); /* finds the real ones */

#endif
