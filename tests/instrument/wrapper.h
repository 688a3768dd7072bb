/* SPDX-License-Identifier: MIT
 *
 * What is around each text that torture.c executes: a function form_N that loads all registers and
 * flags from `in`, and stores them in `out` afterwards.
 */
#ifndef WRAPPER_H
#define WRAPPER_H

#include <stdio.h>

static const char *const names[] = { "rax", "rcx", "rdx", "rbx", "rbp", "rsi", "rdi", "r8",
				     "r9",  "r10", "r11", "r12", "r13", "r14", "r15" };

static inline void prologue(unsigned n)
{
	printf("\t.p2align 4\nform_%u:\n\t.cfi_startproc\n", n);
	for (unsigned i = 3; i < 15; i++)
		if (i == 3 || i == 4 || i >= 11)
			printf("\tpushq %%%s\n\t.cfi_adjust_cfa_offset 8\n", names[i]);
	printf("\tsubq $8, %%rsp\n\t.cfi_adjust_cfa_offset 8\n\tfninit\n\tpushq "
	       "in+120(%%rip)\n\tpopfq\n");
	for (unsigned i = 0; i < 4; i++)
		printf("\tmovups in+%u(%%rip), %%xmm%u\n", 128 + 16 * i, i);
	for (unsigned i = 0; i < 15; i++)
		printf("\tmovq in+%u(%%rip), %%%s\n", 8 * i, names[i]);
	/* What is at and below the stack pointer is the function's own. */
	printf("\tmovq %%r15, (%%rsp)\n\tmovq %%r15, -8(%%rsp)\n\tmovq %%r15, -128(%%rsp)\n\tmovq %%r15, "
	       "-96(%%rsp)\n\tmovq %%r8, -88(%%rsp)\n");
}

static inline void epilogue(void)
{
	for (unsigned i = 0; i < 15; i++)
		printf("\tmovq %%%s, out+%u(%%rip)\n", names[i], 8 * i);
	for (unsigned i = 0; i < 4; i++)
		printf("\tmovups %%xmm%u, out+%u(%%rip)\n", i, 128 + 16 * i);
	printf("\tmovq -8(%%rsp), %%rax\n\tmovq %%rax, out+192(%%rip)\n\tmovq -128(%%rsp), %%rax\n"
	       "\tmovq %%rax, out+200(%%rip)\n\tmovq -96(%%rsp), %%rax\n\tmovq %%rax, "
	       "out+208(%%rip)\n"
	       "\tpushfq\n\tpopq out+120(%%rip)\n\tcld\n\taddq $8, %%rsp\n\t.cfi_adjust_cfa_offset "
	       "-8\n");
	for (unsigned i = 15; i-- > 3;)
		if (i == 3 || i == 4 || i >= 11)
			printf("\tpopq %%%s\n\t.cfi_adjust_cfa_offset -8\n", names[i]);
	printf("\tret\n\t.cfi_endproc\n");
}

#endif
