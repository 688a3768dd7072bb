# SPDX-License-Identifier: MIT
# For all end-to-end tests: the commands under test, and the programs they are tried on, each compiled once a file.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
PROGRAMS=$ROOT/tests/e2e/programs
BUILD=$(cd "${LINCHPIN_BUILD:-$ROOT/build}" && pwd)
LINCHPIN=$BUILD/linchpin
RUNTIME=$BUILD/libsched.so
CC=${CC:-gcc}

# Repairs are explored only where that is tested: repairs.bats, docs.bats.
export LINCHPIN_PROVE=0
unset LINCHPIN_DIR LINCHPIN_REPLAY LINCHPIN_REPORT LINCHPIN_QUIET LINCHPIN_RUNTIME LD_PRELOAD DEBUGINFOD_URLS

# Every test starts in a directory of its own.
setup() {
	cd "$BATS_TEST_TMPDIR" || exit 1
}

# build NAME [FLAG...]: compiles programs/NAME.c as the manual says and prints the path of the program.
build() {
	local name=$1 out
	shift
	out=$BATS_FILE_TMPDIR/$name$(printf '%s' "$*" | tr -c 'A-Za-z0-9' _)
	if [ ! -x "$out" ]; then
		mkdir -p "${out%/*}"
		# shellcheck disable=SC2046
		$CC -O1 $("$LINCHPIN" cflags --cc="$CC") "$@" -c -o "$out.o" "$PROGRAMS/$name.c" &&
			$CC -o "$out" "$out.o" $("$LINCHPIN" libs) || return 1
	fi
	echo "$out"
}

# json FILE KEY: the value of the first line "KEY": VALUE.
json() {
	sed -n 's/^ *"'"$2"'": *\(.*[^,]\),\{0,1\}$/\1/p' "$1" | head -n 1
}

# line_of NAME MARK: the line of programs/NAME.c that has the mark @MARK.
line_of() {
	grep -n "@$2 " "$PROGRAMS/$1.c" | head -n 1 | cut -d : -f 1
}

# all_traces DIR: the canonical bytes of every class of a run directory, one digest a line.
all_traces() {
	local n
	for ((n = 1; n <= $(classes_of "$1"); n++)); do
		"$LINCHPIN" trace "$1" "$n" --raw | sha256sum
	done
}

classes_of() {
	local n=0
	while "$LINCHPIN" trace "$1" $((n + 1)) --raw >/dev/null 2>&1; do
		n=$((n + 1))
	done
	echo "$n"
}

# wait_for_classes DIR N: until the search of process $pid has recorded more than N; fails if it ends before.
wait_for_classes() {
	until [ -s "$1/status" ] && [ "$(od -An -tu8 -j 16 -N 8 "$1/status" | tr -d ' ')" -gt "$2" ]; do
		kill -0 "$pid" || return 1
		sleep 0.05
	done
}

# needs_random_addresses: $RANDOMLY COMMAND... executes it where addresses are random, and that cannot be switched off.
needs_random_addresses() {
	RANDOMLY=$BATS_TEST_TMPDIR/random_addresses
	$CC -o "$RANDOMLY" "$PROGRAMS/random_addresses.c"
	"$RANDOMLY" true || skip "there is no seccomp"
}

# needs_same_addresses: traces hold addresses of variables, so their bytes are compared only where the kernel does not draw those.
needs_same_addresses() {
	setarch -R true 2>/dev/null || skip "addresses are random, and that cannot be switched off"
}
