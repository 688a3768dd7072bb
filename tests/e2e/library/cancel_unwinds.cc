/* SPDX-License-Identifier: MIT
 *
 * A cancelled thread runs the destructors of what is on its stack.
 */
#include <cassert>
#include <mutex>
#include <pthread.h>
#include <unistd.h>

static std::mutex m;
static int destroyed;

struct counts {
	~counts() { destroyed++; }
};

static void *work(void *arg)
{
	std::lock_guard<std::mutex> l(m);
	counts a, b;

	for (;;)
		sleep(1);
	return arg;
}

int main()
{
	pthread_t t;
	void *value;

	pthread_create(&t, NULL, work, NULL);
	usleep(1000);
	pthread_cancel(t);
	pthread_join(t, &value);
	assert(value == PTHREAD_CANCELED);
	m.lock();
	assert(destroyed == 2);
	m.unlock();
	return 0;
}
