/* SPDX-License-Identifier: MIT */
#include "lin/compile.h"

#include <string.h>

static int op_error(const struct history *h, const struct history_op *op, struct error *e,
		    const char *what)
{
	char where[40] = "";

	if (op->line)
		snprintf(where, sizeof where, "line %u: ", (unsigned)op->line);
	return error_set(e, "%soperation %zu (\"%s\") %s", where, (size_t)(op - h->ops) + 1,
			 op->method < h->nmethods ? h->methods[op->method] : "?", what);
}

static const char *specification_of(const struct builder *b, uint32_t object)
{
	if (object < b->h->nobjects && b->h->objects[object].specification)
		return b->h->objects[object].specification;
	return b->options->specification;
}

/* Objects with the same text share what was parsed. */
int prepare_object(struct builder *b, uint32_t object)
{
	const char *text = specification_of(b, object);
	struct lin_spec *spec = &b->p->specs[object];
	struct method_map *map = &b->maps[object];
	const char *before = object ? specification_of(b, object - 1) : NULL;

	if (!text)
		return error_set(b->e,
				 "object \"%s\" has no specification (say which data type it is)",
				 object < b->h->nobjects ? b->h->objects[object].name : "");
	if (before && !strcmp(before, text)) {
		*spec = spec[-1];
		*map = map[-1];
		map->spec = spec;
		b->p->nspecs = object + 1;
		return 0;
	}
	if (spec_parse(spec, text, b->h, b->e))
		return -1;
	b->p->nspecs = object + 1;
	map->spec = spec;
	map->methods = arena_alloc(b->p->arena, b->h->nmethods * sizeof *map->methods);
	for (uint32_t i = 0; i < b->h->nmethods; i++)
		map->methods[i] = METHOD_NEW;
	return 0;
}

static void list_methods(const struct adt *adt, char *out, size_t size)
{
	size_t n = 0;

	out[0] = 0;
	for (const struct adt_method *m = adt->methods; m->names && n + 2 < size; m++)
		n += (size_t)snprintf(out + n, size - n, "%s%.*s", n ? ", " : "",
				      (int)strcspn(m->names, " "), m->names);
}

static int resolve(struct builder *b, const struct history_op *op)
{
	struct method_map *map = &b->maps[op->object];
	const struct adt *adt = map->spec->adt;
	const char *name = b->h->methods[op->method];
	char known[512], what[640];
	int m;

	if (!adt->methods) {
		m = 0;
	} else {
		m = adt_method_find(adt, name);
		if (m < 0) {
			list_methods(adt, known, sizeof known);
			snprintf(what, sizeof what, "is not one of a %s; it has: %s", adt->noun,
				 known);
			return op_error(b->h, op, b->e, what);
		}
	}
	if (spec_relaxed(map->spec, name))
		m |= METHOD_RELAXED;
	map->methods[op->method] = (int16_t)m;
	return m;
}

int compile_method(struct builder *b, const struct history_op *op)
{
	int m;

	if (op->object >= (b->h->nobjects ? b->h->nobjects : 1) || op->method >= b->h->nmethods ||
	    op->nargs > HISTORY_MAX_ARGS)
		return op_error(b->h, op, b->e,
				"is damaged (object, method or number of arguments)");
	m = b->maps[op->object].methods[op->method];
	return m == METHOD_NEW ? resolve(b, op) : m;
}

static int encode(const struct builder *b, const struct value *v, int64_t *word)
{
	switch (v->tag) {
	case VALUE_INT:
		*word = v->v;
		return v->v < b->smallest ? -1 : 0;
	case VALUE_STRING:
		*word = WORD_STRING(v->v);
		return v->v < 0 || v->v >= b->h->nstrings ? -1 : 0;
	default:
		*word = WORD_EMPTY;
		return 0;
	}
}

static int encode_more(struct builder *b, const struct history_op *op)
{
	size_t i = (size_t)(op - b->h->ops);

	if (!b->p->more)
		b->p->more = arena_alloc(b->p->arena, 2 * b->h->nops * sizeof *b->p->more);
	b->p->more[2 * i] = b->p->more[2 * i + 1] = WORD_EMPTY;
	for (int k = 2; k < op->nargs; k++)
		if (encode(b, &op->args[k], &b->p->more[2 * i + (size_t)k - 2]))
			return -1;
	return 0;
}

/* The flags that follow from the result of an operation alone. */
static uint8_t flags_of(const struct adt_method *m, const struct history_op *op)
{
	bool truth =
		op->result.tag == VALUE_INT ? op->result.v != 0 : op->result.tag == VALUE_STRING;

	if (op->ret == TIME_PENDING)
		return OP_PENDING | OP_ANY;
	if (op->result.tag == VALUE_NONE || op->result.tag == VALUE_UNKNOWN)
		return OP_ANY;
	if (m && ((m->flags & M_READS) || ((m->flags & M_SUCCEEDS) && !truth) ||
		  ((m->flags & M_TAKES) && op->result.tag == VALUE_EMPTY)))
		return OP_OBSERVER;
	return 0;
}

/* Operations that say nothing: a read that never returned or whose result is unknown, a spurious
 * failure. */
static bool says_nothing(const struct adt_method *m, int method, uint8_t flags)
{
	if (m && (m->flags & M_READS))
		return flags & OP_ANY;
	return (method & METHOD_RELAXED) && (flags & OP_OBSERVER);
}

static const struct adt_method *method_at(const struct builder *b, const struct history_op *op,
					  int method)
{
	const struct adt *adt = b->maps[op->object].spec->adt;

	return adt->methods ? &adt->methods[method & 0xff] : NULL;
}

static int encode_all(struct builder *b, const struct history_op *op, struct lin_op *out)
{
	int bad = encode(b, &op->result, &out->r);

	out->a = out->b = WORD_EMPTY;
	if (op->nargs > 0)
		bad |= encode(b, &op->args[0], &out->a);
	if (op->nargs > 1)
		bad |= encode(b, &op->args[1], &out->b);
	if (op->nargs > 2)
		bad |= encode_more(b, op);
	return bad;
}

int compile(struct builder *b, const struct history_op *op, struct lin_op *out)
{
	int method = compile_method(b, op);
	const struct adt_method *m;

	if (method < 0)
		return -1;
	m = method_at(b, op, method);
	if (op->ret < op->call)
		return op_error(b->h, op, b->e, "returns before it is called");
	if (m && (op->nargs < m->min_args || op->nargs > m->max_args))
		return op_error(b->h, op, b->e, "has the wrong number of arguments");
	if (encode_all(b, op, out))
		return op_error(b->h, op, b->e,
				"has a value outside the range that can be checked");
	out->id = (uint32_t)(op - b->h->ops);
	out->nargs = op->nargs;
	out->method = (uint8_t)(method & 0xff);
	out->code = m ? m->code : 0;
	out->flags = flags_of(m, op);
	if (out->flags & OP_ANY)
		out->r = WORD_EMPTY;
	out->ret = RANK_PENDING;
	if (op->result.tag == VALUE_EMPTY && !(out->flags & OP_ANY))
		b->p->specs[op->object].saw_empty = true;
	return !says_nothing(m, method, out->flags);
}

bool compile_drops(const struct builder *b, const struct history_op *op, int method)
{
	const struct adt_method *m = method_at(b, op, method);

	return says_nothing(m, method, flags_of(m, op));
}

bool compile_key(const struct builder *b, const struct history_op *op, int method, int64_t *key)
{
	const struct adt_method *m = method_at(b, op, method);

	if (!m || !(m->flags & M_KEY))
		return false;
	encode(b, &op->args[0], key);
	return true;
}
