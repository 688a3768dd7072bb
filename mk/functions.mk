# SPDX-License-Identifier: MIT
# What is made of the list of functions besides the files that include it: the version script of libsched.so, and
# docs/functions.md, which is in the repository; tests/e2e/functions.bats says when it is out of date.

FUNCTIONS := interpose/functions.def $(wildcard interpose/functions/*.def)

$B/gen/libsched.map: interpose/libsched.map.in $(FUNCTIONS)
	$(call say,GEN,$@)
	$Qmkdir -p $(@D) && $(CC) -E -P -x c -o $@ $<

# A line each: how calls are caught, state, (names), note.
$B/gen/functions: interpose/functions.list.in $(FUNCTIONS)
	$(call say,GEN,$@)
	$Qmkdir -p $(@D) && $(CC) -E -P -x c -o $@ $<

$B/gen/functions.md: $B/gen/functions mk/functions.awk
	$(call say,GEN,$@)
	$Qawk -f mk/functions.awk $< >$@

.PHONY: docs-functions
docs-functions: $B/gen/functions.md ## write docs/functions.md
	$Qcp $< docs/functions.md

check-e2e: $B/gen/functions.md
TEST_PROGRAMS += $B/gen/functions.md
