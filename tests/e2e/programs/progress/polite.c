/* SPDX-License-Identifier: MIT
 *
 * Whoever announced itself last may finish. Alone each thread gets through from everywhere, but two
 * can take the claim away from each other for ever: obstruction-free, but not lock-free.
 */
#include <linchpin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int claim, done;

static void announce_and_finish(int id)
{
	linchpin_call(&done, "fetch_add", 1);
	for (;;) {
		atomic_store(&claim, id);
		if (atomic_load(&claim) == id) /* nobody came between */
			break;
	}
	linchpin_return(atomic_fetch_add(&done, 1));
}

static void *work(void *arg)
{
	announce_and_finish(*(int *)arg);
	return NULL;
}

int main(void)
{
	static int ids[2] = { 1, 2 };
	pthread_t t[2];

	linchpin_object(&done, "counter");
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, &ids[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
