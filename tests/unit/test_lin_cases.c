/* SPDX-License-Identifier: MIT
 *
 * Small histories with known verdicts, for every data type.
 */
#include "lin_text.h"

static void published_mistakes(void **state)
{
	LIN_NO("stack",
	       "push 4 [5,6]; push 3 [7,8]; pop -> 5 [10,15]; pop -> 4 [11,16]; push 5 [13,14]");
	LIN_YES("stack",
		"push 4 [5,6]; push 3 [7,8]; pop -> 5 [10,15]; pop -> 3 [11,16]; push 5 [13,14]");
	LIN_YES("stack",
		"push 4 [5,8]; push 3 [7,9]; pop -> 5 [10,15]; pop -> 4 [11,16]; push 5 [13,14]");
	LIN_NO("queue", "enq 1 [3,4]; deq -> empty [7,8]");
	LIN_YES("queue", "enq 1 [3,7]; deq -> empty [7,8]");
	LIN_NO("queue",
	       "enq 1 [1,2]; enq 2 [3,4]; enq 3 [5,6]; enq 4 [7,8]; enq 5 [9,10]; enq 6 [11,12];"
	       "enq 7 [13,14]; enq 8 [15,16]; deq -> 1 [17,18]; deq -> 4 [19,20]");
	LIN_YES("queue",
		"enq 1 [1,2]; enq 2 [3,4]; enq 3 [5,6]; deq -> 1 [17,18]; deq -> 2 [19,20]");
	LIN_YES("queue", "enq 1 [1,2]");
	LIN_YES("queue", "");
	LIN_YES("stack", "");
}

static void collections(void **state)
{
	LIN_NO("queue", "deq -> 1 [1,2]");
	LIN_NO("queue", "deq -> 1 [1,2]; enq 1 [3,4]");
	LIN_YES("queue", "deq -> 1 [1,3]; enq 1 [3,4]");
	LIN_NO("queue", "enq 1 [1,2]; deq -> 1 [3,4]; deq -> 1 [3,4]");
	LIN_NO("queue", "enq 1 [1,2]; enq 2 [3,4]; deq -> 2 [5,6]; deq -> 1 [7,8]");
	LIN_YES("queue", "enq 1 [1,3]; enq 2 [3,4]; deq -> 2 [5,6]; deq -> 1 [7,8]");
	LIN_YES("queue",
		"offer 1 [1,2]; offer 2 [3,4]; poll -> 1 [5,6]; peek -> 2 [7,8]; size -> 1 [9,10]");
	LIN_NO("stack", "push 1 [1,2]; push 2 [3,4]; pop -> 1 [5,6]");
	LIN_YES("stack",
		"push 1 [1,2]; push 2 [3,4]; top -> 2 [5,6]; pop -> 2 [5,6]; pop -> 1 [7,8]");
	LIN_YES("deque",
		"push_front 1 [1,2]; push_back 2 [3,4]; push_front 3 [5,6]; pop_back -> 2 [7,8];"
		"pop_front -> 3 [9,10]; pop_back -> 1 [11,12]; pop_front -> empty [13,14]");
	LIN_NO("deque", "push_front 1 [1,2]; push_front 2 [3,4]; pop_back -> 2 [5,6]");
	LIN_YES("pqueue-min",
		"insert 5 [1,2]; insert 3 [3,4]; deleteMin -> 3 [5,6]; deleteMin -> 5 [7,8]");
	LIN_NO("pqueue-min", "insert 5 [1,2]; insert 3 [3,4]; deleteMin -> 5 [5,6]");
	LIN_YES("pqueue-max", "insert 5 [1,2]; insert 3 [3,4]; deleteMax -> 5 [5,6]");
	LIN_NO("pqueue-max", "insert 5 [1,2]; insert 3 [3,4]; deleteMax -> 3 [5,6]");
	LIN_YES("pqueue", "insert 5 [1,2]; insert 5 [3,4]; pop -> 5 [5,6]; pop -> 5 [5,6]; pop -> "
			  "empty [7,8]");
}

