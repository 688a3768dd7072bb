/* SPDX-License-Identifier: MIT
 *
 * The entry of every interposed function and compiler hook. A stub pushes the callee-saved registers, stores the stack
 * pointer in rt->entry and calls the C function i_NAME with the arguments unchanged. So the runtime has, at each event,
 * the return address in the program and all the state that a thread needs to continue (see runtime/spin.c).
 *
 * Plain accesses are filtered here first: nothing is an event while only one thread exists, and an access to the
 * running thread's own stack is none unless another thread was seen there.
 */
#include "../runtime/offsets.h"
#include "../runtime/frame.inc"

	.text

/* For fingerprint.c: what the runtime's functions were called with is a part of the thread's state. */
	.type	keep_arguments, @function
	.p2align 4
keep_arguments:
	.cfi_startproc
	movq	%rdi, kept_arguments(%rip)
	movq	%rsi, kept_arguments+8(%rip)
	movq	%rdx, kept_arguments+16(%rip)
	movq	%rcx, kept_arguments+24(%rip)
	movq	%r8, kept_arguments+32(%rip)
	movq	%r9, kept_arguments+40(%rip)
	movq	$1, kept_arguments+48(%rip)
	ret
	.cfi_endproc
	.size	keep_arguments, .-keep_arguments

	.set	wide_result, 0	/* 1: the functions that follow also return rdx */

	/* Functions that return nothing. */
	.irp	name, access, free, bzero, explicit_bzero, __explicit_bzero_chk, closefrom, call_once, flockfile, funlockfile, \
		pthread_testcancel, thrd_yield, tss_delete, mtx_destroy, cnd_destroy, atomic_thread_fence, atomic_flag_clear, \
		atomic_flag_clear_explicit, __atomic_load, __atomic_store, __atomic_exchange, __tsan_atomic_thread_fence, \
		__tsan_atomic8_store, __tsan_atomic16_store, __tsan_atomic32_store, __tsan_atomic64_store, \
		__tsan_atomic128_store, __tsan_read_range, __tsan_write_range, __tsan_read_write1, __tsan_read_write2, \
		__tsan_read_write4, __tsan_read_write8, __tsan_read_write16, __cxa_guard_abort, __cxa_guard_release, \
		__cxa_finalize, lp_object, lp_call, lp_return, _pthread_cleanup_push, _pthread_cleanup_push_defer, \
		_pthread_cleanup_pop, _pthread_cleanup_pop_restore, __pthread_register_cancel, \
		__pthread_register_cancel_defer, __pthread_unregister_cancel, __pthread_unregister_cancel_restore
	.set	nothing_i_\name, 1
	.endr

	.macro	ENTER impl
	.cfi_startproc
	PUSH_FRAME
	cmpb	$0, rt_there(%rip)
	je	8f
	movq	%rsp, IN_RUNTIME(RT_ENTRY)
	cmpb	$0, IN_RUNTIME(RT_KEEPS_ARGUMENTS)
	je	8f
	call	keep_arguments
8:	call	\impl
	CLEAR_LEFTOVERS
	POP_FRAME
	/* The runtime's leftovers differ from execution to execution; the program's state must not. */
	xorl	%ecx, %ecx
	xorl	%esi, %esi
	xorl	%edi, %edi
	xorl	%r8d, %r8d
	xorl	%r9d, %r9d
	xorl	%r10d, %r10d
	xorl	%r11d, %r11d
	.ifdef	nothing_\impl
	xorl	%eax, %eax
	.endif
	.ifeq	wide_result
	xorl	%edx, %edx
	.endif
	ret
	.cfi_endproc
	.endm

/* The same for a function that is given memory (functions/served.def): it is told before and afterwards. */
	.macro	ENTER_WITH name
	cmpb	$0, rt_there(%rip)
	je	9f
	cmpb	$0, IN_RUNTIME(RT_TRACING)
	jne	7f
