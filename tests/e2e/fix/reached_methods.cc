/* Two numbers change together, by methods of one object and of another one: HOW. */
#include <cassert>
#include <mutex>
#include <thread>

class pair {
public:
	explicit pair(pair *next) : next(next) {}

	void add()
	{
		int old = n;
		n = old + 1;
		m = old;
	}

	void add_next()
	{
#if HOW == 1 /* members of another object */
		int old = next->n;
		next->n = old + 1;
		next->m = old;
#elif HOW == 2 /* a method of another object, beside one's own numbers */
		int old = n;
		next->add();
		n = old + 1;
		m = next->m;
#else
		add();
#endif
	}

	int n = 0, m = 0;

private:
	pair *next;
};

int main()
{
	pair second(nullptr), first(&second);
#if HOW == 1
	std::thread a([&] { second.add(); }), b([&] { first.add_next(); });
	a.join();
	b.join();
	assert(second.n == 2 && second.m == 1);
#elif HOW == 2
	std::thread a([&] { first.add_next(); }), b([&] { first.add_next(); });
	a.join();
	b.join();
	assert(first.n == 2 && second.n == 2);
#else
	std::thread a([&] { first.add(); }), b([&] { first.add_next(); });
	a.join();
	b.join();
	assert(first.n == 2 && first.m == 1);
#endif
	return 0;
}
