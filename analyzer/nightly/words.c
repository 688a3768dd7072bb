/* SPDX-License-Identifier: MIT */
#include "nightly/suite.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void words_add(struct words *w, char *word)
{
	VEC_GROW(w->list, w->n, w->capacity);
	w->list[w->n++] = word;
}

void words_copy(struct words *to, const struct words *from)
{
	for (uint32_t i = 0; i < from->n; i++)
		words_add(to, xstrdup(from->list[i]));
}

void words_free(struct words *w)
{
	for (uint32_t i = 0; i < w->n; i++)
		free(w->list[i]);
	free(w->list);
	*w = (struct words){ 0 };
}

int words_split(const char *line, struct words *to, struct error *e)
{
	const char *p = line;

	for (;;) {
		char *word, *end;

		p += strspn(p, " \t");
		if (!*p)
			return 0;
		word = end = xmalloc(strlen(p) + 1);
		while (*p && *p != ' ' && *p != '\t') {
			char quote = *p == '\'' || *p == '"' ? *p++ : '\0';

			while (*p && (quote ? *p != quote : !strchr(" \t'\"", *p))) {
				if (*p == '\\' && quote != '\'' && p[1])
					p++;
				*end++ = *p++;
			}
			if (quote && !*p) {
				free(word);
				return error_set(e, "a quote is not closed");
			}
			p += quote != '\0';
		}
		*end = '\0';
		words_add(to, word);
	}
}

static bool plain(const char *word)
{
	if (!*word)
		return false;
	for (; *word; word++)
		if (!isalnum((unsigned char)*word) && !strchr("_-./=:,+@%^", *word))
			return false;
	return true;
}

char *words_join(const struct words *w)
{
	char *all = NULL;
	size_t size;
	FILE *to = open_memstream(&all, &size);

	if (!to)
		return xstrdup("");
	for (uint32_t i = 0; i < w->n; i++) {
		if (i)
			putc(' ', to);
		if (plain(w->list[i])) {
			fputs(w->list[i], to);
			continue;
		}
		putc('\'', to);
		for (const char *p = w->list[i]; *p; p++)
			if (*p == '\'')
				fputs("'\\''", to);
			else
				putc(*p, to);
		putc('\'', to);
	}
	fclose(to);
	return all;
}
