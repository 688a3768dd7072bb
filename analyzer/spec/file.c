/* SPDX-License-Identifier: MIT
 *
 *	object SPECIFICATION [by PARAMETER]
 *	op NAME ( [ARGUMENT {, ARGUMENT}] ) [-> RESULT] :
 *		{WORD | *} FUNCTION ( [PARAMETER {, PARAMETER}] )
 *
 *	RESULT    := TERM [if CONDITION else TERM]
 *	TERM      := void | empty | bool | int | ret | NUMBER | true | false | ARGUMENT
 *	CONDITION := [not | !] TERM | TERM (== | != | < | <= | > | >=) NUMBER
 *	PARAMETER := _ | this | [*] NAME
 */
#include "spec/file.h"
#include "spec/check.h"
#include "spec/parser.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int spec_error(const struct spec_file *f, struct spec_place place, struct error *e,
	       const char *format, ...)
{
	char message[900];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	return error_set(e, "%s:%u:%u: error: %s", f->path, place.line, place.column, message);
}

int parser_expected(struct parser *p, const char *what)
{
	char text[80];

	return spec_error(p->f, p->lexer.token.place, p->e, "expected %s, not %s", what,
			  token_text(&p->lexer.token, text, sizeof text));
}

bool parser_take(struct parser *p, const char *text)
{
	if (!token_is(&p->lexer.token, text))
		return false;
	lexer_next(&p->lexer);
	return true;
}

int parser_need(struct parser *p, const char *symbol)
{
	char what[16];

	snprintf(what, sizeof what, "`%s`", symbol);
	return parser_take(p, symbol) ? 0 : parser_expected(p, what);
}

char *parser_word(struct parser *p, const char *what)
{
	const struct token *t = &p->lexer.token;
	char *word;

	if (t->kind != TOKEN_WORD) {
		parser_expected(p, what);
		return NULL;
	}
	word = xstrndup(t->text, t->n);
	lexer_next(&p->lexer);
	return word;
}

int parser_end(struct parser *p, const char *what)
{
	return p->lexer.token.kind == TOKEN_END ? 0 : parser_expected(p, what);
}

/* ---- object ---- */

/* The specification is the rest of the line as it stands: names, parameters, paths of plug-ins. */
static int parse_object(struct parser *p)
{
	struct lexer *l = &p->lexer;
	const char *start = l->token.text, *end = start;
	struct spec_object o = { .place = l->token.place };
	int result;

	while (end < l->end && *end != '#')
		end++;
	while (l->token.kind != TOKEN_END && !token_is(&l->token, "by"))
		lexer_next(l);
	if (token_is(&l->token, "by"))
		end = l->token.text;
	while (end > start && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	if (end <= start)
		return spec_error(p->f, o.place, p->e,
				  "expected a specification, such as `set`, `stack` or `self`");
	if (parser_take(p, "by")) {
		o.by = parser_word(p, "the name of a parameter");
		if (!o.by || parser_end(p, "the end of the line") < 0) {
			free(o.by);
			return -1;
		}
	} else {
		o.by = xstrdup("this");
	}
	o.specification = xstrndup(start, (size_t)(end - start));
	VEC_GROW(p->f->objects, p->f->nobjects, p->f->objects_capacity);
	p->f->objects[p->f->nobjects++] = o;
	result = spec_check_object(p->f, &o, p->e);
	return result;
}

/* ---- results ---- */

static int parse_term(struct parser *p, struct spec_term *t)
{
	const struct token *k = &p->lexer.token;

	*t = (struct spec_term){ .place = k->place };
	if (k->kind == TOKEN_NUMBER) {
		t->kind = TERM_CONST;
		t->value = k->value;
	} else if (token_is(k, "true") || token_is(k, "false")) {
		t->kind = TERM_CONST;
		t->value = token_is(k, "true");
	} else if (token_is(k, "void")) {
		t->kind = TERM_VOID;
	} else if (token_is(k, "empty")) {
		t->kind = TERM_EMPTY;
	} else if (token_is(k, "bool")) {
		t->kind = TERM_BOOL;
	} else if (token_is(k, "int") || token_is(k, "ret")) {
		t->kind = TERM_NAME;
		t->name = xstrdup("ret");
	} else if (k->kind == TOKEN_WORD) {
		t->kind = TERM_NAME;
		t->name = xstrndup(k->text, k->n);
	} else {
		return parser_expected(p,
				       "a result: `bool`, `int`, `void`, `empty`, a number, or a "
				       "parameter");
	}
	lexer_next(&p->lexer);
	return 0;
}

static int parse_condition(struct parser *p, struct spec_result *r)
{
	static const struct {
		const char *symbol;
		enum spec_compare compare;
	} symbols[] = { { "==", CMP_EQ }, { "!=", CMP_NE }, { "<=", CMP_LE },
			{ ">=", CMP_GE }, { "<", CMP_LT },  { ">", CMP_GT } };
	bool negated = parser_take(p, "not") || parser_take(p, "!");

	r->compare = negated ? CMP_EQ : CMP_NE;
	r->right = 0;
	if (parse_term(p, &r->left) < 0)
		return -1;
	if (r->left.kind != TERM_NAME && r->left.kind != TERM_BOOL)
		return spec_error(p->f, r->left.place, p->e,
				  "a condition is about `ret` or a parameter");
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols && !negated; i++) {
		struct spec_term right;

		if (!parser_take(p, symbols[i].symbol))
			continue;
		r->compare = symbols[i].compare;
		if (token_is(&p->lexer.token, "NULL") || token_is(&p->lexer.token, "null")) {
			lexer_next(&p->lexer);
			return 0;
		}
		if (parse_term(p, &right) < 0)
			return -1;
		free(right.name);
		if (right.kind != TERM_CONST)
			return spec_error(p->f, right.place, p->e, "expected a number");
		r->right = right.value;
		return 0;
	}
	return 0;
}

