/* SPDX-License-Identifier: MIT
 *
 * What runtime code may use inside the target: raw system calls, memory and text primitives. No
 * libc allocation, no stdio, no TLS, no function that is interposed.
 */
#ifndef LP_BASE_H
#define LP_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define EXPORT      __attribute__((visibility("default")))
#define PAGE        4096UL

/* A raw system call; a negative result is -errno. errno itself is not touched. */
static inline long sys6(long n, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

#define sys0(n)             sys6((n), 0, 0, 0, 0, 0, 0)
#define sys1(n, a)          sys6((n), (long)(a), 0, 0, 0, 0, 0)
#define sys2(n, a, b)       sys6((n), (long)(a), (long)(b), 0, 0, 0, 0)
#define sys3(n, a, b, c)    sys6((n), (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define sys4(n, a, b, c, d) sys6((n), (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define sys5(n, a, b, c, d, e)                                                                     \
	sys6((n), (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)

/* The instructions for strings need as long to begin as it takes to move this many bytes one word after the other. */
#define SHORT_MOST 128

static inline void copy(void *to, const void *from, size_t n)
{
	typedef uint64_t __attribute__((may_alias, aligned(1))) word;
	char *t = to;
	const char *f = from;

	if (n <= SHORT_MOST) {
		for (; n >= sizeof(word); n -= sizeof(word), t += sizeof(word), f += sizeof(word))
			*(word *)t = *(const word *)f;
		while (n--)
			*t++ = *f++;
		return;
	}
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

static inline void zero(void *to, size_t n)
{
	typedef uint64_t __attribute__((may_alias, aligned(1))) word;
	char *t = to;

	if (n <= SHORT_MOST) {
		for (; n >= sizeof(word); n -= sizeof(word), t += sizeof(word))
			*(word *)t = 0;
		while (n--)
			*t++ = 0;
		return;
	}
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(0) : "memory");
}

/* Whole lines of ZERO_LINE bytes, at least one; by vector registers, which are nobody's between executions. */
#define ZERO_LINE 128UL
extern bool wide_vectors; /* they have 32 bytes: extended_find() */
static inline bool lines_zero_wide(uintptr_t lo, uintptr_t hi)
{
	uint8_t zero_bytes;

	__asm__("vxorps %%ymm0, %%ymm0, %%ymm0\n\tvxorps %%ymm1, %%ymm1, %%ymm1\n\t"
		"vxorps %%ymm2, %%ymm2, %%ymm2\n\tvxorps %%ymm3, %%ymm3, %%ymm3\n"
		"1:\tvorps (%1), %%ymm0, %%ymm0\n\tvorps 32(%1), %%ymm1, %%ymm1\n\t"
		"vorps 64(%1), %%ymm2, %%ymm2\n\tvorps 96(%1), %%ymm3, %%ymm3\n\tadd $128, %1\n\t"
		"cmp %2, %1\n\tjb 1b\n\t"
		"vorps %%ymm1, %%ymm0, %%ymm0\n\tvorps %%ymm3, %%ymm2, %%ymm2\n\t"
		"vorps %%ymm2, %%ymm0, %%ymm0\n\tvptest %%ymm0, %%ymm0\n\tsete %0\n\t"
		"vxorps %%xmm0, %%xmm0, %%xmm0\n\tvxorps %%xmm1, %%xmm1, %%xmm1\n\t"
		"vxorps %%xmm2, %%xmm2, %%xmm2\n\tvxorps %%xmm3, %%xmm3, %%xmm3\n\tvzeroupper"
		: "=r"(zero_bytes), "+r"(lo)
		: "r"(hi)
		: "memory", "cc");
	return zero_bytes;
}

static inline bool lines_zero(uintptr_t lo, uintptr_t hi)
{
	int zero_bytes;

	if (wide_vectors)
		return lines_zero_wide(lo, hi);
	__asm__("pxor %%xmm0, %%xmm0\n\tpxor %%xmm1, %%xmm1\n"
		"1:\tpor (%1), %%xmm0\n\tpor 16(%1), %%xmm1\n\tpor 32(%1), %%xmm0\n\t"
		"por 48(%1), %%xmm1\n\tpor 64(%1), %%xmm0\n\tpor 80(%1), %%xmm1\n\t"
		"por 96(%1), %%xmm0\n\tpor 112(%1), %%xmm1\n\tadd $128, %1\n\t"
		"cmp %2, %1\n\tjb 1b\n\t"
		"por %%xmm1, %%xmm0\n\tpxor %%xmm1, %%xmm1\n\tpcmpeqb %%xmm1, %%xmm0\n\t"
		"pmovmskb %%xmm0, %0\n\tpxor %%xmm0, %%xmm0"
		: "=r"(zero_bytes), "+r"(lo)
		: "r"(hi)
		: "memory", "cc");
	return zero_bytes == 0xffff;
}

static inline bool same(const void *a, const void *b, size_t n)
{
	const char *x = a, *y = b;

	for (; n >= 8; n -= 8, x += 8, y += 8)
		if (*(const uint64_t *)x != *(const uint64_t *)y)
			return false;
	for (; n; n--, x++, y++)
		if (*x != *y)
			return false;
	return true;
}

/* n is a multiple of 8. */
static inline bool all_zero(const void *at, size_t n)
{
	const uint64_t *p = at;

	for (size_t i = 0; i < n / 8; i++)
		if (p[i])
			return false;
	return true;
}

static inline size_t length(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

static inline bool equal(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

static inline uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ULL;
	return h ^ (h >> 32);
}

static inline uint64_t bit(unsigned id)
{
	return 1ULL << id;
}

static inline uint64_t round_up(uint64_t v, uint64_t to)
{
	return (v + to - 1) & ~(to - 1);
}

/* Fresh zeroed memory; the address is a hint unless `fixed`, when the range must be free. Ends the
 * process with a message if there is none. */
void *map(uintptr_t at, size_t size, bool fixed, bool shared);

/* A small text buffer with %s %d (long) %u (unsigned long) %x (unsigned long) %c. */
struct text {
	size_t n;
	char s[4096];
};
void text_add(struct text *t, const char *format, ...);
void text_flush(struct text *t, int fd); /* writes and empties it */

/* The digits there, of base 10 or 16, as far as they fit into the result; *p is moved behind them. */
uint64_t text_number(const char **p, unsigned base);

/* Reads the file from its beginning, at most `size` bytes: how many there were, or -errno. */
long read_file(const char *path, void *to, size_t size);
bool can_be_read(uint64_t addr); /* is there memory? */

/* Prints "linchpin: MESSAGE\n" to the error output (unless quiet, for `say`). */
void say(const char *format, ...);
void complain(const char *format, ...);

/* Prints the message, marks the run as given up and ends the process with status 2. */
__attribute__((noreturn)) void die(const char *format, ...);
__attribute__((noreturn)) void die_args(const char *format, va_list args);

#endif
