/* SPDX-License-Identifier: MIT
 *
 * Programs that start another one: what they start is meant to be explored, not they.
 */
#ifndef LP_STARTERS_H
#define LP_STARTERS_H

/* Those that run a number of programs, of which some are tools that nobody wants to explore. */
#define LP_SHELLS                                                                                  \
	"sh", "dash", "bash", "zsh", "ksh", "busybox", "make", "xargs", "sudo", "ninja", "ctest"

/* Those that run the program that their arguments name. */
#define LP_WRAPPERS                                                                                \
	"env", "timeout", "nice", "ionice", "nohup", "time", "setsid", "setarch", "stdbuf",        \
		"taskset", "chrt", "unshare"

#endif
