/* SPDX-License-Identifier: MIT
 *
 * What the result of a function says about an operation: from its type, from the constants that its
 * source returns, and from what the operation of that name returns in the specification.
 */
#include "spec/candidate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define UNSURE_TRUTH "is the result a truth value, not an error number?"

const char *candidate_param(const struct candidate *c, unsigned i, char *buffer, size_t size)
{
	if (*c->proto->params[i].name && strcmp(c->proto->params[i].name, "this") != 0)
		return c->proto->params[i].name;
	snprintf(buffer, size, "arg%u", i);
	return buffer;
}

bool candidate_fills_structure(const struct candidate *c)
{
	static const char *const verbs[] = { "pop",  "dequeue", "deq",  "take",   "get",  "recv", "receive",
					     "poll", "peek",    "read", "lookup", "find", "next" };
	const struct fn_type *last;

	if (c->opaque)
		return true;
	if (c->out >= 0 || c->proto->nparams <= c->with_object)
		return false;
	last = &c->proto->params[c->proto->nparams - 1].type;
	if (last->kind != TYPE_POINTER || last->to_const || last->pointee_size ||
	    !strncmp(last->text, "void", 4) || strchr(last->text, '('))
		return false;
	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
		if (!strcmp(c->name.verb, verbs[i]))
			return true;
	return false;
}

static bool is(const char *specification, const char *name)
{
	return !strcmp(specification, name);
}

/* The results are 0 and 1, and nothing else. */
static bool returns_truth(const struct returns *r)
{
	return r->known && !r->minus && !r->error && !(r->other && !r->truth) &&
	       (r->truth || (r->zero && r->one)) && r->nconstants <= 2;
}

/* 0 is success, as with error numbers. */
static bool returns_errors(const struct returns *r)
{
	return r->known && r->zero && !r->one && !r->truth && !r->other && (r->error || r->minus);
}

/* The condition under which there is a result; NULL if it is not known. */
static const char *success(const struct candidate *c, char *buffer, size_t size)
{
	const struct returns *r = &c->returns;

	if (r->succeeds && !(r->success == 1 && returns_truth(r)))
		snprintf(buffer, size, "ret == %" PRId64, r->success);
	else if (c->proto->result.kind == TYPE_BOOL || r->succeeds)
		snprintf(buffer, size, "ret");
	else if (returns_errors(r))
		snprintf(buffer, size, "ret == 0");
	else if (r->known && !r->other && r->one && r->minus && !r->zero)
		snprintf(buffer, size, "ret == 1");
	else
		return NULL;
	return buffer;
}

/* By a pointer, if what is returned says that there is something. */
static void result_by_pointer(const struct candidate *c, struct op_form *f)
{
	char name[32], buffer[40];
	const char *out = candidate_param(c, (unsigned)c->out, name, sizeof name), *condition;
	enum type_kind kind = c->proto->result.kind;

	if (kind == TYPE_VOID || kind == TYPE_POINTER || kind == TYPE_OTHER) {
		snprintf(f->result, sizeof f->result, "%s", out);
		return;
	}
	condition = success(c, buffer, sizeof buffer);
	f->lost = !condition;
	if (f->lost)
		f->unsure = "is 0 returned when there is nothing? If it means success, write `if "
			    "not ret`";
	snprintf(f->result, sizeof f->result, "%s if %s else empty", out,
		 condition ? condition : "ret");
}

static void result_truth(const struct candidate *c, struct op_form *f)
{
	enum type_kind kind = c->proto->result.kind;

	if (kind == TYPE_VOID || kind == TYPE_OTHER)
		return;
	if (returns_errors(&c->returns)) {
		snprintf(f->result, sizeof f->result, "true if ret == 0 else false");
		return;
	}
	/* Other values than 0 and 1 are kept: they may mean something else. */
	if (kind != TYPE_BOOL && kind != TYPE_POINTER && !returns_truth(&c->returns)) {
		f->unsure = UNSURE_TRUTH;
		snprintf(f->result, sizeof f->result, "int");
		return;
	}
	snprintf(f->result, sizeof f->result, "bool");
}

/* The returned value, of which one may mean "nothing". */
static void result_value(const struct candidate *c, struct op_form *f)
{
	const struct returns *r = &c->returns;

	if (c->proto->result.kind == TYPE_VOID)
		return;
	if (c->proto->result.kind == TYPE_POINTER) {
		snprintf(f->result, sizeof f->result, "ret if ret else empty");
		return;
	}
	if (r->known && r->other && r->nconstants) {
		snprintf(f->result, sizeof f->result, "ret if ret != %" PRId64 " else empty",
			 r->constant);
		/* "There is nothing" and "somebody else is at it" are two things. */
		f->lost = r->nconstants > 1;
		if (f->lost || r->constant >= 0)
			f->unsure = "does this value mean that there is nothing?";
		return;
	}
	snprintf(f->result, sizeof f->result, "int");
	f->unsure = "does a value mean that there is nothing? Then write, for example, `ret if ret "
		    "!= -1 else empty`";
}

