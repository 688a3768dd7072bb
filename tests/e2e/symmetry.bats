#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --equivalence=symmetry: threads that nothing tells apart change places. Random programs are compared in search.bats.

load helpers/common

# made NAME WAY [DEFINITION...]
made() {
	local name=$1 way=$2
	shift 2
	gcc -g -w -O1 -fsanitize=thread -DWAY="$way" "$@" -c "$PROGRAMS/twins.c" -o "$name.o"
	gcc "$name.o" -o "$name" -L"$BUILD" -llinchpin -Wl,-rpath,"$BUILD" -pthread
}

# explore PROGRAM EQUIVALENCE [OPTION...]
explore() {
	local program=$1 equivalence=$2
	shift 2
	rm -rf run
	"$LINCHPIN" run --check none --prove 0 --equivalence "$equivalence" "$@" --json "$equivalence.json" -o run -- \
		"./$program" >out 2>&1 || [ $? -eq 1 ]
	[ "$(json "$equivalence.json" complete)" = true ]
}

@test "like threads change places: all ends in fewer executions" {
	local lost search every alike

	read -r every alike < <("$ROOT/tests/oracles/twins.py" 4 2)
	for lost in 1 2 3 4; do
		made lost ALIKE -DLOST=$lost
		explore lost mazurkiewicz
		[ "$(json mazurkiewicz.json classes)" -eq "$every" ]
		for search in dpor source auto dfs; do
			explore lost symmetry --search $search
			[ "$(json symmetry.json classes)" -eq "$alike" ]
			[ "$(json symmetry.json abort)" -ge 1 ]
			[ "$(json symmetry.json abort)" -lt "$(json mazurkiewicz.json abort)" ]
			grep -q "(threads that are alike may change places)" out
			grep -q "each class" out
			! grep -q "did not happen again" out || return 1
		done
		explore lost observers+symmetry
		[ "$(json observers+symmetry.json abort)" -ge 1 ]
	done
}

@test "what tells threads apart, and what may: each class then" {
	local way

	for way in SELF ID HEAP RANDOM RESULT EARLY ONE HANDLE TRY CHILD MASK BETWEEN ARGUMENT; do
		made told $way
		explore told mazurkiewicz --search source --max-executions 3000
		explore told symmetry --search source --max-executions 3000
		echo "$way: $(json mazurkiewicz.json classes) $(json symmetry.json classes)"
		[ "$(json symmetry.json classes)" -eq "$(json mazurkiewicz.json classes)" ]
		case $way in
		MASK | BETWEEN | ARGUMENT) ;; # they are no twins
		*) ! grep -q "change places" out || return 1 ;;
		esac
	done
}
