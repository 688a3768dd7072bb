#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Nights: `linchpin suite`, what it says is new, `linchpin history`, `linchpin bisect`.

load helpers/common

# The coarse list as somebody's own project, in the working directory.
project() {
	cp "$ROOT/structures/coarse_list/"{coarse_list.[ch],client.c} "$ROOT/structures/client.h" .
	cp "$ROOT/structures/client.c" main.c
}

compile() {
	sed -i 's|"\.\./client.h"|"client.h"|' client.c
	gcc -g -O1 -pthread -I"$ROOT/include" -I. -o list coarse_list.c client.c main.c
}

# night STATUS [OPTION...]: one night of the suite in `list.suite`.
night() {
	local wanted=$1
	shift
	run "$LINCHPIN" suite --db=n.db -j2 "$@" list.suite
	echo "$output"
	[ "$status" -eq "$wanted" ]
}

# head_line TEXT N: N lines that say nothing, at the head of the list.
comments() {
	local i
	for ((i = 0; i < $1; i++)); do
		echo "/* nothing */"
	done | cat - coarse_list.c >new.c
	mv new.c coarse_list.c
}

@test "seven nights: the right words when a fault comes, moves, goes and comes again" {
	project
	printf '%s\n' "add: ./list '{a1}|{a1}'" "two: ./list '{a0 a1}|{a0}'" >list.suite
	compile
	night 0
	[[ $output == *'night 1'*'2 of 2 tests as expected' ]]
	# It is introduced.
	sed -i '1i #define FAULTY_ADD' coarse_list.c
	compile
	night 1
	[[ $output == *$'\n'new*'add and 1 more test'*'1 new; 0 of 2 tests as expected' ]]
	[[ $output == *'(coarse_list_add) must be atomic'* ]]
	fingerprint=$(grep -o '^ *[0-9a-f]\{16\}  ' <<<"$output" | head -n 1 | tr -d ' ')
	[ ${#fingerprint} -eq 16 ]
	# It moves by 40 lines.
	comments 40
	compile
	night 0
	[[ $output == *$'\n''still there'*'since night 2, found in 1 night'*"$fingerprint"* ]]
	[[ $output != *$'\n''new'* ]]
	# Another function changes.
	sed -i 's/^bool coarse_list_remove(.*/int unrelated(int x)\n{\n\treturn x + 1;\n}\n\n&/' coarse_list.c
	compile
	night 0
	[[ $output == *$'\n''still there'*'since night 2, found in 2 nights'*"$fingerprint"* ]]
	# It is mended.
	sed -i '/define FAULTY_ADD/d' coarse_list.c
	compile
	night 0
	[[ $output == *$'\n'gone*"$fingerprint"*'1 gone'* ]]
	night 0
	[[ $output == *'2 of 2 tests as expected' ]]
	# It is back.
	sed -i '1i #define FAULTY_ADD' coarse_list.c
	compile
	night 1
	[[ $output == *$'\n'new*'it is back, last seen in night 4'*"$fingerprint"* ]]

	run "$LINCHPIN" history --db=n.db
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 8 ]
	run "$LINCHPIN" history --db=n.db 5
	[[ $output == gone*"$fingerprint"*'2 tests' ]]
	run "$LINCHPIN" history --db=n.db --finding="${fingerprint:0:8}"
	[ "$(grep -c ' violation ' <<<"$output")" -eq 8 ]
	run "$LINCHPIN" history --db=n.db --test=two
	[ "$(grep -c "$fingerprint" <<<"$output")" -eq 4 ]
	"$LINCHPIN" history --db=n.db --json >h.json
	python3 - "$fingerprint" <<-'EOF2'
		import json, sys
		o = json.load(open('h.json'))
		f = o['findings'][sys.argv[1]]
		assert (f['first'], f['last']) == (2, 7) and sorted(f['tests']) == ['add', 'two']
		assert [p['status'] for p in o['tests'][0]['points']] == ['clean'] + 3 * ['violation'] + 2 * ['clean'] + ['violation']
	EOF2
}

# prints NAME MACRO CLIENT [OPTION...]: the fingerprints of a structure, plainly compiled from ./NAME.c.
prints() {
	gcc -g -O1 -w -pthread "-D$2" -I"$ROOT/include" -I"$ROOT/structures/$1" -o prog "$1.c" other.c "$ROOT/structures/client.c"
	"$LINCHPIN" run -q --json=o.json -o run "${@:4}" -- ./prog "$3" >/dev/null || [ $? -eq 1 ]
	python3 -c "
import json
print(*sorted({f['id'] for v in json.load(open('o.json'))['violations'] for f in v['fingerprints']}))"
}

@test "fingerprints of every kind stay when all functions move, and comments and blanks change" {
	local name macro client options before
	while IFS=';' read -r name macro client options; do
		cp "$ROOT/structures/$name/$name.c" .
		sed 's|"\.\./client.h"|"../structures/client.h"|' "$ROOT/structures/$name/client.c" >other.c
		sed -i "s|\.\./structures|$ROOT/structures|" other.c
		before=$(prints "$name" "$macro" "$client" $options)
		[[ $before =~ ^[0-9a-f]{16}( |$) ]]
		# 40 lines before each function; no comments at ends of lines; two tabs for one.
		awk '/^[a-z].*[^;]$/ && prev !~ /[^ \t]/ { for (i = 0; i < 40; i++) print "" } { print; prev = $0 }' "$name.c" |
			sed 's|/\* @.*\*/||; s/\t/\t\t/' >new.c
		mv new.c "$name.c"
		echo "$name: $before, then $(prints "$name" "$macro" "$client" $options)"
		[ "$(prints "$name" "$macro" "$client" $options)" = "$before" ]
	done <<-'EOF2'
		harris_list;FAULTY_MARK;[a1] {r1}|{a2} [c2]
		hazard_stack;FAULTY_AGAIN;[p1] {o}|{o}
		blocking_queue;FAULTY_SIGNAL;{d}|{d}|{e1 e2}
		spsc_ring;FAULTY_FULL;{e1}|{d};--races-all
	EOF2
}

@test "known findings, allowed limits, what cannot be explored" {
	project
	sed -i '1i #define FAULTY_ADD' coarse_list.c
	compile
	echo "add: ./list '{a1}|{a1}'" >list.suite
	night 1
	fingerprint=$(grep -o '^ *[0-9a-f]\{16\}  ' <<<"$output" | head -n 1 | tr -d ' ')
	cat >list.toml <<-EOF2
		name = "list"     # the same suite
		budget = 30.0
		[[test]]
		name = 'add'
		command = ["./list", "{a1}|{a1}"]
		known = [
			"$fingerprint", # on purpose
		]
		[[test]]
		name = "bounded"
		command = "./list '{a1 r1}|{a1 r1}'"
		options = ["--search=walk", "--max-executions=5"]
		known = ["$fingerprint"]
		limits = ["unfinished"]
		[[test]]
		name = "absent"
		command = ["./absent"]
	EOF2
	run "$LINCHPIN" suite --db=m.db -v --junit=j.xml --sarif=s.sarif list.toml
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *$'\n'failed*absent*'./absent: No such file'*$'\n'known*add* ]]
	[[ $output != *$'\n'new* ]]
	python3 - "$fingerprint" <<-'EOF2'
		import json, sys, xml.etree.ElementTree as x
		suite = x.parse('j.xml').getroot()[0]
		assert suite.attrib['tests'] == '3' and suite.attrib['errors'] == '1' and suite.attrib['failures'] == '0'
		run = json.load(open('s.sarif'))['runs'][0]
		r = [r for r in run['results'] if r['properties']['test'] == 'add']
		assert [k['baselineState'] for k in r] == ['unchanged'] and r[0]['partialFingerprints']['linchpin/v1'] == sys.argv[1]
		assert r[0]['suppressions'][0]['kind'] == 'external'
		assert not run['invocations'][0]['executionSuccessful']
	EOF2
	# The next night it cannot be explored either, which is not new; mended, the known finding is missing.
	sed -i '/define FAULTY_ADD/d' coarse_list.c
	compile
	run "$LINCHPIN" suite --db=m.db --sarif=s.sarif list.toml
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *$'\n'gone*add* ]]
	python3 -c "
