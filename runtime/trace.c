/* SPDX-License-Identifier: MIT
 *
 * The trace, a file mapped into memory that grows by whole records, and the status page. A record's
 * type byte is written last, so a reader never takes half a record for a whole one, wherever the
 * process is killed; and what is in the mapping is in the file without a system call.
 */
#include "trace.h"
#include "heap.h"
#include "memory.h"
#include "memory_errors.h"
#include "names.h"
#include "run_dir.h"
#include "stack.h"
#include "steps.h"
#include "state.h"
#include "strategy.h"
#include "closed.h"
#include "look.h"
#include "progress.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#define TRACE_MOST  (64UL << 30)
#define TRACE_GROW  (4UL << 20)
#define LENGTH_SIZE 4 /* of a record's length: a varint padded to this many bytes */

struct writer {
	uint8_t *base;
	uint64_t used, size; /* bytes written, bytes of file */
	uint64_t start;      /* where classes of this exploration begin */
	int fd;
	uint64_t *seen; /* hashes of classes, for searches that meet classes again */
	uint64_t seen_mask, nseen;
	uint64_t noted[64]; /* notes made, by hash */
	unsigned nnoted;
	struct {
		uint64_t addr;
		uint64_t spec;
	} objects[64];
	unsigned nobjects;
	struct {
		uint64_t pc;
		unsigned limit;
	} limits[64];
	unsigned nlimits;
};

static void writer_grow(uint64_t need)
{
	struct writer *w = rt->writer;
	uint64_t size = round_up(need, TRACE_GROW);
	long r;

	if (size > TRACE_MOST)
		die("the trace has reached %u bytes; bound the search (--max-executions, "
		    "--max-time)",
		    TRACE_MOST);
	r = sys4(SYS_fallocate, w->fd, 0, 0, size);
	if (r == -EOPNOTSUPP)
		r = sys2(SYS_ftruncate, w->fd, size);
	if (r < 0)
		die("%s/trace cannot grow to %u bytes (errno %d): is the disk full?",
		    rt->config.dir, size, -r);
	w->size = size;
}

uint8_t *writer_record(size_t max)
{
	struct writer *w = rt->writer;

	if (UNLIKELY(w->used + 1 + LENGTH_SIZE + max + 1 > w->size))
		writer_grow(w->used + 1 + LENGTH_SIZE + max + 1);
	return w->base + w->used + 1 + LENGTH_SIZE;
}

void writer_commit(unsigned type, size_t n)
{
	struct writer *w = rt->writer;
	uint8_t *p = w->base + w->used;

	for (unsigned i = 0; i < LENGTH_SIZE; i++)
		p[i + 1] = (uint8_t)((n >> 7 * i & 0x7f) | (i < LENGTH_SIZE - 1 ? 0x80 : 0));
	w->used += 1 + LENGTH_SIZE + n;
	__atomic_store_n(p, (uint8_t)type, __ATOMIC_RELEASE);
	rt->status->trace_bytes = w->used;
}

void trace_init(char **argv)
{
	struct writer *w = memory_get(sizeof *w);
	int fd;

	rt->writer = w;
	run_dir_make();
	fd = run_dir_file("status", O_RDWR);
	if (sys2(SYS_ftruncate, fd, PAGE) < 0)
		die("%s/status cannot be written", rt->config.dir);
	rt->status = run_dir_map(fd, PAGE);
	sys1(SYS_close, fd);
	rt->status->magic = LP_STATUS_MAGIC;
	rt->status->version = LP_RUN_VERSION;
	rt->status->estimate = -1;
	rt->status->reused = rt->config.reused;
	rt->status->pid = (uint32_t)sys0(SYS_getpid);
	w->fd = run_dir_file("trace", O_RDWR);
	w->base = run_dir_map(w->fd, TRACE_MOST);
	writer_grow(TRACE_GROW);
	copy(w->base, LP_TRACE_MAGIC, 8);
	w->base[8] = LP_TRACE_VERSION;
	w->used = LP_TRACE_HEADER;
	w->start = w->used;
	if (!rt->strategy->distinct) {
		w->seen_mask = (1 << 16) - 1;
		w->seen = memory_get((w->seen_mask + 1) * sizeof *w->seen);
	}
	names_init();
	stacks_init();
	run_dir_describe(argv);
}

