// The locks of two objects, in the order in which the objects are given.
#include <mutex>
#include <thread>

struct Account {
	std::mutex mutex;
	int money = 5;
};

static void transfer(Account &from, Account &to)
{
	std::lock_guard<std::mutex> first(from.mutex);
	std::lock_guard<std::mutex> second(to.mutex);

	from.money--;
	to.money++;
}

static Account x, y;

int main()
{
	std::thread a([] { transfer(x, y); }), b([] { transfer(y, x); });

	a.join();
	b.join();
}
