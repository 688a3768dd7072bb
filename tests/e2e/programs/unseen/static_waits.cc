// Right: who comes while the object is made waits until it is there, and sees it whole: silent.
#include <cstdlib>
#include <thread>

static int x;
struct S { int v; S() : v(0) { x = 1; v = 5; x = 2; } };
static S &get() { static S s; return s; }

int main()
{
	std::thread a([] { if (get().v != 5 || x != 2) abort(); });
	std::thread b([] { if (get().v != 5 || x != 2) abort(); });
	a.join();
	b.join();
	return 0;
}
