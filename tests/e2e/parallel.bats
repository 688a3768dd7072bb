#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Searches in parts: -j, --resume, --shard, merge (docs/parallel.md). LINCHPIN_TEST_PART makes parts of so few executions that
# small programs have many.

load helpers/common

files="trace modules frontier"

# explore DIR OPTION... -- PROGRAM...
explore() {
	local dir=$1

	shift
	"$LINCHPIN" run -q --check=none --prove=0 --max-time=0 --json="$dir.json" -o "$dir" "$@" >/dev/null || [ $? -eq 1 ]
}

# facts JSON: how many classes there are of each kind of end, and whether these are all.
facts() {
	python3 - "$1" <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
print(d["complete"], d["classes"], sorted(d["outcomes"].items()))
END
}

# joined DIR, restarts DIR: how many jobs were put together; how often the search began again.
joined() {
	awk '$1 == "joined" { print $2 }' "$1/frontier"
}
restarts() {
	od -An -tu4 -j256 -N4 "$1/status"
}

# fails MESSAGE OPTION...: linchpin says so, and nothing else happens.
fails() {
	local message=$1

	shift
	run "$LINCHPIN" "$@"
	[ "$status" -eq 2 ] && [[ $output == *"$message"* ]] || { echo "$*: $status: $output"; return 1; }
}

same() {
	for file in $files; do
		cmp "$1/$file" "$2/$file"
	done
}

@test "a search in parts finds the classes of the whole one, whatever the number of processes" {
	while read -r part search program; do
		explore whole --search="$search" -- "$BUILD/oracles/$program"
		for n in 1 3; do
			LINCHPIN_TEST_PART=$part explore $n --search="$search" -j$n -- "$BUILD/oracles/$program"
			facts whole.json >whole.facts
			grep -q True whole.facts
			facts $n.json | diff whole.facts -
			[ "$(joined $n)" -ge 2 ]
		done
		same 1 3
		rm -rf whole 1 3
	done <<-END
		300 dpor fib-K4
		20 source mutex-N3-K2
		60 dfs cas_increment-N2-K2
		100 dpor gadget-G4
		40 dpor mcs-N3
	END
}

@test "where addresses are random, and that cannot be switched off, no class counts twice" {
	needs_random_addresses
	while read -r part search program classes; do
		LINCHPIN_TEST_PART=$part "$RANDOMLY" "$LINCHPIN" run -q --search="$search" -j2 --check=none --prove=0 --max-time=0 \
			--json=d.json -o d -- "$BUILD/oracles/$program" >/dev/null
		[ "$(json d.json classes)" -eq "$classes" ]
		[ "$(json d.json complete)" = true ]
		[ "$(joined d)" -ge 2 ]
		rm -rf d
	done <<-END
		60 dfs cas_increment-N2-K2 40
		100 dpor gadget-G4 625
	END
}

@test "the classes are the same, not only their number" {
	explore whole --search=dpor -- "$BUILD/oracles/fib-K2"
	LINCHPIN_TEST_PART=5 explore d --search=dpor -j2 -- "$BUILD/oracles/fib-K2"
	[ "$(joined d)" -ge 2 ]
	all_traces whole | sort >whole.traces
	all_traces d | sort | diff whole.traces -
	[ "$(sort -u whole.traces | wc -l)" -eq 19 ]
}

@test "random programs: parts of three executions find what the whole search finds" {
	mkdir fuzz
	"$BUILD/tests/fuzz-search" -c "$LINCHPIN" -r "$RUNTIME" -t "$BUILD/tests/search-target" -d fuzz -x 600 2000 12
}

@test "a random search draws the same whatever the number of processes, and as often as it may" {
	for n in 1 3; do
		explore $n --search=random --max-executions=12000 -j$n -- "$BUILD/oracles/treiber-N2"
		[ "$(json $n.json executions)" -eq 12000 ]
	done
	same 1 3
	cmp 1/keys 3/keys
	[ "$(json 1.json classes)" -le 40 ]
}

