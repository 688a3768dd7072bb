#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Exact numbers of classes: tests/oracles/counts.

load helpers/common

# rows [dfs|source]: lines "path classes retries" of the table, of those small enough for that search only.
rows() {
	awk -v search="${1:-}" '!/^#/ && NF == 5 && (search != "dfs" || $5 == "yes") && (search != "source" || $5 != "dpor") {
		p = $2
		gsub(/=/, "", p)
		gsub(/,/, "-", p)
		print $1 "-" p, $3, $4
	}' "$ROOT/tests/oracles/counts"
}

# explore SEARCH PROGRAM DIR
explore() {
	"$LINCHPIN" run -q --search "$1" --check none --equivalence mazurkiewicz --max-time 0 --json "$3.json" -o "$3" -- \
		"$BUILD/oracles/$2" >/dev/null || [ $? -eq 1 ]
	[ "$(json "$3.json" complete)" = true ]
}

# counted FILE KEY: a number of the JSON object, 0 if it is not there.
counted() {
	local n
	n=$(json "$1" "$2")
	echo "${n:-0}"
}

# check SEARCH [once]: explores the programs of rows, and compares; once: there are as many executions as classes.
check() {
	local program classes retries

	while read -r program classes retries; do
		explore "$1" "$program" "$program"
		echo "$1 $program: $(counted "$program.json" classes) classes, $classes are known"
		[ "$(counted "$program.json" classes)" -eq "$classes" ]
		[ "$(counted "$program.json" exit)" -eq "$retries" ]
		[ "${2:-}" != once ] || [ "$(counted "$program.json" executions)" -eq "$classes" ]
		rm -rf "$program"
	done < <(rows "$1")
}

@test "dpor executes each of the known classes once" {
	[ "$(rows | wc -l)" -ge 26 ]
	check dpor once
}

@test "source sets find exactly the known classes" {
	check source
}

# The known numbers are of all classes, so a search that finds as many has found the same ones.
@test "depth-first search finds exactly the known classes" {
	[ "$(rows dfs | wc -l)" -ge 5 ]
	check dfs
}