static bool seen_before(uint64_t hash)
{
	struct writer *w = rt->writer;
	uint64_t i;

	hash |= !hash;
	for (i = hash & w->seen_mask; w->seen[i]; i = (i + 1) & w->seen_mask)
		if (w->seen[i] == hash)
			return true;
	w->seen[i] = hash;
	if (++w->nseen * 2 > w->seen_mask) {
		uint64_t *old = w->seen, n = w->seen_mask + 1;

		w->seen_mask = n * 4 - 1;
		w->seen = memory_get(n * 4 * sizeof *w->seen);
		for (uint64_t k = 0; k < n; k++) {
			if (!old[k])
				continue;
			for (i = old[k] & w->seen_mask; w->seen[i]; i = (i + 1) & w->seen_mask)
				;
			w->seen[i] = old[k];
		}
	}
	return false;
}

static uint32_t location_now(uint64_t addr)
{
	uint64_t name = 0, base = 0;

	if (in_heap(addr))
		heap_name(addr, &name, &base);
	return intern_location(addr, name, base);
}

/* The ids an event needs, handed out (with their records) before the class record is begun. */
static struct ids ids_of(const struct event *e)
{
	struct ids ids = { 0, 0, 0 };
	bool sized = e->kind != LP_EV_FREE && e->kind != LP_EV_ALLOC;

	ids.site = intern_site(e->kind, e->flags, sized ? e->size : 0, e->pc, e->context);
	if (lp_kind_access(e->kind) || e->kind == LP_EV_ALLOC || e->kind == LP_EV_CALL)
		ids.location = intern_location(e->addr, e->block, e->block_base);
	if (lp_kind_second(e->kind, e->flags))
		ids.location2 = location_now(e->addr2);
	if (e->kind == LP_EV_CALL)
		ids.location2 = intern_string(rt->calls[e->op].name);
	return ids;
}

static void put_event(uint8_t **p, const struct event *e, bool switched)
{
	const struct ids ids = e->ids;

	put_varint(p, (uint64_t)ids.site << 1 | switched);
	if (switched)
		put_varint(p, e->thread);
	if (lp_kind_access(e->kind) || e->kind == LP_EV_ALLOC || e->kind == LP_EV_CALL)
		put_varint(p, ids.location);
	switch (e->kind) {
	case LP_EV_READ:
	case LP_EV_WRITE:
	case LP_EV_CAS_FAIL:
		if (!(e->flags & LP_SITE_NOVALUE))
			put_varint(p, e->value[0]);
		break;
	case LP_EV_RMW:
		if (!(e->flags & LP_SITE_NOVALUE)) {
			put_varint(p, e->value[0]);
			put_varint(p, e->value[1]);
		}
		break;
	case LP_EV_WAIT:
	case LP_EV_BROADCAST:
		if (lp_kind_second(e->kind, e->flags))
			put_varint(p, ids.location2);
		break;
	case LP_EV_FREE:
	case LP_EV_ALLOC:
		put_varint(p, e->size);
		break;
	case LP_EV_CREATE:
	case LP_EV_JOIN:
		put_varint(p, e->other);
		break;
	case LP_EV_CALL: {
		const struct call *c = &rt->calls[e->op];

		put_varint(p, ids.location2);
		put_varint(p, c->nargs);
		for (uint32_t i = 0; i < c->nargs; i++)
			put_svarint(p, c->args[i]);
		break;
	}
	case LP_EV_RETURN:
		*(*p)++ = (uint8_t)e->op;
		put_svarint(p, (int64_t)e->value[0]);
		break;
	}
}