import json
r = json.load(open('s.sarif'))['runs'][0]['results']
assert 'absent' in [k['baselineState'] for k in r]"
	# A limit that is not allowed.
	sed -i '/unfinished/d' list.toml
	run "$LINCHPIN" suite --db=l.db list.toml
	[ "$status" -eq 1 ]
	[[ $output == *$'\n''new limit'*bounded*'the bound on executions was reached'* ]]
	run "$LINCHPIN" suite --db=l.db list.toml
	[ "$status" -eq 0 ]
	[[ $output == *$'\n''limit '*bounded* ]]
}

@test "interrupted: the same command goes on where it stopped" {
	project
	compile
	printf '%s\n' "one: ./list '{a1}|{a1}'" "two: --max-time=0 -- ./list '{a1 a2 a3 a4 a5 a6}|{a6 a5 a4 a3 a2 a1}|{r1 r2 r3 r4}'" >list.suite
	for signal in TERM KILL; do
		"$LINCHPIN" suite --db=$signal.db -j1 -q list.suite 3>&- &
		pid=$!
		until "$LINCHPIN" history --db=$signal.db --test=one >/dev/null 2>&1; do
			kill -0 $pid
			sleep 0.05
		done
		kill -$signal $pid
		wait $pid && status=0 || status=$?
		[ $signal = KILL ] || [ "$status" -eq 3 ]
		run "$LINCHPIN" history --db=$signal.db
		[[ $output == *'not finished'* ]]
	done
	sed -i "s/^two.*/two: .\/list '{a1}|{r1}'/" list.suite
	for signal in TERM KILL; do
		run "$LINCHPIN" suite --db=$signal.db list.suite
		echo "$output"
		[ "$status" -eq 0 ]
		[[ $output == *'night 1 was interrupted; 1 of 2 tests are done'*'night 1 '*'2 of 2 tests as expected' ]]
		# Finished: this is another night.
		run "$LINCHPIN" suite --db=$signal.db list.suite
		[[ $output == *'night 2 '* ]]
	done
}

