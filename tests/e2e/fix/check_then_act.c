/* Seats are sold to those who find one free, and the money is counted by others. */
#include <assert.h>
#include <pthread.h>

#define SEATS 1

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int sold, money;

static int sell(int price)
{
	if (price < 0)
		return -1;
	if (sold >= SEATS) /* @from */
		return sold + 1;
	while (price > 100) {
		if (price == 101)
			break;
		price--;
	}
	if (price == 7)
		return 7;
	sold++; /* @to */
	money += price;
	return 1;
}

static void give_back(void)
{
	pthread_mutex_lock(&lock);
	if (sold)
		sold--;
	pthread_mutex_unlock(&lock);
}

static void *user(void *arg)
{
	sell(3);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	pthread_create(&a, 0, user, 0);
	pthread_create(&b, 0, user, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(sold <= SEATS);
	give_back();
	return 0;
}
