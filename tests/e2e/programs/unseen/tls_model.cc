// Right: the owner writes 1, then 2 to its thread-local object, another thread reads it by its address and may see 1: abort must be found, and ok.
#include <atomic>
#include <cstdlib>
#include <thread>

struct T { int v; T() : v(0) {} };
static thread_local T mine;
static std::atomic<int *> where;

int main()
{
	std::thread a([] {
		where.store(&mine.v);
		mine.v = 1;
		where.load();
		mine.v = 2;
	});
	std::thread b([] {
		int *p = where.load();

		if (p && *p == 1)
			abort();
	});
	a.join();
	b.join();
	return 0;
}
