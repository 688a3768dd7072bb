/* SPDX-License-Identifier: MIT
 *
 * What the program prints: shown once.
 */
#ifndef LP_OUTPUT_H
#define LP_OUTPUT_H

void capture_output(void); /* from now on */
void show_output(void);    /* what the program has printed so far, unless it was shown */
void forget_output(void);
void restore_output(void); /* an execution may have closed or replaced its descriptors */

/* What it has printed into its buffers, for the one execution whose output is shown. */
void flush_program_output(void);

#endif
