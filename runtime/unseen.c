/* SPDX-License-Identifier: MIT
 *
 * What was not seen, said once for each text.
 */
#include "unseen.h"
#include "memory.h"
#include "state.h"
#include "trace.h"

#include <stdarg.h>

#define MOST 64 /* as many as a trace has */

/* Some is said once in the process: of libraries that are loaded, and of what constructors have done. So
 * all is said again when the search begins again. */
static struct {
	const char *texts[MOST];
	unsigned n;
} * said;

void unseen_init(void)
{
	said = memory_get(sizeof *said);
}

static void remember(const struct text *t)
{
	char *kept;

	for (unsigned i = 0; i < said->n; i++)
		if (equal(said->texts[i], t->s))
			return;
	if (said->n == MOST)
		return;
	kept = memory_get(t->n);
	copy(kept, t->s, t->n);
	said->texts[said->n++] = kept;
}

static void note_unseen(const char *text)
{
	rt->status->limits |= LP_LIMIT_UNSEEN;
	trace_note(text);
}

void unseen_again(void)
{
	for (unsigned i = 0; i < said->n; i++)
		note_unseen(said->texts[i]);
}

void unseen(const char *what, ...)
{
	struct text t = { 0 };
	va_list parts;

	va_start(parts, what);
	for (; what; what = va_arg(parts, const char *))
		text_add(&t, "%s", what);
	va_end(parts);
	text_add(&t, "%c", '\0');
	remember(&t);
	note_unseen(t.s);
}
