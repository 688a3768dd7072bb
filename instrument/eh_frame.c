/* SPDX-License-Identifier: MIT
 *
 * The bounds of functions from .eh_frame, which stripped programs have, too, and the landing pads
 * of C++ functions from .gcc_except_table. Both are read in memory. Nothing outside the segment
 * that holds them is touched, and reading stops at the first thing that makes no sense.
 */
#include "instrument.h"

#define PE_OMIT        0xff
#define ARGUMENTS_SIZE 0x2e /* a rule: arguments have been pushed, which landing pads do not find */

struct cursor {
	const uint8_t *p, *end;
	bool bad;
};

static uint64_t fixed(struct cursor *c, unsigned n)
{
	uint64_t v = 0;

	if ((size_t)(c->end - c->p) < n) {
		c->bad = true;
		c->p = c->end;
		return 0;
	}
	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)c->p[i] << (8 * i);
	c->p += n;
	return v;
}

static uint64_t leb(struct cursor *c, bool is_signed)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t b;

	do {
		b = (uint8_t)fixed(c, 1);
		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
	} while (b & 0x80);
	if (is_signed && (b & 0x40) && shift < 64)
		v |= ~0ULL << shift;
	return v;
}

/* A pointer as DW_EH_PE_* describes it; an indirect one is not followed. */
static uint64_t encoded(struct cursor *c, uint8_t encoding)
{
	uint64_t place = (uint64_t)c->p, v;

	if (encoding == PE_OMIT)
		return 0;
	switch (encoding & 0x0f) {
	case 0x00:
	case 0x04:
	case 0x0c:
		v = fixed(c, 8);
		break;
	case 0x01:
		v = leb(c, false);
		break;
	case 0x02:
		v = fixed(c, 2);
		break;
	case 0x03:
		v = fixed(c, 4);
		break;
	case 0x09:
		v = leb(c, true);
		break;
	case 0x0a:
		v = (uint64_t)(int16_t)fixed(c, 2);
		break;
	case 0x0b:
		v = (uint64_t)(int32_t)fixed(c, 4);
		break;
	default:
		c->bad = true;
		return 0;
	}
	if ((encoding & 0x70) == 0x10 && v)
		v += place;
	else if ((encoding & 0x70) && v)
		c->bad = true;
	return v;
}

struct cie {
	uint8_t pointer, lsda;
	bool augmented, ok;
};

static struct cie read_cie(const struct module *m, const uint8_t *at)
{
	struct cie cie = { 0, PE_OMIT, false, false };
	struct cursor c = { at, (const uint8_t *)m->eh_hi, false };
	char text[8];
	uint32_t size;
	unsigned n = 0;

	if ((uintptr_t)at < m->eh_lo || (uintptr_t)at >= m->eh_hi)
		return cie;
	size = (uint32_t)fixed(&c, 4);
	if (size == 0xffffffff || size > (size_t)(c.end - c.p))
		return cie;
	c.end = c.p + size;
	if (fixed(&c, 4))
		return cie;
	fixed(&c, 1);
	do
		text[n] = (char)fixed(&c, 1);
	while (text[n] && ++n < sizeof text);
	if (n == sizeof text)
		return cie;
	leb(&c, false);
	leb(&c, true);
	leb(&c, false);
	if (text[0] == 'z') {
		cie.augmented = true;
		leb(&c, false);
		for (unsigned i = 1; i < n; i++) {
			if (text[i] == 'R')
				cie.pointer = (uint8_t)fixed(&c, 1);
			else if (text[i] == 'L')
				cie.lsda = (uint8_t)fixed(&c, 1);
			else if (text[i] == 'P') {
				uint8_t encoding = (uint8_t)fixed(&c, 1);

				encoded(&c, encoding & 0x7f);
			} else if (text[i] != 'S' && text[i] != 'B') {
				return cie;
			}
		}
	} else if (n) {
		return cie;
	}
	cie.ok = !c.bad;
	return cie;
}

static void skip(struct cursor *c, uint64_t n)
{
	if (n > (size_t)(c->end - c->p)) {
		c->bad = true;
		n = (size_t)(c->end - c->p);
	}
	c->p += n;
}

/* Do the rules of an FDE say, before its first advance, that there is a frame? */
static bool frame_at_start(struct cursor rules)
{
	while (rules.p < rules.end && !rules.bad) {
		unsigned rule = (unsigned)fixed(&rules, 1);

		if (rule == 0x00) /* nop */
			continue;
		if (rule == ARGUMENTS_SIZE) {
			leb(&rules, false);
			continue;
		}
		return rule >> 6 != 1 && !(rule >= 0x01 && rule <= 0x04);
	}
	return rules.bad;
}

