// Right: if the first initialization throws, the next thread makes the object; who catches the exception has none: abort must be found where b makes it, and ok.
#include <cstdlib>
#include <thread>

static int tries, made_by;
struct S {
	explicit S(int who)
	{
		if (who == 1)
			throw 1;
		made_by = who;
	}
};

static void use(int who)
{
	try {
		static S s(who);
		tries += 0;
	} catch (int) {
		tries = 1;
	}
}

int main()
{
	std::thread a([] { use(1); });
	std::thread b([] { use(2); });
	a.join();
	b.join();
	if (made_by != 2)
		std::_Exit(7);			// never: b makes it, before or after
	if (tries)
		abort();
	return 0;
}
