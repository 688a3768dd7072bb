/* SPDX-License-Identifier: MIT
 *
 * Prints an assembly file of functions that keep to no calling convention, as hand-written code has
 * them, and a table of them for torture.c: results in any register, in flags, on the x87 stack or
 * below the stack pointer; values that a caller keeps in registers which its helper is known not to
 * touch; returns to where nobody called; jumps into other functions; data between the code.
 *
 * A case is what the wrapper executes, and the functions that it needs. In both, @H and @L begin
 * names of the case's own, of which those with @L are no symbols. A case with @R is made for each
 * register, one with @S for each of some instructions that set flags, one with @X for each vector
 * register. Memory is accessed at every turn, so that there is a site where something could be
 * lost. What depends on the address of the stack must not be left in a register.
 */
#include "forms.h"
#include "wrapper.h"

#include <string.h>

#define LENGTH(a) (sizeof(a) / sizeof *(a))
#define F(name)   "\t.type @H" name ", @function\n@H" name ":\n\t.cfi_startproc\n"
#define E(name)   "\t.cfi_endproc\n\t.size @H" name ", .-@H" name "\n"
#define W(n)      "block+" #n "(%rip)"
#define TOUCH(n)  "\taddl $1, " W(n) "\n"
#define LOOK(n)   "\tpushq %rax; movq " W(n) ", %rax; popq %rax\n" /* changes no register */
#define SEE       "setc %r8b; setz %r9b; seto %r10b; sets %r11b; setp %sil"
#define ROUND_UP  "pushq $0x5f80; ldmxcsr (%rsp); leaq 8(%rsp), %rsp"
#define ROUND     "pushq $0x1f80; ldmxcsr (%rsp); leaq 8(%rsp), %rsp"

struct convention {
	const char *text, *functions;
};

static const char *const setters[] = {
	"stc",
	"clc",
	"cmpq $0, " W(8),
	"cmpb %al, " W(16),
	"testl $1, " W(24),
	"addq %rdx, " W(32),
	"btq $3, " W(40),
	"negq " W(48),
};

static const struct convention registers[] = {
	/* A result; one that goes through a tail call. */
	{ "call @Ha", F("a") "\tmovq " W(8) ", @R; addq $3, @R\n" TOUCH(0) "\tret\n" E("a") },
	{ "movq $5, @R; call @Ha", F("a") "\taddq @R, " W(40) "; movq $6, @R\n\tjmp @Hb\n" E("a")
					   F("b") TOUCH(0) "\tret\n" E("b") },
	/* Values that are kept across calls. */
	{ "leaq 1(@R), @R; call @Ha; addq @R, " W(24),
	  F("a") TOUCH(0) TOUCH(64) "\tret\n" E("a") },
	{ "movq $3, @R; 1: call @Ha; decq @R; jnz 1b", F("a") TOUCH(0) "\tret\n" E("a") },
	/* Calls through a register, of a function and of a place in the middle of one. */
	{ "leaq @Ha(%rip), @R; call *@R", F("a") TOUCH(0) "\tret\n" E("a") },
	{ "leaq @Lm(%rip), @R; call *@R",
	  F("a") "\tnop\n" TOUCH(0) "@Lm:\n" TOUCH(8) "\tret\n" E("a") },
	/* The return address is taken away, changed, looked at, or was never one. */
	{ "call @Ha; incl " W(0), F("a") "\tpopq @R\n" TOUCH(16) "\tjmp *@R\n" E("a") },
	{ "call @Ha; @L1: incl " W(8) "; @L2: incl " W(0),
	  F("a") "\tpopq @R\n" TOUCH(16) "\taddq $@L2-@L1, @R\n\tpushq @R\n\tret\n" E("a") },
	{ "call @Ha; incl " W(0), F("a") "\tmovq (%rsp), @R\n" TOUCH(16) "\tret\n" E("a") },
	{ "leaq @L1(%rip), @R; pushq @R; incl " W(0) "; ret; incl " W(8) "; @L1: incl " W(16),
	  "" },
	{ "leaq @L1(%rip), @R; jmp @Ha; incl " W(8) "; @L1: incl " W(0),
	  F("a") "\tcall 2f\n1:\tpause\n\tlfence\n\tjmp 1b\n2:\tmovq @R, (%rsp)\n" TOUCH(
		  24) "\tret\n" E("a") },
	/* Any register for the frame, for a target in a table, and to get out of nested calls. */
	{ "call @Ha", F("a") "\tmovq %rsp, @R\n\tsubq $64, %rsp\n\tandq $-64, %rsp\n" TOUCH(
			      0) "\tmovq @R, %rsp\n\tsubq %rsp, @R\n\tret\n" E("a") },
	{ "movq %r14, @R; shrq $2, @R; movslq @Ltable(@R), @R; addq $@Ltable, @R; jmp *@R; @L1: "
	  "incl " W(0) "; jmp @L4; @L2: incl " W(8) "; @L3: incl " W(16) "; @L4: incl " W(24),
	  "\t.pushsection .rodata\n@Ltable:\t.long @L1-@Ltable, @L2-@Ltable, "
	  "@L3-@Ltable\n\t.popsection\n" },
	{ "movq %rsp, @R; call @Ha; incl " W(8) "; @L1: incl " W(0) "; subq %rsp, @R",
	  F("a") TOUCH(16) "\tcall @Hb\n\tret\n" E("a") F(
		  "b") TOUCH(24) "\tmovq @R, %rsp\n\tpushq $@L1\n\tret\n" E("b") },
};

