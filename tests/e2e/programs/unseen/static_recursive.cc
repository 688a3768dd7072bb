// Right: the initialization comes to itself again, and waits for its own end: deadlock.
#include <thread>

static int get(int n);
struct S { int v; explicit S(int n) : v(get(n - 1)) {} };
static int get(int n)
{
	static S s(n);
	return s.v;
}

int main()
{
	std::thread a([] { get(1); });
	a.join();
	return 0;
}
