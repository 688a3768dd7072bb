/* SPDX-License-Identifier: MIT
 *
 * Which instructions have run, in any execution: RUNDIR/coverage (format/coverage.h).
 *
 * Each instruction of a copy has one before it that stores a byte into the file, mapped below 2 GiB
 * where that needs no register; it changes no flags. The file is no memory of the program, so nothing
 * is taken back with an execution, and the children of --isolate=fork store into the same one.
 */
#include "coverage.h"
#include "../format/coverage.h"
#include "../runtime/run_dir.h"
#include "assembler.h"

#include <fcntl.h>
#include <sys/mman.h>

#define MOST_INSNS (1u << 19) /* of a function; what is beyond them is left out */

#define LAST_PLACE RUNTIME_PLACE

static struct {
	bool begun, full;
	int fd;
	struct text header;
	uint64_t size; /* of the file */
	uintptr_t next;
} file;

static void begin_file(void)
{
	file.begun = true;
	file.fd = run_dir_file("coverage", O_RDWR);
	file.size = LP_COVERAGE_HEADER;
	file.next = COVERAGE_PLACE;
	text_add(&file.header, "%s\n", LP_COVERAGE_VERSION);
}

static uint8_t *map_bytes(size_t size)
{
	long p;

	if (file.next + size > LAST_PLACE || file.header.n > sizeof file.header.s - 1200 ||
	    sys2(SYS_ftruncate, file.fd, file.size + size) < 0)
		return NULL;
	p = sys6(SYS_mmap, (long)file.next, (long)size, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_NORESERVE | 0x100000 /* MAP_FIXED_NOREPLACE */, file.fd,
		 (long)file.size);
	return p == (long)file.next ? (uint8_t *)p : NULL;
}

void coverage_begin(struct module *m)
{
	size_t size = round_up(m->hi - m->lo, PAGE);

	if (!rt->config.coverage)
		return;
	if (!file.begun)
		begin_file();
	m->ran = map_bytes(size);
	if (!m->ran) {
		if (!file.full)
			complain("%s: no room to note which of its instructions run (coverage)", m->path);
		file.full = true;
		return;
	}
	text_add(&file.header, "%x %x %x %s\n", file.size, m->lo - m->base, m->hi - m->lo, m->path);
	sys4(SYS_pwrite64, file.fd, file.header.s, file.header.n, 0);
	file.size += size;
	file.next += size;
}

static uint8_t marks[MOST_INSNS]; /* of the function that is written */
#define BEGINS  1 /* control may come here from elsewhere */
#define CHOOSES 2 /* in a piece of code that chooses without a branch */

/* Behind 0f. */
static bool of_vectors(uint8_t opcode)
{
	return (opcode >= 0x10 && opcode <= 0x17) || (opcode >= 0x28 && opcode <= 0x2f) ||
	       (opcode >= 0x50 && opcode <= 0x7f) || opcode >= 0xd0 || opcode == 0x38 ||
	       opcode == 0x3a || opcode == 0xc2 || (opcode >= 0xc4 && opcode <= 0xc6);
}

/* Compilers choose between values by these: cmov, set, adc, sbb, sar by all bits but one, cdq; and
 * with vectors. */
static bool chooses(const struct insn *i)
{
	const uint8_t *p = (const uint8_t *)i->at;

	while (*p == 0x66 || *p == 0xf2 || *p == 0xf3)
		p++;
	if ((*p & 0xf0) == 0x40)
		p++;
	if (*p == 0x0f)
		return (p[1] & 0xf0) == 0x40 || (p[1] & 0xf0) == 0x90 || of_vectors(p[1]);
	if (*p == 0xc4 || *p == 0xc5 || *p == 0x62)
		return true;
	if ((*p & 0xfc) == 0x80)
		return (p[1] >> 3 & 7) == 2 || (p[1] >> 3 & 7) == 3;
	if (*p == 0xc1)
		return (p[1] >> 3 & 7) == 7 && (p[i->length - (p - (const uint8_t *)i->at) - 1] & 0x1f) == 0x1f;
	return (*p >= 0x10 && *p <= 0x15) || (*p >= 0x18 && *p <= 0x1d) || *p == 0x99;
}

void coverage_function(const struct vector *insns)
{
	const struct insn *list = insns->data;
	size_t n = insns->n < MOST_INSNS ? insns->n : MOST_INSNS;

	if (!rt->config.coverage)
		return;
	zero(marks, n);
	for (size_t k = 0; k < n; k++) {
		if (list[k].target_index >= 0 && (size_t)list[k].target_index < n)
			marks[list[k].target_index] |= BEGINS;
		if (k + 1 < n && list[k].flow != FLOW_NEXT)
			marks[k + 1] |= BEGINS;
	}
	for (size_t from = 0, to; from < n; from = to) {
		bool any = chooses(&list[from]);

		for (to = from + 1; to < n && !(marks[to] & BEGINS); to++)
			any |= chooses(&list[to]);
		for (size_t k = from; k < to && any; k++)
			marks[k] |= CHOOSES;
	}
}

void coverage_emit(const struct insn *i, size_t number)
{
	uint8_t *ran = emitting->ran ? emitting->ran + (i->at - emitting->lo) : NULL;

	if (!ran || number >= MOST_INSNS)
		return;
	*ran = LP_COVERAGE_SEEN;
	absolute(0, 0xc6, 0, (uint32_t)(uintptr_t)ran); /* movb */
	byte(marks[number] & CHOOSES ? LP_COVERAGE_MAYBE : LP_COVERAGE_RAN);
}
