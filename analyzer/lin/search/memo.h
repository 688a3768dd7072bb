/* SPDX-License-Identifier: MIT
 *
 * The configurations from which the general search has found no way on. Shared by the workers of a
 * part.
 */
#ifndef LINCHPIN_LIN_SEARCH_MEMO_H
#define LINCHPIN_LIN_SEARCH_MEMO_H

#include "base/util.h"

#include <pthread.h>

#define MEMO_SHARDS 16
#define MEMO_CHUNK  (1u << 16) /* words; entries do not cross chunks unless they are larger */

struct memo_key {
	uint64_t hash[2];
	uint64_t head; /* frontier, and the number of words of the state */
	const uint64_t *mask;
	const int64_t *words;
	uint32_t nmask, nwords;
};

struct memo_shard {
	pthread_mutex_t lock;
	struct memo_slot {
		uint64_t hash;
		uint32_t check; /* of hash[1] */
		uint32_t entry; /* index + 1 */
	} * slots;
	uint32_t mask, count;
	uint64_t **entries; /* each in a chunk */
	uint32_t entries_capacity;
	uint64_t **chunks;
	uint32_t nchunks, chunks_capacity;
	uint32_t room; /* words left in the last chunk */
	uint64_t *next;
};

struct memo {
	struct memo_shard shards[MEMO_SHARDS];
	size_t limit;     /* bytes */
	size_t *used;     /* shared by all memos of a check; updated atomically */
	size_t mine;      /* of *used */
	bool locked;      /* several workers use it */
	uint32_t nshards; /* 1 with a single worker */
	uint32_t total;   /* entries; 0 makes look-ups free */
};

void lin_memo_init(struct memo *m, size_t limit, size_t *used);
void lin_memo_free(struct memo *m);
void lin_memo_share(struct memo *m); /* from now on several threads use it */

bool lin_memo_has(struct memo *m, const struct memo_key *key);
bool lin_memo_add(struct memo *m,
		  const struct memo_key *key); /* false: the memory bound is reached */

#endif
