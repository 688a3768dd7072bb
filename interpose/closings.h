/* SPDX-License-Identifier: MIT */
#ifndef LP_CLOSINGS_H
#define LP_CLOSINGS_H

#include "interpose.h"

/* What these stand for now, by what they were since they ended last. */
uint64_t stream_now(const FILE *stream);
uint64_t file_now(uint64_t device, uint64_t inode);

/* A call of this name uses a descriptor: what it stands for. A limit if another thread closes it at the same time. */
uint64_t descriptor_used(const char *name, int fd);

/* These are about to end: a descriptor that is no channel, a stream, a file if that is its last name. */
void descriptor_closes(int fd);
void stream_ends(const char *name, const FILE *stream);
void file_loses_name(const char *path);

void closings_checkpoint(void);

#endif
