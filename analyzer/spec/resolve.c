/* SPDX-License-Identifier: MIT */
#include "spec/resolve.h"
#include "lin/lin.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HOW_NOT_TO_INLINE                                                                          \
	"compile with -fno-inline, declare it __attribute__((noinline)), or mark its calls with "  \
	"linchpin.h"

struct resolver {
	const struct spec_file *s;
	const struct functions *f;
	struct error *e;
	FILE *out;
};

/* What is resolved at present: a copy of the function of an operation. */
struct copy {
	struct resolver *r;
	const struct spec_op *op;
	const struct function *fn;
	const struct fn_instance *code;
};

/* ---- functions ---- */

static int no_function(struct resolver *r, const struct spec_op *op)
{
	const char **names = xcalloc(r->f->n + 1, sizeof *names);
	char *hint;
	int result;

	for (uint32_t i = 0; i < r->f->n; i++)
		names[i] = r->f->list[i].ninstances ? r->f->list[i].name : NULL;
	hint = spec_did_you_mean(op->function, names, r->f->n);
	if (r->s->nlibraries)
		result = spec_error(r->s, op->function_place, r->e,
				    "neither %s nor the libraries named here have a function "
				    "`%s`%s",
				    r->f->modules[0], op->function,
				    *hint ? hint : "; are they compiled with -g?");
	else if (!r->f->debug)
		result = spec_error(r->s, op->function_place, r->e,
				    "%s has no debug information, so `%s` cannot be found in it; "
				    "compile with -g",
				    r->f->modules[0], op->function);
	else
		result = spec_error(r->s, op->function_place, r->e, "%s has no function `%s`%s%s",
				    r->f->modules[0], op->function, hint,
				    r->f->opens ? "; if it is in a library that the program opens, "
						  "name that: `library PATH`"
						: "");
	free(hint);
	free(names);
	return result;
}

static bool is_operation(const struct spec_file *s, const char *function)
{
	for (uint32_t i = 0; i < s->nops; i++)
		if (!strcmp(s->ops[i].function, function))
			return true;
	return false;
}

/* Inside another operation it is none of its own, so nothing is lost there. */
static bool inside_operation(const struct spec_file *s, const struct fn_inlined *in)
{
	for (unsigned i = 0; i < in->nchain; i++)
		if (is_operation(s, in->chain[i]))
			return true;
	return false;
}

static int check_inlined(struct resolver *r, const struct spec_op *op, const struct function *fn)
{
	const struct fn_inlined *first = NULL;
	unsigned n = 0;

	for (uint32_t i = 0; i < fn->ninlined; i++) {
		if (inside_operation(r->s, &fn->inlined[i]) ||
		    (fn->inlined[i].system && !fn->system))
			continue;
		first = first ? first : &fn->inlined[i];
		n++;
	}
	if (!n)
		return 0;
	return spec_error(r->s, op->function_place, r->e,
			  "`%s` was inlined into %s (%s:%u)%s, so it cannot be caught "
			  "there; " HOW_NOT_TO_INLINE,
			  op->function, first->nchain ? first->chain[0] : "?",
			  base_name(first->file), first->line, n > 1 ? " and elsewhere" : "");
}

/* ---- values ---- */

/* The parameter of this copy: by its name, because a copy may have lost some. */
static const struct fn_param *param_at(const struct copy *c, unsigned n)
{
	const struct fn_instance *whole = c->fn->declared ? &c->fn->prototype : c->code;

	if (!c->code->changed)
		return n < c->code->nparams ? &c->code->params[n] : NULL;
	for (unsigned i = 0; i < c->code->nparams && n < whole->nparams; i++)
		if (*whole->params[n].name &&
		    !strcmp(c->code->params[i].name, whole->params[n].name))
			return &c->code->params[i];
	return NULL;
}

static int cannot_pass(const struct copy *c, const struct spec_param *p,
		       const struct fn_param *from)
{
	const char *why;

	switch (from ? from->where : WHERE_GONE) {
	case WHERE_MEMORY:
		why = "is passed in memory, which is not supported";
		break;
	case WHERE_XMM:
		why = "is a floating-point number, which cannot be a value of a history";
		break;
	case WHERE_GONE:
		why = "was removed by the compiler from a copy of the function for some of its "
		      "callers; declare the function without `static`, or, for gcc, "
		      "__attribute__((noipa))";
		break;
	default:
		why = from->type.kind == TYPE_OTHER
			      ? "is a structure, which cannot be a value of a history; pass a "
				"pointer to it, or mark the calls with linchpin.h"
			      : "comes after a structure that is passed by value, so its register "
				"is not known";
	}
	return spec_error(c->r->s, p->place, c->r->e, "parameter `%s` (%s) of %s %s", p->name,
			  from ? from->type.text : "?", c->op->function, why);
}

