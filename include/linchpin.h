/* SPDX-License-Identifier: MIT
 *
 * linchpin.h: mark the operations of a data structure in a test.
 *
 * linchpin records each call and return in a history and checks the history against a sequential
 * specification:
 *
 *	linchpin_object(s, "stack");                 // s behaves like the built-in stack
 *
 *	linchpin_call(s, "push", 7);                 // up to four integer arguments
 *	stack_push(s, 7);
 *	linchpin_return_void();
 *
 *	linchpin_call(s, "pop");
 *	bool some = stack_pop(s, &v);
 *	some ? linchpin_return(v) : linchpin_return_empty();
 *
 *	macro                                        meaning
 *	linchpin_object(object, "SPECIFICATION")     what the object promises: docs/operations.md
 *	linchpin_call(object, "OPERATION", ...)      an operation of this thread starts
 *	linchpin_return(value)                       it ends with a value (booleans are 0 and 1)
 *	linchpin_return_empty()                      it ends: there was nothing (pop of an empty stack)
 *	linchpin_return_void()                       it ends without a result, or the result is not
 *	                                             of interest
 *	linchpin_active()                            1 under linchpin's scheduler, else 0
 *
 * Arguments and values are converted to int64_t.
 *
 * An object is an address that no other object has. NULL is an object too, so a test of one
 * structure may pass NULL. At most 64 objects get a specification. A return belongs to the last
 * call of the same thread that has not returned; a return without a call is ignored. Strings are
 * not copied: they must live as long as the program (literals do).
 *
 * Without the runtime (libsched.so is not preloaded) every macro is one test of a static pointer,
 * and nothing needs to be linked. No macro reports an error: a wrong specification or operation is
 * reported by the analyzer.
 *
 * The header finds the runtime through the environment before main starts. A weak symbol would not
 * do: it may already have become 0 when a non-PIE executable was linked. Compiles as C99 or later
 * and C++98 or later, with gcc and clang.
 */
#ifndef LINCHPIN_H
#define LINCHPIN_H

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LINCHPIN_HOOKS_VERSION 1
#define LINCHPIN_MAX_ARGS      4

/* What the runtime offers. The environment variable LINCHPIN_HOOKS holds "PID:ADDRESS" of one, the
 * address in hex. */
struct linchpin_hooks {
	uint32_t version;
	void (*object)(const void *object, const char *specification);
	void (*call)(const void *object, const char *operation, unsigned nargs,
		     const int64_t *args);
	/* kind: 0 no result, 1 value, 2 "there was nothing" (empty, absent) */
	void (*ret)(unsigned kind, int64_t value);
};

static const struct linchpin_hooks *linchpin_hooks_;

__attribute__((constructor, unused)) static void linchpin_find_(void)
{
	const char *text = getenv("LINCHPIN_HOOKS");
	char *end;
	unsigned long pid;

	if (!text)
		return;
	pid = strtoul(text, &end, 10);
	/* A child that inherited the environment, but not the runtime, must not use the address. */
	if (*end != ':' || pid != (unsigned long)getpid())
		return;
	linchpin_hooks_ = (const struct linchpin_hooks *)(uintptr_t)strtoull(end + 1, &end, 16);
	if (linchpin_hooks_ && linchpin_hooks_->version != LINCHPIN_HOOKS_VERSION)
		linchpin_hooks_ = 0;
}

/* A load that the compiler's hooks do not see: marks are not accesses of the program. */
#ifdef __x86_64__
#define LINCHPIN_LOAD_(to, from) __asm__("movq %1, %0" : "=r"(to) : "m"(from))
#else
#define LINCHPIN_LOAD_(to, from) ((to) = (from))
#endif

static inline const struct linchpin_hooks *linchpin_get_(void)
{
	const struct linchpin_hooks *hooks;

	LINCHPIN_LOAD_(hooks, linchpin_hooks_);
	return hooks;
}

/* True when the program runs under linchpin's scheduler. */
#define linchpin_active() (linchpin_get_() != 0)

static inline void linchpin_object_(const void *object, const char *specification)
{
	const struct linchpin_hooks *hooks = linchpin_get_();
	void (*function)(const void *, const char *);

	if (hooks) {
		LINCHPIN_LOAD_(function, hooks->object);
		function(object, specification);
	}
}

static inline void linchpin_call_(const void *object, const char *operation, unsigned nargs,
				  int64_t a, int64_t b, int64_t c, int64_t d)
{
	const struct linchpin_hooks *hooks = linchpin_get_();
	void (*function)(const void *, const char *, unsigned, const int64_t *);

	if (hooks) {
		int64_t args[LINCHPIN_MAX_ARGS];

		args[0] = a;
		args[1] = b;
		args[2] = c;
		args[3] = d;
		LINCHPIN_LOAD_(function, hooks->call);
		function(object, operation, nargs, args);
	}
}

static inline void linchpin_return_(unsigned kind, int64_t value)
{
	const struct linchpin_hooks *hooks = linchpin_get_();
	void (*function)(unsigned, int64_t);

	if (hooks) {
		LINCHPIN_LOAD_(function, hooks->ret);
		function(kind, value);
	}
}

/* The object at this address behaves like this specification ("set", "stack", "queue", ...). */
#define linchpin_object(object, specification) linchpin_object_((object), (specification))

/* An operation starts: linchpin_call(object, "name", up to four integer arguments). */
#define linchpin_call(...)                                                                         \
	LINCHPIN_PICK_(__VA_ARGS__, LINCHPIN_CALL4_, LINCHPIN_CALL3_, LINCHPIN_CALL2_,             \
		       LINCHPIN_CALL1_, LINCHPIN_CALL0_, )                                         \
	(__VA_ARGS__)

/* The running operation of this thread ends: with a value; there was nothing; without a result. */
#define linchpin_return(value)  linchpin_return_(1, (int64_t)(value))
#define linchpin_return_empty() linchpin_return_(2, 0)
#define linchpin_return_void()  linchpin_return_(0, 0)

#define LINCHPIN_PICK_(o, n, a, b, c, d, macro, ...) macro
#define LINCHPIN_CALL0_(o, n)                        linchpin_call_((o), (n), 0, 0, 0, 0, 0)
#define LINCHPIN_CALL1_(o, n, a)                     linchpin_call_((o), (n), 1, (int64_t)(a), 0, 0, 0)
#define LINCHPIN_CALL2_(o, n, a, b)                  linchpin_call_((o), (n), 2, (int64_t)(a), (int64_t)(b), 0, 0)
#define LINCHPIN_CALL3_(o, n, a, b, c)                                                             \
	linchpin_call_((o), (n), 3, (int64_t)(a), (int64_t)(b), (int64_t)(c), 0)
#define LINCHPIN_CALL4_(o, n, a, b, c, d)                                                          \
	linchpin_call_((o), (n), 4, (int64_t)(a), (int64_t)(b), (int64_t)(c), (int64_t)(d))

#ifdef __cplusplus
}
#endif

#endif
