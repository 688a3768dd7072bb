/* SPDX-License-Identifier: MIT
 *
 * The files of the run directory (format/run_dir.h), and descriptors of the runtime's own.
 */
#ifndef LP_RUNTIME_RUN_DIR_H
#define LP_RUNTIME_RUN_DIR_H

#include <stdbool.h>
#include <stddef.h>

void run_dir_make(void);
void run_dir_describe(char **argv); /* the files `run` and `modules` */

/* Its descriptor; made anew, but with O_APPEND. */
int run_dir_file(const char *name, int flags);

/* Shared; a large file is at a fixed place. */
void *run_dir_map(int fd, size_t size);

/* Out of the way of the numbers that the program will see. */
int descriptor_copy(int fd);
bool descriptor_is_ours(int fd); /* made so */
void descriptor_copy_close(int fd);

#endif
