/* SPDX-License-Identifier: MIT
 *
 * What a program may expect of its process, whatever the execution: features NAME runs one case and asserts.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

static atomic_int shared;
static __thread int own = 7;
static int initialised = 5, zeroed;
static char big[8 << 20];
static char *volatile leaked;
static pthread_key_t key;
static int destroyed, cleaned, exits;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static void *volatile block;
static volatile int out;

typedef void *routine(void *);

static void run(routine *a, routine *b, void *arg)
{
	pthread_t p, q;

	assert(!pthread_create(&p, 0, a, arg));
	assert(!pthread_create(&q, 0, b, arg));
	pthread_join(p, 0);
	pthread_join(q, 0);
}

/* Everything that the program can change is as it was when main begins again. */
static void *dirty(void *arg)
{
	assert(own == 7);
	own = 8;
	errno = 77;
	atomic_fetch_add(&shared, 1);
	assert(errno == 77 && own == 8);
	initialised++;
	zeroed++;
	memset(big + (5 << 20), 1, 1 << 20);
	return arg;
}

static void memory(void)
{
	char *p = malloc(100), *q = calloc(3, 1000);

	assert(initialised == 5 && zeroed == 0 && own == 7 && !leaked);
	for (int i = 0; i < 100; i++)
		assert(!p[i]);
	for (size_t i = 0; i < sizeof big; i += 4096)
		assert(!big[i]);
	memset(p, 1, 100);
	leaked = realloc(p, 5000);
	assert(leaked[99] == 1);
	free(q);
	run(dirty, dirty, 0);
	assert(own == 7);
	own = 9;
}

static void *add_to_stack(void *arg)
{
	int *p = arg;

	p[3]++;
	atomic_fetch_add(&shared, 1);
	return arg;
}

static void stack(void)
{
	int local[8] = { 0 };

	run(add_to_stack, add_to_stack, local);
	if (local[3] == 1)	/* the lost update is there to be found */
		exit(9);
	assert(local[3] == 2);
}

static void *touch(void *arg)
{
	atomic_fetch_add(&shared, 1);
	return arg;
}

static void many(void)
{
	pthread_t t[20];

	for (int i = 0; i < 20; i++)
		pthread_create(&t[i], 0, i < 2 ? touch : dirty, 0);
	for (int i = 0; i < 20; i++)
		pthread_join(t[i], 0);
}

static void destroy(void *value)
{
	destroyed += (int)(long)value;
}

static void clean(void *arg)
{
	cleaned += *(int *)arg;
}

static void *with_key(void *arg)
{
	int one = 1;

	pthread_setspecific(key, (void *)3);
	pthread_cleanup_push(clean, &one);
	atomic_fetch_add(&shared, 1);
	pthread_exit((void *)5);
	pthread_cleanup_pop(0);
	return arg;
}

static void ends(void)
{
	pthread_t p, q;
	void *value;

	assert(!pthread_key_create(&key, destroy));
	pthread_create(&p, 0, with_key, 0);
	pthread_create(&q, 0, touch, 0);
	pthread_join(p, &value);
	assert(value == (void *)5 && destroyed == 3 && cleaned == 1);
	pthread_join(q, 0);
}

static void second(void)
{
	assert(exits++ == 0);
}

static void first(void)
{
	assert(exits++ == 1);
}

static void handlers(void)
{
	assert(!exits);
	atexit(first);
	atexit(second);
	run(touch, touch, 0);
}

static void *waits(void *arg)
{
	struct timespec t;
	int r;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec++;
	pthread_mutex_lock(&mutex);
	r = pthread_cond_timedwait(&cond, &mutex, &t);
	assert(!r || r == ETIMEDOUT);
	if (!r)
		assert(atomic_load(&shared));
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *signals(void *arg)
{
	pthread_mutex_lock(&mutex);
	atomic_store(&shared, 1);
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *sleeps(void *arg)
{
	struct timespec a, b, ten = { 10, 0 };

	clock_gettime(CLOCK_MONOTONIC, &a);
	atomic_fetch_add(&shared, 1);
	nanosleep(&ten, 0);
	clock_gettime(CLOCK_MONOTONIC, &b);
	assert(b.tv_sec - a.tv_sec >= 10);
	return arg;
}

static void locks(void)
{
	pthread_mutexattr_t attr;
	pthread_mutex_t m;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&m, &attr);
	assert(!pthread_mutex_lock(&m) && !pthread_mutex_lock(&m) && !pthread_mutex_trylock(&m));
	assert(!pthread_mutex_unlock(&m) && !pthread_mutex_unlock(&m) && !pthread_mutex_unlock(&m));
	assert(pthread_mutex_unlock(&m) == EPERM);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&m, &attr);
	assert(!pthread_mutex_lock(&m) && pthread_mutex_lock(&m) == EDEADLK && pthread_mutex_trylock(&m) == EBUSY);
	assert(!pthread_mutex_unlock(&m));
	run(touch, touch, 0);
}

