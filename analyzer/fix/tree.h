/* SPDX-License-Identifier: MIT
 *
 * fix/ turns a repair into a patch of the source. It includes base/, run/, source/ and
 * repair/.
 *
 * A C source file as a tree of statements and expressions. What the compiler's front end knows is
 * copied into it (clang.c), so that nothing else depends on that.
 */
#ifndef LINCHPIN_FIX_TREE_H
#define LINCHPIN_FIX_TREE_H

#include "base/util.h"

enum node_kind {
	NODE_OTHER, /* an expression, or what is of no interest */
	NODE_FUNCTION,
	NODE_COMPOUND,
	NODE_IF,
	NODE_WHILE,
	NODE_DO,
	NODE_FOR,
	NODE_SWITCH,
	NODE_CASE, /* and default */
	NODE_LABEL,
	NODE_GOTO,
	NODE_BREAK,
	NODE_CONTINUE,
	NODE_RETURN,
	NODE_DECLARATION, /* a statement of them */
	NODE_VARIABLE,    /* one that is declared */
	NODE_CALL,
	NODE_REFERENCE, /* of a variable */
	NODE_MEMBER,
	NODE_BINARY, /* an assignment is one, too */
	NODE_UNARY,
	NODE_SUBSCRIPT,
};

struct node {
	enum node_kind kind;
	uint32_t start, end; /* bytes of the text; a statement ends behind its semicolon */
	uint32_t line, last; /* lines of the first and the last byte */
	struct node *parent, *child, *next;
	char *name;  /* of a function, label, variable; "struct node.next" of a member */
	char *id;    /* of the variable that is referred to or declared: equal for the same one; of a
		      * method: its class, as in `type` */
	char *type;  /* canonical, of expressions, variables and what a function returns */
	bool global; /* of a variable: it lives as long as the program */
	bool bits;   /* of a member: a bit-field */
	bool parameter;        /* of a variable */
	uint8_t before, after; /* what locks.c found out last */
};

/* A structure or class that is defined. */
struct record {
	char *type, *file; /* canonical; the file as the front end names it */
	uint32_t start, end; /* bytes of that file */
	uint32_t flexible; /* where the declaration of a last member without a size begins; 0: there is none */
	char **members;
	size_t nmembers, capacity;
};

struct unit {
	char *path; /* as it was given */
	char *text;
	size_t size;
	struct node **functions; /* that are defined in this file, in its order */
	size_t nfunctions, capacity;
	struct node *globals; /* variables that are defined in this file, the latest first */
	struct record *records;
	size_t nrecords, records_capacity;
	bool cplusplus;
	bool has_pthread; /* pthread_mutex_lock is declared */
};

struct node *node_new(struct node *parent, enum node_kind kind);
struct record *record_new(struct unit *u);
const struct record *unit_record(const struct unit *u, const char *type);
/* Once the tree of a function is there: ends of statements, order of children, lines. */
void function_finish(struct unit *u, struct node *function);
void unit_free(struct unit *u);

/* The next node in the order of the text, below `top`; NULL at the end. Begin with `top` itself. */
struct node *node_next(const struct node *top, struct node *n);
bool node_inside(const struct node *n, const struct node *top);
/* Is it where a statement stands? */
bool node_is_statement(const struct node *n);
bool node_is_loop(const struct node *n);
/* The body of a loop, switch, label, case or function; the branches of an if are its second and
 * third child. */
struct node *node_body(const struct node *n);
struct node *node_child(const struct node *n, unsigned number);
/* Without casts and parentheses that the front end does not tell. */
struct node *node_strip(struct node *n);

/* Its text, to free; without blanks and comments if `packed`. */
char *node_text(const struct unit *u, const struct node *n);
char *node_packed(const struct unit *u, const struct node *n);
/* "=", "+=", "++", "!", ...: of NODE_BINARY and NODE_UNARY. */
void node_operator(const struct unit *u, const struct node *n, char op[4]);
/* Does this assignment, or increment, change its first operand? */
bool node_assigns(const struct unit *u, const struct node *n);

struct node *unit_function(const struct unit *u, const char *name);
/* That which has the line. */
struct node *unit_function_at(const struct unit *u, uint32_t line);
uint32_t unit_line(const struct unit *u, uint32_t at);

#endif
