/* SPDX-License-Identifier: MIT
 *
 * Which build was explored. Two results of one build must be the same: if they are not, that is a fault of
 * linchpin, so what counts as one build must hold all that a result may depend on.
 */
#include "nightly/result.h"
#include "source/build_id.h"
#include "source/libraries.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE (16 << 20)

struct digest {
	uint64_t a, b;
	bool unknown;
};

static void add_bytes(struct digest *d, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		d->a = hash_mix(d->a, (unsigned char)bytes[i]);
		d->b = hash_mix(d->b, d->a + i);
	}
	d->a = hash_mix(d->a, 0x100 + n);
}

static void add_text(struct digest *d, const char *text)
{
	add_bytes(d, text, strlen(text));
}

/* A file by its contents; what is none says nothing. */
static void add_file(struct digest *d, const char *path)
{
	struct stat st;
	size_t size;
	char *text;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	text = st.st_size <= MAX_FILE ? read_file(path, &size, NULL) : NULL;
	if (text)
		add_bytes(d, text, size);
	else
		d->unknown = true;
	free(text);
}

/* Free what is returned; "-" if it has none. */
static char *add_module(struct digest *d, const char *path)
{
	char *id = build_id_of_file(path);

	if (!id || !strcmp(id, "-"))
		add_file(d, path);
	else
		add_text(d, id);
	return id ? id : xstrdup("-");
}

/* Where a command is, as execvp would find it; NULL: nowhere. Free it. */
static char *find_program(const char *name)
{
	const char *path = getenv("PATH");

	if (strchr(name, '/'))
		return xstrdup(name);
	while (path && *path) {
		size_t n = strcspn(path, ":");
		char *file = xasprintf("%.*s/%s", (int)n, path, name);

		if (access(file, X_OK) == 0)
			return file;
		free(file);
		path += n + (path[n] == ':');
	}
	return NULL;
}

char *result_build(const struct suite_test *t, char **id)
{
	struct digest d = { 0x9e3779b97f4a7c15ULL, 0x2545f4914f6cdd1dULL, false };
	char *program = find_program(t->command.list[0]), *beside;
	char **libraries;
	size_t n = 0;

	*id = xstrdup("-");
	if (!program)
		return xstrdup("");
	free(*id);
	*id = add_module(&d, program);
	libraries = libraries_of(program, &n);
	for (size_t i = 0; libraries && i < n; i++) {
		free(add_module(&d, libraries[i]));
		free(libraries[i]);
	}
	free(libraries);
	beside = xasprintf("%s.lin", program);
	add_file(&d, beside);
	free(beside);
	free(program);
	for (uint32_t i = 0; i < t->options.n; i++) {
		const char *value = strchr(t->options.list[i], '=');

		add_text(&d, t->options.list[i]);
		add_file(&d, value ? value + 1 : t->options.list[i]);
	}
	for (uint32_t i = 0; i < t->command.n; i++) {
		add_text(&d, t->command.list[i]);
		if (i)
			add_file(&d, t->command.list[i]);
	}
	free(add_module(&d, "/proc/self/exe"));
	add_text(&d, LINCHPIN_VERSION);
	return d.unknown ? xstrdup("")
			 : xasprintf("%016llx%016llx", (unsigned long long)d.a, (unsigned long long)d.b);
}