/* Putting something into a container: does the result say whether there was room? */
static void result_of_add(const struct candidate *c, const char *spec, struct op_form *f)
{
	const struct returns *r = &c->returns;
	bool truth = c->proto->result.kind == TYPE_BOOL || returns_truth(r);

	if (c->proto->result.kind == TYPE_VOID)
		return;
	if (is(spec, "map") ? !strncmp(c->name.verb, "put", 3) || is(c->name.verb, "set") ||
				      is(c->name.verb, "store") || is(c->name.verb, "write")
			    : !truth && !returns_errors(r)) {
		f->lost = !r->known || r->nconstants > 1 || r->other || r->truth || r->error;
		if (f->lost)
			f->unsure = "what does the result say? It is not used";
		return;
	}
	if (is(spec, "map") && !truth && !returns_errors(r)) {
		f->lost = true;
		f->unsure = "what does the result say? It is not used; and if a value that is "
			    "there is replaced, call it put";
		return;
	}
	result_truth(c, f);
	/* `return true;` and nothing else: it always has room. */
	f->may_fail = !is(spec, "map") &&
		      !(r->known && r->one && r->nconstants == 1 && !r->truth && !r->other);
}

static void form_of_map(const struct candidate *c, struct op_form *f)
{
	bool truth = c->proto->result.kind == TYPE_BOOL || returns_truth(&c->returns) ||
		     returns_errors(&c->returns);

	switch (c->name.role) {
	case ROLE_ADD:
		result_of_add(c, "map", f);
		break;
	case ROLE_TAKE:
		if (c->out < 0 && truth) {
			f->operation = "erase";
			result_truth(c, f);
			break;
		}
		if (is(f->operation, "erase") || is(f->operation, "discard"))
			f->operation = "remove";
		result_value(c, f);
		break;
	case ROLE_LOOK:
	case ROLE_GET:
		if (truth || is(f->operation, "contains") || is(f->operation, "has") ||
		    is(f->operation, "exists") || is(f->operation, "member")) {
			f->operation = "contains";
			result_truth(c, f);
			break;
		}
		result_value(c, f);
		break;
	default:
		snprintf(f->result, sizeof f->result, "int");
	}
}

/* As it is: `self` takes every result. What is behind a pointer is looked at only if it is certain
 * when something was stored there. */
static void result_of_self(const struct candidate *c, struct op_form *f)
{
	enum type_kind kind = c->proto->result.kind;

	if (c->out >= 0 && !c->opaque)
		result_by_pointer(c, f);
	if (c->out >= 0 && !c->opaque && !f->lost)
		return;
	if (kind != TYPE_VOID && kind != TYPE_OTHER)
		snprintf(f->result, sizeof f->result, "%s", kind == TYPE_BOOL ? "bool" : "int");
}

void candidate_form(const struct candidate *c, const char *spec, struct op_form *f)
{
	enum op_role role = c->name.role;
	enum type_kind kind = c->proto->result.kind;
	bool cell = is(spec, "register") || is(spec, "counter");

	*f = (struct op_form){ .operation = c->name.operation };
	if (is(spec, "self"))
		result_of_self(c, f);
	else if (c->opaque)
		f->lost = true;
	else if (c->out >= 0)
		result_by_pointer(c, f);
	else if (kind == TYPE_VOID || kind == TYPE_OTHER)
		return;
	else if (role == ROLE_EMPTY || role == ROLE_CAS ||
		 (is(spec, "set") &&
		  (role == ROLE_ADD || role == ROLE_TAKE || role == ROLE_LOOK || role == ROLE_GET)))
		result_truth(c, f);
	else if (role == ROLE_LOCK && (!strncmp(f->operation, "try", 3) || kind == TYPE_BOOL ||
				       returns_truth(&c->returns) || returns_errors(&c->returns)))
		result_truth(c, f);
	else if (role == ROLE_LOCK || role == ROLE_UNLOCK || role == ROLE_CLEAR)
		f->lost = true;
	else if (is(spec, "map"))
		form_of_map(c, f);
	else if (role == ROLE_ADD && !cell)
		result_of_add(c, spec, f);
	else if (role == ROLE_ADD) {
		f->lost = true;
		f->unsure = "what does the result say? It is not used";
	} else if (cell || role == ROLE_SIZE)
		snprintf(f->result, sizeof f->result, "int");
	else
		result_value(c, f);
}
