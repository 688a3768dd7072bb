/* SPDX-License-Identifier: MIT
 *
 * libc's functions on memory and strings, when instrumented code calls them: what they read and
 * write are accesses to ranges. Any other caller (libc has its own ways to them, compiled hooks do
 * not see them either) goes to the real function, straight from hooks.S while nothing is traced.
 */
#include "../interpose/interpose.h"
#include "instrument.h"
#include "libc.h"

#include <dlfcn.h>

#define BOUNCE 1024

/* Until the real functions are known: the loader and constructors may call any of them before. */

static void *first_memcpy(void *to, const void *from, size_t n)
{
	copy(to, from, n);
	return to;
}

static void *first_memmove(void *to, const void *from, size_t n)
{
	char *t = to;
	const char *f = from;

	if (t <= f || t >= f + n)
		copy(to, from, n);
	else
		while (n--)
			t[n] = f[n];
	return to;
}

static void *first_memset(void *to, int c, size_t n)
{
	volatile char *t = to;

	while (n--)
		t[n] = (char)c;
	return to;
}

static int first_memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;

	for (; n; n--, x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}

static void *first_memchr(const void *s, int c, size_t n)
{
	const unsigned char *p = s;

	for (; n; n--, p++)
		if (*p == (unsigned char)c)
			return (void *)(uintptr_t)p;
	return NULL;
}

static size_t first_strlen(const char *s)
{
	return length(s);
}

static size_t first_strnlen(const char *s, size_t most)
{
	size_t n = 0;

	while (n < most && s[n])
		n++;
	return n;
}

static int first_strncmp(const char *a, const char *b, size_t n)
{
	for (; n && *a && *a == *b; n--)
		a++, b++;
	return n ? (unsigned char)*a - (unsigned char)*b : 0;
}

static int first_strcmp(const char *a, const char *b)
{
	return first_strncmp(a, b, SIZE_MAX);
}

static char *first_strcpy(char *to, const char *from)
{
	copy(to, from, length(from) + 1);
	return to;
}

static char *first_stpcpy(char *to, const char *from)
{
	first_strcpy(to, from);
	return to + length(from);
}

static char *first_strncpy(char *to, const char *from, size_t n)
{
	size_t used = first_strnlen(from, n);

	copy(to, from, used);
	zero(to + used, n - used);
	return to;
}

static char *first_strcat(char *to, const char *from)
{
	first_strcpy(to + length(to), from);
	return to;
}

static char *first_strchr(const char *s, int c)
{
	for (; *s != (char)c; s++)
		if (!*s)
			return NULL;
	return (char *)(uintptr_t)s;
}

static char *first_strrchr(const char *s, int c)
{
	const char *found = NULL;

	do
		if (*s == (char)c)
			found = s;
	while (*s++);
	return (char *)(uintptr_t)found;
}

static void first_bzero(void *to, size_t n)
{
	zero(to, n);
}

#define REAL(name) __typeof__(first_##name) *real_##name = first_##name;
LIBC_RANGES(REAL)
#undef REAL

