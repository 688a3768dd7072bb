/* SPDX-License-Identifier: MIT */
#include "command/commands.h"

#include <stddef.h>

const struct command commands[] = {
	{ "run", cmd_run, "explore a program's schedules, check them, report" },
	{ "merge", cmd_merge, "join the shards of a search (run --shard)" },
	{ "report", cmd_report, "report on a run directory again" },
	{ "replay", cmd_replay, "execute one recorded schedule of a run directory again" },
	{ "verify", cmd_verify, "explore again with lines as atomic blocks, or under a lock" },
	{ "trace", cmd_trace, "print one recorded execution" },
	{ "fix", cmd_fix, "print a patch for a repair, or build and explore it" },
	{ "check", cmd_check, "check recorded histories against a specification" },
	{ "init", cmd_init, "propose which functions of a program are operations" },
	{ "generate", cmd_generate, "write small clients of a library as C files" },
	{ "stress", cmd_stress, "make clients of a library and explore them until one fails" },
	{ "suite", cmd_suite, "explore many tests, and say what is new since last night" },
	{ "history", cmd_history, "ask the database of nights" },
	{ "bisect", cmd_bisect, "find the commit that broke a test, with git bisect" },
	{ "ops", cmd_ops, NULL }, /* for the runtime */
	{ "cflags", cmd_cflags, "print the flags to compile a program under test with" },
	{ "libs", cmd_libs, "print the flags to link it with" },
	{ "completion", cmd_completion, "print a script for the shell that completes all this" },
	{ NULL, NULL, NULL },
};
