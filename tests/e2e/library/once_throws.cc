/* SPDX-License-Identifier: MIT
 *
 * A call_once that throws has not happened; the next one does it.
 */

#include <mutex>
#include <thread>

static std::once_flag once;
static int n;

static void get()
{
	try {
		std::call_once(once, [] {
			if (n++ == 0)
				throw 1;
		});
	} catch (int) {
	}
}

int main()
{
	std::thread t(get);
	get();
	t.join();
	return 0;
}
