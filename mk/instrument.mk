# SPDX-License-Identifier: MIT
# Load-time instrumentation: the torture test of instruction forms, and the whole matrix of compilers.
#
#   $B/instrument/torture       every form of memory instruction, executed with random operands (tests/instrument)
#   $B/instrument/conventions   functions that keep to no calling convention, executed in the same way

$B/instrument/%-text: tests/instrument/%.c tests/instrument/forms.h tests/instrument/wrapper.h
	$(call say,CC,$@)
	$Qmkdir -p $(@D) && $(CC) -std=gnu11 -O1 $(WARN) -o $@ $<

$B/instrument/%.S: $B/instrument/%-text
	$Q$< >$@

TORTURE := $B/instrument/torture $B/instrument/conventions
$B/instrument/torture: $B/instrument/forms.S
$B/instrument/conventions: $B/instrument/conventions.S
$(TORTURE): tests/instrument/torture.c
	$(call say,CC,$@)
	$Qmkdir -p $(@D) && $(CC) -std=gnu11 -O1 -g $(WARN) -fno-pie -no-pie -o $@ $^ -pthread

TEST_PROGRAMS += $(TORTURE)
check-e2e: $(TORTURE)

.PHONY: check-matrix
check-matrix: all ## plain builds of all structures by gcc and clang, -O0 to -O3, against compiler hooks
	@tests/instrument/matrix $B all

# The analysis of frames without the rest of the runtime; the hooks that it is told of are those of the link library.
FRAME_OBJ := $(patsubst %,$B/instrument/%.c.o,frame_calls frame_decode frame_forward frame_live frame_parts frame_slots frame_view \
               imports decode operands memo functions names eh_frame)

$B/tests/test_frame_view: tests/unit/test_frame_view.c $(FRAME_OBJ) $B/liblinchpin.so
	$(call say,TEST,$<)
	$Qmkdir -p $(@D) && $(CC) $(AN_FLAGS) -o $@ $< $(FRAME_OBJ) -L$B -llinchpin -Wl,-rpath,$(abspath $B) -lZydis \
		-lcmocka $(AN_LIBS)
