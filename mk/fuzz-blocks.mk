# SPDX-License-Identifier: MIT
# Random programs with random blocks in force: what the searches find against every order of their steps.

FUZZ_BLOCKS_SEED ?= 1
FUZZ_BLOCKS_COUNT ?= 67
FUZZ_BLOCKS_BUILDS ?= O0 O2 hooks
FUZZ_BLOCKS_PROFILES ?= plain branch loop locks locks1 dense dense2 pair sems nested again unwind tail taillocks tailthrow

.PHONY: fuzz-blocks
fuzz-blocks: all ## compare searches with blocks in force with a model, FUZZ_BLOCKS_COUNT programs of each kind and build
	@tests/blocks/fuzz.py $B/linchpin $B/blocks O0 traps 0 8
	@for build in $(FUZZ_BLOCKS_BUILDS); do for profile in $(FUZZ_BLOCKS_PROFILES); do \
		tests/blocks/fuzz.py $B/linchpin $B/blocks $$build $$profile $(FUZZ_BLOCKS_SEED) $(FUZZ_BLOCKS_COUNT) || exit 1; \
	done; done
	@tests/blocks/memory.py $B/linchpin $B/blocks $(FUZZ_BLOCKS_SEED) $(FUZZ_BLOCKS_COUNT)
