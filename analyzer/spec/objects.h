/* SPDX-License-Identifier: MIT
 *
 * Which functions take an object first, where names and types of several tell more than those of one.
 */
#ifndef LINCHPIN_SPEC_OBJECTS_H
#define LINCHPIN_SPEC_OBJECTS_H

#include "spec/candidate.h"

void objects_settle(struct candidate *list, size_t n);

#endif
