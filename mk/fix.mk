# SPDX-License-Identifier: MIT
# Patches need the headers of libclang, which itself is loaded when `linchpin fix` runs. NO_LIBCLANG=1 builds without.
ifndef NO_LIBCLANG
LIBCLANG_INCLUDE := $(firstword $(wildcard $(patsubst %/clang-c/Index.h,%,$(wildcard /usr/include/clang-c/Index.h)) \
	$(patsubst %/clang-c/Index.h,%,$(wildcard /usr/lib/llvm-*/include/clang-c/Index.h))))
ifneq ($(LIBCLANG_INCLUDE),)
$B/analyzer/fix/clang.c.o: AN_FLAGS += -DHAVE_LIBCLANG -isystem $(LIBCLANG_INCLUDE)
endif
endif
