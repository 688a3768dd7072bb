/* SPDX-License-Identifier: MIT
 *
 * What completions mean:
 *
 *	:ok	the operation happened and returned; a value that the invocation did not have is
 *		its result
 *	:fail	it did not happen, and is left out
 *	:info	unknown: it may happen at any later time, or never
 *
 * In the console log of the etcd tests a failed compare-and-set is one that found another value: it
 * happened and returned false (jepsen->fail_is_false).
 *
 * nil is a value like others where something is put in (write, both values of a cas). Where
 * something is read it is a value that is not known yet, and in the completion "nothing".
 *
 * "[key value]" as the value of a read, write or cas is what independent keys look like: each key
 * becomes an object of its own, which is checked on its own.
 */
#include "lin/format/jepsen.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define DROPPED UINT8_MAX /* as the number of arguments: the operation did not happen */

static bool is_one_of(const char *p, size_t n, const char *const *words)
{
	for (; *words; words++) {
		if (word_is(p, n, *words))
			return true;
	}
	return false;
}

static bool is_cas(const struct jepsen_event *ev)
{
	static const char *const words[] = { "cas",
					     "compare-and-set",
					     "compare-and-swap",
					     "compare_and_set",
					     "compare_and_swap",
					     "compareAndSet",
					     NULL };

	return is_one_of(ev->f, ev->f_size, words);
}

/* Does an operation that ends with nil mean that there was nothing to be had (and not that it has
 * no result)? */
static bool gives_value(const struct jepsen_event *ev)
{
	static const char *const words[] = { "read",  "r",          "get",        "dequeue", "deq",
					     "pop",   "poll",       "peek",       "top",     "take",
					     "front", "remove-min", "remove-max", "extract", NULL };

	return is_one_of(ev->f, ev->f_size, words);
}

/* Does the operation put in what it is invoked with, be it nil? */
static bool puts_value(const struct jepsen_event *ev)
{
	static const char *const words[] = { "write", "w",       "set", "put",    "store",
					     "swap",  "enqueue", "enq", "append", "insert",
					     "push",  "offer",   NULL };

	return is_cas(ev) || is_one_of(ev->f, ev->f_size, words);
}

static bool is_register_op(const struct jepsen_event *ev)
{
	static const char *const words[] = { "read", "r", "write", "w", NULL };

	return is_cas(ev) || is_one_of(ev->f, ev->f_size, words);
}

bool jepsen_type(const char *p, size_t n, enum jepsen_type *type)
{
	static const char *const names[] = { "invoke", "ok", "fail", "info" };

	for (int i = 0; i < 4; i++) {
		if (strlen(names[i]) == n && !memcmp(names[i], p, n)) {
			*type = (enum jepsen_type)i;
			return true;
		}
	}
	return false;
}

/* Is the value of this event "[key value]", the key being one of many independent registers? */
static bool has_independent_key(const struct jepsen_event *ev)
{
	const struct jepsen_value *v = &ev->value;

	if (!v->vector || !is_register_op(ev))
		return false;
	return is_cas(ev) ? v->nested && v->n == 3 : !v->nested && v->n == 2;
}

/* The name of the object that a key stands for: different for different keys, and fit to be a
 * name. */
static void write_key(FILE *to, const struct history *h, struct value key)
{
	const char *s = key.tag == VALUE_STRING ? h->strings[key.v] : "";

	if (key.tag == VALUE_INT) {
		fprintf(to, "%" PRId64, key.v);
		return;
	}
	if (!*s || strchr("0123456789+-", *s))
		putc('\'', to); /* "7" is not 7 */
	if (key.tag != VALUE_STRING)
		fputs("'nil", to);
	for (; *s; s++) {
		if ((unsigned char)*s <= ' ' || *s == 0x7f || strchr("%',()\"#", *s))
			fprintf(to, "%%%02x", (unsigned char)*s);
		else
			putc(*s, to);
	}
}

static int independent_object(struct jepsen *j, const struct jepsen_event *ev, uint32_t *object)
{
	char *name = NULL;
	size_t size;
	FILE *to = open_memstream(&name, &size);
	int result;

	if (!to)
		return error_set(j->scan->e, "out of memory");
	write_key(to, j->scan->h, ev->value.items[0]);
	fclose(to);
	result = size < 256 ? 0 : scan_fail(j->scan, ev->value.at, "a shorter key");
	if (!result)
		*object = history_object(j->scan->h, name, NULL);
	free(name);
	return result;
}

