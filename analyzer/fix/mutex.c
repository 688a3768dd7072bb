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

/* Behind the #define that keeps a header from being read twice; 0: there is none. */
static uint32_t behind_guard(const struct unit *u, uint32_t at)
{
	const char *p = u->text + at + strspn(u->text + at, " \t\n"), *define;

	if (!strncmp(p, "#pragma once", 12))
		return edit_line_end(u, (uint32_t)(p - u->text)) + 1;
	if (strncmp(p, "#ifndef ", 8) != 0)
		return 0;
	define = strchr(p, '\n');
	if (!define || strncmp(define + 1, "#define ", 8) != 0)
		return 0;
	return edit_line_end(u, (uint32_t)(define + 1 - u->text)) + 1;
}

/* Behind the last #include, or what the file begins with. */
static uint32_t place_of_include(const struct unit *u)
{
	const char *last = NULL, *end;
	uint32_t at, guard;

	for (const char *p = u->text; (p = strstr(p, "#include")); p++)
		if (p == u->text || p[-1] == '\n')
			last = p;
	if (last)
		return edit_line_end(u, (uint32_t)(last - u->text)) + 1;
	end = !strncmp(u->text, "/*", 2) ? strstr(u->text, "*/") : NULL;
	at = end ? edit_line_end(u, (uint32_t)(end - u->text)) + 1 : 0;
	guard = behind_guard(u, at);
	return guard ? guard : at;
}

/* The line of a function or class, or that of the comment before it. */
static uint32_t place_before(const struct unit *u, uint32_t at)
{
	at = edit_line_start(u, at);

	while (at) {
		uint32_t line = edit_line_start(u, at - 1);

		if (line == at - 1 || u->text[line] == '}' || u->text[line] == '#')
			break;
		at = line;
	}
	return at;
}

void file_include(const struct unit *u, const char *header, struct edits *edits)
{
	uint32_t at = place_of_include(u);

	edit_replace(edits, at, at, xasprintf("#include %s\n", header));
}

void mutex_include(const struct unit *u, bool cplusplus, struct edits *edits)
{
	const char *header = cplusplus ? "<mutex>" : "<pthread.h>";

	if (!strstr(u->text, header) && (cplusplus || !u->has_pthread))
		file_include(u, header, edits);
}

void mutex_static(const struct unit *u, const struct node *first, const char *name,
		  struct edits *edits)
{
	const struct record *around = first->id ? unit_record(u, first->id) : NULL;
	uint32_t at = around && around->start < first->start && first->end < around->end
			      ? around->start
			      : first->start;

	at = place_before(u, at);
	mutex_include(u, u->cplusplus, edits);
	edit_replace(edits, at, at,
		     u->cplusplus ? xasprintf("static std::mutex %s;\n\n", name)
				  : xasprintf("static pthread_mutex_t %s = "
					      "PTHREAD_MUTEX_INITIALIZER;\n\n",
					      name));
}
