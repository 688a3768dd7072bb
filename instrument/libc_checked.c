/* SPDX-License-Identifier: MIT
 *
 * libc's functions on memory and strings by the names that -D_FORTIFY_SOURCE gives them. What does
 * not fit goes to the real one, which ends the process.
 */
#include "../runtime/rt.h"
#include "libc.h"

#include <dlfcn.h>

static size_t length_within(const char *s, size_t most)
{
	size_t n = 0;

	while (n < most && s[n])
		n++;
	return n;
}

#define BYTES  void *to, const void *from, size_t n
#define TEXT   char *to, const char *from
#define TEXT_N char *to, const char *from, size_t n
#define FILL   void *to, int c, size_t n

#define CHECKED(type, name, parameters, fits, ...)                                                 \
	static type first___##name##_chk(parameters, size_t room)                                  \
	{                                                                                          \
		(void)room;                                                                        \
		return i_##name(__VA_ARGS__);                                                      \
	}                                                                                          \
	type (*real___##name##_chk)(parameters, size_t) = first___##name##_chk;                    \
	type i___##name##_chk(parameters, size_t room);                                            \
	type i___##name##_chk(parameters, size_t room)                                             \
	{                                                                                          \
		return fits ? i_##name(__VA_ARGS__) : real___##name##_chk(__VA_ARGS__, room);      \
	}

CHECKED(void *, memcpy, BYTES, n <= room, to, from, n)
CHECKED(void *, memmove, BYTES, n <= room, to, from, n)
CHECKED(void *, mempcpy, BYTES, n <= room, to, from, n)
CHECKED(void *, memset, FILL, n <= room, to, c, n)
CHECKED(char *, strcpy, TEXT, length_within(from, room) < room, to, from)
CHECKED(char *, stpcpy, TEXT, length_within(from, room) < room, to, from)
CHECKED(char *, strncpy, TEXT_N, n <= room, to, from, n)
CHECKED(char *, strcat, TEXT, length_within(to, room) + length_within(from, room) < room, to, from)
CHECKED(char *, strncat, TEXT_N,
	length_within(to, room) + length_within(from, n < room ? n : room) < room, to, from, n)

void libc_checked_init(void)
{
	void *found;

#define LOOK_UP(name)                                                                              \
	found = dlsym(RTLD_NEXT, #name);                                                           \
	if (found)                                                                                 \
		copy(&real_##name, &found, sizeof found);
	LIBC_CHECKED(LOOK_UP)
#undef LOOK_UP
}
