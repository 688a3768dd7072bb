/* SPDX-License-Identifier: MIT
 *
 * liblinchpin.so: what an object compiled with hooks is linked with, so that the same program also
 * runs on its own. Plain accesses are left alone and atomics are real atomic instructions. It is a
 * shared library, because calls bound to an archive inside the executable would be out of reach of
 * a preloaded libsched.so.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <pthread.h>

#define EXPORT __attribute__((visibility("default")))

__extension__ typedef unsigned __int128 u128;
typedef uint64_t u64;
typedef uint32_t u32;
typedef uint16_t u16;
typedef uint8_t u8;

#define NOTHING(name)                                                                              \
	EXPORT void name(void *addr);                                                              \
	EXPORT void name(void *addr)                                                               \
	{                                                                                          \
		(void)addr;                                                                        \
	}

#define ACCESSES(size)                                                                             \
	NOTHING(__tsan_read##size)                                                                 \
	NOTHING(__tsan_write##size)                                                                \
	NOTHING(__tsan_read_write##size)                                                           \
	NOTHING(__tsan_volatile_read##size)                                                        \
	NOTHING(__tsan_volatile_write##size)                                                       \
	NOTHING(__tsan_unaligned_read##size)                                                       \
	NOTHING(__tsan_unaligned_write##size)                                                      \
	NOTHING(__tsan_unaligned_read_write##size)                                                 \
	NOTHING(__tsan_unaligned_volatile_read##size)                                              \
	NOTHING(__tsan_unaligned_volatile_write##size)

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)
NOTHING(__tsan_func_entry)
NOTHING(__tsan_vptr_read)

#define NOTHING_VOID(name)                                                                         \
	EXPORT void name(void);                                                                    \
	EXPORT void name(void) {}

NOTHING_VOID(__tsan_init)
NOTHING_VOID(__tsan_func_exit)
NOTHING_VOID(__tsan_ignore_thread_begin)
NOTHING_VOID(__tsan_ignore_thread_end)

#define NOTHING_SIZE(name, type)                                                                   \
	EXPORT void name(void *addr, type x);                                                      \
	EXPORT void name(void *addr, type x)                                                       \
	{                                                                                          \
		(void)addr;                                                                        \
		(void)x;                                                                           \
	}

NOTHING_SIZE(__tsan_read_range, size_t)
NOTHING_SIZE(__tsan_write_range, size_t)
NOTHING_SIZE(__tsan_vptr_update, void *)

/* clang from 15 on calls these in place of libc's. */
EXPORT void *__tsan_memcpy(void *to, const void *from, size_t n);
EXPORT void *__tsan_memcpy(void *to, const void *from, size_t n)
{
	return memcpy(to, from, n);
}

EXPORT void *__tsan_memmove(void *to, const void *from, size_t n);
EXPORT void *__tsan_memmove(void *to, const void *from, size_t n)
{
	return memmove(to, from, n);
}

EXPORT void *__tsan_memset(void *to, int c, size_t n);
EXPORT void *__tsan_memset(void *to, int c, size_t n)
{
	return memset(to, c, n);
}

EXPORT void __tsan_atomic_thread_fence(int order);
EXPORT void __tsan_atomic_thread_fence(int order)
{
	(void)order;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

EXPORT void __tsan_atomic_signal_fence(int order);
EXPORT void __tsan_atomic_signal_fence(int order)
{
	(void)order;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Everything is a compare-and-swap; for 16 bytes, too, the __sync builtins are instructions
 * (-mcx16). */
#define LOOP(T, a, old, next)                                                                      \
	T old = *(a);                                                                              \
	for (;;) {                                                                                 \
		T seen_ = __sync_val_compare_and_swap((a), old, (T)(next));                        \
		if (seen_ == old)                                                                  \
			break;                                                                     \
		old = seen_;                                                                       \
	}

#define FETCH(T, bits, name, next)                                                                 \
	EXPORT T __tsan_atomic##bits##_##name(volatile T *a, T v, int order);                      \
	EXPORT T __tsan_atomic##bits##_##name(volatile T *a, T v, int order)                       \
	{                                                                                          \
		(void)order;                                                                       \
		LOOP(T, a, old, next)                                                              \
		return old;                                                                        \
	}

#define ATOMICS(T, bits)                                                                           \
	EXPORT T __tsan_atomic##bits##_load(volatile T *a, int order);                             \
	EXPORT T __tsan_atomic##bits##_load(volatile T *a, int order)                              \
	{                                                                                          \
		(void)order;                                                                       \
		return __sync_val_compare_and_swap(a, 0, 0);                                       \
	}                                                                                          \
	EXPORT void __tsan_atomic##bits##_store(volatile T *a, T v, int order);                    \
	EXPORT void __tsan_atomic##bits##_store(volatile T *a, T v, int order)                     \
	{                                                                                          \
		(void)order;                                                                       \
		LOOP(T, a, old, v)                                                                 \
	}                                                                                          \
	FETCH(T, bits, exchange, v)                                                                \
	FETCH(T, bits, fetch_add, old + v)                                                         \
	FETCH(T, bits, fetch_sub, old - v)                                                         \
	FETCH(T, bits, fetch_and, old &v)                                                          \
	FETCH(T, bits, fetch_or, old | v)                                                          \
	FETCH(T, bits, fetch_xor, old ^ v)                                                         \
	FETCH(T, bits, fetch_nand, ~(old & v))                                                     \
	EXPORT T __tsan_atomic##bits##_compare_exchange_val(volatile T *a, T expected, T v,        \
							    int order, int failure);               \
	EXPORT T __tsan_atomic##bits##_compare_exchange_val(volatile T *a, T expected, T v,        \
							    int order, int failure)                \
	{                                                                                          \
		(void)order;                                                                       \
		(void)failure;                                                                     \
		return __sync_val_compare_and_swap(a, expected, v);                                \
	}                                                                                          \
	EXPORT int __tsan_atomic##bits##_compare_exchange_strong(volatile T *a, T *expected, T v,  \
								 int order, int failure);          \
	EXPORT int __tsan_atomic##bits##_compare_exchange_strong(volatile T *a, T *expected, T v,  \
								 int order, int failure)           \
	{                                                                                          \
		T want = *expected,                                                                \
		  old = __tsan_atomic##bits##_compare_exchange_val(a, want, v, order, failure);    \
                                                                                                   \
		if (old != want)                                                                   \
			*expected = old;                                                           \
		return old == want;                                                                \
	}                                                                                          \
	EXPORT int __tsan_atomic##bits##_compare_exchange_weak(volatile T *a, T *expected, T v,    \
							       int order, int failure);            \
	EXPORT int __tsan_atomic##bits##_compare_exchange_weak(volatile T *a, T *expected, T v,    \
							       int order, int failure)             \
	{                                                                                          \
		return __tsan_atomic##bits##_compare_exchange_strong(a, expected, v, order,        \
								     failure);                     \
	}

ATOMICS(u8, 8)
ATOMICS(u16, 16)
ATOMICS(u32, 32)
ATOMICS(u64, 64)
ATOMICS(u128, 128)
