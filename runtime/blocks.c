/* SPDX-License-Identifier: MIT
 *
 * Blocks in force: which events of a thread are one step (format/blocks.h says when).
 *
 * A block is code. Where a thread is in each function that it is in is known at its events: by the
 * return addresses in its context, and by the event's own address. Which calls have not returned
 * between two events is known, too (place.shared), so that two calls of one function are never taken
 * for one. A call that has not returned is still at its place, so control is inside the block all
 * the time if that place is; only in the innermost function that both events share has it moved.
 *
 * What was found out of two places is remembered, so that an event costs a look into a table.
 */
#include "blocks.h"
#include "memory.h"
#include "modules.h"
#include "names.h"
#include "real.h"
#include "run_dir.h"
#include "state.h"

#include <fcntl.h>
#include <sys/stat.h>

#define MAX_MODULES  256
#define MAX_RUNTIME  1024 /* modules of the process */
#define MAX_AT	     16   /* pieces of code at one address */
#define MEMO_FIRST   1024u

static struct blocks {
	struct lp_block_code *code; /* by module and address */
	uint32_t ncode;
	const char *names[LP_BLOCKS_MOST];
	uint32_t nnames;
	struct stat files[MAX_MODULES];
	bool known[MAX_MODULES]; /* there is such a file */
	int16_t module_of[MAX_RUNTIME]; /* of the process: number in the file + 1, 0 not asked, -1 none */
	struct memo {
		struct memo_entry {
			uint64_t key[2];
			uint32_t value; /* + 1 */
		} * entries;
		uint32_t mask, used;
	} memo;
} * blocks;

/* ---- the file ---- */

struct words {
	const char *path, *at;
	unsigned line;
};

static __attribute__((noreturn)) void damaged(const struct words *w)
{
	die("%s:%u: this file is damaged or of another version", w->path, (unsigned long)w->line);
}

static uint64_t number(struct words *w, unsigned base)
{
	const char *from;
	uint64_t v;

	while (*w->at == ' ')
		w->at++;
	from = w->at;
	v = text_number(&w->at, base);
	if (w->at == from)
		damaged(w);
	return v;
}

static uint64_t below(struct words *w, uint64_t bound)
{
	uint64_t v = number(w, 10);

	if (v >= bound)
		damaged(w);
	return v;
}

static bool more(struct words *w)
{
	while (*w->at == ' ')
		w->at++;
	return *w->at;
}

static const char *rest(struct words *w)
{
	if (!more(w))
		damaged(w);
	return w->at;
}

static void read_code(struct words *w)
{
	struct lp_block_code *c = &blocks->code[blocks->ncode++];

	c->block = (uint32_t)below(w, blocks->nnames);
	c->copy = (uint32_t)below(w, UINT32_MAX);
	c->around = below(w, 2);
	c->module = (uint32_t)below(w, MAX_MODULES);
	c->start = number(w, 16);
	c->end = number(w, 16);
	c->loop = (uint32_t)below(w, UINT32_MAX);
	c->statement = (uint32_t)below(w, UINT32_MAX);
	do {
		struct lp_block_part *p = &c->parts[c->nparts];

		if (c->nparts == LP_BLOCK_PARTS)
			damaged(w);
		p->part = c->nparts ? (uint32_t)below(w, UINT32_MAX) : 0;
		p->line = (uint32_t)below(w, UINT32_MAX);
		p->until = (uint32_t)below(w, UINT32_MAX);
		p->column = (uint32_t)below(w, UINT32_MAX);
		c->nparts++;
	} while (more(w));
}

static void read_line(struct words *w)
{
	if (same(w->at, "blocks ", 7)) {
		w->at += 7;
		if (number(w, 10) != LP_BLOCKS_VERSION)
			damaged(w);
	} else if (same(w->at, "module ", 7)) {
		uint64_t n;

		w->at += 7;
		n = below(w, MAX_MODULES);
		blocks->known[n] = sys2(SYS_stat, rest(w), &blocks->files[n]) >= 0;
	} else if (same(w->at, "block ", 6)) {
		w->at += 6;
		if (below(w, LP_BLOCKS_MOST) != blocks->nnames)
			damaged(w);
		blocks->names[blocks->nnames++] = rest(w);
	} else if (same(w->at, "code ", 5)) {
		w->at += 5;
		read_code(w);
	} else if (*w->at) {
		damaged(w);
	}
}

static bool comes_before(const struct lp_block_code *a, const struct lp_block_code *b)
{
	return a->module != b->module ? a->module < b->module : a->start < b->start;
}