static const struct convention flags[] = {
	{ "call @Ha; " SEE, F("a") "\t@S\n" LOOK(64) "\tret\n" E("a") },
	{ "@S; call @Ha", F("a") LOOK(64) "\t" SEE "\n\tadcq $5, %rdx\n\tret\n" E("a") },
	{ "leaq @Ha(%rip), %r9; @S; call *%r9",
	  F("a") "\tjc @Hb\n" LOOK(64) "\tjmp @Hc\n" E("a") F("b") LOOK(64) "\t" SEE "\n\tret\n" E(
		  "b") F("c") "\tsets %r8b\n\tsetp %r9b\n" LOOK(64) "\tret\n" E("c") },
	{ "@S; pushq $@L1; ret; @L1: " SEE, "" },
};

static const struct convention vectors[] = {
	{ "call @Ha; movq @X, %r8",
	  F("a") "\tmovq " W(8) ", @X\n\tpaddq " W(16) ", @X\n" TOUCH(0) "\tret\n" E("a") },
	{ "movq %rdx, @X; call @Ha; movq @X, %r8", F("a") TOUCH(0) TOUCH(8) "\tret\n" E("a") },
};

#define USE_BELOW "\taddq -8(%rsp), %rdx\n\tmovq -16(%rsp), %r8\n\txorq -128(%rsp), %r10\n\tret\n"
#define FILL_BELOW                                                                                 \
	"\tmovq %rdx, -8(%rsp)\n\tmovq %rbp, -16(%rsp)\n\tmovq %r15, -128(%rsp)\n" TOUCH(0)