@test "auto in parts is complete, and counts no class twice" {
	explore auto -j2 -- "$BUILD/oracles/fib-K4"
	[ "$(json auto.json classes)" -eq 1107 ]
	[ "$(json auto.json complete)" = true ]
	LINCHPIN_TEST_PART=6000 explore auto -j2 -- "$BUILD/oracles/treiber-N3"
	[ "$(json auto.json classes)" -eq 25680 ]
	[ "$(json auto.json complete)" = true ]
	[ "$(json auto.json executions)" -gt 25680 ]
}

# wait_for JOBS: until RUNDIR/frontier has as many, or more.
wait_for() {
	local joined=0

	while kill -0 "$pid" 2>/dev/null && [ "${joined:-0}" -lt "$1" ]; do
		joined=$(awk '$1 == "joined" { print $2 }' d/frontier 2>/dev/null) || joined=0
		sleep 0.01
	done
}

below() {
	local child

	for child in $(cat /proc/"$1"/task/"$1"/children 2>/dev/null); do
		echo "$child"
		below "$child"
	done
}

@test "a search that was killed goes on, and comes to the same" {
	export LINCHPIN_TEST_PART=50
	explore whole --search=dpor -j1 -- "$BUILD/oracles/fib-K4"
	"$LINCHPIN" run -q --search=dpor --check=none --max-time=0 -j2 -o d -- "$BUILD/oracles/fib-K4" >/dev/null 2>&1 &
	pid=$!
	kills=0
	for joined in 1 9 20; do
		wait_for $joined
		kill -9 $pid || break
		kills=$((kills + 1))
		wait $pid || true
		"$LINCHPIN" run -q --max-time=0 -j2 --resume=d >/dev/null 2>&1 &
		pid=$!
	done
	wait $pid
	[ "$kills" -ge 1 ]
	same whole d
	[ ! -e d/parts ]
}

@test "searches of every kind that are killed at random moments come to the same" {
	python3 "$ROOT/tests/parts/killed.py" "$BUILD" 6
}

@test "a process that is killed is begun again" {
	export LINCHPIN_TEST_PART=50
	explore whole --search=dpor -j1 -- "$BUILD/oracles/fib-K5"
	"$LINCHPIN" run -q --search=dpor --check=none --max-time=0 -j2 -o d -- "$BUILD/oracles/fib-K5" >/dev/null 2>&1 &
	pid=$!
	kills=0
	for joined in 1 2 3 4 5 6; do
		wait_for $joined
		while kill -0 $pid 2>/dev/null && [ "$kills" -lt "$joined" ]; do
			for victim in $(below $pid); do
				! kill -9 "$victim" 2>/dev/null || kills=$((kills + 1))
			done
		done
	done
	wait $pid
	[ "$kills" -ge 1 ]
	same whole d
}

@test "a process that is killed, and whose program ends early for that, is begun again" {
	export LINCHPIN_TEST_PART=2000
	explore whole --search=dpor -j1 -- "$BUILD/oracles/fib-K6"
	"$LINCHPIN" run -q --search=dpor --check=none --max-time=0 -j2 -o d -- "$BUILD/oracles/fib-K6" >/dev/null 2>&1 &
	pid=$!
	wait_for 1
	kills=0
	while kill -0 $pid 2>/dev/null && [ "$kills" -lt 12 ]; do
		for worker in $(cat /proc/$pid/task/$pid/children 2>/dev/null); do
			program=$(below "$worker" | tail -n 1)
			case $((kills % 3)) in
			0) kill -9 "$worker" ;;
			1) kill -TERM "$worker" ;;
			2) kill -TERM "${program:-$worker}" ;;
			esac 2>/dev/null && kills=$((kills + 1))
		done
		sleep 0.02
	done
	wait $pid
	[ "$kills" -ge 1 ]
	same whole d
}

# verdicts DIR OPTION...: the report, and its JSON without times.
verdicts() {
	local dir=$1

	shift
	"$LINCHPIN" report --prove=0 --json=verdicts.json "$@" "$dir" || [ $? -eq 1 ]
	sed 's/"[a-z_]*seconds": *[0-9.e+-]*//g' verdicts.json
}

