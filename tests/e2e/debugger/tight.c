/* Return sites of one byte, right before the next function: no jump has room there, only a trap. */
#include <pthread.h>

static int n;

__attribute__((used)) static void bump(void)
{
	n++;
}

__asm__(".text\n"
	"	.type once, @function\n"
	"once:	call bump\n"
	"	ret\n"
	"	.size once, .-once\n"
	"	.type again, @function\n"
	"again:	call bump\n"
	"	ret\n"
	"	.size again, .-again\n"
	"	.type last, @function\n"
	"last:	call bump\n"
	"	ret\n"
	"	.size last, .-last\n");
void once(void);
void again(void);
void last(void);

static void *thread(void *unused)
{
	once();
	again();
	last();
	return unused;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, thread, NULL);
	again();
	pthread_join(t, NULL);
	return 0;
}