static void pending_operations(void **state)
{
	LIN_YES("queue", "enq 1 [1,-]; deq -> 1 [2,3]");
	LIN_YES("queue", "enq 1 [1,-]; deq -> empty [2,3]");
	LIN_YES("queue", "enq 1 [1,2]; enq 2 [3,4]; deq [5,-]; deq -> 2 [6,7]");
	LIN_NO("queue", "enq 1 [1,2]; enq 2 [3,4]; deq -> 2 [6,7]; deq [8,-]");
	LIN_YES("stack",
		"push 1 [1,2]; push 2 [3,4]; push 3 [5,6]; pop [7,-]; pop [7,-]; pop -> 1 [8,9]");
	LIN_NO("stack", "push 1 [1,2]; push 2 [3,4]; push 3 [5,6]; pop [7,-]; pop -> 1 [8,9]");
	LIN_YES("pqueue-min", "insert 1 [1,2]; insert 2 [3,4]; pop [5,-]; pop -> 2 [6,7]");
	LIN_YES("set", "add 1 [1,-]; contains 1 -> 1 [2,3]; contains 1 -> 1 [4,5]");
	LIN_NO("set", "add 1 [1,-]; contains 1 -> 1 [2,3]; contains 1 -> 0 [4,5]");
	LIN_YES("register(0)", "write 1 [1,-]; read -> 0 [2,3]; read -> 1 [4,5]");
	LIN_NO("register(0)", "write 1 [1,-]; read -> 1 [2,3]; read -> 0 [4,5]");
}

static void sets_and_maps(void **state)
{
	LIN_YES("set",
		"add 1 -> 1 [1,2]; add 1 -> 0 [3,4]; remove 1 -> 1 [5,6]; remove 1 -> 0 [7,8]");
	LIN_NO("set", "add 1 -> 1 [1,2]; add 1 -> 1 [3,4]");
	LIN_YES("set", "add 1 -> 1 [1,5]; contains 1 -> 1 [2,3]; remove 1 -> 1 [4,6]; contains 1 "
		       "-> 0 [7,8]");
	LIN_NO("set", "add 1 -> 1 [1,2]; add 2 -> 1 [3,4]; size -> 1 [5,6]");
	LIN_YES("set", "add 1 [1,2]; insert 2 -> 1 [3,4]; size -> 2 [5,6]; clear [7,8]; isEmpty -> "
		       "1 [9,10]");
	LIN_YES("multiset", "add 1 [1,2]; add 1 [3,4]; count 1 -> 2 [5,6]; remove 1 -> 1 [7,8]; "
			    "contains 1 -> 1 [9,9]");
	LIN_NO("multiset", "add 1 [1,2]; remove 1 -> 1 [3,4]; remove 1 -> 1 [5,6]");
	LIN_YES("map",
		"put 1 5 -> empty [1,2]; put 1 6 -> 5 [3,4]; get 1 -> 6 [5,6]; remove 1 -> 6 [7,8];"
		"get 1 -> empty [9,10]; putIfAbsent 1 3 -> empty [11,12]; replace 1 3 4 -> 1 "
		"[13,14];"
		"compareAndSet 1 3 9 -> 0 [15,16]; containsKey 1 -> 1 [17,18]; size -> 1 [19,20]");
	LIN_NO("map", "put 1 5 [1,2]; put 1 6 [3,4]; get 1 -> 5 [5,6]");
	LIN_YES("map", "put 1 5 [1,2]; remove 1 6 -> 0 [3,4]; remove 1 5 -> 1 [5,6]; remove 1 5 -> 0 "
		       "[7,8]; get 1 -> empty [9,10]");
	LIN_NO("map", "put 1 5 [1,2]; put 1 6 -> 5 [3,4]; remove 1 5 -> 1 [5,6]");
	LIN_NO("map", "put 1 5 [1,9]; remove 1 5 -> 1 [2,3]; remove 1 5 -> 1 [4,5]");
	LIN_YES("map", "put 1 5 [1,2]; put 2 6 [3,4]; get 1 -> 5 [5,6]; erase 1 -> 1 [7,8]; insert "
		       "1 2 -> 1 [9,9]");
	LIN_YES("kv",
		"put k ab [1,2]; append k cd [3,4]; get k -> abcd [5,6]; get j -> empty [7,8]");
	LIN_NO("kv", "append k ab [1,2]; append k cd [3,4]; get k -> cdab [5,6]");
	LIN_YES("kv", "append k ab [1,4]; append k cd [3,4]; get k -> cdab [5,6]");
}

