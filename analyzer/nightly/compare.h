/* SPDX-License-Identifier: MIT
 *
 * What is new since the nights before, test by test.
 */
#ifndef LINCHPIN_NIGHTLY_COMPARE_H
#define LINCHPIN_NIGHTLY_COMPARE_H

#include "nightly/store.h"
#include "nightly/suite.h"

/* In the order in which they are told. */
enum word {
	WORD_NEW,    /* it was never found before, or is back after it was gone */
	WORD_FAILED, /* the test could not be explored */
	WORD_LIMIT,  /* what was not seen, and is not allowed */
	WORD_FLAKY,  /* the same build came to something else */
	WORD_STILL,  /* found before, and again */
	WORD_GONE,   /* found before, and now everything was seen and it was not there */
	WORD_UNSEEN, /* found before, and not now, but not everything was seen */
	WORD_SLOWER,
	WORD_FEWER,  /* fewer classes */
	WORD_KNOWN,  /* the file of the suite expects it */
	WORD_COUNT,
};
const char *word_name(enum word w);

struct remark {
	enum word word;
	bool fresh; /* it is new: the exit status says so */
	char *text;
	const char *test;
	const struct record *record;
	const struct fault *fault; /* of the record, or of an earlier one; NULL: it is about none */
	int64_t since;             /* the night of its first appearance; 0: this one */
	uint32_t nights;           /* in which it was found, without this one */
};

struct remarks {
	struct remark *list;
	uint32_t n, capacity;
};

/* `past`: records of nights before, newest first. Both must outlive the remarks. */
void compare(const struct suite_test *t, const struct record *now, const struct record *past,
	     uint32_t npast, struct remarks *to);
void remarks_free(struct remarks *r);

#endif
