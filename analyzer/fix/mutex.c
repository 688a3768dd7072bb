/* SPDX-License-Identifier: MIT */
#include "fix/mutex.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = text; (p = strstr(p, word)); p += n) {
		bool before = p > text && (isalnum((unsigned char)p[-1]) || p[-1] == '_');

		if (!before && !isalnum((unsigned char)p[n]) && p[n] != '_')
			return true;
	}
	return false;
}

char *mutex_name(const struct unit *u, const struct node *function)
{
	char *name = xasprintf("%s_lock", function->name);

	for (unsigned i = 2; has_word(u->text, name); i++) {
		free(name);
		name = xasprintf("%s_lock%u", function->name, i);
	}
	return name;
}

/* Behind the last #include, or the comment that the file begins with. */
static uint32_t place_of_include(const struct unit *u)
{
	const char *last = NULL, *end;

	for (const char *p = u->text; (p = strstr(p, "#include")); p++)
		if (p == u->text || p[-1] == '\n')
			last = p;
	if (last)
		return edit_line_end(u, (uint32_t)(last - u->text)) + 1;
	end = !strncmp(u->text, "/*", 2) ? strstr(u->text, "*/") : NULL;
	return end ? edit_line_end(u, (uint32_t)(end - u->text)) + 1 : 0;
}

/* The function's line, or that of the comment before it. */
static uint32_t place_before(const struct unit *u, const struct node *f)
{
	uint32_t at = edit_line_start(u, f->start);

	while (at) {
		uint32_t line = edit_line_start(u, at - 1);

		if (line == at - 1 || u->text[line] == '}' || u->text[line] == '#')
			break;
		at = line;
	}
	return at;
}

void mutex_static(const struct unit *u, const struct node *first, const char *name,
		  struct edits *edits)
{
	uint32_t at = place_before(u, first);

	if (!u->has_pthread) {
		uint32_t include = place_of_include(u);

		edit_replace(edits, include, include, xstrdup("#include <pthread.h>\n"));
	}
	edit_replace(edits, at, at,
		     xasprintf("static pthread_mutex_t %s = PTHREAD_MUTEX_INITIALIZER;\n\n", name));
}
