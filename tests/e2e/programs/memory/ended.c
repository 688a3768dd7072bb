/* SPDX-License-Identifier: MIT
 *
 * What a thread has on its stack, and others use: after its end, which is an error, or not. The argument says
 * which. What it has in its thread-local storage is not reported.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum kind { LOCAL, STACK, CONDITION, RETURNED, WAITS, GIVEN, MAIN };
static const char *const names[] = { "local", "stack", "condition", "returned", "waits", "given", "main" };

static int *_Atomic published;
static atomic_int total;
static sem_t used;
static _Thread_local int local;
static pthread_cond_t *_Atomic condition;
static _Alignas(4096) char given[1 << 20];

static void *owner(void *arg)
{ /* @ends */
	enum kind kind = (enum kind)(long)arg;
	int mine = 1;

	if (kind == CONDITION) {
		pthread_cond_t here = PTHREAD_COND_INITIALIZER;

		atomic_store(&condition, &here);
		total++;
	} else if (kind == RETURNED) {
		int *volatile result = &mine;

		return result;
	} else {
		atomic_store(&published, kind == LOCAL ? &local : &mine);
		total++;
		if (kind == WAITS)
			sem_wait(&used);
	}
	return NULL;
}

static void *user(void *arg)
{
	int *p = atomic_load(&published);
	pthread_cond_t *c = atomic_load(&condition);
	enum kind kind = (enum kind)(long)arg;

	if (p)
		*p = 2; /* @use */
	if (c)
		pthread_cond_signal(c); /* @signal */
	if (kind == WAITS)
		sem_post(&used);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_attr_t attr;
	pthread_t a, b;
	enum kind kind = LOCAL;
	int of_main = 0;
	void *result = NULL, *arg;

	while (strcmp(names[kind], argv[argc - 1]))
		kind++;
	arg = (void *)(long)kind;
	sem_init(&used, 0, 0);
	pthread_attr_init(&attr);
	if (kind == GIVEN)
		pthread_attr_setstack(&attr, given, sizeof given);
	if (kind == MAIN)
		atomic_store(&published, &of_main);
	pthread_create(&a, &attr, kind == MAIN ? user : owner, arg);
	if (kind == RETURNED) {
		pthread_join(a, &result);
		return *(int *)result; /* @returned */
	}
	pthread_create(&b, NULL, user, arg);
	if (kind == MAIN)
		pthread_exit(NULL);
	pthread_join(a, NULL);
	if (kind == GIVEN)
		*published = 3; /* the program's own memory again */
	pthread_join(b, NULL);
	return 0;
}
