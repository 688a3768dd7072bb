/* SPDX-License-Identifier: MIT */
#include "parts/left.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int left_read(const char *directory, struct left *l, struct error *e)
{
	char *rest;
	size_t size;
	bool whole = false;

	*l = (struct left){ .text = read_file_in(directory, "left", &size, e) };
	if (!l->text)
		return -1;
	rest = l->text;
	for (char *line; !whole && (line = strsep(&rest, "\n")) != NULL && rest;) {
		if (!strcmp(line, "end")) {
			whole = true;
		} else if (!strcmp(line, "restart")) {
			l->restart = true;
		} else if (!livelocks_line(&l->livelocks, line)) {
			VEC_GROW(l->lines, l->nlines, l->capacity);
			l->lines[l->nlines++] = line;
		}
	}
	if (whole)
		return 0;
	left_free(l);
	return error_set(e, "%s/left is damaged", directory);
}

void left_free(struct left *l)
{
	free(l->text);
	free(l->lines);
	livelocks_free(&l->livelocks);
	*l = (struct left){ 0 };
}

bool left_is_there(const char *directory)
{
	char *path = xasprintf("%s/left", directory);
	bool there = access(path, F_OK) == 0;

	free(path);
	return there;
}
