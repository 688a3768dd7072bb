# SPDX-License-Identifier: MIT
# How long linearizability checks take.

LIN_BENCH_SEED ?= 1
LIN_BENCH_MOST ?= 1000000
HISTORIES      ?= ../shared/histories

$B/bench/lin-bench: bench/lin_bench.c $B/libanalyzer.a
	$(call say,LINK,$@)
	$Qmkdir -p $(@D) && $(CC) $(AN_FLAGS) -o $@ $< $B/libanalyzer.a $(AN_LIBS)

.PHONY: bench-lin
bench-lin: $B/bench/lin-bench ## time linearizability checks (LIN_BENCH_MOST operations at most)
	$< $(LIN_BENCH_SEED) $(LIN_BENCH_MOST) $(wildcard $(HISTORIES))
