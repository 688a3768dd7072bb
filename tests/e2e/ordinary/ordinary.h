/* SPDX-License-Identifier: MIT
 *
 * Ordinary concurrent programs, as people write them: nothing in them knows of linchpin. Each is
 * correct; compiled with -DFAULTY it has the fault that its first comment names.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef FAULTY
#define IF_FAULTY(...) __VA_ARGS__
#define IF_CORRECT(...)
#else
#define IF_FAULTY(...)
#define IF_CORRECT(...) __VA_ARGS__
#endif

static volatile long r[20]; /* results, so that no compiler removes what gives them */
