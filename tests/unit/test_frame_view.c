/* SPDX-License-Identifier: MIT
 *
 * Views of frames, of known code: what is live, what is saved and what is dead at chosen places. The
 * functions are in assembly, as compilers make them; a label is behind the instruction that is asked
 * for. The analysis is linked without the rest of the runtime.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "instrument/frame.h"
#include "instrument/load.h"
#include "runtime/extended.h"
#include "runtime/memory.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define R(n)   (1u << (n))
#define CALLEE (R(RBX) | R(RBP) | R(12) | R(13) | R(14) | R(15))
#define FUNCTION(name)                                                                             \
	"\t.globl " name "\n\t.type " name ", @function\n" name ":\n\t.cfi_startproc\n"
#define END(name)   "\t.cfi_endproc\n\t.size " name ", .-" name "\n"
#define LABEL(name) "\t.globl at_" name "\nat_" name ":\n"

/* clang-format off */
__asm__(
	"\t.text\n"
	/* A frame pointer; a local variable and a temporary one. */
	FUNCTION("f_frame")
	"push %rbp; .cfi_def_cfa_offset 16; mov %rsp, %rbp; .cfi_def_cfa_register 6; sub $32, %rsp\n"
	"mov %edi, -4(%rbp)\n"
	"1: mov word(%rip), %eax\n" LABEL("frame_first")
	"mov %eax, -16(%rbp)\n"
	"mov word(%rip), %ecx\n" LABEL("frame_second")
	"mov -16(%rbp), %edx; add %ecx, %edx; cmp -4(%rbp), %edx; jne 1b\n"
	"leave; ret\n" LABEL("frame_return")
	END("f_frame")

	/* Saved registers, and a call of the runtime between. */
	FUNCTION("f_saved")
	"push %r12; push %rbx; sub $24, %rsp\n"
	"mov %rdi, %rbx; mov %rsi, 8(%rsp)\n"
	"mov $5, %r12\n"
	"1: mov %rbx, %rdi; call __tsan_read4@PLT\n" LABEL("saved_hook")
	"mov (%rbx), %eax; test %eax, %eax; je 1b\n"
	"mov 8(%rsp), %rdi; call __tsan_write4@PLT\n" LABEL("saved_second")
	"add $24, %rsp; pop %rbx; pop %r12; ret\n"
	END("f_saved")

	/* The expected value of a compare-exchange is in the frame, and written again if it fails. */
	FUNCTION("f_exchange")
	"push %rbx; sub $16, %rsp; mov %rdi, %rbx\n"
	"1: mov (%rbx), %eax\n" LABEL("exchange_load")
	"mov %eax, 12(%rsp); lea 1(%rax), %edx; lea 12(%rsp), %rsi; mov %rbx, %rdi\n"
	"mov $5, %ecx; mov $5, %r8d\n"
	"call __tsan_atomic32_compare_exchange_strong@PLT\n" LABEL("exchange_hook")
	"test %al, %al; je 1b\n"
	"add $16, %rsp; pop %rbx; ret\n"
	END("f_exchange")

	/* Another function gets the address of one slot: it may read the other, too. */
	FUNCTION("f_escapes")
	"sub $24, %rsp; movl $1, (%rsp); movl $2, 8(%rsp); mov %rsp, %rdi\n"
	"call strlen@PLT\n" LABEL("escapes_call")
	"mov word(%rip), %ecx\n" LABEL("escapes_after")
	"add $24, %rsp; ret\n"
	END("f_escapes")

	/* A leaf function's memory below its stack pointer. */
	FUNCTION("f_leaf")
	"mov %edi, -4(%rsp); mov %esi, -16(%rsp)\n"
	"1: mov word(%rip), %eax\n" LABEL("leaf_load")
	"cmp %eax, -4(%rsp); jne 1b; ret\n"
	END("f_leaf")

	/* What a function of the module reads, and what it leaves alone. */
	FUNCTION("f_helper")
	"mov 8(%rsp), %eax; add %r9d, %eax; mov word(%rip), %ecx\n" LABEL("helper_load")
	"ret\n"
	END("f_helper")
	FUNCTION("f_caller")
	"sub $24, %rsp; mov word(%rip), %r9d\n" LABEL("caller_load")
	"mov $7, %r8d; movl $3, (%rsp); movl $4, 8(%rsp)\n"
	"call f_helper\n" LABEL("caller_call")
	"add %r8d, %eax; add $24, %rsp; ret\n"
	END("f_caller")

	/* Whether the flags are read after the load. */
	FUNCTION("f_flags")
	"cmp %esi, %edi; mov word(%rip), %eax\n" LABEL("flags_load")
	"cmovl %edi, %eax; mov word(%rip), %ecx\n" LABEL("flags_dead")
	"test %ecx, %ecx; cmove %edi, %eax; ret\n"
	END("f_flags")

	/* Targets that are not known; a stack pointer that is not known; two returns. */
	FUNCTION("f_table")
	"lea 2f(%rip), %rax; mov word(%rip), %ecx\n" LABEL("table_load")
	"jmp *%rax\n"
	"2: ret\n"
	END("f_table")
	FUNCTION("f_aligned")
	"push %rbp; mov %rsp, %rbp; and $-64, %rsp; mov word(%rip), %eax\n" LABEL("aligned_load")
	"leave; ret\n"
	END("f_aligned")
	FUNCTION("f_twice")
	"sub $216, %rsp; mov %rsp, %rdi; call _setjmp@PLT\n"
	"mov word(%rip), %eax\n" LABEL("twice_load")
	"add $216, %rsp; ret\n"
	END("f_twice")

	/* A piece elsewhere, which jumps back. */
	FUNCTION("f_pieces")
	"push %rbx; .cfi_def_cfa_offset 16; mov %edi, %ebx\n"
	"mov word(%rip), %eax\n" LABEL("pieces_load")
	"test %eax, %eax; je f_pieces.cold\n"
	LABEL("pieces_back")
	"mov %ebx, %eax; pop %rbx; .cfi_def_cfa_offset 8; ret\n"
	END("f_pieces")
	"\t.type f_pieces.cold, @function\nf_pieces.cold:\n\t.cfi_startproc\n\t.cfi_def_cfa_offset 16\n"
	"mov word(%rip), %ecx\n" LABEL("pieces_cold")
	"jmp at_pieces_back\n"
	END("f_pieces.cold")

	/* An argument that is pushed, and one on the stack. */
	FUNCTION("f_pushes")
	"push %rbx; mov %rdi, %rbx; push %rsi; push $3\n"
	"call f_helper\n" LABEL("pushes_call")
	"pop %rcx; pop %rdx; add %rbx, %rax; pop %rbx; ret\n"
	END("f_pushes")

	/* Counters: in a register and in the frame, which nobody needs; one that is returned; one whose
	 * flags decide; one that may be looked at by its address. */
	FUNCTION("f_counts")
	"sub $24, %rsp; movl $0, 4(%rsp); movl $0, 8(%rsp); movl $9, 12(%rsp)\n"
	"xor %ecx, %ecx; xor %r8d, %r8d\n"
	"1: mov word(%rip), %edx\n" LABEL("counts_load")
	"add $1, %ecx; lea 3(%r8,%r8,2), %r8; addl $1, 4(%rsp)\n"
	"mov 8(%rsp), %eax; imul $3, %eax, %eax; mov %eax, 8(%rsp)\n"
	"subl $1, 12(%rsp); je 2f\n"
	"test %edx, %edx; je 1b\n"
	"2: mov %rcx, %rax; add $24, %rsp; ret\n"
	END("f_counts")
	FUNCTION("f_divides")
	"mov $1, %ecx; mov $1, %esi\n"
	"1: mov word(%rip), %r8d\n" LABEL("divides_load")
	"mov $8, %eax; xor %edx, %edx; div %ecx; add $1, %rsi; cmpl $0, (%rsi)\n"
	"test %r8d, %r8d; je 1b; xor %eax, %eax; ret\n"
	END("f_divides")
	FUNCTION("f_looked_at")
	"sub $24, %rsp; mov %rsp, word(%rip); movl $0, (%rsp)\n"
	"1: mov word(%rip), %edx\n" LABEL("looked_at_load")
	"add $1, %esi; mov %esi, (%rsp); test %edx, %edx; je 1b\n"
	"add $24, %rsp; ret\n"
	END("f_looked_at")
	FUNCTION("f_argument")
	"1: mov word(%rip), %edx\n" LABEL("argument_load")
	"add %rsi, 8(%rsp); test %edx, %edx; je 1b; ret\n"
	END("f_argument")
	"\t.data\n\t.globl word\nword:\t.quad 0\n\t.text\n"
);
/* clang-format on */

