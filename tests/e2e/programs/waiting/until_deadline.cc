/* SPDX-License-Identifier: MIT
 *
 * Each wait takes 10 ms if nobody wakes it, so the loop ends after about five.
 */
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace std::chrono;
static std::mutex m;
static std::condition_variable c;
static int x;

int main()
{
	std::thread t([] { std::lock_guard<std::mutex> l(m); x++; });
	auto end = steady_clock::now() + 50ms;
	int rounds = 0;
	{
		std::unique_lock<std::mutex> l(m);
		while (steady_clock::now() < end) {
			c.wait_for(l, 10ms);
			rounds++;
		}
	}
	t.join();
	return rounds > 1000;
}
