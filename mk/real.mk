# SPDX-License-Identifier: MIT
# Small clients of other people's structures, compiled as anybody would: no hooks. `make real` installs the libraries;
# tests/e2e/real.bats makes those of which the library is there, and skips the others.
#
#   $B/real/NAME    of tests/real/*.c; see REAL below
#   $B/real/NAME.o  the same as a library, for clients that linchpin makes

# Each program, the package of pkg-config that it needs, its source, and macros.
REAL := \
	ck_stack:ck:ck_stack ck_stack-reuse:ck:ck_stack:-DREUSE ck_stack-mpmc:ck:ck_stack:-DMPMC,-DREUSE \
	ck_fifo:ck:ck_fifo ck_fifo-reuse:ck:ck_fifo:-DREUSE \
	ck_ring:ck:ck_ring ck_ring-1:ck:ck_ring:-DSIZE=2 ck_ring-spsc:ck:ck_ring:-DSIZE=2,-DKIND=spsc \
	ck_hs:ck:ck_hs ck_ht:ck:ck_ht \
	urcu_lfstack:liburcu-cds:urcu_lfstack \
	urcu_wfcqueue:liburcu-cds:urcu_wfcqueue urcu_wfcqueue-inline:liburcu-cds:urcu_wfcqueue:-D_LGPL_SOURCE \
	urcu_lfqueue:liburcu-cds,liburcu-bp:urcu_lfqueue urcu_lfht:liburcu-cds,liburcu-memb:urcu_lfht \
	glib_async_queue:glib-2.0:glib_async_queue \
	apr_queue:apr-util-1,apr-1:apr_queue

REAL_FLAGS := -g -O2 -pthread -std=gnu11 -Wall -Iinclude -Istructures -MMD -MP

comma := ,
real_field = $(subst $(comma), ,$(word $2,$(subst :, ,$1)))

# $1 program, $2 packages, $3 source, $4 macros
define real_rules
$B/real/$1: tests/real/$3.c structures/client.c structures/client.h
	$$(call say,CC,$$@)
	$$Qmkdir -p $$(@D) && $$(CC) $$(REAL_FLAGS) $4 $$(shell pkg-config --cflags $2) -MF $$@.d -o $$@ $$(filter %.c,$$^) \
		$$(shell pkg-config --libs $2)

$B/real/$1.o: tests/real/$3.c structures/client.h
	$$(call say,CC,$$@)
	$$Qmkdir -p $$(@D) && $$(CC) $$(REAL_FLAGS) -DCLIENT_LIBRARY $4 $$(shell pkg-config --cflags $2) -MF $$@.d -c -o $$@ $$<
	$$Qpkg-config --libs $2 >$$@.libs
endef
$(foreach r,$(REAL),$(eval $(call real_rules,$(call real_field,$r,1),$(call real_field,$r,2),$(call real_field,$r,3),$(call \
	real_field,$r,4))))

# Those of which the packages are installed; asked only by a make that builds them.
REAL_BIN = $(foreach r,$(REAL),$(if $(shell pkg-config --exists $(call real_field,$r,2) && echo yes),$B/real/$(call \
	real_field,$r,1)))

.PHONY: real
real: all ## clients of other people's libraries; installs these
	@scripts/deps real
	@$(MAKE) --no-print-directory real-programs
ifneq ($(filter real-programs,$(MAKECMDGOALS)),)
.PHONY: real-programs
real-programs: $(REAL_BIN) $(REAL_BIN:%=%.o)
endif
