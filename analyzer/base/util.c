/* SPDX-License-Identifier: MIT */
#include "base/util.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int error_set(struct error *e, const char *format, ...)
{
	va_list args;

	if (!e)
		return -1;
	va_start(args, format);
	vsnprintf(e->message, sizeof e->message, format, args);
	va_end(args);
	return -1;
}

int error_print(const struct error *e)
{
	fprintf(stderr, "linchpin: %s\n", e->message);
	return EXIT_MISUSE;
}

static void *checked(void *p)
{
	if (!p) {
		fputs("linchpin: out of memory\n", stderr);
		exit(EXIT_MISUSE);
	}
	return p;
}

void *xmalloc(size_t size)
{
	return checked(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size ? size : 1));
}

void *xrealloc(void *p, size_t size)
{
	return checked(realloc(p, size ? size : 1));
}

void *xreallocarray(void *p, size_t count, size_t size)
{
	return checked(reallocarray(p, count ? count : 1, size));
}

char *xstrdup(const char *s)
{
	return checked(strdup(s));
}

char *xstrndup(const char *s, size_t n)
{
	return checked(strndup(s, n));
}

char *xasprintf(const char *format, ...)
{
	va_list args;
	char *s = NULL;

	va_start(args, format);
	if (vasprintf(&s, format, args) < 0)
		s = NULL;
	va_end(args);
	return checked(s);
}

double now_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

char *read_file(const char *path, size_t *size, struct error *e)
{
	FILE *f = fopen(path, "rb");
	char *data = NULL;
	size_t used = 0, capacity = 0;

	if (!f) {
		error_set(e, "%s: %s", path, strerror(errno));
		return NULL;
	}
	do {
		capacity = capacity ? capacity * 2 : 65536;
		data = xrealloc(data, capacity + 1);
		used += fread(data + used, 1, capacity - used, f);
	} while (used == capacity);
	if (ferror(f)) {
		error_set(e, "%s: %s", path, strerror(errno));
		free(data);
		fclose(f);
		return NULL;
	}
	fclose(f);
	data[used] = '\0';
	*size = used;
	return data;
}

char *read_file_in(const char *directory, const char *name, size_t *size, struct error *e)
{
	char *path = xasprintf("%s/%s", directory, name);
	char *text = read_file(path, size, e);

	free(path);
	return text;
}

int parse_number(const char *text, const char *what, uint64_t *value, struct error *e)
{
	char *end;

	errno = 0;
	if (isdigit((unsigned char)text[0])) {
		*value = strtoull(text, &end, 10);
		if (!*end && !errno)
			return 0;
	}
	return error_set(e, "%s must be a whole number, not `%s`", what, text);
}

const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *spec_guessed(const char *text)
{
	size_t n = strlen(SPEC_GUESS);

	return strncmp(text, SPEC_GUESS, n) ? NULL : text + n;
}
