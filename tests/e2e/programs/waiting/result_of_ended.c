/* SPDX-License-Identifier: MIT */
/* Right: two livelocks, for the thread that has ended gave back 0 or 1, and one who could join it would see which. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int toggled, stop;

static void *toggles(void *unused)
{
	(void)unused;
	while (!atomic_load(&stop)) {
		atomic_fetch_add(&toggled, 1);
		atomic_fetch_sub(&toggled, 1);
	}
	return 0;
}

static void *waits(void *unused)
{
	(void)unused;
	while (atomic_load(&toggled) != 2)
		;
	return 0;
}

static void *reads(void *unused)
{
	(void)unused;
	return (void *)(long)atomic_load(&toggled);
}

int main(void)
{
	pthread_t threads[3];

	pthread_create(&threads[0], 0, toggles, 0);
	pthread_create(&threads[1], 0, waits, 0);
	pthread_create(&threads[2], 0, reads, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], 0);
	return 0;
}