static void registers_and_counters(void **state)
{
	LIN_NO("register", "write 1 [1,2]; write 2 [3,4]; read -> 1 [5,6]");
	LIN_YES("register", "read -> 0 [1,2]");
	LIN_YES("register", "read -> empty [1,2]");
	LIN_NO("register(0)", "read -> empty [1,2]");
	LIN_NO("register(7)", "read -> 0 [1,2]");
	LIN_YES("register(nil)", "cas 0 1 -> 0 [1,2]; read -> empty [3,4]");
	LIN_YES("cas-register(0)",
		"cas 0 1 -> 1 [1,4]; cas 0 1 -> 0 [2,3]; swap 5 -> 1 [5,6]; read -> 5 [7,8]");
	LIN_NO("cas-register(0)", "cas 0 1 -> 1 [1,4]; cas 0 2 -> 1 [2,3]");
	/* A write of the current value can still be needed later. */
	LIN_YES("register(0)", "write 0 [1,9]; write 1 [2,3]; read -> 1 [4,5]; read -> 0 [6,7]");
	LIN_YES("multi-register(0)",
		"write 1 5 2 6 [1,2]; read 1 -> 5 [3,4]; observe 1 5 2 6 [3,4]");
	LIN_NO("multi-register(0)", "write 1 5 2 6 [1,2]; observe 1 5 2 0 [3,4]");
	LIN_YES("counter",
		"inc [1,2]; inc [1,9]; read -> 1 [3,4]; read -> 2 [5,6]; dec -> 1 [10,11]");
	LIN_NO("counter", "inc [1,2]; read -> 0 [3,4]");
	LIN_YES("counter(5)",
		"fetch_add -> 5 [1,4]; fetchAndAdd -> 6 [1,4]; getAndIncrement -> 7 [5,6]");
	LIN_NO("counter(5)", "fetch_add -> 6 [1,2]; fetch_add -> 5 [3,4]");
	LIN_YES("counter", "fetch_add 3 -> 0 [1,2]; add 4 -> 7 [3,4]; fetch_sub 2 -> 7 [5,6]; read "
			   "-> 5 [7,8]");
}

static void locks_and_bounds(void **state)
{
	LIN_YES("mutex", "lock [1,2]; trylock -> 0 [3,4]; unlock [5,6]; try_lock -> 1 [7,8]");
	LIN_NO("mutex", "lock [1,2]; lock [3,4]");
	LIN_NO("mutex", "trylock -> 0 [1,2]");
	LIN_YES("semaphore(1)",
		"acquire [1,2]; try_acquire -> 0 [3,4]; release [5,6]; value -> 1 [7,8]");
	LIN_NO("semaphore(1)", "acquire [1,2]; acquire [3,4]");
	LIN_YES("bounded-queue(1)",
		"enq 1 -> 1 [1,2]; enq 2 -> 0 [3,4]; deq -> 1 [5,6]; isFull -> 0 [7,8]");
	LIN_NO("bounded-queue(2)", "enq 1 -> 1 [1,2]; enq 2 -> 0 [3,4]");
	LIN_NO("bounded-stack(1)", "push 1 -> 1 [1,2]; push 2 -> 1 [3,4]");
	LIN_YES("append-list",
		"append 1 [1,5]; append 2 -> 1 [2,3]; get 1 -> 1 [6,7]; size -> 2 [8,9]");
	LIN_NO("append-list", "append 1 [1,2]; read -> 2 [3,4]");
}

