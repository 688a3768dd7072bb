# SPDX-License-Identifier: MIT
# Random programs of every kind of event: what the searches find against a model that visits every state.

FUZZ_SEARCH_SRC := $(filter-out tests/search/target%,$(wildcard tests/search/*.c))
SEARCH_TARGET_SRC := $(wildcard tests/search/target*.c)
FUZZ_SEARCH_SEED ?= 1
FUZZ_SEARCH_COUNT ?= 10000

$B/tests/fuzz-search: $(FUZZ_SEARCH_SRC) $(wildcard tests/search/*.h) format/run_dir.h format/trace_format.h
	$(call say,LINK,$@)
	$Qmkdir -p $(@D) && $(CC) $(filter-out -MMD -MP,$(AN_FLAGS)) -o $@ $(FUZZ_SEARCH_SRC) $(AN_LIBS)

# Linked without the hooks' flag, which would bring another runtime.
$B/tests/search-target-parts/%.o: tests/search/%.c tests/search/target_calls.h tests/search/ops.h
	$(call say,CC,$@)
	$Qmkdir -p $(@D) && $(CC) $(filter-out -MMD -MP,$(STRUCT_FLAGS)) $(HOOK_FLAGS) -c -o $@ $<

$B/tests/search-target: $(SEARCH_TARGET_SRC:tests/search/%.c=$B/tests/search-target-parts/%.o) $B/liblinchpin.so
	$(call say,LINK,$@)
	$Q$(CC) -o $@ $(filter %.o,$^) $(HOOK_LIBS)

TEST_PROGRAMS += $B/tests/fuzz-search $B/tests/search-target

.PHONY: fuzz-search
fuzz-search: all $B/tests/fuzz-search $B/tests/search-target ## compare searches with a model on FUZZ_SEARCH_COUNT programs
	$B/tests/fuzz-search -p -r $B/libsched.so -t $B/tests/search-target -d $B/search
	$B/tests/fuzz-search -b -r $B/libsched.so -t $B/tests/search-target -d $B/search $(FUZZ_SEARCH_SEED) $(FUZZ_SEARCH_COUNT)
	$B/tests/fuzz-search -e -r $B/libsched.so -t $B/tests/search-target -d $B/search $(FUZZ_SEARCH_SEED) $(FUZZ_SEARCH_COUNT)
	$B/tests/fuzz-search -y -r $B/libsched.so -t $B/tests/search-target -d $B/search $(FUZZ_SEARCH_SEED) $(FUZZ_SEARCH_COUNT)
