/* SPDX-License-Identifier: MIT */
#include "kinds.h"
#include "print.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* No order of these with anything else is a matter of the search. */
static const struct reason {
	uint8_t kind;
	const char *why;
} reasons[] = {
	{ LP_EV_NONE, "it is no event" },
	{ LP_EV_CALL, "an operation begins: independent of everything, see tests/lin" },
	{ LP_EV_RETURN, "and ends" },
	{ LP_EV_START, "the runtime does not write it: the first step of a thread says it" },
};

static uint64_t varint(const uint8_t **p, const uint8_t *end)
{
	uint64_t v = 0;

	for (unsigned shift = 0; *p < end; shift += 7) {
		uint8_t b = *(*p)++;

		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			break;
	}
	return v;
}

static void read_sites(struct tally *tally, const uint8_t *p, const uint8_t *end)
{
	for (p += LP_TRACE_HEADER; p < end && *p != LP_REC_END;) {
		uint8_t type = *p++;
		uint64_t n = varint(&p, end);

		if (n > (uint64_t)(end - p))
			return;
		if (type == LP_REC_SITE && n > 1 && p[0] < LP_EV_COUNT)
			tally->kinds[p[0]][(p[1] & LP_SITE_FUTEX) != 0] = 1;
		p += n;
	}
}

void kinds_add(struct tally *tally, const struct setting *s, const struct program *p)
{
	char path[400];
	struct stat st;
	uint8_t *map;
	int fd;

	for (unsigned t = 0; t < p->nthreads; t++)
		for (unsigned i = 0; i < p->n[t]; i++)
			tally->ops[p->ops[t][i].what] = 1;
	snprintf(path, sizeof path, "%s/run/trace", s->directory);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return;
	if (fstat(fd, &st) || st.st_size <= LP_TRACE_HEADER) {
		close(fd);
		return;
	}
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return;
	read_sites(tally, map, map + st.st_size);
	munmap(map, (size_t)st.st_size);
}

static bool is_excused(unsigned kind)
{
	for (unsigned i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (reasons[i].kind == kind)
			return true;
	return false;
}

bool kinds_all(const struct tally *tally)
{
	bool all = true;

	for (unsigned kind = 0; kind < LP_EV_COUNT; kind++)
		for (unsigned futex = 0; futex < 2; futex++) {
			/* What goes on at once after a wait is only of a futex. */
			bool is = futex ? lp_futex_kind(kind) : kind != LP_EV_WOKEN;

			if (!is || is_excused(kind) || tally->kinds[kind][futex])
				continue;
			printf("no program had an event of kind %u%s\n", kind, futex ? ", of a futex" : "");
			all = false;
		}
	for (unsigned what = OP_END + 1; what < OPS; what++)
		if (!tally->ops[what]) {
			printf("no program had the operation %s\n", op_name(what));
			all = false;
		}
	return all;
}
