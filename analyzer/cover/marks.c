/* SPDX-License-Identifier: MIT */
#include "cover/marks.h"

#include "format/coverage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct marks {
	char *bytes; /* of the file */
	size_t size;
	struct part {
		uint32_t module;
		uint64_t offset, start, size;
	} * parts;
	size_t n, capacity;
};

/* A line of the header, behind the first one. False: it is damaged. */
static bool add_part(struct marks *m, const struct run *run, const char *line)
{
	struct part p = { 0 };
	int used = 0;
	char *whole;

	if (sscanf(line, "%" SCNx64 " %" SCNx64 " %" SCNx64 " %n", &p.offset, &p.start, &p.size, &used) != 3 ||
	    !used || p.offset > m->size || p.size > m->size - p.offset)
		return false;
	whole = realpath(line + used, NULL);
	while (p.module < run->nmodules && strcmp(run->modules[p.module].path, line + used) != 0 &&
	       (!whole || strcmp(run->modules[p.module].path, whole) != 0))
		p.module++;
	free(whole);
	if (p.module == run->nmodules)
		return true; /* nothing of it is in the trace */
	VEC_GROW(m->parts, m->n, m->capacity);
	m->parts[m->n++] = p;
	return true;
}

static bool read_header(struct marks *m, const struct run *run)
{
	char *rest = m->bytes, *line;

	if (m->size < LP_COVERAGE_HEADER || m->bytes[LP_COVERAGE_HEADER - 1])
		return false;
	line = strsep(&rest, "\n");
	if (!rest || strcmp(line, LP_COVERAGE_VERSION) != 0)
		return false;
	while (*rest) {
		line = strsep(&rest, "\n");
		if (!rest || !add_part(m, run, line))
			return false;
	}
	return true;
}

struct marks *marks_read(const struct run *run)
{
	char *path = xasprintf("%s/coverage", run->directory);
	struct marks *m = xcalloc(1, sizeof *m);

	m->bytes = read_file(path, &m->size, NULL);
	free(path);
	if (m->bytes && read_header(m, run))
		return m;
	marks_free(m);
	return NULL;
}

void marks_free(struct marks *m)
{
	if (!m)
		return;
	free(m->bytes);
	free(m->parts);
	free(m);
}

bool marks_have(const struct marks *m, uint32_t module)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->parts[i].module == module)
			return true;
	return false;
}

unsigned marks_at(const struct marks *m, uint32_t module, uint64_t address)
{
	unsigned char most = LP_COVERAGE_NONE;

	for (size_t i = 0; i < m->n; i++) {
		const struct part *p = &m->parts[i];

		if (p->module != module || address < p->start || address - p->start >= p->size)
			continue;
		if ((unsigned char)m->bytes[p->offset + (address - p->start)] > most)
			most = (unsigned char)m->bytes[p->offset + (address - p->start)];
	}
	return most;
}
