# SPDX-License-Identifier: MIT
# Differential fuzzing of the linearizability checker against an oracle that tries every order.

FUZZ_LIN_SRC := $(wildcard tests/lin/*.c)
FUZZ_LIN_SEED ?= 1
FUZZ_LIN_COUNT ?= 100000

$B/tests/fuzz-lin: $(FUZZ_LIN_SRC) $(wildcard tests/lin/*.h) $B/libanalyzer.a
	$(call say,LINK,$@)
	$Qmkdir -p $(@D) && $(CC) $(filter-out -MMD -MP,$(AN_FLAGS)) -o $@ $(FUZZ_LIN_SRC) $B/libanalyzer.a $(AN_LIBS)

.PHONY: fuzz-lin
fuzz-lin: $B/tests/fuzz-lin ## compare the checker with an oracle on FUZZ_LIN_COUNT histories a data type
	$< $(FUZZ_LIN_SEED) $(FUZZ_LIN_COUNT)
