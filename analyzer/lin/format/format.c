/* SPDX-License-Identifier: MIT */
#include "lin/format/scan.h"

#include <string.h>

/* In the order in which they are guessed: the most particular first. */
static const struct format *const formats[] = {
	&format_violin, &format_etcd, &format_kv,  &format_edn,
	&format_jsonl,  &format_text, &format_csv,
};

#define NFORMATS (sizeof formats / sizeof *formats)

const struct format *format_at(size_t i)
{
	return i < NFORMATS ? formats[i] : NULL;
}

const struct format *format_find(const char *name)
{
	for (size_t i = 0; i < NFORMATS; i++) {
		if (!strcmp(formats[i]->name, name))
			return formats[i];
	}
	return NULL;
}

/* A byte order mark is no part of the text. */
static size_t mark_size(const char *text, size_t size)
{
	return size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
}

const struct format *format_guess(const char *text, size_t size)
{
	char head[FORMAT_HEAD + 1];
	size_t mark = mark_size(text, size),
	       n = size - mark < FORMAT_HEAD ? size - mark : FORMAT_HEAD;

	memcpy(head, text + mark, n);
	head[n] = '\0';
	if (strspn(head, " \t\r\n") == n)
		return &format_text;
	for (size_t i = 0; i < NFORMATS; i++) {
		if (formats[i]->guess(head, n))
			return formats[i];
	}
	return NULL;
}

int format_parse(struct history *h, const char *name, const char *text, size_t size,
		 const struct format *format, struct error *e)
{
	struct scan s = { .name = name, .end = text + size, .p = text, .line = 1, .h = h, .e = e };

	s.p += mark_size(text, size);
	s.line_start = s.p;
	if (!format)
		format = format_guess(text, size);
	if (!format)
		return scan_fail(&s, s.p,
				 "a history in a known format (say --format if this is one)");
	return format->read(&s);
}
