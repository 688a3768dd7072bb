/* SPDX-License-Identifier: MIT
 *
 * Functions of libc and wide moves are never atomic.
 *
 * hooks: 1
 * plain: 1
 */
#include <pthread.h>
#include <string.h>

static char text[64];
char copy[64];

static void *fill(void *arg)
{
	(void)arg;
	memset(text, 1, sizeof text);
	return NULL;
}

int main(void)
{
	pthread_t t;


	pthread_create(&t, NULL, fill, NULL);
	memcpy(copy, text, sizeof copy);
	pthread_join(t, NULL);
	return copy[5] > 9;
}