9:	ENTER	i_\name
7:	.cfi_startproc
	PUSH_FRAME
	movq	%rsp, IN_RUNTIME(RT_ENTRY)
	cmpb	$0, IN_RUNTIME(RT_KEEPS_ARGUMENTS)
	je	6f
	call	keep_arguments
6:	.irp	register, %r9, %r8, %rcx, %rdx, %rsi, %rdi
	pushq	\register
	.cfi_adjust_cfa_offset 8
	.endr
	leaq	with_\name(%rip), %rbx
	call	tell_before
	call	i_\name
	call	tell_after
	CLEAR_LEFTOVERS
	addq	$48, %rsp
	.cfi_adjust_cfa_offset -48
	POP_FRAME
	.irp	register, %ecx, %esi, %edi, %r8d, %r9d, %r10d, %r11d, %edx
	xorl	\register, \register
	.endr
	ret
	.cfi_endproc
	.endm

/* The arguments are above the return address, rbx has who is given them. */
	.type	tell_before, @function
	.p2align 4
tell_before:
	.cfi_startproc
	leaq	8(%rsp), %rdi
	movq	%rbx, %rsi
	xorl	%edx, %edx
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	served_call
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	movq	8(%rsp), %rdi
	movq	16(%rsp), %rsi
	movq	24(%rsp), %rdx
	movq	32(%rsp), %rcx
	movq	40(%rsp), %r8
	movq	48(%rsp), %r9
	ret
	.cfi_endproc
	.size	tell_before, .-tell_before

	.type	tell_after, @function
	.p2align 4
tell_after:
	.cfi_startproc
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	leaq	64(%rsp), %rcx	/* others have been here meanwhile */
	movq	%rcx, IN_RUNTIME(RT_ENTRY)
	leaq	16(%rsp), %rdi
	movq	%rbx, %rsi
	movl	$1, %edx
	call	served_call
	popq	%rax
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	tell_after, .-tell_after

	.section .rodata.str1.1, "aMS", @progbits, 1
	.macro	SERVED_WITH name arguments
1:	.string	"\name"
2:	.string	"\arguments"
	.pushsection .data.rel.ro, "aw"
with_\name:
	.quad	1b, 2b
	.popsection
	.endm
	.pushsection .data.rel.ro, "aw"
	.p2align 3
	.popsection
#define SERVED_WITH(name, arguments) SERVED_WITH name arguments
#include "functions.def"
	.text

	.macro	STUB name
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	.ifdef	with_\name
	ENTER_WITH \name
	.else
	ENTER	i_\name
	.endif
	.size	\name, .-\name
	.endm

	.macro	STUBS names:vararg
	.irp	name, \names
	STUB	\name
	.endr
	.endm

/* A plain access of `size` bytes; the C function gets size | write << 8 | flags << 16 as its second argument. */
	.macro	ACCESS name size write flags
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	cmpb	$0, rt_there(%rip)
	je	9f
	cmpb	$0, IN_RUNTIME(RT_LOOKING)
	je	9f
	movq	%rdi, %rcx
	subq	IN_RUNTIME(RT_STACK_LO), %rcx
	cmpq	IN_RUNTIME(RT_STACK_SIZE), %rcx
	jb	9f
	movl	$(\size | \write << 8 | \flags << 16), %esi
	jmp	access_slow
9:	ret
	.size	\name, .-\name
	.endm

	.type	access_slow, @function
	.p2align 4
