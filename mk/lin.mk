# SPDX-License-Identifier: MIT
# The built-in specifications are the files of analyzer/lin/adt; this writes the table of them.

ADT_NAMES := $(patsubst analyzer/lin/adt/%.c,%,$(sort $(wildcard analyzer/lin/adt/*.c)))

.PHONY: adt-list
$B/gen/adt_list.h: adt-list
	$Qmkdir -p $(@D) && printf 'ADT_FILE(%s)\n' $(ADT_NAMES) >$@.new && \
		{ cmp -s $@.new $@ && rm $@.new || mv $@.new $@; }

$B/analyzer/lin/adt_table.c.o: $B/gen/adt_list.h
$B/analyzer/lin/adt_table.c.o: AN_FLAGS += -I$B/gen

$B/examples/%.so: examples/%.c include/linchpin_spec.h
	$(call say,LINK,$@)
	$Qmkdir -p $(@D) && $(CC) $(filter-out -MMD -MP,$(AN_FLAGS)) -Iinclude -shared -fPIC -o $@ $<

$B/tests/test_lin_plugin: $B/examples/spec_plugin.so