static const struct convention others[] = {
	/* ---- the red zone: in a leaf, over jumps of every kind, and over a return ---- */
	{ "call @Ha", F("a") FILL_BELOW USE_BELOW E("a") },
	{ "call @Ha", F("a") FILL_BELOW "\tjmp @Hb\n" E("a") F("b") TOUCH(8) USE_BELOW E("b") },
	{ "call @Ha", F("a") FILL_BELOW "\tcmpq %rax, %rcx\n\tje @Hb\n\tret\n" E("a") F("b")
			      LOOK(8) "\tmovq %r15, -8(%rsp)\n" USE_BELOW E("b") },
	{ "call @Ha", F("a") FILL_BELOW "\tleaq @Hb(%rip), %r9\n\tjmp *%r9\n" E("a") F("b")
			      TOUCH(8) USE_BELOW E("b") },
	{ "call @Ha", F("a") FILL_BELOW "\tmovq $@Hb, " W(80) "\n\tjmp *" W(80) "\n" E("a") F("b")
			      TOUCH(8) USE_BELOW E("b") },
	{ "call @Ha", F("a") FILL_BELOW E("a") F("b") TOUCH(8) USE_BELOW E("b") },
	{ "call @Ha; movq -16(%rsp), %r8; movq -24(%rsp), %r9", F("a") FILL_BELOW "\tret\n" E("a") },
	{ "call @Ha; movq -8(%rsp), %r8", F("a") TOUCH(8) "\tret\n" E("a") },
	{ "movl $3, %ecx; movq %rdx, -16(%rsp); call @Ha",
	  F("a") "\taddq -8(%rsp), %rdx\n" TOUCH(8) "\tdecl %ecx\n\tjnz @Ha\n\tret\n" E("a") },

	/* ---- floating point ---- */
	{ "call @Ha; fistpll " W(8),
	  F("a") "\tfildll " W(16) "\n\tfildl " W(32) "\n\tfaddp\n" TOUCH(0) "\tret\n" E("a") },
	{ "fld1; fldpi; call @Ha; fstpl " W(64), F("a") "\tfmulp\n" TOUCH(0) "\tfchs\n\tret\n" E("a") },
	{ "call @Ha; movq %mm3, %r8; emms",
	  F("a") "\tmovq " W(8) ", %mm3\n" TOUCH(0) "\tpaddd " W(16) ", %mm3\n\tret\n" E("a") },
	{ "call @Ha; cvtsi2sdq " W(8) ", %xmm1; " ROUND,
	  F("a") "\t" ROUND_UP "\n" TOUCH(0) "\tret\n" E("a") },
	{ "call @Ha; fildll " W(8) "; fldpi; faddp; frndint; fistpll " W(16) "; fninit",
	  F("a") "\tmovw $0xc7f, -2(%rsp)\n\tfldcw -2(%rsp)\n" TOUCH(0) "\tret\n" E("a") },
	{ "call @Ha; " SEE,
	  F("a") "\tfldz\n\tfildll " W(8) "\n\tfcomip\n\tfstp %st\n" LOOK(16) "\tret\n" E("a") },

	/* ---- entries, and what is between them ---- */
	{ "call @Ha; call @Hb; call @Hc",
	  F("a") TOUCH(0) "\t.type @Hb, @function\n@Hb:\n" TOUCH(8) "\t.type @Hc, @function\n@Hc:"
								   "\n" TOUCH(16) "\tret\n" E("a") },
	{ "call @Hb; stc; call @Hb",
	  F("a") "\tnop\n" TOUCH(0) "@Lm:\n" TOUCH(8) "\tret\n" E("a") F("b") LOOK(
		  0) "\tjc @Lm\n" TOUCH(16) "\tjmp @Lm\n" E("b") },
	{ "call @Lnameless; stc; call @Lnameless",
	  F("a") "\tnop\n@Lm:\n" TOUCH(8) "\tret\n" E("a") "@Lnameless:\n" LOOK(
		  0) "\tjc @Lm\n" TOUCH(16) "\tjmp @Lm\n" },
	{ "call @Hb; call *@Lpointer(%rip)",
	  F("a") "\tnop\n@Lm:\n" TOUCH(8) "\tret\n" E("a") "\t.type @Hb, @function\n@Hb:\n" TOUCH(
		  0) "\tret\n\t.size @Hb, .-@Hb\n\t.pushsection .data\n@Lpointer:\t.quad "
		     "@Lm\n\t.popsection\n" },
	{ "movl $3, %ecx; call @Ha",
	  F("a") TOUCH(8) "\tloop @Ha\n\tjrcxz @Lm\n\tret\n" E("a") F("b") "\tnop\n@Lm:\n" TOUCH(
		  16) "\tret\n" E("b") },
	{ "call @Hoverlap; addl $8, " W(0) "; call @Hoverlap",
	  F("overlap") "\ttestb $8, " W(0) "\n\tje @Lx+1\n@Lx:\tlock incl " W(8) "\n\tret\n" E(
		  "overlap") },

	/* ---- the stack ---- */
	{ "call @Ha", F("a") "\tcall @Hsave\n" TOUCH(0) "\tmovq $1, %rbx\n\tmovq $2, %rbp\n\tjmp "
							"@Hrestore\n" E("a") F(
			      "save") "\tpopq %r11\n\tpushq %rbx\n\tpushq %rbp\n" TOUCH(8) "\tpushq "
											 "%r11\n"
											 "\tret\n" E(
			      "save") F("restore") "\tpopq %rbp\n" TOUCH(16) "\tpopq %rbx\n\tret\n" E(
			      "restore") },
	{ "call @Ha; incl " W(16), F("a") "\tcall @Hb\n" TOUCH(8) "\tret\n" E("a") F("b")
					   TOUCH(0) "\tleaq 8(%rsp), %rsp\n\tret\n" E("b") },
	{ "pushq %rdx; pushq %r8; call @Ha",
	  F("a") "\tmovq 8(%rsp), %r9\n\taddq 16(%rsp), %r9\n" TOUCH(0) "\tret $16\n" E("a") },
	{ "pushq $@L1; pushq $@Ha; pushq $@Hb; ret; incl " W(8) "; @L1: incl " W(0),
	  F("a") TOUCH(8) "\tret\n" E("a") F("b") TOUCH(16) "\tret\n" E("b") },
	{ "movq %rsp, @Lstack+8(%rip); leaq @Lstack(%rip), %rsp; call @Ha; movq @Lstack+8(%rip), %rsp",
	  F("a") TOUCH(0) "\tpushq " W(8) "\n\tpopq " W(16) "\n\tret\n" E("a") "\t.pushsection .bss\n"
		  "\t.p2align 4\n\t.zero 4096\n@Lstack:\t.zero 16\n\t.popsection\n" },
	{ "pushq %rdx; movq %rsp, %r10; call @Ha; popq %rdx; xorl %r10d, %r10d",
	  F("a") "\taddq $4, (%r10)\n" TOUCH(0) "\taddq %r8, 8(%rsp)\n\tret\n" E("a") },
	{ "call @Ha; addq %rbp, %rdx",
	  F("a") "\tenter $32, $0\n\tmovq %rdx, -16(%rbp)\n" TOUCH(0) "\tincq -16(%rbp)\n\tmovq "
								    "-16(%rbp), %rdx\n\tleave\n"
								    "\tret\n" E("a") },
	{ "movl $600000, %ecx; call @Ha; incl " W(0),
	  F("a") "\tdecl %ecx\n\tjz 1f\n\tcall @Ha\n1:\tret\n" E("a") },

	/* ---- targets in memory ---- */
	{ "pushq $@Ha; pushq %rdx; call *8(%rsp); leaq 16(%rsp), %rsp",
	  F("a") TOUCH(0) "\tret\n" E("a") },
	{ "movq $@Ha, -8(%rsp); call *-8(%rsp)", F("a") TOUCH(0) "\tret\n" E("a") },
	{ "movq $@L1, -16(%rsp); jmp *-16(%rsp); incl " W(8) "; @L1: incl " W(0), "" },
	{ "movq $@L1, " W(8) "; pushq " W(8) "; ret; incl " W(0) "; @L1: incl " W(16), "" },
	{ "call 1f; 1: popq %r8; incl " W(0), "" },
	{ "leaq @Lcode(%rip), %rsi; lodsq; jmp *%rax; @L1: incl " W(0),
	  F("a") TOUCH(8) "\tlodsq\n\tjmp *%rax\n@Lb:\n" TOUCH(
		  16) "\tlodsq\n\tjmp *%rax\n" E("a") "\t.pushsection .rodata\n@Lcode:\t.quad "
						      "@Lb, @Ha, @Ha, @Lb, "
						      "@L1\n\t.popsection\n" },

	/* ---- flags that go on and on ---- */
	{ "call @Ha; lodsq; cld", F("a") "\tstd\n\tleaq " W(64) ", %rsi\n" TOUCH(0) "\tret\n" E("a") },
	{ "clc; movl $6, %ecx; leaq " W(0) ", %rsi; 1: movq (%rsi), %rax; adcq 64(%rsi), %rax; movq "
	  "%rax, 128(%rsi); leaq 8(%rsi), %rsi; loop 1b; sbbq %r8, %r8",
	  "" },
	{ "stc; movl $4, %ecx; leaq " W(0) ", %rsi; 1: call @Ha; leaq -1(%rcx), %rcx; jrcxz 2f; jmp "
	  "1b; 2: adcq $0, %r8",
	  F("a") "\tmovq (%rsi), %r9\n\tadcq %r9, 64(%rsi)\n\tleaq 8(%rsi), %rsi\n\tret\n" E("a") },
	{ "cmpq " W(8) ", %rdx; call @Ha; incl " W(0) "; popfq; " SEE,
	  F("a") "\tpopq %r8\n\tpushfq\n" TOUCH(16) "\tpushq %r8\n\tret\n" E("a") },
	{ "call @Ha; sahf; adcq %rdx, " W(24),
	  F("a") "\tcmpq " W(8) ", %rdx\n\tlahf\n" TOUCH(16) "\tret\n" E("a") },
	{ "movl $5, %edx; cmpl %edx, " W(8) "; bsfl %edi, %ecx; movl $77, %ecx; xorl %edi, %edi; "
	  "addl $1, " W(0) "; bsfl %edi, %ecx",
	  "" },

	/* ---- data between the code ---- */
	{ "call @Ha",
	  F("a") "\tjmp 1f\n@Ld:\t.byte 0xe8, 0, 0, 0, 0, 0x90, 0xc3, 0xe8, 1, 2, 3, 4, 0xe8, 0, "
		 "0, 0, 0\n1:\tmovq @Ld(%rip), %r8\n" TOUCH(0) "\tmovq @Ld+9(%rip), %r9\n\tret\n" E(
			 "a") },
	{ "call @Ha",
	  F("a") "\tmovq @Ld(%rip), %r8\n" TOUCH(0) "\tmovq @Ld+8(%rip), %r9\n\tret\n@Ld:\t.byte "
						  "0xff, 0xd0, 0xff, 0xd1, 0xff, 0xd2, 0xff, 0xd3, "
						  "0x90, 0x90, 0xff, 0x10, 0xc3, 0xc3, 0xc3, "
						  "0xc3\n" E("a") },
	{ "call @Ha; call @Hb",
	  F("a") "\tmovq @Ld(%rip), %r8\n\tret\n" E("a") "@Ld:\t.byte 0x90, 0x90, 0xcc, 0xcc, 0xcc, "
							 "0xcc, 0x90, 0x90, 0x12\n" F("b")
		  TOUCH(0) "\tcall @Hc\n\tret\n" E("b") F("c") TOUCH(8) "\tret\n" E("c") },
	{ "call @Ha",
	  F("a") "\tmovq %r14, %r8\n\tshrq $2, %r8\n\tleaq @Lt(%rip), %r9\n\tmovslq (%r9,%r8), "
		 "%r8\n\taddq %r9, %r8\n\tjmp *%r8\n@Lt:\t.long 1f-@Lt, 2f-@Lt, 3f-@Lt, 0xe8, "
		 "0xff0000\n1:\tcall @Hb\n2:\tcall @Hb\n3:\tcall @Hb\n\tmovq @Lt(%rip), %r8\n\tmovq "
		 "@Lt+8(%rip), %r9\n\tret\n" E("a") F("b") TOUCH(0) "\tret\n" E("b") },
};

