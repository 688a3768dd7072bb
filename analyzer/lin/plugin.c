/* SPDX-License-Identifier: MIT */
#include "lin/plugin.h"
#include "include/linchpin_spec.h"
#include "lin/problem.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct plugin {
	struct adt adt;
	const struct linchpin_spec *spec;
	char *path;
	struct plugin *next;
};

struct plugin_pool {
	const struct linchpin_spec *spec;
	pthread_mutex_t lock;
	void **states;
	uint32_t nstates, states_capacity;
	uint32_t *slots, mask; /* hash table of states: index + 1 */
	size_t *used, limit, mine;
	int failed;
	int64_t unknown;
};

static struct plugin *plugins;
static pthread_mutex_t plugins_lock = PTHREAD_MUTEX_INITIALIZER;

bool plugin_named(const char *text, size_t n)
{
	return memchr(text, '/', n) || (n > 3 && !memcmp(text + n - 3, ".so", 3));
}

static uint32_t *pool_slot(const struct plugin_pool *p, const void *state)
{
	uint64_t h = p->spec->hash(state);

	for (uint32_t i = (uint32_t)(h ^ h >> 32) & p->mask;; i = (i + 1) & p->mask)
		if (!p->slots[i] || p->states[p->slots[i] - 1] == state ||
		    p->spec->equal(p->states[p->slots[i] - 1], state))
			return &p->slots[i];
}

static void pool_grow(struct plugin_pool *p)
{
	if (p->slots && 2 * p->nstates < p->mask)
		return;
	p->mask = p->slots ? 2 * p->mask + 1 : 63;
	free(p->slots);
	p->slots = xcalloc((size_t)p->mask + 1, sizeof *p->slots);
	for (uint32_t i = 0; i < p->nstates; i++)
		*pool_slot(p, p->states[i]) = i + 1;
}

static bool pool_reserve(struct plugin_pool *p, const void *state)
{
	size_t bytes = 32 + (p->spec->size ? (size_t)p->spec->size(state) : 64);

	if (!p->used)
		return true;
	if (__atomic_add_fetch(p->used, bytes, __ATOMIC_RELAXED) > p->limit) {
		__atomic_fetch_sub(p->used, bytes, __ATOMIC_RELAXED);
		return false;
	}
	p->mine += bytes;
	return true;
}

/* The number of the state, which the pool takes over. Falls back to 0 when memory is short. */
static uint32_t pool_keep(struct plugin_pool *p, void *state)
{
	uint32_t *slot;

	pool_grow(p);
	slot = pool_slot(p, state);
	if (*slot) {
		if (p->states[*slot - 1] != state)
			p->spec->free(state);
		return *slot - 1;
	}
	if (!pool_reserve(p, state)) {
		p->spec->free(state);
		__atomic_store_n(&p->failed, 1, __ATOMIC_RELAXED);
		return 0;
	}
	VEC_GROW(p->states, p->nstates, p->states_capacity);
	p->states[p->nstates] = state;
	*slot = ++p->nstates;
	return p->nstates - 1;
}

static void convert(const struct history *h, const struct value *v, struct linchpin_spec_value *out)
{
	static const int kinds[] = {
		[VALUE_NONE] = LINCHPIN_SPEC_NONE,       [VALUE_INT] = LINCHPIN_SPEC_INT,
		[VALUE_STRING] = LINCHPIN_SPEC_STRING,   [VALUE_EMPTY] = LINCHPIN_SPEC_EMPTY,
		[VALUE_UNKNOWN] = LINCHPIN_SPEC_UNKNOWN,
	};

	out->kind = v->tag <= VALUE_UNKNOWN ? kinds[v->tag] : LINCHPIN_SPEC_UNKNOWN;
	out->integer = v->tag == VALUE_INT ? v->v : 0;
	out->string = v->tag == VALUE_STRING ? h->strings[v->v] : NULL;
}

static void init(struct state *s, const int64_t *parameters, int n)
{
	state_push(s, 0);
}

static enum step step(struct state *s, const struct lin_op *op)
{
	struct plugin_pool *p = s->part->spec->pool;
	const struct history *h = s->problem->history;
	const struct history_op *from = &h->ops[op->id];
	struct linchpin_spec_operation o = { .name = h->methods[from->method],
					     .nargs = from->nargs };
	int known = 1;
	uint32_t before = (uint32_t)s->w[0], after = before;
	void *state;

