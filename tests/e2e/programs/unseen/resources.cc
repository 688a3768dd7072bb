/* SPDX-License-Identifier: MIT */
/* Right: what two threads do with one memory resource at the same time is named; with a lock, from way 20 on, it is not. */
#include <cstdlib>
#include <memory_resource>
#include <mutex>
#include <thread>

static std::pmr::unsynchronized_pool_resource pool;
static std::pmr::monotonic_buffer_resource monotonic;
static std::mutex mutex;

static void use(int way, void *block)
{
	std::unique_lock<std::mutex> lock(mutex, std::defer_lock);

	if (way >= 20)
		lock.lock();
	switch (way % 20) {
	case 1: (void)!pool.allocate(16); break;
	case 2: pool.deallocate(block, 16); break;
	case 3: pool.release(); break;
	case 4: (void)!monotonic.allocate(16); break;
	case 5: monotonic.release(); break;
	}
}

int main(int, char **argv)
{
	const int way = std::atoi(argv[1]);
	void *one = pool.allocate(16), *two = pool.allocate(16);

	if (way % 20 == 5)
		(void)!monotonic.allocate(16);
	std::thread thread(use, way, one);

	use(way, two);
	thread.join();
	return 0;
}
