/* SPDX-License-Identifier: MIT */
/* The first execution touches so much memory that the table of it grows. What comes later conflicts with the steps before,
 * all the same: that x may be read first shows only once z was. */
#include <assert.h>
#include <pthread.h>
#include <string.h>

static volatile int x, z;
static char many[24 << 10];
static int z_seen, x_seen;

static void *writer(void *p)
{
	x = 1;
	memset(many, 1, sizeof many);
	z = 1;
	return p;
}

static void *reader(void *p)
{
	z_seen = z;
	x_seen = x;
	return p;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(z_seen || x_seen);
	return 0;
}
