/* SPDX-License-Identifier: MIT
 *
 * libc's functions on memory and strings, when the program's code calls them, be it instrumented or
 * compiled with hooks: what they read and write are accesses to ranges. Any other call goes to the
 * real function, straight from hooks.S while nothing is traced. (libc itself does not call the
 * interposed functions.)
 */
#include "../interpose/interpose.h"
#include "event.h"
#include "libc.h"

/* By fiber: where the call is. Other threads run between the steps of a call. */
static uint64_t called_at[MAX_FIBERS];

bool libc_observed(void)
{
	if (!active() || !rt->looking)
		return false;
	called_at[rt->cur->id] = caller();
	return observed_code(caller());
}

/* The event; NULL if others cannot see it. */
static const struct event *range(unsigned kind, const void *at, size_t n, bool measured)
{
	uint64_t pc = called_at[rt->cur->id], *entry = rt->entry;
	const struct event *e;
	struct pending *p;

	if (!n || n > UINT32_MAX || !visible((uintptr_t)at, n) ||
	    (kind == LP_EV_READ && read_only_memory((uintptr_t)at)))
		return NULL;
	p = announce(kind, at, (uint32_t)n, pc);
	p->flags = LP_SITE_NOVALUE;
	p->measured = measured;
	e = step(rt->cur);
	rt->entry = entry;
	return e;
}

bool libc_range(unsigned kind, const void *at, size_t n)
{
	return range(kind, at, n, false) != NULL;
}

size_t libc_range_read(const void *at, size_t n)
{
	const struct event *e = range(LP_EV_READ, at, n, true);

	return e ? e->size : n;
}

void libc_access(void)
{
	rt->cur->pending.pc = called_at[rt->cur->id];
	rt->accessing = 1;
}

void libc_fetch(uint8_t *to, const void *from, size_t n)
{
	libc_access();
	copy(to, from, n);
	rt->accessing = 0;
}

void libc_transfer(void *to, const void *from, size_t n)
{
	uint8_t *saved;

	if (!libc_range(LP_EV_READ, from, n)) {
		libc_range(LP_EV_WRITE, to, n);
		real_memmove(to, from, n);
		return;
	}
	saved = saved_bytes(n);
	libc_fetch(saved, from, n);
	libc_range(LP_EV_WRITE, to, n);
	real_memcpy(to, saved, n);
}

ENTRY_POINT(void *, memcpy, void *to, const void *from, size_t n)
{
	if (!libc_observed())
		return real_memcpy(to, from, n);
	libc_transfer(to, from, n);
	return to;
}

ENTRY_POINT(void *, memmove, void *to, const void *from, size_t n)
{
	if (!libc_observed())
		return real_memmove(to, from, n);
	libc_transfer(to, from, n);
	return to;
}

ENTRY_POINT(void *, memset, void *to, int c, size_t n)
{
	if (libc_observed())
		libc_range(LP_EV_WRITE, to, n);
	return real_memset(to, c, n);
}

ENTRY_POINT(void, bzero, void *to, size_t n)
{
	if (libc_observed())
		libc_range(LP_EV_WRITE, to, n);
	real_bzero(to, n);
}

ENTRY_POINT(int, memcmp, const void *a, const void *b, size_t n)
{
	uint8_t *saved;

	if (!libc_observed())
		return real_memcmp(a, b, n);
	if (!libc_range(LP_EV_READ, a, n)) {
		libc_range(LP_EV_READ, b, n);
		return real_memcmp(a, b, n);
	}
	saved = saved_bytes(n);
	libc_fetch(saved, a, n);
	libc_range(LP_EV_READ, b, n);
	return real_memcmp(saved, b, n);
}

ENTRY_POINT(void *, memchr, const void *s, int c, size_t n)
{
	size_t used;
	bool found;

	if (!libc_observed())
		return real_memchr(s, c, n);
	used = libc_read_string(s, n, (char)c, false, &found);
	return found ? (char *)(uintptr_t)s + used - 1 : NULL;
}

ENTRY_POINT(size_t, strlen, const char *s)
{
	bool found;

	return libc_observed() ? libc_read_string(s, SIZE_MAX, 0, true, &found) - 1
			       : real_strlen(s);
}

ENTRY_POINT(size_t, strnlen, const char *s, size_t most)
{
	bool found;
	size_t n;

	if (!libc_observed())
		return real_strnlen(s, most);
	n = libc_read_string(s, most, 0, true, &found);
	return n - found;
}

ENTRY_POINT(int, strcmp, const char *a, const char *b)
{
	return libc_observed() ? libc_compare_strings(a, b, SIZE_MAX) : real_strcmp(a, b);
}

ENTRY_POINT(int, strncmp, const char *a, const char *b, size_t n)
{
	return libc_observed() ? libc_compare_strings(a, b, n) : real_strncmp(a, b, n);
}

/* Reads a string and writes it in a step of its own; its length. */
static size_t copy_string(char *to, const char *from)
{
	bool found;
	size_t n = libc_read_string(from, SIZE_MAX, 0, true, &found);

	libc_range(LP_EV_WRITE, to, n);
	real_memcpy(to, saved_bytes(n), n);
	return n - 1;
}

ENTRY_POINT(char *, strcpy, char *to, const char *from)
{
	if (!libc_observed())
		return real_strcpy(to, from);
	copy_string(to, from);
	return to;
}

ENTRY_POINT(char *, stpcpy, char *to, const char *from)
{
	return libc_observed() ? to + copy_string(to, from) : real_stpcpy(to, from);
}

ENTRY_POINT(char *, strncpy, char *to, const char *from, size_t n)
{
	size_t used;
	bool found;

	if (!libc_observed())
		return real_strncpy(to, from, n);
	used = libc_read_string(from, n, 0, true, &found);
	libc_range(LP_EV_WRITE, to, n);
	real_memcpy(to, saved_bytes(used), used);
	real_memset(to + used, 0, n - used);
	return to;
}

ENTRY_POINT(char *, strcat, char *to, const char *from)
{
	bool found;

	if (!libc_observed())
		return real_strcat(to, from);
	copy_string(to + libc_read_string(to, SIZE_MAX, 0, true, &found) - 1, from);
	return to;
}

ENTRY_POINT(char *, strchr, const char *s, int c)
{
	size_t used;
	bool found;

	if (!libc_observed())
		return real_strchr(s, c);
	used = libc_read_string(s, SIZE_MAX, (char)c, true, &found);
	return saved_bytes(0)[used - 1] == (uint8_t)c ? (char *)(uintptr_t)s + used - 1 : NULL;
}

ENTRY_POINT(char *, strrchr, const char *s, int c)
{
	size_t used;
	bool found;

	if (!libc_observed())
		return real_strrchr(s, c);
	used = libc_read_string(s, SIZE_MAX, 0, true, &found);
	while (used && saved_bytes(0)[used - 1] != (uint8_t)c)
		used--;
	return used ? (char *)(uintptr_t)s + used - 1 : NULL;
}