static char type_letter(enum type_kind kind)
{
	return kind == TYPE_SIGNED ? 's' : kind == TYPE_BOOL ? 'b' : 'u';
}

/* Writes where the value of a parameter, or what it points to, is found. */
static int write_param(const struct copy *c, unsigned n, bool pointee)
{
	const struct spec_param *p = &c->op->params[n];
	const struct fn_param *from = param_at(c, n);
	enum type_kind kind;
	unsigned size;

	if (!from || (from->where != WHERE_REGISTER && from->where != WHERE_CONST &&
		      from->where != WHERE_ADDRESS))
		return cannot_pass(c, p, from);
	kind = pointee ? from->type.pointee : from->type.kind;
	size = pointee ? from->type.pointee_size : from->type.size;
	if (pointee && from->type.kind != TYPE_POINTER)
		return spec_error(
			c->r->s, p->place, c->r->e,
			"parameter `%s` (%s) of %s is not a pointer, so it gives no result",
			p->name, from->type.text, c->op->function);
	if (pointee && !size)
		return spec_error(c->r->s, p->place, c->r->e,
				  "what parameter `%s` (%s) of %s points to cannot be a value of a "
				  "history",
				  p->name, from->type.text, c->op->function);
	if (from->where == WHERE_REGISTER)
		fprintf(c->r->out, " %s%u%c%u", pointee ? "*" : "", from->reg, type_letter(kind),
			size);
	else if (!pointee)
		fprintf(c->r->out, " %c%" PRIx64, from->where == WHERE_CONST ? 'c' : 'a',
			from->value);
	else
		return cannot_pass(c, p, NULL);
	return 0;
}

static int write_ret(const struct copy *c, const struct spec_term *t)
{
	const struct fn_type *type = &c->code->result;

	if (type->kind == TYPE_VOID)
		return spec_error(c->r->s, t->place, c->r->e, "%s returns nothing",
				  c->op->function);
	if (type->kind == TYPE_OTHER)
		return spec_error(c->r->s, t->place, c->r->e,
				  "%s returns a %s, which cannot be a value of a history",
				  c->op->function, type->text);
	if (c->code->result_lost)
		return spec_error(c->r->s, t->place, c->r->e,
				  "the compiler may have removed what %s returns, because no "
				  "other file can call it; declare it without `static`",
				  c->op->function);
	fprintf(c->r->out, " r%c%u", type_letter(type->kind), type->size);
	return 0;
}

/* An argument, by its value at the call; else what a parameter points to after the return. */
static int write_named(const struct copy *c, const struct spec_term *t)
{
	const struct spec_op *op = c->op;

	for (unsigned i = 0; i < op->nparams; i++) {
		bool argument = false;

		if (strcmp(op->params[i].name, t->name) != 0)
			continue;
		for (unsigned k = 0; k < op->nargs; k++)
			argument = argument || !strcmp(op->args[k], t->name);
		return write_param(c, i, !argument || op->params[i].pointee);
	}
	return write_ret(c, t);
}

static int write_term(const struct copy *c, const struct spec_term *t)
{
	switch (t->kind) {
	case TERM_VOID:
		fputs(" void", c->r->out);
		return 0;
	case TERM_EMPTY:
		fputs(" empty", c->r->out);
		return 0;
	case TERM_CONST:
		fprintf(c->r->out, " c%" PRIx64, (uint64_t)t->value);
		return 0;
	case TERM_BOOL:
		return write_ret(c, t);
	default:
		return write_named(c, t);
	}
}

static int write_result(const struct copy *c)
{
	static const char *const compares[] = { "==", "!=", "<", "<=", ">", ">=" };
	const struct spec_result *r = &c->op->result;

	if (!r->conditional && r->then.kind != TERM_BOOL)
		return write_term(c, &r->then);
	fputs(" if", c->r->out);
	if (!r->conditional) {
		if (write_ret(c, &r->then) < 0)
			return -1;
		fputs(" != 0 c1 c0", c->r->out);
		return 0;
	}
	if (write_term(c, &r->left) < 0)
		return -1;
	fprintf(c->r->out, " %s %" PRIx64, compares[r->compare], (uint64_t)r->right);
	return write_term(c, &r->then) < 0 ? -1 : write_term(c, &r->otherwise);
}

/* ---- operations ---- */

static int write_object(const struct copy *c)
{
	for (unsigned i = 0; i < c->op->nparams; i++)
		if (spec_is_object(c->r->s, c->op, c->op->params[i].name))
			return write_param(c, i, c->op->params[i].pointee);
	fputs(" -", c->r->out);
	return 0;
}

