/* SPDX-License-Identifier: MIT
 *
 * Keys by reference are numbers, not where temporary variables are.
 *
 * wants: object set
 * wants: op insert(k) -> bool : insert(this, *k)
 * wants: op contains(k) -> bool : contains(this, *k)
 * verdict: 1
 */
#include <pthread.h>

struct Set
{
	bool in[4] = {};

	bool insert(const int &k);
	bool contains(const int &k);
};

bool Set::insert(const int &k)
{
	bool was = in[k];

	in[k] = true;
	return !was;
}

bool Set::contains(const int &k)
{
	return in[k];
}

static Set set;

static void *user(void *unused)
{
	set.insert(1);
	set.contains(2);
	return unused;
}

int main()
{
	pthread_t a, b;

	pthread_create(&a, nullptr, user, nullptr);
	pthread_create(&b, nullptr, user, nullptr);
	pthread_join(a, nullptr);
	pthread_join(b, nullptr);
	return 0;
}
