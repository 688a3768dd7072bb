/* SPDX-License-Identifier: MIT */
#include "spec/op_name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MAX_WORDS 12
#define MAX_WORD  24

struct words {
	char w[MAX_WORDS][MAX_WORD];
	unsigned n;
};

struct verb {
	const char *word;
	enum op_role role;
};

static const struct verb verbs[] = {
	{ "add", ROLE_ADD },         { "insert", ROLE_ADD },     { "put", ROLE_ADD },
	{ "push", ROLE_ADD },        { "enqueue", ROLE_ADD },    { "enq", ROLE_ADD },
	{ "offer", ROLE_ADD },       { "append", ROLE_ADD },     { "send", ROLE_ADD },
	{ "set", ROLE_ADD },         { "store", ROLE_ADD },      { "write", ROLE_ADD },
	{ "remove", ROLE_TAKE },     { "delete", ROLE_TAKE },    { "del", ROLE_TAKE },
	{ "erase", ROLE_TAKE },      { "discard", ROLE_TAKE },   { "pop", ROLE_TAKE },
	{ "dequeue", ROLE_TAKE },    { "deq", ROLE_TAKE },       { "take", ROLE_TAKE },
	{ "poll", ROLE_TAKE },       { "receive", ROLE_TAKE },   { "recv", ROLE_TAKE },
	{ "extract", ROLE_TAKE },    { "contains", ROLE_LOOK },  { "find", ROLE_LOOK },
	{ "lookup", ROLE_LOOK },     { "member", ROLE_LOOK },    { "has", ROLE_LOOK },
	{ "exists", ROLE_LOOK },     { "search", ROLE_LOOK },    { "get", ROLE_GET },
	{ "peek", ROLE_GET },        { "top", ROLE_GET },        { "read", ROLE_GET },
	{ "load", ROLE_GET },        { "size", ROLE_SIZE },      { "count", ROLE_SIZE },
	{ "length", ROLE_SIZE },     { "len", ROLE_SIZE },       { "empty", ROLE_EMPTY },
	{ "isempty", ROLE_EMPTY },   { "clear", ROLE_CLEAR },    { "inc", ROLE_COUNT },
	{ "increment", ROLE_COUNT }, { "dec", ROLE_COUNT },      { "decrement", ROLE_COUNT },
	{ "cas", ROLE_CAS },         { "swap", ROLE_CAS },       { "exchange", ROLE_CAS },
	{ "lock", ROLE_LOCK },       { "acquire", ROLE_LOCK },   { "trylock", ROLE_LOCK },
	{ "unlock", ROLE_UNLOCK },   { "release", ROLE_UNLOCK },
};

/* Words that may be verbs of an operation; they count if there is none of the others. */
static const struct verb more_verbs[] = {
	{ "alloc", ROLE_OTHER },     { "allocate", ROLE_OTHER },    { "free", ROLE_OTHER },
	{ "deposit", ROLE_OTHER },   { "withdraw", ROLE_OTHER },    { "debit", ROLE_OTHER },
	{ "credit", ROLE_OTHER },    { "transfer", ROLE_OTHER },    { "reserve", ROLE_OTHER },
	{ "cancel", ROLE_OTHER },    { "register", ROLE_OTHER },    { "unregister", ROLE_OTHER },
	{ "subscribe", ROLE_OTHER }, { "unsubscribe", ROLE_OTHER }, { "post", ROLE_OTHER },
	{ "fetch", ROLE_OTHER },     { "refill", ROLE_OTHER },      { "consume", ROLE_OTHER },
	{ "produce", ROLE_OTHER },   { "next", ROLE_OTHER },        { "update", ROLE_OTHER },
	{ "modify", ROLE_OTHER },    { "incr", ROLE_OTHER },        { "decr", ROLE_OTHER },
	{ "steal", ROLE_OTHER },     { "replace", ROLE_OTHER },     { "toggle", ROLE_OTHER },
	{ "issue", ROLE_OTHER },     { "grant", ROLE_OTHER },       { "borrow", ROLE_OTHER },
	{ "claim", ROLE_OTHER },     { "charge", ROLE_OTHER },      { "spend", ROLE_OTHER },
	{ "submit", ROLE_OTHER },    { "publish", ROLE_OTHER },     { "assign", ROLE_OTHER },
	{ "advance", ROLE_OTHER },   { "evict", ROLE_OTHER },       { "expire", ROLE_OTHER },
	{ "renew", ROLE_OTHER },     { "reset", ROLE_OTHER },       { "drain", ROLE_OTHER },
	{ "rotate", ROLE_OTHER },    { "flip", ROLE_OTHER },        { "record", ROLE_OTHER },
	{ "unset", ROLE_OTHER },     { "merge", ROLE_OTHER },       { "balance", ROLE_SIZE },
	{ "total", ROLE_SIZE },      { "available", ROLE_SIZE },    { "remaining", ROLE_SIZE },
	{ "value", ROLE_SIZE },      { "invalidate", ROLE_OTHER },  { "sell", ROLE_OTHER },
	{ "buy", ROLE_OTHER },       { "lend", ROLE_OTHER },
};

