#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Software that was not written for this: clients of libraries, compiled with gcc -g -O2 -pthread, and programs of the
# distribution as they are. What is not installed is skipped; `make real` installs all of it.

load helpers/common

REAL=$BUILD/real

setup_file() {
	# glib's own allocator has locks of its own, which only multiply the schedules.
	export G_SLICE=always-malloc LC_ALL=C
	unset MAKEFLAGS MAKELEVEL
	make -s -C "$ROOT" B="$BUILD" real-programs >/dev/null
}

# needs NAME: the program was built.
needs() {
	[ -x "$REAL/$1" ] || skip "the library of $1 is not installed"
}

# explore NAME CLIENT [OPTION...]: the report is in $output.
explore() {
	local name=$1 client=$2
	shift 2
	run "$LINCHPIN" run --max-time=0 "$@" -- "$REAL/$name" "$client"
	echo "$output"
}

# correct NAME CLIENT...: all schedules of each client, every history is linearizable.
correct() {
	local name=$1 client
	shift
	needs "$name"
	for client in "$@"; do
		explore "$name" "$client" --require-complete
		[ "$status" -eq 0 ]
		[[ $output == *'result:   no violation'* ]]
		[[ $output != *'are not seen'* ]]
	done
}

# histories N: this many were seen at least; one that is the same in all schedules would show that nothing was switched.
histories() {
	local n
	n=$(sed -n 's/^explored:.* \([0-9]*\) histor.*/\1/p' <<<"$output")
	[ "${n:-0}" -ge "$1" ]
}

# wrong NAME CLIENT PATTERN: a violation whose report matches.
wrong() {
	needs "$1"
	explore "$1" "$2"
	[ "$status" -eq 1 ]
	[[ $output == *'not linearizable'* ]]
	[[ $output == *$3* ]]
}

@test "Concurrency Kit: stack" {
	correct ck_stack '{p1 o}|{p2 o}' '[p1] {p2 o}|{o}|{p3}'
	histories 2
	correct ck_stack-mpmc '{p1 o}|{p2 o}' '[p1 p2 p3] {o o p4}|{o} [o o o]'
	histories 2
}

# pop reads the top entry and the one below. If others pop both, and push the first again, its compare-and-swap succeeds
# and puts back the second. ck_stack_push_upmc asks for entries that are not in use again; the variant for many producers
# and consumers (above) has a generation beside the pointer.
@test "Concurrency Kit: stack for unique entries, with an entry used twice" {
	wrong ck_stack-reuse '[p1 p2 p3] {o o p4}|{o} [o o o]' 'pop'
}

@test "Concurrency Kit: queue" {
	correct ck_fifo '{e1 d}|{e2 d}' '[e1] {e2}|{d}|{d}'
	histories 2
	correct ck_fifo-reuse '{e1 d}|{e2 d}'
}

# ck_fifo_mpmc_dequeue reads head and then tail, and does not look at head again. If in between another thread dequeues,
# and enqueues with the entry that it got back, the stub that head named has become the last entry: head and tail name the
# same entry, which has no next, and the queue is taken to be empty while there are two values in it. Generations do not help:
# nothing is compared where it returns. The queue of Michael and Scott reads head again.
@test "Concurrency Kit: queue with reused entries, found empty although it is not" {
	wrong ck_fifo-reuse '[e1 e2] {d e3}|{d}' 'dequeue -> empty, though the queue was not empty'
	[[ $output == *ck_fifo.h:3* ]]
	[[ $output == *ck_fifo_mpmc_dequeue* ]]
}

@test "Concurrency Kit: ring" {
	correct ck_ring '{e1 d}|{e2 d}' '{e1}|{e2}|{d}'
	histories 2
	correct ck_ring-spsc '{e1 e2}|{d d}'
	histories 2
}

# enqueue reserves a place in p_head and makes it visible in p_tail later. In between the ring of one place is full to
# producers and empty to consumers.
@test "Concurrency Kit: ring, full and empty at once" {
	wrong ck_ring-1 '{e1}|{e2}|{d}' 'dequeue -> empty'
	[[ $output == *p_head* ]]
}

