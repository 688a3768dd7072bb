# SPDX-License-Identifier: MIT
# Speed of the exploration. Ratios within one run mean something; single numbers depend on the machine.

BENCH_BIN := $B/bench/twelve $B/bench/events

$B/bench/%: bench/%.c $B/liblinchpin.so
	$(call say,CC,$@)
	$Qmkdir -p $(@D) && $(CC) $(STRUCT_FLAGS) $(HOOK_FLAGS) -c -MF $@.d -o $@.o $<
	$Q$(CC) -o $@ $@.o $(HOOK_LIBS)

.PHONY: bench
bench: all $(BENCH_BIN) $B/oracles/fib-K6 $B/structures/coarse_list-correct ## speed; writes build/bench.json
	@scripts/bench $B
