/* SPDX-License-Identifier: MIT
 *
 * Changes of a text: collected in any order, made all at once. They keep the style of the lines
 * around them.
 */
#ifndef LINCHPIN_FIX_EDIT_H
#define LINCHPIN_FIX_EDIT_H

#include "fix/tree.h"

struct edit {
	uint32_t at, end; /* what is replaced */
	char *text;
	uint32_t order; /* of those at one place */
};

struct edits {
	struct edit *list;
	uint32_t n, capacity;
};

/* Takes over the text. */
void edit_replace(struct edits *e, uint32_t at, uint32_t end, char *text);
void edits_clear(struct edits *e);
/* The new text, to free; NULL if two of them touch the same bytes. */
char *edits_apply(const struct edits *e, const char *text, size_t size);

/* Statements ("a(); b();" is fine) before and behind one: on a line of their own where it has one.
 * What is before goes also before an #if that begins there and ends inside `whole`, the bytes that
 * the change is about; likewise behind. */
void edit_before(struct edits *e, const struct unit *u, const struct node *s, uint32_t whole_end,
		 const char *statement);
void edit_behind(struct edits *e, const struct unit *u, const struct node *s, uint32_t whole_start,
		 const char *statement);
/* Removes a statement, and its line if that is all of it. If it is all that an #if has, that goes,
 * too, and *condition is its text with %s in place of the statement, to free; else NULL. */
void edit_remove(struct edits *e, const struct unit *u, const struct node *s, char **condition);
/* Puts statements before one that is a branch without braces, with braces; or on a line before
 * it. */
void edit_exit(struct edits *e, const struct unit *u, const struct node *s, const char *statements);

/* Are both in the same branch of the preprocessor's conditionals? */
bool edit_same_condition(const struct unit *u, const struct node *a, const struct node *b);

/* The blanks that its line begins with, to free. */
char *edit_indent(const struct unit *u, uint32_t at);
uint32_t edit_line_start(const struct unit *u, uint32_t at);
uint32_t edit_line_end(const struct unit *u, uint32_t at); /* of the newline */

#endif
