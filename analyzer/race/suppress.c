/* SPDX-License-Identifier: MIT */
#include "race/suppress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct suppressions {
	struct suppression {
		char *pattern;
		bool top;
	} * list;
	size_t n, capacity;
};

/* The part of the pattern up to `*` or the end, at the beginning of the text. */
static bool matches_here(const char *pattern, const char *text)
{
	for (; *pattern; pattern++) {
		if (*pattern == '*') {
			for (;; text++) {
				if (matches_here(pattern + 1, text))
					return true;
				if (!*text)
					return false;
			}
		}
		if (*pattern == '$' && !pattern[1])
			return !*text;
		if (*pattern != *text++)
			return false;
	}
	return true;
}

bool suppression_matches(const char *pattern, const char *text)
{
	if (*pattern == '^')
		return matches_here(pattern + 1, text);
	for (;; text++) {
		if (matches_here(pattern, text))
			return true;
		if (!*text)
			return false;
	}
}

static char *trimmed(char *line)
{
	size_t n;

	line += strspn(line, " \t");
	for (n = strlen(line); n > 0 && strchr(" \t\r\n", line[n - 1]); n--)
		line[n - 1] = '\0';
	return line;
}

static int add_line(struct suppressions *s, const char *file, unsigned number, const char *line,
		    struct error *e)
{
	static const char *const others[] = { "thread:", "mutex:", "signal:", "deadlock:",
					      "called_from_lib:" };
	bool top = !strncmp(line, "race_top:", 9);
	const char *pattern = top ? line + 9 : !strncmp(line, "race:", 5) ? line + 5 : NULL;

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!strncmp(line, others[i], strlen(others[i])))
			return 0;
	if (!pattern || !*pattern)
		return error_set(e, "%s:%u: expected race:PATTERN or race_top:PATTERN", file, number);
	VEC_GROW(s->list, s->n, s->capacity);
	s->list[s->n++] = (struct suppression){ xstrdup(pattern), top };
	return 0;
}

struct suppressions *suppressions_read(const char *file, struct error *e)
{
	struct suppressions *s;
	FILE *in = fopen(file, "r");
	char *line = NULL;
	size_t room = 0;
	unsigned number = 0;
	int result = 0;

	if (!in) {
		error_set(e, "%s: %s", file, strerror(errno));
		return NULL;
	}
	s = xcalloc(1, sizeof *s);
	while (result == 0 && getline(&line, &room, in) >= 0) {
		char *text = trimmed(line);

		number++;
		if (*text && *text != '#')
			result = add_line(s, file, number, text, e);
	}
	if (result == 0 && ferror(in))
		result = error_set(e, "%s: %s", file, strerror(errno));
	free(line);
	fclose(in);
	if (result == 0)
		return s;
	suppressions_free(s);
	return NULL;
}

void suppressions_free(struct suppressions *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		free(s->list[i].pattern);
	free(s->list);
	free(s);
}

static bool names(const struct suppression *p, const char *text)
{
	return text && suppression_matches(p->pattern, text);
}

static bool matches_access(const struct suppression *p, struct srcmap *map, const struct event *e)
{
	const struct source_frame *frames;
	uint32_t n = srcmap_frames(map, e->site, &frames);

	if (!p->top && names(p, srcmap_location(map, e->location)))
		return true;
	for (uint32_t i = n; i-- > 0;) {
		if (names(p, frames[i].function) || names(p, frames[i].file))
			return true;
		if (p->top)
			return false;
	}
	return false;
}

bool suppressions_match(const struct suppressions *s, struct srcmap *map, const struct trace *t,
			const struct race *r)
{
	for (size_t i = 0; s && i < s->n; i++)
		if (matches_access(&s->list[i], map, &t->events[r->first]) ||
		    matches_access(&s->list[i], map, &t->events[r->second]))
			return true;
	return false;
}
