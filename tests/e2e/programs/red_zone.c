/* SPDX-License-Identifier: MIT
 *
 * A function in assembly that calls another one, and keeps a value below its stack pointer after that, as compilers never do.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

int shared;
int kept_below(int value);

__asm__("	.text\n"
	"	.type	nothing, @function\n"
	"nothing:\n"
	"	ret\n"
	"	.size	nothing, .-nothing\n"
	"	.globl	kept_below\n"
	"	.type	kept_below, @function\n"
	"kept_below:\n"
	"	.cfi_startproc\n"
	"	call	nothing\n"
	"	movl	%edi, -8(%rsp)\n"
	"	movl	shared(%rip), %eax\n"
	"	addl	$1, %eax\n"
	"	movl	%eax, shared(%rip)\n"
	"	movl	-8(%rsp), %eax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size	kept_below, .-kept_below\n");

static void *thread(void *arg)
{
	int value = (int)(intptr_t)arg;

	if (kept_below(value) != value)
		abort();
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, thread, (void *)7);
	pthread_create(&b, NULL, thread, (void *)9);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
