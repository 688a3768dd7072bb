# SPDX-License-Identifier: MIT
# Structures with their clients, and the programs with known numbers of classes.
#
#   $B/structures/NAME-VARIANT           compiled with hooks, linked with the pass-through library
#   $B/structures/native/NAME-VARIANT    compiled as usual, with NATIVE_FLAGS
#   $B/oracles/PROGRAM[-NAMEvalue...]    e.g. mutex-N3-K2
#   $B/oracles/native/...                the same compiled as usual
#
# Only the structure itself is compiled with hooks: what its client does is of no interest to an exploration.

# Each variant and the macro that chooses it.
STRUCTURE_VARIANTS := \
	array_stack-correct: array_stack-pop:FAULTY_POP \
	avl_map-correct: avl_map-insert:FAULTY_INSERT avl_map-remove:FAULTY_REMOVE avl_map-both:FAULTY_INSERT,FAULTY_REMOVE \
	coarse_list-correct: coarse_list-add:FAULTY_ADD coarse_list-remove:FAULTY_REMOVE \
	coarse_list-both:FAULTY_ADD,FAULTY_REMOVE coarse_list-size:FAULTY_SIZE \
	optimistic_list-correct: optimistic_list-add:FAULTY_ADD optimistic_list-remove:FAULTY_REMOVE \
	optimistic_list-both:FAULTY_ADD,FAULTY_REMOVE \
	treiber_stack-correct: treiber_stack-aba:FAULTY_ABA \
	ms_queue-correct: ms_queue-link:FAULTY_LINK ms_queue-head:FAULTY_HEAD \
	spsc_ring-correct: spsc_ring-order:FAULTY_ORDER spsc_ring-full:FAULTY_FULL \
	mpmc_ring-correct: mpmc_ring-turn:FAULTY_TURN mpmc_ring-number:FAULTY_NUMBER \
	chase_lev-correct: chase_lev-last:FAULTY_LAST chase_lev-order:FAULTY_ORDER \
	harris_list-correct: harris_list-mark:FAULTY_MARK harris_list-add:FAULTY_ADD \
	lazy_list-correct: lazy_list-validate:FAULTY_VALIDATE \
	blocking_queue-correct: blocking_queue-signal:FAULTY_SIGNAL blocking_queue-if:FAULTY_IF \
	striped_set-correct: striped_set-table:FAULTY_TABLE striped_set-grow:FAULTY_GROW \
	locked_map-correct: locked_map-absent:FAULTY_ABSENT locked_map-get:FAULTY_GET \
	lru_cache-correct: lru_cache-read:FAULTY_READ \
	handle_table-correct: handle_table-get:FAULTY_GET handle_table-put:FAULTY_PUT \
	hazard_stack-correct: hazard_stack-again:FAULTY_AGAIN hazard_stack-scan:FAULTY_SCAN \
	elimination_stack-correct: elimination_stack-back:FAULTY_BACK elimination_stack-take:FAULTY_TAKE \
	epoch_stack-correct: epoch_stack-early:FAULTY_EARLY epoch_stack-enter:FAULTY_ENTER \
	bst_set-correct: bst_set-flag:FAULTY_FLAG bst_set-mark:FAULTY_MARK \
	lazy_skip_list-correct: lazy_skip_list-validate:FAULTY_VALIDATE \
	lock_free_skip_list-correct: lock_free_skip_list-win:FAULTY_WIN lock_free_skip_list-search:FAULTY_SEARCH \
	split_ordered_set-correct: split_ordered_set-init:FAULTY_INIT split_ordered_set-link:FAULTY_LINK

# As `linchpin cflags` prints them; not asked of it, so that a structure is not rebuilt with every change of the command.
ifneq ($(findstring clang,$(shell $(CC) --version 2>/dev/null)),)
HOOK_FLAGS := -g -O1 -fsanitize=thread -mllvm -tsan-instrument-read-before-write=1
else
HOOK_FLAGS := -g -O1 -fsanitize=thread --param tsan-distinguish-volatile=1
endif
HOOK_LIBS    := -L$B -llinchpin -Wl,-rpath,$(abspath $B) -pthread
PLAIN_FLAGS  := -g -O1
NATIVE_FLAGS ?= -g -O1
STRUCT_FLAGS := -std=gnu11 $(WARN) $(WERROR) -Iinclude -MMD -MP

comma := ,
variant_name   = $(firstword $(subst :, ,$1))
variant_macros = $(addprefix -D,$(subst $(comma), ,$(word 2,$(subst :, ,$1))))