static void *frees(void *arg)
{
	void *p = block;

	block = 0;
	free(p);
	if (!strcmp(arg, "double"))
		free(p);
	return arg;
}

static void *reads(void *arg)
{
	int *p = block;

	if (p)
		out = *p;
	return arg;
}

static const char *volatile text = "text";

static void *clears(void *arg)
{
	text = 0;
	return arg;
}

static void *measures(void *arg)
{
	out = (int)strlen((const char *)text); /* @measure */
	return arg;
}

/* A lock on a futex, as in libraries: 0 free, 1 taken, 2 taken and another thread waits. */
static atomic_int word;
static int protected;

static void *with_futex(void *arg)
{
	int seen = 0;

	if (!atomic_compare_exchange_strong(&word, &seen, 1)) {
		if (seen != 2)
			seen = atomic_exchange(&word, 2);
		while (seen) {
			syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
			seen = atomic_exchange(&word, 2);
		}
	}
	protected++;
	if (atomic_exchange(&word, 0) == 2)
		syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	return arg;
}

static mtx_t c11_mutex;
static cnd_t c11_cond;
static once_flag c11_once = ONCE_FLAG_INIT;

static void c11_init(void)
{
	initialised++;
}

static int c11_thread(void *arg)
{
	call_once(&c11_once, c11_init);
	mtx_lock(&c11_mutex);
	protected++;
	cnd_signal(&c11_cond);
	mtx_unlock(&c11_mutex);
	return arg ? -3 : 4;
}

static void c11(void)
{
	thrd_t a, b;
	int x, y;

	mtx_init(&c11_mutex, mtx_plain);
	cnd_init(&c11_cond);
	assert(thrd_create(&a, c11_thread, 0) == thrd_success);
	assert(thrd_create(&b, c11_thread, &x) == thrd_success);
	mtx_lock(&c11_mutex);
	while (!protected)
		cnd_wait(&c11_cond, &c11_mutex);
	mtx_unlock(&c11_mutex);
	assert(thrd_join(a, &x) == thrd_success && thrd_join(b, &y) == thrd_success);
	assert(x == 4 && y == -3 && protected == 2 && initialised == 6);
}

/* Descriptors and mappings left open do not accumulate. They have the same numbers and addresses
 * in every execution. */
static void *opens(void *arg)
{
	atomic_fetch_add(&shared, 1);
	return arg;
}

static void kernel(void)
{
	int fd = open("/dev/null", O_RDWR);
	FILE *f = fopen("/dev/null", "w");
	char *p = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert(fd >= 0 && fd < 20 && f && fileno(f) < 20 && p != MAP_FAILED && !p[12345]);
	p[12345] = 1;
	assert(!munmap(p + 4096, 4096));
	run(opens, opens, 0);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";

	assert(initialised == 5);
	if (!strcmp(name, "memory"))
		memory();
	else if (!strcmp(name, "stack"))
		stack();
	else if (!strcmp(name, "many"))
		many();
	else if (!strcmp(name, "ends"))
		ends();
	else if (!strcmp(name, "handlers"))
		handlers();
	else if (!strcmp(name, "timed"))
		run(waits, signals, 0);
	else if (!strcmp(name, "sleep"))
		run(sleeps, sleeps, 0);
	else if (!strcmp(name, "locks"))
		locks();
	else if (!strcmp(name, "freed") || !strcmp(name, "double")) {
		block = calloc(1, 64);
		run(reads, frees, argv[1]);
	} else if (!strcmp(name, "futex")) {
		run(with_futex, with_futex, 0);
		assert(protected == 2 && !word);
	} else if (!strcmp(name, "c11")) {
		c11();
	} else if (!strcmp(name, "kernel")) {
		kernel();
	} else if (!strcmp(name, "clone")) {
		run(touch, touch, 0);
		syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	} else if (!strcmp(name, "library")) {
		run(measures, clears, 0);
	} else {
		return 2;
	}
	argv[1][0] = 'X';	/* the strings of the arguments are rolled back, too */
	printf("done\n");
	return 0;
}
