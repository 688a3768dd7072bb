/* SPDX-License-Identifier: MIT
 *
 * Logs of invocations and completions in the manner of Jepsen, whatever they are written in: EDN,
 * JSON, tab-separated.
 */
#ifndef LINCHPIN_LIN_FORMAT_JEPSEN_H
#define LINCHPIN_LIN_FORMAT_JEPSEN_H

#include "lin/format/scan.h"

enum jepsen_type { JEPSEN_INVOKE, JEPSEN_OK, JEPSEN_FAIL, JEPSEN_INFO };

/* A value as written: one item, or several in brackets. */
struct jepsen_value {
	struct value items[HISTORY_MAX_ARGS];
	uint8_t n;            /* 0: absent */
	bool vector;          /* it had brackets, though maybe only one item */
	bool nested;          /* "[k [a b]]" has become the three items k a b */
	const char *at, *end; /* where it stands in the text */
	struct value whole;   /* a vector as one string, where [at, end) is empty */
};

struct jepsen_event {
	enum jepsen_type type;
	int64_t process;
	const char *f; /* the operation's name, f_size bytes */
	size_t f_size;
	uint32_t method; /* the same in the history */
	struct jepsen_value key, value;
	bool error;     /* with fail_is_false: it failed for another reason than the value */
	const char *at; /* where the event starts in the text */
};

/* Collects events into the history of a scan. Zero-initialise, set `scan`. */
struct jepsen {
	struct scan *scan;
	struct pairing open;
	int64_t time;
	bool fail_is_false; /* a cas that fails without an error has returned false */
	bool dropped;       /* some operations did not happen and are still in the array */
};

bool jepsen_type(const char *p, size_t n, enum jepsen_type *type);
/* Takes the next event; -1 after scan_fail. */
int jepsen_add(struct jepsen *j, const struct jepsen_event *event);
/* After the last event, also after a failure. */
void jepsen_end(struct jepsen *j);

/* Reads an EDN value at *p into *v and moves behind it. What is neither a scalar nor a short vector
 * of scalars becomes one string. -1 after scan_fail. */
int edn_value(struct scan *s, const char **p, const char *end, struct jepsen_value *v);

#endif