struct waiter {
	uint32_t thread, site, location, holder; /* ids + 1, 0 unknown; thread as it is */
	uint8_t why;
};

static unsigned holder_of(uint64_t addr)
{
	for (unsigned i = 0; i < rt->nfibers; i++)
		for (unsigned k = 0; k < rt->fibers[i].nheld; k++)
			if (rt->fibers[i].held[k].addr == addr)
				return i + 1;
	return 0;
}

/* Nobody waits: which memory the outcome is about, and where it was allocated and freed. */
static unsigned find_memory(struct waiter *list)
{
	static const uint8_t why[] = { LP_WAIT_ALLOCATED, LP_WAIT_FREED };
	static const uint8_t kind[] = { LP_EV_ALLOC, LP_EV_FREE };
	uint32_t location = location_now(rt->outcome.addr) + 1;
	struct call_place places[2];
	unsigned n = memory_places(rt->outcome.addr, places);

	list[0] = (struct waiter){ rt->outcome.thread, 0, location, 0, LP_WAIT_NOTHING };
	for (unsigned i = 0; i < n; i++)
		list[i + 1] = (struct waiter){ places[i].thread,
					       intern_site(kind[i], LP_SITE_NOVALUE, 0, places[i].pc,
							   places[i].context) +
						       1,
					       location, 0, why[i] };
	return n + 1;
}

/* A misuse: of which object, and what it is in conflict with. */
static unsigned find_before(struct waiter *list)
{
	const struct outcome *o = &rt->outcome;
	uint32_t location = o->addr ? location_now(o->addr) + 1 : 0;

	list[0] = (struct waiter){ o->thread, 0, location, 0, LP_WAIT_NOTHING };
	if (!o->before_is)
		return 1;
	list[1] = (struct waiter){ o->before.thread,
				   intern_site(LP_EV_NONE, LP_SITE_NOVALUE, 0, o->before.pc - 1,
					       o->before.context) +
					   1,
				   location, 0, o->before_is };
	return 2;
}

static bool about_memory(unsigned kind)
{
	return kind == LP_OUT_USE_AFTER_FREE || kind == LP_OUT_BAD_FREE ||
	       kind == LP_OUT_OUT_OF_BOUNDS;
}

/* The sites of the thread's own among these steps, of a loop that it is in for ever. */
static unsigned spin_waiters(const struct fiber *f, const struct event *steps, uint32_t end,
			     struct waiter *list, unsigned most)
{
	uint64_t sites[16];
	unsigned n = 0, nsites = 0, k;

	for (uint32_t i = 0; i < end && n < most && nsites < 16; i++) {
		const struct event *e = &steps[i];

		if (e->thread != f->id || e->kind > LP_EV_LAST_STEP)
			continue;
		for (k = 0; k < nsites && sites[k] != (e->pc ^ e->addr); k++)
			;
		if (k < nsites)
			continue;
		sites[nsites++] = e->pc ^ e->addr;
		list[n++] = (struct waiter){ f->id, ids_of(e).site + 1,
					     e->access ? ids_of(e).location + 1 : 0, 0,
					     LP_WAIT_SPIN };
	}
	return n;
}

/* The loop is that of the closed set, or at least that of the round that the thread made. */
static unsigned loop_waiters(const struct fiber *f, struct waiter *list, unsigned most)
{
	const struct closed *closed = look_closed(rt->end_state);

	return spin_waiters(f, closed ? closed->steps : rt->log + f->rounds.from,
			    closed ? closed->n : f->rounds.arrived - f->rounds.from, list, most);
}

