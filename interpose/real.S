/* SPDX-License-Identifier: MIT
 *
 * The table of libc's functions behind those of the list; each entry has its own name: real_NAME. At first an entry
 * points to code that looks the function up and jumps to it. So it may be called at any time, even by constructors that
 * run before the runtime exists.
 */
	.macro	REAL name
	.pushsection .text
1:	leaq	real_\name(%rip), %r11
	jmp	look_up_first
	.popsection
	ENTRY	\name, 1b
	.endm

	.macro	ENTRY name first
	.globl	real_\name
	.hidden	real_\name
	.type	real_\name, @object
	.size	real_\name, 8
real_\name:
	.quad	\first
	.endm

	.data
	.globl	real_functions
	.hidden	real_functions
	.p2align 3
real_functions:
#define WITH_REAL(name)		       REAL name
#define EARLY_RANGE(name, state, note) ENTRY name first_##name
#include "functions.def"

	.text
	.type	look_up_first, @function
	.p2align 4
look_up_first:
	.cfi_startproc
	.irp	register, %rax, %rdi, %rsi, %rdx, %rcx, %r8, %r9
	pushq	\register
	.cfi_adjust_cfa_offset 8
	.endr
	/* Those of libm that come late are called with numbers there. */
	subq	$128, %rsp
	.cfi_adjust_cfa_offset 128
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	movups	%xmm\n, 16*\n(%rsp)
	.endr
	movq	%r11, %rdi
	call	function_look_up
	movq	%rax, %r11
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	movups	16*\n(%rsp), %xmm\n
	.endr
	addq	$128, %rsp
	.cfi_adjust_cfa_offset -128
	.irp	register, %r9, %r8, %rcx, %rdx, %rsi, %rdi, %rax
	popq	\register
	.cfi_adjust_cfa_offset -8
	.endr
	jmp	*%r11
	.cfi_endproc
	.size	look_up_first, .-look_up_first
	.section .note.GNU-stack,"",@progbits
