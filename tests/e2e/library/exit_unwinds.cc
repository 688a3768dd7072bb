/* SPDX-License-Identifier: MIT
 *
 * Pthread_exit runs the destructors of what is on the stack, so the mutex is free again.
 */

#include <mutex>
#include <pthread.h>

static std::mutex m;
static int x;

static void *work(void *arg)
{
	std::lock_guard<std::mutex> l(m);
	x++;
	pthread_exit(arg);
}

int main()
{
	pthread_t a, b;
	pthread_create(&a, nullptr, work, nullptr);
	pthread_create(&b, nullptr, work, nullptr);
	pthread_join(a, nullptr);
	pthread_join(b, nullptr);
	return 0;
}
