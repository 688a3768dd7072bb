/* SPDX-License-Identifier: MIT
 *
 * The words of a specification file. A line is a unit: an END token ends each.
 */
#ifndef LINCHPIN_SPEC_LEXER_H
#define LINCHPIN_SPEC_LEXER_H

#include "spec/file.h"

enum token_kind {
	TOKEN_END,     /* of the line */
	TOKEN_WORD,    /* a name; may have dots and dashes inside */
	TOKEN_NUMBER,  /* with its sign */
	TOKEN_SYMBOL,  /* ( ) , : * -> .. == != <= >= < > ! */
	TOKEN_UNKNOWN, /* a character that begins nothing */
};

struct token {
	enum token_kind kind;
	const char *text; /* into the line */
	size_t n;
	int64_t value; /* of a number */
	struct spec_place place;
};

struct lexer {
	const char *start, *at, *end; /* of the line */
	unsigned line;
	struct token token; /* the present one */
};

/* Begins a line (without its newline) and reads the first token. */
void lexer_begin(struct lexer *l, const char *line, size_t n, unsigned number);
void lexer_next(struct lexer *l);
bool token_is(const struct token *t, const char *text);
/* "`text`" or "the end of the line", in a buffer of the caller. */
const char *token_text(const struct token *t, char *buffer, size_t size);

#endif
