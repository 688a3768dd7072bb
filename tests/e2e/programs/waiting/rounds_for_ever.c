/* SPDX-License-Identifier: MIT
 *
 * No thread waits for another one, and none ever ends: each goes on to change memory.
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2], turn, mark;

#ifdef LOCK /* of Peterson, taken and given back for ever */
static void round_of(int me)
{
	flag[me] = 1;
	turn = !me;
	while (flag[!me] && turn == !me)
		;
	flag[me] = 0;
}
#elif defined HAND_OVER /* each waits for its turn, which comes again and again */
static void round_of(int me)
{
	while (turn != me)
		;
	turn = !me;
}
#elif defined WATCHED /* one changes it, the other one waits for what it never is */
static void round_of(int me)
{
	if (me)
		while (mark != 2) /* @watches */
			;
	mark ^= 1;
}
#else
static void round_of(int me)
{
	flag[me] ^= 1;
}
#endif

static void *work(void *arg)
{
	const int me = arg != NULL;

	for (;;) /* @loop */
		round_of(me); /* @round */
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, &flag);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
