/* SPDX-License-Identifier: MIT
 *
 * Where copies enter the runtime. Like copies, this reaches struct runtime at its fixed place.
 */
#include "../runtime/offsets.h"
#include "../runtime/frame.inc"

	.text

/* A site. ecx is its number, instr.rcx the program's rcx, instr.rax its rax if flags had to be saved (then they are in
 * ax), instr.addr the address accessed. The program's state does not change, except by what other threads do. */
	.globl	instrument_slow
	.hidden	instrument_slow
	.type	instrument_slow, @function
	.p2align 4
instrument_slow:
	.cfi_startproc
	.cfi_def_cfa %rsp, 0
	.cfi_undefined %rip
	leaq	-136(%rsp), %rsp	/* the red zone, and the slot of the return address */
	.cfi_adjust_cfa_offset 136
	.macro	KEEP reg
	pushq	%\reg
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %\reg, 0
	.endm
	KEEP	rbp
	KEEP	rbx
	KEEP	r12
	KEEP	r13
	KEEP	r14
	KEEP	r15
	KEEP	r11
	KEEP	r10
	KEEP	r9
	KEEP	r8
	KEEP	rdi
	KEEP	rsi
	KEEP	rdx
	movl	$RUNTIME_PLACE, %ebx
	pushq	RT_INSTR_RCX(%rbx)
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rcx, 0
	pushq	RT_INSTR_RAX(%rbx)
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rax, 0		/* once a debugger waits */
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	movl	%ecx, %edi
	movq	RT_INSTR_ADDR(%rbx), %rsi
	movq	%rsp, %rdx
	pushfq			/* for the direction: ours is upwards */
	.cfi_adjust_cfa_offset 8
	cld
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	.cfi_offset %rip, -136		/* the original address: the caller is the original */
	andq	$-16, %rsp
	call	instrument_event
	movq	%rbp, %rsp
	CLEAR_LEFTOVERS
	popq	%rcx
	.cfi_endproc
	movq	%rax, RT_INSTR_RESUME(%rbx)
	testl	$0x400, %ecx
	jnz	2f
1:
	movq	%rbx, %rcx
	popq	%rax
	popq	RT_INSTR_RAX(%rcx)
	movq	$0, -8(%rsp)		/* it may be of another site */
	popq	RT_INSTR_RCX(%rcx)
	popq	%rdx
	popq	%rsi
	popq	%rdi
	popq	%r8
	popq	%r9
	popq	%r10
	popq	%r11
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
	leaq	136(%rsp), %rsp
	jmp	*RT_INSTR_RESUME(%rcx)
2:	std
	jmp	1b
	.size	instrument_slow, .-instrument_slow

/*
 * The entry of a copy, before its first instruction: instr.resume is where to go on, with instr.rcx to be put back in rcx;
 * at the top of the stack is the return address. Nothing is changed, be it flags (in instrument_enter_flags) or what is
 * below the stack pointer: another function may have jumped here. Frames that are below the new one on the stack have been
 * left. A frame: its stack pointer, return address, context (not known yet).
 *
 * A function that ends by jumping to this one is taken for its caller, at the jump: its frame stays, and the new one has the
 * same stack pointer, and the address behind the jump for the return address. Functions that jump to each other in a circle
 * get a frame for each jump, not for each round.
 */
	.macro	ENTER name flags
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.p2align 4
\name:
	movl	$RUNTIME_PLACE, %ecx
	movq	%rax, RT_INSTR_RAX(%rcx)
	.if	\flags
	lahf
	seto	%al
	movq	%rax, RT_INSTR_FLAGS(%rcx)
	.endif
	movq	%rdx, RT_INSTR_RDX(%rcx)
	movq	RT_INSTR_FRAME(%rcx), %rdx
	cmpq	%rsp, RT_INSTR_TAIL_SP(%rcx)
	je	3f
1:	cmpq	%rsp, (%rdx)
	ja	2f
	subq	$24, %rdx
	jmp	1b
2:	movq	(%rsp), %rax
5:	addq	$24, %rdx
	movq	%rdx, RT_INSTR_FRAME(%rcx)
	movq	%rsp, (%rdx)
	movq	%rax, 8(%rdx)
	movl	$-1, 16(%rdx)
	movq	%rsp, %rax
	subq	RT_STACK_LO(%rcx), %rax
	cmpq	$STACK_RESERVE, %rax
	jb	instrument_no_room
	.if	\flags
	movq	RT_INSTR_FLAGS(%rcx), %rax
	addb	$127, %al
	sahf
	.endif
	movq	RT_INSTR_RDX(%rcx), %rdx
	movq	RT_INSTR_RAX(%rcx), %rax
	jmp	*RT_INSTR_RESUME(%rcx)

	/* A function has jumped from where it was entered: here? */
3:	movq	$0, RT_INSTR_TAIL_SP(%rcx)
	movq	RT_INSTR_TAIL_TO(%rcx), %rax
	movq	(%rax), %rax
	movq	RT_INSTR_RESUME(%rcx), %rdx
	cmpq	%rax, -8(%rdx)
	movq	RT_INSTR_FRAME(%rcx), %rdx
	jne	1b
	/* Its frame, and those of functions that have jumped to it. */
4:	cmpq	%rsp, (%rdx)
	ja	2b
	je	6f
	subq	$24, %rdx
	jmp	4b
6:	movq	%rdx, RT_INSTR_FRAME(%rcx)
	movq	RT_INSTR_TAIL_PC(%rcx), %rax
7:	cmpq	%rax, 8(%rdx)
	leaq	-24(%rdx), %rdx
	je	5b			/* it has come round to the same jump */
	cmpq	%rsp, (%rdx)
	je	7b
	movq	(%rsp), %rax
	cmpq	%rax, 24+8(%rdx)
	jne	5b			/* another call at the same place */
	movq	RT_INSTR_FRAME(%rcx), %rax
	cmpq	RT_INSTR_TAIL_ROOM(%rcx), %rax
	jae	2b
	movq	%rax, %rdx
	movq	RT_INSTR_TAIL_PC(%rcx), %rax
	jmp	5b
	.size	\name, .-\name
	.endm

	ENTER	instrument_enter, 0
	ENTER	instrument_enter_flags, 1

	.type	instrument_no_room, @function
instrument_no_room:
	movq	(%rsp), %rdi
	cld
	andq	$-16, %rsp
	call	instrument_overflow
	ud2
	.size	instrument_no_room, .-instrument_no_room
	.section .note.GNU-stack,"",@progbits