	for (unsigned i = 0; i < o.nargs; i++)
		convert(h, &from->args[i], &o.args[i]);
	convert(h, &from->result, &o.result);
	if (op->flags & OP_PENDING)
		o.result = (struct linchpin_spec_value){ .kind = LINCHPIN_SPEC_UNKNOWN };
	pthread_mutex_lock(&p->lock);
	state = p->spec->apply(p->states[before], &o, &known);
	if (state)
		after = pool_keep(p, state);
	if (!known) {
		p->unknown = op->id;
		__atomic_store_n(&p->failed, 1, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&p->lock);
	if (!state)
		return STEP_ILLEGAL;
	if (after == before)
		return STEP_SAME;
	state_put(s, 0, after);
	return STEP_CHANGED;
}

static const struct linchpin_spec *load(const char *path, struct error *e)
{
	const struct linchpin_spec *(*get)(void);
	const struct linchpin_spec *spec;
	char *name = strchr(path, '/') ? xstrdup(path) : xasprintf("./%s", path);
	void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);

	free(name);
	if (!handle) {
		error_set(e, "%s", dlerror());
		return NULL;
	}
	*(void **)&get = dlsym(handle, "linchpin_spec");
	spec = get ? get() : NULL;
	if (!spec)
		error_set(e, "%s does not define linchpin_spec()", path);
	else if (spec->version != LINCHPIN_SPEC_VERSION)
		error_set(e, "%s was made for version %u of the contract, this is version %d", path,
			  spec->version, LINCHPIN_SPEC_VERSION);
	else if (!spec->name || !spec->init || !spec->apply || !spec->equal || !spec->hash ||
		 !spec->free)
		error_set(e, "%s: a function of the specification is missing", path);
	else
		return spec;
	dlclose(handle);
	return NULL;
}

/* Under the lock. */
static struct plugin *find_or_load(const char *path, struct error *e)
{
	const struct linchpin_spec *spec;
	struct plugin *p;

	for (p = plugins; p; p = p->next)
		if (!strcmp(p->path, path))
			return p;
	spec = load(path, e);
	if (!spec)
		return NULL;
	p = xcalloc(1, sizeof *p);
	p->spec = spec;
	p->path = xstrdup(path);
	p->adt = (struct adt){
		.names = spec->name, .noun = spec->name, .init = init, .step = step, .user = p
	};
	p->next = plugins;
	plugins = p;
	return p;
}

static struct plugin_pool *pool_make(const struct plugin *p, const char *parameters,
				     struct error *e)
{
	struct plugin_pool *pool;
	void *state = p->spec->init(parameters);

	if (!state) {
		error_set(e, "%s does not accept the parameters \"%s\"", p->path, parameters);
		return NULL;
	}
	pool = xcalloc(1, sizeof *pool);
	pool->spec = p->spec;
	pool->unknown = -1;
	pthread_mutex_init(&pool->lock, NULL);
	pool_keep(pool, state);
	return pool;
}

const struct adt *plugin_load(const char *text, struct plugin_pool **pool, struct error *e)
{
	size_t n = strcspn(text, "(");
	const char *close = text[n] ? strrchr(text, ')') : NULL;
	char *path, *parameters;
	struct plugin *p;

	*pool = NULL;
	if (text[n] && !close) {
		error_set(e, "\")\" is missing after the parameters of \"%s\"", text);
		return NULL;
	}
	while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
		n--;
	path = xstrndup(text, n);
	parameters =
		close ? xstrndup(strchr(text, '(') + 1, (size_t)(close - strchr(text, '(') - 1))
		      : xstrdup("");
	pthread_mutex_lock(&plugins_lock);
	p = find_or_load(path, e);
	pthread_mutex_unlock(&plugins_lock);
	if (p)
		*pool = pool_make(p, parameters, e);
	free(path);
	free(parameters);
	return *pool ? &p->adt : NULL;
}

void plugin_pool_bind(struct plugin_pool *pool, size_t *used, size_t limit)
{
	pool->used = used;
	pool->limit = limit;
}

void plugin_pool_free(struct plugin_pool *pool)
{
	for (uint32_t i = 0; i < pool->nstates; i++)
		pool->spec->free(pool->states[i]);
	if (pool->used)
		__atomic_fetch_sub(pool->used, pool->mine, __ATOMIC_RELAXED);
	pthread_mutex_destroy(&pool->lock);
	free(pool->states);
	free(pool->slots);
	free(pool);
}

bool plugin_pool_failed(const struct plugin_pool *pool)
{
	return __atomic_load_n(&pool->failed, __ATOMIC_RELAXED);
}

int64_t plugin_pool_unknown(const struct plugin_pool *pool)
{
	return pool->unknown;
}
