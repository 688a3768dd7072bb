/* SPDX-License-Identifier: MIT
 *
 * Accesses that depend on more than an address: to the elements that a mask selects (gathers,
 * scatters, masked loads and stores), and to the save area of processor state.
 *
 * A gather is a step for each element. A processor that is interrupted within a gather keeps what
 * it has done: each element read so far is in the destination and its mask is cleared. The same is
 * done here, so that the instruction, when it is finally executed, does not read these elements
 * again. Scatters are handled in the same way.
 */
#include "event.h"

#define FSW_HIGH       3 /* offsets in the save area: bits 3..5 here tell which register is st(0) */
#define X87            32
#define XMM            160
#define HEADER         512
#define STATE_AT_LEAST 576

enum { COMPONENT_XMM = 1, COMPONENT_YMM, COMPONENT_K = 5, COMPONENT_ZMM = 6, COMPONENT_ZMM16 = 7 };

/* Between two steps: the registers of the running fiber. */
static struct {
	uint8_t area[4096] __attribute__((aligned(64)));
	uint32_t offset[8]; /* of the components */
	uint64_t mask;      /* components there are; 0: no xsave */
	bool ready;
} registers;

static void cpuid(uint32_t leaf, uint32_t sub, uint32_t out[4])
{
	__asm__ volatile("cpuid"
			 : "=a"(out[0]), "=b"(out[1]), "=c"(out[2]), "=d"(out[3])
			 : "a"(leaf), "c"(sub));
}

static uint64_t enabled_components(void)
{
	uint32_t r[4], high;

	cpuid(1, 0, r);
	if (!(r[2] >> 27 & 1))
		return 0;
	__asm__ volatile("xgetbv" : "=a"(r[0]), "=d"(high) : "c"(0));
	return r[0] | (uint64_t)high << 32;
}

static void find_components(void)
{
	registers.ready = true;
	registers.mask = enabled_components() & 0xe7;
	for (uint32_t k = COMPONENT_YMM; k < 8; k++) {
		uint32_t r[4];

		if (!(registers.mask >> k & 1))
			continue;
		cpuid(0xd, k, r);
		registers.offset[k] = r[1];
	}
}

static void registers_take(void)
{
	if (!registers.ready)
		find_components();
	if (registers.mask)
		__asm__ volatile("xsave64 (%0)"
				 :
				 : "r"(registers.area), "a"((uint32_t)registers.mask), "d"(0)
				 : "memory");
	else
		__asm__ volatile("fxsave64 (%0)" : : "r"(registers.area) : "memory");
}

/* Only if there is xsave: older processors have no gathers. Components that have not been
 * written stay out of use, because the runtime then saves less (extended.c). */
static void registers_put(const struct lanes *l)
{
	uint64_t *in_use = (uint64_t *)(registers.area + HEADER);

	*in_use |= 1 << COMPONENT_XMM;
	if (l->n * l->size > 16)
		*in_use |= 1 << COMPONENT_YMM;
	if (l->mask & LANES_MASK_REGISTER)
		*in_use |= registers.mask & 0xe0;
	__asm__ volatile("xrstor64 (%0)"
			 :
			 : "r"(registers.area), "a"((uint32_t)registers.mask), "d"(0)
			 : "memory");
}

/* A byte of a vector register. */
static uint8_t *vector_byte(unsigned reg, unsigned at)
{
	uint8_t *area = registers.area;

	if (reg & LANES_MMX)
		return area + X87 + 16 * ((reg - (area[FSW_HIGH] >> 3)) & 7) + at;
	if (reg >= 16)
		return area + registers.offset[COMPONENT_ZMM16] + 64 * (reg - 16) + at;
	if (at < 16)
		return area + XMM + 16 * reg + at;
	if (at < 32)
		return area + registers.offset[COMPONENT_YMM] + 16 * reg + at - 16;
	return area + registers.offset[COMPONENT_ZMM] + 32 * reg + at - 32;
}

static uint64_t *mask_register(const struct lanes *l)
{
	return (uint64_t *)(registers.area + registers.offset[COMPONENT_K] + 8 * (l->mask & 7));
}

static bool is_selected(const struct lanes *l, unsigned i)
{
	if (l->mask & LANES_MASK_REGISTER)
		return *mask_register(l) >> i & 1;
	return *vector_byte(l->mask, (i + 1u) * l->size - 1) >> 7;
}

static void unselect(const struct lanes *l, unsigned i)
{
	if (l->mask & LANES_MASK_REGISTER)
		*mask_register(l) &= ~(1ULL << i);
	else
		zero(vector_byte(l->mask, i * l->size), l->size);
}

static uint64_t element_address(const struct site *s, uint64_t base, unsigned i)
{
	const struct lanes *l = &s->lanes;
	const uint8_t *p = vector_byte(l->index, i * l->index_size);
	int64_t index = l->index_size == 8 ? *(const int64_t *)p : *(const int32_t *)p;
	uint64_t at = base + (uint64_t)index * l->scale;

	return s->narrow ? (uint32_t)at : at;
}

void gather_event(const struct site *s, uint64_t base, uint64_t *r, uint64_t *entry)
{
	const struct lanes *l = &s->lanes;
	bool scatter = s->kind == SITE_SCATTER;

	registers_take();
	for (unsigned i = 0; i < l->n; i++) {
		uint64_t at = element_address(s, base, i);
		uint8_t *data;

		if (!is_selected(l, i) || !of_interest(at, l->size, scatter))
			continue;
		rt->entry = entry;
		/* Each element is a location of its own, whatever its address. */
		rt->instr.element = i + 1;
		if (scatter)
			write_event(at, l->size, s->pc);
		else
			read_event(at, l->size, s->pc);
		registers_take();
		data = vector_byte(l->data, i * l->size);
		rt->accessing = 1;
		if (scatter)
			copy((void *)at, data, l->size);
		else
			copy(data, (const void *)at, l->size);
		rt->accessing = 0;
		unselect(l, i);
		registers_put(l);
	}
}

/* One step, from the first selected element to the last. */
void masked_event(const struct site *s, uint64_t addr, uint64_t *entry)
{
	const struct lanes *l = &s->lanes;
	unsigned first = l->n, end = 0, count = 0;
	uint32_t size;

	registers_take();
	for (unsigned i = 0; i < l->n; i++) {
		if (!is_selected(l, i))
			continue;
		first = first < i ? first : i;
		end = i + 1;
		count++;
	}
	if (!count)
		return;
	if (l->dense) {
		first = 0;
		end = count;
	}
	addr += l->whole ? 0 : first * l->size;
	size = l->whole ? s->size : (end - first) * l->size;
	rt->entry = entry;
	if (!of_interest(addr, size, s->kind == SITE_MASKED_WRITE))
		return;
	if (s->kind == SITE_MASKED_WRITE)
		write_event(addr, size, s->pc);
	else
		read_event(addr, size, s->pc);
}

uint32_t state_size(const struct site *s, const uint64_t *r)
{
	uint64_t wanted = (register_value(s, r, RAX) & 0xffffffff) | r[R_RDX] << 32;
	uint32_t size = STATE_AT_LEAST;

	wanted &= enabled_components();
	for (uint32_t k = COMPONENT_YMM; k < 63; k++) {
		uint32_t c[4];

		if (!(wanted >> k & 1))
			continue;
		cpuid(0xd, k, c);
		if (c[0] + c[1] > size)
			size = c[0] + c[1];
	}
	return size;
}
