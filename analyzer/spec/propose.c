/* SPDX-License-Identifier: MIT
 *
 * Functions whose names differ only in a verb, and that take the same kind of pointer first, are
 * taken for the operations of one type. The verbs and the numbers of arguments suggest the
 * specification; where one operation does not fit into it, it is `self`, which fits all.
 */
#include "propose.h"
#include "../lin/adt.h"
#include "../lin/lin.h"
#include "op_name.h"
#include "resolve.h"

#include <stdlib.h>
#include <string.h>

#define LEAST_OPERATIONS 2

struct candidate {
	const struct function *fn;
	const struct fn_instance *proto;
	struct op_name name;
	bool with_object; /* the first parameter is the object */
	int out;          /* the parameter by which it gives a result, or -1 */
	unsigned nargs;
	bool taken;
};

struct proposer {
	const struct functions *f;
	struct candidate *list;
	size_t n, capacity;
	struct proposal *p;
	FILE *text;
};

/* ---- candidates ---- */

static bool is_out(const struct candidate *c, unsigned i)
{
	const struct fn_type *t = &c->proto->params[i].type;
	enum op_role role = c->name.role;

	return t->kind == TYPE_POINTER && !t->to_const && t->pointee_size &&
	       i + 1 == c->proto->nparams &&
	       (role == ROLE_TAKE || role == ROLE_GET || role == ROLE_LOOK) &&
	       (i > 0 || !c->with_object);
}

static void add_candidate(struct proposer *p, const struct function *fn)
{
	struct candidate c = { .fn = fn, .out = -1 };

	op_name_read(fn->name, &c.name);
	if (c.name.role == ROLE_NONE || (!fn->ninstances && !fn->ninlined) ||
	    !strncmp(fn->name, "__", 2))
		return;
	c.proto = fn->declared ? &fn->prototype : fn->ninstances ? &fn->instances[0] : NULL;
	/* A function that gives a structure is more than an operation, or around one. */
	if (!c.proto || c.proto->result.kind == TYPE_OTHER)
		return;
	c.with_object = c.proto->nparams && c.proto->params[0].type.kind == TYPE_POINTER &&
			!c.proto->params[0].type.pointee_size;
	for (unsigned i = 0; i < c.proto->nparams; i++)
		if (is_out(&c, i))
			c.out = (int)i;
	c.nargs = c.proto->nparams - c.with_object - (c.out >= 0);
	if (c.nargs > SPEC_MAX_ARGS)
		return;
	VEC_GROW(p->list, p->n, p->capacity);
	p->list[p->n++] = c;
}

static bool same_group(const struct candidate *a, const struct candidate *b)
{
	return !b->taken && a->with_object == b->with_object &&
	       !strcmp(a->name.object, b->name.object) &&
	       (!a->with_object ||
		!strcmp(a->proto->params[0].type.text, b->proto->params[0].type.text));
}

/* ---- which specification ---- */

struct group {
	struct candidate **ops;
	size_t n;
};

static bool has(const struct group *g, const char *verb)
{
	for (size_t i = 0; i < g->n; i++)
		if (!strcmp(g->ops[i]->name.verb, verb))
			return true;
	return false;
}

static bool has_role(const struct group *g, enum op_role role, unsigned nargs)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->ops[i]->name.role == role && g->ops[i]->nargs == nargs)
			return true;
	return false;
}

static bool called(const struct group *g, const char *word)
{
	const struct candidate *c = g->ops[0];

	return strstr(c->name.object, word) ||
	       (c->with_object && strstr(c->proto->params[0].type.text, word));
}

static const char *guess(const struct group *g)
{
	bool takes = has_role(g, ROLE_TAKE, 0);

	for (size_t i = 0; i < g->n; i++)
		if (g->ops[i]->name.ended)
			return takes ? "deque" : "self";
	if (takes && (called(g, "heap") || called(g, "prio") || called(g, "pq")))
		return "pqueue";
	if (has_role(g, ROLE_COUNT, 0) || has_role(g, ROLE_COUNT, 1))
		return "counter";
	if (takes && (called(g, "stack") || called(g, "lifo")))
		return "stack";
	if (takes && (called(g, "queue") || called(g, "fifo")))
		return "queue";
	if (takes && has(g, "push") && has(g, "pop"))
		return "stack";
	if (takes && has_role(g, ROLE_ADD, 1))
		return "queue";
	if (has_role(g, ROLE_ADD, 2) &&
	    (has_role(g, ROLE_GET, 1) || has_role(g, ROLE_LOOK, 1) || has_role(g, ROLE_TAKE, 1)))
		return "map";
	if (has_role(g, ROLE_ADD, 1) && (has_role(g, ROLE_TAKE, 1) || has_role(g, ROLE_LOOK, 1)))
		return "set";
	if (has_role(g, ROLE_ADD, 1) && has_role(g, ROLE_GET, 0))
		return "register";
	return "self";
}

