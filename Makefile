# SPDX-License-Identifier: MIT
# linchpin. `make help` lists the targets; README.md says the rest.
#
# Variables: V=1 shows commands, DEBUG=1 -O0 -g3, SAN=1 address and undefined-behaviour sanitizers (analyzer and
# tests), COVERAGE=1 gcov, CC=clang, PREFIX=/usr/local, DESTDIR=, B=build (where everything built goes).

VERSION := 0.1.0
PREFIX  ?= /usr/local
ifdef SAN
B       ?= build-san
else
B       ?= build
endif
Q       := $(if $(V),,@)
say      = $(if $(V),,@printf '  %-7s %s\n' $(1) $(2))

CC      ?= gcc
ifdef DEBUG
OPT     := -O0 -g3
else
OPT     := -O2 -g
endif
WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wno-unused-parameter
BASE    := -std=gnu11 $(OPT) $(WARN) $(WERROR) -D_GNU_SOURCE -DLINCHPIN_VERSION='"$(VERSION)"' -MMD -MP

# The runtime lives inside somebody else's process: no TLS, no stack protector, no builtins that become libc calls,
# nothing exported but what is marked. No vector registers: they hold the program's values at a site of instrumentation;
# but for files with floating point, which run only where nothing of the program goes on.
RT_FLAGS  = $(BASE) -fPIC -fvisibility=hidden -fno-builtin -fno-stack-protector \
            -fomit-frame-pointer -fno-plt $(RT_REGISTERS) $(RT_AS_ONE) $(if $(findstring clang,$(CC)),,$(RT_GCC))
# An event is copied word by word: the instructions for strings need longer to begin.
RT_GCC    = -fno-tree-loop-distribute-patterns -mmemcpy-strategy=unrolled_loop:192:noalign,rep_byte:-1:noalign \
            -mmemset-strategy=unrolled_loop:192:noalign,rep_byte:-1:noalign
RT_FLOATS := config explore outcome run_dir search/auto search/estimate watchdog
$(foreach f,$(RT_FLOATS),$(eval $$B/runtime/$f.c.o: RT_REGISTERS :=))
RT_REGISTERS := -mgeneral-regs-only

# What runs at each step is compiled as one, which saves a tenth of the time of a search and more.
RT_HOT := $(addprefix runtime/,sched commit conflict resolve shadow fiber heap memory_errors call_stack extended local_state checkpoint \
          donors trace kept owners reuse steps search/dpor search/sequence search/source search/races search/frames search/random search/walk \
          search/pct search/pos search/surw search/rare search/sampling waiting/rounds waiting/visits waiting/vain) \
          $(addprefix interpose/,access atomic mutex thread operations)
HOT_OBJ := $(RT_HOT:%=$B/%.c.o)
ifeq ($(DEBUG)$(findstring clang,$(CC)),)
$(HOT_OBJ): RT_AS_ONE := -flto
RT_JOIN := -flto -flto-partition=one -flinker-output=nolto-rel
endif

AN_FLAGS := $(BASE) -Ianalyzer -I. $(shell pkg-config --cflags jansson libdw sqlite3 2>/dev/null)
AN_LIBS  := $(shell pkg-config --libs jansson libdw libelf sqlite3 2>/dev/null || echo -ljansson -ldw -lelf -lsqlite3) -lpthread -lm -ldl
ifdef SAN
AN_FLAGS += -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
AN_LIBS  += -fsanitize=address,undefined
endif
ifdef COVERAGE
AN_FLAGS += --coverage
AN_LIBS  += --coverage
endif

RT_SRC := $(wildcard runtime/*.c runtime/*.S runtime/search/*.c runtime/waiting/*.c interpose/*.c interpose/*.S instrument/*.c instrument/*.S)
AN_SRC := $(filter-out analyzer/command/main.c,$(wildcard analyzer/*/*.c analyzer/*/*/*.c))
UT_SRC := $(wildcard tests/unit/test_*.c)
RT_OBJ := $(filter-out $(HOT_OBJ),$(RT_SRC:%=$B/%.o)) $B/hot.o
AN_OBJ := $(AN_SRC:%=$B/%.o)
UT_BIN := $(UT_SRC:tests/unit/%.c=$B/tests/%)

.PHONY: all clean help
all: $B/libsched.so $B/linchpin

help:
	@sed -n 's/^# //p' Makefile | head -6
	@sed -n 's/^\([a-z-]*\):.*## */\1\t/p' Makefile mk/*.mk 2>/dev/null | expand -t 18

$B/libsched.so: $(RT_OBJ) $B/gen/libsched.map
	$(call say,LINK,$@)
	$Q$(CC) -shared -o $@ $(RT_OBJ) -Wl,--no-undefined -Wl,-z,defs -Wl,-z,now -Wl,-z,nodelete \
		-Wl,--version-script=$B/gen/libsched.map -Wl,-soname,libsched.so -Wl,-Bsymbolic -lZydis

$B/hot.o: $(HOT_OBJ)
	$(call say,LINK,$@)
	$Q$(CC) $(RT_FLAGS) $(RT_JOIN) -r -nostdlib -o $@ $^

$B/linchpin: $B/analyzer/command/main.c.o $B/libanalyzer.a
	$(call say,LINK,$@)
	$Q$(CC) -o $@ $^ $(AN_LIBS)

$B/libanalyzer.a: $(AN_OBJ)
	$(call say,AR,$@)
	$Qrm -f $@ && ar rcs $@ $^

$B/runtime/%.o: runtime/%
	$(call say,CC,$<)
	$Qmkdir -p $(@D) && $(CC) $(RT_FLAGS) -c -o $@ $<

$B/interpose/%.o: interpose/%
	$(call say,CC,$<)
	$Qmkdir -p $(@D) && $(CC) $(RT_FLAGS) -c -o $@ $<

$B/instrument/%.o: instrument/%
	$(call say,CC,$<)
	$Qmkdir -p $(@D) && $(CC) $(RT_FLAGS) -c -o $@ $<

$B/analyzer/%.o: analyzer/%
	$(call say,CC,$<)
	$Qmkdir -p $(@D) && $(CC) $(AN_FLAGS) -c -o $@ $<

$B/tests/test_%: tests/unit/test_%.c $B/libanalyzer.a
	$(call say,TEST,$<)
	$Qmkdir -p $(@D) && $(CC) $(AN_FLAGS) -Itests/unit -o $@ $< $B/libanalyzer.a -lcmocka $(AN_LIBS)

# Further rules, a topic a file: link library and install, tests, benchmarks, demo.
-include $(wildcard mk/*.mk)

clean: ## remove everything built
	rm -rf build build-san

-include $(shell find $B -name '*.d' 2>/dev/null)
