/* SPDX-License-Identifier: MIT
 *
 * client.h: run a client of a structure, written in the notation of docs/structures.md.
 *
 *	[a1 a2] {c1 r1}|{a1} [c1]
 *
 * Operations in brackets are run by the main thread, before the others start and after they ended;
 * each group in braces by a thread of its own. An operation is a letter and, if it takes one, an
 * integer. The threads share only the structure: the text is parsed before they start, and each
 * thread writes results of its own. So every conflict in a trace is one of the structure.
 */
#ifndef STRUCTURES_CLIENT_H
#define STRUCTURES_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

enum client_kind {
	CLIENT_VOID, /* the operation has no result */
	CLIENT_BOOL,
	CLIENT_VALUE,
	CLIENT_EMPTY /* there was nothing to return */
};

struct client_result {
	enum client_kind kind;
	int value; /* 0 or 1 for CLIENT_BOOL; 0 for CLIENT_VOID and CLIENT_EMPTY */
};

struct client_operation {
	char letter;   /* in the notation; 0 ends a table */
	int arguments; /* 0; 1: a number; 2: two digits, a key and a value, given as one number */
	const char *name; /* in the specification */
	struct client_result (*run)(void *object, int argument);
};

struct client_structure {
	const char *specification; /* for linchpin_object() */
	void *(*create)(void);
	const struct client_operation *operations;
};

static inline struct client_result client_bool(bool value)
{
	return (struct client_result){ CLIENT_BOOL, value };
}

static inline struct client_result client_value(int value)
{
	return (struct client_result){ CLIENT_VALUE, value };
}

static inline struct client_result client_empty(void)
{
	return (struct client_result){ CLIENT_EMPTY, 0 };
}

static inline struct client_result client_void(void)
{
	return (struct client_result){ CLIENT_VOID, 0 };
}

/* Runs `PROGRAM [--unless OUTCOME] [--spec SPECIFICATION] CLIENT` and returns the exit status for
 * main: 0, or 2 after a message about wrong arguments. Prints the results in the order of the text
 * with commas between them: T or F, a number, E for nothing, - for no result. If they are exactly
 * OUTCOME, calls abort() instead. */
int client_main(const struct client_structure *structure, int argc, char **argv);

/* Of an operation that is not in the first group; see CLIENT_LIBRARY below. */
#define CLIENT_MORE __attribute__((unused))

#ifndef CLIENT_LIBRARY

/* The whole main of a client, from the specification, the function that makes the structure, and its
 * operations: CLIENT_MAIN("set", create, CLIENT_SET(add, del, contains)). */
#define CLIENT_MAIN(specification, create, ...)                                                    \
	int main(int argc, char **argv)                                                            \
	{                                                                                          \
		static const struct client_operation operations[] = {                              \
			__VA_ARGS__,                                                               \
			{ 0, 0, NULL, NULL },                                                      \
		};                                                                                 \
		static const struct client_structure structure = { specification, create,          \
								   operations };                   \
                                                                                                   \
		return client_main(&structure, argc, argv);                                        \
	}

/* The operations of common structures. */
/* clang-format off */
#define CLIENT_SET(add, del, contains) \
	{ 'a', 1, "add", add }, { 'r', 1, "remove", del }, { 'c', 1, "contains", contains }
#define CLIENT_STACK(push, pop)        { 'p', 1, "push", push }, { 'o', 0, "pop", pop }
#define CLIENT_QUEUE(enq, deq)         { 'e', 1, "enqueue", enq }, { 'd', 0, "dequeue", deq }
/* clang-format on */

#else

/* The same as functions of a library, for clients that linchpin makes: client_create(), and one for
 * each operation of the first group, which returns the result, CLIENT_NOTHING for none. */
#define CLIENT_NOTHING (-1)

#define CLIENT_FUNCTION(name, run)                                                                 \
	int name(void *object, int argument);                                                      \
	int name(void *object, int argument)                                                       \
	{                                                                                          \
		struct client_result result = run(object, argument);                               \
                                                                                                   \
		return result.kind == CLIENT_EMPTY ? CLIENT_NOTHING : result.value;                \
	}
#define CLIENT_MAIN(specification, create, operations, ...)                                        \
	void *client_create(void);                                                                 \
	void *client_create(void)                                                                  \
	{                                                                                          \
		return create();                                                                   \
	}                                                                                          \
	operations
#define CLIENT_SET(add, del, contains)                                                             \
	CLIENT_FUNCTION(client_add, add)                                                           \
	CLIENT_FUNCTION(client_remove, del) CLIENT_FUNCTION(client_contains, contains)
#define CLIENT_STACK(push, pop) CLIENT_FUNCTION(client_push, push) CLIENT_FUNCTION(client_pop, pop)
#define CLIENT_QUEUE(enq, deq)                                                                     \
	CLIENT_FUNCTION(client_enqueue, enq) CLIENT_FUNCTION(client_dequeue, deq)

#endif

#endif
