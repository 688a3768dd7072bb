/* SPDX-License-Identifier: MIT */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

const char *const kind_specification[K_COUNT] = {
	[K_SET] = "set",
	[K_MULTISET] = "multiset",
	[K_MAP] = "map",
	[K_STACK] = "stack",
	[K_QUEUE] = "queue",
	[K_DEQUE] = "deque",
	[K_PQUEUE_MIN] = "pqueue-min",
	[K_PQUEUE_MAX] = "pqueue-max",
	[K_REGISTER] = "register(0)",
	[K_MULTI_REGISTER] = "multi-register(0)",
	[K_COUNTER] = "counter(5)",
	[K_MUTEX] = "mutex",
	[K_SEMAPHORE] = "semaphore(2)",
	[K_BOUNDED_QUEUE] = "bounded-queue(2)",
	[K_BOUNDED_STACK] = "bounded-stack(2)",
	[K_APPEND_LIST] = "append-list",
	[K_KV] = "kv",
};

void model_init(enum kind kind, struct model *m)
{
	memset(m, 0, sizeof *m);
	for (int i = 0; i < KEYS; i++)
		m->by_key[i] = kind == K_MAP ? ABSENT : 0;
	if (kind == K_COUNTER)
		m->a[0] = 5;
	if (kind == K_SEMAPHORE)
		m->a[0] = 2;
}

static struct value integer(int64_t v)
{
	return (struct value){ VALUE_INT, v };
}

static struct value nothing(void)
{
	return (struct value){ VALUE_EMPTY, 0 };
}

static struct value maybe(int64_t v)
{
	return v == ABSENT ? nothing() : integer(v);
}

/* Takes the element at i out and returns it. */
static struct value take_at(struct model *m, int i)
{
	struct value v;

	if (!m->n)
		return nothing();
	v = integer(m->a[i]);
	memmove(m->a + i, m->a + i + 1, (size_t)(m->n - i - 1) * sizeof m->a[0]);
	m->n--;
	return v;
}

static struct value put_at(struct model *m, int i, int64_t v)
{
	memmove(m->a + i + 1, m->a + i, (size_t)(m->n - i) * sizeof m->a[0]);
	m->a[i] = v;
	m->n++;
	return integer(1);
}

static struct value look_at(const struct model *m, int i)
{
	return m->n ? integer(m->a[i]) : nothing();
}

static int best(const struct model *m, bool min)
{
	int b = 0;

	for (int i = 1; i < m->n; i++)
		if (min ? m->a[i] < m->a[b] : m->a[i] > m->a[b])
			b = i;
	return b;
}

static struct value run_sequence(enum kind kind, struct model *m, const char *name, int64_t a)
{
	bool bounded = kind == K_BOUNDED_QUEUE || kind == K_BOUNDED_STACK;
	int first = 0, last = m->n - 1;

	if (kind == K_STACK || kind == K_BOUNDED_STACK)
		first = m->n - 1;
	if (kind == K_PQUEUE_MIN || kind == K_PQUEUE_MAX)
		first = best(m, kind == K_PQUEUE_MIN);
	if (!strcmp(name, "push") || !strcmp(name, "push_back"))
		return bounded && m->n >= 2 ? integer(0) : put_at(m, m->n, a);
	if (!strcmp(name, "push_front"))
		return put_at(m, 0, a);
	if (!strcmp(name, "pop") || !strcmp(name, "pop_front"))
		return take_at(m, first);
	if (!strcmp(name, "pop_back"))
		return take_at(m, last);
	if (!strcmp(name, "peek") || !strcmp(name, "peek_front"))
		return look_at(m, first);
	if (!strcmp(name, "size"))
		return integer(m->n);
	abort();
}

static struct value run_set(enum kind kind, struct model *m, const char *name, int64_t key)
{
	int64_t *count = &m->by_key[key];
	bool had = *count > 0;

	if (!strcmp(name, "add")) {
		*count = kind == K_SET ? 1 : *count + 1;
		return integer(kind == K_MULTISET || !had);
	}
	if (!strcmp(name, "remove"))
		*count -= had;
	if (!strcmp(name, "size"))
		return integer(m->by_key[0] + m->by_key[1] + m->by_key[2] + m->by_key[3]);
	return integer(had);
}

static struct value run_map(struct model *m, const char *name, const struct value *args)
{
	int64_t *at = &m->by_key[args[0].v], before = *at;

	if (!strcmp(name, "put"))
		*at = args[1].v;
	else if (!strcmp(name, "remove"))
		*at = ABSENT;
	else if (!strcmp(name, "delete")) { /* if it has this value */
		if (before == args[1].v)
			*at = ABSENT;
		return integer(before == args[1].v);
	} else if (!strcmp(name, "put_if_absent") && before == ABSENT)
		*at = args[1].v;
	else if (!strcmp(name, "replace") && before != ABSENT)
		*at = args[1].v;
	else if (!strcmp(name, "compareAndSet")) {
		if (before == args[1].v)
			*at = args[2].v;
		return integer(before == args[1].v);
	}
	return maybe(before);
}

static struct value run_registers(struct model *m, const char *name, const struct value *args,
				  int64_t *at)
{
	int64_t before = *at;

	if (!strcmp(name, "read"))
		return integer(before);
	if (!strcmp(name, "write") || !strcmp(name, "swap"))
		*at = args[0].v;
	if (!strcmp(name, "cas")) {
		if (before == args[0].v)
			*at = args[1].v;
		return integer(before == args[0].v);
	}
	return !strcmp(name, "swap") ? integer(before) : (struct value){ VALUE_NONE, 0 };
}

