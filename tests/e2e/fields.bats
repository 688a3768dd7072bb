#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What is in a block of the heap has the names of its type, if the place that allocates it says what it is.

load helpers/common

# named SOURCE COMPILER FLAG...: each write of the source with /* NAME */ behind it is called so, and none is called otherwise.
named() {
	local source=$1 place name written
	shift
	"$@" -g -pthread -o fields "$PROGRAMS/$source"
	"$LINCHPIN" run -q --check none -o d -- ./fields
	"$LINCHPIN" trace d 1 >trace
	grep -n '; /\* .* \*/$' "$PROGRAMS/$source" | sed 's|^\([0-9]*\):.*/\* \(.*\) \*/$|\1 \2|' >wanted
	[ -s wanted ]
	while read -r place name; do
		written=$(grep -o "[ /]$source:$place .* heap T0.1#[0-9]*[^ ]*" trace | sed 's/.* heap T0.1#[0-9]*//' | sort -u)
		[ "$written" = "$name" ] || {
			echo "# $* $source:$place is called '$written', not '$name'"
			return 1
		}
	done <wanted
}

@test "fields of blocks that are allocated in C" {
	for cc in gcc $(command -v clang); do
		named fields.c "$cc" -O0
		named fields.c "$cc" -O2
	done
}

@test "fields of blocks that are allocated in C++" {
	for cc in g++ $(command -v clang++); do
		named fields.cc "$cc" -O0
	done
}

@test "a type that the statement names besides is not that of the block" {
	for cc in gcc $(command -v clang); do
		named misleading.c "$cc" -O0
		named misleading.c "$cc" -O2
	done
	for cc in g++ $(command -v clang++); do
		named misleading.cc "$cc" -O0
	done
}

@test "a source that is gone names nothing" {
	cp "$PROGRAMS/fields.c" gone.c
	gcc -g -pthread -o fields gone.c
	rm gone.c
	"$LINCHPIN" run -q --check none -o d -- ./fields
	run "$LINCHPIN" trace d 1
	[ "$status" -eq 0 ]
	[[ $output == *' heap T0.1#1+8 '* ]]
	[[ $output != *' heap T0.1#1.right'* ]]
}
