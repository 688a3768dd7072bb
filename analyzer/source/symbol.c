/* SPDX-License-Identifier: MIT
 *
 * Names of C++ in symbol tables are mangled. What reads them belongs to the library of C++, which is there
 * where programs are in C++; it is loaded when the first such name is met.
 */
#include "source/private.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static struct known {
	char *mangled, *shown;
} * known;
static size_t nknown, capacity;

static char *demangle(const char *name)
{
	static char *(*function)(const char *, char *, size_t *, int *);
	static bool looked;
	int status;

	if (!looked) {
		void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);

		*(void **)&function = library ? dlsym(library, "__cxa_demangle") : NULL;
		looked = true;
	}
	return function ? function(name, NULL, NULL, &status) : NULL;
}

/* Without arguments, those of templates too, and what is returned: "std::vector::at", as debug information
 * names functions. */
static char *without_arguments(char *name)
{
	char *to = name, *begin = name;
	unsigned depth = 0;

	char *shift = strstr(name, "operator<<");

	if (!shift)
		shift = strstr(name, "operator>>");
	if ((strstr(name, "operator") && !shift) || strstr(name, "{lambda"))
		return name;
	if (shift)
		shift[strlen("operator<<")] = '\0';
	for (const char *p = name; *p; p++) {
		if (!depth && !strncmp(p, "(anonymous namespace)", 21)) {
			p += 20;
			memcpy(to, "anonymous", 9);
			to += 9;
		} else if (p == shift) {
			memmove(to, p, strlen(p) + 1);
			to += strlen(to);
			break;
		} else if (*p == '<') {
			depth++;
		} else if (*p == '>') {
			depth -= depth > 0;
		} else if (!depth && *p == '(') {
			break;
		} else if (!depth) {
			if (*p == ' ')
				begin = to + 1;
			*to++ = *p;
		}
	}
	*to = '\0';
	memmove(name, begin, strlen(begin) + 1);
	return name;
}

const char *symbol_shown(const char *name)
{
	char *shown;

	if (!name || strncmp(name, "_Z", 2) != 0)
		return name;
	for (size_t i = 0; i < nknown; i++)
		if (!strcmp(known[i].mangled, name))
			return known[i].shown;
	shown = demangle(name);
	VEC_GROW(known, nknown, capacity);
	known[nknown++] = (struct known){ xstrdup(name), shown ? without_arguments(shown) : xstrdup(name) };
	return known[nknown - 1].shown;
}