@test "Concurrency Kit: hash set and hash table, one writer" {
	correct ck_hs '[a1 a2] {r1 a3}|{c3 c2}' '{a1 a2 a3 a4 a5 a6}|{c1}' '[a1] {r1 a1}|{c1}|{c1}'
	histories 2
	correct ck_ht '[a1] {a2 r1}|{c1 c2}' '{a1 a2 a3 a4 a5 a6}|{c1}'
	histories 2
}

@test "userspace-rcu: lfstack, wfcqueue" {
	correct urcu_lfstack '{p1 o}|{p2 o}' '[p1] {p2 o}|{o}|{p3}' '{p1}|{p2}|{p3 o} [o o o o]'
	histories 2
	correct urcu_wfcqueue '{e1}|{e2 d}' '{e1 d}|{e2 d}'
	histories 2
	correct urcu_wfcqueue-inline '{e1 d}|{e2 d}' '[e1] {e2}|{d}|{d}'
	histories 2
}

@test "userspace-rcu: rculfqueue, lfht" {
	correct urcu_lfqueue '{e1}|{e2 d}' '{e1 d}|{e2}'
	histories 2
	correct urcu_lfht '[a1] {a2 r1}|{c1 c2}' '[a1] {r1}|{a1}|{c1}'
	histories 2
}

@test "GLib: GAsyncQueue" {
	correct glib_async_queue '{e1}|{d}' '{e1}|{w}' '{e1}|{e2}|{d}' '{e1 d}|{e2 d}'
	histories 2
	# With the allocator of its own.
	G_SLICE='' explore glib_async_queue '{e1 d}|{e2 w}' --search=random --max-executions=30
	[ "$status" -eq 0 ]
}

@test "GLib: a queue that stays empty" {
	needs glib_async_queue
	explore glib_async_queue '[e1] {d}|{w}'
	[ "$status" -eq 1 ]
	[[ $output == *deadlock* ]]
}

@test "apr-util: queue" {
	correct apr_queue '{e1 d}|{e2 d}' '{p1 p2}|{p3}|{w}' '{e1 e2}|{e3}|{d}'
	histories 2
}

# made NAME SPECIFICATION CLIENTS: so many clients that linchpin makes, from nothing but the specification.
made() {
	needs "$1"
	# shellcheck disable=SC2046
	run "$LINCHPIN" stress -q --max-time=0 --client-time=5 --clients="$3" --spec="$ROOT/tests/real/$2.lin" -- \
		"$REAL/$1.o" $(cat "$REAL/$1.o.libs")
	echo "$output"
}

# The three peculiarities above.
@test "clients that linchpin makes find what is peculiar in Concurrency Kit" {
	made ck_stack-reuse stack 200
	[ "$status" -eq 1 ]
	[[ $output == *smallest:*push*pop*'not linearizable'* ]]
	made ck_fifo-reuse queue 200
	[ "$status" -eq 1 ]
	[[ $output == *'smallest: [enqueue(2) enqueue(3)] {dequeue() enqueue(1)}|{dequeue()}'* ]]
	[[ $output == *'dequeue -> empty, though the queue was not empty'* ]]
	made ck_ring-1 ring-1 50
	[ "$status" -eq 1 ]
	[[ $output == *'smallest: {enqueue(1)}|{enqueue(2)}|{dequeue()}'* ]]
}

@test "clients that linchpin makes find nothing in the other ones" {
	local name spec tried=0
	while read -r name spec; do
		[ -f "$REAL/$name.o" ] || continue
		tried=$((tried + 1))
		made "$name" "$spec" 4
		[ "$status" -eq 0 ]
		[[ $output == *'no client fails'* ]]
	done <<-'EOF'
		ck_stack-mpmc stack
		ck_ring-spsc ring-spsc
		ck_hs writer
		urcu_wfcqueue queue
		urcu_lfht set
		apr_queue ring-2
	EOF
	[ $tried -gt 0 ] || skip 'no library is installed'
}

