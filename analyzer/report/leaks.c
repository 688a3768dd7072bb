/* SPDX-License-Identifier: MIT */
#include "report/leaks.h"
#include "judge/leaks.h"
#include "report/outcome.h"

#include <inttypes.h>
#include <stdlib.h>

#define SHOWN 4

static char *where(const struct analysis *a, const struct leaking *l)
{
	const uint64_t looks = a->run->nlooks;
	const char *of = looks < a->classes + a->run->status.unkept ? " that were looked at" : "";

	if (l->classes < looks)
		return xasprintf("%" PRIu64 " of %" PRIu64 " classes%s", l->classes, looks, of);
	return *of ? xasprintf("all %" PRIu64 " classes%s", looks, of) : xstrdup("every class");
}

static void report_leak(FILE *out, const struct text_style *s, const struct analysis *a,
			const struct leaking *l)
{
	const struct source_frame *f = srcmap_own_frame(a->map, l->site);
	char *ends = where(a, l);

	report_note(out, s, a->map, f,
		    "nothing points to %" PRIu64 " %s of %" PRIu64
		    " bytes allocated here%s%s%s at the "
		    "end of %s (class %" PRIu64 ")",
		    l->blocks, plural(l->blocks, "block", "blocks"), l->bytes,
		    f && f->function && f->file ? " (" : "",
		    f && f->function && f->file ? f->function : "",
		    f && f->function && f->file ? ")" : "", ends, l->class);
	free(ends);
}

void report_leaks(FILE *out, const struct text_style *s, const struct analysis *a, bool all)
{
	size_t n;
	struct leaking *list = leaks_of(a, &n);

	for (size_t i = 0; i < n && (all || i < SHOWN); i++)
		report_leak(out, s, a, &list[i]);
	if (n > SHOWN && !all)
		fprintf(out, "%zu more %s of leaks: linchpin report -v %s\n", n - SHOWN,
			plural(n - SHOWN, "place", "places"), a->run->directory);
	if (n)
		fputc('\n', out);
	free(list);
}

char *leak_text(const struct outcome *o)
{
	return xasprintf("leak: nothing points to %" PRIi64 " %s any more", o->code,
			 plural((uint64_t)o->code, "block", "blocks"));
}

void report_leaking(FILE *out, const struct analysis *a, uint64_t classes)
{
	const uint64_t others = a->run->nlooks - classes;

	if (others)
		fprintf(out, "  in %" PRIu64 " other %s it is freed, or something points to it\n", others,
			plural(others, "class", "classes"));
	else
		fputs("  in every class that was looked at\n", out);
}
