/* SPDX-License-Identifier: MIT
 *
 * RUNDIR/coverage: which instructions have run, of a run with LINCHPIN_COVERAGE=1. It begins with text, a line
 * each, filled up with zeros to LP_COVERAGE_HEADER bytes:
 *
 *	coverage 1                    the version
 *	OFFSET START SIZE PATH        a module; numbers are hexadecimal, PATH goes to the end of the line
 *
 * From OFFSET on there are SIZE bytes, one for each byte of the module's code, which begins at START
 * (an address as linked). That of the first byte of an instruction is one of
 * LP_COVERAGE_*, all others are 0. The same path may come twice: if a library was loaded to two places.
 */
#ifndef LP_COVERAGE_H
#define LP_COVERAGE_H

#define LP_COVERAGE_VERSION "coverage 1"
#define LP_COVERAGE_HEADER  0x10000

#define LP_COVERAGE_NONE 0 /* it is not known whether it has run */
#define LP_COVERAGE_SEEN 1 /* it has not */
#define LP_COVERAGE_RAN  2
/* It has run, but compilers may have made one straight piece of code, to which it belongs, of statements under a
 * condition: what it does may not have been used. */
#define LP_COVERAGE_MAYBE 3

#endif
