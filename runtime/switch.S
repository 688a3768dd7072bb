/* SPDX-License-Identifier: MIT
 *
 * void switch_stack(void **save, void *load): saves the callee-saved state of the running fiber on its stack, stores
 * the stack pointer at *save and continues where `load` was saved. The floating-point environment belongs to it: the
 * exceptions that a thread has raised stay raised for it alone. It is loaded only if it differs: that takes long, and the
 * x87 unit counts as in use from then on (extended.c).
 */
#include "frame.inc"
#include "offsets.h"

	.text
	.globl	switch_stack
	.hidden	switch_stack
	.type	switch_stack, @function
switch_stack:
	.cfi_startproc
	PUSH_FRAME
	stmxcsr	(%rsp)
	fnstcw	4(%rsp)
	fnstsw	6(%rsp)
	movl	(%rsp), %eax
	movl	4(%rsp), %edx
	movq	%rsp, (%rdi)
	movq	%rsi, %rsp
	cmpl	%eax, (%rsp)
	je	1f
	ldmxcsr	(%rsp)
1:	xorl	4(%rsp), %edx
	testl	$X87_RAISED << 16 | 0xffff, %edx
	jnz	3f
2:	.cfi_remember_state
	POP_FRAME
	ret
	.cfi_restore_state

	/* Of the status word only the exceptions can be put in, by way of the whole environment. */
3:	fldcw	4(%rsp)
	testl	$X87_RAISED << 16, %edx
	jz	2b
	movzwl	6(%rsp), %edx
	subq	$32, %rsp
	.cfi_adjust_cfa_offset 32
	fnstenv	(%rsp)
	andl	$X87_RAISED, %edx
	andw	$~X87_RAISED, 4(%rsp)
	orw	%dx, 4(%rsp)
	fldenv	(%rsp)
	addq	$32, %rsp
	.cfi_adjust_cfa_offset -32
	jmp	2b
	.cfi_endproc
	.size	switch_stack, .-switch_stack

/*
 * void switch_carrier(void **save, unsigned from, unsigned to): the same, but the thread of fiber `to` goes on, and that
 * of `from` waits here, on its stack (carriers.c).
 */
	.globl	switch_carrier
	.hidden	switch_carrier
	.type	switch_carrier, @function
switch_carrier:
	.cfi_startproc
	PUSH_FRAME
	stmxcsr	(%rsp)
	fnstcw	4(%rsp)
	movq	%rsp, (%rdi)
	movl	%esi, %edi
	movl	%edx, %esi
	call	carrier_rest
	ldmxcsr	(%rsp)
	fldcw	4(%rsp)
	POP_FRAME
	ret
	.cfi_endproc
	.size	switch_carrier, .-switch_carrier

/* The first return of a new fiber comes here, at the outermost frame. */
	.globl	fiber_entry_thunk
	.hidden	fiber_entry_thunk
	.type	fiber_entry_thunk, @function
fiber_entry_thunk:
	.cfi_startproc
	.cfi_undefined %rip
	xorl	%ebp, %ebp
	call	fiber_main
	ud2
	.cfi_endproc
	.size	fiber_entry_thunk, .-fiber_entry_thunk

/*
 * uint64_t call_program(void *function, uint64_t a, uint64_t b, uint64_t c): calls it. What the runtime has left in the
 * other registers differs from execution to execution; the program's state must not. call_back does the same within a
 * call of the program's (callbacks.c).
 */
	.macro	CALLS name, begins, ends
	.globl	\name
	.hidden	\name
	.type	\name, @function
\name:
	.cfi_startproc
	PUSH_FRAME
	movq	%rdi, %rbx
	movq	%rsi, %rbp
	movq	%rdx, %r12
	movq	%rcx, %r13
	.ifnb	\begins
	movq	%rsp, %rdi
	call	\begins
	.endif
	movq	%rbx, %rax
	movq	%rbp, %rdi
	movq	%r12, %rsi
	movq	%r13, %rdx
	.irp	register, %ebx, %ecx, %ebp, %r8d, %r9d, %r10d, %r11d, %r12d, %r13d, %r14d, %r15d
	xorl	\register, \register
	.endr
	call	*%rax
	.ifnb	\ends
	movq	%rax, %rbx
	movq	%rsp, %rdi
	call	\ends
	movq	%rbx, %rax
	.endif
	POP_FRAME
	ret
	.cfi_endproc
	.size	\name, .-\name
	.endm

	CALLS	call_program
	CALLS	call_back, callback_begins, callback_ends

/*
 * uint64_t call_program_on(uintptr_t stack, void *function, uint64_t a, uint64_t b, uint64_t c): the same on another stack.
 */
	.globl	call_program_on
	.hidden	call_program_on
	.type	call_program_on, @function
call_program_on:
	.cfi_startproc
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	movq	%rdi, %rsp
	andq	$-16, %rsp
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rcx, %rdx
	movq	%r8, %rcx
	call	call_program
	movq	%rbp, %rsp
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
	ret
	.cfi_endproc
	.size	call_program_on, .-call_program_on

/* void leftovers_clear(void): zeroes what is below the stack pointer, as deep as functions of the runtime are (fingerprint.h).
 * Nothing on a stack that the program has made itself. */
	.globl	leftovers_clear
	.hidden	leftovers_clear
	.type	leftovers_clear, @function
leftovers_clear:
	.cfi_startproc
	movq	IN_RUNTIME(RT_STACK_LO), %rdi
	movq	%rsp, %rcx
	subq	%rdi, %rcx
	cmpq	$STACK_MOST, %rcx
	jae	2f
	cmpq	$LEFTOVERS, %rcx
	jb	1f
	movl	$LEFTOVERS, %ecx
	leaq	-LEFTOVERS(%rsp), %rdi
1:	shrq	$3, %rcx
	xorl	%eax, %eax
	rep	stosq
2:	ret
	.cfi_endproc
	.size	leftovers_clear, .-leftovers_clear

	.section .note.GNU-stack,"",@progbits
