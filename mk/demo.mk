# SPDX-License-Identifier: MIT
# From a fresh checkout to a report.

.PHONY: demo
demo: ## install what is missing, build, explore a faulty stack and report
	@scripts/deps build
	@$(MAKE) -s --no-print-directory all $B/structures/array_stack-pop
	@scripts/demo $B
