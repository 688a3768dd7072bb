/* SPDX-License-Identifier: MIT
 *
 * The entry of every interposed function and compiler hook. A stub pushes the callee-saved registers, stores the stack
 * pointer in rt->entry and calls the C function i_NAME with the arguments untouched. So the runtime has, at each event,
 * the return address in the program and all the state that a thread needs to go on (see runtime/spin.c).
 *
 * Plain accesses are filtered here first: nothing is an event while only one thread exists, nor is an access to the
 * running thread's own stack unless another thread was seen there.
 *
 * Offsets of struct runtime: tracing 0, running 1, opened 2, stack_lo 8, stack_size 16, entry 24 (runtime/rt.h).
 */
#include "frame.inc"

	.text

	.set	wide_result, 0	/* 1: the functions that follow return rdx as well */

	.macro	ENTER impl
	.cfi_startproc
	PUSH_FRAME
	movq	rt(%rip), %rax
	testq	%rax, %rax
	je	8f
	movq	%rsp, 24(%rax)
8:	call	\impl
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%r15
	.cfi_adjust_cfa_offset -8
	popq	%r14
	.cfi_adjust_cfa_offset -8
	popq	%r13
	.cfi_adjust_cfa_offset -8
	popq	%r12
	.cfi_adjust_cfa_offset -8
	popq	%rbx
	.cfi_adjust_cfa_offset -8
	popq	%rbp
	.cfi_adjust_cfa_offset -8
	/* What the runtime leaves behind differs from execution to execution; the program's state must not. */
	xorl	%ecx, %ecx
	xorl	%esi, %esi
	xorl	%edi, %edi
	xorl	%r8d, %r8d
	xorl	%r9d, %r9d
	xorl	%r10d, %r10d
	xorl	%r11d, %r11d
	.ifeq	wide_result
	xorl	%edx, %edx
	.endif
	ret
	.cfi_endproc
	.endm

	.macro	STUB name
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	ENTER	i_\name
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
	movq	rt(%rip), %rax
	testq	%rax, %rax
	je	9f
	cmpb	$0, (%rax)
	je	9f
	movq	%rdi, %rcx
	subq	8(%rax), %rcx
	cmpq	16(%rax), %rcx
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
	.endm
	.irp	size, 1, 2, 4, 8
	LIBATOMIC \size
	.endr
	.set	wide_result, 1
	LIBATOMIC 16
	.set	wide_result, 0
	STUBS	__atomic_load, __atomic_store, __atomic_exchange, __atomic_compare_exchange

	STUBS	pthread_create, pthread_join, pthread_detach, pthread_exit, pthread_self, pthread_equal, sched_yield
	STUBS	pthread_once, pthread_key_create, pthread_key_delete, __pthread_register_cancel
	STUBS	__pthread_unregister_cancel, __pthread_unwind_next
	STUBS	pthread_mutex_init, pthread_mutex_destroy, pthread_mutex_lock, pthread_mutex_trylock
	STUBS	pthread_mutex_timedlock, pthread_mutex_unlock, pthread_mutex_clocklock
	STUBS	pthread_rwlock_init, pthread_rwlock_destroy, pthread_rwlock_rdlock, pthread_rwlock_tryrdlock
	STUBS	pthread_rwlock_timedrdlock, pthread_rwlock_wrlock, pthread_rwlock_trywrlock
	STUBS	pthread_rwlock_timedwrlock, pthread_rwlock_unlock
	STUBS	pthread_cond_init, pthread_cond_destroy, pthread_cond_wait, pthread_cond_timedwait
	STUBS	pthread_cond_clockwait, pthread_cond_signal, pthread_cond_broadcast
	STUBS	pthread_spin_init, pthread_spin_lock, pthread_spin_trylock, pthread_spin_unlock
	STUBS	pthread_barrier_init, pthread_barrier_destroy, pthread_barrier_wait
	STUBS	sem_wait, sem_trywait, sem_timedwait, sem_post

	STUBS	malloc, calloc, realloc, free, memalign, aligned_alloc, posix_memalign, valloc, pvalloc
	STUBS	malloc_usable_size, reallocarray

	STUBS	exit, _exit, _Exit, quick_exit, abort, __assert_fail, __assert_perror_fail, __cxa_atexit
	STUBS	sigaction, signal, sigprocmask, pthread_sigmask, fork

	STUBS	clock_gettime, gettimeofday, time, nanosleep, usleep, sleep, clock_nanosleep, poll
	STUBS	thrd_create, thrd_join, thrd_detach, thrd_exit, thrd_current, thrd_yield, thrd_sleep, call_once
	STUBS	mtx_lock, mtx_trylock, mtx_timedlock, mtx_unlock, cnd_wait, cnd_timedwait, cnd_signal, cnd_broadcast
	STUBS	tss_create
	STUBS	dlmopen, pthread_cancel, pthread_kill, pthread_tryjoin_np, pthread_timedjoin_np

	STUBS	mmap, mmap64, munmap, mremap

