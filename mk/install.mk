# SPDX-License-Identifier: MIT
# The link library, the header and pkg-config files as they are used from the build directory, the CMake package,
# completions, man pages, and install.

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

COMPLETION := $(addprefix $B/completion/,bash zsh fish)
$(COMPLETION): $B/completion/%: $B/linchpin
	$(call say,GEN,$@)
	$Qmkdir -p $(@D) && $B/linchpin completion $* >$@

$B/cmake/%.cmake: cmake/%.cmake.in Makefile
	$(call say,GEN,$@)
	$Qmkdir -p $(@D) && sed 's|@VERSION@|$(VERSION)|' $< >$@

all: $B/cmake/LinchpinConfig.cmake $B/cmake/LinchpinConfigVersion.cmake

# Beside the command, where it is looked for first.
GDB_EXTENSION := $(notdir $(wildcard debugger/*.py))
$(GDB_EXTENSION:%=$B/%): $B/%: debugger/%
	$(call say,COPY,$@)
	$Qmkdir -p $(@D) && cp $< $@

all: $(GDB_EXTENSION:%=$B/%)

# What is installed: the path below PREFIX, the file, its mode.
INSTALLED := \
	bin/linchpin:$B/linchpin:755 \
	lib/libsched.so:$B/libsched.so:755 lib/liblinchpin.so:$B/liblinchpin.so:755 \
	$(foreach p,$(GDB_EXTENSION),share/linchpin/$p:$B/$p:644) \
	$(foreach h,$(HEADERS),$h:$h:644) \
	$(foreach m,$(MAN),share/man/man1/$(notdir $m):$m:644) \
	lib/cmake/Linchpin/LinchpinConfig.cmake:$B/cmake/LinchpinConfig.cmake:644 \
	lib/cmake/Linchpin/LinchpinConfigVersion.cmake:$B/cmake/LinchpinConfigVersion.cmake:644 \
	share/bash-completion/completions/linchpin:$B/completion/bash:644 \
	share/zsh/site-functions/_linchpin:$B/completion/zsh:644 \
	share/fish/vendor_completions.d/linchpin.fish:$B/completion/fish:644

place := $(DESTDIR)$(PREFIX)
installed_path = $(place)/$(word 1,$(subst :, ,$1))

.PHONY: man install uninstall
man: $(MAN) ## build the manual pages

install: all man $(COMPLETION) ## install to $(DESTDIR)$(PREFIX)
	$Q$(foreach i,$(INSTALLED),install -D -m $(word 3,$(subst :, ,$i)) $(word 2,$(subst :, ,$i)) $(call installed_path,$i) &&) true
	$Qinstall -d $(place)/lib/pkgconfig
	$Qsed 's|^prefix=.*|prefix=$(PREFIX)|' $B/linchpin.pc >$(place)/lib/pkgconfig/linchpin.pc
	$Qchmod 644 $(place)/lib/pkgconfig/linchpin.pc
	@[ -n "$(DESTDIR)" ] || scripts/installed $(PREFIX)

uninstall: ## remove what install put there
	rm -f $(foreach i,$(INSTALLED),$(call installed_path,$i)) $(place)/lib/pkgconfig/linchpin.pc
	-rmdir $(place)/lib/cmake/Linchpin
