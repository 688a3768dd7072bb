#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --races: what nothing orders is found, and nothing else.

bats_require_minimum_version 1.5.0
load helpers/common

RACES=$ROOT/tests/e2e/races

# said SOURCE BUILD: pairs of lines that race.
said() {
	sed -n "s/^ \* $2: //p" "$1"
}

# build SOURCE hooks|plain: here.
build() {
	if [ "$2" = hooks ]; then
		"$CC" -w -O1 $("$LINCHPIN" cflags) -c -o object.o "$1" && "$CC" -o program object.o $("$LINCHPIN" libs)
	else
		"$CC" -w -g -O1 -pthread -o program "$1"
	fi
}

@test "races: programs with and without, with hooks and without" {
	local source kind status_run
	for source in "$RACES"/*.c; do
		for kind in hooks plain; do
			build "$source" $kind
			status_run=0
			"$LINCHPIN" run --races --check=none -o r --json r.json -- ./program >report 2>&1 || status_run=$?
			if [ "$(grep -c 'error: data race' report)" -ne "$(said "$source" $kind)" ] ||
				[ $status_run -ne $(($(said "$source" $kind) > 0)) ]; then
				echo "$source $kind: status $status_run"
				cat report
				return 1
			fi
		done
	done
}

@test "races: forty ways to hand over data, right and wrong: with hooks all are told, without no right one is accused" {
	local source compiler flags kind name races found status_run
	for source in "$RACES"/idioms/idioms.c "$RACES"/idioms/idioms.cc; do
		compiler=$CC
		[ "${source%.cc}" = "$source" ] || compiler='g++ -std=c++17'
		for kind in hooks -O0 -O2; do
			if [ $kind = hooks ]; then
				$compiler -w -O1 $("$LINCHPIN" cflags) -c -o object.o "$source"
				$compiler -o program object.o $("$LINCHPIN" libs)
			else
				$compiler -w -g $kind -pthread -o program "$source"
			fi
			./program >names
			[ "$(wc -l <names)" -ge 8 ]
			while read -r name races; do
				status_run=0
				"$LINCHPIN" run -q --races --check=none -o r -- ./program "$name" >report 2>&1 || status_run=$?
				found=$(grep -c 'error: data race' report) || true
				if [ $status_run -ne $((found > 0)) ] || [ $((found > 0)) -gt "$races" ] ||
					{ [ $kind = hooks ] && [ $((found > 0)) -ne "$races" ]; }; then
					echo "$name $kind: races $found, status $status_run"
					cat report
					return 1
				fi
			done <names
		done
	done
}

@test "races: both accesses, locks that are held, and an execution in which one comes right after the other" {
	build "$RACES/readers.c" plain
	run -1 "$LINCHPIN" run --races --check=none -o r --json r.json -- ./program
	[[ $output == *"readers.c:20:"*"error: data race on hits in work"* ]]
	[[ $output == *"note: T0.1 "*" hits"*"with l held since "*"readers.c:18"* ]]
	[[ $output == *"executed again with the same result"* ]]
	[[ $output == *"races:    1 pair of lines"* ]]
	[[ $output == *"result:   data races"* ]]
	grep -q '"kind": "data-race"' r.json
}

@test "races: what machine code does not tell is counted, and named on request" {
	build "$RACES/heap.c" plain
	run -0 "$LINCHPIN" run --races --check=none -o r -- ./program
	[[ $output == *"races:    0 pairs of lines; machine code does not tell whether 1 more"* ]]
	run -1 "$LINCHPIN" report --races-all r
	[[ $output == *"error: data race"* ]]
	run -0 "$LINCHPIN" report r
	[[ $output != *race* ]]
}

@test "races: suppressions" {
	build "$RACES/counter.c" plain
	for pattern in 'race:^work$' 'race:^bare$' race:counter.c 'race_top:^w*k$'; do
		printf '# known\nthread:x\n%s\n' "$pattern" >known
		run -0 "$LINCHPIN" run --races --suppressions=known --check=none -o r -- ./program
		[[ $output == *"races:    0 pairs of lines; 1 suppressed"* ]]
	done
	# With both ends: the names of folders above the program are not for this test to choose.
	for pattern in 'race:^are$' 'race:^main$' 'race:^locked$' 'race_top:^start$'; do
		printf '%s\n' "$pattern" >known
		run -1 "$LINCHPIN" report --races --suppressions=known r
	done
	echo nonsense >known
	run -2 "$LINCHPIN" report --races --suppressions=known r
	[[ $output == "linchpin: known:1: expected race:PATTERN or race_top:PATTERN" ]]
	run -2 "$LINCHPIN" report --races --suppressions=nowhere r
}
