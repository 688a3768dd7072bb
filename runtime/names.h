/* SPDX-License-Identifier: MIT
 *
 * Stable names, and the trace's ids for them. The first use of a name writes a record.
 */
#ifndef LP_NAMES_H
#define LP_NAMES_H

#include <stdint.h>

struct text;

void names_init(void);
void names_forget(void); /* all ids are handed out anew */
void names_thread(uint32_t id);
void names_thread_text(uint32_t id, struct text *t); /* T0.2 */

uint32_t intern_string(const char *s);
uint32_t intern_context(uint32_t context);
uint32_t intern_site(unsigned kind, unsigned flags, uint32_t size, uint64_t pc, uint32_t context);
uint32_t intern_location(uint64_t addr, uint64_t block, uint64_t block_base);

/* Calling contexts: the one of a function called from `parent`, pc being where it will return to;
 * and back. */
uint32_t context_enter(uint32_t parent, uint64_t pc);
uint32_t context_parent(uint32_t context);
uint32_t context_depth(uint32_t context); /* calls on the way from the root */
uint64_t context_key(uint32_t context);   /* module_pc_key() of where its last call returns to */

#endif
