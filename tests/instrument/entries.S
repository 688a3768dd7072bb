/* SPDX-License-Identifier: MIT
 *
 * A function with several entries, as hand-written assembly has them: `add_two` is inside `add_one`, and both are called
 * and jumped to from outside; `tail` jumps into the middle of it, and `alias_one` is another name of the whole.
 */
	.text
	.globl	add_one, add_two, alias_one, tail
	.p2align 4
	.type	add_one, @function
	.type	alias_one, @function
add_one:
alias_one:
	.cfi_startproc
	addl	$1, (%rdi)
	.type	add_two, @function
add_two:
	addl	$2, (%rdi)
	movl	(%rdi), %eax
	ret
	.cfi_endproc
	.size	add_one, . - add_one
	.size	alias_one, . - add_one
	.size	add_two, . - add_two

	.type	tail, @function
tail:
	.cfi_startproc
	addl	$4, (%rdi)
	testl	$1, (%rdi)
	jne	add_two
	leaq	add_two(%rip), %rax
	jmp	*%rax
	.cfi_endproc
	.size	tail, . - tail

	.section .note.GNU-stack,"",@progbits
