/* SPDX-License-Identifier: MIT */
#include "report/moved.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool of_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The word at *text or behind; NULL. *text is then behind it. */
static const char *next_word(const char **text, size_t *length)
{
	const char *word;

	while (**text && !of_word(**text))
		++*text;
	word = *text;
	while (of_word(**text))
		++*text;
	*length = (size_t)(*text - word);
	return *length ? word : NULL;
}

static bool has_word(const char *text, const char *word, size_t length)
{
	const char *w;
	size_t n;

	while ((w = next_word(&text, &n)) != NULL)
		if (n == length && !memcmp(w, word, n))
			return true;
	return false;
}

/* Is this word of a line a member of the variable, and not one of the same name of another? In C++ a reference
 * may be any name, and a method needs none. */
static bool is_member(const char *line, const char *word, const char *variable, bool c)
{
	const char *before = word;
	size_t length = 0;

	if (!c || (word - line >= 2 && word[-2] == '-' && word[-1] == '>'))
		return true;
	if (word == line || word[-1] != '.')
		return false;
	before--;
	while (before > line && of_word(before[-1]))
		before--, length++;
	return !length || has_word(variable, before, length);
}

/* Can what stands at this word of a line be changed there? */
static bool assigned(const char *line, const char *word, const char *behind)
{
	if (word > line && (word[-1] == '&' || word[-1] == '+' || word[-1] == '-' || word[-1] == '.' || word[-1] == '>'))
		return true;
	for (; *behind; behind++) {
		if (!strncmp(behind, "++", 2) || !strncmp(behind, "--", 2))
			return true;
		if (*behind == '=' && behind[1] == '=')
			behind++;
		else if (*behind == '=' && !strchr("<>!", behind[-1]))
			return true;
		else if (*behind == '=' && behind[-2] == behind[-1]) /* <<= */
			return true;
	}
	return false;
}

/* Does the line name this: `table.slots[3]`, perhaps accessed as `t->slots[i]`? c: it is in C; write: to change
 * it. */
static bool names(const char *line, const char *variable, bool c, bool write)
{
	const char *at = line, *word, *rest = variable;
	size_t length, first;

	next_word(&rest, &first);
	while ((word = next_word(&at, &length)) != NULL) {
		if (length == first && !memcmp(word, variable, length) &&
		    (!c || !write || assigned(line, word, at)))
			return true;
		if (has_word(rest, word, length) && is_member(line, word, variable, c))
			return true;
	}
	return false;
}

/* Does the line use what a pointer, or an array of any name, leads to? */
static bool dereferences(const char *line)
{
	const char *start = line, *word;
	size_t length;

	if (strstr(line, "->"))
		return true;
	while ((word = next_word(&line, &length)) != NULL) {
		if (word > start && word[-1] == '*')
			return true;
		if (*line == '[' && (word == start || word[-1] != '.'))
			return true;
	}
	return false;
}

/* Is the word one as macros are called? */
static bool shouted(const char *word, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (islower((unsigned char)word[i]))
			return false;
	return length > 1 && isupper((unsigned char)*word);
}

/* Does the line call a function, or use a macro, as it seems? */
static bool calls(const char *line)
{
	static const char *const none[] = { "if", "while", "for", "switch", "return", "sizeof", "assert" };
	const char *word;
	size_t length;

	while ((word = next_word(&line, &length)) != NULL) {
		bool keyword = false;

		for (size_t i = 0; i < sizeof none / sizeof *none; i++)
			keyword |= strlen(none[i]) == length && !memcmp(word, none[i], length);
		if (!keyword && (line[strspn(line, " \t")] == '(' || shouted(word, length)))
			return true;
	}
	return false;
}

/* Not `heap T0#1+8`, nor an address in a module. */
static bool is_variable(const char *text)
{
	return (isalpha((unsigned char)*text) || *text == '_') && !strpbrk(text, " +");
}

static bool of_memory(const struct event *e)
{
	return e->location != NONE && (e->kind == LP_EV_READ || e->kind == LP_EV_WRITE || e->kind == LP_EV_RMW ||
				       e->kind == LP_EV_CAS_FAIL);
}

/* Does a statement end with this line? NULL: there is no such line. */
static bool ends_statement(const char *line)
{
	size_t n = line ? strlen(line) : 0;

	if (line && strstr(line, "//"))
		n = (size_t)(strstr(line, "//") - line);
	while (n && isspace((unsigned char)line[n - 1]))
		n--;
	return !n || strchr(";{}:/#", line[n - 1]) || line[strspn(line, " \t")] == '#';
}

/* The statement that goes on at *line, which is then behind it; NULL: there is no such line. Free it. */
static char *next_statement(struct srcmap *m, const char *file, uint32_t *line)
{
	char *statement = NULL;
	const char *text;

	while ((text = srcmap_line_text(m, file, *line)) != NULL) {
		char *longer = xasprintf("%s %s", statement ? statement : "", text);

		free(statement);
		statement = longer;
		++*line;
		if (ends_statement(text))
			break;
	}
	return statement;
}

/* Compilers say of an access at which line it is, or at which one its statement begins. */
static bool told_by_lines(struct srcmap *m, const struct block *b, const char *variable, bool write)
{
	const char *end = strrchr(b->file, '.');
	bool c = end && !strcmp(end, ".c"), told = false;
	uint32_t line = b->first;

	while (line > 1 && !ends_statement(srcmap_line_text(m, b->file, line - 1)))
		line--;
	while (!told && line <= b->last) {
		char *text = next_statement(m, b->file, &line);

		told = !text || calls(text) || dereferences(text) || names(text, variable, c, write);
		free(text);
	}
	return told;
}

bool moved_into(struct srcmap *m, const struct closure *c, const struct block *b, uint32_t *site,
		uint32_t *location)
{
	const struct trace *t;

	for (uint32_t i = 0; (t = closure_trace(c, i)) != NULL; i++)
		for (uint32_t k = 0; k < t->nevents; k++) {
			const struct event *e = &t->events[k];
			const struct source_frame *f = of_memory(e) ? srcmap_own_frame(m, e->site) : NULL;

			if (!f || !f->function || !f->file || f->line < b->first || f->line > b->last ||
			    strcmp(f->function, b->function) != 0 || strcmp(f->file, b->file) != 0 ||
			    !is_variable(srcmap_location(m, e->location)) || !srcmap_optimized(m, e->site) ||
			    told_by_lines(m, b, srcmap_location(m, e->location),
					  e->kind == LP_EV_WRITE))
				continue;
			*site = e->site;
			*location = e->location;
			return true;
		}
	return false;
}
