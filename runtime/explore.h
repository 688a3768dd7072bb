/* SPDX-License-Identifier: MIT */
#ifndef LP_EXPLORE_H
#define LP_EXPLORE_H

/* Explores the program with this main, instead of running it once. */
void explore(int (*main)(int, char **, char **), int argc, char **argv, char **envp)
	__attribute__((noreturn));

int run_program_main(void);

#endif
