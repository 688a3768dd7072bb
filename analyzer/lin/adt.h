/* SPDX-License-Identifier: MIT
 *
 * lin/adt/ has a file for each specification. It includes lin/explain/, lin/monitor/, lin/ and
 * base/.
 *
 * A sequential specification: what its operations are called and what they do to a state.
 *
 * Each lives in a file adt/NAME.c of its own that defines
 *
 *	const struct adt *const adt_NAME[] = { &one, &another, NULL };
 *
 * and nothing else has to be touched to add one: the build lists the files (mk/lin.mk).
 */
#ifndef LINCHPIN_LIN_ADT_H
#define LINCHPIN_LIN_ADT_H

#include "lin/state.h"

struct lin_part;
struct text;

/*
 * Values become words. An integer is its own word, except the few smallest, which mean "nothing"
 * and the strings of the history; a history that uses those integers is refused.
 */
#define WORD_EMPTY         INT64_MIN
#define WORD_STRING(index) (INT64_MIN + 1 + (int64_t)(index))

#define RANK_PENDING UINT32_MAX

enum {
	OP_PENDING = 1,  /* never returned: may take effect or not */
	OP_ANY = 2,      /* the result is not known: anything is allowed (always with OP_PENDING) */
	OP_OBSERVER = 4, /* with this result the state stays as it is */
};

struct lin_op {
	int64_t a, b, r; /* two arguments and the result, as words; r is WORD_EMPTY with OP_ANY */
	uint32_t call, ret; /* positions in the events of its part; ret may be RANK_PENDING */
	uint32_t id;        /* index in history->ops */
	uint8_t code;       /* adt_method.code */
	uint8_t method;     /* index in adt->methods */
	uint8_t nargs;
	uint8_t flags; /* OP_* */
};

enum step {
	STEP_ILLEGAL = 0, /* not possible in this state with this result */
	STEP_SAME,        /* possible, and the state stays as it is */
	STEP_CHANGED,
};

enum method_flags {
	M_READS = 1,    /* never changes the state */
	M_SUCCEEDS = 2, /* the result is a boolean; with false the state stays as it is */
	M_TAKES = 4,    /* the result is a value, or empty; with empty the state stays as it is */
	M_KEY = 8,      /* the first argument is a key: touches that part of the state only */
	M_ADDS = 16,    /* puts its argument (the last one) in */
	/* depends on how much there is: may become illegal when others are deleted */
	M_FRAGILE = 32,
};

struct adt_method {
	const char *names; /* separated by spaces; lower case, without _ and - */
	uint8_t code;      /* meaning known to step() and the monitor */
	uint8_t min_args, max_args;
	uint8_t flags; /* enum method_flags */
};

enum adt_traits {
	ADT_KEYS = 1,       /* may be split by key if every operation has M_KEY */
	ADT_DETERMINED = 2, /* which operations ran, with known results, determines the state */
	/* linearizable histories stay so when all operations of a value are deleted */
	ADT_VALUES = 4,
	ADT_ORDERS = 8, /* needs history->orders, which only runs of a program have */
};

enum monitor_answer {
	MONITOR_OK,
	MONITOR_VIOLATION,
	MONITOR_DECLINES, /* the history does not have the shape for it */
};

/* What a monitor reports on a violation: operations (positions in the part) that are not
 * linearizable by themselves. */
struct monitor_core {
	uint32_t *ops;
	uint32_t nops, capacity;
};

#define ADT_MAX_PARAMETERS 4

/* What the words of a state are, for those who write it out. */
enum adt_shape {
	SHAPE_OTHER,    /* nobody else knows */
	SHAPE_VALUE,    /* one value */
	SHAPE_SWITCH,   /* one value: 0 is free, anything else is held */
	SHAPE_SEQUENCE, /* the values from first to last */
	SHAPE_SET,      /* a table of its members */
	SHAPE_COUNTS,   /* a table from values to how many there are */
	SHAPE_MAP,      /* a table from keys to values */
};

struct adt {
	const char *names; /* separated by spaces; the first is the name used in messages */
	const char *noun;  /* "stack": in sentences */
	uint8_t min_parameters, max_parameters;
	uint8_t traits;                   /* enum adt_traits */
	uint8_t shape;                    /* enum adt_shape */
	const struct adt_method *methods; /* ends with names == NULL; NULL: user specification */
	/* Fills the initial state. */
	void (*init)(struct state *s, const int64_t *parameters, int n);
	/* Tries the operation; on STEP_CHANGED the state was changed through state_*(). */
	enum step (*step)(struct state *s, const struct lin_op *op);
	/* A fast algorithm for histories of one shape, or NULL. `core` may be NULL. */
	enum monitor_answer (*monitor)(const struct lin_part *part, struct monitor_core *core);
	/* Adds a sentence on why a few operations (the part, minimal) are not linearizable, or adds
	 * nothing and returns false if no sentence fits (explain.h). May be NULL. */
	bool (*explain)(struct text *t, const struct lin_part *part);
	void *user; /* user specifications: the plug-in */
};

/* Does the result agree with this word, or this boolean? */
static inline bool op_gives(const struct lin_op *op, int64_t word)
{
	return (op->flags & OP_ANY) || op->r == word;
}

static inline bool op_true(const struct lin_op *op)
{
	return op->r != 0 && op->r != WORD_EMPTY;
}

static inline bool op_says(const struct lin_op *op, bool truth)
{
	return (op->flags & OP_ANY) || op_true(op) == truth;
}

/* STEP_SAME if the result of an operation that only looks is right. */
static inline enum step op_looks(const struct lin_op *op, int64_t word)
{
	return op_gives(op, word) ? STEP_SAME : STEP_ILLEGAL;
}

/* The same if its result is a truth value. */
static inline enum step op_answers(const struct lin_op *op, bool truth)
{
	return op_says(op, truth) ? STEP_SAME : STEP_ILLEGAL;
}

/* All built-in specifications; ends with NULL. */
extern const struct adt *const *const *const adt_files;

/* The method of that name (in any spelling), or -1. */
int adt_method_find(const struct adt *adt, const char *name);

#endif
