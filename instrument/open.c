/* SPDX-License-Identifier: MIT
 *
 * dlopen. A library that the program loads in an execution comes too late to be instrumented, and
 * goes at the end of the execution: it is told. What constructors have loaded before main is
 * instrumented like any other.
 */
#include "../interpose/interpose.h"
#include "instrument.h"

#include <dlfcn.h>

/* Called by stubs.S, which then jumps to the real function, for dlopen looks at its return address.
 */
void *(*real_dlopen)(const char *, int);

void note_dlopen(const char *path);
void note_dlopen(const char *path)
{
	struct text t;
	void *found;

	if (!real_dlopen) {
		found = dlsym(RTLD_NEXT, "dlopen");
		copy(&real_dlopen, &found, sizeof found);
	}
	if (!active() || !path || !rt->glue.on || system_library(path))
		return;
	t.n = 0;
	text_add(&t,
		 "%s is loaded while the program runs: its code is not instrumented; link the "
		 "program with it%c",
		 path, '\0');
	trace_note(t.s);
}