access_slow:
	ENTER	i_access
	.size	access_slow, .-access_slow

	.macro	ACCESSES size
	ACCESS	__tsan_read\size, \size, 0, 0
	ACCESS	__tsan_write\size, \size, 1, 0
	ACCESS	__tsan_volatile_read\size, \size, 0, 2
	ACCESS	__tsan_volatile_write\size, \size, 1, 2
	ACCESS	__tsan_read\size\()_pc, \size, 0, 0
	ACCESS	__tsan_write\size\()_pc, \size, 1, 0
	ACCESS	__tsan_unaligned_read\size, \size, 0, 0
	ACCESS	__tsan_unaligned_write\size, \size, 1, 0
	ACCESS	__tsan_unaligned_volatile_read\size, \size, 0, 2
	ACCESS	__tsan_unaligned_volatile_write\size, \size, 1, 2
	.endm

	.irp	size, 1, 2, 4, 8, 16
	ACCESSES \size
	.endr
	ACCESS	__tsan_vptr_update, 8, 1, 0
	ACCESS	__tsan_vptr_read, 8, 0, 0

	.irp	size, 1, 2, 4, 8, 16
	STUB	__tsan_read_write\size
	STUB	__tsan_unaligned_read_write\size
	.endr
	STUBS	__tsan_read_range, __tsan_write_range

	.macro	ATOMICS bits
	STUBS	__tsan_atomic\bits\()_load, __tsan_atomic\bits\()_store, __tsan_atomic\bits\()_exchange
	STUBS	__tsan_atomic\bits\()_fetch_add, __tsan_atomic\bits\()_fetch_sub, __tsan_atomic\bits\()_fetch_and
	STUBS	__tsan_atomic\bits\()_fetch_or, __tsan_atomic\bits\()_fetch_xor, __tsan_atomic\bits\()_fetch_nand
	STUBS	__tsan_atomic\bits\()_compare_exchange_strong, __tsan_atomic\bits\()_compare_exchange_weak
	STUBS	__tsan_atomic\bits\()_compare_exchange_val
	.endm
	.irp	bits, 8, 16, 32, 64
	ATOMICS	\bits
	.endr
	.set	wide_result, 1
	ATOMICS	128
	.set	wide_result, 0
	STUBS	__tsan_atomic_thread_fence

/* libatomic, which compilers call for odd sizes and on request. */
	.macro	LIBATOMIC size
	STUBS	__atomic_load_\size, __atomic_store_\size, __atomic_exchange_\size, __atomic_compare_exchange_\size
	STUBS	__atomic_fetch_add_\size, __atomic_fetch_sub_\size, __atomic_fetch_and_\size, __atomic_fetch_or_\size
	STUBS	__atomic_fetch_xor_\size, __atomic_fetch_nand_\size
	STUBS	__atomic_add_fetch_\size, __atomic_sub_fetch_\size, __atomic_and_fetch_\size, __atomic_or_fetch_\size
	STUBS	__atomic_xor_fetch_\size, __atomic_nand_fetch_\size, __atomic_test_and_set_\size
	.endm
	.irp	size, 1, 2, 4, 8
	LIBATOMIC \size
	.endr
	.set	wide_result, 1
	LIBATOMIC 16
	.set	wide_result, 0
	STUBS	__atomic_load, __atomic_store, __atomic_exchange, __atomic_compare_exchange
	STUBS	atomic_flag_test_and_set, atomic_flag_test_and_set_explicit, atomic_flag_clear, atomic_flag_clear_explicit
	STUBS	atomic_thread_fence

/* The guards of C++. */
	STUBS	__cxa_guard_acquire, __cxa_guard_release, __cxa_guard_abort

/* std::random_device of libstdc++. */
	STUBS	_ZNSt13random_device9_M_getvalEv

/* What linchpin.h calls. */
	STUBS	lp_object, lp_call, lp_return

/* Another name of a function that has a stub. */
	.macro	SAME_AS name other
	.globl	\name
	.type	\name, @function
\name:
	jmp	\other
	.size	\name, .-\name
	.endm

/* Functions that end the run if an execution calls them. */
	.macro	REFUSED name
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	cmpb	$0, rt_there(%rip)
	je	1f
	cmpb	$0, IN_RUNTIME(RT_RUNNING)
	jne	2f
1:	jmp	*real_\name(%rip)
2:	leaq	real_\name(%rip), %rdi
	ENTER	function_refused
	.size	\name, .-\name
	.endm

