/* SPDX-License-Identifier: MIT
 *
 * Leads control from the original to the copies. At each point goes a jump of 5 bytes, if enough
 * dead bytes follow; otherwise a jump of 2 bytes to a longer one in dead bytes nearby; if there is
 * no room for that either, a trap, whose handler knows where to continue.
 */
#include "../runtime/memory.h"
#include "instrument.h"

#include <sys/mman.h>

#define MAX_PADDING 128

/* into: no instruction in 64-bit mode. A debugger would take int3 for one of its own. */
#define TRAP_DEBUGGED 0xce

enum { LIVE = 0, DEAD = 1, POINT = 2, USED = 3 };

struct trap {
	uint64_t at, to;
};

static void sift_down(struct point *p, size_t root, size_t n)
{
	for (;;) {
		size_t child = root * 2 + 1;
		struct point t;

		if (child >= n)
			return;
		if (child + 1 < n && p[child + 1].at > p[child].at)
			child++;
		if (p[root].at >= p[child].at)
			return;
		t = p[root];
		p[root] = p[child];
		p[child] = t;
		root = child;
	}
}

static void sort(struct point *p, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift_down(p, i, n);
	for (size_t i = n; i-- > 1;) {
		struct point t = p[0];

		p[0] = p[i];
		p[i] = t;
		sift_down(p, 0, i);
	}
}

/* The end of the segment that contains `at`. */
static uint64_t end_of_text(const struct module *m, uint64_t at)
{
	for (unsigned i = 0; i < m->ntexts; i++)
		if (at >= m->text[i].lo && at < m->text[i].hi)
			return m->text[i].hi;
	return at;
}

/* How long the padding at `at` is, at most to end: what assemblers write. */
static size_t padding(uint64_t at, uint64_t end)
{
	static const uint8_t nops[][9] = {
		{ 0x90 },
		{ 0x66, 0x90 },
		{ 0x0f, 0x1f, 0x00 },
		{ 0x0f, 0x1f, 0x40, 0x00 },
		{ 0x0f, 0x1f, 0x44, 0x00, 0x00 },
		{ 0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00 },
		{ 0x0f, 0x1f, 0x80, 0, 0, 0, 0 },
		{ 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 },
		{ 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 },
	};
	const uint8_t *p = (const uint8_t *)at;
	size_t data16 = 0;

	/* Longer ones have more prefixes: data16 and cs. */
	while (at + data16 + 9 < end && data16 < 7 && (p[data16] == 0x66 || p[data16] == 0x2e) &&
	       !(p[data16] == 0x66 && p[data16 + 1] == 0x90))
		data16++;
	for (size_t i = 9; i-- > 0;)
		if (at + data16 + i + 1 <= end && same(p + data16, nops[i], i + 1))
			return data16 + i + 1;
	return *p == 0xcc;
}

/* Padding between functions is dead as well, if there is nothing else between them: what follows
 * it may be data that begins with such bytes. */
static void find_padding(struct module *m)
{
	const struct function *f = m->functions.data;

	for (size_t k = 0; k + 1 < m->functions.n; k++) {
		uint64_t lo = f[k].hi, end = f[k + 1].lo, at = lo;
		size_t n = 1;

		if (end > end_of_text(m, f[k].lo) || end - lo > MAX_PADDING)
			continue;
		while (at < end && n) {
			n = padding(at, end);
			at += n;
		}
		for (at = lo; at < end && n; at++)
			m->dead[at - m->lo] = DEAD;
	}
}

static unsigned room(const struct module *m, uint64_t at)
{
	unsigned n = 1;

	while (n < 5 && at + n < m->hi && m->dead[at + n - m->lo] == DEAD)
		n++;
	return n;
}

static void write_jump(struct module *m, uint64_t at, uint64_t to)
{
	int32_t disp = (int32_t)(to - (at + 5));

	*(uint8_t *)at = 0xe9;
	copy((void *)(at + 1), &disp, 4);
	for (unsigned i = 0; i < 5; i++)
		m->dead[at + i - m->lo] = USED;
}

/* Five dead bytes in a row that a short jump at `at` reaches; 0 if there are none. */
static uint64_t near_slot(const struct module *m, uint64_t at)
{
	for (int64_t d = 2; d < 120; d++) {
		for (int side = -1; side <= 1; side += 2) {
			uint64_t slot = at + (uint64_t)(side * d);
			unsigned n = 0;

			if (slot < m->lo || slot + 5 > m->hi)
				continue;
			while (n < 5 && m->dead[slot + n - m->lo] == DEAD)
				n++;
			if (n == 5)
				return slot;
		}
	}
	return 0;
}