void libc_ranges_init(void)
{
	void *found;

#define LOOK_UP(name)                                                                              \
	found = dlsym(RTLD_NEXT, #name);                                                           \
	if (found)                                                                                 \
		copy(&real_##name, &found, sizeof found);
	LIBC_RANGES(LOOK_UP)
#undef LOOK_UP
}

static bool observed(void)
{
	return active() && rt->tracing && instrumented_code(caller());
}

/* The event of reading or writing a range; false if nobody else could see it. */
static bool range(unsigned kind, const void *at, size_t n)
{
	uint64_t pc = caller(), *entry = rt->entry;
	struct pending *p;
	struct event *e;

	if (!n || n > UINT32_MAX || !visible((uintptr_t)at, n) ||
	    (kind == LP_EV_READ && read_only_memory((uintptr_t)at)))
		return false;
	rt->entry = entry;
	p = announce(kind, at, (uint32_t)n, pc);
	p->flags = LP_SITE_NOVALUE;
	e = step(rt->cur);
	(void)e;
	rt->entry = entry;
	entry[ENTRY_PC] = pc;
	return true;
}

/* Reads `from` now and writes it to `to` in a step of its own: others may change either in between.
 */
static void transfer(void *to, const void *from, size_t n)
{
	uint8_t bounce[BOUNCE];

	if (n <= BOUNCE && range(LP_EV_READ, from, n)) {
		copy(bounce, from, n);
		range(LP_EV_WRITE, to, n);
		copy(to, bounce, n);
		return;
	}
	if (n > BOUNCE)
		range(LP_EV_READ, from, n);
	range(LP_EV_WRITE, to, n);
	first_memmove(to, from, n);
}

#define ENTRY_POINT(type, name, ...)                                                               \
	type i_##name(__VA_ARGS__);                                                                \
	type i_##name(__VA_ARGS__)

ENTRY_POINT(void *, memcpy, void *to, const void *from, size_t n)
{
	if (!observed())
		return real_memcpy(to, from, n);
	transfer(to, from, n);
	return to;
}

ENTRY_POINT(void *, memmove, void *to, const void *from, size_t n)
{
	if (!observed())
		return real_memmove(to, from, n);
	transfer(to, from, n);
	return to;
}

ENTRY_POINT(void *, memset, void *to, int c, size_t n)
{
	if (observed())
		range(LP_EV_WRITE, to, n);
	return real_memset(to, c, n);
}

ENTRY_POINT(void, bzero, void *to, size_t n)
{
	if (observed())
		range(LP_EV_WRITE, to, n);
	real_bzero(to, n);
}

ENTRY_POINT(int, memcmp, const void *a, const void *b, size_t n)
{
	if (observed()) {
		range(LP_EV_READ, a, n);
		range(LP_EV_READ, b, n);
	}
	return real_memcmp(a, b, n);
}

ENTRY_POINT(void *, memchr, const void *s, int c, size_t n)
{
	if (observed()) {
		const char *found = first_memchr(s, c, n);

		range(LP_EV_READ, s, found ? (size_t)(found - (const char *)s) + 1 : n);
	}
	return real_memchr(s, c, n);
}

ENTRY_POINT(size_t, strlen, const char *s)
{
	if (observed())
		range(LP_EV_READ, s, length(s) + 1);
	return real_strlen(s);
}

ENTRY_POINT(size_t, strnlen, const char *s, size_t most)
{
	size_t n = first_strnlen(s, most);

	if (observed())
		range(LP_EV_READ, s, n + (n < most));
	return real_strnlen(s, most);
}

static size_t compared(const char *a, const char *b, size_t n)
{
	size_t i = 0;

	while (i < n && a[i] && a[i] == b[i])
		i++;
	return i + (i < n);
}

ENTRY_POINT(int, strcmp, const char *a, const char *b)
{
	if (observed()) {
		range(LP_EV_READ, a, compared(a, b, SIZE_MAX));
		range(LP_EV_READ, b, compared(a, b, SIZE_MAX));
	}
	return real_strcmp(a, b);
}

ENTRY_POINT(int, strncmp, const char *a, const char *b, size_t n)
{
	if (observed()) {
		range(LP_EV_READ, a, compared(a, b, n));
		range(LP_EV_READ, b, compared(a, b, n));
	}
	return real_strncmp(a, b, n);
}

ENTRY_POINT(char *, strcpy, char *to, const char *from)
{
	if (!observed())
		return real_strcpy(to, from);
	transfer(to, from, length(from) + 1);
	return to;
}

ENTRY_POINT(char *, stpcpy, char *to, const char *from)
{
	size_t n;

	if (!observed())
		return real_stpcpy(to, from);
	n = length(from);
	transfer(to, from, n + 1);
	return to + n;
}

ENTRY_POINT(char *, strncpy, char *to, const char *from, size_t n)
{
	size_t used;

	if (!observed())
		return real_strncpy(to, from, n);
	used = first_strnlen(from, n);
	transfer(to, from, used);
	if (used < n) {
		range(LP_EV_WRITE, to + used, n - used);
		zero(to + used, n - used);
	}
	return to;
}

ENTRY_POINT(char *, strcat, char *to, const char *from)
{
	size_t n;

	if (!observed())
		return real_strcat(to, from);
	n = length(to);
	range(LP_EV_READ, to, n + 1);
	transfer(to + n, from, length(from) + 1);
	return to;
}

ENTRY_POINT(char *, strchr, const char *s, int c)
{
	if (observed()) {
		const char *found = first_strchr(s, c);

		range(LP_EV_READ, s, (found ? (size_t)(found - s) : length(s)) + 1);
	}
	return real_strchr(s, c);
}

ENTRY_POINT(char *, strrchr, const char *s, int c)
{
	if (observed())
		range(LP_EV_READ, s, length(s) + 1);
	return real_strrchr(s, c);
}
