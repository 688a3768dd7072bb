# SPDX-License-Identifier: MIT
# --coverage: which statements and orders an exploration has tried. Numbers were found by hand.

load helpers/common

HERE=$ROOT/tests/e2e/coverage

# cover FILE PROGRAM [ARG...]: what its coverage says of FILE.
cover() {
	local file=$1
	shift
	"$LINCHPIN" run -q --coverage --json json -o run -- "$@" >out 2>&1 || [ $? -eq 1 ] || return 1
	python3 "$HERE/show.py" json "$file"
}

@test "the array stack, by hand, with hooks and without" {
	for build in structures structures/native; do
		# Claims are ordered with each other and with reads of the range; cells are filled and taken. Between the two
		# steps of a pop nothing comes: what the other thread does to the cell, it does not do after a step of this pop.
		[ "$(cover array_stack.c "$BUILD/$build/array_stack-correct" '{p1 o} | {p2 o}')" = 'never ran:
steps: 36 38 47 53
conflicts: 36 38 47 53
no overlap:
both orders: 36,36 36,47 38,53 53,53
one order:
as if atomic: 47-53
not called:' ]
		# Reading a cell and emptying it are two steps here; another pop comes in between.
		[ "$(cover array_stack.c "$BUILD/$build/array_stack-pop" '{p1 o} | {p2 o}')" = 'never ran:
steps: 36 38 47 50 51
conflicts: 36 38 47 50 51
no overlap:
both orders: 36,36 36,47 38,50 38,51 50,51 51,51
one order:
as if atomic: 47-50
not called:' ]
	done
}

@test "the coarse list, by hand, with hooks and without" {
	for build in structures structures/native; do
		# Two classes, add(1) first or remove(1) first: neither goes along the list (77, 103), add never finds its key
		# (83, 84). All between lock and unlock is as if atomic, and so is what add calls there.
		[ "$(cover coarse_list.c "$BUILD/$build/coarse_list-correct" '{a1} | {r1}')" = 'never ran: 45 77 83 84 103
steps: 46 47 71 73 74 75 86 87 97 99 100 101 108 109 112 113
conflicts: 46 47 71 74 86 87 97 100 101 109 112 113
no overlap:
both orders: 71,97 86,100 87,97
one order: 46<101 47<112 109<71 71<113 74<112 86<112 109<87 87<113
as if atomic: 46-47 71-87 97-113
not called: coarse_list_contains coarse_list_size' ] || cover coarse_list.c "$BUILD/$build/coarse_list-correct" '{a1} | {r1}'
	done
}

@test "lines that ran are those of gcov, with every optimization" {
	gcc -O0 --coverage -I"$ROOT/include" -pthread -o gcov "$HERE/branchy.c"
	./gcov
	gcov -o . gcov-branchy.gcda >/dev/null
	for flags in -O0 -O2 -Os '-O0 hooks' '-O2 hooks'; do
		local options="${flags% hooks}" libs=
		if [ "$flags" != "$options" ]; then
			options="$options $("$LINCHPIN" cflags --cc="$CC")"
			libs=$("$LINCHPIN" libs)
		fi
		# shellcheck disable=SC2086
		$CC -g $options -I"$ROOT/include" -c -o branchy.o "$HERE/branchy.c"
		# shellcheck disable=SC2086
		$CC -o branchy branchy.o $libs -pthread
		"$LINCHPIN" run -q --check=none --coverage --json json -o run -- ./branchy
		said=$(python3 "$HERE/show.py" json branchy.c branchy.c.gcov)
		echo "$flags: $said"
		[[ $said =~ ^([0-9]+)\ compared$ ]]
		[ "${BASH_REMATCH[1]}" -ge 8 ]
		[[ $flags != -O0* ]] || [ "${BASH_REMATCH[1]}" -ge 30 ]
	done
}

@test "what only runs when all threads are over is not tested, and the report says so" {
	cp "$HERE/apart.lin" .
	$CC -g -O0 -pthread -o apart "$HERE/apart.c"
	line() { grep -n "@$1 " "$HERE/apart.c" | cut -d : -f 1; }
	"$LINCHPIN" run --coverage --check=none --spec apart.lin --json json --lcov lcov --html page -o run -- ./apart >out
	cat out
	grep -q ' read() never overlapped with anything: your client does not test it' out
	grep -q "apart.c:$(line total) (counter_total) never overlapped with anything: your client does not test it" out
	! grep -q 'add.* never overlapped' out || return 1
	grep -q "counter_add) was only seen before .*apart.c:$(line total)" out
	grep -q "^BRDA:$(line total),0,0,0$" lcov
	grep -q '(counter_reset) was not called' out
	grep -q '^FNDA:0,counter_reset$' lcov
	grep -q "^BRDA:$(line add),0,0,1$" lcov
	# of the recorded run; the same, but for lines if the file is not there
	"$LINCHPIN" report --no-replay --coverage --check=none --spec apart.lin run >again
	diff <(sed -n '/^coverage/,/^$/p' out) <(sed -n '/^coverage/,/^$/p' again)
	rm run/coverage
	"$LINCHPIN" report --no-replay --coverage --check=none --spec apart.lin run | grep -q 'which lines ran is not recorded'
	printf 'coverage 1\n40 zz' >run/coverage
	"$LINCHPIN" report --no-replay --coverage --check=none --spec apart.lin run | grep -q 'which lines ran is not recorded'
	# in children
	"$LINCHPIN" run --isolate=fork --coverage --check=none --spec apart.lin -o forked -- ./apart >forked.out
	diff <(sed -n '/^coverage/,/^$/p' out) <(sed -n '/^coverage/,/^$/p' forked.out)
}

@test "lcov's own tools read the file" {
	command -v genhtml >/dev/null || skip 'no genhtml'
	"$LINCHPIN" run -q --lcov lcov -- "$BUILD/structures/coarse_list-correct" '{a1} | {r1}' >/dev/null
	genhtml -q --branch-coverage -o html lcov
	lcov --rc lcov_branch_coverage=1 --summary lcov 2>&1 | grep -q 'branches.*of [0-9]* branches'
	[ -n "$(find html -name coarse_list.c.gcov.html)" ]
}

@test "classes that are not recorded are not looked at: coverage needs all" {
	run "$LINCHPIN" run --coverage --keep=findings -- "$BUILD/structures/coarse_list-correct" '{a1}'
	[ "$status" -eq 2 ]
	[[ $output == *'--coverage looks at every class: it needs --keep=all'* ]]
}