static void relaxed_results(void **state)
{
	LIN_NO("queue", "enq 1 [1,2]; try_deq -> empty [3,4]");
	LIN_YES("queue relaxed", "enq 1 [1,2]; try_deq -> empty [3,4]; deq -> 1 [5,6]");
	LIN_NO("queue relaxed", "enq 1 [1,2]; deq -> empty [3,4]");
	LIN_YES("queue relaxed deq", "enq 1 [1,2]; deq -> empty [3,4]");
	LIN_NO("queue relaxed deq", "enq 1 [1,2]; enq 2 [3,4]; deq -> 2 [5,6]");
	LIN_YES("bounded-queue(3) relaxed: enq, try_deq",
		"enq 1 -> 0 [1,2]; try_deq -> empty [3,4]");
	LIN_YES("mutex relaxed", "trylock -> 0 [1,2]");
}

static void error_of(const char *spec, const char *text, const char *part)
{
	struct lin_options o = { .specification = spec };
	struct lin_result r;
	struct history h;
	struct error e = { "" };

	lin_text(&h, text);
	assert_int_equal(lin_check(&h, &o, &r, &e), -1);
	if (!strstr(e.message, part))
		fail_msg("\"%s\" is not in \"%s\"", part, e.message);
	history_free(&h);
}

static void errors(void **state)
{
	error_of(NULL, "push 1 [1,2]", "no specification");
	error_of("heap-of-things", "push 1 [1,2]", "not a known specification");
	error_of("stack", "enqueue 1 [1,2]", "not one of a stack");
	error_of("stack", "push [1,2]", "number of arguments");
	error_of("stack", "push 1 [2,1]", "before it is called");
	error_of("bounded-queue", "enq 1 [1,2]", "needs a parameter");
	error_of("bounded-queue(x)", "enq 1 [1,2]", "must be a number");
	error_of("bounded-queue(3", "enq 1 [1,2]", "missing");
	error_of("stack(3)", "push 1 [1,2]", "at most 0");
	error_of("stack of things", "push 1 [1,2]", "unexpected");
	error_of("set", "add -9223372036854775808 [1,2]", "outside the range");
	error_of("./not-there.so", "push 1 [1,2]", "not-there");
}

static void several_objects(void **state)
{
	struct lin_options o = { .specification = "stack" };
	struct lin_result r;
	struct history h;

	/* A history with several objects, each linearizable or not. */
	lin_text(&h, "push 1 [1,2]; push 2 [3,4]; deq -> 2 [5,6]; push 3 [1,2]; deq -> 3 [7,8]");
	h.ops[2].object = h.ops[3].object = h.ops[4].object = history_object(&h, "q", "queue");
	assert_int_equal(lin_check(&h, &o, &r, NULL), 0);
	assert_int_equal(r.verdict, LIN_VIOLATION);
	assert_int_equal(r.object, 1);
	h.ops[2].object = 0;
	h.ops[2].method = history_method(&h, "pop");
	lin_result_free(&r);
	assert_int_equal(lin_check(&h, &o, &r, NULL), 0);
	assert_int_equal(r.verdict, LIN_OK);
	lin_result_free(&r);
	history_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_mistakes),     cmocka_unit_test(collections),
		cmocka_unit_test(pending_operations),     cmocka_unit_test(sets_and_maps),
		cmocka_unit_test(registers_and_counters), cmocka_unit_test(locks_and_bounds),
		cmocka_unit_test(relaxed_results),        cmocka_unit_test(errors),
		cmocka_unit_test(several_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
