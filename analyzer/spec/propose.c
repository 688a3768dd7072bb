/* SPDX-License-Identifier: MIT
 *
 * Functions whose names differ only in a verb, and that take the same kind of pointer first, are
 * taken for the operations of one type. A function that has no such partner is proposed only if
 * there is nothing else.
 */
#include "spec/propose.h"
#include "lin/adt.h"
#include "lin/lin.h"
#include "spec/guess.h"
#include "spec/objects.h"
#include "spec/resolve.h"

#include <stdlib.h>
#include <string.h>

struct proposer {
	const struct functions *f;
	struct candidate *list;
	size_t n, capacity;
	struct candidate *structures; /* functions that would be, but that give a structure */
	size_t nstructures, structures_capacity;
	struct proposal *p;
	FILE *text, *limits;
	char *source; /* the file that was read last, */
	const char *source_path;
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

/* The text of a source file, NULL if it is not there. */
static const char *source_of(struct proposer *p, const char *path)
{
	size_t size;

	if (!path || (p->source_path && !strcmp(path, p->source_path)))
		return path ? p->source : NULL;
	free(p->source);
	p->source = read_file(path, &size, NULL);
	p->source_path = path;
	return p->source;
}

/* A pointer to a number is the object only where the verb leaves no other meaning. */
static bool takes_object(const struct candidate *c)
{
	const struct fn_type *t = &c->proto->params[0].type;
	enum op_role role = c->name.role;

	if (!c->proto->nparams || t->kind != TYPE_POINTER)
		return false;
	return !t->pointee_size || role == ROLE_COUNT || role == ROLE_LOCK || role == ROLE_UNLOCK ||
	       role == ROLE_CAS || (role == ROLE_GET && c->proto->nparams == 1 && t->to_const);
}

static void add_candidate(struct proposer *p, const struct function *fn)
{
	struct candidate c = { .fn = fn, .out = -1 };
	const char *source;

	op_name_read(fn->name, &c.name);
	if (c.name.role == ROLE_NONE || fn->system || (!fn->ninstances && !fn->ninlined) ||
	    !strncmp(fn->name, "__", 2))
		return;
	c.proto = fn->declared ? &fn->prototype : fn->ninstances ? &fn->instances[0] : NULL;
	/* A function that gives a structure is more than an operation, or around one. */
	if (!c.proto)
		return;
	if (c.proto->result.kind == TYPE_OTHER) {
		VEC_GROW(p->structures, p->nstructures, p->structures_capacity);
		p->structures[p->nstructures++] = c;
		return;
	}
	/* Numbers are allocated from an object; memory is one, and so is what is made of it. */
	if ((!strncmp(c.name.verb, "alloc", 5) && c.proto->result.kind == TYPE_POINTER) ||
	    (!strcmp(c.name.verb, "free") && c.proto->nparams &&
	     c.proto->params[c.proto->nparams - 1].type.kind == TYPE_POINTER))
		return;
	c.with_object = takes_object(&c);
	for (unsigned i = 0; i < c.proto->nparams; i++)
		if (is_out(&c, i))
			c.out = (int)i;
	c.nargs = c.proto->nparams - c.with_object - (c.out >= 0);
	if (c.nargs > SPEC_MAX_ARGS)
		return;
	source = source_of(p, fn->file);
	if (source)
		returns_read(source, fn->name, fn->line,
			     c.out >= 0 ? c.proto->params[c.out].name : NULL, &c.returns);
	VEC_GROW(p->list, p->n, p->capacity);
	p->list[p->n++] = c;
}

/* Readers may take it as const. */
static const char *object_type(const struct candidate *c)
{
	const char *text = c->proto->params[0].type.text;

	return !strncmp(text, "const ", 6) ? text + 6 : text;
}

/* Are these names one, but for words at the end: stack_pop_lf, stack_size? */
static bool same_beginning(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b), least = n < m ? n : m;

	return least && !strncmp(a, b, least) && (n == m || (n < m ? b : a)[least] == '_');
}

static bool same_group(const struct candidate *a, const struct candidate *b)
{
	const char *x = a->name.object, *y = b->name.object;

	if (b->taken || a->with_object != b->with_object)
		return false;
	if (!a->with_object)
		return !strcmp(x, y);
	return !strcmp(object_type(a), object_type(b)) && (!strcmp(x, y) || same_beginning(x, y));
}

/* ---- text ---- */

static void write_prototype(FILE *f, const struct candidate *c)
{
	fprintf(f, "%s %s(", c->proto->result.text, c->fn->name);
	for (unsigned i = 0; i < c->proto->nparams; i++)
		fprintf(f, "%s%s", i ? ", " : "", c->proto->params[i].type.text);
	fputc(')', f);
}

/* `const int &key`: the argument is the number. */
static bool refers_to_number(const struct fn_type *t)
{
	return t->kind == TYPE_POINTER && t->pointee_size && t->text[strlen(t->text) - 1] == '&';
}

