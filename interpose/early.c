/* SPDX-License-Identifier: MIT
 *
 * Functions on memory and strings for the time until libc's are known: the loader and constructors
 * may call any of them before. They are simple and slow.
 */
#include "../runtime/base.h"

/* Referred to by real.S. */
#define FIRST(type, name, ...)                                                                     \
	type first_##name(__VA_ARGS__);                                                            \
	type first_##name(__VA_ARGS__)

FIRST(void *, memcpy, void *to, const void *from, size_t n)
{
	copy(to, from, n);
	return to;
}

FIRST(void *, memmove, void *to, const void *from, size_t n)
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

FIRST(void *, memset, void *to, int c, size_t n)
{
	volatile char *t = to;

	while (n--)
		t[n] = (char)c;
	return to;
}

FIRST(int, memcmp, const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;

	for (; n; n--, x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}

FIRST(void *, memchr, const void *s, int c, size_t n)
{
	const unsigned char *p = s;

	for (; n; n--, p++)
		if (*p == (unsigned char)c)
			return (void *)(uintptr_t)p;
	return NULL;
}

FIRST(size_t, strlen, const char *s)
{
	return length(s);
}

FIRST(size_t, strnlen, const char *s, size_t most)
{
	size_t n = 0;

	while (n < most && s[n])
		n++;
	return n;
}

FIRST(int, strncmp, const char *a, const char *b, size_t n)
{
	for (; n && *a && *a == *b; n--)
		a++, b++;
	return n ? (unsigned char)*a - (unsigned char)*b : 0;
}

FIRST(int, strcmp, const char *a, const char *b)
{
	return first_strncmp(a, b, SIZE_MAX);
}

FIRST(char *, strcpy, char *to, const char *from)
{
	copy(to, from, length(from) + 1);
	return to;
}

FIRST(char *, stpcpy, char *to, const char *from)
{
	first_strcpy(to, from);
	return to + length(from);
}

FIRST(char *, strncpy, char *to, const char *from, size_t n)
{
	size_t used = first_strnlen(from, n);

	copy(to, from, used);
	zero(to + used, n - used);
	return to;
}

FIRST(char *, strcat, char *to, const char *from)
{
	first_strcpy(to + length(to), from);
	return to;
}

FIRST(char *, strchr, const char *s, int c)
{
	for (; *s != (char)c; s++)
		if (!*s)
			return NULL;
	return (char *)(uintptr_t)s;
}

FIRST(char *, strrchr, const char *s, int c)
{
	const char *found = NULL;

	do
		if (*s == (char)c)
			found = s;
	while (*s++);
	return (char *)(uintptr_t)found;
}

FIRST(void, bzero, void *to, size_t n)
{
	zero(to, n);
}
