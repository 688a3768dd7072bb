/* What is not seen: a function of libc, code in mapped memory, a function that is skipped; by the argument. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

static char name[64] = "start";
static int numbers[8] = { 3, 1, 2 }, result;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char way;
static unsigned seed;
static struct stat of;

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) void hidden(void)
{
	result++;
}

static void *one(void *arg)
{
	char own[20];
	unsigned char *code;

	if (way == 'l')
		pthread_mutex_lock(&m);
	switch (way) {
	case 's': /* snprintf, skipped, stat */
		if (!strcmp(arg, "skipped"))
			hidden();
		else if (!strcmp(arg, "stat"))
			stat("/", &of);
		else
			snprintf(name, sizeof name, "%d", 5);
		break;
	case 'l': /* locked */
		snprintf(name, sizeof name, "%d", 5);
		break;
	case 'q':
		qsort(numbers, 8, sizeof *numbers, compare);
		break;
	case 'p':
		printf("%d %f %s\n", 3, 2.0, name);
		break;
	case 'm':
		code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		code[0] = 0xc3;
		((void (*)(void))code)();
		break;
	case 'r': /* rand_r, twice: one and two; b: both under the lock */
		rand_r(&seed);
		break;
	case 'b':
		pthread_mutex_lock(&m);
		rand_r(&seed);
		pthread_mutex_unlock(&m);
		break;
	case 'c': /* command */
		system("true");
		break;
	case 'o':
		snprintf(own, sizeof own, "%d", 3);
		result += own[0];
		break;
	}
	if (way == 'l')
		pthread_mutex_unlock(&m);
	return arg;
}

static void *two(void *arg)
{
	if (way == 'r' || way == 'b')
		return one(arg);
	if (way == 'l')
		pthread_mutex_lock(&m);
	result += *(volatile char *)name + ((volatile int *)numbers)[7] + (int)*(volatile mode_t *)&of.st_mode;
	if (way == 'p')
		*(volatile char *)name = 'u';
	if (way == 'l')
		pthread_mutex_unlock(&m);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	way = argv[argc > 1][0];
	pthread_create(&a, NULL, one, argv[1]);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", result);
	return 0;
}
