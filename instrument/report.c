/* SPDX-License-Identifier: MIT
 *
 * The file `uninstrumented` of the run directory: which parts of a module are not instrumented, and
 * why.
 */
#include "../runtime/modules.h"
#include "../runtime/run_dir.h"
#include "instrument.h"

#include <fcntl.h>

static void report_line(const struct module *m, int *fd, uint64_t at, const char *name,
			const char *why)
{
	struct text t = { 0 };

	if (*fd < 0)
		*fd = run_dir_file("uninstrumented", O_WRONLY | O_APPEND);
	text_add(&t, "%s %x %s: %s\n", base_name(m->path), at - m->base, name ? name : "?", why);
	text_flush(&t, *fd);
}

/* Code known neither from symbols nor from unwind information, as in a stripped program without
 * .eh_frame. The code of crt files and padding are shorter than UNKNOWN_CODE. */
#define UNKNOWN_CODE 1024

/* [lo, hi) is all code, apart from what the linker has made. */
static void report_unknown(const struct module *m, int *fd, uint64_t lo, uint64_t hi)
{
	for (unsigned k = 0; k < m->nplt; k++) {
		if (m->plt[k].lo >= hi || m->plt[k].hi <= lo)
			continue;
		report_unknown(m, fd, lo, m->plt[k].lo);
		lo = m->plt[k].hi;
	}
	if (lo < hi && hi - lo >= UNKNOWN_CODE)
		report_line(m, fd, lo, NULL,
			    "code that is in no function, as symbols and .eh_frame have it");
}

/* Between functions: the module may have several segments. */
static void report_gap(const struct module *m, int *fd, uint64_t lo, uint64_t hi)
{
	for (unsigned k = 0; k < m->ntexts && !m->partly; k++) {
		uint64_t from = lo > m->text[k].lo ? lo : m->text[k].lo;
		uint64_t to = hi < m->text[k].hi ? hi : m->text[k].hi;

		if (from < to)
			report_unknown(m, fd, from, to);
	}
}

void report_module(const struct module *m)
{
	const struct function *f = m->functions.data;
	uint64_t known = m->lo;
	int fd = -1;

	for (size_t k = 0; k < m->functions.n && !m->stays; k++) {
		report_gap(m, &fd, known, f[k].lo);
		known = f[k].hi;
		if (f[k].why_not)
			report_line(m, &fd, f[k].lo, f[k].name, f[k].why_not);
	}
	if (!m->stays)
		report_gap(m, &fd, known, m->hi);
	if (fd >= 0)
		sys1(SYS_close, fd);
}
