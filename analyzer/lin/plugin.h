/* SPDX-License-Identifier: MIT
 *
 * Specifications out of shared objects; the contract for their authors is include/linchpin_spec.h.
 */
#ifndef LINCHPIN_LIN_PLUGIN_H
#define LINCHPIN_LIN_PLUGIN_H

#include "lin/adt.h"

/* The states that a plug-in has made during one check: each is kept once, and a state of the search
 * is its number. */
struct plugin_pool;

/* Does the first word (n bytes) of a specification text name a shared object? */
bool plugin_named(const char *text, size_t n);

/*
 * Loads PATH or PATH(PARAMETERS), which stays for the life of the process, and makes a pool with
 * the initial state. NULL and *e on failure.
 */
const struct adt *plugin_load(const char *text, struct plugin_pool **pool, struct error *e);

/* Counts the bytes of states in *used (atomically), up to the limit. */
void plugin_pool_bind(struct plugin_pool *pool, size_t *used, size_t limit);
void plugin_pool_free(struct plugin_pool *pool);

/* Was a state not kept because memory ran out, or was an operation unknown? Then the answers of
 * steps are not reliable. */
bool plugin_pool_failed(const struct plugin_pool *pool);
/* The index in history->ops of an operation that the plug-in does not know, or -1. */
int64_t plugin_pool_unknown(const struct plugin_pool *pool);

#endif
