/* SPDX-License-Identifier: MIT
 *
 * Every access to the balance is under the lock, but a deposit gives the lock away between its read
 * and its write.
 */
#include "common.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100, deposited, withdrawn;

static int look(void)
{
	int b;

	pthread_mutex_lock(&lock);
	b = balance;
	pthread_mutex_unlock(&lock);
	return b;
}

static void *deposit(void *arg)
{
	int b = look();

	pthread_mutex_lock(&lock);
	balance = b + 10;
	deposited = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *withdraw(void *arg)
{
	pthread_mutex_lock(&lock);
	balance -= 20;
	withdrawn = 1;
	pthread_mutex_unlock(&lock);
	return arg;
}

static void *check(void *arg)
{
	pthread_mutex_lock(&lock);
	if (deposited && withdrawn)
		assert(balance == 90);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	start(check, 0);
	start(withdraw, 0);
	start(deposit, 0);
	join_all();
	return 0;
}