static char *op_line(const struct group *g, const struct candidate *c, const struct op_form *form)
{
	char *line = NULL, name[32];
	const char *separator = "";
	size_t size;
	FILE *f = open_memstream(&line, &size);

	if (!f)
		return xstrdup("");
	fprintf(f, "op %s(", form->operation);
	for (unsigned i = c->with_object; i < c->proto->nparams; i++)
		if ((int)i != c->out) {
			fprintf(f, "%s%s", separator, candidate_param(c, i, name, sizeof name));
			separator = ", ";
		}
	fprintf(f, ")%s%s : %s(", *form->result ? " -> " : "", form->result, c->fn->name);
	for (unsigned i = 0; i < c->proto->nparams; i++) {
		const char *param = candidate_param(c, i, name, sizeof name);
		bool number;

		if (!i && c->with_object)
			param = g->one_object ? "_" : "this";
		else if ((int)i == c->out && (c->opaque || !strstr(form->result, param)))
			param = "_"; /* not looked at */
		number = (int)i != c->out && !(!i && c->with_object) &&
			 refers_to_number(&c->proto->params[i].type);
		fprintf(f, "%s%s%s", i ? ", " : "", number ? "*" : "", param);
	}
	fputc(')', f);
	fclose(f);
	return line;
}

/* Why an operation cannot be caught, without a place in a file, because the file does not exist
 * yet; NULL if it can. */
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

static char *obstacle_of(const struct proposer *p, const struct group *g, const char *spec,
			 size_t i)
{
	struct op_form form;
	char *line, *why;

	candidate_form(g->ops[i], spec, &form);
	line = op_line(g, g->ops[i], &form);
	why = obstacle(p, spec, line);
	free(line);
	return why;
}

/* Can more operations be caught if objects are not told apart? The compiler may have made copies of
 * functions for the only object. */
static void look_for_obstacles(const struct proposer *p, struct group *g)
{
	size_t without[2] = { 0 };

	g->left_out = false;
	for (int one = 0; one < 2; one++) {
		g->one_object = one;
		for (size_t i = 0; i < g->n; i++) {
			char *why = obstacle_of(p, g, "self", i);

			without[one] += why != NULL;
			free(why);
		}
	}
	g->one_object = g->ops[0]->with_object && without[1] < without[0];
	for (size_t i = 0; i < g->n; i++) {
		char *why = obstacle_of(p, g, "self", i);

		g->left_out |= why && candidate_changes(g->ops[i]);
		free(why);
	}
}

static void write_op(struct proposer *p, const struct group *g, const struct candidate *c,
		     const char *spec)
{
	struct op_form form;
	char *line, *why;

	candidate_form(c, spec, &form);
	line = op_line(g, c, &form);
	why = obstacle(p, spec, line);
	fputs("# ", p->text);
	if (c->fn->file)
		fprintf(p->text, "%s:%u: ", base_name(c->fn->file), c->fn->line);
	write_prototype(p->text, c);
	fputc('\n', p->text);
	if (form.unsure)
		fprintf(p->text, "# unsure: %s\n", form.unsure);
	if (why)
		fprintf(p->text, "# left out: %s\n# %s\n", why, line);
	else
		fprintf(p->text, "%s\n", line);
	if (why) {
		p->p->nleft++;
		fprintf(p->limits, "%s is not checked: %s\n", form.operation, why);
	} else {
		p->p->nops++;
		if (candidate_fills_structure(c))
			fprintf(p->limits,
				"what %s stores in the structure that it is given is not compared\n",
				form.operation);
	}
	free(why);
	free(line);
}

static int by_place(const void *a, const void *b)
{
	const struct candidate *x = *(struct candidate *const *)a,
			       *y = *(struct candidate *const *)b;

	return (x->fn->line > y->fn->line) - (x->fn->line < y->fn->line);
}

/* What is not certain about the data type. */
static void write_doubts(struct proposer *p, const struct group *g, const char *spec,
			 const struct candidate *misfit)
{
	if (g->n == 1)
		fputs("# unsure: it is the only function with the name of an operation\n", p->text);
	if (g->one_object)
		fputs("# unsure: the compiler removed the pointer to the object from some of "
		      "these; they are taken to be about one object\n",
		      p->text);
	if (misfit && adt_method_find(adt_find(group_guess(g)), misfit->name.operation) < 0)
		fprintf(p->text,
			"# unsure: a %s? It has no operation %s; so it is compared with itself, "
			"one operation at a time\n",
			group_guess(g), misfit->name.operation);
	else if (misfit)
		fprintf(p->text,
			"# unsure: a %s? What %s returns is not certain; so it is compared with "
			"itself, one operation at a time\n",
			group_guess(g), misfit->fn->name);
	else if (g->left_out)
		fputs("# unsure: an operation cannot be caught; so it is compared with itself, one "
		      "operation at a time\n",
		      p->text);
	else if (!strcmp(spec, "self"))
		fputs("# unsure: the names suggest no data type; it is compared with itself, one "
		      "operation at a time\n",
		      p->text);
	else if (!strcmp(spec, "counter"))
		fputs("# unsure: does it begin with 0? Else write, for example, counter(5)\n",
		      p->text);
}

