/* SPDX-License-Identifier: MIT
 *
 * Jumps between frames, out of handlers too, and the mask of signals; and functions that new programs cannot
 * call by their names any more.
 */
#include "same.h"

#include <setjmp.h>
#include <sys/timeb.h>

#define OLD(name, version, as) __asm__(".symver " #as ", " #name "@" #version)
OLD(__pthread_mutex_lock, GLIBC_2.2.5, old_lock);
OLD(__pthread_mutex_unlock, GLIBC_2.2.5, old_unlock);
OLD(__pthread_once, GLIBC_2.2.5, old_once);
OLD(__pthread_key_create, GLIBC_2.2.5, old_key_create);
OLD(pthread_yield, GLIBC_2.2.5, old_yield);
OLD(_pthread_cleanup_push_defer, GLIBC_2.2.5, old_push);
OLD(_pthread_cleanup_pop_restore, GLIBC_2.2.5, old_pop);
int old_lock(pthread_mutex_t *m), old_unlock(pthread_mutex_t *m), old_once(pthread_once_t *o, void (*f)(void));
int old_key_create(pthread_key_t *key, void (*f)(void *)), old_yield(void);
void old_push(struct _pthread_cleanup_buffer *b, void (*f)(void *), void *arg);
void old_pop(struct _pthread_cleanup_buffer *b, int execute);

static sigjmp_buf buffer;
static volatile int handled;

static void leaves(int sig)
{
	handled++;
	siglongjmp(buffer, sig);
}

static int blocked(int sig)
{
	sigset_t set;

	pthread_sigmask(SIG_BLOCK, NULL, &set);
	return sigismember(&set, sig);
}

static void masks(int kept)
{
	sigset_t set;
	int value;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	V(kept);
	for (volatile int i = 0; i < 3; i++) {
		value = sigsetjmp(buffer, kept);
		V(value);
		if (!value)
			E(raise(SIGUSR1));
		V(handled);
		V(blocked(SIGUSR1));
	}
	value = sigsetjmp(buffer, kept);
	V(value);
	V(blocked(SIGUSR2));
	if (!value) {
		R(pthread_sigmask(SIG_BLOCK, &set, NULL));
		V(blocked(SIGUSR2));
		longjmp(buffer, 7);
	}
	sigfillset(&set);
	R(pthread_sigmask(SIG_UNBLOCK, &set, NULL));
	if (!(value = setjmp(buffer)))
		_longjmp(buffer, 0);
	V(value);
}

static void *in_thread(void *unused)
{
	masks(1);
	return unused;
}

static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static void runs_once(void)
{
	printf("once\n");
}

static void destroys(void *value)
{
	printf("destroys %ld\n", (long)value);
}

static void *sets(void *key)
{
	R(pthread_setspecific(*(pthread_key_t *)key, (void *)4));
	return NULL;
}

static void old_names(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_key_t key;

	R(pthread_mutex_lock(&m));
	R(old_lock(&m));
	R(old_unlock(&m));
	R(pthread_mutex_unlock(&m));
	R(old_unlock(&m));
	R(old_once(&once, runs_once));
	R(pthread_once(&once, runs_once));
	R(old_key_create(&key, destroys));
	elsewhere(sets, &key);
	R(pthread_key_delete(key));
	R(old_yield());
}

static void cleaned(void *what)
{
	int old;

	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old);
	printf("cleans up %s, %d\n", (char *)what, old);
}

static void *deferred(void *arg)
{
	struct _pthread_cleanup_buffer b;
	int old;

	R(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL));
	pthread_cleanup_push_defer_np(cleaned, "new");
	R(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old));
	V(old);
	pthread_cleanup_pop_restore_np(1);
	R(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old));
	V(old);
	old_push(&b, cleaned, "old");
	R(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old));
	V(old);
	old_pop(&b, 1);
	R(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old));
	V(old);
	pthread_cleanup_push_defer_np(cleaned, "at the end");
	pthread_exit(NULL);
	pthread_cleanup_pop_restore_np(0);
	return arg;
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
void calls(void)
{
	struct timespec before, after;
	struct timeb old;

	signal(SIGUSR1, leaves);
	handled = 0;
	masks(1);
	masks(0);
	masks(1);
	elsewhere(in_thread, NULL);
	old_names();
	elsewhere(deferred, NULL);
	clock_gettime(CLOCK_REALTIME, &before);
	E(ftime(&old));
	clock_gettime(CLOCK_REALTIME, &after);
	/* It may be rounded up. */
	V(old.time >= before.tv_sec && old.time <= after.tv_sec + 1);
}
