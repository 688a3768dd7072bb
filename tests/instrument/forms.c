/* SPDX-License-Identifier: MIT
 *
 * Prints an assembly file with a function for each form of instruction that accesses memory, in
 * several addressing modes, and a table of them. torture.c executes them.
 *
 * A function loads all registers and flags from `in`, executes one instruction, and stores them in
 * `out`. In the memory operand, written M in the lists below, rbx, r13, rax, rcx and rdi are the
 * address of a block of memory that is aligned to 64 bytes, r12 + 64 is so as well, r9 is an eighth
 * of it, and r10 and r14 are small numbers.
 */
#include <stdio.h>
#include <string.h>

static const char *const modes[] = {
	"(%rbx)",        "64(%rbx)",  "-64(%r13)",       "(%rbx,%r14,8)", "32(%r13,%r14,4)",
	"64(%r12)",      "(,%r9,8)",  "block+128(%rip)", "(%rax)",        "64(%rcx)",
	"(%rdi,%r14,8)", "-96(%rsp)", "64(%r12,%r14,2)",
};
#define MODES (sizeof modes / sizeof *modes)

static unsigned nforms;
static char table[1 << 21];
static size_t table_size;

static const char *const names[] = { "rax", "rcx", "rdx", "rbx", "rbp", "rsi", "rdi", "r8",
				     "r9",  "r10", "r11", "r12", "r13", "r14", "r15" };

static void prologue(void)
{
	printf("\t.p2align 4\nform_%u:\n\t.cfi_startproc\n", nforms);
	for (unsigned i = 3; i < 15; i++)
		if (i == 3 || i == 4 || i >= 11)
			printf("\tpushq %%%s\n\t.cfi_adjust_cfa_offset 8\n", names[i]);
	printf("\tsubq $8, %%rsp\n\t.cfi_adjust_cfa_offset 8\n\tfninit\n\tpushq "
	       "in+120(%%rip)\n\tpopfq\n");
	for (unsigned i = 0; i < 4; i++)
		printf("\tmovups in+%u(%%rip), %%xmm%u\n", 128 + 16 * i, i);
	for (unsigned i = 0; i < 15; i++)
		printf("\tmovq in+%u(%%rip), %%%s\n", 8 * i, names[i]);
	/* What is below the stack pointer is the function's own. */
	printf("\tmovq %%r15, -8(%%rsp)\n\tmovq %%r15, -128(%%rsp)\n\tmovq %%r15, "
	       "-96(%%rsp)\n\tmovq %%r8, -88(%%rsp)\n");
}

static void epilogue(void)
{
	for (unsigned i = 0; i < 15; i++)
		printf("\tmovq %%%s, out+%u(%%rip)\n", names[i], 8 * i);
	for (unsigned i = 0; i < 4; i++)
		printf("\tmovups %%xmm%u, out+%u(%%rip)\n", i, 128 + 16 * i);
	printf("\tmovq -8(%%rsp), %%rax\n\tmovq %%rax, out+192(%%rip)\n\tmovq -128(%%rsp), %%rax\n"
	       "\tmovq %%rax, out+200(%%rip)\n\tmovq -96(%%rsp), %%rax\n\tmovq %%rax, "
	       "out+208(%%rip)\n"
	       "\tpushfq\n\tpopq out+120(%%rip)\n\taddq $8, %%rsp\n\t.cfi_adjust_cfa_offset -8\n");
	for (unsigned i = 15; i-- > 3;)
		if (i == 3 || i == 4 || i >= 11)
			printf("\tpopq %%%s\n\t.cfi_adjust_cfa_offset -8\n", names[i]);
	printf("\tret\n\t.cfi_endproc\n");
}

/* One form in one addressing mode; M in the text is the operand. */
static void form(const char *text, const char *mode, char needs)
{
	char quoted[256], *q = quoted;

	prologue();
	putchar('\t');
	for (const char *p = text; *p; p++) {
		if (*p == 'M') {
			fputs(mode, stdout);
			q = strchr(strcpy(q, mode), '\0');
		} else {
			putchar(*p);
			*q++ = *p;
		}
	}
	*q = '\0';
	putchar('\n');
	epilogue();
	table_size += (size_t)snprintf(
		table + table_size, sizeof table - table_size,
		"\t.section .rodata\n9:\t.asciz \"%s\"\n\t.section .data.rel.ro, \"aw\"\n"
		"\t.quad form_%u, 9b, %d\n",
		quoted, nforms, needs);
	nforms++;
}

