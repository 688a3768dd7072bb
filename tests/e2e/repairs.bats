#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Repairs of every bad end, explored with their blocks in force. The comment at the head of a program in repairs/ says what must come
# of it, see expectations().

load helpers/common
unset LINCHPIN_PROVE

REPAIRS=$ROOT/tests/e2e/repairs

# expectations FILE: the lines `KEY: VALUE` of the comment at its head, a line each.
#
#	flags: FLAG...          for the compiler
#	spec: LINE              a line of the specification file
#	repair: FUNCTION @FIRST..@LAST [+ ...]   the blocks of the first-ranked repair, by the marks of their lines; none: there is none
#	atomic: VALUE           what its proof came to, as in JSON
#	lock: VALUE
#	says: TEXT              the report has this text
#	silent: TEXT            it has not
expectations() {
	sed -n '/^ \* [a-z]*: /{h; s/^ \* //; s, *\*/$,,; p; x}; /\*\//q' "$1"
}

# lines FILE BLOCKS: "FUNCTION @a..@b + ..." with numbers for the marks, blocks sorted.
lines() {
	local mark text=$2

	for mark in $(grep -o '@[a-z.]*' <<<"${text//../ }"); do
		text=${text//"$mark"/$(grep -n "$mark " "$1" | tail -n 1 | cut -d : -f 1)}
	done
	tr '+' '\n' <<<"$text" | sed 's/^ *//; s/ *$//; s/\.\./-/' | sort
}

# found JSON: the blocks of the first-ranked repair in the same form.
found() {
	python3 - "$1" <<-'END'
		import json, sys
		repairs = json.load(open(sys.argv[1]))["repairs"]
		for b in repairs[0]["blocks"] if repairs else []:
		    print("%s %d-%d" % (b["function"], b["first"], b["last"]))
	END
}

# proof JSON KEY: what became of the first-ranked repair.
proof() {
	python3 -c 'import json, sys
print(json.dumps(json.load(open(sys.argv[1]))["repairs"][0]["verified"][sys.argv[2]]))' "$1" "$2"
}

# explained JSON: each repair was explored in both meanings, or there is a reason.
explained() {
	python3 - "$1" <<-'END'
		import json, sys
		for r in json.load(open(sys.argv[1]))["repairs"]:
		    for key in "atomic", "lock":
		        v = r["verified"]
		        assert (v[key] is None) == (key + "_why" in v) and (v[key] is None) == (key + "_classes" not in v), v
	END
}

# check FILE: everything that its comment says.
check() {
	local file=$1 name key value expect
	name=$(basename "$file" .c)
	expect=$(expectations "$file")
	# shellcheck disable=SC2046
	$CC -g -O1 -pthread $(sed -n 's/^flags: //p' <<<"$expect") -o "$name" "$file" || return 1
	sed -n 's/^spec: //p' <<<"$expect" >"$name.lin"
	[ -s "$name.lin" ] || rm "$name.lin"
	run "$LINCHPIN" run --prove=1 --json j -o run -- "./$name"
	[ "$status" -eq 1 ] || return 1
	[[ $output != *'internal error'* ]] || return 1
	explained j || return 1
	while IFS= read -r value; do
		key=${value%%: *} value=${value#*: }
		case $key in
		repair)
			if [ "$value" = none ]; then
				[ -z "$(found j)" ] || { found j; return 1; }
			else
				diff <(lines "$file" "$value") <(found j | sort) || return 1
			fi
			;;
		atomic | lock)
			[ "$(proof j "$key")" = "$value" ] || { echo "$key: $(proof j "$key"), not $value"; return 1; }
			;;
		says)
			[[ $output == *"$value"* ]] || { echo "does not say: $value"; return 1; }
			;;
		silent)
			[[ $output != *"$value"* ]] || { echo "says: $value"; return 1; }
			;;
		esac
	done <<<"$expect"
}

@test "each bad end has a repair that is proven, or a sentence why it has none" {
	local file failed=

	for file in "$REPAIRS"/*.c; do
		grep -q '^ \* repair: ' "$file" || { echo "$file: no expectation"; failed=1; }
		mkdir "$(basename "$file" .c)"
		cd "$(basename "$file" .c)"
		check "$file" || { echo "FAILED: $file"; failed=1; }
		cd ..
	done
	[ -z "$failed" ]
}

@test "where nothing was optimized, nothing is said to be moved" {
	local compiler

	for compiler in "$CC" $(command -v clang); do
		"$compiler" -g -O0 -pthread -o test "$REPAIRS/moved.c"
		run "$LINCHPIN" run --prove=1 -o run -- ./test
		[ "$status" -eq 1 ]
		[[ $output == *'must each be atomic'* ]]
		[[ $output != *'where the source has none'* ]]
		rm -rf run
	done
}

@test "the right variants of these programs have nothing to repair" {
	local file

	for file in $(grep -l FIXED "$REPAIRS"/*.c); do
		# shellcheck disable=SC2046
		$CC -g -O1 -pthread -DFIXED $(expectations "$file" | sed -n 's/^flags: //p') -o fixed "$file"
		"$LINCHPIN" run -q -o run -- ./fixed
		rm -rf run
	done
}

@test "a block of one's own: what it is as an atomic step and as a lock" {
	$CC -g -O1 -pthread -o test "$REPAIRS/plain_write.c"
	local from to
	from=$(grep -n '@from ' "$REPAIRS/plain_write.c" | cut -d : -f 1)
	to=$(grep -n '@to ' "$REPAIRS/plain_write.c" | cut -d : -f 1)
	run "$LINCHPIN" run -q --prove=0 --json j -o run -- ./test
	[ "$status" -eq 1 ]
	[ "$(json j atomic)" = null ]
	[ "$(json j lock_why)" = '"nothing was explored again"' ]
	run "$LINCHPIN" verify --block "plain_write.c:count:$from-$to" run
	[ "$status" -eq 1 ]
	[[ ${lines[0]} == 'atomic: proven for this client: all 2 classes, in '* ]]
	[[ $output == *$'\n''lock: fails: assertion '* ]]
	[[ $output == *'a lock has to hold '*"plain_write.c:$from-$to (count) and "*'(reset)' ]]
	run "$LINCHPIN" verify --enforce=atomic --block "plain_write.c:count:$from-$to" run
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 1 ]
	run "$LINCHPIN" verify --block "plain_write.c:count:$from" run
	[ "$status" -eq 1 ]
	[[ ${lines[0]} == 'atomic: fails: assertion '* ]]
	run "$LINCHPIN" verify run
	[ "$status" -eq 1 ]
	[[ $output == *'       proven for this client: all 2 classes, in '* ]]
	run "$LINCHPIN" verify --block nowhere.c:count:1-2 run
	[ "$status" -eq 2 ]
	run "$LINCHPIN" verify --block 'count' run
	[ "$status" -eq 2 ]
}

@test "a search that was cut short: wrong executions that come up later are united with the others" {
	$CC -g -O1 -pthread -o test "$REPAIRS/two_faults.c"
	# As many executions as show the first fault only.
	run "$LINCHPIN" run -q --max-executions=3 --prove=1 --json j -o run -- ./test
	[ "$status" -eq 1 ]
	[ "$(json j rounds)" -ge 2 ]
	[ "$(found j | wc -l)" -eq 2 ]
}
