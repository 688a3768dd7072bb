/* SPDX-License-Identifier: MIT
 *
 * Functions one after the other without padding, in which control comes back to places with little room. After
 * `one_byte` returns there is one byte before the next function: only a trap fits. After the call in `two_bytes` there are
 * two: a short jump, to a longer one in the dead code of `roomy`.
 */
	.text
	.globl	one_byte, two_bytes, roomy, of_one_byte, of_two_bytes, of_roomy

	.macro	FUNCTION name
	.type	\name, @function
\name:
	.cfi_startproc
	.endm
	.macro	END name
	.cfi_endproc
	.size	\name, . - \name
	.endm

	.p2align 4
	/* int one_byte(int *p): what step returns */
	FUNCTION one_byte
	call	step
of_one_byte:
	ret
	END	one_byte

	FUNCTION two_bytes
	push	%rbx
	.cfi_adjust_cfa_offset 8
	call	step
of_two_bytes:
	pop	%rbx
	.cfi_adjust_cfa_offset -8
	ret
	END	two_bytes

	FUNCTION roomy
	push	%rbx
	.cfi_adjust_cfa_offset 8
	mov	%rdi, %rbx
	call	step
of_roomy:
	addl	$0, (%rbx)
	addl	$0, (%rbx)
	addl	$0, (%rbx)
	pop	%rbx
	.cfi_adjust_cfa_offset -8
	ret
	END	roomy

	.section .note.GNU-stack,"",@progbits
