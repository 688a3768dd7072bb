/* SPDX-License-Identifier: MIT
 *
 * Threads, their attributes, keys, and what is each thread's own.
 */
#include "same.h"

#include <fenv.h>
#include <locale.h>

static pthread_key_t key;
static sem_t go, go_detached;
static int order;

static void *returns(void *arg)
{
	return arg;
}

static void *waits(void *arg)
{
	sem_wait(&go);
	return arg;
}

static void *waits_detached(void *arg)
{
	sem_wait(&go_detached);
	return arg;
}

static void joins(void)
{
	pthread_t t;
	pthread_attr_t a;
	void *value;
	int detached;

	sem_init(&go, 0, 0);
	R(pthread_create(&t, NULL, waits, (void *)7));
	R(pthread_tryjoin_np(t, &value));
	R(pthread_timedjoin_np(t, &value, &past));
	R(pthread_clockjoin_np(t, &value, CLOCK_MONOTONIC, &past));
	R(pthread_clockjoin_np(t, &value, CLOCK_PROCESS_CPUTIME_ID, &past));
	R(pthread_tryjoin_np(pthread_self(), &value));
	sem_post(&go);
	R(pthread_timedjoin_np(t, &value, NULL));
	V(value);
	pthread_attr_init(&a);
	R(pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED));
	R(pthread_attr_setdetachstate(&a, 99));
	R(pthread_create(&t, &a, waits_detached, NULL));
	R(pthread_join(t, NULL));
	R(pthread_detach(t));
	R(pthread_getattr_np(t, &a));
	R(pthread_attr_getdetachstate(&a, &detached));
	V(detached == PTHREAD_CREATE_DETACHED);
	sem_post(&go_detached);
	R(pthread_create(&t, NULL, waits_detached, NULL));
	R(pthread_detach(t));
	R(pthread_detach(t));
	sem_post(&go_detached);
}

static void *in_stack(void *unused)
{
	pthread_attr_t a;
	char *base, here;
	size_t size, guard;

	pthread_getattr_np(pthread_self(), &a);
	pthread_attr_getstack(&a, (void **)&base, &size);
	pthread_attr_getguardsize(&a, &guard);
	V(&here >= base && &here < base + size);
	V(size >> 10);
	V(guard);
	return unused;
}

static void stacks(void)
{
	static char memory[256 << 10] __attribute__((aligned(4096)));
	pthread_attr_t a;
	pthread_t t;

	pthread_attr_init(&a);
	R(pthread_attr_setstacksize(&a, 1));
	R(pthread_attr_setstacksize(&a, 16 << 20));
	R(pthread_attr_setguardsize(&a, 8192));
	if (pthread_create(&t, &a, in_stack, NULL) || pthread_join(t, NULL))
		abort();
	R(pthread_attr_setstack(&a, memory, sizeof memory));
	R(pthread_attr_setguardsize(&a, 0));
	if (pthread_create(&t, &a, in_stack, NULL) || pthread_join(t, NULL))
		abort();
}

static void *own(void *unused)
{
	char name[16];

	R(pthread_getname_np(pthread_self(), name, sizeof name));
	printf("%s\n", name);
	R(pthread_setname_np(pthread_self(), "a thread"));
	R(pthread_getname_np(pthread_self(), name, sizeof name));
	printf("%s\n", name);
	V(gettid() == getpid());
	V(fegetround() == FE_UPWARD);
	V(errno);
	errno = 5;
	fesetround(FE_TONEAREST);
	return unused;
}

static void identity(void)
{
	char name[16];
	int policy;
	struct sched_param p = { .sched_priority = 0 };
	cpu_set_t cpus;
	clockid_t clock;
	struct timespec t;

	errno = 0;
	fesetround(FE_UPWARD);
	R(pthread_setname_np(pthread_self(), "main"));
	elsewhere(own, NULL);
	V(errno);
	V(fegetround() == FE_UPWARD);
	fesetround(FE_TONEAREST);
	R(pthread_getname_np(pthread_self(), name, sizeof name));
	printf("%s\n", name);
	R(pthread_setname_np(pthread_self(), "longer than fifteen"));
	R(pthread_getname_np(pthread_self(), name, 3));
	R(pthread_getschedparam(pthread_self(), &policy, &p));
	V(policy);
	R(pthread_setschedparam(pthread_self(), 99, &p));
	p.sched_priority = 1000;
	R(pthread_setschedparam(pthread_self(), SCHED_FIFO, &p));
	R(pthread_setschedprio(pthread_self(), 17));
	CPU_ZERO(&cpus);
	R(pthread_setaffinity_np(pthread_self(), sizeof cpus, &cpus));
	R(pthread_getaffinity_np(pthread_self(), sizeof cpus, &cpus));
	R(pthread_setaffinity_np(pthread_self(), sizeof cpus, &cpus));
	R(pthread_getaffinity_np(pthread_self(), 1, &cpus));
	R(pthread_getcpuclockid(pthread_self(), &clock));
	E(clock_gettime(clock, &t));
	V(gettid() == getpid());
}

static void destroy(void *value)
{
	printf("destroys %ld\n", (long)value);
	order = order * 10 + (int)(long)value;
	if ((long)value < 3)
		pthread_setspecific(key, (char *)value + 1);
}

static void *uses_key(void *unused)
{
	V(pthread_getspecific(key));
	R(pthread_setspecific(key, (void *)1));
	V(pthread_getspecific(key));
	return unused;
}

static void cleaned(void *value)
{
	printf("cleans up %ld\n", (long)value);
}

static void *exits(void *value)
{
	pthread_cleanup_push(cleaned, (void *)1);
	pthread_cleanup_push(cleaned, (void *)2);
	pthread_cleanup_push(cleaned, (void *)3);
	pthread_cleanup_pop(1);
	pthread_setspecific(key, (void *)3);
	pthread_exit(value);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return NULL;
}

static void ends(void)
{
	pthread_t t;
	void *value;

	R(pthread_key_create(&key, destroy));
	elsewhere(uses_key, NULL);
	V(order);
	order = 0;
	if (pthread_create(&t, NULL, exits, (void *)9))
		abort();
	R(pthread_join(t, &value));
	V(value);
	R(pthread_key_delete(key));
	R(pthread_key_delete(key));
	R(pthread_setspecific(key, NULL));
}

static int c11(void *arg)
{
	thrd_yield();
	if (arg)
		thrd_exit(5);
	return 4;
}

void calls(void)
{
	thrd_t t;
	int r;

	joins();
	stacks();
	identity();
	ends();
	thrd_create(&t, c11, NULL);
	V(thrd_join(t, &r));
	V(r);
	V(thrd_create(&t, c11, &r));
	V(thrd_equal(t, thrd_current()));
	V(thrd_join(t, &r));
	V(r);
	elsewhere(returns, NULL);
}
