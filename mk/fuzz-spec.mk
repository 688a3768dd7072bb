# SPDX-License-Identifier: MIT
# Fuzzing of specification files (libFuzzer, so clang), from those of the structures.

FUZZ_SECONDS  ?= 60
FUZZ_SPEC_SRC := tests/fuzz_spec/fuzz_spec.c $(addprefix analyzer/spec/,file.c client_lines.c lexer.c check.c spelling.c) \
                 analyzer/base/util.c $(filter-out analyzer/lin/picture/% analyzer/lin/format/%,$(wildcard \
                 analyzer/lin/*.c analyzer/lin/*/*.c))

.PHONY: fuzz-spec
fuzz-spec: $B/fuzz-spec/fuzz_spec ## fuzz the reader of specification files for FUZZ_SECONDS
	$Qmkdir -p $B/fuzz-spec/corpus $B/fuzz-spec/seed && cp structures/*/*.lin $B/fuzz-spec/seed
	$Q$< -max_total_time=$(FUZZ_SECONDS) -max_len=2048 -artifact_prefix=$B/fuzz-spec/ $B/fuzz-spec/corpus $B/fuzz-spec/seed

$B/fuzz-spec/fuzz_spec: $(FUZZ_SPEC_SRC) analyzer/spec/file.h $B/gen/adt_list.h
	$(call say,FUZZ,$@)
	$Qmkdir -p $(@D) && clang $(filter-out -MMD -MP,$(BASE)) -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=undefined -Ianalyzer -I. -I$B/gen -o $@ $(FUZZ_SPEC_SRC) -ljansson -lpthread -lm -ldl
