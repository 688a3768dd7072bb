/* SPDX-License-Identifier: MIT
 *
 * Looks up libc's functions behind those of the list, and ends the run when a refused one is
 * called.
 */
#include "interpose.h"

#include <dlfcn.h>

/* In the same order as in real.S: both come from the list. */
static const struct {
	const char *name, *refusal, *arguments;
} functions[] = {
#define WITH_REAL(name)                    { #name, NULL, NULL },
#define REFUSE(name, message)              { #name, message, NULL },
#define UNSEEN_CALL(name, arguments, note) { #name, NULL, arguments },
#define CHANGES(name, arguments, note)     { #name, NULL, arguments },
#include "functions.def"
};

#define COUNT (sizeof functions / sizeof *functions)

extern void *real_functions[COUNT] __attribute__((visibility("hidden")));

/* Called by real.S. The result is libc's function for the entry. */
void *function_look_up(void **entry);
void *function_look_up(void **entry)
{
	const char *name = functions[entry - real_functions].name;
	void *found = active() ? NULL : dlsym(RTLD_NEXT, name);

	/* A library that was opened has these for itself, or for all. */
	if (!found)
		found = library_function("libm.so.6", name);
	if (!found)
		found = library_function("libstdc++.so.6", name);
	if (!found)
		die("libc has no %s", name);
	/* What comes in an execution goes with it. */
	if (!active())
		*entry = found;
	return found;
}

void functions_look_up(void)
{
	for (unsigned i = 0; i < COUNT; i++) {
		void *found = dlsym(RTLD_NEXT, functions[i].name);

		if (found)
			real_functions[i] = found;
		else if (!functions[i].arguments)
			die("libc has no %s", functions[i].name);
		/* Not every libc has those that are only looked at; those of libm and libstdc++ may come later. */
	}
	given_look_up();
}

/* Called by hooks.S: the program has called a refused function in an execution. */
void function_refused(void **entry) __attribute__((noreturn));
void function_refused(void **entry)
{
	refuse("%s", functions[entry - real_functions].refusal);
}

void **function_entry(const char *name)
{
	unsigned i = 0;

	while (!equal(functions[i].name, name))
		i++;
	return &real_functions[i];
}

const char *function_arguments(void **entry, const char **name)
{
	*name = functions[entry - real_functions].name;
	return functions[entry - real_functions].arguments;
}
