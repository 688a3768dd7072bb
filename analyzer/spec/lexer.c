/* SPDX-License-Identifier: MIT */
#include "spec/lexer.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool begins_word(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

static bool in_word(const struct lexer *l, const char *p)
{
	if (isalnum((unsigned char)*p) || *p == '_')
		return true;
	/* bounded-queue, cycle.head: inside, but not the arrow */
	return (*p == '-' || *p == '.') && p + 1 < l->end && isalnum((unsigned char)p[1]);
}

static void read_number(struct lexer *l, struct token *t)
{
	char text[32];
	size_t n = *l->at == '-';
	char *end;

	while (l->at + n < l->end && isalnum((unsigned char)l->at[n]))
		n++;
	t->n = n;
	t->kind = TOKEN_UNKNOWN;
	if (n >= sizeof text)
		return;
	memcpy(text, l->at, n);
	text[n] = '\0';
	errno = 0;
	t->value = strtoll(text, &end, 0);
	if (!*end && !errno)
		t->kind = TOKEN_NUMBER;
}

static size_t symbol_length(const struct lexer *l)
{
	static const char *const symbols[] = { "->", "==", "!=", "<=", ">=", "..", "(", ")",
					       ",",  ":",  "*",  "<",  ">",  "!",  "&" };

	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		size_t n = strlen(symbols[i]);

		if ((size_t)(l->end - l->at) >= n && !memcmp(l->at, symbols[i], n))
			return n;
	}
	return 0;
}

void lexer_next(struct lexer *l)
{
	struct token *t = &l->token;

	while (l->at < l->end && isspace((unsigned char)*l->at))
		l->at++;
	*t = (struct token){ .text = l->at,
			     .place = { l->line, (unsigned)(l->at - l->start) + 1 } };
	if (l->at == l->end || *l->at == '#')
		return;
	if (begins_word(*l->at)) {
		t->kind = TOKEN_WORD;
		while (l->at + t->n < l->end && in_word(l, l->at + t->n))
			t->n++;
	} else if (isdigit((unsigned char)*l->at) ||
		   (*l->at == '-' && l->at + 1 < l->end && isdigit((unsigned char)l->at[1]))) {
		read_number(l, t);
	} else {
		t->n = symbol_length(l);
		t->kind = t->n ? TOKEN_SYMBOL : TOKEN_UNKNOWN;
		t->n += !t->n;
	}
	l->at += t->n;
}

void lexer_begin(struct lexer *l, const char *line, size_t n, unsigned number)
{
	*l = (struct lexer){ .start = line, .at = line, .end = line + n, .line = number };
	lexer_next(l);
}

bool token_is(const struct token *t, const char *text)
{
	return t->n == strlen(text) && !memcmp(t->text, text, t->n) &&
	       (t->kind == TOKEN_WORD || t->kind == TOKEN_SYMBOL);
}

const char *token_text(const struct token *t, char *buffer, size_t size)
{
	if (t->kind == TOKEN_END)
		snprintf(buffer, size, "the end of the line");
	else if (t->n == 1 && !isprint((unsigned char)*t->text))
		snprintf(buffer, size, "the byte 0x%02x", (unsigned char)*t->text);
	else
		snprintf(buffer, size, "`%.*s`", (int)(t->n < 60 ? t->n : 60), t->text);
	return buffer;
}