static int parse_result(struct parser *p, struct spec_result *r)
{
	if (parse_term(p, &r->then) < 0)
		return -1;
	if (!parser_take(p, "if"))
		return 0;
	r->conditional = true;
	if (parse_condition(p, r) < 0)
		return -1;
	if (!parser_take(p, "else"))
		return parser_expected(p, "`else` and the other result");
	return parse_term(p, &r->otherwise);
}

/* ---- libraries ---- */

/* The rest of the line is a path, from where this file is. */
static int parse_library(struct parser *p)
{
	struct lexer *l = &p->lexer;
	const char *start = l->token.text, *end = start, *slash = strrchr(p->f->path, '/');
	struct spec_library library = { .place = l->token.place };

	if (l->token.kind == TOKEN_END)
		return parser_expected(p, "the path of a library");
	while (end < l->end && *end != '#')
		end++;
	while (end > start && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	if (*start == '/' || !slash)
		library.path = xstrndup(start, (size_t)(end - start));
	else
		library.path = xasprintf("%.*s/%.*s", (int)(slash - p->f->path), p->f->path,
					 (int)(end - start), start);
	VEC_GROW(p->f->libraries, p->f->nlibraries, p->f->libraries_capacity);
	p->f->libraries[p->f->nlibraries++] = library;
	return 0;
}

/* ---- operations ---- */

static int parse_arguments(struct parser *p, struct spec_op *op)
{
	if (parser_need(p, "(") < 0)
		return -1;
	if (parser_take(p, ")"))
		return 0;
	do {
		if (op->nargs == SPEC_MAX_ARGS)
			return spec_error(p->f, p->lexer.token.place, p->e,
					  "an operation has at most %d arguments", SPEC_MAX_ARGS);
		op->arg_places[op->nargs] = p->lexer.token.place;
		op->args[op->nargs] = parser_word(p, "the name of an argument");
		if (!op->args[op->nargs++])
			return -1;
	} while (parser_take(p, ","));
	return parser_need(p, ")");
}

static int parse_parameters(struct parser *p, struct spec_op *op)
{
	if (parser_need(p, "(") < 0)
		return -1;
	if (parser_take(p, ")"))
		return 0;
	do {
		struct spec_param *param = &op->params[op->nparams];

		if (op->nparams == SPEC_MAX_PARAMS)
			return spec_error(p->f, p->lexer.token.place, p->e,
					  "at most %d parameters can be named", SPEC_MAX_PARAMS);
		param->pointee = parser_take(p, "*");
		param->place = p->lexer.token.place;
		param->name =
			parser_word(p, "a parameter: `_`, `this`, or the name of an argument");
		op->nparams++;
		if (!param->name)
			return -1;
	} while (parser_take(p, ","));
	return parser_need(p, ")");
}

/* {WORD | *} FUNCTION: the last word is the function, those before it are its type, for readers. */
static int parse_function(struct parser *p, struct spec_op *op)
{
	do {
		while (parser_take(p, "*"))
			;
		op->function_place = p->lexer.token.place;
		free(op->function);
		op->function = parser_word(p, "the name of a function");
		if (!op->function)
			return -1;
	} while (!token_is(&p->lexer.token, "(") && p->lexer.token.kind != TOKEN_END);
	return 0;
}

static int parse_op_line(struct parser *p, struct spec_op *op)
{
	op->place = p->lexer.token.place;
	op->name = parser_word(p, "the name of an operation");
	if (!op->name || parse_arguments(p, op) < 0)
		return -1;
	if (parser_take(p, "->") && parse_result(p, &op->result) < 0)
		return -1;
	if (!parser_take(p, ":"))
		return parser_expected(p,
				       op->result.conditional || op->result.then.kind != TERM_VOID
					       ? "`if`, or `:` and the function"
					       : "`->` and the result, or `:` and the function");
	if (parse_function(p, op) < 0 || parse_parameters(p, op) < 0)
		return -1;
	return parser_end(p, "the end of the line");
}

bool spec_is_object(const struct spec_file *f, const struct spec_op *op, const char *name)
{
	return !strcmp(name, f->objects[op->object].by) || !strcmp(name, "this");
}

static void free_op(struct spec_op *op)
{
	free(op->name);
	free(op->function);
	free(op->result.then.name);
	free(op->result.left.name);
	free(op->result.otherwise.name);
	for (unsigned i = 0; i < op->nargs; i++)
		free(op->args[i]);
	for (unsigned i = 0; i < op->nparams; i++)
		free(op->params[i].name);
}

static int parse_op(struct parser *p, struct spec_place place)
{
	struct spec_op op = { 0 };

	if (!p->f->nobjects)
		return spec_error(p->f, place, p->e,
				  "`op` before `object`: say first what the object is, as in "
				  "`object set`");
	op.object = p->f->nobjects - 1;
	if (parse_op_line(p, &op) < 0 || spec_check_op(p->f, &op, p->e) < 0) {
		free_op(&op);
		return -1;
	}
	VEC_GROW(p->f->ops, p->f->nops, p->f->ops_capacity);
	p->f->ops[p->f->nops++] = op;
	return 0;
}

static int unknown_line(struct parser *p)
{
	static const char *const words[] = { "object", "op",     "library", "new",   "check",
					     "thread", "values", "waits",   "single" };
	const struct token *t = &p->lexer.token;
	char *word = xstrndup(t->text, t->n < 40 ? t->n : 40), text[80];
	char *hint = spec_did_you_mean(word, words, sizeof words / sizeof *words);

	spec_error(p->f, t->place, p->e, "expected `object`, `op` or `library`, not %s%s",
		   token_text(t, text, sizeof text), hint);
	free(hint);
	free(word);
	return -1;
}

static int parse_line(struct parser *p)
{
	struct spec_place place = p->lexer.token.place;
	bool known;
	int result;

	if (p->lexer.token.kind == TOKEN_END)
		return 0;
	if (parser_take(p, "object"))
		return parse_object(p);
	if (parser_take(p, "op"))
		return parse_op(p, place);
	if (parser_take(p, "library"))
		return parse_library(p);
	result = parser_client_line(p, &known);
	return known ? result : unknown_line(p);
}

int spec_file_parse(struct spec_file *f, const char *path, const char *text, struct error *e)
{
	struct parser p = { .f = f, .e = e };
	unsigned number = 1;

	*f = (struct spec_file){ .path = xstrdup(path) };
	for (const char *line = text; *line; number++) {
		size_t n = strcspn(line, "\n");

		lexer_begin(&p.lexer, line, n, number);
		if (parse_line(&p) < 0)
			return -1;
		line += n + (line[n] == '\n');
	}
	if (!f->nops)
		return error_set(e, "%s:%u:1: error: there is no operation in this file", path,
				 number > 1 ? number - 1 : 1);
	return spec_clients_check(f, e);
}

int spec_file_read(struct spec_file *f, const char *path, struct error *e)
{
	size_t size;
	char *text = read_file(path, &size, e);
	int result;

	*f = (struct spec_file){ 0 };
	if (!text)
		return -1;
	if (strlen(text) != size)
		result = error_set(e, "%s:1:1: error: this is not a text file", path);
	else
		result = spec_file_parse(f, path, text, e);
	free(text);
	return result;
}

void spec_file_free(struct spec_file *f)
{
	for (uint32_t i = 0; i < f->nobjects; i++) {
		free(f->objects[i].specification);
		free(f->objects[i].by);
	}
	for (uint32_t i = 0; i < f->nops; i++)
		free_op(&f->ops[i]);
	for (uint32_t i = 0; i < f->nlibraries; i++)
		free(f->libraries[i].path);
	spec_clients_free(&f->clients);
	free(f->libraries);
	free(f->objects);
	free(f->ops);
	free(f->path);
	*f = (struct spec_file){ 0 };
}
