# SPDX-License-Identifier: MIT
# Tests. The packages are looked for first, so what needs them is made by a second make.

E2E := $(wildcard tests/e2e/*.bats)
FORMATTED := $(wildcard analyzer/*/*.[ch] analyzer/*/*/*.[ch] format/*.h include/*.h runtime/*.[ch] runtime/*/*.[ch] interpose/*.[ch] \
               interpose/*/*.[ch] instrument/*.[ch] tests/unit/*.[ch] tests/oracles/*.[ch] tests/waiting/*.[ch] structures/*.[ch] structures/*/*.[ch])
VALGRIND := valgrind -q --suppressions=tests/unit/valgrind.supp --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite

.PHONY: check check-unit check-e2e check-valgrind check-format
check: ## install what is missing, build, run all tests
	@scripts/deps check
	@$(MAKE) --no-print-directory all man $(UT_BIN) $(TEST_PROGRAMS)
	@scripts/run-tests $B $(UT_BIN) $(E2E)

check-unit: $(UT_BIN) ## run the unit tests
	@scripts/run-tests $B $(UT_BIN)

check-e2e: all man ## run the end-to-end tests
	@scripts/run-tests $B $(E2E)

check-valgrind: ## run the unit tests under valgrind
	@scripts/deps valgrind
	@$(MAKE) --no-print-directory $(UT_BIN)
	@TEST_LIMIT=600 scripts/run-tests --wrap "$(VALGRIND)" $B $(UT_BIN)

check-format: ## does the source look as .clang-format says?
	@scripts/deps format
	@clang-format --dry-run --Werror $(FORMATTED)
