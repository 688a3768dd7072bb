#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# make install: a program is compiled, explored and reported on with what was installed and nothing else.

load helpers/common

@test "make install with DESTDIR and PREFIX puts every file in its place" {
	make -s -C "$ROOT" B="$BUILD" install PREFIX=/opt/linchpin DESTDIR="$PWD/root"
	cd root/opt/linchpin
	for file in bin/linchpin lib/libsched.so lib/liblinchpin.so include/linchpin.h lib/pkgconfig/linchpin.pc \
		share/man/man1/linchpin.1 share/man/man1/linchpin-run.1 lib/cmake/Linchpin/LinchpinConfig.cmake \
		share/bash-completion/completions/linchpin share/zsh/site-functions/_linchpin \
		share/fish/vendor_completions.d/linchpin.fish; do
		[ -s "$file" ]
	done
	grep -qx 'prefix=/opt/linchpin' lib/pkgconfig/linchpin.pc
}

@test "an installed linchpin works from any place" {
	make -s -C "$ROOT" B="$BUILD" install PREFIX="$PWD/p"
	export PATH=$PWD/p/bin:$PATH PKG_CONFIG_PATH=$PWD/p/lib/pkgconfig
	# shellcheck disable=SC2046
	gcc $(pkg-config --cflags linchpin) -c -o c.o "$PROGRAMS/counter.c"
	# shellcheck disable=SC2046
	gcc -o c c.o $(pkg-config --libs linchpin)
	ldd c | grep -q "$PWD/p/lib/liblinchpin.so"
	run linchpin run -o d -- ./c
	[ "$status" -eq 1 ]
	run linchpin cflags
	[[ $output == *"-I$PWD/p/include"* ]]
}

@test "make install says what to do, and make uninstall leaves nothing" {
	run make -s -C "$ROOT" B="$BUILD" install PREFIX="$PWD/p"
	[ "$status" -eq 0 ]
	[[ $output == *"export PATH=$PWD/p/bin:"* && $output == *"LD_PRELOAD=$PWD/p/lib/libsched.so"* ]]
	make -s -C "$ROOT" B="$BUILD" uninstall PREFIX="$PWD/p"
	[ -z "$(find p -type f)" ]
}

# A project of two programs: one as anybody would compile it, one with hooks.
cmake_project() {
	cat >CMakeLists.txt <<-'END'
	cmake_minimum_required(VERSION 3.16)
	project(demo C)
	find_package(Linchpin 0.1 REQUIRED)
	enable_testing()
	set(CMAKE_C_FLAGS "-g -O1")
	add_executable(counter counter.c)
	target_link_libraries(counter Linchpin::hooks)
	add_executable(marked counter.c)
	target_link_libraries(marked Linchpin::marks)
	add_executable(fixed counter.c)
	target_compile_definitions(fixed PRIVATE FIXED)
	target_link_libraries(fixed Linchpin::marks)
	linchpin_add_test(NAME counter COMMAND counter)
	linchpin_add_test(NAME marked COMMAND marked SPEC counter MAX_TIME 0)
	linchpin_add_test(NAME fixed COMMAND fixed REQUIRE_COMPLETE OPTIONS --search=dfs)
	END
	cat >counter.c <<-'END'
	#include <linchpin.h>
	#include <pthread.h>
	static int counter;
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static void *worker(void *unused)
	{
		int old;

		linchpin_call(&counter, "fetch_inc");
	#ifdef FIXED
		pthread_mutex_lock(&lock);
	#endif
		old = counter;
		counter = old + 1;
	#ifdef FIXED
		pthread_mutex_unlock(&lock);
	#endif
		linchpin_return(old);
		return unused;
	}
	int main(void)
	{
		pthread_t a, b;

		linchpin_object(&counter, "counter");
		pthread_create(&a, NULL, worker, NULL);
		pthread_create(&b, NULL, worker, NULL);
		pthread_join(a, NULL);
		pthread_join(b, NULL);
		return 0;
	}
	END
}

@test "a CMake project with linchpin_add_test, from an installation and from the build directory" {
	command -v cmake >/dev/null || skip "there is no cmake"
	make -s -C "$ROOT" B="$BUILD" install PREFIX="$PWD/p"
	cmake_project
	for prefix in "$PWD/p" "$BUILD/cmake"; do
		rm -rf b
		cmake -S . -B b -DCMAKE_PREFIX_PATH="$PWD/p" -DLinchpin_DIR="$([ "$prefix" = "$PWD/p" ] || echo "$prefix")" >log
		cmake --build b >log
		cd b
		run ctest --output-on-failure
		cd ..
		echo "$output"
		[ "$status" -ne 0 ]
		[[ $output == *'1/3 Test #1: counter '*'Failed'*'not linearizable'* ]]
		[[ $output == *'2/3 Test #2: marked '*'Failed'* && $output == *'3/3 Test #3: fixed '*'Passed'* ]]
		[ -s b/counter.linchpin/trace ]
	done
}

@test "completions name all commands and options" {
	"$LINCHPIN" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' >commands
	[ "$(wc -l <commands)" -ge 9 ]
	for shell in bash zsh fish; do
		"$LINCHPIN" completion $shell >script
		while read -r command; do
			"$LINCHPIN" "$command" --help | grep -o '^ *\(-., \)\{0,1\}--[a-z-]*' | sed 's/.*--//' >options
			grep -q help options
			# The part of the script for this command.
			case $shell in
			bash) sed -n "/^\t$command\*)/,/;;/p" script ;;
			zsh) sed -n "/^$command)/,/;;/p" script ;;
			fish) grep "_from $command'" script ;;
			esac >part
			while read -r option; do
				grep -q -e "--$option\b" -e "-l $option\b" part || { echo "$shell $command $option"; false; }
			done <options
		done <commands
		! command -v $shell >/dev/null || $shell -n script
	done
}

# completed WORD...: what bash offers for the last word.
completed() {
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	_linchpin
	echo "${COMPREPLY[*]}"
}

@test "bash completes commands, options and values" {
	compopt() { :; }
	# shellcheck disable=SC1090
	source <("$LINCHPIN" completion bash)
	mkdir run.d
	[ "$(completed linchpin re)" = 'report replay' ]
	[ "$(completed linchpin run --max-)" = '--max-executions= --max-time= --max-steps=' ]
	[ "$(completed linchpin run --search = d)" = 'dfs dpor despor dlspor delayed' ]
	[ "$(completed linchpin run --search =)" = "$("$LINCHPIN" --version | sed -n 's/^searches *//p')" ]
	[ "$(completed linchpin run -o ru)" = run.d ]
	[ "$(completed linchpin check -a bounded-q)" = bounded-queue ]
	[ "$(completed linchpin report r)" = run.d ]
	[ -z "$(completed linchpin run -- ./x --max-)" ]
}