static int invoke(struct jepsen *j, const struct jepsen_event *ev)
{
	struct scan *s = j->scan;
	struct history_op *op;
	uint8_t first = 0;
	uint32_t object = 0;

	if (ev->process < 0 || ev->process > INT32_MAX)
		return scan_fail(s, ev->at, "a process number from 0 to %d", INT32_MAX);
	if (!pairing_call(&j->open, ev->process, s->h->nops))
		return scan_fail(s, ev->at,
				 "the completion of the operation that process %lld is in",
				 (long long)ev->process);
	if (has_independent_key(ev)) {
		first = 1;
		if (independent_object(j, ev, &object) < 0)
			return -1;
	} else {
		object = scan_only_object(s);
	}
	op = history_add(s->h);
	op->line = scan_line(s, ev->at);
	op->thread = (int32_t)ev->process;
	op->object = object;
	op->call = j->time++;
	op->ret = TIME_PENDING;
	op->result.tag = VALUE_UNKNOWN;
	op->method = ev->method;
	if (ev->key.n && scan_add_arg(s, ev->key.at, op, ev->key.items[0]) < 0)
		return -1;
	for (uint8_t i = first; i < ev->value.n; i++) {
		if ((ev->value.items[i].tag != VALUE_EMPTY || puts_value(ev)) &&
		    scan_add_arg(s, ev->value.at, op, ev->value.items[i]) < 0)
			return -1;
	}
	return 0;
}

static bool same_args(const struct history_op *op, uint8_t from, const struct value *items,
		      uint8_t n)
{
	if (op->nargs - from != n)
		return false;
	for (uint8_t i = 0; i < n; i++) {
		if (op->args[from + i].tag != items[i].tag || op->args[from + i].v != items[i].v)
			return false;
	}
	return true;
}

static struct value result_of(struct jepsen *j, const struct jepsen_event *ev,
			      const struct history_op *op)
{
	struct value none = { VALUE_NONE, 0 }, empty = { VALUE_EMPTY, 0 }, done = { VALUE_INT, 1 };
	const struct jepsen_value *v = &ev->value;
	uint8_t first = has_independent_key(ev), n = v->n - first;
	bool nothing = !n || (n == 1 && v->items[first].tag == VALUE_EMPTY);

	if (is_cas(ev))
		return done;
	if (nothing)
		return gives_value(ev) ? empty : none;
	if (same_args(op, ev->key.n != 0, v->items + first, n) && !gives_value(ev))
		return none;
	if (n == 1 && !v->vector)
		return v->items[0];
	if (n == 1 && first)
		return v->items[1];
	/* Several values are one result: as they are written. */
	if (v->at == v->end)
		return v->whole;
	return (struct value){ VALUE_STRING,
			       history_string(j->scan->h, v->at, (size_t)(v->end - v->at)) };
}

static int complete(struct jepsen *j, const struct jepsen_event *ev)
{
	struct scan *s = j->scan;
	size_t i = pairing_return(&j->open, ev->process);
	struct history_op *op;

	if (i == SIZE_MAX)
		return scan_fail(s, ev->at, "an invocation by process %lld before its completion",
				 (long long)ev->process);
	op = &s->h->ops[i];
	if (ev->method != op->method)
		return scan_fail(s, ev->at,
				 "the completion of %s, which process %lld invoked at line %u",
				 s->h->methods[op->method], (long long)ev->process, op->line);
	if (ev->type == JEPSEN_INFO)
		return 0;
	if (ev->type == JEPSEN_FAIL && (!j->fail_is_false || !is_cas(ev) || ev->error)) {
		op->nargs = DROPPED;
		j->dropped = true;
		return 0;
	}
	op->ret = j->time++;
	op->result =
		ev->type == JEPSEN_FAIL ? (struct value){ VALUE_INT, 0 } : result_of(j, ev, op);
	return 0;
}

int jepsen_add(struct jepsen *j, const struct jepsen_event *ev)
{
	return ev->type == JEPSEN_INVOKE ? invoke(j, ev) : complete(j, ev);
}

void jepsen_end(struct jepsen *j)
{
	struct history *h = j->scan->h;
	size_t kept = 0;

	pairing_free(&j->open);
	if (!j->dropped)
		return;
	for (size_t i = 0; i < h->nops; i++) {
		if (h->ops[i].nargs != DROPPED)
			h->ops[kept++] = h->ops[i];
	}
	h->nops = kept;
}