static int write_args(const struct copy *c)
{
	const struct spec_op *op = c->op;

	fprintf(c->r->out, " %u", op->nargs);
	for (unsigned k = 0; k < op->nargs; k++)
		for (unsigned i = 0; i < op->nparams; i++)
			if (!strcmp(op->params[i].name, op->args[k]) &&
			    write_param(c, i, op->params[i].pointee) < 0)
				return -1;
	return 0;
}

static int write_copy(const struct copy *c)
{
	fprintf(c->r->out, "op %" PRIu32 " %" PRIx64 " %" PRIu32 " %s", c->code->module,
		c->code->address, c->op->object, c->op->name);
	if (write_object(c) < 0 || write_args(c) < 0 || write_result(c) < 0)
		return -1;
	fprintf(c->r->out, " # %s\n", c->op->function);
	return 0;
}

static int check_params(struct resolver *r, const struct spec_op *op, const struct function *fn)
{
	unsigned n = fn->declared ? fn->prototype.nparams : fn->instances[0].nparams;

	if (op->nparams <= n)
		return 0;
	return spec_error(r->s, op->params[n].place, r->e, "%s has %u parameter%s", op->function, n,
			  plural(n, "", "s"));
}

static int resolve_op(struct resolver *r, const struct spec_op *op)
{
	const struct function *fn = functions_find(r->f, op->function);
	struct copy c = { r, op, fn, NULL };

	if (!fn || (!fn->ninstances && !fn->ninlined))
		return no_function(r, op);
	if (check_inlined(r, op, fn) < 0)
		return -1;
	if (!fn->ninstances)
		return spec_error(r->s, op->function_place, r->e,
				  "`%s` has no code of its own, it was inlined "
				  "everywhere; " HOW_NOT_TO_INLINE,
				  op->function);
	if (check_params(r, op, fn) < 0)
		return -1;
	for (uint32_t i = 0; i < fn->ninstances; i++) {
		c.code = &fn->instances[i];
		if (c.code->system && !fn->system)
			continue;
		if (c.code->hooks)
			return spec_error(
				r->s, op->function_place, r->e,
				"`%s` is in %s, which was compiled with -fsanitize=thread; "
				"compile it without, or mark its calls with linchpin.h",
				op->function, r->f->modules[c.code->module]);
		if (write_copy(&c) < 0)
			return -1;
	}
	return 0;
}

int spec_resolve_op(const struct spec_file *s, const struct spec_op *op, const struct functions *f,
		    struct error *e)
{
	struct resolver r = { .s = s, .f = f, .e = e };
	char *text = NULL;
	size_t size;
	int result;

	r.out = open_memstream(&text, &size);
	if (!r.out)
		return error_set(e, "out of memory");
	result = resolve_op(&r, op);
	fclose(r.out);
	free(text);
	return result;
}

static bool has_object(const struct spec_file *s, const struct spec_op *op)
{
	for (unsigned i = 0; i < op->nparams; i++)
		if (spec_is_object(s, op, op->params[i].name))
			return true;
	return false;
}

/* Either all operations of an object tell which one they are about, or there is one only. */
static int check_objects(struct resolver *r)
{
	const struct spec_file *s = r->s;

	for (uint32_t i = 0; i < s->nops; i++)
		for (uint32_t k = 0; k < i; k++) {
			const struct spec_op *op = &s->ops[i];

			if (!strcmp(op->function, s->ops[k].function))
				return spec_error(s, op->function_place, r->e,
						  "`%s` is an operation already, in line %u",
						  op->function, s->ops[k].place.line);
			if (op->object == s->ops[k].object &&
			    has_object(s, op) != has_object(s, &s->ops[k]))
				return spec_error(
					s, op->place, r->e,
					"either all operations of an object have `%s` among "
					"the parameters, or none has",
					s->objects[op->object].by);
		}
	return 0;
}

int spec_resolve(const struct spec_file *s, const struct functions *f, char **text, struct error *e)
{
	struct resolver r = { .s = s, .f = f, .e = e };
	size_t size;
	int result;

	*text = NULL;
	r.out = open_memstream(text, &size);
	if (!r.out)
		return error_set(e, "out of memory");
	fputs("ops 1\n", r.out);
	for (uint32_t i = 0; i < s->nobjects; i++)
		fprintf(r.out, "object %" PRIu32 " %s%s\n", i, s->guessed ? SPEC_GUESS : "",
			s->objects[i].specification);
	for (uint32_t i = 0; i < f->nmodules; i++)
		fprintf(r.out, "module %" PRIu32 " %s\n", i, f->modules[i]);
	result = check_objects(&r);
	for (uint32_t i = 0; i < s->nops && result == 0; i++)
		result = resolve_op(&r, &s->ops[i]);
	fclose(r.out);
	if (result < 0) {
		free(*text);
		*text = NULL;
	}
	return result;
}
