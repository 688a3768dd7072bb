/* SPDX-License-Identifier: MIT
 *
 * One thread reads what another one writes to a named pipe, which may lead out of the process: if it comes first,
 * the whole process is blocked in the kernel.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_int n;
static int ends[2];

static void *reads(void *arg)
{
	char c;

	n++;
	if (read(ends[0], &c, 1) != 1)
		n = -1;
	return arg;
}

static void *writes(void *arg)
{
	n++;
	if (write(ends[1], "x", 1) != 1)
		n = -1;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	if (mkfifo("named", 0600))
		return 1;
	ends[0] = ends[1] = open("named", O_RDWR);
	pthread_create(&a, NULL, reads, NULL);
	pthread_create(&b, NULL, writes, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
