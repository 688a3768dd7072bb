/* SPDX-License-Identifier: MIT
 *
 * base/ is what every other part of the analyzer needs: memory, errors, numbered keys, text in
 * columns. It includes no other folder.
 *
 * What every part of the analyzer needs: exit codes, errors, memory.
 *
 * Errors go one way: a function that can fail because of its input returns a negative number (or
 * NULL) and fills a struct error; the subcommand prints it and returns EXIT_MISUSE. If there is no
 * memory, the program ends with one message and EXIT_MISUSE (xmalloc and the like never return
 * NULL).
 */
#ifndef LINCHPIN_BASE_UTIL_H
#define LINCHPIN_BASE_UTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum exit_code {
	EXIT_CLEAN = 0, /* nothing found within the stated bound */
	EXIT_VIOLATION = 1,
	EXIT_MISUSE = 2,     /* misuse or set-up error */
	EXIT_UNFINISHED = 3, /* unknown, or search not finished under --require-complete */
};

/* No such index. */
#define NONE UINT32_MAX

struct error {
	char message[1024];
};

/* Formats the message (truncating it if need be) and returns -1. `e` may be NULL. */
int error_set(struct error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints "linchpin: MESSAGE" to stderr and returns EXIT_MISUSE. */
int error_print(const struct error *e);

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *p, size_t size); /* size 0 is taken as 1 */
void *xreallocarray(void *p, size_t count, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Makes room for one more element in a growing array: VEC_GROW(array, used, capacity). */
#define VEC_GROW(array, used, capacity)                                                            \
	do {                                                                                       \
		if ((used) == (capacity)) {                                                        \
			(capacity) = (capacity) ? (capacity)*2 : 16;                               \
			(array) = xreallocarray((array), (capacity), sizeof *(array));             \
		}                                                                                  \
	} while (0)

/* What follows the last slash of a path. */
const char *base_name(const char *path);

/* The text of a specification that was only guessed begins with this mark. What follows it, or
 * NULL. */
#define SPEC_GUESS "guess "
const char *spec_guessed(const char *text);

/* Seconds of the monotonic clock. */
double now_seconds(void);

/* The word that goes with a count: "1 class", "2 classes". */
static inline const char *plural(uint64_t n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}

/* A whole number without sign or trailing text; -1 and *e otherwise. */
int parse_number(const char *text, const char *what, uint64_t *value, struct error *e);

/* A 64-bit mix of two words (for hash tables; not against an attacker). */
static inline uint64_t hash_mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ULL;
	return h ^ (h >> 29);
}

/* The whole file as a NUL-terminated string; *size excludes the NUL. NULL and *e on failure. Free
 * it. */
char *read_file(const char *path, size_t *size, struct error *e);
char *read_file_in(const char *directory, const char *name, size_t *size, struct error *e);

#endif
