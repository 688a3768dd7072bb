# SPDX-License-Identifier: MIT
# Fuzzing of the reader of run directories (libFuzzer, so clang). Findings are left in $B/fuzz-trace/.

FUZZ_SECONDS  ?= 60
FUZZ_TRACE    := $B/fuzz-trace
FUZZ_TRACE_SRC := tests/fuzz_trace/fuzz_trace.c $(addprefix analyzer/,run/reader.c run/tables.c run/trace_reader.c run/places.c \
                  run/decode.c run/stack.c run/trace.c run/canonical.c base/util.c)

.PHONY: fuzz-trace
fuzz-trace: $(FUZZ_TRACE)/fuzz_trace $(FUZZ_TRACE)/seeds ## fuzz the reader of run directories for FUZZ_SECONDS
	$Qmkdir -p $(FUZZ_TRACE)/corpus $(FUZZ_TRACE)/seed && $(FUZZ_TRACE)/seeds $(FUZZ_TRACE)/seed
	$Q$(FUZZ_TRACE)/fuzz_trace -max_total_time=$(FUZZ_SECONDS) -max_len=8192 -rss_limit_mb=1024 -timeout=10 \
		-artifact_prefix=$(FUZZ_TRACE)/ $(FUZZ_TRACE)/corpus $(FUZZ_TRACE)/seed

$(FUZZ_TRACE)/fuzz_trace: $(FUZZ_TRACE_SRC) analyzer/run/private.h analyzer/run/trace.h tests/unit/run_writer.h
	$(call say,FUZZ,$@)
	$Qmkdir -p $(@D) && clang $(filter-out -MMD -MP,$(BASE)) -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=undefined -Ianalyzer -I. -o $@ $(FUZZ_TRACE_SRC)

$(FUZZ_TRACE)/seeds: tests/fuzz_trace/seeds.c tests/unit/run_writer.h
	$(call say,CC,$@)
	$Qmkdir -p $(@D) && $(CC) $(filter-out -MMD -MP,$(BASE)) -o $@ $<
