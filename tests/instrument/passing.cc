// SPDX-License-Identifier: MIT
// Control that leaves functions in unusual ways: exceptions through frames with destructors, longjmp, jump tables, tail
// calls, function pointers. Prints what came out.
#include <atomic>
#include <csetjmp>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>

static jmp_buf place;
static std::atomic<int> counter;
static int jumps, data[4];

struct counted {
	int *count;
	~counted() { ++*count; }
};

__attribute__((noinline)) static int thrower(int k, int *count)
{
	counted c{ count };

	if (k % 3 == 0)
		throw std::runtime_error("x" + std::to_string(k));
	if (k % 3 == 1)
		throw k;
	return k;
}

__attribute__((noinline)) static int middle(int k, int *count)
{
	counted c{ count };
	std::string s(k, 'a');

	return thrower(k, count) + (int)s.size();
}

__attribute__((noinline)) static int table(int k, int *p)
{
	switch (k) {
	case 0: return *p;
	case 1: return *p * 3;
	case 2: *p = 4; return 7;
	case 3: return p[0] + 1;
	case 4: return 9;
	case 5: p[0]++; return 2;
	case 6: return -1;
	case 7: return *p - 1;
	default: return 0;
	}
}

__attribute__((noinline)) static void jumper(int k)
{
	jumps++;
	longjmp(place, k);
}

__attribute__((noinline)) static int last(int *p, int k)
{
	return p[k & 3] += k;
}

__attribute__((noinline)) static int tail(int k, int *p)
{
	p[0]++;
	return last(p, k + 1);
}

static void all()
{
	int (*const functions[])(int, int *) = { table, tail, middle };
	int count = 0, sum = 0, v[4] = { 11, 2, 3, 4 };
	std::map<std::string, int> map;

	for (int k = 0; k < 9; k++) {
		try {
			sum += functions[2](k, &count);
		} catch (const std::runtime_error &e) {
			sum += 100 + e.what()[1];
		} catch (int i) {
			sum += 1000 * i;
		}
	}
	for (int k = 0; k < 10; k++)
		sum = sum * 3 + functions[k & 1](k, v) + tail(k, data);
	int r = setjmp(place);
	if (r < 4)
		jumper(r + 1);
	for (int i = 0; i < 50; i++)
		map["k" + std::to_string(i * 7 % 50)] = i;
	for (auto &p : map)
		sum += p.second * (int)p.first.size();
	counter++;
	printf("%d %d %d %d %d\n", count, sum, r, jumps, data[1]);
}

int main()
{
	std::thread t(all);

	t.join();
	printf("%d\n", counter.load());
}
