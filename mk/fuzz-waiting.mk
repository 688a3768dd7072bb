# SPDX-License-Identifier: MIT
# Random programs that wait: what linchpin finds in them against a checker that visits every state.

FUZZ_WAITING_SRC := $(wildcard tests/waiting/*.c)
FUZZ_WAITING_SEED ?= 1
FUZZ_WAITING_COUNT ?= 2000

$B/tests/fuzz-waiting: $(FUZZ_WAITING_SRC) $(wildcard tests/waiting/*.h) $B/libanalyzer.a
	$(call say,LINK,$@)
	$Qmkdir -p $(@D) && $(CC) $(filter-out -MMD -MP,$(AN_FLAGS)) -o $@ $(FUZZ_WAITING_SRC) $B/libanalyzer.a $(AN_LIBS)

TEST_PROGRAMS += $B/tests/fuzz-waiting

.PHONY: fuzz-waiting
fuzz-waiting: all $B/tests/fuzz-waiting ## compare searches with a checker on FUZZ_WAITING_COUNT programs that wait
	$B/tests/fuzz-waiting -l $B/linchpin -d $B/waiting $(FUZZ_WAITING_SEED) $(FUZZ_WAITING_COUNT)
