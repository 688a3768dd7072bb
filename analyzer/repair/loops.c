/* SPDX-License-Identifier: MIT
 *
 * Finds loops in C source text without compiling it.
 *
 * Debug information says nothing about loops, and a loop header (`for (i = t; i >= 0; i--)`) often
 * touches no shared memory, so the events of a trace do not show where a loop begins either. The
 * text does. A statement is parsed just far enough to know where it ends: brackets are balanced,
 * keywords say what follows. Preprocessor lines are skipped. At the top level everything up to a
 * brace is passed over, so declarations and struct bodies do no harm.
 *
 * Cost: linear in the text.
 */
#include "repair/loops.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NESTING 500

enum token { END, WORD, OTHER };

struct label {
	const char *name;
	size_t length;
	uint32_t line;
};

struct parser {
	const char *p;
	uint32_t line;    /* of p */
	enum token token; /* the present token */
	const char *text; /* its text */
	size_t length;
	uint32_t token_line, last_line; /* line of the present token, of the one before it */
	uint32_t nesting;
	struct label *labels; /* of the function */
	uint32_t nlabels, labels_capacity;
	struct loops *loops;
};

static void skip_quoted(struct parser *s, char quote)
{
	for (s->p++; *s->p && *s->p != quote && *s->p != '\n'; s->p++)
		if (*s->p == '\\' && s->p[1]) {
			s->p++;
			s->line += *s->p == '\n';
		}
	if (*s->p == quote)
		s->p++;
}

static void skip_comment(struct parser *s)
{
	for (s->p += 2; *s->p && (s->p[0] != '*' || s->p[1] != '/'); s->p++)
		s->line += *s->p == '\n';
	if (*s->p)
		s->p += 2;
}

/* To the end of the line; a line that ends in a backslash goes on. */
static void skip_line(struct parser *s)
{
	for (; *s->p && *s->p != '\n'; s->p++) {
		if (s->p[0] == '/' && s->p[1] == '*') {
			skip_comment(s);
			s->p--;
		} else if (s->p[0] == '\\' && s->p[1] == '\n') {
			s->p++;
			s->line++;
		}
	}
}

static void skip_blank(struct parser *s)
{
	for (;; s->p++) {
		if (*s->p == '\n') {
			s->line++;
		} else if (s->p[0] == '/' && s->p[1] == '/') {
			skip_line(s);
			s->p--;
		} else if (s->p[0] == '/' && s->p[1] == '*') {
			skip_comment(s);
			s->p--;
		} else if (*s->p == '#') {
			skip_line(s);
			s->p--;
		} else if (!isspace((unsigned char)*s->p)) {
			return;
		}
	}
}

static bool word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static void advance(struct parser *s)
{
	s->last_line = s->token_line;
	skip_blank(s);
	s->text = s->p;
	s->token_line = s->line;
	if (!*s->p) {
		s->token = END;
	} else if (*s->p == '"' || *s->p == '\'') {
		s->token = OTHER;
		skip_quoted(s, *s->p);
	} else if (word_char(*s->p)) {
		s->token = WORD;
		while (word_char(*s->p))
			s->p++;
	} else {
		s->token = OTHER;
		s->p++;
	}
	s->length = (size_t)(s->p - s->text);
}

static bool is_char(const struct parser *s, char c)
{
	return s->token == OTHER && *s->text == c;
}

static bool is_word(const struct parser *s, const char *word)
{
	return s->token == WORD && s->length == strlen(word) && !memcmp(s->text, word, s->length);
}

/* From an opening bracket past the closing one. */
static void skip_balanced(struct parser *s)
{
	uint32_t depth = 0;

	do {
		if (is_char(s, '(') || is_char(s, '[') || is_char(s, '{'))
			depth++;
		else if (is_char(s, ')') || is_char(s, ']') || is_char(s, '}'))
			depth--;
		advance(s);
	} while (depth && s->token != END);
}

static void add_loop(struct parser *s, uint32_t first, uint32_t last)
{
	struct loops *l = s->loops;

	VEC_GROW(l->list, l->n, l->capacity);
	l->list[l->n++] = (struct loop){ first, last };
}

static void parse_statement(struct parser *s);

static void parse_head(struct parser *s)
{
	if (is_char(s, '('))
		skip_balanced(s);
}

static void parse_compound(struct parser *s)
{
	advance(s);
	while (s->token != END && !is_char(s, '}'))
		parse_statement(s);
	advance(s);
}

