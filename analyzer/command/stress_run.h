/* SPDX-License-Identifier: MIT
 *
 * Explorations of clients, several at once, each by a `linchpin run` of its own.
 */
#ifndef LINCHPIN_COMMAND_STRESS_RUN_H
#define LINCHPIN_COMMAND_STRESS_RUN_H

#include "client/client.h"
#include "command/options.h"

enum client_verdict {
	CLIENT_RIGHT,      /* all classes were seen, none is wrong */
	CLIENT_UNFINISHED, /* none of those that were seen is wrong */
	CLIENT_WRONG,
	CLIENT_VAIN,   /* it waits for ever even if operations run one at a time */
	CLIENT_FAILED, /* it could not be explored */
};

struct client_result {
	enum client_verdict verdict;
	uint64_t classes;
	char *kind, *message; /* of a violation; else NULL */
};

/* Sentences and how many clients had them. */
struct limits_seen {
	struct limit_seen {
		char *text;
		unsigned clients;
	} * list;
	size_t n, capacity;
};

struct explorer {
	const char *spec, *program, *directory; /* the driver, and a place for runs */
	double seconds;                         /* of each client, at most */
	const struct option_list *options;      /* for `linchpin run` */
	struct limits_seen limits;
	unsigned jobs;
	struct exploration *running;
};

void explorer_begin(struct explorer *x);
void explorer_end(struct explorer *x);

/* Explores the scripts from `next` (false: there are no more) until there are no more, or one is
 * wrong; then no other is begun, and those that came before it are finished. `done` is told each
 * result, in any order. */
void explorer_all(struct explorer *x, bool (*next)(struct script *s, void *data),
		  void (*done)(size_t number, const struct script *s, const struct client_result *r,
			       void *data),
		  void *data);

/* Explores one. Free with client_result_free. */
void explorer_one(struct explorer *x, const struct script *s, struct client_result *r);
void client_result_free(struct client_result *r);

#endif
