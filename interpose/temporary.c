/* SPDX-License-Identifier: MIT
 *
 * Temporary files. libc's names are random; ours come from the random numbers of the thread, so they are
 * the same in every execution.
 */
#include "changes.h"
#include "interpose.h"

#include <errno.h>
#include <fcntl.h>

#define LETTERS 6
#define TRIES   1000

/* As libc's open or mkdir. */
static int make_as(const char *path, int flags, bool directory)
{
	const uint64_t args[] = { (uint64_t)path, (uint64_t)flags };
	long r;

	if (active())
		change_call(args, function_entry(directory ? "mkdir" : "open"));
	r = directory ? sys2(SYS_mkdir, path, 0700) : sys3(SYS_open, path, flags, 0600);
	return r < 0 ? fail((int)-r) : (int)r;
}

/* The result is a descriptor, or 0 for a directory; -1 and errno if it fails. */
static int make(char *pattern, int suffix, int flags, bool directory)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	size_t n = length(pattern);
	char *at;

	real_init();
	if (suffix < 0 || n < (size_t)suffix + LETTERS)
		return fail(EINVAL);
	at = pattern + n - (size_t)suffix - LETTERS;
	if (!same(at, "XXXXXX", LETTERS))
		return fail(EINVAL);
	for (int i = 0; i < TRIES; i++) {
		uint8_t bytes[LETTERS];
		int r;

		if (active())
			random_bytes(bytes, LETTERS);
		else
			sys3(SYS_getrandom, bytes, LETTERS, 0);
		for (int k = 0; k < LETTERS; k++)
			at[k] = letters[bytes[k] % (sizeof letters - 1)];
		r = make_as(pattern, (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, directory);
		if (r >= 0 || *real.errno_location() != EEXIST)
			return r;
	}
	return -1;
}

#define TEMPORARY(name, parameters, suffix, flags)                                                 \
	int i_##name parameters;                                                                   \
	int i_##name parameters                                                                    \
	{                                                                                          \
		return make(pattern, suffix, flags, false);                                        \
	}

TEMPORARY(mkstemp, (char *pattern), 0, 0)
TEMPORARY(mkstemp64, (char *pattern), 0, 0)
TEMPORARY(mkostemp, (char *pattern, int flags), 0, flags)
TEMPORARY(mkostemp64, (char *pattern, int flags), 0, flags)
TEMPORARY(mkstemps, (char *pattern, int suffix), suffix, 0)
TEMPORARY(mkstemps64, (char *pattern, int suffix), suffix, 0)
TEMPORARY(mkostemps, (char *pattern, int suffix, int flags), suffix, flags)
TEMPORARY(mkostemps64, (char *pattern, int suffix, int flags), suffix, flags)

char *i_mkdtemp(char *pattern);
char *i_mkdtemp(char *pattern)
{
	return make(pattern, 0, 0, true) < 0 ? NULL : pattern;
}
