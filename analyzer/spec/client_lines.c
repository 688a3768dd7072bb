/* SPDX-License-Identifier: MIT
 *
 * The lines of a specification file from which clients are made:
 *
 *	new    [WORD ...] FUNCTION ( [ARGUMENT {, ARGUMENT}] )
 *	check  [WORD ...] FUNCTION ( [ARGUMENT {, ARGUMENT}] )
 *	thread FUNCTION ( ) [FUNCTION ( )]
 *	values ARGUMENT (fresh | [alike] NUMBER .. NUMBER | NUMBER {NUMBER})
 *	waits  FUNCTION {FUNCTION}
 *	single FUNCTION {FUNCTION}
 *
 *	ARGUMENT := this | NULL | true | false | NUMBER
 */
#include "spec/parser.h"

#include <stdlib.h>
#include <string.h>

#define MAX_VALUES 16

static int parse_call(struct parser *p, struct spec_call *call)
{
	if (call->function)
		return spec_error(p->f, p->lexer.token.place, p->e,
				  "this was said already, in line %u", call->place.line);
	do {
		while (parser_take(p, "*"))
			;
		call->place = p->lexer.token.place;
		free(call->function);
		call->function = parser_word(p, "the name of a function");
		if (!call->function)
			return -1;
	} while (!token_is(&p->lexer.token, "(") && p->lexer.token.kind != TOKEN_END);
	if (parser_need(p, "(") < 0)
		return -1;
	if (parser_take(p, ")"))
		return 0;
	do {
		const struct token *t = &p->lexer.token;

		if (call->nargs == SPEC_MAX_PARAMS)
			return spec_error(p->f, t->place, p->e, "at most %d arguments",
					  SPEC_MAX_PARAMS);
		if (t->kind != TOKEN_NUMBER && !token_is(t, "this") && !token_is(t, "NULL") &&
		    !token_is(t, "true") && !token_is(t, "false"))
			return parser_expected(p, "`this`, `NULL`, `true`, `false`, or a number");
		call->args[call->nargs++] = xstrndup(t->text, t->n);
		lexer_next(&p->lexer);
	} while (parser_take(p, ","));
	return parser_need(p, ")");
}

static int parse_thread(struct parser *p)
{
	if (parse_call(p, &p->f->clients.begin) < 0)
		return -1;
	return p->lexer.token.kind == TOKEN_END ? 0 : parse_call(p, &p->f->clients.end);
}

static int need_number(struct parser *p, int64_t *value)
{
	if (p->lexer.token.kind != TOKEN_NUMBER)
		return parser_expected(p, "a number");
	*value = p->lexer.token.value;
	lexer_next(&p->lexer);
	return 0;
}

static void add_value(struct spec_values *v, int64_t value)
{
	VEC_GROW(v->list, v->n, v->capacity);
	v->list[v->n++] = value;
}

/* The first number of the line has been read. */
static int parse_range(struct parser *p, struct spec_values *v, int64_t first)
{
	int64_t last = 0;

	if (need_number(p, &last) < 0)
		return -1;
	if (last < first || last - first >= MAX_VALUES)
		return spec_error(p->f, v->place, p->e, "a range has 1 to %d values", MAX_VALUES);
	for (int64_t i = first; i <= last; i++)
		add_value(v, i);
	return 0;
}

static int parse_list(struct parser *p, struct spec_values *v, int64_t first)
{
	v->kind = VALUES_LISTED;
	for (add_value(v, first); p->lexer.token.kind != TOKEN_END; add_value(v, first)) {
		if (v->n == MAX_VALUES)
			return spec_error(p->f, v->place, p->e, "at most %d values", MAX_VALUES);
		if (need_number(p, &first) < 0)
			return -1;
	}
	return 0;
}

static int parse_values_of(struct parser *p, struct spec_values *v)
{
	int64_t first = 0;

	if (parser_take(p, "fresh")) {
		v->kind = VALUES_FRESH;
		return 0;
	}
	v->kind = parser_take(p, "alike") ? VALUES_ALIKE : VALUES_ORDERED;
	if (need_number(p, &first) < 0)
		return -1;
	if (parser_take(p, ".."))
		return parse_range(p, v, first);
	if (v->kind == VALUES_ALIKE)
		return parser_expected(p, "`..` and the last value");
	return parse_list(p, v, first);
}