/* Functions that open descriptors: the end of the execution has to look for them. Nothing else changes, so the real one is
 * jumped to (its number in interpose/kernel.c's table is on the stack for the first time only). */
	.macro	REAL_OPENER number
	movq	real_openers + 8 * \number(%rip), %r11
	testq	%r11, %r11
	je	2f
	jmp	*%r11
2:	movl	$\number, %r11d
	jmp	opener_first
	.endm

	.macro	OPENER name number
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	movq	rt(%rip), %r11
	testq	%r11, %r11
	je	1f
	movb	$1, 2(%r11)
1:	REAL_OPENER	\number
	.size	\name, .-\name
	.endm

	.type	opener_first, @function
opener_first:
	pushq	%rax
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	pushq	%rcx
	pushq	%r8
	pushq	%r9
	movl	%r11d, %edi
	call	opener_look_up
	movq	%rax, %r11
	popq	%r9
	popq	%r8
	popq	%rcx
	popq	%rdx
	popq	%rsi
	popq	%rdi
	popq	%rax
	jmp	*%r11
	.size	opener_first, .-opener_first

	OPENER	open, 0
	OPENER	open64, 1
	OPENER	openat, 2
	OPENER	openat64, 3
	OPENER	creat, 4
	OPENER	creat64, 5
	OPENER	fopen, 6
	OPENER	fopen64, 7
	OPENER	freopen, 8
	OPENER	fdopen, 9
	OPENER	tmpfile, 10
	OPENER	opendir, 11
	OPENER	socket, 12
	OPENER	socketpair, 13
	OPENER	accept, 14
	OPENER	accept4, 15
	OPENER	pipe, 16
	OPENER	pipe2, 17
	OPENER	dup, 18
	OPENER	dup2, 19
	OPENER	dup3, 20
	OPENER	eventfd, 21
	OPENER	epoll_create, 22
	OPENER	epoll_create1, 23
	OPENER	timerfd_create, 24
	OPENER	signalfd, 25
	OPENER	inotify_init, 26
	OPENER	inotify_init1, 27
	OPENER	memfd_create, 28
	OPENER	shm_open, 29
	OPENER	mkstemp, 30
	OPENER	popen, 31

/* The program would be replaced by another. Outside of executions the real function is jumped to, as above. */
	.macro	EXEC name number
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	movq	rt(%rip), %r11
	testq	%r11, %r11
	je	1f
	cmpb	$0, 1(%r11)
	jne	exec_refused
1:	REAL_OPENER	\number
	.size	\name, .-\name
	.endm

	EXEC	execve, 32
	EXEC	execv, 33
	EXEC	execvp, 34
	EXEC	execvpe, 35
	EXEC	execl, 36
	EXEC	execlp, 37
	EXEC	execle, 38
	EXEC	fexecve, 39

/* syscall(): the futex calls of an execution are ours (the arguments are in place, the seventh is at rt->entry[8]); the
 * rest goes to the kernel. */
	.globl	syscall
	.type	syscall, @function
	.p2align 4
syscall:
	movq	rt(%rip), %rax
	testq	%rax, %rax
	je	1f
	cmpb	$0, 1(%rax)
	je	1f
	cmpq	$202, %rdi
	je	futex_stub
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

	.type	futex_stub, @function
futex_stub:
	ENTER	i_futex
	.size	futex_stub, .-futex_stub

/* libc's functions on memory: straight to the real ones while nothing is traced. */
	.macro	RANGE name
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	movq	rt(%rip), %rax
	testq	%rax, %rax
	je	1f
	cmpb	$0, (%rax)
	jne	2f
1:	jmp	*real_\name(%rip)
2:	ENTER	i_\name
	.size	\name, .-\name
	.endm
	.irp	name, memcpy, memmove, memset, memcmp, memchr, bzero, strlen, strnlen, strcmp, strncmp, strcpy, stpcpy
	RANGE	\name
	.endr
	.irp	name, strncpy, strcat, strchr, strrchr
	RANGE	\name
	.endr
	.irp	name, __memcpy_chk, __memmove_chk, __mempcpy_chk, __memset_chk, __strcpy_chk, __stpcpy_chk, __strncpy_chk, __strcat_chk, __strncat_chk
	RANGE	\name
	.endr
	.irp	name, __explicit_bzero_chk, mempcpy, bcmp, explicit_bzero, rawmemchr, memrchr, memmem, strncat, strchrnul, strcasecmp
	RANGE	\name
	.endr
	.irp	name, strncasecmp, strcoll, strstr, strpbrk, strspn, strcspn, strdup, strndup
	RANGE	\name
	.endr
	.section .note.GNU-stack,"",@progbits
