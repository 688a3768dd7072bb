/* SPDX-License-Identifier: MIT
 *
 * lin/monitor/ includes lin/ and base/.
 *
 * Monitors: near-linear algorithms for histories of one shape (values are distinct, results are
 * known, ...). Each declines what it is not made for; on a violation it reports a core, operations
 * that are not linearizable by themselves.
 */
#ifndef LINCHPIN_LIN_MONITOR_MONITOR_H
#define LINCHPIN_LIN_MONITOR_MONITOR_H

#include "lin/problem.h"

/* Adds an operation (its position in the part) to the core, which may be NULL. */
void core_add(struct monitor_core *core, uint32_t op);

/* Sets, one key a part: repeated adds and removes. roles[] by op code. */
enum set_role { SET_OTHER, SET_ADD, SET_REMOVE, SET_CONTAINS };
enum monitor_answer monitor_set(const struct lin_part *part, const enum set_role *roles,
				struct monitor_core *core);

/* Registers whose values are written once each, with successful compare-and-set. */
enum register_kind { REGISTER_READ, REGISTER_WRITE, REGISTER_CAS };
struct register_op {
	enum register_kind kind;
	int64_t from, to; /* read: from; write: to; successful compare-and-set: both */
};
/* classify() says what an operation is, or false if the monitor cannot have it. */
enum monitor_answer monitor_register(const struct lin_part *part,
				     bool (*classify)(const struct lin_part *,
						      const struct lin_op *, struct register_op *),
				     int64_t initial, struct monitor_core *core);

/* Counters that are only incremented by one. */
enum counter_role { COUNTER_READ, COUNTER_INC, COUNTER_FETCH_INC, COUNTER_INC_FETCH };
enum monitor_answer monitor_counter(const struct lin_part *part,
				    bool (*classify)(const struct lin_op *, enum counter_role *),
				    int64_t initial, struct monitor_core *core);

/*
 * Collections: every value is added once and removed at most once. Times are event numbers; a value
 * that is not removed has FOREVER as both, an add that never returned too.
 */
#define FOREVER UINT32_MAX

struct span {
	uint32_t as, ae; /* call and return of the add */
	uint32_t rs, re; /* of the remove */
};

struct collection {
	const struct lin_part *part;
	struct item {
		int64_t value;
		struct span t;
		uint32_t add, remove; /* positions in the part; remove == FOREVER: none */
	} * items;                    /* in the order of the adds' calls */
	uint32_t nitems;
	uint32_t *item_of; /* by operation: the item, or FOREVER */
};

/* A monitor of one kind of collection: true if linearizable; else the items at fault are in
 * core. */
typedef bool (*collection_monitor)(const struct collection *c, struct monitor_core *core);

bool monitor_queue(const struct collection *c, struct monitor_core *core);
bool monitor_stack(const struct collection *c, struct monitor_core *core);
bool monitor_pqueue_min(const struct collection *c, struct monitor_core *core);
bool monitor_pqueue_max(const struct collection *c, struct monitor_core *core);

/* Both operations of an item. */
void core_add_item(struct monitor_core *core, const struct collection *c, uint32_t item);

/*
 * Adds items that are surely inside, one after the other, from event `from` until event `to`
 * without a gap; false if there is a gap. With counts(), only items for which it is true of the
 * value.
 */
bool core_cover(struct monitor_core *core, const struct collection *c, uint32_t from, uint32_t to,
		bool (*counts)(const struct item *, int64_t), int64_t value);

/*
 * Prepares the collection, checks what holds for all kinds (values come from somewhere, empty
 * removes), and runs the monitor; tries the assignments of values to removes that never returned.
 */
enum monitor_answer monitor_collection(const struct lin_part *part, uint8_t add, uint8_t remove,
				       collection_monitor monitor, struct monitor_core *core);

#endif
