/* SPDX-License-Identifier: MIT
 *
 * wants: object register
 * wants: op write(value) : reg_write(this, value)
 * wants: op read() -> int : reg_read(this)
 * wants: op cas(expected, wanted) -> bool : reg_cas(this, expected, wanted)
 * verdict: 1
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct reg {
	int value;
};

static struct reg reg;

int reg_read(struct reg *r)
{
	return r->value;
}

void reg_write(struct reg *r, int value)
{
	r->value = value;
}

bool reg_cas(struct reg *r, int expected, int wanted)
{
	if (r->value != expected)
		return false;
	r->value = wanted;
	return true;
}

static volatile long sink;

static void *first(void *unused)
{
	sink = reg_cas(&reg, 0, 1);
	return unused;
}

static void *second(void *unused)
{
	sink = reg_cas(&reg, 0, 2);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	reg_write(&reg, 0);
	sink = reg_read(&reg);
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
