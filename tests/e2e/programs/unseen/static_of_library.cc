/* SPDX-License-Identifier: MIT
 *
 * static_of_library 1|20: libstdc++ makes locks of its own when the first thread calls it (1); before there are threads (20).
 */
#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>

static std::shared_ptr<int> shared = std::make_shared<int>(1);

int main(int argc, char **argv)
{
	if (argc > 1 && atoi(argv[1]) >= 20)
		std::atomic_load(&shared);
	std::thread writes([] { std::atomic_store(&shared, std::make_shared<int>(2)); });
	std::thread reads([] { (void)*std::atomic_load(&shared); });

	writes.join();
	reads.join();
	return 0;
}
