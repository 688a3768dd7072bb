/* SPDX-License-Identifier: MIT
 *
 * Whose thread-local storage the fibers use. The rest of the interface is in fiber.h.
 */
#ifndef LP_DONORS_H
#define LP_DONORS_H

#include "fiber.h"

void donors_init(void); /* makes the first */
unsigned donors_n(void); /* fiber 0, the main thread, included */
uint64_t donor_fs(unsigned i);
void donor_reset(unsigned i); /* its storage is as it was at the checkpoint */
void donor_use(uint64_t fs);  /* from now on */
/* Where libc has the id of the thread that runs; NULL: it does not say. */
uint32_t *donor_id(void);

/* Libraries that are loaded in executions have storage of their own: it cannot be one for all. */
void fibers_no_late_tls(void);

#endif
