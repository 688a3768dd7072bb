/* SPDX-License-Identifier: MIT
 *
 * What the event files share: the registers that instrument_slow has saved, and the steps of a
 * plain access.
 */
#ifndef LP_EVENT_H
#define LP_EVENT_H

#include "instrument.h"

/* What instrument_slow has pushed, from the lowest address. rt->entry points at r11, where hooks.S
 * has padding. */
enum {
	R_FLAGS = -1,
	R_AX,
	R_SAVED_RAX,
	R_RCX,
	R_RDX,
	R_RSI,
	R_RDI,
	R_R8,
	R_R9,
	R_R10,
	R_R11,
	R_ENTRY = R_R11
};
#define RED_ZONE_WORDS 16

/* At the site; r: what instrument_slow has pushed. */
uint64_t register_value(const struct site *s, const uint64_t *r, unsigned n);
/* As the program finds it at `after`; rax has its own place there, and all of it. */
void set_register_value(uint64_t *r, unsigned n, uint64_t value);

/* Is an access an event: can others see it, and is it the program's? */
bool of_interest(uint64_t addr, uint32_t size, bool write);
bool is_hooks_variable(uint64_t addr, uint32_t size);

/* One step each; rt->entry is that of the site. */
void read_event(uint64_t addr, uint32_t size, uint64_t pc);
void write_event(uint64_t addr, uint32_t size, uint64_t pc);

/* string.c: movs, stos, lods, cmps, scas; movdir64b. The result is where the copy continues. */
uint64_t string_event(const struct site *s, uint64_t *r, uint64_t *entry);
uint64_t number_event(const struct site *s, uint64_t *r, uint64_t *entry); /* number.c */
uint64_t direct_event(const struct site *s, uint64_t addr, uint64_t *r, uint64_t *entry);

/* Room for n bytes that the running fiber keeps over its steps. The content stays when it grows. */
uint8_t *saved_bytes(uint64_t n);

struct fiber;
void text_refresh(struct fiber *f); /* text.c */
void saved_init(void); /* before any */

/* lanes.c */
void gather_event(const struct site *s, uint64_t base, uint64_t *r, uint64_t *entry);
void masked_event(const struct site *s, uint64_t addr, uint64_t *entry);
uint32_t state_size(const struct site *s, const uint64_t *r); /* size of a save area in bytes */

#endif
