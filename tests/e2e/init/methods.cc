/* SPDX-License-Identifier: MIT
 *
 * wants: object stack
 * wants: op push(value) : push(this, value)
 * wants: op pop() -> out if ret else empty : pop(this, out)
 * verdict: 1
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

class Stack
{
	int n = 0, items[4];

      public:
	void push(int value)
	{
		items[n++] = value;
	}

	bool pop(int &out)
	{
		if (!n)
			return false;
		out = items[--n];
		return true;
	}
};

static Stack stack;

static volatile long sink;

static void *first(void *unused)
{
	int out;
	sink = stack.pop(out);
	return unused;
}

static void *second(void *unused)
{
	int out;
	sink = stack.pop(out);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	stack.push(3);
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
