#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# make install: a program is compiled, explored and reported on with what was installed and nothing else.

load helpers/common

@test "make install with DESTDIR and PREFIX puts every file in its place" {
	make -s -C "$ROOT" B="$BUILD" install PREFIX=/opt/linchpin DESTDIR="$PWD/root"
	cd root/opt/linchpin
	for file in bin/linchpin lib/libsched.so lib/liblinchpin.so include/linchpin.h lib/pkgconfig/linchpin.pc \
		share/man/man1/linchpin.1 share/man/man1/linchpin-run.1; do
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
