/* SPDX-License-Identifier: MIT
 *
 * The programs as C: threads are POSIX threads, variables are globals, registers are local
 * variables, so that compiled code has them in machine registers where it can.
 */
#ifndef TEST_WAITING_EMIT_H
#define TEST_WAITING_EMIT_H

#include "program.h"

#include <pthread.h>

/* The variables of all programs in the emitted file. Each number is in one of the two arrays. */
struct emitted_shared {
	uint8_t atomic[NUMBERS];
	uint8_t plain[NUMBERS];
	pthread_mutex_t mutex[VARIABLES - NUMBERS];
};

/* A number modulo 8 is kept in the upper bits of a byte, so that adding wraps round. */
#define EMITTED_SHIFT 5

/* One file of n programs; the argument of the compiled one says which is to run. Its main makes
 * `shared` known as an object, joins the threads, and marks an operation "end" with two arguments:
 * the numbers, 3 bits each, and the observed registers r2 and r3 of each thread, a byte each. */
void emit(FILE *out, const struct program *programs, unsigned n);

#endif