static struct value run_counter(struct model *m, const char *name)
{
	int64_t before = m->a[0];

	if (!strcmp(name, "read"))
		return integer(before);
	if (!strcmp(name, "dec")) {
		m->a[0]--;
		return (struct value){ VALUE_NONE, 0 };
	}
	m->a[0]++;
	return !strcmp(name, "fetch_add") ? integer(before) : (struct value){ VALUE_NONE, 0 };
}

/* Locks and semaphores as counts; `most` < 0: no limit. */
static bool run_lock(struct model *m, bool take, int64_t limit, bool can_fail, struct value *result)
{
	bool can = take ? m->a[0] > 0 : limit < 0 || m->a[0] < limit;

	*result = integer(can);
	if (can)
		m->a[0] += take ? -1 : 1;
	return can || can_fail;
}

static struct value run_list(struct model *m, struct history *h, const struct history_op *op,
			     const char *name)
{
	char text[128];
	int n = 0;

	if (!strcmp(name, "append")) {
		m->a[m->n++] = op->args[0].v;
		return integer(m->n);
	}
	if (!strcmp(name, "size"))
		return integer(m->n);
	for (int i = 0; i < m->n; i++)
		n += snprintf(text + n, sizeof text - (size_t)n, "%s%lld", i ? " " : "",
			      (long long)m->a[i]);
	return m->n ? (struct value){ VALUE_STRING, history_string(h, text, (size_t)n) }
		    : nothing();
}

static struct value run_kv(struct model *m, struct history *h, const struct history_op *op,
			   const char *name)
{
	char *text = m->text[op->args[0].v];

	if (!strcmp(name, "get"))
		return (struct value){ VALUE_STRING, history_string(h, text, strlen(text)) };
	if (!strcmp(name, "put"))
		text[0] = 0;
	strcat(text, h->strings[op->args[1].v]);
	return (struct value){ VALUE_NONE, 0 };
}

bool model_run(enum kind kind, struct model *m, struct history *h, const struct history_op *op,
	       struct value *result)
{
	const char *name = h->methods[op->method];
	bool can_fail = op->result.tag == VALUE_INT && op->ret != TIME_PENDING;

	switch (kind) {
	case K_SET:
	case K_MULTISET:
		*result = run_set(kind, m, name, op->args[0].v);
		return true;
	case K_MAP:
		*result = run_map(m, name, op->args);
		return true;
	case K_REGISTER:
		*result = run_registers(m, name, op->args, &m->a[0]);
		return true;
	case K_MULTI_REGISTER:
		*result = run_registers(m, name, op->args + 1, &m->by_key[op->args[0].v]);
		return true;
	case K_COUNTER:
		*result = run_counter(m, name);
		return true;
	case K_MUTEX: /* a[0]: held */
		return run_lock(m, !strcmp(name, "unlock"), 1, can_fail, result);
	case K_SEMAPHORE:
		return run_lock(m, !strcmp(name, "acquire"), -1, can_fail, result);
	case K_APPEND_LIST:
		*result = run_list(m, h, op, name);
		return true;
	case K_KV:
		*result = run_kv(m, h, op, name);
		return true;
	default:
		*result = run_sequence(kind, m, name, op->args[0].v);
		return true;
	}
}

bool result_allows(const struct value *recorded, const struct value *model)
{
	if (recorded->tag == VALUE_UNKNOWN || recorded->tag == VALUE_NONE ||
	    model->tag == VALUE_NONE)
		return true;
	return recorded->tag == model->tag &&
	       (recorded->tag == VALUE_EMPTY || recorded->v == model->v);
}

/* May the operation come next: has everything that returned before its call been done? */
static bool ready(const struct history *h, uint64_t done, size_t i)
{
	for (size_t k = 0; k < h->nops; k++)
		if (!(done >> k & 1) && h->ops[k].ret < h->ops[i].call)
			return false;
	return true;
}

static bool try_all(enum kind kind, struct history *h, uint64_t done, const struct model *m)
{
	bool complete = true;

	for (size_t i = 0; i < h->nops; i++)
		complete &= (done >> i & 1) || h->ops[i].ret == TIME_PENDING;
	if (complete)
		return true;
	for (size_t i = 0; i < h->nops; i++) {
		struct history_op op = h->ops[i];
		struct model next = *m;
		struct value result;

		if ((done >> i & 1) || !ready(h, done, i) ||
		    !model_run(kind, &next, h, &op, &result))
			continue;
		if (op.ret != TIME_PENDING && !result_allows(&op.result, &result))
			continue;
		if (try_all(kind, h, done | 1ULL << i, &next))
			return true;
	}
	return false;
}

bool oracle(enum kind kind, struct history *h, uint64_t without)
{
	struct model m;

	model_init(kind, &m);
	return try_all(kind, h, without, &m);
}

bool oracle_order(enum kind kind, struct history *h, const uint32_t *order, size_t n)
{
	struct model m;
	uint64_t done = 0;

	model_init(kind, &m);
	for (size_t k = 0; k < n; k++) {
		struct history_op op = h->ops[order[k]];
		struct value result;

		if ((done >> order[k] & 1) || !ready(h, done, order[k]) ||
		    !model_run(kind, &m, h, &op, &result) ||
		    (op.ret != TIME_PENDING && !result_allows(&op.result, &result)))
			return false;
		done |= 1ULL << order[k];
	}
	for (size_t i = 0; i < h->nops; i++)
		if (!(done >> i & 1) && h->ops[i].ret != TIME_PENDING)
			return false;
	return true;
}
