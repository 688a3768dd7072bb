/* SPDX-License-Identifier: MIT
 *
 * Source files: how they are shown, and their text.
 */
#include "source/private.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SOURCE_SIZE (64 << 20)

/* Takes "//", "/./" and "/x/../" out of an absolute path, by its text only. */
static void normalise(char *path)
{
	char *to = path, *from = path;

	while (*from) {
		size_t n = strcspn(from + 1, "/");

		if (n == 0 || (n == 1 && from[1] == '.')) {
			from += 1 + n;
		} else if (n == 2 && from[1] == '.' && from[2] == '.') {
			while (to > path && *--to != '/')
				;
			from += 3;
		} else {
			memmove(to, from, n + 1);
			to += n + 1;
			from += n + 1;
		}
	}
	if (to == path)
		*to++ = '/';
	*to = '\0';
}

static char *absolute(const char *directory, const char *path)
{
	char *s = path[0] == '/'
			  ? xstrdup(path)
			  : xasprintf("%s%s/%s", directory[0] == '/' ? "" : "/", directory, path);

	normalise(s);
	return s;
}

static char *shown_name(struct source_files *files, const char *path)
{
	size_t n;

	if (!files->cwd) {
		files->cwd = getcwd(NULL, 0);
		if (!files->cwd)
			files->cwd = xstrdup("/");
	}
	n = strlen(files->cwd);
	if (n > 1 && !strncmp(path, files->cwd, n) && path[n] == '/')
		return xstrdup(path + n + 1);
	return xstrdup(path);
}

const char *files_name(struct source_files *files, const char *directory, const char *path)
{
	struct source_file *f;
	char *raw = absolute(directory, path);

	for (uint32_t i = 0; i < files->nfiles; i++) {
		f = files->files[(files->last + i) % files->nfiles];
		if (!strcmp(f->raw, raw)) {
			files->last = (files->last + i) % files->nfiles;
			free(raw);
			return f->shown;
		}
	}
	f = xcalloc(1, sizeof *f);
	f->raw = raw;
	f->shown = shown_name(files, raw);
	VEC_GROW(files->files, files->nfiles, files->capacity);
	files->files[files->nfiles++] = f;
	return f->shown;
}

/* Debug information can name anything; only regular files of a reasonable size are read. */
static char *read_source(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	char *text = NULL;
	size_t used = 0;
	ssize_t n;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= MAX_SOURCE_SIZE) {
		text = xmalloc((size_t)st.st_size + 1);
		while (used < (size_t)st.st_size &&
		       (n = read(fd, text + used, (size_t)st.st_size - used)) > 0)
			used += (size_t)n;
		text[used] = '\0';
	}
	close(fd);
	return text;
}

static void find_lines(struct source_file *f)
{
	uint32_t capacity = 0;
	char *line;

	f->cut = xstrdup(f->text);
	for (char *p = f->cut; (line = strsep(&p, "\n"));) {
		line[strcspn(line, "\r")] = '\0';
		VEC_GROW(f->lines, f->nlines, capacity);
		f->lines[f->nlines++] = (uint32_t)(line - f->cut);
	}
}

const struct source_file *files_text(struct source_files *files, const char *shown)
{
	for (uint32_t i = 0; shown && i < files->nfiles; i++) {
		struct source_file *f = files->files[i];

		if (f->shown != shown && strcmp(f->shown, shown))
			continue;
		if (!f->read) {
			f->read = true;
			f->text = read_source(f->raw);
			if (f->text)
				find_lines(f);
		}
		return f->text ? f : NULL;
	}
	return NULL;
}

void files_free(struct source_files *files)
{
	for (uint32_t i = 0; i < files->nfiles; i++) {
		free(files->files[i]->raw);
		free(files->files[i]->shown);
		free(files->files[i]->text);
		free(files->files[i]->cut);
		free(files->files[i]->lines);
		free(files->files[i]);
	}
	free(files->files);
	free(files->cwd);
}
