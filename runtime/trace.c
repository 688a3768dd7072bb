/* SPDX-License-Identifier: MIT
 *
 * The trace, a file mapped into memory that grows by whole records, and the status page. A record's
 * type byte is written last, so a reader never takes half a record for a whole one, wherever the
 * process is killed; and what is in the mapping is in the file without a system call.
 */
#include "trace.h"
#include "alike.h"
#include "unseen.h"
#include "waiters.h"
#include "heap.h"
#include "kept.h"
#include "leaks.h"
#include "part.h"
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
#include <signal.h>
#include <sys/mman.h>

#define TRACE_MOST  (64UL << 30)
#define TRACE_GROW  (1UL << 20)
#define LENGTH_SIZE 4 /* of a record's length: a varint padded to this many bytes */

struct writer {
	uint8_t *base;
	uint64_t used, size; /* bytes written, bytes of file */
	uint64_t start;      /* where classes of this exploration begin */
	bool full;           /* the file cannot grow any more */
	int fd;
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
		uint32_t name; /* of a call; 0: it has none */
	} limits[64];
	unsigned nlimits;
};

/* 0, or an error number. A limit on the size of files would send a signal, too. */
static long writer_grow(uint64_t need)
{
	struct writer *w = rt->writer;
	uint64_t size = round_up(need, TRACE_GROW);
	struct {
		uintptr_t handler;
		uint64_t flags, restorer, mask;
	} ignore = { .handler = 1 /* SIG_IGN */ }, before;
	long r;

	if (size > TRACE_MOST)
		return EFBIG;
	sys4(SYS_rt_sigaction, SIGXFSZ, &ignore, &before, sizeof ignore.mask);
	r = sys4(SYS_fallocate, w->fd, 0, 0, size);
	if (r == -EOPNOTSUPP)
		r = sys2(SYS_ftruncate, w->fd, size);
	sys4(SYS_rt_sigaction, SIGXFSZ, &before, 0, sizeof before.mask);
	if (r >= 0)
		w->size = size;
	return -r;
}

/* There is no room: the search ends, and what is still written goes to memory behind the file, and
 * is no part of it. */
