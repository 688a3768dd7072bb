/* SPDX-License-Identifier: MIT */
#include "client/calls.h"

#include <string.h>

static const struct fn_instance *find(const struct functions *f, const char *name)
{
	const struct function *fn = functions_find(f, name);

	if (!fn)
		return NULL;
	return fn->declared ? &fn->prototype : fn->ninstances ? &fn->instances[0] : NULL;
}

const struct fn_instance *calls_find(const struct functions *f, const char *name, struct error *e)
{
	const struct fn_instance *fn = find(f, name);

	if (!fn)
		error_set(e,
			  "there is no debug information about `%s`; compile what it is in with -g",
			  name);
	return fn;
}

int calls_possible(const struct functions *f, const char *name, struct error *e)
{
	const struct fn_instance *fn = calls_find(f, name, e);

	if (!fn)
		return -1;
	for (unsigned i = 0; i < fn->nparams; i++)
		if (fn->params[i].type.kind == TYPE_OTHER)
			return error_set(e,
					 "`%s` has a parameter (%s) that cannot be written into a "
					 "client; give a function around it",
					 name, fn->params[i].type.text);
	return 0;
}

bool calls_return_nothing(const struct functions *f, const char *name)
{
	const struct fn_instance *fn = find(f, name);

	return !fn || fn->result.kind == TYPE_VOID;
}

/* The first parameter of an operation that is the object. */
static const struct fn_type *object_type(const struct spec_file *spec, const struct functions *f)
{
	for (uint32_t i = 0; i < spec->nops; i++) {
		const struct spec_op *op = &spec->ops[i];
		const struct fn_instance *fn = find(f, op->function);

		for (unsigned k = 0; k < op->nparams && !op->object && fn; k++)
			if (spec_is_object(spec, op, op->params[k].name) && k < fn->nparams)
				return &fn->params[k].type;
	}
	return NULL;
}

bool calls_have_object(const struct spec_file *spec)
{
	for (uint32_t i = 0; i < spec->nops; i++)
		for (unsigned k = 0; k < spec->ops[i].nparams && !spec->ops[i].object; k++)
			if (spec_is_object(spec, &spec->ops[i], spec->ops[i].params[k].name))
				return true;
	return false;
}

uint64_t calls_object_size(const struct spec_file *spec, const struct functions *f)
{
	const struct fn_type *type = object_type(spec, f);

	return type ? type->pointee_bytes : 0;
}

const char *calls_object_type(const struct spec_file *spec, const struct functions *f)
{
	const struct fn_type *type = object_type(spec, f);

	return type ? type->text : NULL;
}

/* Types of the same size and sign; their names would need the headers. */
static const char *type_text(enum type_kind kind, unsigned size)
{
	static const char *const is_signed[] = { "int8_t", "int16_t", "int", "int64_t" };
	static const char *const is_unsigned[] = { "uint8_t", "uint16_t", "unsigned", "uint64_t" };
	unsigned i = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;

	switch (kind) {
	case TYPE_VOID:
		return "void";
	case TYPE_BOOL:
		return "bool";
	case TYPE_SIGNED:
		return is_signed[i];
	case TYPE_UNSIGNED:
		return is_unsigned[i];
	default:
		return "void *";
	}
}

void calls_declare(FILE *out, const struct functions *f, const char *name)
{
	const struct fn_instance *fn = find(f, name);

	if (!fn)
		return;
	fprintf(out, "%s%s%s(", type_text(fn->result.kind, fn->result.size),
		fn->result.kind == TYPE_POINTER || fn->result.kind == TYPE_OTHER ? "" : " ", name);
	for (unsigned i = 0; i < fn->nparams; i++)
		fprintf(out, "%s%s", i ? ", " : "",
			type_text(fn->params[i].type.kind, fn->params[i].type.size));
	fprintf(out, "%s);\n", fn->nparams ? "" : "void");
}

static const char *argument_text(const struct spec_op *op, const char *name,
				 const char *const *args)
{
	for (unsigned i = 0; i < op->nargs; i++)
		if (!strcmp(op->args[i], name))
			return args[i];
	return NULL;
}

/* The value itself, what points to it, or a place for a result. */
static void write_param(FILE *out, const struct fn_type *type, const char *value, bool pointee)
{
	const char *to =
		type->pointee_size ? type_text(type->pointee, type->pointee_size) : "int64_t";
	const char *cast = type->pointee == TYPE_POINTER ? "(void *)" : "";

	if (type->kind == TYPE_POINTER && (pointee || !value))
		fprintf(out, "&(%s){ %s%s }", to, value ? cast : "", value ? value : "0");
	else if (type->kind == TYPE_POINTER)
		fprintf(out, "(void *)%s", value);
	else
		fputs(value ? value : "0", out);
}

void calls_write(FILE *out, const struct spec_file *spec, const struct functions *f,
		 const struct spec_op *op, const char *const *args)
{
	const struct fn_instance *fn = find(f, op->function);

	fprintf(out, "%s(", op->function);
	for (unsigned i = 0; fn && i < fn->nparams; i++) {
		const struct spec_param *p = i < op->nparams ? &op->params[i] : NULL;
		bool ignored = !p || !strcmp(p->name, "_");
		const char *value = ignored ? NULL : argument_text(op, p->name, args);

		fputs(i ? ", " : "", out);
		if (ignored)
			fputs("0", out);
		else if (spec_is_object(spec, op, p->name))
			fputs("object", out);
		else
			write_param(out, &fn->params[i].type, value, p->pointee);
	}
	fputc(')', out);
}
