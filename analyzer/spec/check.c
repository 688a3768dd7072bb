/* SPDX-License-Identifier: MIT
 *
 * What a specification file says is checked line by line, so that a mistake is named where it is.
 */
#include "spec/check.h"
#include "lin/adt.h"
#include "lin/lin.h"
#include "lin/orders.h"
#include "lin/plugin.h"
#include "lin/problem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_NAMES 128

/* ---- objects ---- */

/* NAME(PARAMETERS) relaxed OPERATIONS */
static int check_parameters(const struct spec_file *f, const struct spec_object *o, struct error *e)
{
	static const struct orders none;
	const struct history h = { .orders = &none };
	struct lin_spec spec;
	struct error why;

	if (spec_parse(&spec, o->specification, &h, &why) < 0)
		return spec_error(f, o->place, e, "%s", why.message);
	return 0;
}

static int check_plugin(const struct spec_file *f, const struct spec_object *o, const char *name,
			struct error *e)
{
	/* Without a slash the loader looks for it elsewhere. */
	if (strchr(name, '/') && access(name, R_OK) < 0)
		return spec_error(f, o->place, e, "%s: %s", name, strerror(errno));
	return 0;
}

static int unknown_specification(const struct spec_file *f, const struct spec_object *o,
				 const char *name, struct error *e)
{
	static const char *const names[] = {
		"set",   "multiset",      "map",           "stack",          "queue",
		"deque", "bounded-stack", "bounded-queue", "pqueue",         "pqueue-min",
		"list",  "pqueue-max",    "append-list",   "counter",        "register",
		"mutex", "semaphore",     "self",          "multi-register",
	};
	char *hint = spec_did_you_mean(name, names, sizeof names / sizeof *names);

	spec_error(f, o->place, e, "there is no specification `%s`%s", name, hint);
	free(hint);
	return -1;
}

/* The name of the specification, without what follows it; to free. */
static char *name_of(const struct spec_object *o)
{
	return xstrndup(o->specification, strcspn(o->specification, "( \t"));
}

int spec_check_object(const struct spec_file *f, const struct spec_object *o, struct error *e)
{
	char *name = name_of(o);
	int result;

	if (plugin_named(name, strlen(name)))
		result = check_plugin(f, o, name, e);
	else if (!adt_find(name))
		result = unknown_specification(f, o, name, e);
	else
		result = check_parameters(f, o, e);
	free(name);
	return result;
}

/* ---- operations ---- */

static int unknown_operation(const struct spec_file *f, const struct spec_op *op,
			     const struct adt *adt, struct error *e)
{
	char *words[MAX_NAMES] = { NULL }, *hint;
	size_t n = 0;

	for (const struct adt_method *m = adt->methods; m->names; m++)
		for (const char *p = m->names; *p && n < MAX_NAMES;) {
			size_t length = strcspn(p, " ");

			words[n++] = xstrndup(p, length);
			p += length + (p[length] == ' ');
		}
	hint = spec_did_you_mean(op->name, (const char *const *)words, n);
	spec_error(f, op->place, e, "a %s has no operation `%s`%s", adt->noun, op->name, hint);
	free(hint);
	while (n)
		free(words[--n]);
	return -1;
}

static int check_operation(const struct spec_file *f, const struct spec_op *op, struct error *e)
{
	char *name = name_of(&f->objects[op->object]);
	const struct adt *adt = plugin_named(name, strlen(name)) ? NULL : adt_find(name);
	const struct adt_method *m;
	int number;

	free(name);
	if (!adt || !adt->methods)
		return 0;
	number = adt_method_find(adt, op->name);
	if (number < 0)
		return unknown_operation(f, op, adt, e);
	m = &adt->methods[number];
	if (op->nargs >= m->min_args && op->nargs <= m->max_args)
		return 0;
	if (m->min_args == m->max_args)
		return spec_error(f, op->place, e, "`%s` of a %s has %u argument%s, not %u",
				  op->name, adt->noun, m->min_args, plural(m->min_args, "", "s"),
				  op->nargs);
	return spec_error(f, op->place, e, "`%s` of a %s has %u to %u arguments, not %u", op->name,
			  adt->noun, m->min_args, m->max_args, op->nargs);
}

static const struct spec_param *find_param(const struct spec_op *op, const char *name)
{
	for (unsigned i = 0; i < op->nparams; i++)
		if (op->params[i].name && !strcmp(op->params[i].name, name))
			return &op->params[i];
	return NULL;
}

static int check_term(const struct spec_file *f, const struct spec_op *op,
		      const struct spec_term *t, struct error *e)
{
	const char *names[SPEC_MAX_PARAMS + 5] = { "ret", "empty", "bool", "int", "void" };
	char *hint;

	if (t->kind != TERM_NAME || !strcmp(t->name, "ret") || find_param(op, t->name))
		return 0;
	for (unsigned i = 0; i < op->nparams; i++)
		names[i + 5] = op->params[i].name;
	hint = spec_did_you_mean(t->name, names, op->nparams + 5);
	spec_error(f, t->place, e, "`%s` is neither `ret` nor a parameter of %s in this line%s",
		   t->name, op->function, hint);
	free(hint);
	return -1;
}

static bool in_term(const struct spec_term *t, const char *name)
{
	return t->kind == TERM_NAME && !strcmp(t->name, name);
}

static bool is_used(const struct spec_file *f, const struct spec_op *op, const char *name)
{
	for (unsigned i = 0; i < op->nargs; i++)
		if (!strcmp(op->args[i], name))
			return true;
	return spec_is_object(f, op, name) || in_term(&op->result.then, name) ||
	       (op->result.conditional &&
		(in_term(&op->result.left, name) || in_term(&op->result.otherwise, name)));
}

/* A name that stands nowhere else may be a misspelt one. */
static int check_unused(const struct spec_file *f, const struct spec_op *op,
			const struct spec_param *param, struct error *e)
{
	const char *names[SPEC_MAX_ARGS + 2] = { "this", f->objects[op->object].by };
	char *hint;

	if (!strcmp(param->name, "_") || is_used(f, op, param->name))
		return 0;
	for (unsigned i = 0; i < op->nargs; i++)
		names[i + 2] = op->args[i];
	hint = spec_did_you_mean(param->name, names, op->nargs + 2);
	spec_error(f, param->place, e, "`%s` is neither an argument nor in the result%s%s",
		   param->name, hint, *hint ? "" : "; write `_` for a parameter that is not used");
	free(hint);
	return -1;
}

int spec_check_op(const struct spec_file *f, const struct spec_op *op, struct error *e)
{
	const struct spec_result *r = &op->result;

	for (unsigned i = 0; i < op->nargs; i++) {
		if (!find_param(op, op->args[i]) || !strcmp(op->args[i], "_"))
			return spec_error(f, op->arg_places[i], e,
					  "argument `%s` is not a parameter of %s in this line",
					  op->args[i], op->function);
	}
	for (unsigned i = 0; i < op->nparams; i++) {
		const char *name = op->params[i].name;

		if (strcmp(name, "_") != 0 && find_param(op, name) != &op->params[i])
			return spec_error(f, op->params[i].place, e,
					  "`%s` stands for two parameters", name);
	}
	if (check_term(f, op, &r->then, e) < 0)
		return -1;
	if (r->conditional &&
	    (check_term(f, op, &r->left, e) < 0 || check_term(f, op, &r->otherwise, e) < 0))
		return -1;
	for (unsigned i = 0; i < op->nparams; i++)
		if (check_unused(f, op, &op->params[i], e) < 0)
			return -1;
	return check_operation(f, op, e);
}