/* `object`, and the operations that may fail because there is no room, of which the capacity is not
 * known. */
static void write_object(struct proposer *p, const struct group *g, const char *spec)
{
	bool bounded = !strcmp(spec, "stack") || !strcmp(spec, "queue");
	struct op_form form;
	char *failing = xstrdup("");

	for (size_t i = 0; i < g->n && bounded; i++) {
		char *before = failing;

		candidate_form(g->ops[i], spec, &form);
		if (!form.may_fail)
			continue;
		failing = xasprintf("%s %s", before, form.operation);
		free(before);
	}
	if (*failing)
		fprintf(p->text,
			"# unsure: how many does it hold? Write bounded-%s(N) to check that adding "
			"fails only then\nobject %s relaxed%s\n",
			spec, spec, failing);
	else
		fprintf(p->text, "object %s\n", spec);
	free(failing);
}

static void write_group(struct proposer *p, struct group *g)
{
	const struct candidate *misfit;
	const char *spec;

	qsort(g->ops, g->n, sizeof *g->ops, by_place);
	look_for_obstacles(p, g);
	spec = group_specification(g, &misfit);
	fputc('\n', p->text);
	write_doubts(p, g, spec, misfit);
	write_object(p, g, spec);
	for (size_t i = 0; i < g->n; i++)
		write_op(p, g, g->ops[i], spec);
}

static bool is_type(const struct group *g, size_t least)
{
	bool changes = false;

	if (g->n < least)
		return false;
	for (size_t i = 0; i < g->n; i++)
		changes |= candidate_changes(g->ops[i]);
	return changes || group_are_locks(g);
}

/* The candidates that belong to the i-th one and are locks, or are none. */
static void collect(struct proposer *p, size_t i, struct group *g)
{
	*g = (struct group){ .ops = g->ops };
	for (size_t k = i; k < p->n && !p->list[i].taken; k++)
		if (same_group(&p->list[i], &p->list[k]) &&
		    candidate_is_lock(&p->list[i]) == candidate_is_lock(&p->list[k]))
			g->ops[g->n++] = &p->list[k];
}

/* Nothing else is like them, so nobody knows what they are operations of. */
static void write_others(struct proposer *p)
{
	bool any = false;

	for (size_t i = 0; i < p->n; i++) {
		const struct candidate *c = &p->list[i];

		if (c->taken || !candidate_changes(c))
			continue;
		fprintf(p->limits, "%s%s",
			any ? ", " : "not checked, though named like operations: ", c->fn->name);
		any = true;
	}
	if (any)
		fputc('\n', p->limits);
}

/* A pointer to the same type first, or none and the same name but for the verb. */
static bool is_partner(const struct candidate *a, const struct candidate *b)
{
	bool pointer = b->proto->nparams && b->proto->params[0].type.kind == TYPE_POINTER;

	if (a->with_object != pointer)
		return false;
	return pointer ? !strcmp(object_type(a), object_type(b))
		       : *a->name.object && !strcmp(a->name.object, b->name.object);
}

/* Functions that give a structure and belong to operations that were proposed. */
static void write_structures(struct proposer *p)
{
	for (size_t i = 0; i < p->nstructures; i++) {
		const struct candidate *c = &p->structures[i];
		bool partner = false;

		for (size_t k = 0; k < p->n && !partner; k++)
			partner = p->list[k].taken && is_partner(&p->list[k], c);
		if (partner)
			fprintf(p->limits,
				"%s is not checked: it returns a structure (%s); mark it with "
				"linchpin_call() and linchpin_return() of linchpin.h\n",
				c->fn->name, c->proto->result.text);
	}
	free(p->structures);
}

void spec_propose(const struct functions *f, struct proposal *out)
{
	struct proposer p = { .f = f, .p = out };
	struct group g = { 0 };
	size_t size, limits_size;

	*out = (struct proposal){ 0 };
	p.text = open_memstream(&out->text, &size);
	p.limits = open_memstream(&out->limits, &limits_size);
	if (!p.text || !p.limits)
		return;
	for (uint32_t i = 0; i < f->n; i++)
		add_candidate(&p, &f->list[i]);
	objects_settle(p.list, p.n);
	g.ops = xcalloc(p.n + 1, sizeof *g.ops);
	for (size_t least = 2; least && !out->nops && !out->nleft; least--)
		for (size_t i = 0; i < p.n; i++) {
			collect(&p, i, &g);
			if (!is_type(&g, least))
				continue;
			for (size_t k = 0; k < g.n; k++)
				g.ops[k]->taken = true;
			write_group(&p, &g);
		}
	write_others(&p);
	write_structures(&p);
	fclose(p.text);
	fclose(p.limits);
	free(g.ops);
	free(p.list);
	free(p.source);
}

void proposal_free(struct proposal *p)
{
	free(p->text);
	free(p->limits);
	*p = (struct proposal){ 0 };
}