#define AT(name) extern const char at_##name[]
AT(frame_first);
AT(frame_second);
AT(frame_return);
AT(saved_hook);
AT(saved_second);
AT(exchange_load);
AT(exchange_hook);
AT(escapes_call);
AT(escapes_after);
AT(leaf_load);
AT(helper_load);
AT(caller_load);
AT(caller_call);
AT(flags_load);
AT(flags_dead);
AT(table_load);
AT(aligned_load);
AT(twice_load);
AT(pieces_load);
AT(pieces_cold);
AT(pushes_call);
AT(counts_load);
AT(divides_load);
AT(looked_at_load);
AT(argument_load);
#undef AT

static const struct frame_view *before(const char *at)
{
	return frame_view_before((uint64_t)at);
}

static const struct frame_view *during(const char *at)
{
	return frame_view_return((uint64_t)at);
}

/* Are the bytes [from, to) of the frame dead, each of them? */
static bool dead(const struct frame_view *v, int32_t from, int32_t to)
{
	for (int32_t at = from; at < to; at++) {
		bool found = at < v->low;

		for (unsigned k = 0; k < v->ndead; k++)
			found |= at >= v->dead[k].offset &&
				 at < v->dead[k].offset + (int32_t)v->dead[k].size;
		if (!found)
			return false;
	}
	return true;
}