STRUCTURES := $(foreach v,$(STRUCTURE_VARIANTS),$(call variant_name,$v))
STRUCTURE_BIN := $(STRUCTURES:%=$B/structures/%)
NATIVE_BIN    := $(STRUCTURES:%=$B/structures/native/%)

# $1 program, $2 structure, $3 macros
define structure_rules
$B/structures/$1.o: structures/$2/$2.c
	$$(call say,CC,$$@)
	$$Qmkdir -p $$(@D) && $$(CC) $$(STRUCT_FLAGS) $$(HOOK_FLAGS) $3 -c -o $$@ $$<

$B/structures/$1: $B/structures/$1.o $B/structures/$2-client.o $B/structures/client.o $B/liblinchpin.so
	$$(call say,LINK,$$@)
	$$Q$$(CC) -o $$@ $$(filter %.o,$$^) $$(HOOK_LIBS)

$B/structures/native/$1: structures/$2/$2.c structures/$2/client.c structures/client.c
	$$(call say,CC,$$@)
	$$Qmkdir -p $$(@D) && $$(CC) $$(STRUCT_FLAGS) $$(NATIVE_FLAGS) $3 -MF $$@.d -o $$@ $$(filter %.c,$$^) -pthread
endef
$(foreach v,$(STRUCTURE_VARIANTS),$(eval $(call structure_rules,$(call variant_name,$v),$(firstword \
	$(subst -, ,$(call variant_name,$v))),$(call variant_macros,$v))))

$B/structures/client.o: structures/client.c
	$(call say,CC,$<)
	$Qmkdir -p $(@D) && $(CC) $(STRUCT_FLAGS) $(PLAIN_FLAGS) -c -o $@ $<

$B/structures/%-client.o: structures/%/client.c
	$(call say,CC,$<)
	$Qmkdir -p $(@D) && $(CC) $(STRUCT_FLAGS) $(PLAIN_FLAGS) -c -o $@ $<

# The table names the oracles: program, and parameters as -DNAME=value.
ORACLES := $(shell awk '!/^\#/ && NF { n = $$1; if ($$2 != "-") { p = $$2; gsub(/=/, "", p); gsub(/,/, "-", p); \
	n = n "-" p } print n }' tests/oracles/counts tests/waiting/counts)
ORACLE_BIN := $(ORACLES:%=$B/oracles/%) $(ORACLES:%=$B/oracles/native/%)

# $1 program with parameters
define oracle_rules
$B/oracles/$1: tests/oracles/$(firstword $(subst -, ,$1)).c $B/liblinchpin.so
	$$(call say,CC,$$@)
	$$Qmkdir -p $$(@D) && $$(CC) $$(STRUCT_FLAGS) $$(HOOK_FLAGS) $$(shell echo $1 | \
		sed 's/^[a-z_]*//; s/-\([A-Z]*\)\([0-9]*\)/ -D\1=\2/g') -c -MF $$@.d -o $$@.o $$<
	$$Q$$(CC) -o $$@ $$@.o $$(HOOK_LIBS)

$B/oracles/native/$1: tests/oracles/$(firstword $(subst -, ,$1)).c
	$$(call say,CC,$$@)
	$$Qmkdir -p $$(@D) && $$(CC) $$(STRUCT_FLAGS) -g -O2 $$(shell echo $1 | \
		sed 's/^[a-z_]*//; s/-\([A-Z]*\)\([0-9]*\)/ -D\1=\2/g') -MF $$@.d -o $$@ $$< -pthread
endef
$(foreach o,$(ORACLES),$(eval $(call oracle_rules,$o)))

.PHONY: structures structures-native oracles list-structures
list-structures:
	@printf '%s\n' $(foreach v,$(STRUCTURE_VARIANTS),'$(call variant_name,$v):$(call variant_macros,$v)')

structures: $(STRUCTURE_BIN) ## the structures and their clients
structures-native: $(NATIVE_BIN) ## the same without hooks, for sanitizers: NATIVE_FLAGS='-g -fsanitize=address'
oracles: $(ORACLE_BIN) ## programs with known numbers of classes

# What the end-to-end tests need besides.
TEST_PROGRAMS += $(STRUCTURE_BIN) $(NATIVE_BIN) $(ORACLE_BIN)
check-e2e: $(STRUCTURE_BIN) $(NATIVE_BIN) $(ORACLE_BIN)

.PHONY: stress-structures
stress-structures: all ## find each fault of structures/ from its specification file
	@LINCHPIN_ALL=1 LINCHPIN_BUILD=$B bats -f 'each fault' tests/e2e/stress.bats

.PHONY: tables
tables: all structures ## explore the clients of the CAV 2020 tables and compare
	@scripts/tables -B $B cav
