/* SPDX-License-Identifier: MIT
 *
 * void once_call(void (*init)(void)): calls it. Should an exception leave it, or the end of the thread, the unwinder asks
 * once_personality (once.c) what there is to do in this frame.
 */
	.section .data.rel.ro.local,"aw",@progbits
	.p2align 3
	.type	once_personality_address, @object
	.size	once_personality_address, 8
once_personality_address:
	.quad	once_personality

	.text
	.globl	once_call
	.hidden	once_call
	.type	once_call, @function
once_call:
	.cfi_startproc
	.cfi_personality 0x9b, once_personality_address
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	call_back
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	once_call, .-once_call
	.section .note.GNU-stack,"",@progbits