/* And is none of them dead? */
static bool alive(const struct frame_view *v, int32_t from, int32_t to)
{
	for (int32_t at = from; at < to; at++)
		if (dead(v, at, at + 1))
			return false;
	return true;
}

static int32_t slot_of(const struct frame_view *v, unsigned reg)
{
	for (unsigned k = 0; k < v->nsaved; k++)
		if (v->saved[k].reg == reg)
			return v->saved[k].offset;
	return -1;
}

static void test_frame(void **unused)
{
	const struct frame_view *v = before(at_frame_first);

	(void)unused;
	assert_int_equal(v->pc, (uint64_t)at_frame_first);
	assert_int_equal(v->return_at, 40);
	assert_int_equal(v->live, R(RBP));
	assert_int_equal(v->passed & (R(RAX) | R(RCX) | R(RDX)), 0);
	assert_true(v->passed & R(RBX) && v->passed & R(RDI));
	assert_int_equal(slot_of(v, RBP), 32);
	assert_true(dead(v, 0, 28) && alive(v, 28, 40));
	v = before(at_frame_second);
	assert_int_equal(v->live, R(RBP));
	assert_true(dead(v, 0, 16) && alive(v, 16, 20) && dead(v, 20, 28) && alive(v, 28, 32));
	v = before(at_frame_return);
	assert_int_equal(v->return_at, 0);
	assert_int_equal(v->live, 0);
	assert_int_equal(v->passed, 0xffff & ~R(RSP));
	assert_int_equal(v->ndead, 0);
}

static void test_saved(void **unused)
{
	const struct frame_view *v = during(at_saved_hook);

	(void)unused;
	assert_int_equal(v->return_at, 40);
	assert_int_equal(v->live & CALLEE, R(RBX));
	assert_int_equal(v->passed & CALLEE, R(RBP) | R(13) | R(14) | R(15));
	assert_int_equal(slot_of(v, RBX), 24);
	assert_int_equal(slot_of(v, 12), 32);
	assert_true(dead(v, 0, 8) && alive(v, 8, 16) && dead(v, 16, 24) && alive(v, 24, 40));
	assert_false(v->escapes);
	v = during(at_saved_second);
	assert_int_equal(v->live & CALLEE, 0);
	assert_true(dead(v, 0, 24));
}

static void test_exchange(void **unused)
{
	const struct frame_view *v = before(at_exchange_load);

	(void)unused;
	assert_int_equal(v->live, R(RBX));
	assert_true(dead(v, 0, 16));
	v = during(at_exchange_hook);
	assert_true(dead(v, 0, 12) && alive(v, 12, 16));
	assert_int_equal(v->live & CALLEE, R(RBX));
	assert_false(v->escapes);
}

static void test_escapes(void **unused)
{
	const struct frame_view *v = during(at_escapes_call);

	(void)unused;
	assert_true(v->escapes);
	assert_true(alive(v, 0, 24));
	v = before(at_escapes_after);
	assert_true(dead(v, 0, 24));
}

static void test_leaf(void **unused)
{
	const struct frame_view *v = before(at_leaf_load);

	(void)unused;
	assert_int_equal(v->return_at, 0);
	assert_int_equal(v->low, -4);
	assert_int_equal(v->ndead, 0);
}

static void test_calls(void **unused)
{
	const struct frame_view *v = before(at_caller_load);

	(void)unused;
	assert_int_equal(v->live, 0);
	assert_int_equal(v->passed & (R(RAX) | R(RCX) | R(8) | R(9)), 0);
	assert_true(v->passed & R(RDI));
	assert_true(dead(v, 0, 24));
	v = before(at_helper_load);
	assert_int_equal(v->live, 0);
	assert_true(v->passed & R(RAX) && v->passed & R(8) && v->passed & R(9));
	assert_false(v->passed & R(RCX));
	v = during(at_caller_call);
	assert_int_equal(v->live, R(RAX) | R(8));
	assert_true(alive(v, 0, 4) && dead(v, 4, 24));
	v = during(at_pushes_call);
	assert_int_equal(v->return_at, 24);
	assert_int_equal(v->live, R(RAX) | R(RBX));
	assert_int_equal(slot_of(v, RBX), 16);
	assert_true(alive(v, 0, 4));
}

