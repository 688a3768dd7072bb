# SPDX-License-Identifier: MIT
# Fuzzing of the history formats with clang's libFuzzer, from the files of tests/formats; FUZZ_SECONDS bounds it.

FUZZ_SECONDS ?= 60
FUZZ_FLAGS := -std=gnu11 -O1 -g -D_GNU_SOURCE -Ianalyzer -I. -fsanitize=fuzzer,address,undefined \
              -fno-sanitize-recover=undefined
FUZZ_FORMATS_SRC := tests/fuzz/fuzz_formats.c analyzer/base/util.c analyzer/lin/history.c \
                    $(wildcard analyzer/lin/format/*.c analyzer/lin/picture/*.c)

.PHONY: fuzz-formats
fuzz-formats: ## fuzz the readers of histories for FUZZ_SECONDS (needs clang)
	@if command -v clang >/dev/null; then $(MAKE) --no-print-directory $B/fuzz_formats && scripts/fuzz-formats $B $(FUZZ_SECONDS); \
	else echo "fuzz-formats: skipped, there is no clang"; fi

$B/fuzz_formats: $(FUZZ_FORMATS_SRC) $(wildcard analyzer/lin/*.h analyzer/lin/*/*.h) \
                  $(wildcard analyzer/lin/picture/picture.*)
	$(call say,FUZZ,$@)
	$Qmkdir -p $(@D) && clang $(FUZZ_FLAGS) -o $@ $(FUZZ_FORMATS_SRC) -ljansson -lm
