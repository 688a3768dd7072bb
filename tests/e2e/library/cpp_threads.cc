/* SPDX-License-Identifier: MIT
 *
 * What C++20 has for threads: each does what it should.
 */
#include <atomic>
#include <barrier>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <random>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <thread>

using namespace std::chrono_literals;

static void locks()
{
	std::timed_mutex t;
	std::shared_timed_mutex s;
	std::recursive_mutex r;

	assert(t.try_lock_for(1ms));
	std::thread([&] {
		assert(!t.try_lock_for(1ms));
		assert(s.try_lock_shared_for(1ms));
		s.unlock_shared();
		assert(r.try_lock());
		r.unlock();
	}).join();
	t.unlock();
	std::shared_lock<std::shared_timed_mutex> shared(s);
	assert(!s.try_lock_until(std::chrono::steady_clock::now() + 1ms));
}

static void waits()
{
	std::mutex m;
	std::condition_variable c;
	std::condition_variable_any any;
	bool done = false;
	std::unique_lock<std::mutex> l(m);

	assert(c.wait_for(l, 1ms) == std::cv_status::timeout);
	assert(!any.wait_until(l, std::chrono::system_clock::now() + 1ms, [] { return false; }));
	std::thread t([&] {
		std::lock_guard<std::mutex> g(m);
		done = true;
		c.notify_one();
	});
	c.wait(l, [&] { return done; });
	l.unlock();
	t.join();
}

static void cpp20()
{
	std::latch latch(2);
	std::barrier barrier(2);
	std::counting_semaphore<4> s(0);
	std::atomic<int> word = 0;

	assert(!s.try_acquire_for(1ms));
	std::jthread t([&](std::stop_token stop) {
		latch.count_down();
		barrier.arrive_and_wait();
		s.release();
		word = 1;
		word.notify_one();
		(void)stop;
	});
	latch.arrive_and_wait();
	barrier.arrive_and_wait();
	s.acquire();
	word.wait(0);
	assert(word == 1);
}

static void futures()
{
	std::promise<int> p;
	std::future<int> f = p.get_future();

	assert(f.wait_for(1ms) == std::future_status::timeout);
	std::thread t([&] { p.set_value(5); });
	assert(f.get() == 5);
	t.join();
	assert(std::async(std::launch::async, [] { return 6; }).get() == 6);
}

int main(int argc, char **)
{
	std::random_device device;
	auto before = std::chrono::steady_clock::now();

	if (device() == 77)
		return 3;
	std::this_thread::sleep_for(2ms);
	assert(std::chrono::steady_clock::now() - before >= 2ms);
	locks();
	waits();
	futures();
	cpp20();
	return argc > 9;
}
