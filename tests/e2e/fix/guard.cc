// Tickets are handed out while there are some; all is counted.
#include <cassert>
#include <thread>
#include <stdexcept>

class Pool {
public:
	explicit Pool(int n) : left(n) {}

	int take(int wanted)
	{
		int before = left;
		if (before < wanted)
			throw std::runtime_error("none left");
		left = before - wanted;
		given += wanted;
		return before - wanted;
	}

	int sum() const { return left + given; }

private:
	int left, given = 0;
};

static Pool pool(2);

static void work()
{
	try {
		pool.take(1);
	} catch (const std::exception &) {
	}
}

int main()
{
	std::thread a(work), b(work);

	a.join();
	b.join();
	assert(pool.sum() == 2);
}