@test "several suites at once on one database" {
	project
	compile
	local k
	for k in 1 2 3 4; do
		printf '%s\n' "a$k: ./list '{a$k}|{a$k}'" "b: ./list '{a$k}|{r$k}'" >"s$((k / 2)).suite"
	done
	for k in 0 1 1 2; do
		"$LINCHPIN" suite --db=n.db -j2 -q "s$k.suite" 3>&- &
	done
	wait
	python3 - <<-'EOF2'
		import sqlite3
		d = sqlite3.connect('n.db')
		assert d.execute('select count(*), count(ended) from night').fetchone() == (4, 4)
		assert d.execute('select count(*), min(n), max(n) from (select count(*) n from record group by night)').fetchone() == (4, 2, 2)
	EOF2
}

@test "shards: each test is in one" {
	project
	compile
	local k
	for k in 1 2 3 4 5 6 7 8; do
		echo "t$k: ./list '{a$k}|{a$k}'"
	done >list.suite
	for k in 1 2 3; do
		night 0 --shard=$k/3
	done
	python3 -c "
import sqlite3
d = sqlite3.connect('n.db')
assert d.execute('select count(*), count(distinct test) from record').fetchone() == (8, 8)
assert d.execute('select count(distinct night) from record').fetchone()[0] == 3"
	for k in 0/3 4/3 1 x/2 -1/2 1/0; do
		run "$LINCHPIN" suite --db=n.db --shard=$k list.suite
		[ "$status" -eq 2 ]
	done
}

# shards COMMIT: a night of three shards with databases of their own.
shards() {
	local k
	for k in 1 2 3; do
		run "$LINCHPIN" suite -q --db="s$k.db" --commit="$1" --shard=$k/3 list.suite
		[ "$status" -le 1 ]
	done
}

@test "shards with databases of their own become one" {
	project
	compile
	local k
	for k in 1 2 3 4 5 6 7 8; do
		echo "t$k: ./list '{a$k}|{a$k}'"
	done >list.suite
	shards first
	sed -i '1i #define FAULTY_ADD' coarse_list.c
	compile
	shards second
	cp s2.db copy.db
	run "$LINCHPIN" history --db=s3.db --db=s1.db --db=s2.db --db=copy.db --html=d.html -o all.db
	echo "$output"
	[ "$status" -eq 0 ]
	[ -s d.html ]
	run "$LINCHPIN" history --db=all.db
	echo "$output"
	[ "${#lines[@]}" -eq 3 ]
	[[ ${lines[1]} =~ ^\ +2\ .*second\ +8\ +8\ +8\ *$ ]]
	[[ ${lines[2]} =~ ^\ +1\ .*first\ +8\ +0\ +0\ *$ ]]
	run "$LINCHPIN" history --db=all.db 2
	[ "$(grep -c ^new <<<"$output")" -eq 8 ]
	[[ $output == *'8 tests' ]]
	# What is missing is said; what is not finished is left out; nothing is replaced.
	run "$LINCHPIN" history --db=s1.db --db=s3.db
	[[ ${lines[1]} == *' 1,3/3 '* ]]
	python3 -c "
import sqlite3
d = sqlite3.connect('s1.db')
d.execute('update night set ended = null where id = 2')
d.commit()"
	run "$LINCHPIN" history --db=s1.db --db=s2.db --db=s3.db
	[[ ${lines[1]} == *' 2,3/3 '* ]]
	[[ ${lines[2]} != */3* ]]
	run "$LINCHPIN" history --db=s1.db --db=s2.db -o all.db
	[ "$status" -eq 2 ]
	[[ $output == *'all.db'*exists* ]]
	run "$LINCHPIN" history --db=s1.db --db=absent.db
	[ "$status" -eq 2 ]
}

