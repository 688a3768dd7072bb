/* SPDX-License-Identifier: MIT
 *
 * outer jumps into the middle of inner, where a jump at the entry of inner would be in the way.
 */
	.text
	.globl	outer
	.type	outer, @function
outer:
	testl	%edi, %edi
	js	1f
	movl	$1, %eax
	ret
	.size	outer, .-outer

	.globl	inner
	.type	inner, @function
inner:
	nop
1:	movl	$2, %eax
	ret
	.size	inner, .-inner
	.section .note.GNU-stack,"",@progbits