static int parse_values(struct parser *p)
{
	struct spec_clients *c = &p->f->clients;
	struct spec_values v = { .place = p->lexer.token.place };

	v.argument = parser_word(p, "the name of an argument");
	if (!v.argument)
		return -1;
	VEC_GROW(c->values, c->nvalues, c->values_capacity);
	c->values[c->nvalues] = v;
	return parse_values_of(p, &c->values[c->nvalues++]);
}

/* The functions of a line; each line is a group of its own. */
static int parse_names(struct parser *p, struct spec_name **list, uint32_t *n, uint32_t *capacity)
{
	unsigned group = *n ? (*list)[*n - 1].group + 1 : 0;

	do {
		struct spec_name name = { .group = group, .place = p->lexer.token.place };

		name.function = parser_word(p, "the name of a function that is an operation");
		if (!name.function)
			return -1;
		VEC_GROW(*list, *n, *capacity);
		(*list)[(*n)++] = name;
	} while (p->lexer.token.kind != TOKEN_END);
	return 0;
}

int parser_client_line(struct parser *p, bool *known)
{
	struct spec_clients *c = &p->f->clients;
	int result = 0;

	*known = true;
	if (parser_take(p, "new"))
		result = parse_call(p, &c->create);
	else if (parser_take(p, "check"))
		result = parse_call(p, &c->check);
	else if (parser_take(p, "thread"))
		result = parse_thread(p);
	else if (parser_take(p, "values"))
		result = parse_values(p);
	else if (parser_take(p, "waits"))
		result = parse_names(p, &c->waits, &c->nwaits, &c->waits_capacity);
	else if (parser_take(p, "single"))
		result = parse_names(p, &c->singles, &c->nsingles, &c->singles_capacity);
	else
		*known = false;
	return *known && result == 0 ? parser_end(p, "the end of the line") : result;
}

static int check_names(const struct spec_file *f, const struct spec_name *list, uint32_t n,
		       struct error *e)
{
	for (uint32_t i = 0; i < n; i++) {
		const char **names = xcalloc(f->nops, sizeof *names);
		char *hint;

		for (uint32_t k = 0; k < f->nops; k++)
			names[k] = f->ops[k].function;
		for (uint32_t k = 0; k < f->nops && names; k++)
			if (!strcmp(names[k], list[i].function)) {
				free(names);
				names = NULL;
			}
		if (!names)
			continue;
		hint = spec_did_you_mean(list[i].function, names, f->nops);
		spec_error(f, list[i].place, e, "`%s` is not the function of an operation%s",
			   list[i].function, hint);
		free(hint);
		free(names);
		return -1;
	}
	return 0;
}

static bool has_argument(const struct spec_file *f, const char *name)
{
	for (uint32_t i = 0; i < f->nops; i++)
		for (unsigned k = 0; k < f->ops[i].nargs; k++)
			if (!strcmp(f->ops[i].args[k], name))
				return true;
	return false;
}

int spec_clients_check(const struct spec_file *f, struct error *e)
{
	const struct spec_clients *c = &f->clients;

	for (uint32_t i = 0; i < c->nvalues; i++)
		if (!has_argument(f, c->values[i].argument))
			return spec_error(f, c->values[i].place, e,
					  "`%s` is not an argument of an operation",
					  c->values[i].argument);
	return check_names(f, c->waits, c->nwaits, e) < 0
		       ? -1
		       : check_names(f, c->singles, c->nsingles, e);
}

static void free_call(struct spec_call *call)
{
	free(call->function);
	for (unsigned i = 0; i < call->nargs; i++)
		free(call->args[i]);
}

void spec_clients_free(struct spec_clients *c)
{
	free_call(&c->create);
	free_call(&c->check);
	free_call(&c->begin);
	free_call(&c->end);
	for (uint32_t i = 0; i < c->nvalues; i++) {
		free(c->values[i].argument);
		free(c->values[i].list);
	}
	for (uint32_t i = 0; i < c->nwaits; i++)
		free(c->waits[i].function);
	for (uint32_t i = 0; i < c->nsingles; i++)
		free(c->singles[i].function);
	free(c->values);
	free(c->waits);
	free(c->singles);
}
