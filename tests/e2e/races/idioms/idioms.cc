// SPDX-License-Identifier: MIT
//
// The same in C++: IDIOM(name, races?, what the first thread does, the second one).
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

int got, other, data; // not static: compilers would leave out what nobody reads
std::string text = "a text that is too long to be kept in place";
std::vector<int> numbers(3);

struct Made {
	int value;
	Made() : value(4) {}
};

__attribute__((noinline)) static int get_static()
{
	static Made made;
	return made.value;
}

static std::atomic<int *> pointer{nullptr};
static std::atomic<bool> ready{false};
static std::once_flag flag;
static std::mutex mutex;
static std::shared_mutex shared;
static std::condition_variable cond;
static bool done;

// clang-format off
#define IDIOMS(IDIOM)                                                                                             \
	IDIOM(function_static, 0, got = get_static(), other = get_static())                                       \
	IDIOM(std_atomic, 0, pointer.store(new int(5), std::memory_order_release),                                \
	      if (int *p = pointer.load(std::memory_order_acquire)) got = *p)                                     \
	IDIOM(std_atomic_relaxed, 1, data = 1; ready.store(true, std::memory_order_relaxed),                      \
	      if (ready.load(std::memory_order_relaxed)) got = data)                                              \
	IDIOM(call_once, 0, std::call_once(flag, [] { data = 1; }); got = data,                                   \
	      std::call_once(flag, [] { data = 1; }); other = data)                                               \
	IDIOM(shared_mutex, 0, std::unique_lock l(shared); data++, std::shared_lock l(shared); got = data)        \
	IDIOM(condition, 0, { std::lock_guard l(mutex); text += "!"; done = true; } cond.notify_one(),            \
	      std::unique_lock l(mutex); cond.wait(l, [] { return done; }); got = text[0])                        \
	IDIOM(text, 1, text[3] = 1, got = text[3])                                                                \
	IDIOM(vector, 1, numbers[1] = 1, numbers[1] = 2)
// clang-format on

#define FUNCTIONS(name, races, one, two)                                                               \
	static void name##_one() { one; }                                                          \
	static void name##_two() { two; }
IDIOMS(FUNCTIONS)

static const struct {
	const char *name;
	int races;
	void (*one)(), (*two)();
} idioms[] = {
#define ROW(name, races, one, two) { #name, races, name##_one, name##_two },
	IDIOMS(ROW)
};

// Without arguments: the names, and whether they race.
int main(int argc, char **argv)
{
	for (const auto &i : idioms) {
		if (argc < 2) {
			std::printf("%s %d\n", i.name, i.races);
		} else if (!std::strcmp(argv[1], i.name)) {
			std::thread a(i.one), b(i.two);
			a.join();
			b.join();
		}
	}
	return 0;
}