static const struct {
	enum form_needs needs;
	struct convention convention;
} wide[] = {
	{ FORM_AVX2,
	  { "vinserti128 $1, %xmm2, %ymm1, %ymm1; call @Ha; vextracti128 $1, %ymm1, %xmm3; vzeroupper",
	  F("a") TOUCH(0) "\tret\n" E("a") } },
	{ FORM_AVX512,
	  { "kmovq %r15, %k1; vmovdqu64 " W(0) ", %zmm17; call @Ha; kmovq %k1, %rdx; vmovdqu64 "
	  "%zmm17, " W(128) "; vpxord %xmm17, %xmm17, %xmm17; vzeroupper",
	  F("a") TOUCH(0) "\tret\n" E("a") } },
};

static unsigned ncases;
static char table[1 << 20];
static size_t table_size;

/* The text with the case's names, and the register or the like in place of @R, @S, @X. */
static void expand(const char *text, const char *parameter)
{
	for (; *text; text++) {
		if (*text != '@' || !strchr("HLRSX", text[1])) {
			putchar(*text);
			continue;
		}
		text++;
		if (*text == 'H')
			printf("c%u_", ncases);
		else if (*text == 'L')
			printf(".Lc%u_", ncases);
		else
			fputs(parameter, stdout);
	}
}