static void test_flags(void **unused)
{
	(void)unused;
	assert_true(before(at_flags_load)->flags_live);
	assert_false(before(at_flags_dead)->flags_live);
	assert_int_equal(before(at_flags_load)->live, R(RDI));
	assert_int_equal(before(at_flags_dead)->live, R(RDI) | R(RAX));
}

/* What only counts is dead, but not what may make the program fail, or others may see. */
static void test_counts(void **unused)
{
	const struct frame_view *v = before(at_counts_load);

	(void)unused;
	assert_int_equal(v->live & (R(RCX) | R(8)), R(RCX));
	assert_true(dead(v, 0, 12) && alive(v, 12, 16));
	v = before(at_divides_load);
	assert_int_equal(v->live & (R(RCX) | R(RSI)), R(RCX) | R(RSI));
	assert_true(before(at_looked_at_load)->live & R(RSI));
	assert_true(before(at_argument_load)->live & R(RSI));
}

static void test_unknown(void **unused)
{
	const struct frame_view *v = before(at_table_load);

	(void)unused;
	assert_int_equal(v->live, 0xffff & ~R(RSP) & ~R(RCX));
	assert_true(v->flags_live);
	assert_null(before(at_aligned_load));
	assert_null(before(at_twice_load));
	assert_null(before(at_twice_load + 1));
	assert_null(during((const char *)(uintptr_t)&mmap));
}

static void test_pieces(void **unused)
{
	const struct frame_view *v = before(at_pieces_load);

	(void)unused;
	assert_int_equal(v->live, R(RBX));
	assert_int_equal(slot_of(v, RBX), 0);
	v = before(at_pieces_cold);
	assert_int_equal(v->return_at, 8);
	assert_int_equal(v->live, R(RBX));
}

/* What the analysis needs of the rest. */
static struct module module;

void *memory_get(size_t size)
{
	return calloc(1, size + 64);
}

void *map(uintptr_t at, size_t size, bool fixed, bool shared)
{
	(void)at;
	(void)fixed;
	(void)shared;
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		    -1, 0);
}

uintptr_t working_place(size_t size)
{
	(void)size;
	return 0;
}

void die(const char *format, ...)
{
	fputs(format, stderr);
	abort();
}

void extended_around(void (*function)(void *), void *argument)
{
	function(argument);
}

struct module *module_at(uint64_t at)
{
	return at >= module.lo && at < module.hi ? &module : NULL;
}

static int find_self(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	module.base = info->dlpi_addr;
	for (int k = 0; k < info->dlpi_phnum; k++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[k];
		uintptr_t lo = module.base + p->p_vaddr;

		if (p->p_type == PT_LOAD && p->p_flags & PF_X) {
			module.lo = lo;
			module.hi = lo + p->p_memsz;
		}
		if (p->p_type == PT_GNU_EH_FRAME)
			module.eh_frame_hdr = lo;
		if (p->p_type == PT_DYNAMIC)
			module.dynamic = lo;
	}
	for (int k = 0; k < info->dlpi_phnum; k++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[k];
		uintptr_t lo = module.base + p->p_vaddr;

		if (p->p_type == PT_LOAD && module.eh_frame_hdr - lo < p->p_filesz) {
			module.eh_lo = lo;
			module.eh_hi = lo + p->p_filesz;
		}
	}
	return 1;
}

static int find_module(void **unused)
{
	const size_t most = 1 << 16;

	(void)unused;
	if (mmap(rt, sizeof *rt, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != rt)
		return -1;
	dl_iterate_phdr(find_self, NULL);
	module.path = "/proc/self/exe";
	module.views = view_table_new();
	module.functions.data = calloc(most, sizeof(struct function));
	module.points.data = calloc(most, sizeof(struct point));
	module.functions.capacity = module.points.capacity = most;
	module_functions(&module);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frame),    cmocka_unit_test(test_saved),
		cmocka_unit_test(test_exchange), cmocka_unit_test(test_escapes),
		cmocka_unit_test(test_leaf),     cmocka_unit_test(test_calls),
		cmocka_unit_test(test_flags),    cmocka_unit_test(test_counts),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_pieces),
	};

	return cmocka_run_group_tests(tests, find_module, NULL);
}
