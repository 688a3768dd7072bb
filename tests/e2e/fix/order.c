/* Two locks, taken in two orders. HOW: 1: by name, with something between; 2: of the objects that are given;
 * 3: the second one depends on what the first one protects; 4: it is named by that; 5: and that is changed through a pointer;
 * 6: it is named by what nobody changes. */
#include <pthread.h>

struct account {
	pthread_mutex_t lock;
	struct account *partner;
	int money;
};

#if HOW > 3
static struct account y;
static struct account x = { PTHREAD_MUTEX_INITIALIZER, &y, 5 }, y = { PTHREAD_MUTEX_INITIALIZER, &x, 5 };

struct account **partner_of(struct account *a)
{
	return &a->partner;
}
#else
static struct account x = { PTHREAD_MUTEX_INITIALIZER, NULL, 5 }, y = { PTHREAD_MUTEX_INITIALIZER, &x, 5 };
#endif

#if HOW == 1
static void *there(void *arg)
{
	pthread_mutex_lock(&x.lock); /* @there.first */
	x.money--;
	pthread_mutex_lock(&y.lock); /* @there.second */
	y.money++;
	pthread_mutex_unlock(&x.lock);
	pthread_mutex_unlock(&y.lock);
	return arg;
}

static void *back(void *arg)
{
	pthread_mutex_lock(&y.lock);
	pthread_mutex_lock(&x.lock);
	x.money++;
	y.money--;
	pthread_mutex_unlock(&y.lock);
	pthread_mutex_unlock(&x.lock);
	return arg;
}
#else
static void transfer(struct account *from, struct account *to)
{
	pthread_mutex_lock(&from->lock);
#if HOW == 3
	to = from->partner ? from->partner : to;
#endif
#if HOW > 3
	pthread_mutex_lock(&from->partner->lock);
	to = from->partner;
#else
	pthread_mutex_lock(&to->lock);
#endif
	from->money--;
	to->money++;
#if HOW == 4
	from->partner = to;
#elif HOW == 5
	*partner_of(from) = to;
#endif
	pthread_mutex_unlock(&from->lock);
	pthread_mutex_unlock(&to->lock);
}

static void *there(void *arg)
{
	transfer(&x, &y);
	return arg;
}

static void *back(void *arg)
{
	transfer(&y, &x);
	return arg;
}
#endif

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, there, NULL);
	pthread_create(&b, NULL, back, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
