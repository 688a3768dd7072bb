/* SPDX-License-Identifier: MIT
 *
 * A digest of texts and files, to tell whether they have changed (not against an attacker).
 */
#ifndef LINCHPIN_BASE_DIGEST_H
#define LINCHPIN_BASE_DIGEST_H

#include "base/util.h"

struct digest {
	uint64_t a, b;
	bool unknown; /* a file could not be read */
};

#define DIGEST_NEW  { 0x9e3779b97f4a7c15ULL, 0x2545f4914f6cdd1dULL, false }
#define DIGEST_SIZE 33 /* of its text */

void digest_text(struct digest *d, const char *text);
/* A file by its contents; what is none says nothing. */
void digest_file(struct digest *d, const char *path);

/* Hexadecimal digits. */
void digest_print(const struct digest *d, char text[DIGEST_SIZE]);

#endif
