/* SPDX-License-Identifier: MIT
 *
 * Thread-specific data. It is in the donor's TLS, where libc keeps it; only the destructors are run
 * here, for libc's threads never end.
 *
 * Which number a key gets depends on the order in which keys are made and deleted, so that is a step. To use one is
 * none: that a thread deletes it while another uses it, or ends, is a limit.
 */
#include "interpose.h"

#include <limits.h>

extern __typeof__(pthread_getspecific) *real_pthread_getspecific
	__attribute__((visibility("hidden")));
extern __typeof__(pthread_setspecific) *real_pthread_setspecific
	__attribute__((visibility("hidden")));

static char keys; /* the step is on this */

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
			if (rt->tracing)
				unseen_key("the end of a thread", rt->cur->pending.pc, k, false);
			real_pthread_setspecific(k, NULL);
			again = true;
			rt->cur->destroying = rt->n + 1;
			call_back((uint64_t)program_state.key_destructors[k], (uint64_t)value, 0, 0);
			rt->cur->destroying = 0;
		}
	}
}

static void keys_step(void)
{
	if (alone())
		return;
	announce(LP_EV_RMW, &keys, 1, caller())->flags = LP_SITE_ATOMIC | LP_SITE_NOVALUE;
	step(rt->cur);
}

int i_pthread_key_create(pthread_key_t *key, void (*destructor)(void *));
int i_pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
	int r;

	if (active())
		keys_step();
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
	if (active()) {
		/* Who makes one of this number afterwards knows the step. */
		unseen_key("pthread_key_delete", caller() - 1, key, true);
		keys_step();
	}
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
