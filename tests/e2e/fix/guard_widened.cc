#include <cassert>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

struct Entry { int key; };
static int made;

class Cache {
public:
	int get(int key)
	{
		{
			std::lock_guard<std::mutex> g(mutex_);
			if (count_ && key_ == key)
				return value_;
		}
		int value = load(key);
		std::lock_guard<std::mutex> g(mutex_);
		key_ = key;
		value_ = value;
		count_++;
		return value;
	}
	int count()
	{
		std::lock_guard<std::mutex> g(mutex_);
		return count_;
	}
private:
	static int load(int key) { return key + 1; }
	std::mutex mutex_;
	int count_ = 0, key_ = 0, value_ = 0;
};

static Cache cache;

int main()
{
	std::thread a([] { cache.get(3); }), b([] { cache.get(3); });
	a.join();
	b.join();
	assert(cache.count() == 1);
}
