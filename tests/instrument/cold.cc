// SPDX-License-Identifier: MIT
// Functions that the compiler splits in a hot and a cold part: jumps from one to the other and back, and exceptions that are
// thrown, pass or are caught in the cold part. Prints what came out.
#include <cstdio>
#include <stdexcept>
#include <thread>

static int events[4], sum;

struct guard {
	int *count;
	~guard() { ++*count; }
};

__attribute__((cold, noinline)) static void rare(int *p)
{
	++p[1];
}

__attribute__((cold, noinline)) static void fail(int k)
{
	++events[3];
	if (k & 1)
		throw k;
	throw std::runtime_error("even");
}

__attribute__((noinline)) static int back(int k, int *p)
{
	*p += k;
	if (__builtin_expect(k % 3 == 0, 0)) {
		rare(p);
		*p += events[1] * 2;
		if (k % 9 == 0)
			p[2]++;
	}
	return *p + k; // after the cold part
}

__attribute__((noinline)) static int away(int k, int *p)
{
	guard g{ p };

	*p += 2;
	if (__builtin_expect(k > 4, 0)) {
		rare(p);
		fail(k + p[2] * 2);
	}
	return *p;
}

__attribute__((noinline)) static int caught(int k, int *p)
{
	try {
		return away(k, p);
	} catch (int i) {
		rare(p);
		return i + *p;
	} catch (const std::exception &) {
		p[2] += 3;
		return back(k, p);
	}
}

static void all()
{
	for (int k = 0; k < 12; k++)
		sum = sum * 3 + back(k, events) + caught(k, events);
	printf("%d %d %d %d %d\n", sum, events[0], events[1], events[2], events[3]);
}

int main()
{
	std::thread t(all);

	t.join();
}
