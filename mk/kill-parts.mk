# SPDX-License-Identifier: MIT
# Searches in parts that are killed at KILL_MOMENTS random moments and go on, against undisturbed ones.
# KILL_SEED: that of the moments.

KILL_MOMENTS ?= 50

.PHONY: kill-parts
kill-parts: all structures oracles ## kill searches in parts at KILL_MOMENTS moments, and compare (KILL_SEED)
	@python3 tests/parts/killed.py $B $(KILL_MOMENTS) $(KILL_SEED)
