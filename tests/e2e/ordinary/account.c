/* SPDX-License-Identifier: MIT
 *
 * An account that may not be overdrawn.
 * With FAULTY withdraw looks before it locks.
 *
 * faulty: found
 */
#include "ordinary.h"

struct account {
	pthread_mutex_t lock;
	long balance;
};
static struct account acc = { PTHREAD_MUTEX_INITIALIZER, 10 };

bool account_withdraw(struct account *a, long n)
{
	bool ok = false;
	IF_FAULTY(long seen = a->balance;)
	pthread_mutex_lock(&a->lock);
	IF_CORRECT(long seen = a->balance;)
	if (seen >= n) {
		a->balance = seen - n;
		ok = true;
	}
	pthread_mutex_unlock(&a->lock);
	return ok;
}

void account_deposit(struct account *a, long n)
{
	pthread_mutex_lock(&a->lock);
	a->balance += n;
	pthread_mutex_unlock(&a->lock);
}

long account_balance(struct account *a)
{
	pthread_mutex_lock(&a->lock);
	long b = a->balance;
	pthread_mutex_unlock(&a->lock);
	return b;
}

static void *one(void *arg)
{
	r[0] = account_withdraw(&acc, 8);
	r[1] = account_balance(&acc);
	return arg;
}

static void *two(void *arg)
{
	r[2] = account_withdraw(&acc, 7);
	account_deposit(&acc, 3);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
