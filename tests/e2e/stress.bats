#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Clients that linchpin makes: `linchpin generate` and `linchpin stress`.

load helpers/common

setup_file() {
	local flag
	for flag in '' -DFAULTY; do
		$CC -g -O1 -fPIC $flag -c -o "$BATS_FILE_TMPDIR/made$flag.o" "$PROGRAMS/made_clients.c"
		$CC -shared -o "$BATS_FILE_TMPDIR/libmade$flag.so" "$BATS_FILE_TMPDIR/made$flag.o" -pthread
		ar rcs "$BATS_FILE_TMPDIR/libmade$flag.a" "$BATS_FILE_TMPDIR/made$flag.o"
	done
	cd "$BATS_FILE_TMPDIR"
	cat >ring.lin <<-'EOF'
		object bounded-queue(2)
		op enqueue(value) -> bool : ring_put(this, value)
		op dequeue() -> value if ret else empty : ring_get(this, value)
		new ring_setup(this, 2)
		single ring_put
		single ring_get
	EOF
	grep -v single ring.lin >shared-ring.lin
	cat >box.lin <<-'EOF'
		object bounded-queue(1)
		op enqueue(value) : box_put(value)
		op dequeue() -> int : box_get()
	EOF
	(cat box.lin; echo waits box_put box_get) >waits.lin
	cat >tally.lin <<-'EOF'
		object counter
		op inc() : tally_inc(this)
		op read() -> int : tally_read(this)
		check tally_valid(this)
		thread tally_enter() tally_leave()
	EOF
	cat >cell.lin <<-'EOF'
		object map
		op put(key, value) -> ret if ret else empty : cell_put(this, *key, value, _)
		op get(key) -> ret if ret else empty : cell_get(this, *key)
		values key alike 0..1
	EOF
}

# stress SPECIFICATION OBJECT [OPTION...]: what is bounded is the number of clients, never time.
stress() {
	local spec=$1 object=$2
	shift 2
	run "$LINCHPIN" stress --max-time=0 --client-time=0 --cc="$CC" --spec="$BATS_FILE_TMPDIR/$spec.lin" "$@" -- \
		"$BATS_FILE_TMPDIR/$object"
	echo "$output"
}

# One of each structure; all of them with LINCHPIN_ALL=1 (make stress-structures).
@test "each fault of structures/ is found from its specification file" {
	local name macros structure last=
	while IFS=: read -r name macros; do
		structure=${name%-*}
		[ "$macros" ] || continue
		[ "${LINCHPIN_ALL:-}" ] || [ "$structure" != "$last" ] || continue
		last=$structure
		# shellcheck disable=SC2086
		$CC -g -O1 -I"$ROOT/include" $macros -c -o "$name.o" "$ROOT/structures/$structure/$structure.c"
		run "$LINCHPIN" stress --max-time=0 --cc="$CC" --spec="$ROOT/structures/$structure/$structure.lin" \
			--clients=600 -- "$name.o"
		echo "$name: $output"
		[ "$status" -eq 1 ]
		[[ $output == *$'\n'smallest:*'result:   '* ]]
	done < <(make -s -C "$ROOT" list-structures)
}

@test "the smallest client is a C file that shows the fault" {
	stress shared-ring made.o --clients=50
	[ "$status" -eq 1 ]
	[[ $output == *'smallest: {enqueue(1)}|{enqueue(2)} [dequeue() dequeue()'*'not linearizable'* ]]
	$CC -g -O1 -Wall -Wextra -Werror -o again linchpin-client.c "$BATS_FILE_TMPDIR/made.o" -pthread
	./again
	run "$LINCHPIN" run --spec="$BATS_FILE_TMPDIR/shared-ring.lin" -- ./again
	[ "$status" -eq 1 ]
	[[ $output == *'not linearizable'* ]]
	# It is replaced by the next one; another file is not.
	stress shared-ring made.o -q --clients=50
	[ "$status" -eq 1 ]
	echo 'int main(void) { return 0; }' >linchpin-client.c
	stress shared-ring made.o --clients=50
	[ "$status" -eq 2 ]
	[[ $output == *'linchpin-client.c exists'* ]]
	[ "$(cat linchpin-client.c)" = 'int main(void) { return 0; }' ]
}

