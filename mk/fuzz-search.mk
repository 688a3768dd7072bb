# SPDX-License-Identifier: MIT
# Random programs of every kind of event: what the searches find against a model that visits every state.

FUZZ_SEARCH_SRC := $(filter-out tests/search/target%,$(wildcard tests/search/*.c))
FUZZ_SEARCH_SEED ?= 1
FUZZ_SEARCH_COUNT ?= 10000

$B/tests/fuzz-search: $(FUZZ_SEARCH_SRC) $(wildcard tests/search/*.h) format/run_dir.h format/trace_format.h
	$(call say,LINK,$@)
	$Qmkdir -p $(@D) && $(CC) $(filter-out -MMD -MP,$(AN_FLAGS)) -o $@ $(FUZZ_SEARCH_SRC) $(AN_LIBS)

$B/tests/search-target: tests/search/target.c tests/search/target_calls.c tests/search/target_channels.c tests/search/target_calls.h tests/search/ops.h $B/liblinchpin.so
	$(call say,LINK,$@)
	$Qmkdir -p $(@D) && $(CC) $(filter-out -MMD -MP,$(STRUCT_FLAGS)) $(HOOK_FLAGS) -c -o $@.o $<
	$Q$(CC) $(filter-out -MMD -MP,$(STRUCT_FLAGS)) $(HOOK_FLAGS) -c -o $@-calls.o tests/search/target_calls.c
	$Q$(CC) $(filter-out -MMD -MP,$(STRUCT_FLAGS)) $(HOOK_FLAGS) -c -o $@-channels.o tests/search/target_channels.c
	$Q$(CC) -o $@ $@.o $@-calls.o $@-channels.o $(HOOK_LIBS)

TEST_PROGRAMS += $B/tests/fuzz-search $B/tests/search-target

.PHONY: fuzz-search
fuzz-search: all $B/tests/fuzz-search $B/tests/search-target ## compare searches with a model on FUZZ_SEARCH_COUNT programs
	$B/tests/fuzz-search -p -r $B/libsched.so -t $B/tests/search-target -d $B/search
	$B/tests/fuzz-search -b -r $B/libsched.so -t $B/tests/search-target -d $B/search $(FUZZ_SEARCH_SEED) $(FUZZ_SEARCH_COUNT)
	$B/tests/fuzz-search -e -r $B/libsched.so -t $B/tests/search-target -d $B/search $(FUZZ_SEARCH_SEED) $(FUZZ_SEARCH_COUNT)
