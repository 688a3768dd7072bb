/* SPDX-License-Identifier: MIT
 *
 * More of libc's functions on memory and strings (libc.c has those that are called most). A
 * function that reads two strings reads the first one in a step of its own and keeps it; the second
 * is read by the real function, directly after its step.
 */
#include "../interpose/interpose.h"
#include "event.h"
#include "libc.h"

/* Reads the whole string; its length. */
static size_t read_whole(const char *s)
{
	bool found;

	return libc_read_string(s, SIZE_MAX, 0, true, &found) - 1;
}

static const char *saved_string(void)
{
	return (const char *)saved_bytes(0);
}

/* ---- with a check of the size; what does not fit is left to the real function ---- */

ENTRY_POINT(void *, __memcpy_chk, void *to, const void *from, size_t n, size_t room)
{
	if (n > room || !libc_observed())
		return real___memcpy_chk(to, from, n, room);
	libc_transfer(to, from, n);
	return to;
}

ENTRY_POINT(void *, __memmove_chk, void *to, const void *from, size_t n, size_t room)
{
	if (n > room || !libc_observed())
		return real___memmove_chk(to, from, n, room);
	libc_transfer(to, from, n);
	return to;
}

ENTRY_POINT(void *, __mempcpy_chk, void *to, const void *from, size_t n, size_t room)
{
	if (n > room || !libc_observed())
		return real___mempcpy_chk(to, from, n, room);
	libc_transfer(to, from, n);
	return (char *)to + n;
}

ENTRY_POINT(void *, __memset_chk, void *to, int c, size_t n, size_t room)
{
	if (n <= room && libc_observed())
		libc_range(LP_EV_WRITE, to, n);
	return real___memset_chk(to, c, n, room);
}

/* Writes n saved bytes to a buffer of size `room`; false if they do not fit. */
static bool write_saved(char *to, size_t n, size_t room)
{
	if (n > room)
		return false;
	libc_range(LP_EV_WRITE, to, n);
	real_memcpy(to, saved_bytes(0), n);
	return true;
}

ENTRY_POINT(char *, __strcpy_chk, char *to, const char *from, size_t room)
{
	if (!libc_observed() || !write_saved(to, read_whole(from) + 1, room))
		return real___strcpy_chk(to, from, room);
	return to;
}

ENTRY_POINT(char *, __stpcpy_chk, char *to, const char *from, size_t room)
{
	size_t n;

	if (!libc_observed())
		return real___stpcpy_chk(to, from, room);
	n = read_whole(from);
	return write_saved(to, n + 1, room) ? to + n : real___stpcpy_chk(to, from, room);
}

ENTRY_POINT(char *, __strncpy_chk, char *to, const char *from, size_t n, size_t room)
{
	size_t used;
	bool found;

	if (n > room || !libc_observed())
		return real___strncpy_chk(to, from, n, room);
	used = libc_read_string(from, n, 0, true, &found);
	libc_range(LP_EV_WRITE, to, n);
	real_memcpy(to, saved_bytes(0), used);
	real_memset(to + used, 0, n - used);
	return to;
}

/* Appends at most n bytes of a string, and an end; false if there is no room. */
static bool append(char *to, const char *from, size_t n, size_t room)
{
	size_t before = read_whole(to), used;
	bool found;

	used = libc_read_string(from, n, 0, true, &found);
	if (!found)
		saved_bytes(used + 1)[used] = 0;
	return before <= room && write_saved(to + before, used + !found, room - before);
}

ENTRY_POINT(char *, __strcat_chk, char *to, const char *from, size_t room)
{
	if (!libc_observed() || !append(to, from, SIZE_MAX, room))
		return real___strcat_chk(to, from, room);
	return to;
}

ENTRY_POINT(char *, __strncat_chk, char *to, const char *from, size_t n, size_t room)
{
	if (!libc_observed() || !append(to, from, n, room))
		return real___strncat_chk(to, from, n, room);
	return to;
}

ENTRY_POINT(char *, strncat, char *to, const char *from, size_t n)
{
	if (!libc_observed() || !append(to, from, n, SIZE_MAX))
		return real_strncat(to, from, n);
	return to;
}

ENTRY_POINT(void, __explicit_bzero_chk, void *to, size_t n, size_t room)
{
	if (n <= room && libc_observed())
		libc_range(LP_EV_WRITE, to, n);
	real___explicit_bzero_chk(to, n, room);
}

/* ---- memory ---- */

ENTRY_POINT(void *, mempcpy, void *to, const void *from, size_t n)
{
	if (!libc_observed())
		return real_mempcpy(to, from, n);
	libc_transfer(to, from, n);
	return (char *)to + n;
}