/* The guess if it knows all the operations; else *misfit is one that it does not know. */
static const char *specification(const struct group *g, const struct candidate **misfit)
{
	const char *name = guess(g);
	const struct adt *adt = adt_find(name);

	*misfit = NULL;
	for (size_t i = 0; i < g->n && adt->methods; i++)
		if (adt_method_find(adt, g->ops[i]->name.operation) < 0) {
			*misfit = g->ops[i];
			return "self";
		}
	return name;
}

/* ---- text ---- */

static const char *param_name(const struct candidate *c, unsigned i, char *buffer, size_t size)
{
	if (*c->proto->params[i].name && strcmp(c->proto->params[i].name, "this") != 0)
		return c->proto->params[i].name;
	snprintf(buffer, size, "arg%u", i);
	return buffer;
}

static void write_prototype(FILE *f, const struct candidate *c)
{
	fprintf(f, "%s %s(", c->proto->result.text, c->fn->name);
	for (unsigned i = 0; i < c->proto->nparams; i++)
		fprintf(f, "%s%s", i ? ", " : "", c->proto->params[i].type.text);
	fputc(')', f);
}

/* The result, and in *unsure what is not certain about it (NULL: nothing). */
static const char *result_of(const struct candidate *c, const char *spec, char *buffer, size_t size,
			     const char **unsure)
{
	const struct fn_type *t = &c->proto->result;
	enum op_role role = c->name.role;
	bool gives = role == ROLE_TAKE || role == ROLE_GET;
	char name[32];

	*unsure = NULL;
	if (c->out >= 0 &&
	    (t->kind == TYPE_BOOL || t->kind == TYPE_SIGNED || t->kind == TYPE_UNSIGNED)) {
		if (t->kind != TYPE_BOOL)
			*unsure = "is 0 returned when there is nothing? If it means success, write "
				  "`if not ret`";
		snprintf(buffer, size, "%s if ret else empty",
			 param_name(c, (unsigned)c->out, name, sizeof name));
		return buffer;
	}
	if (c->out >= 0)
		return param_name(c, (unsigned)c->out, buffer, size);
	if (t->kind == TYPE_VOID || t->kind == TYPE_OTHER)
		return NULL;
	if (t->kind == TYPE_BOOL)
		return "bool";
	if (t->kind == TYPE_POINTER && (gives || role == ROLE_LOOK))
		return !strcmp(spec, "set") ? "bool" : "ret if ret else empty";
	if (role == ROLE_EMPTY || ((role == ROLE_ADD || role == ROLE_LOOK || role == ROLE_TAKE) &&
				   !strcmp(spec, "set"))) {
		*unsure = "is the result a truth value, not an error number?";
		return "bool";
	}
	if (gives && strcmp(spec, "self") != 0 && strcmp(spec, "counter") != 0 &&
	    strcmp(spec, "register") != 0) {
		*unsure = "does a value mean that there is nothing? Then write, for example, "
			  "`ret if ret != -1 else empty`";
		return "int";
	}
	if (role == ROLE_ADD && strcmp(spec, "self") != 0) {
		*unsure = "what does the result say? It is not looked at";
		return NULL;
	}
	return "int";
}

static char *op_line(const struct candidate *c, const char *spec, const char **unsure)
{
	char *line = NULL, buffer[160], name[32];
	const char *result = result_of(c, spec, buffer, sizeof buffer, unsure), *separator = "";
	size_t size;
	FILE *f = open_memstream(&line, &size);

	if (!f)
		return xstrdup("");
	fprintf(f, "op %s(", c->name.operation);
	for (unsigned i = c->with_object; i < c->proto->nparams; i++)
		if ((int)i != c->out) {
			fprintf(f, "%s%s", separator, param_name(c, i, name, sizeof name));
			separator = ", ";
		}
	fprintf(f, ")%s%s : %s(", result ? " -> " : "", result ? result : "", c->fn->name);
	for (unsigned i = 0; i < c->proto->nparams; i++)
		fprintf(f, "%s%s", i ? ", " : "",
			!i && c->with_object ? "this" : param_name(c, i, name, sizeof name));
	fputc(')', f);
	fclose(f);
	return line;
}