/* By module and address; what is there is nearly sorted. */
static void sort_code(void)
{
	struct lp_block_code *c = blocks->code;

	for (uint32_t i = 1; i < blocks->ncode; i++) {
		struct lp_block_code x = c[i];
		uint32_t k = i;

		for (; k && comes_before(&x, &c[k - 1]); k--)
			c[k] = c[k - 1];
		c[k] = x;
	}
}

/* A run directory is complete in itself. */
static void keep_file(const char *text, size_t n)
{
	struct text own = { 0 };
	struct stat given, kept;
	int fd;

	text_add(&own, "%s/blocks%c", rt->config.dir, '\0');
	if (sys2(SYS_stat, own.s, &kept) >= 0 && sys2(SYS_stat, rt->config.blocks, &given) >= 0 &&
	    kept.st_dev == given.st_dev && kept.st_ino == given.st_ino)
		return;
	fd = run_dir_file("blocks", O_WRONLY);
	sys3(SYS_write, fd, text, n);
	sys1(SYS_close, fd);
}

void blocks_init(void)
{
	struct words w = { .path = rt->config.blocks };
	char *text, *next;
	size_t lines = 0;

	if (!*rt->config.blocks)
		return;
	text = memory_file(rt->config.blocks, "LINCHPIN_BLOCKS");
	keep_file(text, length(text));
	blocks = memory_get(sizeof *blocks);
	for (const char *p = text; *p; p++)
		lines += *p == '\n';
	blocks->code = memory_get((lines + 1) * sizeof *blocks->code);
	for (; *text; text = next) {
		for (next = text; *next && *next != '\n'; next++)
			;
		if (*next)
			*next++ = '\0';
		w.line++;
		w.at = text;
		read_line(&w);
	}
	sort_code();
	blocks->memo.mask = MEMO_FIRST - 1;
	blocks->memo.entries = memory_get(MEMO_FIRST * sizeof *blocks->memo.entries);
	rt->blocks = rt->config.enforce == LP_ENFORCE_LOCK ? BLOCKS_LOCK : BLOCKS_ATOMIC;
}

/* ---- what was found out ---- */

static struct memo_entry *memo_place(struct memo *m, uint64_t a, uint64_t b)
{
	uint32_t i = (uint32_t)(mix(mix(0, a), b) >> 9) & m->mask;

	while (m->entries[i].value && (m->entries[i].key[0] != a || m->entries[i].key[1] != b))
		i = (i + 1) & m->mask;
	return &m->entries[i];
}

static void memo_add(uint64_t a, uint64_t b, uint32_t value)
{
	struct memo *m = &blocks->memo;
	struct memo_entry *e;

	if (++m->used * 2 > m->mask) {
		struct memo old = *m;

		m->mask = (old.mask + 1) * 4 - 1;
		m->entries = memory_get((m->mask + 1UL) * sizeof *m->entries);
		for (uint32_t i = 0; i <= old.mask; i++)
			if (old.entries[i].value)
				*memo_place(m, old.entries[i].key[0], old.entries[i].key[1]) =
					old.entries[i];
	}
	e = memo_place(m, a, b);
	e->key[0] = a;
	e->key[1] = b;
	e->value = value + 1;
}

/* ---- where an address is ---- */

static int32_t file_module(int32_t module)
{
	int16_t *known = &blocks->module_of[module];
	struct stat st;

	if (*known)
		return *known - 1;
	*known = -1;
	if (sys2(SYS_stat, module_path(module), &st) >= 0)
		for (int i = 0; i < MAX_MODULES; i++)
			if (blocks->known[i] && st.st_dev == blocks->files[i].st_dev &&
			    st.st_ino == blocks->files[i].st_ino)
				*known = (int16_t)(i + 1);
	return *known > 0 ? *known - 1 : -1;
}

/* The pieces of code that hold the instruction before this address; how many, at most MAX_AT. */
static unsigned code_at(uint64_t key, const struct lp_block_code **list)
{
	uint64_t offset;
	int32_t module = module_of_key(key, &offset);
	uint32_t low = 0, high = blocks->ncode;
	unsigned n = 0;

	if (module < 0 || module >= MAX_RUNTIME || (module = file_module(module)) < 0)
		return 0;
	offset--;
	while (low < high) { /* the first piece that begins behind it */
		uint32_t middle = (low + high) / 2;
		const struct lp_block_code *c = &blocks->code[middle];

		if (c->module < (uint32_t)module || (c->module == (uint32_t)module && c->start <= offset))
			low = middle + 1;
		else
			high = middle;
	}
	while (low-- > 0 && blocks->code[low].module == (uint32_t)module && n < MAX_AT)
		if (offset < blocks->code[low].end)
			list[n++] = &blocks->code[low];
	return n;
}