/* In some of the modes, others each time. */
static void forms(const char *text, char needs)
{
	static unsigned turn;

	/* A high byte cannot be together with the newer registers. */
	if (strstr(text, "%ah") || strstr(text, "%ch") || strstr(text, "%dh")) {
		form(text, modes[0], needs);
		form(text, "block+128(%rip)", needs);
		return;
	}
	for (unsigned i = 0; i < 3; i++) {
		const char *mode = modes[(turn += 5) % MODES];

		/* A bit index leads away from the operand, to where nobody has written. */
		form(text, strstr(text, "%r10") && strstr(mode, "rsp") ? modes[0] : mode, needs);
	}
	turn++;
}

static void sized(const char *text, const char *sizes)
{
	static const struct {
		char suffix;
		const char *a, *d;
	} registers[] = { { 'b', "%al", "%dl" },
			  { 'w', "%ax", "%dx" },
			  { 'l', "%eax", "%edx" },
			  { 'q', "%rax", "%rdx" } };

	for (unsigned i = 0; i < 4; i++) {
		char out[128], *o = out;

		if (!strchr(sizes, registers[i].suffix))
			continue;
		for (const char *p = text; *p; p++) {
			if (*p == 'S')
				*o++ = registers[i].suffix;
			else if (*p == 'D')
				o = strchr(strcpy(o, registers[i].d), '\0');
			else
				*o++ = *p;
		}
		*o = '\0';
		forms(out, 0);
	}
}

static void integers(void)
{
	static const char *const both[] = { "add", "or", "adc", "sbb", "and", "sub", "xor" };
	static const char *const one[] = { "inc", "dec", "neg", "not" };
	static const char *const shifts[] = { "shl", "shr", "sar", "rol", "ror", "rcl", "rcr" };
	static const char *const bits[] = { "bts", "btr", "btc" };
	static const char *const other[] = {
		"movS D, M",          "movS M, D",  "movS $0x5a, M",   "cmpS D, M",
		"cmpS M, D",          "cmpS $7, M", "testS D, M",      "testS $0x11, M",
		"xchgS D, M",         "xaddS D, M", "lock xaddS D, M", "cmpxchgS D, M",
		"lock cmpxchgS D, M", "mulS M",     "imulS M"
	};
	char text[64];

	for (unsigned lock = 0; lock < 2; lock++) {
		for (unsigned i = 0; i < sizeof both / sizeof *both; i++) {
			snprintf(text, sizeof text, "%s%sS D, M", lock ? "lock " : "", both[i]);
			sized(text, "bwlq");
			snprintf(text, sizeof text, "%s%sS $0x35, M", lock ? "lock " : "", both[i]);
			sized(text, "bwlq");
		}
		for (unsigned i = 0; i < sizeof one / sizeof *one; i++) {
			snprintf(text, sizeof text, "%s%sS M", lock ? "lock " : "", one[i]);
			sized(text, "bwlq");
		}
		for (unsigned i = 0; i < sizeof bits / sizeof *bits; i++) {
			static const char *const indices[] = { "w %r10w", "l %r10d", "q %r10",
							       "l $9" };

			for (unsigned k = 0; k < 4; k++) {
				snprintf(text, sizeof text, "%s%s%s, M", lock ? "lock " : "",
					 bits[i], indices[k]);
				forms(text, 0);
			}
		}
	}
	for (unsigned i = 0; i < sizeof both / sizeof *both; i++) {
		snprintf(text, sizeof text, "%sS M, D", both[i]);
		sized(text, "bwlq");
	}
	for (unsigned i = 0; i < sizeof shifts / sizeof *shifts; i++) {
		static const char *const counts[] = { "", "$3, ", "%cl, " };

		for (unsigned k = 0; k < 3; k++) {
			snprintf(text, sizeof text, "%sS %sM", shifts[i], counts[k]);
			sized(text, "bwlq");
		}
	}
	for (unsigned i = 0; i < sizeof other / sizeof *other; i++)
		sized(other[i], "bwlq");
	sized("imulS M, D", "wlq");
	sized("imulS $100, M, D", "wlq");
	sized("shldS $5, D, M", "wlq");
	sized("shrdS %cl, D, M", "wlq");
	sized("bsfS M, D", "wlq");
	sized("bsrS M, D", "wlq");
	sized("btS D, M", "");
	sized("popcntS M, D", "wlq");
	sized("movntiS D, M", "lq");
	sized("cmovcS M, D", "wlq");
}

