/* SPDX-License-Identifier: MIT */
#include "fix/flags.h"

#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void flags_add(struct flags *f, const char *flag)
{
	VEC_GROW(f->list, f->n, f->capacity);
	f->list[f->n++] = xstrdup(flag);
}

void flags_free(struct flags *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->list[i]);
	free(f->list);
	free(f->from);
	*f = (struct flags){ 0 };
}

/* Words of a command as a shell would see them: quotes and backslashes, nothing else. */
static void split(const char *command, struct flags *words)
{
	while (*command) {
		char *word = xmalloc(strlen(command) + 1);
		size_t n = 0;
		char quote = 0;

		while (isspace((unsigned char)*command))
			command++;
		for (; *command && (quote || !isspace((unsigned char)*command)); command++) {
			if (quote ? *command == quote : (*command == '"' || *command == '\'')) {
				quote = quote ? 0 : *command;
			} else {
				if (*command == '\\' && quote != '\'' && command[1])
					command++;
				word[n++] = *command;
			}
		}
		word[n] = '\0';
		if (n)
			flags_add(words, word);
		free(word);
	}
}

/* Is a word the file that is compiled, rather than an option? */
static bool is_source(const char *word)
{
	static const char *const ends[] = { ".c", ".cc", ".cpp", ".cxx", ".C", ".i", ".s", ".S" };
	const char *dot = strrchr(word, '.');

	for (size_t i = 0; *word != '-' && dot && i < sizeof ends / sizeof *ends; i++)
		if (!strcmp(dot, ends[i]))
			return true;
	return false;
}

/* What is not about the meaning of the file goes. */
static void keep(const struct flags *words, const char *directory, struct flags *f)
{
	flags_add(f, "-working-directory");
	flags_add(f, directory);
	for (size_t i = 1; i < words->n; i++) {
		const char *w = words->list[i];
		bool with_next = !strcmp(w, "-o") || !strcmp(w, "-MF") || !strcmp(w, "-MT") ||
				 !strcmp(w, "-MQ") || !strcmp(w, "--param");

		if (with_next) {
			i++;
			continue;
		}
		if (!strcmp(w, "-c") || !strncmp(w, "-M", 2) || !strncmp(w, "-fsanitize", 10) ||
		    !strncmp(w, "--param", 7) || is_source(w))
			continue;
		flags_add(f, w);
	}
}

static bool is_file(const char *directory, const char *file, const char *wanted)
{
	char *path = *file == '/' ? xstrdup(file) : xasprintf("%s/%s", directory, file);
	char *real = realpath(path, NULL);
	bool same = real && !strcmp(real, wanted);

	free(real);
	free(path);
	return same;
}

static bool read_database(const char *path, const char *wanted, struct flags *f)
{
	json_t *all = json_load_file(path, 0, NULL), *one;
	size_t i;
	bool found = false;

	json_array_foreach(all, i, one)
	{
		const char *directory = json_string_value(json_object_get(one, "directory"));
		const char *file = json_string_value(json_object_get(one, "file"));
		const char *command = json_string_value(json_object_get(one, "command"));
		json_t *list = json_object_get(one, "arguments"), *word;
		struct flags words = { 0 };
		size_t k;

		if (found || !directory || !file || !is_file(directory, file, wanted))
			continue;
		if (command)
			split(command, &words);
		json_array_foreach(list, k, word) if (json_is_string(word))
			flags_add(&words, json_string_value(word));
		keep(&words, directory, f);
		flags_free(&words);
		found = true;
	}
	json_decref(all);
	return found;
}

void flags_find(const char *file, struct flags *f)
{
	static const char *const below[] = { "", "/build", "/builddir", "/out" };
	char *real = realpath(file, NULL), *directory = real ? xstrdup(real) : NULL, *slash;

	while (directory && !f->from && (slash = strrchr(directory, '/'))) {
		*slash = '\0';
		for (size_t i = 0; i < sizeof below / sizeof *below && !f->from; i++) {
			char *path = xasprintf("%s%s/compile_commands.json", directory, below[i]);

			if (access(path, R_OK) == 0 && read_database(path, real, f))
				f->from = xstrdup(path);
			free(path);
		}
	}
	free(directory);
	free(real);
}
