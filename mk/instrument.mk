# SPDX-License-Identifier: MIT
# Load-time instrumentation: the torture test of instruction forms, and the whole matrix of compilers.
#
#   $B/instrument/torture   every form of memory instruction, executed with random operands (tests/instrument)

$B/instrument/forms: tests/instrument/forms.c tests/instrument/forms.h
	$(call say,CC,$@)
	$Qmkdir -p $(@D) && $(CC) -std=gnu11 -O1 $(WARN) -o $@ $<

$B/instrument/forms.S: $B/instrument/forms
	$Q$< >$@

$B/instrument/torture: tests/instrument/torture.c $B/instrument/forms.S
	$(call say,CC,$@)
	$Qmkdir -p $(@D) && $(CC) -std=gnu11 -O1 -g $(WARN) -fno-pie -no-pie -o $@ $^ -pthread

TEST_PROGRAMS += $B/instrument/torture
check-e2e: $B/instrument/torture

.PHONY: check-matrix
check-matrix: all ## plain builds of all structures by gcc and clang, -O0 to -O3, against compiler hooks
	@tests/instrument/matrix $B all