/* Is the address in a block? */
static bool in_block(uint64_t key, uint32_t *block)
{
	const struct lp_block_code *list[MAX_AT];
	struct memo_entry *e = memo_place(&blocks->memo, key, UINT64_MAX);
	unsigned n;

	if (!e->value) {
		n = code_at(key, list);
		memo_add(key, UINT64_MAX, n ? list[0]->block + 1 : 0);
		e = memo_place(&blocks->memo, key, UINT64_MAX);
	}
	*block = e->value - 2;
	return e->value > 1;
}

/* Control went from one address of a call to another: is there a block that it stayed in? */
static bool stays(uint64_t from, uint64_t to, bool one_call)
{
	const struct lp_block_code *a[MAX_AT], *b[MAX_AT];
	struct memo_entry *e;
	uint32_t block;
	bool yes = false;

	if (from == to && one_call)
		return in_block(to, &block);
	e = memo_place(&blocks->memo, from, to ^ (uint64_t)one_call << 63);
	if (e->value)
		return e->value - 1;
	for (unsigned n = code_at(from, a); n-- > 0 && !yes;)
		for (unsigned m = code_at(to, b); m-- > 0 && !yes;)
			yes = lp_block_stays(a[n], from, b[m], to, one_call);
	memo_add(from, to ^ (uint64_t)one_call << 63, yes);
	return yes;
}

/* ---- contexts ---- */

/* The context `depth` calls deep on the way to this one. */
static uint32_t ancestor(uint32_t context, uint32_t depth)
{
	while (context_depth(context) > depth)
		context = context_parent(context);
	return context;
}

/* The first block that one of the first `depth` calls is in. */
static bool calls_in_block(uint32_t context, uint32_t depth, uint32_t *block)
{
	for (context = ancestor(context, depth); context; context = context_parent(context))
		if (in_block(context_key(context), block))
			return true;
	return false;
}

/* Where a function `depth` calls deep is, at an event with this context and address. */
static uint64_t position(uint32_t context, uint64_t pc, uint32_t depth)
{
	return context_depth(context) > depth ? context_key(ancestor(context, depth + 1))
					      : module_pc_key(pc);
}

/* The call and the return of an operation that is not part of another one. */
static bool outermost(const struct fiber *f, unsigned kind)
{
	return (kind == LP_EV_CALL && !f->in_op) || (kind == LP_EV_RETURN && f->in_op <= 1);
}

static bool follows(const struct fiber *f, unsigned kind, uint32_t context, uint64_t pc)
{
	const struct place *p = &f->place;
	uint32_t depth = p->shared, block;

	if (context_depth(context) < depth)
		depth = context_depth(context);
	if (context_depth(p->context) < depth || ancestor(p->context, depth) != ancestor(context, depth))
		return false; /* by hooks here, by frames there */
	return calls_in_block(context, depth, &block) ||
	       stays(position(p->context, p->pc, depth), position(context, pc, depth),
		     lp_block_one_call(p->kind, kind));
}

bool blocks_glued(const struct fiber *f)
{
	const struct pending *p = &f->pending;

	if (!f->place.known || f->place.split || outermost(f, p->kind))
		return false;
	return follows(f, p->kind, p->context, p->pc);
}

bool blocks_inside(const struct fiber *f)
{
	uint32_t block;

	return !outermost(f, f->pending.kind) &&
	       (calls_in_block(f->pending.context, UINT32_MAX, &block) ||
		in_block(module_pc_key(f->pending.pc), &block));
}

const char *blocks_name(const struct fiber *f)
{
	uint32_t block;

	if (in_block(module_pc_key(f->pending.pc), &block) ||
	    calls_in_block(f->pending.context, UINT32_MAX, &block))
		return blocks->names[block];
	return NULL;
}

void blocks_place(struct fiber *f, const struct event *e)
{
	struct place *p = &f->place;
	bool step = event_is_step(e);

	p->split = !step && (p->split || !p->known || !follows(f, e->kind, e->context, e->pc));
	p->known = !outermost(f, e->kind);
	p->kind = e->kind;
	p->pc = e->pc;
	p->context = e->context;
	p->shared = context_depth(e->context);
}