static void parse_do(struct parser *s, uint32_t first)
{
	parse_statement(s);
	if (is_word(s, "while")) {
		advance(s);
		parse_head(s);
		if (is_char(s, ';'))
			advance(s);
	}
	add_loop(s, first, s->last_line);
}

static void parse_goto(struct parser *s)
{
	for (uint32_t i = 0; i < s->nlabels && s->token == WORD; i++)
		if (s->labels[i].length == s->length &&
		    !memcmp(s->labels[i].name, s->text, s->length))
			add_loop(s, s->labels[i].line, s->token_line);
}

/* The rest of a statement that began with a word: a label, a macro with a block, or an
 * expression. */
static void parse_simple(struct parser *s, const struct parser *word)
{
	if (is_char(s, ':') && *s->p != ':') {
		VEC_GROW(s->labels, s->nlabels, s->labels_capacity);
		s->labels[s->nlabels++] =
			(struct label){ word->text, word->length, word->token_line };
		advance(s);
		return;
	}
	if (is_char(s, '(')) {
		skip_balanced(s);
		if (is_char(s, '{')) {
			parse_compound(s);
			add_loop(s, word->token_line, s->last_line);
			return;
		}
	}
	while (s->token != END && !is_char(s, ';') && !is_char(s, '}')) {
		if (is_char(s, '(') || is_char(s, '[') || is_char(s, '{'))
			skip_balanced(s);
		else
			advance(s);
	}
	if (is_char(s, ';'))
		advance(s);
}

static void parse_case(struct parser *s)
{
	while (s->token != END && !is_char(s, ':') && !is_char(s, ';') && !is_char(s, '}'))
		advance(s);
	if (is_char(s, ':'))
		advance(s);
}

static void parse_word(struct parser *s)
{
	struct parser word = *s;
	uint32_t first = s->token_line;

	advance(s);
	if (is_word(&word, "for") || is_word(&word, "while")) {
		parse_head(s);
		parse_statement(s);
		add_loop(s, first, s->last_line);
	} else if (is_word(&word, "do")) {
		parse_do(s, first);
	} else if (is_word(&word, "if") || is_word(&word, "switch")) {
		parse_head(s);
		parse_statement(s);
		if (is_word(s, "else")) {
			advance(s);
			parse_statement(s);
		}
	} else if (is_word(&word, "case") || is_word(&word, "default")) {
		parse_case(s);
	} else {
		if (is_word(&word, "goto"))
			parse_goto(s);
		parse_simple(s, &word);
	}
}

static void parse_statement(struct parser *s)
{
	if (s->nesting == MAX_NESTING) { /* deeper than people write: give up */
		while (s->token != END)
			advance(s);
		return;
	}
	s->nesting++;
	if (is_char(s, '{'))
		parse_compound(s);
	else if (s->token == WORD)
		parse_word(s);
	else if (is_char(s, ';'))
		advance(s);
	else if (s->token != END && !is_char(s, '}'))
		parse_simple(s, s);
	s->nesting--;
}

void loops_parse(struct loops *l, const char *text)
{
	struct parser s = { .p = text, .line = 1, .loops = l };

	advance(&s);
	while (s.token != END) {
		if (is_char(&s, '{')) {
			s.nlabels = 0;
			parse_statement(&s);
		} else {
			advance(&s);
		}
	}
	free(s.labels);
}

void loops_free(struct loops *l)
{
	free(l->list);
	memset(l, 0, sizeof *l);
}

const struct loop *loops_around(const struct loops *l, uint32_t a, uint32_t b)
{
	const struct loop *best = NULL;

	for (uint32_t i = 0; i < l->n; i++) {
		const struct loop *x = &l->list[i];

		if (x->first > a || x->first > b || x->last < a || x->last < b)
			continue;
		if (!best || x->last - x->first < best->last - best->first)
			best = x;
	}
	return best;
}

const struct loops *file_loops_of(struct file_loops *f, const struct source_map *map, const char *file)
{
	struct file_loops_entry *entry;
	const char *text;

	if (!file || !map->text)
		return NULL;
	for (uint32_t i = 0; i < f->n; i++)
		if (!strcmp(f->list[i].file, file))
			return f->list[i].known ? &f->list[i].loops : NULL;
	text = map->text(map->data, file);
	VEC_GROW(f->list, f->n, f->capacity);
	entry = &f->list[f->n++];
	*entry = (struct file_loops_entry){ .file = file, .known = text };
	if (text)
		loops_parse(&entry->loops, text);
	return text ? &entry->loops : NULL;
}

void file_loops_free(struct file_loops *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		loops_free(&f->list[i].loops);
	free(f->list);
	*f = (struct file_loops){ 0 };
}