# program [VARIABLE=VALUE...] COMMAND...: 20 random schedules of a program as it is; `out` is the output of the first.
program() {
	env LD_PRELOAD="$RUNTIME" LINCHPIN_SEARCH=walk LINCHPIN_MAX_EXECUTIONS=20 LINCHPIN_MAX_TIME=0 \
		LINCHPIN_MAX_STEPS=1000000 LINCHPIN_REPORT=0 LINCHPIN_DIR="$PWD/d" "$@" >out
	run "$LINCHPIN" report d
	echo "$output"
	[[ $output == *'result:   no violation'* ]]
	rm -rf d
}

@test "coreutils: sort --parallel=4" {
	seq 1 3000 | awk '{ print $1 * 7919 % 3001 }' >in
	sort in >expected
	program sort --parallel=4 in
	cmp out expected
	program LINCHPIN_ISOLATE=fork sort --parallel=4 in
	cmp out expected
}

# It makes threads for 128 Ki lines and more. That is some 33 million accesses an execution (15 for each comparison of a merge
# sort), three times the bound on steps, 460 bytes each in the log. So its code for threads is seen whole in a copy with
# another threshold, one that differs in two bytes of one comparison, and as it is with the calls that it makes only.
@test "coreutils: sort --parallel=4 with its threads" {
	local sort at
	sort=$(command -v sort)
	seq 1 135000 | awk '{ print $1 * 7919 % 10 }' >in
	sort in >expected
	program LINCHPIN_INSTRUMENT=none "$sort" --parallel=4 -S 20M in
	cmp out expected

	at=$(LC_ALL=C grep -obUaP '\x48\x3d\xff\xff\x01\x00' "$sort" | cut -d : -f 1)
	[[ $at =~ ^[0-9]+$ ]] || skip 'the threshold is not in one place'
	cp "$sort" sort-256
	printf '\0\0' | dd of=sort-256 bs=1 seek=$((at + 3)) conv=notrunc status=none
	seq 1 700 | awk '{ print $1 * 7919 % 701 }' >in
	sort in >expected
	for mode in rollback fork; do
		program LINCHPIN_ISOLATE=$mode ./sort-256 --parallel=4 in
		[[ $output == *'20 classes'* ]]	# it has threads
		cmp out expected
	done
}

@test "xz -T2" {
	command -v xz || skip 'xz is not installed'
	seq 1 400 >in
	for mode in LINCHPIN_ISOLATE=rollback 'LINCHPIN_ISOLATE=fork LINCHPIN_INSTRUMENT=none'; do
		# shellcheck disable=SC2086
		program $mode xz -T2 --check=none --block-size=1000 \
			--lzma2=preset=0,dict=4KiB,mode=fast,mf=hc3 -c in
		xz -dc out | cmp - in
	done
}

@test "pigz -p2" {
	command -v pigz || skip 'pigz is not installed'
	yes linchpin | head -c 33000 >in
	for mode in LINCHPIN_ISOLATE=rollback 'LINCHPIN_ISOLATE=fork LINCHPIN_INSTRUMENT=none'; do
		# shellcheck disable=SC2086
		program $mode pigz -1 -p2 -b 32 -c in
		gzip -dc out | cmp - in
		[[ $output != *'spin loop'* ]]
	done
}

@test "git grep with threads" {
	command -v git || skip 'git is not installed'
	git init -q repository
	for i in 1 2 3 4 5 6; do seq "$i" 40 >"repository/$i.txt"; done
	git -C repository add .
	git -C repository grep --threads=1 -c 7 >expected
	for mode in rollback fork; do
		LINCHPIN_ISOLATE=$mode run env LD_PRELOAD="$RUNTIME" LINCHPIN_SEARCH=random LINCHPIN_MAX_EXECUTIONS=5 LINCHPIN_MAX_TIME=0 \
			LINCHPIN_MAX_STEPS=1000000 LINCHPIN_REPORT=0 LINCHPIN_QUIET=1 LINCHPIN_DIR="$PWD/d-$mode" \
			git -C repository grep --threads=2 -c 7
		[ "$status" -eq 0 ]
		diff expected - <<<"$output"
		run "$LINCHPIN" report "d-$mode"
		echo "$output"
		[[ $output == *'ends: '*' ok'* && $output == *'result:   no violation'* ]]
	done
}
