/* SPDX-License-Identifier: MIT
 *
 * What a function of stdio is about to do with a stream.
 */
#ifndef LP_STREAM_CALLS_H
#define LP_STREAM_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define STREAM_UNKNOWN SIZE_MAX

enum stream_how {
	STREAM_NONE,
	STREAM_WRITES,
	STREAM_READS,
	STREAM_READS_LINE,
	STREAM_FLUSHES, /* one, or all */
	STREAM_CALLS    /* the system, whatever it holds */
};

struct stream_call {
	const FILE *stream;
	enum stream_how how;
	bool formatted;
	const char *text; /* that is written, or its format; the end of what is read as a line, if that is no newline */
	size_t n;         /* bytes; STREAM_UNKNOWN: of a string, a line, or one */
};

/* As in libc, a cancellation point if it has to call the system. */
void stream_called(const struct stream_call *call);

#endif