static void read_fde(struct module *m, struct cursor c, const uint8_t *cie_at)
{
	struct cie cie = read_cie(m, cie_at);
	uint64_t lo, range, lsda = 0;
	struct cursor start;
	struct function *f;

	if (!cie.ok)
		return;
	lo = encoded(&c, cie.pointer);
	range = encoded(&c, cie.pointer & 0x0f);
	start = c;
	if (cie.augmented) {
		uint64_t size = leb(&c, false);

		start = c;
		if (cie.lsda != PE_OMIT)
			lsda = encoded(&c, cie.lsda);
		if (size <= (size_t)(start.end - start.p))
			start.p += size;
		else
			start.bad = true;
	}
	if (c.bad || lo < m->lo || lo >= m->hi || !range || range > m->hi - lo ||
	    m->functions.n == m->functions.capacity)
		return;
	f = vector_add(&m->functions, struct function);
	*f = (struct function){ .lo = lo, .hi = lo + range, .lsda = lsda, .probe = -1 };
	f->rules = start.p;
	f->rules_end = start.end;
	f->fragment = frame_at_start(start);
}

void eh_frame_functions(struct module *m)
{
	struct cursor h = { (const uint8_t *)m->eh_frame_hdr, (const uint8_t *)m->eh_hi, false };
	struct cursor c = { NULL, (const uint8_t *)m->eh_hi, false };
	uint8_t encoding;

	if (!m->eh_frame_hdr || fixed(&h, 1) != 1)
		return;
	encoding = (uint8_t)fixed(&h, 1);
	fixed(&h, 2);
	c.p = (const uint8_t *)encoded(&h, encoding);
	if (h.bad || (uintptr_t)c.p < m->eh_lo || (uintptr_t)c.p >= m->eh_hi)
		return;
	while (c.end - c.p >= 8) {
		uint32_t size = (uint32_t)fixed(&c, 4), id;
		struct cursor body = { c.p, c.p + size, false };

		if (!size || size == 0xffffffff || size > (size_t)(c.end - c.p))
			return;
		id = (uint32_t)fixed(&body, 4);
		if (id)
			read_fde(m, body, c.p - id);
		c.p += size;
	}
}

/* Passes over a rule of an FDE; sets c->bad if it is not known. The first byte, which it returns,
 * says which rule it is; a register or advance may be in its low bits. */
static unsigned skip_rule(struct cursor *c)
{
	static const char operands[0x17] = {
		[0x02] = 1,   [0x03] = 2,   [0x04] = 4,   [0x05] = 'l', [0x06] = 'u',
		[0x07] = 'u', [0x08] = 'u', [0x09] = 'l', [0x0c] = 'l', [0x0d] = 'u',
		[0x0e] = 'u', [0x0f] = 'b', [0x10] = 'e', [0x11] = 'l', [0x12] = 'l',
		[0x13] = 'u', [0x14] = 'l', [0x15] = 'l', [0x16] = 'e',
	};
	unsigned rule = (unsigned)fixed(c, 1);
	char operand = 0;

	if (rule >> 6 == 2 || rule == 0x2e)
		operand = 'u';
	else if (rule == 0x2f)
		operand = 'l';
	else if (rule < sizeof operands)
		operand = operands[rule];
	c->bad |= rule == 0x01 || (rule >= sizeof operands && rule < 0x40 && !operand);
	switch (operand) {
	case 'l': /* two numbers; what sign they have does not matter for their length */
		leb(c, false);
		leb(c, false);
		break;
	case 'u':
		leb(c, false);
		break;
	case 'e': /* a number and a block */
		leb(c, false);
		skip(c, leb(c, false));
		break;
	case 'b':
		skip(c, leb(c, false));
		break;
	default:
		skip(c, (uint64_t)operand);
	}
	return rule;
}

bool pushes_arguments(const struct function *f)
{
	struct cursor c = { f->rules, f->rules_end, false };

	while (c.p < c.end && !c.bad)
		if (skip_rule(&c) == ARGUMENTS_SIZE)
			return true;
	return c.bad;
}

void each_landing_pad(const struct module *m, const struct function *f, landing_pad_fn *each,
		      void *to)
{
	struct cursor c = { (const uint8_t *)f->lsda, (const uint8_t *)m->eh_hi, false };
	uint64_t start = f->lo, size;
	uint8_t encoding;

	if (f->lsda < m->eh_lo || f->lsda >= m->eh_hi)
		return;
	encoding = (uint8_t)fixed(&c, 1);
	if (encoding != PE_OMIT)
		start = encoded(&c, encoding);
	encoding = (uint8_t)fixed(&c, 1);
	if (encoding != PE_OMIT)
		leb(&c, false);
	encoding = (uint8_t)fixed(&c, 1);
	size = leb(&c, false);
	if (c.bad || size > (size_t)(c.end - c.p))
		return;
	c.end = c.p + size;
	while (c.p < c.end && !c.bad) {
		uint64_t lo = f->lo + encoded(&c, encoding), n = encoded(&c, encoding),
			 pad = encoded(&c, encoding);

		leb(&c, false);
		if (!c.bad && pad)
			each(to, lo, lo + n, start + pad);
	}
}

static void add_point(void *module, uint64_t lo, uint64_t hi, uint64_t pad)
{
	struct module *m = module;

	(void)lo;
	(void)hi;
	if (m->points.n < m->points.capacity)
		*vector_add(&m->points, struct point) = (struct point){ pad, 0 };
}

void landing_pads(struct module *m, const struct function *f)
{
	each_landing_pad(m, f, add_point, m);
}
