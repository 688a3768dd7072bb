/* SPDX-License-Identifier: MIT
 *
 * Std::scoped_lock backs off when it cannot get the second lock; one thread alone always gets
 * through.
 */
#include <mutex>
#include <thread>
static std::mutex a, b;
static int n;
int main()
{
	std::thread t([] { std::scoped_lock l(a, b); n++; });
	std::thread u([] { std::scoped_lock l(b, a); n++; });
	t.join();
	u.join();
	return n == 2 ? 0 : 1;
}
