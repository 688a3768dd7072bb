/* SPDX-License-Identifier: MIT
 *
 * Which build was explored. Two results of one build must be the same: if they are not, that is a fault of
 * linchpin, so what counts as one build must hold all that a result may depend on.
 */
#include "nightly/result.h"
#include "base/digest.h"
#include "source/build_id.h"
#include "source/libraries.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Free what is returned; "-" if it has none. */
static char *add_module(struct digest *d, const char *path)
{
	char *id = build_id_of_file(path);

	if (!id || !strcmp(id, "-"))
		digest_file(d, path);
	else
		digest_text(d, id);
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
	struct digest d = DIGEST_NEW;
	char text[DIGEST_SIZE];
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
	digest_file(&d, beside);
	free(beside);
	free(program);
	for (uint32_t i = 0; i < t->options.n; i++) {
		const char *value = strchr(t->options.list[i], '=');

		digest_text(&d, t->options.list[i]);
		digest_file(&d, value ? value + 1 : t->options.list[i]);
	}
	for (uint32_t i = 0; i < t->command.n; i++) {
		digest_text(&d, t->command.list[i]);
		if (i)
			digest_file(&d, t->command.list[i]);
	}
	free(add_module(&d, "/proc/self/exe"));
	digest_text(&d, LINCHPIN_VERSION);
	digest_print(&d, text);
	return xstrdup(d.unknown ? "" : text);
}
