/* SPDX-License-Identifier: MIT
 *
 * Looks up libc's functions behind those of the list, and refuses those that are refused.
 */
#include "interpose.h"

#include <dlfcn.h>

/* In the order of real.S, which the list gives both. */
static const struct {
	const char *name, *refusal;
} functions[] = {
#define WITH_REAL(name)       { #name, NULL },
#define REFUSE(name, message) { #name, message },
#include "functions.def"
};

#define COUNT (sizeof functions / sizeof *functions)

extern void *real_functions[COUNT] __attribute__((visibility("hidden")));

/* Of real.S: the entry's function. */
void *function_look_up(void **entry);
void *function_look_up(void **entry)
{
	const char *name = functions[entry - real_functions].name;
	void *found = dlsym(RTLD_NEXT, name);

	if (!found)
		die("libc has no %s", name);
	return *entry = found;
}

void functions_look_up(void)
{
	for (unsigned i = 0; i < COUNT; i++)
		function_look_up(&real_functions[i]);
}

/* Of hooks.S: the program calls the entry's function in an execution. */
void function_refused(void **entry) __attribute__((noreturn));
void function_refused(void **entry)
{
	die("%s", functions[entry - real_functions].refusal);
}