@test "one database of several shards: the last night is that of all" {
	project
	sed -i '1i #define FAULTY_ADD' coarse_list.c
	compile
	printf '%s\n' "one: ./list '{a1}|{a1}'" "two: ./list '{a2}|{a2}'" "three: ./list '{a3}|{a3}'" >list.suite
	for k in 1 2; do
		run "$LINCHPIN" suite -q --db=n.db --shard=$k/2 list.suite
	done
	"$LINCHPIN" history --db=n.db --json >h.json
	python3 -c "
import json
o = json.load(open('h.json'))
assert o['last'] == [1, 2] and sorted(s['test'] for s in o['said']) == ['one', 'three', 'two']"
}

@test "the jobs for GitHub and GitLab: two nights, and a dashboard of all shards" {
	python3 -c 'import yaml' 2>/dev/null || skip "no PyYAML"
	local where night wanted
	mkdir mine ci
	project
	compile
	mv ./list mine/good
	sed -i '1i #define FAULTY_ADD' coarse_list.c
	compile
	mv ./list mine/bad
	printf '%s\n' "one: ./list '{a1}|{a1}'" "two: ./list '{a2}|{a2}'" "three: ./list '{a3}|{a3}'" "four: ./list '{a4}|{a4}'" \
		"five: ./list '{a5}|{a5}'" "six: ./list '{a6}|{a6}'" >mine/tests.suite
	mkdir mine/ci
	for where in github gitlab; do
		for night in 1 2; do
			printf '#!/bin/sh\ncp %s list\n' "$([ $night = 1 ] && echo good || echo bad)" >mine/ci/setup
			chmod +x mine/ci/setup
			run env PATH="$BUILD:$PATH" python3 "$ROOT/tests/docs/recipes.py" $where "$ROOT/docs/nightly.md" "$PWD/mine" $night
			echo "$output"
			[ "$status" -eq 0 ]
			# Shards without tests have nothing new.
			wanted=$([ $night = 1 ] && echo 0 || echo 2)
			[ "$(grep -c ': 1$' <<<"$output")" -eq "$wanted" ]
			[[ $output == *'dashboard '*': 0' ]]
		done
		python3 - mine-kept/artifacts/*/nights.html mine-kept/artifacts/nights.html <<-'EOF2'
			import json, os, re, sys
			path = next(p for p in sys.argv[1:] if os.path.exists(p))
			o = json.loads(re.search(r'id="?data"?[^>]*>(.*?)</script>', open(path).read(), re.S)[1])
			assert [(n['tests'], n['violations'], n['shard']) for n in o['nights']] == [(6, 0, ''), (6, 6, '')], o['nights']
		EOF2
		rm -r mine-kept
	done
}

@test "mistakes: a message with its place, and status 2" {
	mistake() {
		printf '%s\n' "${@:3}" >"$1"
		run "$LINCHPIN" suite --db=n.db "$1"
		echo "$output"
		[ "$status" -eq 2 ]
		[[ $output == "linchpin: $1:$2"* ]]
	}
	mistake x.suite '' '# nothing'
	mistake x.suite 2: 'a: ./list' 'b ./list'
	mistake x.suite 1: $'\tknown 0123456789abcdef'
	mistake x.suite 2: 'a: ./list' 'a: ./list'
	mistake x.suite 2: 'a: ./list' $'\tknown xyz'
	mistake x.suite 2: 'a: ./list' $'\tbuild make'
	mistake x.suite 1: 'a: --json=x -- ./list'
	mistake x.suite 1: 'a: --output=/etc -- ./list'
	mistake x.suite 1: 'a: --max-time 3 -- ./list'
	mistake x.suite 1: 'a: --fast -- ./list'
	mistake x.suite 1: 'a: --max-time=3 ./list'
	mistake x.suite 1: "a: ./list 'open"
	mistake x.suite 1: 'a:'
	mistake x.suite 1: 'budget soon'
	mistake x.toml 1: '[test]'
	mistake x.toml 3: '[[test]]' 'name = "a"' 'command = [1, 2]'
	mistake x.toml 3: '[[test]]' 'name = "a"' 'command = true'
	mistake x.toml 2: '[[test]]' 'name = "a'
	mistake x.toml 1: '[[test]]' 'name = "a"'
	mistake x.toml 2: '[[test]]' 'known = ["0123456789abcdef"] 2'
	echo 'a: ./list' >x.suite
	echo 'no database' >n.db
	run "$LINCHPIN" suite --db=n.db x.suite
	[ "$status" -eq 2 ]
	[ "$(cat n.db)" = 'no database' ]
	python3 -c "
import sqlite3
d = sqlite3.connect('other.db')
d.execute('create table t(a)')
d.commit()"
	run "$LINCHPIN" suite --db=other.db x.suite
	[ "$status" -eq 2 ]
	[[ $output == *'not one of nights'* ]]
	run "$LINCHPIN" history --db=absent.db
	[ "$status" -eq 2 ]
	[ ! -e absent.db ]
}

@test "the dashboard is one page, and names nothing from elsewhere" {
	project
	sed -i '1i #define FAULTY_ADD' coarse_list.c
	compile
	echo "add</script>: ./list '{a1}|{a1}'" >list.suite
	night 1 --html=d.html
	[ "$(grep -c '</script>' d.html)" -eq 2 ]
	! grep -E 'https?://|src=|href=' d.html | grep -v w3.org || return 1
	"$LINCHPIN" history --db=n.db --html=e.html
	cmp d.html e.html
	command -v chromium >/dev/null || skip "no chromium"
	chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" --dump-dom "file://$PWD/d.html" >dom 2>/dev/null
	grep -q 'new findings' dom
	grep -q 'coarse_list_add' dom
}

@test "structures/nightly.suite has every variant" {
	make -s -C "$ROOT" list-structures | cut -d : -f 1 | while read -r variant; do
		grep -q "^$variant-" "$ROOT/structures/nightly.suite" || echo "$variant"
	done >missing
	cat missing
	[ ! -s missing ]
}

@test "bisect finds the commit, passes by those that do not build, and says what is not so" {
	project
	compile
	export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a GIT_CONFIG_GLOBAL=/dev/null
	git init -q .
	commit() {
		git add -- *.c *.h Makefile
		git commit -qm "$1"
	}
	printf 'list: coarse_list.c client.c main.c\n\tgcc -g -O1 -pthread -I%s -I. -o list $^\n' "$ROOT/include" >Makefile
	commit first
	git tag good
	comments 3
	commit second
	sed -i '1i #error' coarse_list.c
	commit 'does not build'
	sed -i '1d' coarse_list.c
	comments 1
	commit fourth
	sed -i '1i #define FAULTY_ADD' coarse_list.c
	commit 'breaks it'
	comments 40
	commit sixth
	git branch -q -M trunk
	run "$LINCHPIN" bisect --good=good --build='make -B' -- ./list '{a1}|{a1}'
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *'the first bad commit: '*'breaks it' ]]
	[ "$(git symbolic-ref --short HEAD)" = trunk ]
	# Only a certain finding.
	run "$LINCHPIN" bisect --good=good --finding=0123456789 --build='make -B' -- ./list '{a1}|{a1}'
	[ "$status" -eq 2 ]
	[[ $output == *'HEAD is good, not bad'* ]]
	[ "$(git symbolic-ref --short HEAD)" = trunk ]
	run "$LINCHPIN" bisect --good=nothing -- ./list '{a1}|{a1}'
	[ "$status" -eq 2 ]
	run "$LINCHPIN" bisect -- ./list '{a1}|{a1}'
	[ "$status" -eq 2 ]
	[[ $output == *'--good=COMMIT'* ]]
	# In a bisection of one's own; and what is told to it.
	git bisect start trunk good >/dev/null 2>&1
	run "$LINCHPIN" bisect --build='make -B' -- ./list '{a1}|{a1}'
	[ "$status" -eq 0 ]
	[[ $output == *'breaks it' ]]
	git bisect reset >/dev/null 2>&1
	step() {
		run "$LINCHPIN" bisect --step "${@:2}" -- ./list "{a1}|{a1}"
		[ "$status" -eq "$1" ]
	}
	step 1 --build='make -B'
	step 125 --build=false
	step 125 --build='rm list'
	git checkout -q good
	step 0 --build='make -B'
	step 0 --with=--max-executions=1
	step 125 --with=--max-executions=1 --require-complete
}
