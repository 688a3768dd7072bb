/* SPDX-License-Identifier: MIT
 *
 * The functions of a program and of its own libraries, as debug information describes them: where
 * their code is, in which registers their parameters arrive, and where they were inlined.
 */
#ifndef LINCHPIN_SPEC_FUNCTIONS_H
#define LINCHPIN_SPEC_FUNCTIONS_H

#include "base/numbering.h"
#include "base/util.h"

#define FUNCTION_MAX_PARAMS 16
#define INLINED_CHAIN       8

enum type_kind {
	TYPE_VOID,
	TYPE_BOOL,
	TYPE_SIGNED,
	TYPE_UNSIGNED,
	TYPE_POINTER,
	TYPE_OTHER, /* a structure, a floating-point number, ...: cannot be a value of a history */
};

struct fn_type {
	enum type_kind kind;
	uint8_t size;           /* bytes, 1 to 8; TYPE_OTHER: 0 */
	enum type_kind pointee; /* of a pointer; TYPE_VOID if it is not known */
	uint8_t pointee_size;
	uint64_t pointee_bytes; /* the same also of structures; 0 if it is not known */
	bool to_const;          /* of a pointer */
	char *text;             /* as in C: "struct list *" */
};

enum param_where {
	WHERE_REGISTER, /* of the System V ABI: reg 0 to 5 are rdi rsi rdx rcx r8 r9 */
	WHERE_CONST,    /* the compiler put in the value: it has made a copy for it */
	WHERE_ADDRESS,  /* the same; an address as linked */
	WHERE_MEMORY,   /* on the stack */
	WHERE_XMM,
	WHERE_GONE, /* removed by the compiler */
	WHERE_UNKNOWN,
};

struct fn_param {
	char *name; /* "" if it has none */
	struct fn_type type;
	enum param_where where;
	unsigned reg;
	uint64_t value;
};

/* One piece of code of a function. */
struct fn_instance {
	uint32_t module;
	uint64_t address; /* as linked */
	bool system;      /* declared in a header of the system, like all of std */
	bool hooks;       /* compiled with -fsanitize=thread: its module is not instrumented */
	bool changed; /* the compiler changed how it is called; result_lost if perhaps also this: */
	bool result_lost;
	struct fn_param params[FUNCTION_MAX_PARAMS];
	unsigned nparams;
	struct fn_type result;
};

/* A place where it was inlined. */
struct fn_inlined {
	const char *chain[INLINED_CHAIN]; /* functions around it, outermost first */
	unsigned nchain;
	char *file;
	unsigned line;
	bool system; /* the same of the function that was inlined */
};

struct function {
	char *name;
	char *file; /* where it is declared; NULL if that is not known */
	unsigned line;
	struct fn_instance prototype; /* without code */
	bool declared;                /* there is a prototype */
	bool system;                  /* it is declared only in headers of the system */
	struct fn_instance *instances;
	uint32_t ninstances, instances_capacity;
	struct fn_inlined *inlined;
	uint32_t ninlined, inlined_capacity;
};

struct functions {
	char **modules; /* paths; the first is the program's */
	uint32_t nmodules, modules_capacity;
	struct function *list;
	uint32_t n, capacity;
	struct numbering names; /* list[i] has the i-th name */
	bool debug;             /* the program has debug information */
	bool opens;             /* it may load libraries while it runs */
};

/* Reads the program and the libraries of its own. 0, or -1 and *e if it is not an ELF file. */
int functions_read(struct functions *f, const char *program, struct error *e);
/* Adds those of a library that the program loads while it runs. */
int functions_add(struct functions *f, const char *library, struct error *e);
void functions_free(struct functions *f);
const struct function *functions_find(const struct functions *f, const char *name);

#endif
