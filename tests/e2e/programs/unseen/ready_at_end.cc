/* SPDX-License-Identifier: MIT */
/* Right: one who does not wait for the future finds that it is not ready, or ready; ways below 10 make it ready inside of
 * libstdc++ when the thread has ended, which is named, and way 20 in the program. */
#include <cstdlib>
#include <future>
#include <thread>

int main(int, char **argv)
{
	const int way = std::atoi(argv[1]);
	std::promise<int> promise;
	std::packaged_task<int()> task([] { return 1; });
	std::future<int> future = way == 3 ? task.get_future() : promise.get_future();
	std::thread thread([&] {
		switch (way) {
		case 1: promise.set_value_at_thread_exit(1); break;
		case 2: promise.set_exception_at_thread_exit(std::make_exception_ptr(1)); break;
		case 3: task.make_ready_at_thread_exit(); break;
		default: promise.set_value(1);
		}
	});
	const bool ready = future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;

	thread.join();
	return ready;
}
