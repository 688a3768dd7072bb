/* Lines that do not name what they access, but nothing is missing there: a statement has several lines, a macro stands
 * for a variable.
 *
 * repair: work @to..@to
 * atomic: true
 * lock: true
 * silent: where the source has none */
#include <pthread.h>

static int sum_of_all;

#define SUM sum_of_all

static void *work(void *arg)
{
	int known =
		SUM;
	sum_of_all
		= known + 1; /* @to */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return SUM != 2;
}