@test "classes that several processes judge are judged as by one, also if these are killed" {
	while read -r program client; do
		"$LINCHPIN" run -q --prove=0 --search=dpor --max-executions=15000 -o d -- "$BUILD/structures/$program" "$client" >/dev/null || [ $? -eq 1 ]
		verdicts d >one
		verdicts d -j3 | diff one -
		for when in 0 0.02 0.1; do
			"$LINCHPIN" report --prove=0 --json=j -j3 d >killed &
			pid=$!
			sleep $when
			for victim in $(below $pid); do
				kill -9 "$victim" 2>/dev/null || true
			done
			wait $pid || [ $? -eq 1 ]
			# what executes a violation again may have been killed as well
			grep -E '^(bound|limit):' one | diff - <(grep -E '^(bound|limit):' killed)
			diff <(json verdicts.json nonlinearizable) <(json j nonlinearizable)
		done
		rm -rf d
	done <<-END
		treiber_stack-correct {p1 o}|{p2 o}|{o p3}
		optimistic_list-both {a1 r1 c1}|{a1 c1 r1}|{r1}
	END
}

@test "a search that came to a bound goes on" {
	export LINCHPIN_TEST_PART=100
	explore whole --search=dpor -j1 -- "$BUILD/oracles/fib-K4"
	explore d --search=dpor --max-executions=300 -j2 -- "$BUILD/oracles/fib-K4"
	[ "$(json d.json executions)" -eq 300 ]
	[ "$(json d.json complete)" = false ]
	run "$LINCHPIN" run --max-time=0 --resume=d
	[ "$status" -eq 0 ]
	[[ $output == *'all 1107 classes'* ]]
}

@test "the shards of a search are joined to what one search finds" {
	while read -r part search n program classes; do
		export LINCHPIN_TEST_PART=$part
		dirs=
		for ((i = 1; i <= n; i++)); do
			explore s$i --search="$search" --shard="$i/$n" -- "$BUILD/oracles/$program"
			dirs="s$i $dirs"
		done
		run "$LINCHPIN" merge --max-time=0 -o all $dirs
		[ "$status" -eq 0 ]
		[[ $output == *"all $classes classes"* ]]
		rm -rf s? all
	done <<-END
		150 dpor 4 fib-K4 1107
		100 dpor 2 gadget-G4 625
		10 source 3 mutex-N3-K2 90
		200 auto 2 fib-K4 1107
	END
}

@test "of a shard that was killed counts what was put together before" {
	export LINCHPIN_TEST_PART=6
	explore other --search=dpor --max-executions=200 --shard=2/2 -- "$BUILD/oracles/fib-K4"
	explore before --search=dpor --max-executions=200 --shard=1/2 -- "$BUILD/oracles/fib-K4"
	cp -r before killed
	"$LINCHPIN" run -q --max-time=0 --max-executions=400 --resume=killed >/dev/null
	! cmp -s before/trace killed/trace || return 1
	cp before/frontier killed/frontier
	for dir in before killed; do
		"$LINCHPIN" merge --max-time=0 --json=$dir.json -o $dir.all $dir other >/dev/null
		facts $dir.json >$dir.facts
	done
	diff before.facts killed.facts
	cmp before.all/trace killed.all/trace
}

@test "a livelock that no shard has recorded is left for the merge" {
	local program
	program=$(build waiting/overwritten)
	explore whole --search=dpor -- "$program"
	facts whole.json >whole.facts
	for n in 1 2; do
		for ((i = 1; i <= n; i++)); do
			LINCHPIN_TEST_PART=3 explore s$i --search=dpor --shard=$i/$n -- "$program"
			[ "$(json s$i.json complete)" = false ]
		done
		run "$LINCHPIN" merge --max-time=0 --prove=0 --json=all.json -o all s?
		[ "$status" -eq 1 ]
		facts all.json | diff whole.facts -
		rm -rf s? all
	done
}