static void one(const struct convention *c, unsigned number, const char *parameter,
		enum form_needs needs)
{
	printf("\t.p2align 4\n");
	expand(c->functions, parameter);
	prologue(ncases);
	putchar('\t');
	expand(c->text, parameter);
	putchar('\n');
	epilogue();
	table_size += (size_t)snprintf(
		table + table_size, sizeof table - table_size,
		"\t.section .rodata\n9:\t.asciz \"%u, %s: %s\"\n\t.section .data.rel.ro, "
		"\"aw\"\n\t.quad form_%u, 9b, %d\n",
		number, parameter, c->text, ncases, (int)needs);
	ncases++;
}

static void each_register(const struct convention *c, unsigned number)
{
	char name[8];

	for (unsigned k = 0; k < LENGTH(names); k++) {
		snprintf(name, sizeof name, "%%%s", names[k]);
		one(c, number, name, FORM_ANY);
	}
}

static void each_vector(const struct convention *c, unsigned number)
{
	char name[8];

	for (unsigned k = 0; k < 16; k++) {
		snprintf(name, sizeof name, "%%xmm%u", k);
		one(c, number, name, FORM_ANY);
	}
}

int main(void)
{
	printf("\t.text\n");
	for (unsigned k = 0; k < LENGTH(registers); k++)
		each_register(&registers[k], k);
	for (unsigned k = 0; k < LENGTH(flags); k++)
		for (unsigned s = 0; s < LENGTH(setters); s++)
			one(&flags[k], k, setters[s], FORM_ANY);
	for (unsigned k = 0; k < LENGTH(vectors); k++)
		each_vector(&vectors[k], k);
	for (unsigned k = 0; k < LENGTH(others); k++)
		one(&others[k], k, "-", FORM_ANY);
	for (unsigned k = 0; k < LENGTH(wide); k++)
		one(&wide[k].convention, k, "-", wide[k].needs);
	printf("\t.globl form_table, form_count\n\t.section .data.rel.ro, \"aw\"\n\t.p2align "
	       "3\nform_table:\n%s",
	       table);
	printf("\t.section .rodata\n\t.p2align 3\nform_count:\t.quad %u\n", ncases);
	printf("\t.section .note.GNU-stack,\"\",@progbits\n");
	return 0;
}
