# SPDX-License-Identifier: MIT
# The link library, the header and pkg-config files as they are used from the build directory, man pages, and install.

PT_SRC := $(wildcard interpose/passthrough/*.c interpose/passthrough/*.S)
PT_OBJ := $(PT_SRC:%=$B/%.o)
HEADERS := $(wildcard include/linchpin*.h)
MAN_SRC := $(wildcard docs/*.1.md)
MAN := $(MAN_SRC:docs/%.md=$B/man/%)

all: $B/liblinchpin.so $B/linchpin.pc $B/linchpin-uninstalled.pc $(HEADERS:include/%=$B/include/%)

# 16-byte atomics are instructions, not calls of libatomic.
$(PT_OBJ): RT_FLAGS += -mcx16

$B/liblinchpin.so: $(PT_OBJ)
	$(call say,LINK,$@)
	$Q$(CC) -shared -o $@ $(PT_OBJ) -Wl,--no-undefined -Wl,-soname,liblinchpin.so

$B/include/%.h: include/%.h
	$Qmkdir -p $(@D) && cp $< $@

# pc(prefix, libdir, includedir): gcc's flags; clang's stand in the variable clang_cflags.
define pc
prefix=$(1)
libdir=$(2)
includedir=$(3)
clang_cflags=-g -fsanitize=thread -mllvm -tsan-instrument-read-before-write=1 -I$${includedir}

Name: linchpin
Description: compile and link flags for programs that linchpin explores
Version: $(VERSION)
Cflags: -g -fsanitize=thread --param tsan-distinguish-volatile=1 -I$${includedir}
Libs: -L$${libdir} -llinchpin -Wl,-rpath,$${libdir} -pthread
endef

$B/linchpin.pc: mk/install.mk Makefile
	$(call say,GEN,$@)
	$Qmkdir -p $(@D)
	$(file >$@,$(call pc,$(PREFIX),$${prefix}/lib,$${prefix}/include))

# pkg-config prefers this one when it is told to look in the build directory.
$B/linchpin-uninstalled.pc: mk/install.mk Makefile
	$(call say,GEN,$@)
	$Qmkdir -p $(@D)
	$(file >$@,$(call pc,$(abspath $B),$${prefix},$${prefix}/include))

$B/man/%: docs/%.md
	$(call say,MAN,$@)
	$Qmkdir -p $(@D) && lowdown -s --out-no-smart -T man -o $@ $<

.PHONY: man install uninstall
man: $(MAN) ## build the manual pages

install: all man ## install to $(DESTDIR)$(PREFIX)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/pkgconfig $(DESTDIR)$(PREFIX)/include \
		$(DESTDIR)$(PREFIX)/share/man/man1
	install -m 755 $B/linchpin $(DESTDIR)$(PREFIX)/bin/
	install -m 755 $B/libsched.so $B/liblinchpin.so $(DESTDIR)$(PREFIX)/lib/
	install -m 644 $(HEADERS) $(DESTDIR)$(PREFIX)/include/
	sed 's|^prefix=.*|prefix=$(PREFIX)|' $B/linchpin.pc >$(DESTDIR)$(PREFIX)/lib/pkgconfig/linchpin.pc
	chmod 644 $(DESTDIR)$(PREFIX)/lib/pkgconfig/linchpin.pc
	install -m 644 $(MAN) $(DESTDIR)$(PREFIX)/share/man/man1/

uninstall: ## remove what install put there
	rm -f $(DESTDIR)$(PREFIX)/bin/linchpin $(DESTDIR)$(PREFIX)/lib/libsched.so \
		$(DESTDIR)$(PREFIX)/lib/liblinchpin.so $(DESTDIR)$(PREFIX)/lib/pkgconfig/linchpin.pc \
		$(HEADERS:include/%=$(DESTDIR)$(PREFIX)/include/%) \
		$(MAN:$B/man/%=$(DESTDIR)$(PREFIX)/share/man/man1/%)
