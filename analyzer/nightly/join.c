/* SPDX-License-Identifier: MIT
 *
 * Several databases as one, in memory. Shards of a suite that were explored at the same revision and about the
 * same time become one night, as if there had been no shards; nights are numbered anew, by their beginning, for all
 * that compares nights goes by their numbers.
 */
#include "nightly/sql.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART (12 * 3600.0) /* seconds between the beginnings of shards of one night, at most */

struct source {
	struct store *store;
	struct night night;
};

/* A night that is made, and the shards that it has: shard K/N is part[K - 1]. Without shards N is 0. */
struct made {
	const struct night *first;
	int64_t id;
	unsigned parts, have;
	bool *part;
};

struct join {
	struct source *sources;
	uint32_t n, capacity;
	struct made *made;
	uint32_t nmade, made_capacity;
};

static int collect(struct join *j, struct store *s, struct error *e)
{
	struct night *list;
	uint32_t n;
	int result = store_nights(s, NULL, UINT32_MAX, &list, &n, e);

	for (uint32_t i = 0; i < n; i++) {
		if (list[i].ended <= 0) {
			night_free(&list[i]);
			continue;
		}
		VEC_GROW(j->sources, j->n, j->capacity);
		j->sources[j->n++] = (struct source){ s, list[i] };
	}
	free(list);
	return result;
}

static int by_beginning(const void *a, const void *b)
{
	const struct night *x = &((const struct source *)a)->night, *y = &((const struct source *)b)->night;
	int order = (x->started > y->started) - (x->started < y->started);

	if (!order)
		order = strcmp(x->suite, y->suite);
	return order ? order : strcmp(x->shard, y->shard);
}

/* A database that began as a copy of another one has the same nights. */
static bool same_night(const struct night *a, const struct night *b)
{
	return a->started == b->started && !strcmp(a->suite, b->suite) && !strcmp(a->shard, b->shard);
}

/* Which shard it is, and of how many; false if it is the whole suite. */
static bool shard_of(const struct night *n, unsigned *part, unsigned *parts)
{
	return sscanf(n->shard, "%u/%u", part, parts) == 2 && *part && *part <= *parts && *parts <= 1000000;
}

/* The one that lacks this shard, and began nearest to it. */
static struct made *find(struct join *j, const struct night *n)
{
	struct made *best = NULL;
	double nearest = APART;
	unsigned part, parts;

	if (!shard_of(n, &part, &parts))
		return NULL;
	for (uint32_t i = j->nmade; i-- > 0;) {
		struct made *m = &j->made[i];
		double apart = n->started - m->first->started;

		if (apart < nearest && m->parts == parts && !m->part[part - 1] &&
		    !strcmp(m->first->suite, n->suite) && !strcmp(m->first->revision, n->revision)) {
			nearest = apart;
			best = m;
		}
	}
	return best;
}

static struct made *make(struct join *j, struct store *to, const struct night *n, struct error *e)
{
	unsigned part, parts;
	struct made *m;

	if (sql(to, e, "INSERT INTO night(suite, shard, revision, version, started, ended) VALUES(?, ?, ?, ?, ?, ?)",
		"ssssdd", n->suite, n->shard, n->revision, n->version, n->started, n->ended) < 0)
		return NULL;
	VEC_GROW(j->made, j->nmade, j->made_capacity);
	m = &j->made[j->nmade++];
	*m = (struct made){ .first = n, .id = sql_last_id(to) };
	if (shard_of(n, &part, &parts)) {
		m->parts = parts;
		m->part = xcalloc(parts, sizeof *m->part);
	}
	return m;
}

/* What is there: "1,3/4"; nothing if that is all. */
static char *shard_text(const struct made *m)
{
	char *text = xstrdup("");

	for (unsigned i = 0; i < m->parts && m->have < m->parts; i++) {
		char *longer;

		if (!m->part[i])
			continue;
		longer = xasprintf("%s%s%u", text, *text ? "," : "", i + 1);
		free(text);
		text = longer;
	}
	if (*text) {
		char *whole = xasprintf("%s/%u", text, m->parts);

		free(text);
		text = whole;
	}
	return text;
}

static int copy_records(struct store *to, int64_t id, const struct source *s, struct error *e)
{
	struct record *list;
	struct said *words = NULL;
	uint32_t n, nwords = 0;
	int result = store_night(s->store, s->night.id, &list, &n, e);

	for (uint32_t i = 0; i < n && result == 0; i++) {
		list[i].night = id;
		result = store_save(to, &list[i], e);
	}
	if (result == 0)
		result = store_said(s->store, s->night.id, &words, &nwords, e);
	if (result == 0)
		result = sql_say(to, id, words, nwords, e);
	said_free(words, nwords);
	records_free(list, n);
	return result;
}

static int add(struct join *j, struct store *to, const struct source *s, struct error *e)
{
	struct made *m = find(j, &s->night);
	unsigned part, parts;
	char *shard;
	int result;

	if (!m)
		m = make(j, to, &s->night, e);
	if (!m)
		return -1;
	if (shard_of(&s->night, &part, &parts)) {
		m->part[part - 1] = true;
		m->have++;
	}
	shard = shard_text(m);
	result = sql(to, e, "UPDATE night SET shard = ?, ended = max(ended, ?) WHERE id = ?", "sdi", shard,
		     s->night.ended, m->id);
	free(shard);
	return result < 0 ? -1 : copy_records(to, m->id, s, e);
}

struct store *store_join(struct store *const *from, uint32_t n, struct error *e)
{
	struct store *to = store_open(":memory:", false, e);
	struct join j = { 0 };
	int result = to ? 0 : -1;

	for (uint32_t i = 0; i < n && result == 0; i++)
		result = collect(&j, from[i], e);
	if (j.n)
		qsort(j.sources, j.n, sizeof *j.sources, by_beginning);
	for (uint32_t i = 0; i < j.n && result == 0; i++)
		if (!i || !same_night(&j.sources[i - 1].night, &j.sources[i].night))
			result = add(&j, to, &j.sources[i], e);
	for (uint32_t i = 0; i < j.nmade; i++)
		free(j.made[i].part);
	for (uint32_t i = 0; i < j.n; i++)
		night_free(&j.sources[i].night);
	free(j.made);
	free(j.sources);
	if (result == 0)
		return to;
	store_close(to);
	return NULL;
}

int store_write(struct store *s, const char *path, struct error *e)
{
	if (sql(s, NULL, "VACUUM INTO ?", "s", path) == 0) /* it replaces an empty file only */
		return 0;
	return error_set(e, "%s: %s", path, sqlite3_errmsg(s->db));
}