@test "the same client however many are explored at once" {
	stress shared-ring libmade.so -j 1 -o one.c --clients=50
	stress shared-ring libmade.so -j 3 -o three.c --clients=50
	sed -i 's/one/three/g' one.c
	cmp one.c three.c
}

@test "operations of one thread stay in one thread" {
	stress ring libmade.a --clients=30
	[ "$status" -eq 0 ]
	[[ $output == *'30 finished, 0 not'*'no client fails'* ]]
}

@test "functions that wait" {
	stress waits made.o --clients=30
	[ "$status" -eq 0 ]
	[[ $output != *'wait for ever'* ]]
	stress waits made-DFAULTY.o --clients=200
	[ "$status" -eq 1 ]
	[[ $output == *deadlock* ]]
	# Not named: such clients are no findings.
	stress box made.o --clients=10
	[ "$status" -eq 0 ]
	[[ $output == *'clients wait for ever even if operations run one at a time'* ]]
}

@test "what is right in the end, and what threads call first and last" {
	stress tally made.o --clients=10
	[ "$status" -eq 0 ]
	[[ $output == *'made by tally_new'* ]]
	stress tally made-DFAULTY.o --clients=20
	[ "$status" -eq 1 ]
	[[ $output == *'smallest: {inc()}|{inc()}'$'\n'*abort* ]]
}

@test "pointers, arguments behind pointers, and what is not looked at" {
	stress cell made.o --clients=20
	[ "$status" -eq 0 ]
	stress cell made-DFAULTY.o --clients=100
	[ "$status" -eq 1 ]
	[[ $output == *'smallest: [put(0, 1)] {'*'put(0, 2)'* ]]
}

@test "all clients of a size, and how far it got" {
	stress ring made.o --size=3 --require-complete
	[ "$status" -eq 0 ]
	[[ $output == *'all clients of up to 3 operations'*' 0 not'* ]]
	stress ring made.o --size=4 --clients=5 --require-complete
	[ "$status" -eq 3 ]
}

@test "clients as C files" {
	run "$LINCHPIN" generate --cc="$CC" --spec="$BATS_FILE_TMPDIR/tally.lin" --clients=4 -- "$BATS_FILE_TMPDIR/made.o"
	[ "$status" -eq 0 ]
	[ "$output" = 'clients/client-001.c  {inc()}|{inc()} [read()]
clients/client-002.c  {inc()}|{read()} [read()]
clients/client-003.c  {inc()}|{inc()}|{inc()} [read()]
clients/client-004.c  {inc()}|{inc()}|{read()} [read()]' ]
	$CC -g -O1 -Wall -Wextra -Werror -o client clients/client-004.c "$BATS_FILE_TMPDIR/made.o" -pthread
	./client
	"$LINCHPIN" run --spec="$BATS_FILE_TMPDIR/tally.lin" --require-complete -- ./client
}

@test "what is missing is said" {
	run "$LINCHPIN" stress -- "$BATS_FILE_TMPDIR/made.o"
	[ "$status" -eq 2 ]
	[[ $output == *'--spec=FILE is needed'* ]]
	grep -v new "$BATS_FILE_TMPDIR/ring.lin" >ring.lin
	run "$LINCHPIN" stress --spec=ring.lin -- "$BATS_FILE_TMPDIR/made.o"
	[ "$status" -eq 2 ]
	[[ $output == *'how is an object (struct ring *) made?'* ]]
	sed 's/ring_put(this/ring_add(this/; /single/d' "$BATS_FILE_TMPDIR/ring.lin" >ring.lin
	run "$LINCHPIN" stress --spec=ring.lin -- "$BATS_FILE_TMPDIR/made.o"
	[ "$status" -eq 2 ]
	[[ $output == *ring_add* ]]
	run "$LINCHPIN" generate --spec="$BATS_FILE_TMPDIR/ring.lin" --threads=9 -- "$BATS_FILE_TMPDIR/made.o"
	[ "$status" -eq 2 ]
	[[ $output == *'--threads must be 2 to 4'* ]]
}
