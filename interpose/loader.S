/* SPDX-License-Identifier: MIT
 *
 * The loader's functions: see loader.c. The frame is that of hooks.S. Offsets of struct runtime: running 1, entry 24.
 */
#include "../runtime/offsets.h"
#include "../runtime/frame.inc"

	.text

	.set	number, 0

	.macro	LOADER name
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	movl	$number, %eax
	jmp	loader_call
	.size	\name, .-\name
	.set	number, number + 1
	.endm

#define LOADER(name, state, note) LOADER name
#include "functions.def"

	.type	loader_call, @function
	.p2align 4
loader_call:
	.cfi_startproc
	leaq	real_loader(%rip), %r10
	leaq	(%r10,%rax,8), %r10
	cmpq	$0, (%r10)
	je	5f
1:	cmpb	$0, rt_there(%rip)
	je	2f
	cmpb	$0, IN_RUNTIME(RT_RUNNING)
	jne	3f
2:	jmp	*(%r10)

	.cfi_remember_state
3:	PUSH_FRAME
	movq	%rsp, IN_RUNTIME(RT_ENTRY)
	movq	%rdi, %r12
	movq	%rsi, %r13
	movq	%rdx, %r14
	movq	%rcx, %r15
	movq	%r10, %rbx
	movq	%rdi, %rsi
	movl	%eax, %edi
	call	loader_enter
	movq	%rax, %rbp
	xorl	%eax, %eax
	cmpq	$1, %rbp
	je	8f
	movq	%r12, %rdi
	movq	%r13, %rsi
	movq	%r14, %rdx
	movq	%r15, %rcx
	testq	%rbp, %rbp
	je	6f
	/* It returns to the instruction at rbp, and that one returns here. */
	subq	$8, %rsp
	leaq	7f(%rip), %rax
	pushq	%rax
	pushq	%rbp
	jmp	*(%rbx)
6:	subq	$8, %rsp
	pushq	%rax
	call	*(%rbx)
	addq	$8, %rsp
7:	addq	$8, %rsp
	movq	%rsp, IN_RUNTIME(RT_ENTRY)
	movq	%rbx, %rdi
	movq	%r13, %rsi
	movq	%rax, %rdx
	call	loader_leave
8:	POP_FRAME
	xorl	%ecx, %ecx
	xorl	%edx, %edx
	xorl	%esi, %esi
	xorl	%edi, %edi
	xorl	%r8d, %r8d
	xorl	%r9d, %r9d
	xorl	%r10d, %r10d
	xorl	%r11d, %r11d
	ret

	/* The first call: find the real function. */
	.cfi_restore_state
5:	.irp	register, %rdi, %rsi, %rdx, %rcx, %rax
	pushq	\register
	.cfi_adjust_cfa_offset 8
	.endr
	movl	%eax, %edi
	call	loader_look_up
	.irp	register, %rax, %rcx, %rdx, %rsi, %rdi
	popq	\register
	.cfi_adjust_cfa_offset -8
	.endr
	leaq	real_loader(%rip), %r10
	leaq	(%r10,%rax,8), %r10
	jmp	1b
	.cfi_endproc
	.size	loader_call, .-loader_call
	.section .note.GNU-stack,"",@progbits