static void conditions(void)
{
	static const char *const cc[] = { "o", "no", "b", "ae", "e", "ne", "be", "a",
					  "s", "ns", "p", "np", "l", "ge", "le", "g" };
	char text[64];

	for (unsigned i = 0; i < 16; i++) {
		snprintf(text, sizeof text, "set%s M", cc[i]);
		forms(text, 0);
		snprintf(text, sizeof text, "cmov%s M, %%rdx", cc[i]);
		forms(text, 0);
		/* The flags are live across the access. */
		snprintf(text, sizeof text,
			 "movl M, %%edx; j%s 1f; addl $3, M; notq %%r8; 1: movb %%dl, M", cc[i]);
		forms(text, 0);
		snprintf(text, sizeof text, "movq %%rdx, M; set%s %%sil; cmov%s %%r8, %%r11", cc[i],
			 cc[i]);
		forms(text, 0);
	}
}

static void lists(void)
{
	static const char *const plain[] = {
		"movzbl M, %edx",
		"movzwq M, %rdx",
		"movsbw M, %dx",
		"movsbq M, %r8",
		"movswl M, %esi",
		"movslq M, %rsi",
		"movb %ah, M",
		"movb M, %dh",
		"cmpxchgb %ch, M",
		"lock cmpxchgb %dh, M",
		"pushq M; popq %rdx",
		"pushq %rdx; popq M",
		"pushw M; popw %dx",
		"lock cmpxchg8b M",
		"cmpxchg8b M",
		"crc32l M, %edx",
		"bt %r10, M",
		"btl $5, M",
		"prefetcht0 M",
		"mfence",
		"lfence; movl M, %edx",
		"sfence; movl %edx, M",
		"nopw M",
		"movl M, %edx; jrcxz 1f; movl %edx, M; 1: incl M",
		"movl $3, %ecx; 1: incl block+192(%rip); loop 1b",
		"movl %esp, %edx; movl %edx, %edx; xorl %edx, %edx",
		"stc; movl M, %edx; adcl $0, %edx",
		"movl $0x7fffffff, %edx; addl $1, %edx; movl M, %r8d; seto %r11b",
		"pushfq; popq M; andq $0x8d5, M",
		"andq $0x8c5, block+64(%rip); pushq block+64(%rip); popfq; movq $1, M",
	};
	static const char *const vector[] = {
		"movaps M, %xmm0",
		"movaps %xmm1, M",
		"movups M, %xmm2",
		"movups %xmm3, M",
		"movapd M, %xmm1",
		"movupd %xmm1, M",
		"movdqa M, %xmm0",
		"movdqa %xmm2, M",
		"movdqu M, %xmm1",
		"movdqu %xmm2, M",
		"movss M, %xmm0",
		"movss %xmm1, M",
		"movsd M, %xmm0",
		"movsd %xmm1, M",
		"movq M, %xmm0",
		"movq %xmm1, M",
		"movd M, %xmm0",
		"movd %xmm2, M",
		"movlps M, %xmm0",
		"movlps %xmm0, M",
		"movhps M, %xmm0",
		"movhps %xmm3, M",
		"movntdq %xmm0, M",
		"movntps %xmm1, M",
		"lddqu M, %xmm2",
		"paddd M, %xmm0",
		"pxor M, %xmm1",
		"psubq M, %xmm2",
		"pand M, %xmm3",
		"pcmpeqb M, %xmm0",
		"punpcklbw M, %xmm1",
		"pshufd $0x1b, M, %xmm2",
		"pshufb M, %xmm1",
		"pmulld M, %xmm0",
		"pinsrd $1, M, %xmm0",
		"pinsrb $3, M, %xmm1",
		"pextrd $2, %xmm1, M",
		"pextrw $2, %xmm1, M",
		"cvtsi2sdq M, %xmm0",
		"movdqa %xmm0, %xmm1; movmskps %xmm1, %edx; movl %edx, M",
		"ucomisd M, %xmm0",
		"addsubps M, %xmm0",
		"maskmovdqu %xmm1, %xmm0",
		"movntdqa M, %xmm1",
		"palignr $3, M, %xmm0",
		"ldmxcsr mxcsr(%rip)",
		"stmxcsr M",
		"movq M, %mm0; movq %mm0, M; emms",
	};
	static const char *const avx[] = {
		"vmovups M, %ymm0; vextractf128 $1, %ymm0, %xmm1; vzeroupper",
		"vmovdqa M, %ymm1; vmovdqu %ymm1, M; vzeroupper",
		"vpaddd M, %xmm1, %xmm0",
		"vbroadcastss M, %xmm1",
		"vinsertf128 $1, M, %ymm0, %ymm2; vextractf128 $1, %ymm2, M; vzeroupper",
		"vmaskmovps %xmm0, %xmm1, M",
		"vmaskmovps M, %xmm1, %xmm2",
		"vpxor M, %ymm0, %ymm3; vmovups %ymm3, M; vzeroupper",
		"andn M, %rdx, %r8",
		"shlx %r10, M, %rdx",
		"mulx M, %rsi, %r8",
		"bextr %r10, M, %rdx",
		"tzcnt M, %rdx",
	};
	static const char *const x87[] = {
		"fildl M; fistpll M",
		"fildq M; fistpq M",
		"fld1; fsts M; fstpl M",
		"fldpi; fstpt M; fldt M; fstpl M",
		"fld1; fildl block(%rip); fxch; fadds one(%rip); fstpl M; fstps M",
		"fnstcw M",
		"fnstsw M",
		"fnstcw M; fldcw M",
		"fldl2e; fstl M; fcompl M; fnstsw %ax",
	};
	static const char *const strings[] = {
		"movsb", "movsw", "movsl", "movsq", "stosb", "stosw", "stosl",
		"stosq", "lodsb", "lodsw", "lodsl", "lodsq", "scasb", "scasw",
		"scasl", "scasq", "cmpsb", "cmpsw", "cmpsl", "cmpsq",
	};
	static const char *const jumps[] = {
		"leaq 1f(%rip), %rdx; movq %rdx, M; jmp *M; incl block(%rip); 1: xorl %edx, %edx; "
		"movq %rdx, M",
		"leaq 1f(%rip), %rdx; jmp *%rdx; 2: incl block(%rip); jmp 3f; 1: notq %r8; jmp 2b; "
		"3: xorl %edx, %edx",
		"stc; leaq 1f(%rip), %r11; jmp *%r11; clc; 1: setc %dl; xorl %r11d, %r11d",
		"call callee; movl %edx, M",
		"leaq callee(%rip), %rdx; movq %rdx, M; call *M; movq %r8, M; xorl %edx, %edx",
		"leaq callee(%rip), %rdx; call *%rdx; call callee; xorl %edx, %edx",
		"leaq callee(%rip), %r11; call *%r11; call *%r11; xorl %r11d, %r11d; movl $5, M",
	};
	char text[64];

	for (unsigned i = 0; i < sizeof plain / sizeof *plain; i++)
		forms(plain[i], 0);
	for (unsigned i = 0; i < sizeof vector / sizeof *vector; i++)
		forms(vector[i], 0);
	for (unsigned i = 0; i < sizeof avx / sizeof *avx; i++)
		forms(avx[i], 1);
	for (unsigned i = 0; i < sizeof x87 / sizeof *x87; i++)
		forms(x87[i], 0);
	form("leaq M, %rdx", "64(%r12,%r14,2)", 0);
	form("lock cmpxchg16b M", "(%rdi)", 0);
	form("lock cmpxchg16b M", "64(%r12)", 0);
	/* A call may write below the stack pointer. */
	for (unsigned i = 0; i < sizeof jumps / sizeof *jumps; i++) {
		form(jumps[i], "(%rdi)", 2);
		form(jumps[i], "block+64(%rip)", 2);
		form(jumps[i], "(%rdi,%r14,8)", 2);
	}
	for (unsigned i = 0; i < sizeof strings / sizeof *strings; i++) {
		static const char *const repeats[] = { "", "rep ", "repne " };

		for (unsigned k = 0; k < 3; k++) {
			if (k == 2 && strings[i][0] != 's' && strings[i][0] != 'c')
				continue;
			if (k == 2 && strings[i][1] == 't')
				continue;
			snprintf(text, sizeof text,
				 "leaq block+64(%%rip), %%rsi; movq %%r14, %%rcx; %s%s", repeats[k],
				 strings[i]);
			form(text, "", 0);
		}
	}
}

int main(void)
{
	printf("\t.text\n\t.type callee, @function\ncallee:\n\t.cfi_startproc\n\taddq $3, "
	       "block+32(%%rip)\n"
	       "\tmovq block+40(%%rip), %%r8\n\tret\n\t.cfi_endproc\n\t.size callee, .-callee\n");
	integers();
	conditions();
	lists();
	printf("\t.globl form_table, form_count\n\t.section .data.rel.ro, \"aw\"\n\t.p2align "
	       "3\nform_table:\n%s",
	       table);
	printf("\t.section .rodata\n\t.p2align 3\nform_count:\t.quad %u\nmxcsr:\t.long "
	       "0x1f80\none:\t.long 0x3f800000\n",
	       nforms);
	printf("\t.section .note.GNU-stack,\"\",@progbits\n");
	return 0;
}