/* What the thread waits for in its next event. */
static struct waiter waiter_of(const struct fiber *f)
{
	static const uint8_t why[] = {
		[WAIT_MUTEX] = LP_WAIT_LOCK,      [WAIT_WRLOCK] = LP_WAIT_LOCK,
		[WAIT_RDLOCK] = LP_WAIT_LOCK,     [WAIT_COND] = LP_WAIT_CONDITION,
		[WAIT_SEM] = LP_WAIT_SEMAPHORE,   [WAIT_BARRIER] = LP_WAIT_BARRIER,
		[WAIT_ONCE] = LP_WAIT_ONCE,       [WAIT_SPINLOCK] = LP_WAIT_LOCK,
		[WAIT_FUTEX] = LP_WAIT_CONDITION, [WAIT_JOIN] = LP_WAIT_JOIN,
	};
	const struct pending *inside = steps_waits(f), *p = inside ? inside : &f->pending;
	bool join = p->wait == WAIT_JOIN;

	return (struct waiter){
		.thread = f->id,
		.why = why[p->wait],
		.site = intern_site(p->kind, p->flags, p->size, p->pc, p->context) + 1,
		.location = join ? 0 : location_now(p->addr) + 1,
		.holder = join ? (unsigned)p->expected + 1 : holder_of(p->addr),
	};
}

/* Who cannot complete its operation. */
static unsigned find_victims(struct waiter *list, unsigned most)
{
	uint32_t nsteps;
	const struct event *steps = progress_loop(&nsteps);
	unsigned n = 0;

	for (unsigned i = 0; i < rt->nfibers && n < most; i++)
		n += spin_waiters(&rt->fibers[i], steps, nsteps, list + n, most - n);
	if (!n)
		list[n++] = waiter_of(&rt->fibers[progress_victim()]);
	return n;
}

/* Who waits for what: every thread of a deadlock or livelock that is not finished. */
static unsigned find_waiters(struct waiter *list, unsigned most)
{
	unsigned n = 0;

	if (about_memory(rt->outcome.kind))
		return find_memory(list);
	if (rt->outcome.kind == LP_OUT_MISUSE)
		return find_before(list);
	if (rt->outcome.kind == LP_OUT_NO_PROGRESS)
		return find_victims(list, most);
	if (rt->outcome.kind != LP_OUT_DEADLOCK && rt->outcome.kind != LP_OUT_LIVELOCK)
		return 0;
	for (unsigned i = 0; i < rt->nfibers && n < most; i++) {
		const struct fiber *f = &rt->fibers[i];

		if (f->state == FIBER_FINISHED)
			continue;
		if (rt->judge) {
			unsigned sites = loop_waiters(f, list + n, most - n);

			n += sites;
			if (sites)
				continue;
		}
		list[n++] = waiter_of(f);
	}
	return n;
}

void trace_class(void)
{
	uint32_t keep = rt->keep < rt->n ? rt->keep : rt->n, message = 0, outcome_site = 0, stack;
	struct waiter waiters[MAX_FIBERS];
	unsigned nwaiters;
	uint8_t *start, *p, thread;

	if (!rt->strategy->distinct &&
	    seen_before(rt->n ? mix(rt->log[rt->n - 1].hash, rt->outcome.kind) : 1))
		return;
	for (uint32_t i = keep; i < rt->n; i++)
		rt->log[i].ids = ids_of(&rt->log[i]);
	nwaiters = find_waiters(waiters, MAX_FIBERS);
	if (rt->outcome.message[0])
		message = intern_string(rt->outcome.message) + 1;
	if (rt->outcome.pc)
		outcome_site = intern_site(LP_EV_NONE, LP_SITE_NOVALUE, 0, rt->outcome.pc,
					   rt->outcome.context) +
			       1;
	stack = stack_intern();

	start = p = writer_record(64 + (rt->n - keep) * 80UL + nwaiters * 24UL);
	put_varint(&p, ++rt->status->classes);
	put_varint(&p, keep);
	put_varint(&p, rt->n - keep);
	thread = keep ? rt->log[keep - 1].thread : 0;
	for (uint32_t i = keep; i < rt->n; i++) {
		const struct event *e = &rt->log[i];

		put_event(&p, e, e->thread != thread);
		thread = e->thread;
	}
	*p++ = rt->outcome.kind;
	put_varint(&p, rt->outcome.thread);
	put_varint(&p, outcome_site);
	put_svarint(&p, rt->outcome.code);
	put_varint(&p, message);
	put_varint(&p, stack);
	put_varint(&p, nwaiters);
	for (unsigned i = 0; i < nwaiters; i++) {
		put_varint(&p, waiters[i].thread);
		put_varint(&p, waiters[i].site);
		put_varint(&p, waiters[i].location);
		put_varint(&p, waiters[i].holder);
		*p++ = waiters[i].why;
	}
	writer_commit(LP_REC_CLASS, (size_t)(p - start));
	rt->keep = rt->n;
	rt->status->outcomes[rt->outcome.kind]++;
	rt->status->calls += rt->ncalls;
}