/* Why an operation cannot be caught, without the place in a file that nobody has; NULL if it can.
 */
static char *obstacle(const struct proposer *p, const char *spec, const char *line)
{
	char *text = xasprintf("object %s\n%s\n", spec, line), *why = NULL;
	struct spec_file file;
	struct error e;
	const char *message;

	if (spec_file_parse(&file, "proposal", text, &e) < 0 ||
	    spec_resolve_op(&file, &file.ops[0], p->f, &e) < 0) {
		message = strstr(e.message, "error: ");
		why = xstrdup(message ? message + 7 : e.message);
	}
	spec_file_free(&file);
	free(text);
	return why;
}

static void write_op(struct proposer *p, const struct candidate *c, const char *spec)
{
	const char *unsure, *slash = c->fn->file ? strrchr(c->fn->file, '/') : NULL;
	char *line = op_line(c, spec, &unsure), *why = obstacle(p, spec, line);

	fputs("# ", p->text);
	if (c->fn->file)
		fprintf(p->text, "%s:%u: ", slash ? slash + 1 : c->fn->file, c->fn->line);
	write_prototype(p->text, c);
	fputc('\n', p->text);
	if (unsure)
		fprintf(p->text, "# unsure: %s\n", unsure);
	if (why)
		fprintf(p->text, "# left out: %s\n# %s\n", why, line);
	else
		fprintf(p->text, "%s\n", line);
	if (why)
		p->p->nleft++;
	else
		p->p->nops++;
	free(why);
	free(line);
}

static int by_place(const void *a, const void *b)
{
	const struct candidate *x = *(struct candidate *const *)a,
			       *y = *(struct candidate *const *)b;

	return (x->fn->line > y->fn->line) - (x->fn->line < y->fn->line);
}

static void write_group(struct proposer *p, struct group *g)
{
	const struct candidate *misfit;
	const char *spec = specification(g, &misfit);

	qsort(g->ops, g->n, sizeof *g->ops, by_place);
	fputc('\n', p->text);
	if (misfit)
		fprintf(p->text,
			"# unsure: a %s? It has no operation %s; so it is compared with itself, "
			"one operation at a time\n",
			guess(g), misfit->name.operation);
	else if (!strcmp(spec, "self"))
		fputs("# unsure: the names suggest no data type; it is compared with itself, one "
		      "operation at a time\n",
		      p->text);
	fprintf(p->text, "object %s\n", spec);
	for (size_t i = 0; i < g->n; i++)
		write_op(p, g->ops[i], spec);
}

static bool changes(const struct group *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->ops[i]->name.role == ROLE_ADD || g->ops[i]->name.role == ROLE_TAKE ||
		    g->ops[i]->name.role == ROLE_COUNT)
			return true;
	return false;
}

void spec_propose(const struct functions *f, struct proposal *out)
{
	struct proposer p = { .f = f, .p = out };
	struct group g = { 0 };
	size_t size;

	*out = (struct proposal){ 0 };
	p.text = open_memstream(&out->text, &size);
	if (!p.text)
		return;
	for (uint32_t i = 0; i < f->n; i++)
		add_candidate(&p, &f->list[i]);
	g.ops = xcalloc(p.n + 1, sizeof *g.ops);
	for (size_t i = 0; i < p.n; i++) {
		g.n = 0;
		for (size_t k = i; k < p.n && !p.list[i].taken; k++)
			if (same_group(&p.list[i], &p.list[k]))
				g.ops[g.n++] = &p.list[k];
		if (g.n < LEAST_OPERATIONS || !changes(&g))
			continue;
		for (size_t k = 0; k < g.n; k++)
			g.ops[k]->taken = true;
		write_group(&p, &g);
	}
	fclose(p.text);
	free(g.ops);
	free(p.list);
}

void proposal_free(struct proposal *p)
{
	free(p->text);
	*p = (struct proposal){ 0 };
}
