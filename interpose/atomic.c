/* SPDX-License-Identifier: MIT
 *
 * Atomics: the compiler hooks (gcc calls _compare_exchange_strong, clang _compare_exchange_val) and
 * libatomic's functions. The scheduler serialises everything, so once the step is chosen the
 * operation is done with plain code. The memory order is recorded in the trace; the search explores
 * sequential consistency.
 */
#include "interpose.h"

__extension__ typedef unsigned __int128 u128 __attribute__((may_alias, aligned(1)));
typedef uint64_t u64 __attribute__((may_alias, aligned(1)));
typedef uint32_t u32 __attribute__((may_alias, aligned(1)));
typedef uint16_t u16 __attribute__((may_alias, aligned(1)));
typedef uint8_t u8 __attribute__((may_alias));

static inline bool plain_size(size_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static inline unsigned atomic_flags(int order, unsigned size)
{
	return LP_SITE_ATOMIC | (unsigned)(order & 7) << 4 |
	       (plain_size(size) ? 0 : LP_SITE_NOVALUE);
}

/* An atomic access is about to happen: could another thread see it? */
static inline bool about_to_be_seen(const volatile void *addr, unsigned size)
{
	if (!active())
		return false;
	rt->status->hooks = 1;
	if (visible((uintptr_t)addr, size))
		return true;
	rt->cur->pending.pc = caller(); /* for the case that it crashes */
	return false;
}

/* The step of an atomic access; NULL if no other thread could see it. */
static inline struct event *atomic_step(unsigned kind, volatile void *addr, unsigned size,
					int order)
{
	struct pending *p;

	if (!about_to_be_seen(addr, size))
		return NULL;
	p = announce(kind, addr, size, caller());
	p->flags = (uint8_t)atomic_flags(order, size);
	return step(rt->cur);
}

static inline struct event *compare_step(volatile void *addr, unsigned size, int order,
					 uint64_t expected, uint64_t high)
{
	struct pending *p;

	if (!about_to_be_seen(addr, size))
		return NULL;
	p = announce(LP_EV_RMW, addr, size, caller());
	p->flags = (uint8_t)atomic_flags(order, size);
	p->compare = 1;
	p->expected = expected;
	p->expected_high = high;
	return step(rt->cur);
}

static inline void values(struct event *e, uint64_t a, uint64_t b)
{
	if (e) {
		e->value[0] = a;
		e->value[1] = b;
	}
}

/* The program's pointer may be invalid. Then the program has crashed, not the runtime. */
#define TOUCH(statement)                                                                           \
	do {                                                                                       \
		if (rt_there)                                                                      \
			rt->accessing = 1;                                                         \
		statement;                                                                         \
		if (rt_there)                                                                      \
			rt->accessing = 0;                                                         \
	} while (0)

#define HIGH(v) (sizeof(v) > 8 ? (uint64_t)((u128)(v) >> 64) : 0)

/* `result`: old or new. */
#define MODIFY(T, size, name, expression, result)                                                  \
	T i_##name(volatile T *a, T v, int order);                                                 \
	T i_##name(volatile T *a, T v, int order)                                                  \
	{                                                                                          \
		struct event *e = atomic_step(LP_EV_RMW, a, size, order);                          \
		T old, new;                                                                        \
                                                                                                   \
		TOUCH(old = *a; new = (T)(expression); *a = new);                                  \
		values(e, (uint64_t)old, (uint64_t)new);                                           \
		return result;                                                                     \
	}

#define FETCH(T, size, entry, op_name, expression)                                                 \
	MODIFY(T, size, entry##op_name, expression, old)

#define LOAD_STORE(T, size, load_name, store_name)                                                 \
	T i_##load_name(const volatile T *a, int order);                                           \
	T i_##load_name(const volatile T *a, int order)                                            \
	{                                                                                          \
		struct event *e =                                                                  \
			atomic_step(LP_EV_READ, (volatile T *)(uintptr_t)a, size, order);          \
		T v;                                                                               \
                                                                                                   \
		TOUCH(v = *a);                                                                     \
		values(e, (uint64_t)v, 0);                                                         \
		return v;                                                                          \
	}                                                                                          \
	void i_##store_name(volatile T *a, T v, int order);                                        \
	void i_##store_name(volatile T *a, T v, int order)                                         \
	{                                                                                          \
		struct event *e = atomic_step(LP_EV_WRITE, a, size, order);                        \
                                                                                                   \
		TOUCH(*a = v);                                                                     \
		values(e, (uint64_t)v, 0);                                                         \
	}

#define EXCHANGE_CODE(T, size)                                                                     \
	static inline T compare_##T(volatile T *a, T expected, T v, int order)                     \
	{                                                                                          \
		struct event *e =                                                                  \
			compare_step(a, size, order, (uint64_t)expected, HIGH(expected));          \
		T old;                                                                             \
                                                                                                   \
		TOUCH(old = *a; if (old == expected) *a = v);                                      \
		values(e, (uint64_t)old, (uint64_t)v);                                             \
		return old;                                                                        \
	}

#define TSAN(T, size, bits)                                                                        \
	EXCHANGE_CODE(T, size)                                                                     \
	LOAD_STORE(T, size, __tsan_atomic##bits##_load, __tsan_atomic##bits##_store)               \
	FETCH(T, size, __tsan_atomic##bits, _exchange, v)                                          \
	FETCH(T, size, __tsan_atomic##bits, _fetch_add, old + v)                                   \
	FETCH(T, size, __tsan_atomic##bits, _fetch_sub, old - v)                                   \
	FETCH(T, size, __tsan_atomic##bits, _fetch_and, old &v)                                    \
	FETCH(T, size, __tsan_atomic##bits, _fetch_or, old | v)                                    \
	FETCH(T, size, __tsan_atomic##bits, _fetch_xor, old ^ v)                                   \
	FETCH(T, size, __tsan_atomic##bits, _fetch_nand, ~(old & v))                               \
	int i___tsan_atomic##bits##_compare_exchange_strong(volatile T *a, T *expected, T v,       \
							    int order, int failure);               \
	int i___tsan_atomic##bits##_compare_exchange_strong(volatile T *a, T *expected, T v,       \
							    int order, int failure)                \
	{                                                                                          \
		T want = *expected, old = compare_##T(a, want, v, order);                          \
                                                                                                   \
		(void)failure;                                                                     \
		if (old != want)                                                                   \
			*expected = old;                                                           \
		return old == want;                                                                \
	}                                                                                          \
	int i___tsan_atomic##bits##_compare_exchange_weak(volatile T *a, T *expected, T v,         \
							  int order, int failure);                 \
	int i___tsan_atomic##bits##_compare_exchange_weak(volatile T *a, T *expected, T v,         \
							  int order, int failure)                  \
	{                                                                                          \
		return i___tsan_atomic##bits##_compare_exchange_strong(a, expected, v, order,      \
								       failure);                   \
	}                                                                                          \
	T i___tsan_atomic##bits##_compare_exchange_val(volatile T *a, T expected, T v, int order,  \
						       int failure);                               \
	T i___tsan_atomic##bits##_compare_exchange_val(volatile T *a, T expected, T v, int order,  \
						       int failure)                                \
	{                                                                                          \
		(void)failure;                                                                     \
		return compare_##T(a, expected, v, order);                                         \
	}

#define LIBATOMIC(T, size)                                                                         \
	LOAD_STORE(T, size, __atomic_load_##size, __atomic_store_##size)                           \
	FETCH(T, size, __atomic_exchange_, size, v)                                                \
	FETCH(T, size, __atomic_fetch_add_, size, old + v)                                         \
	FETCH(T, size, __atomic_fetch_sub_, size, old - v)                                         \
	FETCH(T, size, __atomic_fetch_and_, size, old &v)                                          \
	FETCH(T, size, __atomic_fetch_or_, size, old | v)                                          \
	FETCH(T, size, __atomic_fetch_xor_, size, old ^ v)                                         \
	FETCH(T, size, __atomic_fetch_nand_, size, ~(old & v))                                     \
	MODIFY(T, size, __atomic_add_fetch_##size, old + v, new)                                   \
	MODIFY(T, size, __atomic_sub_fetch_##size, old - v, new)                                   \
	MODIFY(T, size, __atomic_and_fetch_##size, old &v, new)                                    \
	MODIFY(T, size, __atomic_or_fetch_##size, old | v, new)                                    \
	MODIFY(T, size, __atomic_xor_fetch_##size, old ^ v, new)                                   \
	MODIFY(T, size, __atomic_nand_fetch_##size, ~(old & v), new)                               \
	_Bool i___atomic_test_and_set_##size(volatile T *a, int order);                            \
	_Bool i___atomic_test_and_set_##size(volatile T *a, int order)                             \
	{                                                                                          \
		struct event *e = atomic_step(LP_EV_RMW, a, 1, order);                             \
		uint8_t old;                                                                       \
                                                                                                   \
		TOUCH(old = *(volatile uint8_t *)a; *(volatile uint8_t *)a = 1);                   \
		values(e, old, 1);                                                                 \
		return old != 0;                                                                   \
	}                                                                                          \
	_Bool i___atomic_compare_exchange_##size(volatile T *a, T *expected, T v, int order,       \
						 int failure);                                     \
	_Bool i___atomic_compare_exchange_##size(volatile T *a, T *expected, T v, int order,       \
						 int failure)                                      \
	{                                                                                          \
		T want = *expected, old = compare_##T(a, want, v, order);                          \
                                                                                                   \
		(void)failure;                                                                     \
		if (old != want)                                                                   \
			*expected = old;                                                           \
		return old == want;                                                                \
	}

TSAN(u8, 1, 8)
TSAN(u16, 2, 16)
TSAN(u32, 4, 32)
TSAN(u64, 8, 64)
TSAN(u128, 16, 128)
LIBATOMIC(u8, 1)
LIBATOMIC(u16, 2)
LIBATOMIC(u32, 4)
LIBATOMIC(u64, 8)
LIBATOMIC(u128, 16)

void i___tsan_atomic_thread_fence(int order);
void i___tsan_atomic_thread_fence(int order)
{
	if (active() && rt->tracing) {
		announce(LP_EV_FENCE, NULL, 0, caller())->flags = (uint8_t)atomic_flags(order, 16);
		step(rt->cur);
	}
}

/* What stdatomic.h declares as functions and defines as macros. */

void i_atomic_thread_fence(int order);
void i_atomic_thread_fence(int order)
{
	i___tsan_atomic_thread_fence(order);
}

_Bool i_atomic_flag_test_and_set_explicit(volatile u8 *flag, int order);
_Bool i_atomic_flag_test_and_set_explicit(volatile u8 *flag, int order)
{
	return i___atomic_test_and_set_1(flag, order);
}

_Bool i_atomic_flag_test_and_set(volatile u8 *flag);
_Bool i_atomic_flag_test_and_set(volatile u8 *flag)
{
	return i___atomic_test_and_set_1(flag, __ATOMIC_SEQ_CST);
}

void i_atomic_flag_clear_explicit(volatile u8 *flag, int order);
void i_atomic_flag_clear_explicit(volatile u8 *flag, int order)
{
	i___atomic_store_1(flag, 0, order);
}

void i_atomic_flag_clear(volatile u8 *flag);
void i_atomic_flag_clear(volatile u8 *flag)
{
	i___atomic_store_1(flag, 0, __ATOMIC_SEQ_CST);
}

/* libatomic's functions for any size. They compare bytes, also those of padding. */

static uint64_t value_of(const void *p, size_t size)
{
	return plain_size(size) ? peek((uint64_t)p, (uint32_t)size) : 0;
}

void i___atomic_load(size_t size, volatile void *a, void *to, int order);
void i___atomic_load(size_t size, volatile void *a, void *to, int order)
{
	struct event *e = size ? atomic_step(LP_EV_READ, a, (unsigned)size, order) : NULL;

	TOUCH(copy(to, (const void *)a, size); values(e, value_of(to, size), 0));
}

void i___atomic_store(size_t size, volatile void *a, void *from, int order);
void i___atomic_store(size_t size, volatile void *a, void *from, int order)
{
	struct event *e = size ? atomic_step(LP_EV_WRITE, a, (unsigned)size, order) : NULL;

	TOUCH(copy((void *)a, from, size); values(e, value_of(from, size), 0));
}

/* `from` and `to` may be the same. */
void i___atomic_exchange(size_t size, volatile void *a, void *from, void *to, int order);
void i___atomic_exchange(size_t size, volatile void *a, void *from, void *to, int order)
{
	struct event *e = size ? atomic_step(LP_EV_RMW, a, (unsigned)size, order) : NULL;

	TOUCH(values(e, value_of((const void *)a, size), value_of(from, size)));
	for (size_t i = 0; i < size; i++) {
		uint8_t old;

		TOUCH(old = ((volatile uint8_t *)a)[i];
		      ((volatile uint8_t *)a)[i] = ((uint8_t *)from)[i];
		      ((uint8_t *)to)[i] = old);
	}
}

_Bool i___atomic_compare_exchange(size_t size, volatile void *a, void *expected, void *from,
				  int order, int failure);
_Bool i___atomic_compare_exchange(size_t size, volatile void *a, void *expected, void *from,
				  int order, int failure)
{
	uint64_t low = (uint64_t)expected, high = 0; /* of another size: where it is */
	struct event *e = NULL;
	bool equal_now;

	(void)failure;
	if (plain_size(size)) {
		TOUCH(low = value_of(expected, size));
	} else if (size == 16) {
		TOUCH(low = peek((uint64_t)expected, 8);
		      high = peek((uint64_t)expected + 8, 8));
	}
	if (size)
		e = compare_step(a, (unsigned)size, order, low, high);
	TOUCH(values(e, value_of((const void *)a, size), value_of(from, size));
	      equal_now = same((const void *)a, expected, size));
	if (equal_now)
		TOUCH(copy((void *)a, from, size));
	else
		TOUCH(copy(expected, (const void *)a, size));
	return equal_now;
}