ENTRY_POINT(int, bcmp, const void *a, const void *b, size_t n)
{
	if (!libc_observed())
		return real_bcmp(a, b, n);
	if (libc_range(LP_EV_READ, a, n)) {
		libc_fetch(saved_bytes(n), a, n);
		a = saved_bytes(n);
	}
	libc_range(LP_EV_READ, b, n);
	return real_bcmp(a, b, n);
}

ENTRY_POINT(void, explicit_bzero, void *to, size_t n)
{
	if (libc_observed())
		libc_range(LP_EV_WRITE, to, n);
	real_explicit_bzero(to, n);
}

ENTRY_POINT(void *, rawmemchr, const void *s, int c)
{
	bool found;

	if (!libc_observed())
		return real_rawmemchr(s, c);
	return (char *)(uintptr_t)s + libc_read_string(s, SIZE_MAX, (char)c, false, &found) - 1;
}

ENTRY_POINT(void *, memrchr, const void *s, int c, size_t n)
{
	if (libc_observed())
		libc_range(LP_EV_READ, s, n);
	return real_memrchr(s, c, n);
}

/* What the real function found in the saved bytes, as a place in the string that was read. */
static char *place(const char *s, const char *found)
{
	return found ? (char *)(uintptr_t)s + (found - saved_string()) : NULL;
}

ENTRY_POINT(void *, memmem, const void *s, size_t n, const void *what, size_t m)
{
	bool observed = libc_observed(), seen = observed && libc_range(LP_EV_READ, s, n);

	if (seen)
		libc_fetch(saved_bytes(n), s, n);
	if (observed)
		libc_range(LP_EV_READ, what, m);
	return seen ? place(s, real_memmem(saved_bytes(n), n, what, m))
		    : real_memmem(s, n, what, m);
}

/* ---- strings ---- */

ENTRY_POINT(char *, strchrnul, const char *s, int c)
{
	bool found;

	if (!libc_observed())
		return real_strchrnul(s, c);
	return (char *)(uintptr_t)s + libc_read_string(s, SIZE_MAX, (char)c, true, &found) - 1;
}

ENTRY_POINT(int, strcasecmp, const char *a, const char *b)
{
	if (!libc_observed())
		return real_strcasecmp(a, b);
	read_whole(a);
	libc_look_at(b, SIZE_MAX);
	return real_strcasecmp(saved_string(), b);
}

ENTRY_POINT(int, strncasecmp, const char *a, const char *b, size_t n)
{
	bool found;

	if (!libc_observed())
		return real_strncasecmp(a, b, n);
	libc_read_string(a, n, 0, true, &found);
	libc_look_at(b, n);
	return real_strncasecmp(saved_string(), b, n);
}

ENTRY_POINT(int, strcoll, const char *a, const char *b)
{
	if (!libc_observed())
		return real_strcoll(a, b);
	read_whole(a);
	libc_look_at(b, SIZE_MAX);
	return real_strcoll(saved_string(), b);
}

ENTRY_POINT(char *, strstr, const char *s, const char *what)
{
	if (!libc_observed())
		return real_strstr(s, what);
	read_whole(s);
	libc_look_at(what, SIZE_MAX);
	return place(s, real_strstr(saved_string(), what));
}

ENTRY_POINT(char *, strpbrk, const char *s, const char *set)
{
	if (!libc_observed())
		return real_strpbrk(s, set);
	read_whole(s);
	libc_look_at(set, SIZE_MAX);
	return place(s, real_strpbrk(saved_string(), set));
}

ENTRY_POINT(size_t, strspn, const char *s, const char *set)
{
	if (!libc_observed())
		return real_strspn(s, set);
	read_whole(s);
	libc_look_at(set, SIZE_MAX);
	return real_strspn(saved_string(), set);
}

ENTRY_POINT(size_t, strcspn, const char *s, const char *set)
{
	if (!libc_observed())
		return real_strcspn(s, set);
	read_whole(s);
	libc_look_at(set, SIZE_MAX);
	return real_strcspn(saved_string(), set);
}

ENTRY_POINT(char *, strdup, const char *s)
{
	if (!libc_observed())
		return real_strdup(s);
	read_whole(s);
	return real_strdup(saved_string());
}

ENTRY_POINT(char *, strndup, const char *s, size_t n)
{
	bool found;

	if (!libc_observed())
		return real_strndup(s, n);
	n = libc_read_string(s, n, 0, true, &found);
	return real_strndup(saved_string(), n);
}