void trace_object(uint64_t addr, const char *specification)
{
	struct writer *w = rt->writer;
	uint32_t location = location_now(addr), string;
	uint8_t *start, *p;

	string = intern_string(specification);
	for (unsigned i = 0; i < w->nobjects; i++)
		if (w->objects[i].addr == location && w->objects[i].spec == string)
			return;
	if (w->nobjects == 64)
		return;
	w->objects[w->nobjects].addr = location;
	w->objects[w->nobjects++].spec = string;
	start = p = writer_record(32);
	put_varint(&p, location);
	put_varint(&p, string);
	writer_commit(LP_REC_OBJECT, (size_t)(p - start));
}

void trace_note(const char *text)
{
	struct writer *w = rt->writer;
	uint32_t string = intern_string(text);
	uint8_t *start, *p;

	for (unsigned i = 0; i < w->nnoted; i++)
		if (w->noted[i] == string)
			return;
	if (w->nnoted == 64)
		return;
	w->noted[w->nnoted++] = string;
	start = p = writer_record(16);
	put_varint(&p, string);
	writer_commit(LP_REC_NOTE, (size_t)(p - start));
}

void limit_reached(unsigned limit, const struct event *e)
{
	struct writer *w = rt->writer;
	uint8_t *start, *p;
	uint32_t site, location, stack;

	rt->status->limits |= limit;
	for (unsigned i = 0; i < w->nlimits; i++)
		if (w->limits[i].pc == e->pc && w->limits[i].limit == limit)
			return;
	if (w->nlimits == 64)
		return;
	w->limits[w->nlimits].pc = e->pc;
	w->limits[w->nlimits++].limit = limit;
	site = intern_site(e->kind, e->flags, e->size, e->pc, e->context);
	location = intern_location(e->addr, e->block, e->block_base);
	stack = e->kind == LP_EV_NONE ? stack_intern() : 0;
	start = p = writer_record(48);
	put_varint(&p, limit);
	put_varint(&p, site);
	put_varint(&p, location);
	put_varint(&p, stack);
	writer_commit(LP_REC_LIMIT, (size_t)(p - start));
}

void trace_restart(void)
{
	struct writer *w = rt->writer;
	struct lp_status *s = rt->status;

	zero(w->base + w->start, w->used - w->start);
	w->used = w->start;
	w->nnoted = w->nobjects = w->nlimits = 0;
	if (w->seen)
		zero(w->seen, (w->seen_mask + 1) * sizeof *w->seen);
	w->nseen = 0;
	rt->keep = 0;
	names_forget();
	stacks_forget();
	s->classes = s->executions = s->blocked = s->redundant = s->cut = s->events = 0;
	s->steps = s->calls = s->shared = 0;
	s->max_events = 0;
	s->limits = 0;
	zero(s->outcomes, sizeof s->outcomes);
	s->restarts++;
}

void trace_finish(void)
{
	sys2(SYS_ftruncate, rt->writer->fd, rt->writer->used);
}
