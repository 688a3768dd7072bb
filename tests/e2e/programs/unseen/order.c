/* Right: what is written here by a call is at the same time as what others do if and only if a plain write in its place is
 * a data race.
 *
 *	order call|write SEED
 *
 * Threads make others and join them, and write and read a buffer, with a lock and sometimes without. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 5, STEPS = 8 };
enum step { NOTHING, LOCKED_WRITE, WRITE, READ, PASS, MAKE, JOIN };

static struct {
	enum step step;
	long of;
} steps[THREADS][STEPS];

static pthread_t threads[THREADS];
static pthread_mutex_t locks[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static char buffer[8];
static int calls, last[THREADS], sum[THREADS];
static unsigned seed;

static unsigned draw(unsigned n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

static void add(int thread, enum step step, long of)
{
	steps[thread][last[thread]].step = step;
	steps[thread][last[thread]++].of = of;
}

static void add_access(int thread)
{
	if (draw(5))
		add(thread, draw(6) ? LOCKED_WRITE : PASS, draw(12) == 0);
	else
		add(thread, draw(2) ? WRITE : READ, 0);
}

/* Each has at most two children. */
static void write_program(void)
{
	int maker[THREADS] = { 0 }, children[THREADS] = { 0 };

	for (int i = 1; i < THREADS; i++) {
		do
			maker[i] = (int)draw((unsigned)i);
		while (children[maker[i]] == 2);
		children[maker[i]]++;
	}
	for (int i = 0; i < THREADS; i++) {
		for (int k = i + 1; k < THREADS; k++)
			if (maker[k] == i) {
				if (draw(2))
					add_access(i);
				add(i, MAKE, k);
			}
		if (draw(3))
			add_access(i);
		for (int k = i + 1; k < THREADS; k++)
			if (maker[k] == i && draw(3)) {
				add(i, JOIN, k);
				if (draw(2) && last[i] < STEPS - 1)
					add_access(i);
			}
	}
}

__attribute__((noinline)) static void write_buffer(long i)
{
	if (calls)
		snprintf(buffer, 2, "%ld", i % 10);
	else
		buffer[0] = (char)i;
}

static void *run(void *arg)
{
	const long i = (long)arg;

	for (int k = 0; k < last[i]; k++) {
		const long of = steps[i][k].of;

		switch (steps[i][k].step) {
		case LOCKED_WRITE:
			pthread_mutex_lock(&locks[of]);
			write_buffer(i * STEPS + k + 1);
			pthread_mutex_unlock(&locks[of]);
			break;
		case WRITE:
			write_buffer(i * STEPS + k + 1);
			break;
		case READ:
			sum[i] += buffer[0];
			break;
		case PASS:
			pthread_mutex_lock(&locks[of]);
			pthread_mutex_unlock(&locks[of]);
			break;
		case MAKE:
			pthread_create(&threads[of], NULL, run, (void *)of);
			break;
		case JOIN:
			pthread_join(threads[of], NULL);
			break;
		default:
			break;
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	calls = argv[argc > 1][0] == 'c';
	seed = (unsigned)atoi(argv[2]) * 7919 + 1;
	write_program();
	run(NULL);
	return 0;
}
