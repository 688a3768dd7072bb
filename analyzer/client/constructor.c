/* SPDX-License-Identifier: MIT
 *
 * How is an object made? If the file does not say it, a function is looked for that is given
 * nothing and returns such a pointer, or is given nothing but one.
 */
#include "client/calls.h"
#include "client/emit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool has_word(const char *name, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = strstr(name, word); p; p = strstr(p + 1, word))
		if ((p == name || p[-1] == '_') && !islower((unsigned char)p[n]))
			return true;
	return false;
}

static bool makes(const char *name)
{
	static const char *const verbs[] = { "create", "new", "make", "init", "alloc", "open" };

	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
		if (has_word(name, verbs[i]))
			return true;
	return false;
}

static bool is_pointer(const struct fn_type *type, const char *text)
{
	return type->kind == TYPE_POINTER && !strcmp(type->text, text);
}

/* 2: it returns an object; 1: it is given one; 0: neither. */
static int fits(const struct function *fn, const char *object)
{
	const struct fn_instance *p = fn->declared     ? &fn->prototype
				      : fn->ninstances ? &fn->instances[0]
						       : NULL;

	if (!p || !fn->ninstances || fn->system || !makes(fn->name))
		return 0;
	if (!p->nparams && is_pointer(&p->result, object))
		return 2;
	return p->nparams == 1 && is_pointer(&p->params[0].type, object) &&
	       p->params[0].type.pointee_bytes;
}

static int guess(struct emitter *m, struct error *e)
{
	const char *object = calls_object_type(m->spec, m->functions);
	const struct function *best = NULL;
	int rank = 0;

	for (uint32_t i = 0; i < m->functions->n && object; i++) {
		int r = fits(&m->functions->list[i], object);

		if (r > rank) {
			rank = r;
			best = &m->functions->list[i];
		}
	}
	if (!best)
		return error_set(e,
				 "%s: how is an object (%s) made? Say it in a line `new "
				 "FUNCTION(ARGUMENT, ...)`, with `this` among the arguments if "
				 "the function is given the memory",
				 m->spec->path, object ? object : "of unknown type");
	m->guessed = true;
	m->create = (struct spec_call){ .function = best->name };
	if (rank == 1)
		m->create.args[m->create.nargs++] = (char *)"this";
	return 0;
}

static int check_all(const struct emitter *m, struct error *e)
{
	const struct spec_clients *c = &m->spec->clients;
	const char *const others[] = { m->create.function, c->check.function, c->begin.function,
				       c->end.function };

	for (uint32_t i = 0; i < m->spec->nops; i++)
		if (!m->spec->ops[i].object &&
		    calls_possible(m->functions, m->spec->ops[i].function, e) < 0)
			return -1;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (others[i] && calls_possible(m->functions, others[i], e) < 0)
			return -1;
	for (unsigned i = 0; i < m->create.nargs; i++)
		if (!strcmp(m->create.args[i], "this") && !calls_object_size(m->spec, m->functions))
			return error_set(e,
					 "%s: the size of an object (%s) is not known; give a "
					 "function that allocates one",
					 m->spec->path, calls_object_type(m->spec, m->functions));
	return 0;
}

int emitter_make(struct emitter *m, const struct spec_file *spec, const struct functions *f,
		 struct error *e)
{
	*m = (struct emitter){ .spec = spec, .functions = f, .create = spec->clients.create };
	if (!m->create.function && calls_have_object(spec) && guess(m, e) < 0)
		return -1;
	return check_all(m, e);
}
