/* SPDX-License-Identifier: MIT
 *
 * What a statement says of the block that it allocates: the text of the call, and of its arguments.
 */
#include "source/wording.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STATEMENT 400
#define MAX_LINES     4 /* of a statement */

/* A piece of the text. */
struct span {
	const char *at, *end;
};

static bool of_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_blanks(const char *p)
{
	return p + strspn(p, " \t\n");
}

static struct span trim(struct span s)
{
	while (s.at < s.end && isspace((unsigned char)*s.at))
		s.at++;
	while (s.end > s.at && isspace((unsigned char)s.end[-1]))
		s.end--;
	return s;
}

static const char *find_word(struct span s, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = s.at; at + n <= s.end; at++)
		if (!strncmp(at, word, n) && (at == s.at || !of_word(at[-1])) && !of_word(at[n]))
			return at;
	return NULL;
}

/* Comments and what is in quotes becomes blanks, so that it is not read as code. */
static void blank_comments(char *p)
{
	while (*p) {
		const char *end = NULL;
		char quote = *p;

		if (!strncmp(p, "/*", 2))
			end = strstr(p + 2, "*/") ? strstr(p + 2, "*/") + 2 : p + strlen(p);
		else if (!strncmp(p, "//", 2))
			end = p + strcspn(p, "\n");
		if (end) {
			while (p < end)
				*p++ = ' ';
		} else if (quote == '"' || quote == '\'') {
			for (p++; *p && *p != quote; p++) {
				if (*p == '\\' && p[1])
					*p++ = ' ';
				*p = ' ';
			}
			p += *p != '\0';
		} else {
			p++;
		}
	}
}

/* From the beginning of the line to the end of the statement. */
static void read_statement(struct srcmap *m, const struct source_frame *f, char *text)
{
	const char *line = srcmap_line_text(m, f->file, f->line);
	size_t n = 0, column = line && f->column && f->column <= strlen(line) ? f->column - 1 : 0;
	char *end;

	*text = '\0';
	for (uint32_t i = 0; line && i < MAX_LINES && n < MAX_STATEMENT - 2; i++) {
		n += (size_t)snprintf(text + n, MAX_STATEMENT - n, "%s\n", line);
		line = srcmap_line_text(m, f->file, f->line + i + 1);
	}
	blank_comments(text);
	end = strlen(text) > column ? strchr(text + column, ';') : NULL;
	if (end)
		*end = '\0';
}

/* The bracket that closes the one at p, NULL. */
static const char *closing(const char *p)
{
	unsigned depth = 0;

	for (; *p; p++) {
		depth += *p == '(';
		depth -= *p == ')';
		if (!depth)
			return p;
	}
	return NULL;
}

/* Where the name that ends with the word at `at` begins: `std::`, `p->`. */
static const char *qualified(const char *text, const char *at)
{
	while (at > text && (of_word(at[-1]) || strchr(":.->", at[-1])))
		at--;
	return at;
}

/* The arguments of the call of that name that the column is in; without a column, of the only one. */
static bool find_call(const char *text, const char *name, uint32_t column, struct span *arguments)
{
	struct span rest = { text, text + strlen(text) };
	unsigned n = 0;

	for (const char *at; (at = find_word(rest, name)); rest.at = at + strlen(name)) {
		const char *open = skip_blanks(at + strlen(name)), *close = *open == '(' ? closing(open) : NULL;

		if (!close || (column && (text + column - 1 < qualified(text, at) || text + column - 1 > close)))
			continue;
		*arguments = (struct span){ open + 1, close };
		n++;
	}
	return n == 1;
}

static unsigned split(struct span s, struct span *arguments)
{
	unsigned n = 0, depth = 0;
	const char *begin = s.at;

	for (const char *p = s.at; p <= s.end && n < MAX_ARGUMENTS; p++) {
		if (p == s.end || (*p == ',' && !depth)) {
			arguments[n++] = trim((struct span){ begin, p });
			begin = p + 1;
		}
		depth += *p == '(' || *p == '[' || *p == '{';
		depth -= *p == ')' || *p == ']' || *p == '}';
	}
	return n;
}

static bool take_word(const char *p, char *word, size_t size, const char **behind)
{
	size_t n = 0;

	while (of_word(p[n]))
		n++;
	if (!n || n >= size || isdigit((unsigned char)*p))
		return false;
	memcpy(word, p, n);
	word[n] = '\0';
	*behind = skip_blanks(p + n);
	return true;
}

/* The last name of `const struct a::b`; what is behind it, or NULL. */
static const char *read_name(const char *p, struct wording *w)
{
	static const char *const tags[] = { "struct", "union", "class", "const", "typename" };

	for (;;) {
		bool again = false;

		p = skip_blanks(p);
		if (!strncmp(p, "::", 2))
			p = skip_blanks(p + 2);
		if (!take_word(p, w->name, sizeof w->name, &p))
			return NULL;
		for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
			again |= !strcmp(w->name, tags[i]);
		w->tagged |= again;
		if (strncmp(p, "::", 2) && !again)
			return p;
	}
}

