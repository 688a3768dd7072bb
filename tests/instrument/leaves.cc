// SPDX-License-Identifier: MIT
// Operations of leaves.lin that return in unusual ways: by a tail call of a function of the program, of libc, through a
// pointer, or of another operation; from a recursion; by an exception or longjmp, where there is no return.
#include <csetjmp>
#include <cstdlib>
#include <thread>

#define NOINLINE __attribute__((noinline))

static int data = 1;
static jmp_buf place;
static const char *volatile texts[] = { "70", "71", "72", "73", "74" };

extern "C" {
NOINLINE int inner(int k)
{
	return data += k;
}

NOINLINE int other(int k)
{
	return data * k;
}

int (*volatile pointers[])(int) = { inner, other };

NOINLINE int direct(int k)
{
	return data++ + k;
}

NOINLINE int to_function(int k)
{
	data++;
	return inner(k + 1);
}

NOINLINE int to_libc(int k)
{
	data++;
	return atoi(texts[k]);
}

NOINLINE int to_pointer(int k)
{
	data++;
	return pointers[k & 1](k);
}

NOINLINE int to_operation(int k)
{
	data++;
	return direct(k + 10);
}

NOINLINE int recursive(int k)
{
	data++;
	return k ? recursive(k - 1) * 2 : data;
}

NOINLINE int thrown(int k)
{
	data++;
	if (k)
		throw k;
	return data;
}

NOINLINE int jumped(int k)
{
	data++;
	if (k)
		longjmp(place, k);
	return data;
}
}

static void work()
{
	direct(1);
	to_function(2);
	to_libc(3);
	to_pointer(4);
	to_pointer(1);
	to_operation(2);
	recursive(3);
	try {
		thrown(7);
	} catch (int) {
		direct(5);
	}
	if (!setjmp(place))
		jumped(3);
	direct(6);
	thrown(0);
	jumped(0);
	to_libc(0);
}

int main()
{
	std::thread t(work);

	direct(0);
	t.join();
}
