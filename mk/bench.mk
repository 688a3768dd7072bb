# SPDX-License-Identifier: MIT
# Speed of the exploration, and of load-time instrumentation. Ratios within one run mean something; single numbers depend
# on the machine.
#
#   $B/bench/NAME         with compiler hooks
#   $B/bench/plain/NAME   compiled as usual

BENCH_BIN := $B/bench/twelve $B/bench/events $B/bench/list $B/bench/plain/events $B/bench/plain/list \
             $B/bench/plain/small $B/bench/plain/small-cc $B/bench/plain/large

$B/bench/%: bench/%.c $B/liblinchpin.so
	$(call say,CC,$@)
	$Qmkdir -p $(@D) && $(CC) $(STRUCT_FLAGS) $(HOOK_FLAGS) -c -MF $@.d -o $@.o $<
	$Q$(CC) -o $@ $@.o $(HOOK_LIBS)

$B/bench/plain/%: bench/%.c
	$(call say,CC,$@)
	$Qmkdir -p $(@D) && $(CC) $(STRUCT_FLAGS) $(PLAIN_FLAGS) -o $@ $< -pthread

# The list and its client, all of it, as instrumentation sees it, too.
LIST := structures/coarse_list/coarse_list.c structures/coarse_list/client.c structures/client.c
$B/bench/list: $(LIST) $B/liblinchpin.so
	$(call say,CC,$@)
	$Qmkdir -p $@.objects && for f in $(LIST); do $(CC) $(STRUCT_FLAGS) $(HOOK_FLAGS) -c \
		-o $@.objects/$$(echo $$f | tr / -).o $$f || exit 1; done
	$Q$(CC) -o $@ $@.objects/*.o $(HOOK_LIBS)

$B/bench/plain/list: $(LIST)
	$(call say,CC,$@)
	$Qmkdir -p $(@D) && $(CC) $(STRUCT_FLAGS) $(PLAIN_FLAGS) -o $@ $(LIST) -pthread

$B/bench/plain/small-cc: bench/small.cc
	$(call say,CXX,$@)
	$Qmkdir -p $(@D) && $(CXX) -std=c++17 $(PLAIN_FLAGS) -o $@ $< -pthread

# A good MiB of text, of which only an eighth has to be compiled.
UNITS := 1 2 3 4 5 6 7 8
$B/bench/plain/unit.o: bench/large.awk
	$(call say,CC,$@)
	$Qmkdir -p $(@D) && awk -f $< >$(@:.o=.c) && $(CC) -O1 -c -o $@ $(@:.o=.c)

$B/bench/plain/large: bench/large.c $B/bench/plain/unit.o
	$(call say,CC,$@)
	$Qfor k in $(UNITS); do objcopy --prefix-symbols=u$${k}_ $(@D)/unit.o $(@D)/unit$$k.o || exit 1; done
	$Q$(CC) $(STRUCT_FLAGS) $(PLAIN_FLAGS) -o $@ $< $(UNITS:%=$(@D)/unit%.o) -pthread

.PHONY: bench
bench: all $(BENCH_BIN) $B/oracles/fib-K6 $B/structures/coarse_list-correct ## speed; writes build/bench.json
	@scripts/bench $B
