/* Compilers read variables where they are compared, if they optimize; here that is said for them. A block of that
 * line is atomic in this program, but a lock around the line, as it stands in the source, would hold neither
 * read.
 *
 * repair: reader @used..@used + writer @from..@to
 * atomic: true
 * lock: true
 * says: where the source has none */
#include <pthread.h>
#include <stddef.h>

static int x, y, bad;

static void *writer(void *arg)
{
	x = 1; /* @from */
	y = 1; /* @to */
	return arg;
}

static void *reader(void *arg)
{
#line 28
	int a = x;
#line 28
	int b = y;
#line 28
	if (a != b) /* @used */
		bad = 1;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return bad;
}
