#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the documents say is printed is what is printed (tests/docs/examples.py), and their links lead somewhere.

load helpers/common
unset LINCHPIN_PROVE

# printed FILE...: the examples are those of gcc 12; another compiler makes other code, with other classes.
printed() {
	[ "$(gcc -dumpversion)" = 12 ] || skip "the examples were made with gcc 12"
	python3 "$ROOT/tests/docs/examples.py" "$BUILD" "$@"
}

@test "README.md" {
	printed "$ROOT/README.md"
}

@test "the tutorial" {
	printed "$ROOT/docs/tutorial.md"
}

@test "the specification files of the cookbook" {
	python3 "$ROOT/tests/docs/examples.py" "$BUILD" "$ROOT/docs/cookbook.md"
}

@test "links between documents" {
	cd "$ROOT"
	for file in *.md docs/*.md tests/README.md; do
		grep -o ']([^)]*)' "$file" | sed 's/^](//; s/[#)].*//' | sort -u | while read -r target; do
			[[ -z $target || $target == *:* || -e $(dirname "$file")/$target ]] || echo "$file: $target"
		done
	done >"$BATS_TEST_TMPDIR/dead"
	cat "$BATS_TEST_TMPDIR/dead"
	[ ! -s "$BATS_TEST_TMPDIR/dead" ]
}

@test "the manual names all options" {
	for page in run report replay trace fix check init suite history bisect cflags; do
		"$LINCHPIN" $page --help | grep -o '^ *\(-., \)\{0,1\}--[a-z-]*' | sed 's/.*--//' | grep -vx help | sort -u >options
		grep -o '\*\*--[a-z-]*' "$ROOT/docs/linchpin-$page.1.md" | sed 's/.*--//' | sort -u >manual
		[ -s options ]
		while read -r option; do
			grep -qx -e "$option" manual || { echo "linchpin-$page(1) lacks --$option"; false; }
		done <options
	done
}
