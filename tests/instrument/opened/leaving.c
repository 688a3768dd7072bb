/* SPDX-License-Identifier: MIT
 *
 * A library whose last function ends by jumping through its linkage table, and is closed by the next call; what is called
 * after that has the same stack pointer as at the jump. As an argument: the library, which is this file, too.
 */
#ifdef LIBRARY
#include <stdlib.h>

int left;
void leave(void *block);

void leave(void *block)
{
	left++;
	free(block);
}
#else
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct call {
	void (*function)(void *);
	void *argument;
};

/* Not compiled, so that the calls are at the same depth in every build. */
void three_calls(const struct call *calls);
__asm__("	.text\n"
	"	.globl	three_calls\n"
	"	.type	three_calls, @function\n"
	"three_calls:\n"
	"	.cfi_startproc\n"
	"	pushq	%rbx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	movq	%rdi, %rbx\n"
	"	movq	8(%rbx), %rdi\n"
	"	call	*(%rbx)\n"
	"	movq	24(%rbx), %rdi\n"
	"	call	*16(%rbx)\n"
	"	movq	40(%rbx), %rdi\n"
	"	call	*32(%rbx)\n"
	"	popq	%rbx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size	three_calls, .-three_calls\n");

static const char *path;
static int after;

static void add(void *cell)
{
	++*(int *)cell;
}

static void *thread(void *unused)
{
	void *library = dlopen(path, RTLD_NOW);
	const struct call calls[] = { { (void (*)(void *))dlsym(library, "leave"), malloc(1) },
				      { (void (*)(void *))dlclose, library },
				      { add, &after } };

	three_calls(calls);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	path = argv[argc - 1];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, thread, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", after);
	return 0;
}
#endif