static void writer_overflow(void)
{
	static bool mapped; /* not so for a child of --isolate=fork */
	struct writer *w = rt->writer;
	long p;

	if (!w->full) {
		w->full = true;
		w->used = w->size;
		if (!rt->stop)
			rt->stop = STOP_FULL;
	}
	if (mapped)
		return;
	mapped = true;
	p = sys6(SYS_mmap, (long)(w->base + w->size), TRACE_MOST, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
	if (p < 0 && p > -4096)
		die("%s/trace cannot grow: is the disk full?", rt->config.dir);
}

uint8_t *writer_record(size_t max)
{
	struct writer *w = rt->writer;

	uint64_t need = w->used + 1 + LENGTH_SIZE + max + 1;

	if (UNLIKELY(need > w->size) && (w->full || writer_grow(need)))
		writer_overflow();
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
	if (LIKELY(!w->full))
		rt->status->trace_bytes = w->used;
}

void trace_init(char **argv)
{
	struct writer *w = memory_get(sizeof *w);
	long r;
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
	r = writer_grow(TRACE_GROW);
	if (r)
		die("%s/trace cannot grow to %u bytes (errno %d): is the disk full?",
		    rt->config.dir, TRACE_GROW, r);
	copy(w->base, LP_TRACE_MAGIC, 8);
	w->base[8] = LP_TRACE_VERSION;
	w->used = rt->status->trace_bytes = LP_TRACE_HEADER;
	w->start = w->used;
	alike_init();
	kept_init(rt->config.room);
	names_init();
	leaks_init();
	stacks_init();
	unseen_init();
	run_dir_describe(argv);
	part_open();
}

uint32_t location_now(uint64_t addr)
{
	uint64_t name = 0, base = 0;

	if (in_heap(addr))
		heap_name(addr, &name, &base);
	return intern_location(addr, name, base);
}

/* The ids an event needs, handed out (with their records) before the class record is begun. */
struct ids ids_of(const struct event *e)
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

static uint64_t class_hash(void)
{
	if (!rt->n)
		return 1;
	return mix(rt->config.observers ? rt->observed_hash : rt->log[rt->n - 1].hash, rt->outcome.kind);
}

void trace_class(void)
{
	uint32_t keep = rt->keep < rt->n ? rt->keep : rt->n, message = 0, outcome_site = 0, stack;
	struct waiter waiters[MAX_FIBERS];
	unsigned nwaiters;
	uint8_t *start, *p, thread;

	if (!kept_class(class_hash()))
		return;
	for (uint32_t i = keep; i < rt->n; i++)
		rt->log[i].ids = ids_of(&rt->log[i]);
	nwaiters = waiters_find(waiters, MAX_FIBERS);
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
	if (UNLIKELY(rt->writer->full)) {
		rt->status->classes--;
		return;
	}
	if (UNLIKELY(part != NULL))
		part_key(class_hash());
	rt->keep = rt->n;
	leaks_look();
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

void trace_leaks(struct leak *list, unsigned n)
{
	uint8_t *start, *p;

	for (unsigned i = 0; i < n; i++) {
		list[i].site = intern_site(LP_EV_ALLOC, 0, 0, list[i].pc, list[i].context);
		list[i].location = location_now(list[i].first);
	}
	start = p = writer_record(32 + n * 40UL);
	put_varint(&p, rt->status->classes);
	put_varint(&p, n);
	for (unsigned i = 0; i < n; i++) {
		put_varint(&p, list[i].site);
		put_varint(&p, list[i].location);
		put_varint(&p, list[i].blocks);
		put_varint(&p, list[i].bytes);
	}
	writer_commit(LP_REC_LEAKS, (size_t)(p - start));
}

void limit_named(unsigned limit, const struct event *e, const char *text)
{
	struct writer *w = rt->writer;
	uint8_t *start, *p;
	uint32_t site, location, stack, name = text ? intern_string(text) + 1 : 0;

	rt->status->limits |= limit;
	for (unsigned i = 0; i < w->nlimits; i++)
		if (w->limits[i].pc == e->pc && w->limits[i].limit == limit && w->limits[i].name == name)
			return;
	if (w->nlimits == 64)
		return;
	w->limits[w->nlimits].pc = e->pc;
	w->limits[w->nlimits].name = name;
	w->limits[w->nlimits++].limit = limit;
	site = intern_site(e->kind, e->flags, e->size, e->pc, e->context);
	location = intern_location(e->addr, e->block, e->block_base);
	stack = e->kind == LP_EV_NONE ? stack_intern() : 0;
	start = p = writer_record(48);
	put_varint(&p, limit);
	put_varint(&p, site);
	put_varint(&p, location);
	put_varint(&p, stack);
	if (name)
		put_varint(&p, name - 1);
	writer_commit(LP_REC_LIMIT, (size_t)(p - start));
}

void limit_reached(unsigned limit, const struct event *e)
{
	limit_named(limit, e, NULL);
}

void trace_restart(void)
{
	struct writer *w = rt->writer;
	struct lp_status *s = rt->status;

	zero(w->base + w->start, w->used - w->start);
	w->used = rt->status->trace_bytes = w->start;
	w->nnoted = w->nobjects = w->nlimits = 0;
	kept_forget();
	rt->keep = 0;
	names_forget();
	leaks_forget();
	stacks_forget();
	s->classes = s->executions = s->blocked = s->redundant = s->cut = s->events = 0;
	s->steps = s->calls = s->shared = s->unkept = s->unjudged = s->uncounted = 0;
	s->max_events = 0;
	s->limits = 0;
	zero(s->outcomes, sizeof s->outcomes);
	s->restarts++;
	unseen_again();
}

void trace_finish(void)
{
	sys2(SYS_ftruncate, rt->writer->fd, rt->status->trace_bytes);
}