/* Splits at underscores and where a capital begins a word; in lower case. */
static void split(const char *name, struct words *out)
{
	unsigned length = 0;

	out->n = 0;
	for (const char *p = name; *p && out->n < MAX_WORDS; p++) {
		bool begins =
			isupper((unsigned char)*p) && p > name && islower((unsigned char)p[-1]);

		if ((*p == '_' || begins) && length) {
			out->w[out->n++][length] = '\0';
			length = 0;
		}
		if (*p != '_' && out->n < MAX_WORDS && length < MAX_WORD - 1)
			out->w[out->n][length++] = (char)tolower((unsigned char)*p);
	}
	if (length && out->n < MAX_WORDS)
		out->w[out->n++][length] = '\0';
}

static bool among(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(word, *list))
			return true;
	return false;
}

static enum op_role role_of(const struct verb *list, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(word, list[i].word))
			return list[i].role;
	return ROLE_NONE;
}

static void append(char *to, size_t size, const char *word)
{
	size_t n = strlen(to);

	if (n < size)
		snprintf(to + n, size - n, "%s%s", n ? "_" : "", word);
}

/* The last verb, except where it is the first word of "set_add" and the like. */
static unsigned find_verb(const struct words *w, const struct verb *list, size_t n,
			  enum op_role *role)
{
	for (unsigned i = w->n; i-- > 0;) {
		*role = role_of(list, n, w->w[i]);
		if (*role != ROLE_NONE && (i || w->n == 1 || strcmp(w->w[0], "set") != 0))
			return i;
	}
	return w->n;
}

void op_name_read(const char *function, struct op_name *out)
{
	static const char *const before[] = { "try", "is", "fetch", NULL };
	static const char *const ends[] = { "front", "back", "left", "right", "first",
					    "last",  "head", "tail", NULL };
	static const char *const after[] = { "if", "absent", "min", "max", NULL };
	static const char *const fillers[] = { "to", "from", "in", "into", "of", "on", NULL };
	struct words w;
	enum op_role role;
	unsigned verb;

	memset(out, 0, sizeof *out);
	split(function, &w);
	verb = find_verb(&w, verbs, sizeof verbs / sizeof *verbs, &role);
	if (verb == w.n && w.n > 1)
		verb = find_verb(&w, more_verbs, sizeof more_verbs / sizeof *more_verbs, &role);
	if (verb == w.n)
		return;
	out->role = role;
	snprintf(out->verb, sizeof out->verb, "%s", w.w[verb]);
	for (unsigned i = 0; i < w.n; i++) {
		const char *word = w.w[i];
		bool end = i > verb && among(word, ends);

		out->ended = out->ended || end;
		if (i == verb || end || (i + 1 == verb && among(word, before)) ||
		    (i > verb && among(word, after)))
			append(out->operation, sizeof out->operation, word);
		else if (!among(word, fillers))
			append(out->object, sizeof out->object, word);
	}
}
