/* SPDX-License-Identifier: MIT
 *
 * Thread-specific data. It is in the donor's TLS, where libc keeps it; only the destructors are run
 * here, for libc's threads never end.
 */
#include "interpose.h"

#include <limits.h>

void keys_destroy(void)
{
	bool again = true;

	for (int round = 0; again && round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
		again = false;
		for (unsigned k = 0; k < program_state.nkeys; k++) {
			void *value;

			if (!program_state.key_destructors[k] ||
			    !(value = real_pthread_getspecific(k)))
				continue;
			real_pthread_setspecific(k, NULL);
			again = true;
			rt->cur->destroying = rt->n + 1;
			call_back((uint64_t)program_state.key_destructors[k], (uint64_t)value, 0, 0);
			rt->cur->destroying = 0;
		}
	}
}

int i_pthread_key_create(pthread_key_t *key, void (*destructor)(void *));
int i_pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
	int r;

	/* libc must not run it: the donors' threads never end, and the end of the main thread is
	 * not the end of the program. */
	r = real_pthread_key_create(key, NULL);
	if (r || *key >= MAX_KEYS)
		return r;
	program_state_changed = true;
	program_state.key_destructors[*key] = destructor;
	if (*key >= program_state.nkeys)
		program_state.nkeys = *key + 1;
	return r;
}

int i_pthread_key_delete(pthread_key_t key);
int i_pthread_key_delete(pthread_key_t key)
{
	if (key < MAX_KEYS) {
		program_state_changed = true;
		program_state.key_destructors[key] = NULL;
	}
	return real_pthread_key_delete(key);
}

/* libc deletes it without telling, but a key of that number may be created again. */
int i_tss_create(unsigned *key, void (*destructor)(void *));
int i_tss_create(unsigned *key, void (*destructor)(void *))
{
	return i_pthread_key_create(key, destructor) ? 2 /* thrd_error */ : 0;
}

void i_tss_delete(unsigned key);
void i_tss_delete(unsigned key)
{
	i_pthread_key_delete(key);
}