@test "shards that do not belong together are not joined" {
	export LINCHPIN_TEST_PART=40
	cc -O1 -g -DK=3 -pthread -I"$ROOT/include" -o moves "$ROOT/tests/oracles/fib.c"
	echo 1 >one
	echo 2 >two
	mkdir elsewhere
	explore s1 --search=dpor --shard=1/2 -- "$BUILD/oracles/fib-K4" <one
	explore s2 --search=dpor --shard=2/2 -- "$BUILD/oracles/fib-K4" <one
	explore other --search=dpor --shard=2/2 -- "$BUILD/oracles/fib-K3" <one
	explore fed --search=dpor --shard=2/2 -- "$BUILD/oracles/fib-K4" <two
	(cd elsewhere && explore ../away --search=dpor --shard=2/2 -- "$BUILD/oracles/fib-K4" <../one)
	explore kept --search=dpor --keep=findings --shard=2/2 -- "$BUILD/oracles/fib-K4" <one
	explore whole --search=dpor -j2 -- "$BUILD/oracles/fib-K3"
	LINCHPIN_TEST_PART=1 explore b1 --search=dpor --shard=1/2 -- ./moves
	cc -O2 -g -DK=3 -pthread -I"$ROOT/include" -o moves "$ROOT/tests/oracles/fib.c"
	LINCHPIN_TEST_PART=1 explore b2 --search=dpor --shard=2/2 -- ./moves
	ln -s s2 link
	mkdir all
	echo 3 >two
	explore fresh --search=dpor --shard=1/2 -- "$BUILD/oracles/fib-K4" <two
	while IFS='|' read -r dirs message; do
		fails "$message" merge -o all $dirs
		[ -z "$(ls all)" ] || { echo "$dirs: $(ls all)"; return 1; }
	done <<-END
		s1|one of 2 shards, but 1 were given
		s1 s1|are the same shard
		link s2|are the same shard
		s1 other|are of different searches
		s1 fed|are of different searches: \`input
		fresh fed|are of different searches: what the program read
		s1 away|are of different searches: \`cwd
		s1 kept|are of different searches: of --keep
		s1 whole|was not made with --shard
		b1 b2|are of different builds of
		--spec=nosuch s1 s2|is not a specification
	END
	run "$LINCHPIN" merge --only-join --require-complete --json=all.json -o all s1 s2
	[ "$status" -eq 3 ]
	python3 -c 'import json
one, two, both = (json.load(open(f))["seconds"] for f in ("s1.json", "s2.json", "all.json"))
assert 0 < both and abs(one + two - both) < 1e-6, both'
}

@test "what is not a whole search is never called complete" {
	export LINCHPIN_TEST_PART=50
	for i in 1 2; do
		explore s$i --search=dpor --shard=$i/2 -- "$BUILD/oracles/fib-K4"
	done
	run "$LINCHPIN" merge --only-join --json=j -o all s1 s2
	[ "$(json j complete)" = false ]
	[ "$(json j end)" = '"joined"' ]
	[[ $output == *'shards were joined, and what they have left was not explored'* ]]
	run "$LINCHPIN" run --max-time=0 --resume=all
	[[ $output == *'all 1107 classes'* ]]
	# one shard in place of another, a trace that is cut or emptied, a unit that is gone
	cp -r s1 twice
	sed -i 's/^shard 1 2 1/shard 2 2 1/' twice/frontier
	cp -r s2 short
	truncate -s 200 short/trace
	cp -r s2 other
	cp s1/trace other/trace
	for dirs in "s1 twice" "s1 short" "s1 other" "twice s2"; do
		run "$LINCHPIN" merge --max-time=0 --prove=0 --json=j -o all $dirs
		[ "$status" -ne 0 ] || [ "$(json j complete)" = false ] || { echo "$dirs: $output"; return 1; }
	done
	explore d --search=dpor -- "$BUILD/oracles/fib-K4"
	truncate -s 5000 d/trace
	run "$LINCHPIN" report --json=j d
	[ "$(json j complete)" = false ]
	[ "$(json j end)" = '"cut"' ]
	[[ $output == *'the trace is shorter than the search has left it'* ]]
}

@test "a shard is not emptied to be the output" {
	export LINCHPIN_TEST_PART=40
	for i in 1 2; do
		explore s$i --search=dpor --shard=$i/2 -- "$BUILD/oracles/fib-K3"
	done
	cp -r s1 before
	ln -s s1 link
	for output in s1 s1/ ./s1 "$PWD/s1" link link/; do
		fails 'is one of the shards' merge -o "$output" s1 s2
		diff -r before s1
	done
}

@test "shards that have learned different things begin again" {
	export LINCHPIN_TEST_PART=40
	while read -r search program executions; do
		for i in 1 2; do
			explore s$i --search="$search" --max-executions=$executions --shard=$i/2 -- "$BUILD/oracles/$program"
		done
		sed -i 's/^learned 0$/learned 8/' s2/frontier
		"$LINCHPIN" merge --max-time=0 --prove=0 --json=all.json -o all s1 s2 >out 2>err || [ $? -eq 1 ]
		grep -q '^linchpin: s. has not learned the same of the program as s.' err
		explore whole --search="$search" --max-executions=$executions -j2 -- "$BUILD/oracles/$program"
		[ "$(json all.json executions)" -eq "$(json whole.json executions)" ]
		[ "$(json all.json classes)" -eq "$(json whole.json classes)" ]
		rm -rf s? all whole
	done <<-END
		dpor fib-K3 0
		random treiber-N2 12000
	END
}

@test "what one process learns of the program all know" {
	explore whole --search=dpor -- "$(build late_share)"
	LINCHPIN_TEST_PART=3 explore d --search=dpor -j2 -- "$(build late_share)"
	facts whole.json >whole.facts
	facts d.json | diff whole.facts -
	[ "$(restarts d)" -gt 0 ]
}

# compare PROGRAM: in parts it has the classes and the limits of the whole search.
compare() {
	explore whole --search=dpor -- "$1"
	LINCHPIN_TEST_PART=3 explore d --search=dpor -j2 -- "$1"
	facts whole.json >whole.facts
	facts d.json | diff whole.facts -
	"$LINCHPIN" report whole | grep -E '^(limit|note):' | sort >whole.limits || true
	"$LINCHPIN" report d | grep -E '^(limit|note):' | sort | diff whole.limits -
	[ "$(joined d)" -ge 2 ]
	rm -rf whole d
}

@test "programs that wait, and that pass things through descriptors" {
	compare "$(build waiting/deadline_last)"
	compare "$(build waiting/lock_step)"
	compare "$(build waiting/late_reuse)"
	compare "$(build ../library/channels -DWHAT=polled)"
	compare "$(build ../library/channels -DWHAT=polled -DWRONG)"
}

@test "executions that are drawn are not left out, whatever comes between" {
	explore d --search=random --max-executions=7000 -j2 -- "$BUILD/oracles/treiber-N2"
	grep -q '^range 7000 3000$' d/frontier
	"$LINCHPIN" run -q --prove=0 --max-time=0 --max-executions=12000 -j2 --json=d.json --resume=d >/dev/null || [ $? -eq 1 ]
	[ "$(json d.json executions)" -eq 12000 ]
	[ "$(grep '^range' d/frontier)" = 'range 12000 3000' ]
	# the first shard has gone further
	for i in 1 2; do
		explore s$i --search=random --max-executions=12000 --shard=$i/2 -- "$BUILD/oracles/treiber-N2"
	done
	"$LINCHPIN" run -q --prove=0 --max-time=0 --max-executions=22000 --resume=s1 >/dev/null || [ $? -eq 1 ]
	"$LINCHPIN" merge -q --prove=0 -o all s1 s2 >/dev/null || [ $? -eq 1 ]
	"$LINCHPIN" run -q --prove=0 --max-time=0 --max-executions=30000 -j2 --json=all.json --resume=all >/dev/null || [ $? -eq 1 ]
	[ "$(json all.json executions)" -eq 30000 ]
	run grep '^range' all/frontier
	[ "$status" -eq 1 ]
}

@test "a shard with nothing to draw is one" {
	for n in 12000 1; do
		explore whole --search=random --max-executions=$n -j1 -- "$BUILD/oracles/treiber-N2"
		for i in 1 2 3 4; do
			explore s$i --search=random --max-executions=$n --shard=$i/4 -- "$BUILD/oracles/treiber-N2"
		done
		"$LINCHPIN" merge -q --prove=0 --json=all.json -o all s? >/dev/null || [ $? -eq 1 ]
		[ "$(json all.json executions)" -eq $n ]
		for what in classes outcomes; do
			[ "$(json all.json $what)" = "$(json whole.json $what)" ]
		done
		rm -rf s? all whole
	done
}

@test "leaks are looked for after a resume as well" {
	printf '#include <pthread.h>\n#include <stdlib.h>\nint x; void *volatile p;
void *f(void *a) { for (int i = 0; i < 3; i++) if (__atomic_fetch_add(&x, 1, 0) == 4 && a) p = malloc(99), p = 0; return a; }
int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, &x); pthread_join(t, 0); pthread_join(u, 0); }\n' >leaks.c
	cc -g -o leaks leaks.c -pthread
	LINCHPIN_TEST_PART=1 "$LINCHPIN" run -q --leaks --max-executions=1 --max-time=0 -j1 -o d -- ./leaks >/dev/null
	run "$LINCHPIN" run --max-time=0 --prove=0 -j1 --resume=d
	[ "$status" -eq 1 ]
	[[ $output == *'leak: nothing points to 1 block'* ]]
}

@test "a directory that makes no sense is damaged, not divided by" {
	export LINCHPIN_TEST_PART=40
	explore s1 --search=dpor --shard=1/2 --max-executions=60 -- "$BUILD/oracles/fib-K3"
	while IFS='|' read -r edit; do
		rm -rf d
		cp -r s1 d
		sed -i "$edit" d/frontier
		! cmp -s d/frontier s1/frontier || return 1
		fails 'frontier is damaged' run --resume=d
	done <<-END
		s/^shard .*/shard 0 0 1/
		s/^shard .*/shard 0 2 1/
		s/^shard .*/shard 3 2 1/
		s/^shard 1 2 0/shard 1 2 2/
		s/^learned .*/learned x/
		s/^leaks .*/leaks 2/
		s/^inputs .*/inputs x/
		s/^status .*/status 00/
		s/^0 0 1 0$/0 0 0 0/
		0,/^1 /{/^1 /d}
		/^[1-9]/d
		/^end/d
	END
	rm -rf d
	cp -r s1 d
	truncate -s 100 d/trace
	fails 'shorter than the search has left it' run --resume=d
	[ "$(stat -c %s d/trace)" -eq 100 ]
	rm d/run
	fails 'start it again' run --resume=d
}

@test "one process at a time explores in a directory, and the program stays the same" {
	export LINCHPIN_TEST_PART=40
	cc -O1 -g -DK=3 -pthread -I"$ROOT/include" -o moves "$ROOT/tests/oracles/fib.c"
	explore d --search=dpor --max-executions=100 -j1 -- ./moves
	for command in 'run --resume=d' 'merge -o all d' 'run -j2 -o d -- ./moves'; do
		exec 9<d
		flock 9
		fails 'd is being explored' $command
		exec 9<&-
	done
	cc -O2 -g -DK=3 -pthread -I"$ROOT/include" -o moves "$ROOT/tests/oracles/fib.c"
	fails 'is another build' run --resume=d --max-time=0
}

@test "what the program is given to read stays the same, unless it writes there" {
	local program
	program=$(build given_file)
	export LINCHPIN_TEST_PART=2
	while IFS='|' read -r arguments input; do
		rm -rf d same
		echo 3 >n
		explore d --search=dpor --max-executions=4 -j1 -- "$program" $arguments <"$input"
		cp -r d same
		(cd / && "$LINCHPIN" run --max-time=0 --resume="$OLDPWD/same") | grep -q 'all 20 classes'
		echo 4 >n
		fails 'is not what it was when the search began' run --resume=d
	done <<-END
		|n
		n|/dev/null
		file=n|/dev/null
	END
	truncate -s 17M n
	explore d --search=dpor --max-executions=4 -j1 -- "$program" n
	printf x | dd of=n bs=1 seek=17000000 conv=notrunc status=none
	fails 'is not what it was when the search began' run --resume=d
	echo 3 >n
	explore d --search=dpor --max-executions=4 -j1 -- "$program" n keeps
	echo 3.0 >n
	"$LINCHPIN" run --max-time=0 --resume=d | grep -q 'all 20 classes'
}

@test "what cannot be divided says so" {
	explore plain --search=dpor -- "$BUILD/oracles/fib-K2"
	explore d --search=dpor -j1 -- "$BUILD/oracles/fib-K2"
	while IFS='|' read -r options message; do
		run "$LINCHPIN" run $options
		[ "$status" -eq 2 ]
		[[ $output == *"$message"* ]] || { echo "$options: $output"; false; }
	done <<-END
		-j2 --search=bounded -- $BUILD/oracles/fib-K2|is not divided
		-j2 --progress=lock-free -- $BUILD/oracles/fib-K2|is not divided
		-j2 --coverage -- $BUILD/oracles/fib-K2|--coverage is that of one process
		--shard=3/2 -- $BUILD/oracles/fib-K2|--shard must be I/N
		-j2 --keep=findings -- $BUILD/oracles/fib-K2|--keep counts what is not recorded
		-j2 --search=dfs --keep=3 -- $BUILD/oracles/fib-K2|--keep counts what is not recorded
		--resume=d --search=dpor|leave --search out
		--resume=d --keep=all|leave --keep out
		--resume=d --leaks|leave --leaks out
		--resume=d --max-steps=20|leave --max-steps out
		--resume=d --block=x|leave --block out
		--resume=d --keep=3|leave --keep out
		--resume=d --equivalence=observers|leave --equivalence out
		--resume=d --spec=nosuch|is not a specification
		--resume=d --spec=./some.lin|those that the search began with
		--resume=d -o x|leave -o out
		--resume=plain|only a search that was made with -j or --shard can go on
		--resume=plain -- $BUILD/oracles/fib-K2|leave the program out
		-j2|an argument is missing
	END
}

@test "violations are found in parts, and replayed" {
	LINCHPIN_TEST_PART=10 run "$LINCHPIN" run -j2 --max-time=0 -o d -- "$BUILD/structures/array_stack-pop" '{p1}|{p2 o}|{o}'
	[ "$status" -eq 1 ]
	[[ $output == *'not linearizable'* ]]
	run "$LINCHPIN" run --max-time=0 -o whole -- "$BUILD/structures/array_stack-pop" '{p1}|{p2 o}|{o}'
	[ "$status" -eq 1 ]
	[ "$("$LINCHPIN" report --histories d)" = "$("$LINCHPIN" report --histories whole)" ]
}

@test "the program prints once, and each part reads its input from the beginning" {
	printf '#include <pthread.h>\n#include <stdio.h>\nint x;\nvoid *f(void *a) { __atomic_fetch_add(&x, 1, 0); __atomic_fetch_add(&x, 1, 0); return a; }\n
int main(void) { int n = 0; pthread_t t, u; scanf("%%d", &n); pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0);
pthread_join(t, 0); pthread_join(u, 0); printf("%%d\\n", n + x); return n != 7; }\n' >reads.c
	cc -g -o reads reads.c -pthread
	echo 7 >seven
	LINCHPIN_TEST_PART=1 "$LINCHPIN" run -q -j2 --check=none -o d -- ./reads <seven >out
	[ "$(cat out)" = 11 ]
	run "$LINCHPIN" report d
	[[ $output == *' 6 ok'* ]]
}