/* libc's functions on memory and strings: a jump to libc while nothing is traced. */
	.macro	RANGE name
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	cmpb	$0, rt_there(%rip)
	je	1f
	cmpb	$0, IN_RUNTIME(RT_LOOKING)
	jne	2f
1:	jmp	*real_\name(%rip)
2:	ENTER	i_\name
	.size	\name, .-\name
	.endm
/* Functions that libc does, once `before` was told, if the byte at `flag` of the runtime says that it wants to be. */
	.macro	TOLD name flag before
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	.cfi_startproc
	cmpb	$0, rt_there(%rip)
	je	1f
	cmpb	$0, IN_RUNTIME(\flag)
	jne	2f
1:	jmp	*real_\name(%rip)
2:	leaq	real_\name(%rip), %r11
	leaq	\before(%rip), %r10
	jmp	told_stub
	.cfi_endproc
	.size	\name, .-\name
	.endm

/* r11 is the pointer to the function, r10 who is told. */
	.type	told_stub, @function
	.p2align 4
told_stub:
	.cfi_startproc
	PUSH_FRAME
	movq	%rsp, IN_RUNTIME(RT_ENTRY)
	.irp	register, %rax, %r9, %r8, %rcx, %rdx, %rsi, %rdi, %r11
	pushq	\register
	.cfi_adjust_cfa_offset 8
	.endr
	leaq	8(%rsp), %rdi
	movq	%r11, %rsi
	/* The stack is aligned. Others may run: arguments may be in vector registers, too. */
	subq	$128, %rsp
	.cfi_adjust_cfa_offset 128
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	movaps	%xmm\n, 16 * \n(%rsp)
	.endr
	call	*%r10
	CLEAR_LEFTOVERS
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	movaps	16 * \n(%rsp), %xmm\n
	.endr
	addq	$128, %rsp
	.cfi_adjust_cfa_offset -128
	.irp	register, %r11, %rdi, %rsi, %rdx, %rcx, %r8, %r9, %rax
	popq	\register
	.cfi_adjust_cfa_offset -8
	.endr
	POP_FRAME
	jmp	*(%r11)
	.cfi_endproc
	.size	told_stub, .-told_stub

/* libc's functions: those of the list. */
#define STUB(name, state, note)	       STUB name
#define STUB_REAL(name, state, note)   STUB name
#define RANGE(name, state, note)       RANGE name
#define EARLY_RANGE(name, state, note) RANGE name
#define REFUSE(name, message)	       REFUSED name
#define UNSEEN_CALL(name, arguments, note) TOLD name RT_TRACING unseen_call
#define CHANGES(name, arguments, note)	   TOLD name RT_RUNNING change_call
#define JUMPED(name, note)		   TOLD name RT_RUNNING jump_keeps_mask
#define SAME_AS(name, other, state)	   SAME_AS name other
#include "functions.def"

/* What clang since 15 makes of these. */
	.irp	name, memcpy, memmove, memset
	SAME_AS	__tsan_\name \name
	.endr

/* syscall(): system_calls.c says what becomes of it in an execution; the seventh argument is at rt->entry[8]. */
	.globl	syscall
	.type	syscall, @function
	.p2align 4
syscall:
	cmpb	$0, rt_there(%rip)
	je	1f
	cmpb	$0, IN_RUNTIME(RT_RUNNING)
	jne	syscall_stub
1:	movq	%rdi, %rax
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rcx, %rdx
	movq	%r8, %r10
	movq	%r9, %r8
	movq	8(%rsp), %r9
	syscall
	cmpq	$-4095, %rax
	jae	2f
	ret
2:	negq	%rax
	movq	%rax, %rdi
	jmp	syscall_failed
	.size	syscall, .-syscall

	.type	syscall_stub, @function
syscall_stub:
	ENTER	i_syscall
	.size	syscall_stub, .-syscall_stub

	.section .note.GNU-stack,"",@progbits
