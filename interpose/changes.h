/* SPDX-License-Identifier: MIT
 *
 * What an execution changes that is not in memory, and how the next one finds it as it was. A call that
 * may change something is told to change_call() before libc makes it.
 */
#ifndef LP_CHANGES_H
#define LP_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* changes.c: the call of this function of the list (interpose.h) with these arguments. hooks.S calls it, too. */
void change_call(const uint64_t *args, void **entry);

/* files.c: what is under this absolute name, all links followed, is about to change. */
void file_changes(const char *path);
/* A directory with all that is in it is about to have another name. */
void directory_moves(const char *path);
void files_checkpoint(void);
bool files_changed(void);
void files_rollback(void);

/* inherited.c: what the process was given. Nothing outside of executions uses other descriptors below
 * rt->fd_first. */
void inherited_checkpoint(void);
bool inherited(int fd);
void inherited_changes(int fd); /* a descriptor, its flags, or where in its file it is */
void inherited_is_read(int fd);
void inherited_is_written(int fd);
void inherited_close_others(void);
void inherited_may_change(void); /* nobody knows which */
void inherited_end(void);        /* the execution has ended; its memory is still there */
bool inherited_changed(void);
void inherited_rollback(void);

/* attributes.c: the working directory, limits, ... of the process. */
void attributes_change(void);
bool attributes_changed(void);
void attributes_rollback(void);

#endif
