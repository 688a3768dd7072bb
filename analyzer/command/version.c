/* SPDX-License-Identifier: MIT
 *
 * `linchpin --version`: the version, and what one needs to know about this build and this machine to
 * make sense of a fault report.
 */
#include "command/commands.h"
#include "format/search.h"
#include "launch/launch.h"

#include <elfutils/libdwfl.h>
#include <elfutils/version.h>
#include <gnu/libc-version.h>
#include <jansson.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

#ifdef __OPTIMIZE__
#define OPTIMIZED "optimized"
#else
#define OPTIMIZED "not optimized"
#endif

#ifdef __SANITIZE_ADDRESS__
#define SANITIZED ", with sanitizers"
#else
#define SANITIZED ""
#endif

#define HWCAP2_FSGSBASE 2

/* The thread-local storage of fibers is switched by an instruction where the kernel allows it. */
static const char *storage(void)
{
	return getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE ? "wrfsbase" : "arch_prctl (slow)";
}

void version_print(void)
{
	struct utsname kernel;
	struct error e;
	char *runtime = runtime_find(&e);

	printf("linchpin %s\n", LINCHPIN_VERSION);
	printf("compiler    %s, %s%s\n", COMPILER, OPTIMIZED, SANITIZED);
	printf("C library   %d.%d, here %s\n", __GLIBC__, __GLIBC_MINOR__, gnu_get_libc_version());
	printf("libdw       0.%d, here %s\n", _ELFUTILS_VERSION, dwfl_version(NULL));
	printf("jansson     %s, here %s\n", JANSSON_VERSION, jansson_version_str());
	printf("SQLite      %s, here %s\n", SQLITE_VERSION, sqlite3_libversion());
	if (uname(&kernel) == 0)
		printf("kernel      %s %s %s\n", kernel.sysname, kernel.release, kernel.machine);
	printf("runtime     %s\n", runtime ? runtime : e.message);
	printf("searches    ");
	for (const char *c = LP_SEARCH_CHOICES; *c; c++)
		putchar(*c == '|' ? ' ' : *c);
	putchar('\n');
	printf("threads     thread-local storage is switched by %s\n", storage());
	free(runtime);
}
