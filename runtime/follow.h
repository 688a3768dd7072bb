/* SPDX-License-Identifier: MIT
 *
 * `LD_PRELOAD=libsched.so timeout 100 ./test` loads the runtime into timeout first. Programs that only
 * start others run as if there were no runtime, and leave it to be loaded into what they start. Below
 * them, the same goes for the system's own programs.
 */
#ifndef LP_FOLLOW_H
#define LP_FOLLOW_H

#include <stdbool.h>

/* Is this process one of them? */
bool follow_needed(char **envp);

/* Puts into the environment who starts programs. Before main. */
void follow_announce(void);

#endif