static void write_short(struct module *m, const struct point *p)
{
	uint64_t slot = 0;

	if (room(m, p->at) >= 2) {
		m->dead[p->at + 1 - m->lo] = USED;
		slot = near_slot(m, p->at);
		if (!slot)
			m->dead[p->at + 1 - m->lo] = DEAD;
	}
	if (slot) {
		write_jump(m, slot, p->to);
		((uint8_t *)p->at)[0] = 0xeb;
		((uint8_t *)p->at)[1] = (uint8_t)(slot - (p->at + 2));
		return;
	}
	*(uint8_t *)p->at = rt->config.debugger ? TRAP_DEBUGGED : 0xcc;
	*vector_add(&m->traps, struct trap) = (struct trap){ p->at, p->to };
}

/* Drops points that lead nowhere and duplicates, and finds the destinations of the others. */
static void settle_traps(struct module *m)
{
	struct point *p = m->points.data;
	size_t n = 0;

	sort(p, m->points.n);
	for (size_t k = 0; k < m->points.n; k++) {
		struct point q = p[k];

		if (q.at < m->lo || q.at >= m->hi || m->dead[q.at - m->lo] != DEAD)
			continue;
		if (!q.to && m->map[q.at - m->lo])
			q.to = (uint64_t)m->region + m->map[q.at - m->lo] - 1;
		if (!q.to && !(n && p[n - 1].at == q.at))
			continue;
		if (n && p[n - 1].at == q.at) {
			if (q.to && !p[n - 1].to)
				p[n - 1].to = q.to;
			continue;
		}
		/* The marker of a branch target stays before the jump. */
		if (same((const void *)q.at, "\xf3\x0f\x1e\xfa", 4)) {
			for (unsigned i = 0; i < 4; i++)
				m->dead[q.at + i - m->lo] = USED;
			q.at += 4;
		}
		p[n++] = q;
	}
	m->points.n = n;
}

/* There may be no memory between executable segments. */
static void protect(const struct module *m, long protection)
{
	for (unsigned i = 0; i < m->ntexts; i++) {
		uintptr_t lo = m->text[i].lo & ~(PAGE - 1), hi = round_up(m->text[i].hi, PAGE);

		if (sys3(SYS_mprotect, lo, hi - lo, protection) < 0)
			die("the text of %s cannot be made writable for instrumentation; "
			    "LINCHPIN_INSTRUMENT=none goes without",
			    m->path);
	}
}

static void copy_text(struct module *m, uint8_t *to)
{
	for (unsigned i = 0; i < m->ntexts; i++)
		copy(to + (m->text[i].lo - m->lo), (const void *)m->text[i].lo,
		     m->text[i].hi - m->text[i].lo);
}

/* For frame_decode.c. */
static void keep_original(struct module *m)
{
	m->original = map(working_place(m->hi - m->lo), m->hi - m->lo, false, false);
	copy_text(m, m->original);
}

void patch_module(struct module *m)
{
	struct point *p = m->points.data;

	vector_init(&m->traps, sizeof(struct trap), m->points.n + 1);
	keep_original(m);
	protect(m, PROT_READ | PROT_WRITE | PROT_EXEC);
	find_padding(m);
	settle_traps(m);
	for (size_t k = 0; k < m->points.n; k++)
		m->dead[p[k].at - m->lo] = POINT;
	for (size_t k = 0; k < m->points.n; k++)
		if (room(m, p[k].at) == 5)
			write_jump(m, p[k].at, p[k].to);
		else
			m->dead[p[k].at - m->lo] = POINT;
	for (size_t k = 0; k < m->points.n; k++)
		if (m->dead[p[k].at - m->lo] == POINT)
			write_short(m, &p[k]);
	protect(m, PROT_READ | PROT_EXEC);
	if (!m->late)
		return;
	m->patched = map(working_place(m->hi - m->lo), m->hi - m->lo, false, false);
	copy_text(m, m->patched);
}

void patch_again(const struct module *m)
{
	if (!m->patched)
		return;
	protect(m, PROT_READ | PROT_WRITE | PROT_EXEC);
	for (unsigned i = 0; i < m->ntexts; i++)
		copy((void *)m->text[i].lo, m->patched + (m->text[i].lo - m->lo),
		     m->text[i].hi - m->text[i].lo);
	protect(m, PROT_READ | PROT_EXEC);
}

uint64_t trap_target(const struct module *m, uint64_t pc)
{
	const struct trap *t = m->traps.data;

	for (size_t k = 0; k < m->traps.n; k++)
		if (t[k].at == pc)
			return t[k].to;
	return 0;
}
