/* SPDX-License-Identifier: MIT
 *
 * The locks of a source file: where they are taken and released, what they protect, in which order
 * they are taken. All of it from the text, one function at a time: a lock is told from another one
 * in a function by the text of the argument, between functions by the member or variable that it
 * is.
 */
#ifndef LINCHPIN_FIX_LOCKS_H
#define LINCHPIN_FIX_LOCKS_H

#include "fix/range.h"

/* What is known at a place of a function. */
enum held {
	HELD_NEVER, /* control does not come here */
	HELD_NO,
	HELD_SHARED, /* for reading */
	HELD_YES,
	HELD_UNKNOWN, /* on some ways */
};

struct lock {
	char *take, *take_shared, *release; /* functions; take_shared NULL: there is none */
	char *text;                         /* the arguments, packed */
	char *shown;                        /* as they stand there */
	char *class;                        /* "struct list.lock", "display_lock" */
	struct node *argument;              /* first one, of one call */
	const struct node *function;
};

struct locks {
	struct unit *u;
	/* wrappers: functions of this file that only take, or only release */
	struct wrapper {
		const char *take, *release;
		char *class;
	} * wrappers;
	size_t nwrappers, wrappers_capacity;
	struct lock *list; /* each in each function that has an operation on it */
	size_t n, capacity;
};

void locks_find(struct unit *u, struct locks *l);
void locks_free(struct locks *l);

enum lock_call { CALL_NONE, CALL_TAKE, CALL_TAKE_SHARED, CALL_RELEASE, CALL_TRY, CALL_WAIT };

/* What a call does to the lock. */
enum lock_call lock_call(const struct locks *l, const struct lock *lock, const struct node *call);

/* The last argument of a call that takes a lock: what names the lock. NULL: there is none. */
struct node *lock_argument(const struct node *call);

/* Is it a call that takes or releases a lock, waits, ..., or a part of one? */
bool in_lock_operation(const struct locks *l, const struct node *n);

/* Fills `before` and `after` of all nodes of the function for this lock, not held at its start. */
void lock_flow(const struct locks *l, const struct lock *lock, struct node *function);

/* Members and global variables that are used in the range, in functions of this file that it calls
 * too: calls `found` for each, which returns true to end that. Locks themselves are none. */
bool range_uses(const struct locks *l, const struct range *r,
		bool (*found)(const char *name, void *data), void *data);
/* Is a member or variable used while a lock of the class is held, outside of the range? */
bool lock_protects(const struct locks *l, const struct lock *lock, const struct range *outside,
		   const char *name);
/* Does the range, or a function that it calls, change memory that others may see? Or this member or
 * variable, unless `name` is NULL. */
bool range_writes(const struct locks *l, const struct range *r, const char *name);
/* Is the member or variable changed while a lock of the class is held, or perhaps held? */
bool lock_guards(const struct locks *l, const char *class, const char *name);

/* Would the order of locks have a circle if `class` was held over the range, apart from operations
 * on `lock` (NULL: a new lock) there? *why is the sentence, to free. */
bool order_breaks(const struct locks *l, const struct lock *lock, const char *class,
		  const struct range *r, char **why);
/* Is the variable of that id assigned, or its address taken, in the range? */
bool range_changes(const struct unit *u, const struct range *r, const char *id);

#endif