/* What is behind the operand of `sizeof`, NULL. */
static const char *read_sizeof(const char *p, struct wording *w)
{
	bool brackets;

	p = skip_blanks(p);
	brackets = *p == '(';
	p = skip_blanks(p + brackets);
	w->pointee = *p == '*';
	p = read_name(p + w->pointee, w);
	if (!p || *p == '.' || *p == '[' || *p == '(' || !strncmp(p, "->", 2) || (brackets && *p != ')'))
		return NULL;
	return p + brackets;
}

/* Only what multiplies: no sums, no other functions. */
static bool multiplies(struct span s)
{
	for (const char *p = s.at; p < s.end; p++) {
		if (!strncmp(p, "->", 2))
			p++;
		else if (strchr("+-/%?:|&<>=~^,{", *p) || (*p == '(' && p > s.at && of_word(p[-1])))
			return false;
	}
	return true;
}

/* The argument of a call with a `sizeof` in it. */
static bool read_size(struct span argument, const char *at, struct wording *w)
{
	const char *behind = read_sizeof(at + strlen("sizeof"), w);
	struct span before = trim((struct span){ argument.at, at }), after = { behind, argument.end };

	if (!behind || behind > argument.end)
		return false;
	after = trim(after);
	if (multiplies(before) && multiplies(after) && !find_word(after, "sizeof")) {
		w->several |= before.at < before.end || after.at < after.end;
		return true;
	}
	w->more = true;
	return before.at == before.end && *after.at == '+';
}

/* `size`, or `n * size`. */
static bool read_variables(struct span s, struct wording *w)
{
	const char *p = s.at;

	for (;;) {
		if (w->nnames == sizeof w->names / sizeof *w->names ||
		    !take_word(p, w->names[w->nnames], sizeof *w->names, &p))
			return false;
		w->nnames++;
		if (p >= s.end)
			return true;
		if (*p != '*')
			return false;
		p = skip_blanks(p + 1);
	}
}

static enum wording_sort read_arguments(struct span s, unsigned which, struct wording *w)
{
	struct span arguments[MAX_ARGUMENTS];
	unsigned n = split(s, arguments), sizes = 0;

	w->several |= (which & (which - 1)) != 0;
	for (unsigned i = 0; i < n; i++) {
		const char *at = which & 1U << i ? find_word(arguments[i], "sizeof") : NULL;

		if (at && !read_size(arguments[i], at, w))
			return WORDING_NONE;
		sizes += at != NULL;
	}
	if (sizes)
		return sizes == 1 ? WORDING_TYPE : WORDING_NONE;
	for (unsigned i = 0; i < n; i++)
		if (which & 1U << i && !read_variables(arguments[i], w))
			return WORDING_NONE;
	w->several |= w->nnames > 1;
	return w->nnames ? WORDING_PARAMETERS : WORDING_NONE;
}

/* Not of `new (place) node`: there another block is used. */
static bool read_new(struct span s, struct wording *w)
{
	const char *p = find_word(s, "new");

	if (!p || find_word((struct span){ p + 1, s.end }, "new"))
		return false;
	p = skip_blanks(p + strlen("new"));
	if (*p == '(') {
		const char *close = closing(p);

		if (!close || !find_word((struct span){ p, close }, "nothrow"))
			return false;
		p = close + 1;
	}
	p = read_name(p, w);
	if (!p || *p == '*' || *p == '<')
		return false;
	w->by_new = true;
	w->several = *p == '[';
	if (w->several && isdigit((unsigned char)p[1])) {
		char *end;

		w->elements = strtoull(p + 1, &end, 0);
		w->elements = *end == ']' ? w->elements : 0;
	}
	return true;
}

enum wording_sort wording_read(struct srcmap *m, const struct source_frame *f, const struct asked *asked,
			       struct wording *w)
{
	static const struct {
		const char *name;
		unsigned arguments;
	} allocators[] = {
		{ "malloc", 1 },        { "calloc", 1 | 2 }, { "realloc", 2 }, { "reallocarray", 2 | 4 },
		{ "aligned_alloc", 2 }, { "memalign", 2 },   { "valloc", 1 },  { "pvalloc", 1 },
		{ "posix_memalign", 4 },
	};
	char text[MAX_STATEMENT];
	struct span all = { text, NULL }, arguments;
	const char *operator;

	*w = (struct wording){ .several = asked->several };
	read_statement(m, f, text);
	all.end = text + strlen(text);
	if (asked->callee && find_call(text, asked->callee, f->column, &arguments))
		return read_arguments(arguments, asked->arguments, w);
	for (size_t i = 0; !asked->callee && i < sizeof allocators / sizeof *allocators; i++)
		if (find_call(text, allocators[i].name, f->column, &arguments))
			return read_arguments(arguments, allocators[i].arguments, w);
	if (asked->callee && strncmp(asked->callee, "operator new", strlen("operator new")) != 0)
		return WORDING_NONE;
	operator = find_word(all, "operator");
	if (operator)
		return find_call(text, "new", 0, &arguments) ? read_arguments(arguments, 1, w) : WORDING_NONE;
	return read_new(all, w) ? WORDING_TYPE : WORDING_NONE;
}
