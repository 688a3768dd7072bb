/* SPDX-License-Identifier: MIT
 *
 * Program order, conflicts, creation and join of a trace, reduced to few edges.
 *
 * The bytes of every region are cut at the ends of all accesses; the pieces are the cells, and two
 * accesses overlap iff they share one. Going through the trace, an access to a cell is ordered
 * after the last write of that cell and after the last access by each thread since in every way
 * (reading, sharing) that conflicts with it. Conflicts farther apart follow by transitivity:
 * between them lies a write that conflicts with both, or a later access of the same thread in the
 * same way, and those are ordered by the program. Of several edges from one thread to one
 * event the latest implies the rest. So there are fewer edges than events times threads, with the
 * same transitive closure, and contracting nodes on both sides leaves the same reachability.
 *
 * Cost: O(n log n) for the cells, then O(accessed cells * threads).
 */
#include "repair/order.h"

#include <stdlib.h>
#include <string.h>

struct point {
	uint64_t offset;
	uint32_t region;
};

struct range {
	struct point low;
	uint64_t end;
	uint32_t same; /* the first range equal to this one */
	uint8_t access;
};

struct order_private {
	struct range *ranges;
	struct point *points;
	uint32_t *slots; /* hash table of ranges: index + 1 */
	uint32_t nslots;
	uint32_t *last_write; /* by cell */
	/* By cell and thread: the latest that reads or shares since the write. */
	uint32_t *last_read, *last_share;
	uint32_t *root, *nesting; /* by thread: the outermost running operation, how many run */
	uint32_t *last, *created; /* by thread: its last event so far, the CREATE that made it */
	uint32_t *latest;         /* by thread: source of an edge to the present event */
	uint32_t *sources;        /* by edge, in the order of targets */
	uint32_t nranges, range_capacity, edge_capacity, event_capacity, thread_capacity;
	uint32_t *destinations;
	size_t cell_capacity, read_capacity;
};

