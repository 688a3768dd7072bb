/* SPDX-License-Identifier: MIT
 *
 * What a fault is called from night to night. A fingerprint is made of the kind of violation and of
 * statements: the file's name, the function, and the text of the line without blanks and comments. It
 * stays the same when lines move, when other functions change, and from client to client.
 */
#ifndef LINCHPIN_REPORT_FINGERPRINT_H
#define LINCHPIN_REPORT_FINGERPRINT_H

#include "report/model.h"

#define FINGERPRINT_DIGITS 16

struct fingerprint {
	char id[FINGERPRINT_DIGITS + 1];
	char *statements; /* "list.c:add: pred->next=node; .. ...": for people */
	const char *file; /* where it is now; NULL: not known. It belongs to a map */
	uint32_t line;
};

struct fingerprints {
	struct fingerprint *list;
	uint32_t n;
};

/* One for each block of the first repair, where blocks exclude the violation: then each is a fault that
 * can be mended alone. Otherwise one. -1 and *e if the execution cannot be read. Free it in both
 * cases. */
int fingerprints_find(struct model *m, const struct model_finding *f, struct fingerprints *to,
		      struct error *e);
void fingerprints_free(struct fingerprints *p);

#endif
