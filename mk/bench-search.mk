# SPDX-License-Identifier: MIT
# How soon each search finds faults of different kinds: the table of docs/search.md.
#
#   $B/bench/search/NAME   compiled as usual

SEARCH_SUBJECTS := $(patsubst bench/search/%.c,$B/bench/search/%,$(wildcard bench/search/*.c))
TEST_PROGRAMS += $(SEARCH_SUBJECTS)

$B/bench/search/%: bench/search/%.c bench/search/common.h
	$(call say,CC,$@)
	$Qmkdir -p $(@D) && $(CC) $(STRUCT_FLAGS) $(PLAIN_FLAGS) -o $@ $< -pthread

.PHONY: bench-search
bench-search: all $(SEARCH_SUBJECTS) ## how soon searches find faults (SEEDS, SEARCHES)
	@scripts/bench-search $B

# States, seconds and memory of the stateful searches beside dpor: the table of docs/search.md.
.PHONY: bench-stateful
bench-stateful: all structures ## stateful searches on clients of structures (LARGE, SMALL, SECONDS, JOBS, CHECK, AUDIT)
	@scripts/bench-stateful $B
