/* SPDX-License-Identifier: MIT */
#include "run/outcome.h"

static const char *const names[LP_OUT_COUNT] = {
	[LP_OUT_OK] = "ok",
	[LP_OUT_EXIT] = "exit",
	[LP_OUT_CRASH] = "crash",
	[LP_OUT_ABORT] = "abort",
	[LP_OUT_ASSERT] = "assert",
	[LP_OUT_STACK_OVERFLOW] = "stack-overflow",
	[LP_OUT_DEADLOCK] = "deadlock",
	[LP_OUT_LIVELOCK] = "livelock",
	[LP_OUT_ENDLESS] = "endless",
	[LP_OUT_USE_AFTER_FREE] = "use-after-free",
	[LP_OUT_BAD_FREE] = "bad-free",
	[LP_OUT_MISUSE] = "misuse",
	[LP_OUT_OUT_OF_BOUNDS] = "out-of-bounds",
	[LP_OUT_NO_PROGRESS] = "no-progress",
	[LP_OUT_DATA_RACE] = "data-race",
	[LP_OUT_LEAK] = "leak",
};

const char *outcome_name(unsigned kind)
{
	return kind < LP_OUT_COUNT ? names[kind] : "unknown";
}

bool outcome_is_error(unsigned kind, int64_t code)
{
	if (kind == LP_OUT_EXIT)
		return code != 0;
	return kind != LP_OUT_OK;
}