static int compare_points(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	if (x->region != y->region)
		return x->region < y->region ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void reserve_events(struct order *o, uint32_t n)
{
	struct order_private *p = o->private;

	if (n + 2 <= p->event_capacity)
		return;
	p->event_capacity = n + n / 2 + 16;
	o->previous = xreallocarray(o->previous, p->event_capacity, sizeof *o->previous);
	o->instance = xreallocarray(o->instance, p->event_capacity, sizeof *o->instance);
	o->next = xreallocarray(o->next, p->event_capacity, sizeof *o->next);
	o->span_start = xreallocarray(o->span_start, p->event_capacity, sizeof *o->span_start);
	o->edge_start = xreallocarray(o->edge_start, p->event_capacity, sizeof *o->edge_start);
}

static void reserve_threads(struct order_private *p, uint32_t n)
{
	if (n < p->thread_capacity)
		return;
	p->thread_capacity = n + 8;
	p->root = xreallocarray(p->root, p->thread_capacity, sizeof *p->root);
	p->nesting = xreallocarray(p->nesting, p->thread_capacity, sizeof *p->nesting);
	p->last = xreallocarray(p->last, p->thread_capacity, sizeof *p->last);
	p->created = xreallocarray(p->created, p->thread_capacity, sizeof *p->created);
	p->latest = xreallocarray(p->latest, p->thread_capacity, sizeof *p->latest);
}

static void add_range(struct order *o, uint32_t region, uint64_t offset, uint64_t size,
		      uint8_t access)
{
	struct order_private *p = o->private;
	struct range *r;

	if (p->nranges == p->range_capacity) {
		p->range_capacity = p->range_capacity * 2 + 64;
		p->ranges = xreallocarray(p->ranges, p->range_capacity, sizeof *p->ranges);
		p->points = xreallocarray(p->points, p->range_capacity, 2 * sizeof *p->points);
		o->spans = xreallocarray(o->spans, p->range_capacity, sizeof *o->spans);
	}
	r = &p->ranges[p->nranges++];
	r->low = (struct point){ offset, region };
	r->access = access;
	if (!size)
		size = 1;
	r->end = offset + size > offset ? offset + size : UINT64_MAX;
}

/* The mutex of a condition wait, or the queue to which waiters were moved: its bytes are known from
 * some other event on the same location. */
static void add_second(struct order *o, const struct trace *t, uint32_t location, bool queue)
{
	for (uint32_t i = 0; i < t->nevents; i++) {
		const struct event *e = &t->events[i];

		if (e->location == location && e->access) {
			if (queue)
				add_range(o, e->region, lp_futex_queue(e->offset), 1, LP_WRITES);
			else
				add_range(o, e->region, e->offset, e->size, LP_WRITES);
			return;
		}
	}
}

static bool accesses_memory(const struct event *e)
{
	switch (e->kind) {
	case LP_EV_READ:
	case LP_EV_WRITE:
	case LP_EV_RMW:
	case LP_EV_CAS_FAIL:
	case LP_EV_FREE:
		return true;
	default:
		return false;
	}
}

/* The queue, and the word that was compared. */
static void add_futex(struct order *o, const struct trace *t, const struct event *e)
{
	add_range(o, e->region, lp_futex_queue(e->offset), 1, e->access);
	if (e->kind == LP_EV_WAIT || e->kind == LP_EV_BROADCAST)
		add_range(o, e->region, e->offset, e->size, LP_READS);
	if (e->kind == LP_EV_BROADCAST && e->location2 != NONE && e->location2 != e->location)
		add_second(o, t, e->location2, true);
}

/* An event without ranges has no conflicts. */
static void collect_ranges(struct order *o, const struct trace *t, bool memory_only)
{
	o->private->nranges = 0;
	for (uint32_t i = 0; i < t->nevents; i++) {
		const struct event *e = &t->events[i];

		o->span_start[i] = o->private->nranges;
		/* To its old name that is a write. It is one to its new name, too, for who has kept a pointer to the old block
		 * may use it from then on. */
		if (e->again) {
			add_range(o, e->region, e->offset, e->size, LP_WRITES);
			continue;
		}
		if (!e->access || (memory_only && !accesses_memory(e)))
			continue;
		if (e->futex) {
			add_futex(o, t, e);
			continue;
		}
		add_range(o, e->region, e->offset, e->size, e->access);
		if (e->kind == LP_EV_WAIT && e->location2 != NONE)
			add_second(o, t, e->location2, false);
	}
	o->span_start[t->nevents] = o->private->nranges;
}

static uint32_t find_point(const struct point *points, uint32_t n, struct point key)
{
	uint32_t low = 0;

	while (n > 1) {
		uint32_t half = n / 2;

		if (compare_points(&points[low + half], &key) <= 0)
			low += half;
		n -= half;
	}
	return low;
}

/* Most accesses are of a range that was met before. */
static void find_equal_ranges(struct order_private *p)
{
	if (p->nslots < 2 * p->nranges) {
		for (p->nslots = 64; p->nslots < 2 * p->nranges;)
			p->nslots *= 2;
		p->slots = xreallocarray(p->slots, p->nslots, sizeof *p->slots);
	}
	if (p->nslots)
		memset(p->slots, 0, p->nslots * sizeof *p->slots);
	for (uint32_t i = 0; i < p->nranges; i++) {
		struct range *r = &p->ranges[i];
		uint64_t hash = hash_mix(hash_mix(r->low.region, r->low.offset), r->end);
		uint32_t at = (uint32_t)(hash ^ hash >> 32) & (p->nslots - 1);

		for (r->same = i; p->slots[at]; at = (at + 1) & (p->nslots - 1)) {
			const struct range *other = &p->ranges[p->slots[at] - 1];

			if (other->end == r->end && !compare_points(&other->low, &r->low)) {
				r->same = p->slots[at] - 1;
				break;
			}
		}
		if (r->same == i)
			p->slots[at] = i + 1;
	}
}

static void cut_cells(struct order *o)
{
	struct order_private *p = o->private;
	uint32_t n = 0, unique = 0;

	find_equal_ranges(p);
	for (uint32_t i = 0; i < p->nranges; i++) {
		if (p->ranges[i].same != i)
			continue;
		p->points[n++] = p->ranges[i].low;
		p->points[n++] = (struct point){ p->ranges[i].end, p->ranges[i].low.region };
	}
	if (n)
		qsort(p->points, n, sizeof *p->points, compare_points);
	for (uint32_t i = 0; i < n; i++)
		if (!unique || compare_points(&p->points[unique - 1], &p->points[i]))
			p->points[unique++] = p->points[i];
	for (uint32_t i = 0; i < p->nranges; i++) {
		const struct range *r = &p->ranges[i];
		struct point high = { r->end, r->low.region };
		uint32_t first, end;

		if (r->same != i) {
			o->spans[i] = o->spans[r->same];
			o->spans[i].access = r->access;
			continue;
		}
		first = find_point(p->points, unique, r->low);
		end = find_point(p->points, unique, high);
		o->spans[i] = (struct span){ first, end > first ? end : first + 1, r->access };
	}
	o->ncells = unique;
}

static void reserve_cells(struct order *o)
{
	struct order_private *p = o->private;
	size_t reads = (size_t)o->ncells * o->nthreads;

	if (o->ncells > p->cell_capacity) {
		p->cell_capacity = o->ncells + o->ncells / 2;
		p->last_write =
			xreallocarray(p->last_write, p->cell_capacity, sizeof *p->last_write);
	}
	if (reads > p->read_capacity) {
		p->read_capacity = reads + reads / 2;
		p->last_read = xreallocarray(p->last_read, p->read_capacity, sizeof *p->last_read);
		p->last_share =
			xreallocarray(p->last_share, p->read_capacity, sizeof *p->last_share);
	}
	memset(p->last_write, 0xff, o->ncells * sizeof *p->last_write);
	memset(p->last_read, 0xff, reads * sizeof *p->last_read);
	memset(p->last_share, 0xff, reads * sizeof *p->last_share);
}

static void later(uint32_t *latest, uint32_t event)
{
	if (*latest == NONE || event > *latest)
		*latest = event;
}

static void all_later(uint32_t *latest, const uint32_t *events, uint32_t nthreads)
{
	for (uint32_t u = 0; u < nthreads; u++)
		if (events[u] != NONE)
			later(&latest[u], events[u]);
}

/* Fills p->latest with what must come just before event `i`. */
static void access_cells(struct order *o, const struct trace *t, uint32_t i)
{
	struct order_private *p = o->private;
	const struct event *e = &t->events[i];
	bool imagined = trace_imagined(t, i);

	for (uint32_t s = o->span_start[i]; s < o->span_start[i + 1]; s++)
		for (uint32_t c = o->spans[s].first; c < o->spans[s].end; c++) {
			size_t row = (size_t)c * o->nthreads;
			uint32_t *reads = p->last_read + row, *shares = p->last_share + row,
				 w = p->last_write[c];
			uint8_t access = o->spans[s].access;

			if (w != NONE)
				later(&p->latest[t->events[w].thread], w);
			if (access != LP_READS)
				all_later(p->latest, reads, o->nthreads);
			if (access != LP_SHARES)
				all_later(p->latest, shares, o->nthreads);
			if (imagined)
				continue;
			if (access == LP_WRITES) {
				memset(reads, 0xff, o->nthreads * sizeof *reads);
				memset(shares, 0xff, o->nthreads * sizeof *shares);
				p->last_write[c] = i;
			} else {
				(access == LP_READS ? reads : shares)[e->thread] = i;
			}
		}
}

static void add_edge(struct order *o, uint32_t source, uint32_t target)
{
	struct order_private *p = o->private;

	if (o->nedges == p->edge_capacity) {
		p->edge_capacity = p->edge_capacity * 2 + 64;
		p->sources = xreallocarray(p->sources, p->edge_capacity, sizeof *p->sources);
		p->destinations =
			xreallocarray(p->destinations, p->edge_capacity, sizeof *p->destinations);
		o->targets = xreallocarray(o->targets, p->edge_capacity, sizeof *o->targets);
	}
	p->sources[o->nedges] = source;
	p->destinations[o->nedges++] = target;
}

static uint32_t instance_of(struct order_private *p, const struct event *e)
{
	uint32_t *nesting = &p->nesting[e->thread];

	if (e->kind == LP_EV_CALL && !(*nesting)++) {
		p->root[e->thread] = e->op;
		return NONE;
	}
	if (e->kind == LP_EV_RETURN && *nesting && !--*nesting)
		return NONE;
	return *nesting ? p->root[e->thread] : NONE;
}

static void visit(struct order *o, const struct trace *t, uint32_t i)
{
	struct order_private *p = o->private;
	const struct event *e = &t->events[i];

	memset(p->latest, 0xff, o->nthreads * sizeof *p->latest);
	access_cells(o, t, i);
	if (p->last[e->thread] == NONE && p->created[e->thread] != NONE) {
		uint32_t create = p->created[e->thread];

		later(&p->latest[t->events[create].thread], create);
	}
	if (e->kind == LP_EV_CREATE && e->other < o->nthreads)
		p->created[e->other] = i;
	if (e->kind == LP_EV_JOIN && e->other < o->nthreads && p->last[e->other] != NONE)
		later(&p->latest[e->other], p->last[e->other]);
	for (uint32_t u = 0; u < o->nthreads; u++)
		if (u != e->thread && p->latest[u] != NONE)
			add_edge(o, p->latest[u], i);
	o->instance[i] = instance_of(p, e);
	o->previous[i] = p->last[e->thread];
	o->next[i] = NONE;
	if (o->previous[i] != NONE)
		o->next[o->previous[i]] = i;
	p->last[e->thread] = i;
}

/* Sorts the edges by source (counting sort; targets stay in trace order). */
static void index_edges(struct order *o)
{
	struct order_private *p = o->private;

	memset(o->edge_start, 0, (o->nevents + 2) * sizeof *o->edge_start);
	for (uint32_t k = 0; k < o->nedges; k++)
		o->edge_start[p->sources[k] + 2]++;
	for (uint32_t i = 2; i <= o->nevents; i++)
		o->edge_start[i] += o->edge_start[i - 1];
	for (uint32_t k = 0; k < o->nedges; k++)
		o->targets[o->edge_start[p->sources[k] + 1]++] = p->destinations[k];
}

static void build(struct order *o, const struct trace *t, bool memory_only)
{
	if (!o->private)
		o->private = xcalloc(1, sizeof *o->private);
	o->nevents = t->nevents;
	o->nthreads = t->nthreads;
	for (uint32_t i = 0; i < t->nevents; i++)
		if (t->events[i].thread >= o->nthreads)
			o->nthreads = t->events[i].thread + 1u;
	o->nedges = 0;
	reserve_events(o, t->nevents);
	reserve_threads(o->private, o->nthreads);
	collect_ranges(o, t, memory_only);
	cut_cells(o);
	if (o->ncells)
		reserve_cells(o);
	memset(o->private->nesting, 0, o->nthreads * sizeof *o->private->nesting);
	memset(o->private->last, 0xff, o->nthreads * sizeof *o->private->last);
	memset(o->private->created, 0xff, o->nthreads * sizeof *o->private->created);
	for (uint32_t i = 0; i < t->nevents; i++)
		visit(o, t, i);
	index_edges(o);
}

void order_build(struct order *o, const struct trace *t)
{
	build(o, t, false);
}

void order_build_memory(struct order *o, const struct trace *t)
{
	build(o, t, true);
}

static bool ends_stretch(const struct order *o, const struct trace *t, uint32_t i, bool operations)
{
	const struct event *e = &t->events[i];

	if (e->kind == LP_EV_CREATE || (e->kind == LP_EV_JOIN && !trace_pending(t, i)))
		return true;
	return operations && (o->instance[i] != NONE || e->kind == LP_EV_CALL ||
			      e->kind == LP_EV_RETURN);
}

/* Takes the event out of its thread, as if it were not there. */
static void unlink_event(struct order *o, uint32_t i)
{
	if (o->previous[i] != NONE)
		o->next[o->previous[i]] = o->next[i];
	if (o->next[i] != NONE)
		o->previous[o->next[i]] = o->previous[i];
	o->instance[i] = NONE;
}

void order_outside(struct order *o, const struct trace *t, bool operations)
{
	uint32_t *stretch = o->private->root, next = t->nops;

	memset(stretch, 0xff, o->nthreads * sizeof *stretch);
	for (uint32_t i = 0; i < t->nevents; i++) {
		const struct event *e = &t->events[i];
		uint32_t *mine = &stretch[e->thread];

		if (!operations && (e->kind == LP_EV_CALL || e->kind == LP_EV_RETURN)) {
			unlink_event(o, i);
			continue;
		}
		if (ends_stretch(o, t, i, operations)) {
			*mine = NONE;
			continue;
		}
		if (*mine == NONE)
			*mine = next++;
		o->instance[i] = *mine;
	}
}

void order_free(struct order *o)
{
	struct order_private *p = o->private;

	if (p) {
		free(p->ranges);
		free(p->points);
		free(p->slots);
		free(p->last_write);
		free(p->last_read);
		free(p->last_share);
		free(p->root);
		free(p->nesting);
		free(p->last);
		free(p->created);
		free(p->latest);
		free(p->sources);
		free(p->destinations);
		free(p);
	}
	free(o->previous);
	free(o->next);
	free(o->instance);
	free(o->spans);
	free(o->span_start);
	free(o->edge_start);
	free(o->targets);
	memset(o, 0, sizeof *o);
}
