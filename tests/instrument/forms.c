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
#include "forms.h"
#include "wrapper.h"

#include <stdio.h>
#include <string.h>

static const char *const modes[] = {
	"(%rbx)",        "64(%rbx)",  "-64(%r13)",       "(%rbx,%r14,8)", "32(%r13,%r14,4)",
	"64(%r12)",      "(,%r9,8)",  "block+128(%rip)", "(%rax)",        "64(%rcx)",
	"(%rdi,%r14,8)", "-96(%rsp)", "64(%r12,%r14,2)",
};
#define MODES     (sizeof modes / sizeof *modes)
#define LENGTH(a) (sizeof(a) / sizeof *(a))

static unsigned nforms;
static char table[1 << 22];
static size_t table_size;

/* One form in one addressing mode; M in the text is the operand. */
static void form(const char *text, const char *mode, char needs)
{
	char quoted[1024], *q = quoted;

	prologue(nforms);
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

	/* A high byte register cannot be used together with r8 to r15. */
	if (strstr(text, "%ah") || strstr(text, "%ch") || strstr(text, "%dh")) {
		form(text, modes[0], needs);
		form(text, "block+128(%rip)", needs);
		return;
	}
	for (unsigned i = 0; i < 3; i++) {
		const char *mode = modes[(turn += 5) % MODES];

		/* A bit index leads away from the operand, to memory that is not initialized;
		 * and the stack is aligned to 16 only, and only 16 bytes of it are known. */
		if (strstr(mode, "rsp") && (strstr(text, "%r10") || strstr(text, "ymm")))
			mode = modes[0];
		form(text, mode, needs);
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
		"addb %ah, M",
		"orb M, %ch",
		"cmpb %dh, M",
		"xchgb %ah, M",
		"xaddb %dh, M",
		"lock xaddb %dh, M",
		"lock orb %ch, M",
		"lock subb %ah, M",
		"lock decw M",
		"lock xorw %dx, M",
		"popw M; pushw %dx",
		"clflush M",
		"prefetchw M",
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
		forms(avx[i], FORM_AVX2);
	for (unsigned i = 0; i < sizeof x87 / sizeof *x87; i++)
		forms(x87[i], 0);
	form("leaq M, %rdx", "64(%r12,%r14,2)", 0);
	form("lock cmpxchg16b M", "(%rdi)", 0);
	form("lock cmpxchg16b M", "64(%r12)", 0);
	/* A call may write below the stack pointer. */
	for (unsigned i = 0; i < sizeof jumps / sizeof *jumps; i++) {
		form(jumps[i], "(%rdi)", FORM_ANY);
		form(jumps[i], "block+64(%rip)", FORM_ANY);
		form(jumps[i], "(%rdi,%r14,8)", FORM_ANY);
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

/* Forms with fixed operands. */
struct fixed {
	char needs;
	const char *text;
};

static void fixed(const struct fixed *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		form(f[i].text, "", f[i].needs);
}

static void addressing(void)
{
	/* Bit 40 of a register has no meaning in a 32-bit address. */
	static const struct fixed narrow[] = {
		{ 0, "btsq $40, %rbx; movl (%ebx), %edx" },
		{ 0, "btsq $40, %rbx; addl %edx, 64(%ebx,%r14d,4)" },
		{ 0, "btsq $40, %r13; lock xaddl %edx, -64(%r13d)" },
		{ 0, "movq %rdx, block+128(%eip); cmpq %rdx, block+128(%eip)" },
		{ 0, "movaps %xmm1, 16(%edi)" },
		{ 0, "addr32 movq %rdx, block" },
		{ 0, "btsq $40, %rdi; pushq (%edi); popq 8(%edi)" },
		{ 0, "btsq $40, %rbx; btsl %r10d, 64(%ebx)" },
		{ 0, "lock btcw %r10w, 64(%ebx)" },
		{ 0, "lock cmpxchgq %rdx, (%ebx)" },
		{ FORM_ANY, "leaq 1f(%rip), %rdx; movq %rdx, (%edi); btsq $40, %rdi; jmp *(%edi); "
			     "incl block(%rip); 1: xorl %edx, %edx; movq %rdx, block+128(%rip)" },
		{ FORM_ANY, "leaq callee(%rip), %rdx; movq %rdx, (%edi); btsq $40, %rdi; "
			     "call *(%edi); xorl %edx, %edx; movq %rdx, block+128(%rip)" },
		{ 0, "movl %r14d, %ecx; btsq $40, %rcx; jecxz 1f; incl (%rdi); 1: incl (%rdi)" },
		{ 0, "movl $3, %ecx; btsq $40, %rcx; 1: incl (%rdi); addr32 loop 1b" },
		{ 0, "xlat" },
		{ 0, "movb $9, %al; xlat; movb %al, (%rdi)" },
		{ 0, "btsq $40, %rbx; addr32 xlat" },
		{ 0, "movq $-1, %rdx; cmpl $1, (%rdi); xlat; adcl $0, %edx" },
	};
	static const struct fixed local[] = {
		{ 0, "movq %rdx, %fs:cell@tpoff; addq %r8, %fs:cell@tpoff; movq %fs:cell@tpoff, "
		     "%rsi" },
		{ FORM_ANY, "leaq 1f(%rip), %rdx; movq %rdx, %fs:cell@tpoff; jmp "
			     "*%fs:cell@tpoff; incl block(%rip); 1: xorl %edx, %edx" },
		{ FORM_ANY, "leaq callee(%rip), %rdx; movq %rdx, %fs:cell@tpoff; xorl %edx, %edx; "
			     "call *%fs:cell@tpoff" },
		{ 0, "movq %r8, %fs:cell@tpoff; movq $cell@tpoff, %rsi; fs movsq" },
		{ 0, "movq %r8, %fs:cell@tpoff; movq $cell@tpoff, %rsi; movl $7, %ecx; fs rep "
		     "movsb" },
		{ 0, "movq %r8, %fs:cell@tpoff; movq $cell@tpoff, %rsi; fs lodsw" },
		{ 0, "movq %r8, %fs:cell@tpoff; movq $cell@tpoff, %rsi; movl $4, %ecx; fs repe "
		     "cmpsb" },
		{ 0, "movq $cell@tpoff, %rbx; movb $1, %al; movq %r8, %fs:(%rbx); fs xlat" },
	};
	static const struct fixed frames[] = {
		{ 0, "enter $32, $0; movq %rdx, -16(%rbp); movl (%rdi), %edx; incl (%rdi); "
		     "movq -16(%rbp), %r8; leave" },
		{ 0,
		  "movq %rdi, %rbp; enter $48, $2; movl %edx, (%rdi); leave; movq %rdx, -8(%rsp)" },
		{ 0, "pushq %rdx; popq 8(%rdi); pushq 16(%rdi); popq block+64(%rip)" },
		{ 0, "pushq %rdx; pushq (%rdi); popq (%rsp); popq %r8" },
		{ 0, "pushw %dx; pushw %ax; popw (%rsp); popw %si" },
	};

	fixed(narrow, LENGTH(narrow));
	fixed(local, LENGTH(local));
	fixed(frames, LENGTH(frames));
}

/* Upwards and downwards; ranges that overlap; 32-bit registers. */
static void directions(void)
{
	static const char *const strings[] = {
		"movsb", "movsw", "movsl", "movsq", "stosb", "stosw", "stosl",
		"stosq", "lodsb", "lodsw", "lodsl", "lodsq", "scasb", "scasw",
		"scasl", "scasq", "cmpsb", "cmpsw", "cmpsl", "cmpsq",
	};
	static const char *const repeats[] = { "", "rep ", "repne " };
	static const char *const places[] = {
		"std; leaq block+440(%rip), %rsi; leaq block+384(%rip), %rdi",
		"std; leaq block+440(%rip), %rsi; leaq block+437(%rip), %rdi",
		"std; leaq block+432(%rip), %rsi; leaq block+440(%rip), %rdi",
		"cld; leaq block+64(%rip), %rsi; leaq block+67(%rip), %rdi",
		"cld; leaq block+67(%rip), %rsi; leaq block+64(%rip), %rdi",
	};
	static const struct fixed plain[] = {
		{ 0, "std; movl (%rdi), %edx; addl %edx, (%rdi); lock incl 4(%rdi)" },
		{ 0, "std; movq %rdx, (%rdi); cld; movq (%rdi), %r8" },
		{ 0,
		  "std; leaq 1f(%rip), %r11; jmp *%r11; clc; 1: incl (%rdi); xorl %r11d, %r11d" },
		{ 0, "pushq $0x402; popfq; movl (%rdi), %edx; pushfq; popq %r8" },
		{ 0, "movq $-1, %rcx; xorl %eax, %eax; movb $0, block+300(%rip); repne scasb" },
		{ 0, "btsq $40, %rsi; leal block+64(%rip), %esi; btsq $41, %rsi; btsq $41, %rdi; "
		     "movl %r14d, %ecx; incl %ecx; addr32 rep movsb" },
		{ 0, "leaq block+64(%rip), %rsi; movl $5, %ecx; addr32 rep cmpsl" },
		{ 0, "btsq $41, %rdi; movl $5, %ecx; addr32 repne scasw" },
		{ 0, "btsq $41, %rdi; movl $5, %ecx; addr32 rep stosl" },
		{ 0, "leaq block+64(%rip), %rsi; addr32 lodsq" },
	};
	char text[160];

	for (unsigned i = 0; i < LENGTH(strings); i++)
		for (unsigned k = 0; k < 3; k++)
			for (unsigned p = 0; p < LENGTH(places); p++) {
				if (k == 2 && !strstr(strings[i], "sca") &&
				    !strstr(strings[i], "cmp"))
					continue;
				snprintf(text, sizeof text, "%s; movq %%r14, %%rcx; %s%s",
					 places[p], repeats[k], strings[i]);
				form(text, "", 0);
			}
	fixed(plain, LENGTH(plain));
}

/* Both kinds of mask; indices from 0 to 15. */
static void lanes(void)
{
	static const char *const gathers[] = {
		"vgatherdps %T2, (%rdi,%T1,4), %T0",     "vpgatherdd %T2, 8(%rdi,%T1,8), %T0",
		"vgatherqps %xmm2, (%rdi,%T1,4), %xmm0", "vpgatherqd %xmm2, -64(%rdi,%T1,4), %xmm0",
		"vgatherdpd %T2, (%rdi,%xmm1,8), %T0",   "vpgatherdq %T2, (%rdi,%xmm1,8), %T0",
		"vgatherqpd %T2, (%rdi,%T1,8), %T0",     "vpgatherqq %T2, (%rdi,%T1,8), %T0",
		"vpgatherdd %T2, block(,%T1,4), %T0",    "vpgatherdd %T2, (%edi,%T1,4), %T0",
		"vpgatherdd %T2, (%rdi,%T1,1), %T0",     "vpgatherqq %T2, 16(%rdi,%T1,2), %T0",
	};
	static const struct fixed others[] = {
		{ FORM_AVX2, "vpmaskmovd %xmm0, %xmm1, (%rdi)" },
		{ FORM_AVX2, "vpmaskmovq (%rdi), %xmm1, %xmm2" },
		{ FORM_AVX2, "vmaskmovpd %xmm0, %xmm1, 16(%rdi)" },
		{ FORM_AVX2, "vpmaskmovd (%rdi), %xmm1, %xmm0; vmovdqu %xmm0, (%rdi)" },
		{ FORM_AVX2, "vinserti128 $1, %xmm2, %ymm1, %ymm1; vinserti128 $1, %xmm3, %ymm0, "
			     "%ymm0; vpmaskmovd %ymm0, %ymm1, (%rdi); vzeroupper" },
		{ FORM_AVX2, "vinserti128 $1, %xmm2, %ymm1, %ymm1; vpmaskmovq (%rdi), %ymm1, "
			     "%ymm0; vextracti128 $1, %ymm0, %xmm3; vzeroupper" },
		{ FORM_AVX2, "vpxor %xmm1, %xmm1, %xmm1; xorl %esi, %esi; vmaskmovps (%rsi), "
			     "%xmm1, %xmm0; vmaskmovps %xmm0, %xmm1, (%rsi)" },
		{ FORM_AVX2, "vmaskmovdqu %xmm1, %xmm0" },
		{ FORM_AVX2, "vmovntps %xmm1, (%rdi); vmovntdq %ymm0, 32(%rdi); vzeroupper" },
		{ FORM_AVX2, "vmovntdqa (%rdi), %ymm1; vmovdqa %ymm1, 64(%rdi); vzeroupper" },
		{ 0, "maskmovdqu %xmm2, %xmm1" },
		{ 0, "movdq2q %xmm0, %mm0; movdq2q %xmm1, %mm1; maskmovq %mm1, %mm0; emms" },
		{ 0, "movntq %mm0, (%rdi); movdq2q %xmm2, %mm0; movntq %mm0, (%rdi); emms" },
	};
	char text[256];

	for (unsigned i = 0; i < LENGTH(gathers); i++)
		for (unsigned wide = 0; wide < 2; wide++) {
			const char *limit = strstr(gathers[i], "erq") ? "wide" : "narrow";
			char *o = text + snprintf(text, sizeof text,
						  "vinserti128 $1, %%xmm3, %%ymm1, %%ymm1; "
						  "vinserti128 $1, %%xmm0, %%ymm2, %%ymm2; vpand "
						  "%s_limit(%%rip), %%ymm1, %%ymm1; ",
						  limit);

			for (const char *p = gathers[i]; *p; p++) {
				if (p[0] == 'T')
					*o++ = wide ? 'y' : 'x', *o++ = 'm', *o++ = 'm';
				else
					*o++ = *p;
			}
			strcpy(o, "; vextracti128 $1, %ymm0, %xmm3; vzeroupper");
			form(text, "", FORM_AVX2);
		}
	fixed(others, LENGTH(others));
}

static void avx512(void)
{
	static const char *const list[] = {
		"vmovdqu8 (%rdi), %zmm0{%k1}{z}",
		"vmovups %ymm1, (%rdi){%k1}",
		"vmovdqa64 %zmm1, (%rdi){%k1}",
		"vmovdqu16 (%rdi), %ymm2{%k1}",
		"vmovss %xmm1, (%rdi){%k1}",
		"vmovsd (%rdi), %xmm1{%k1}",
		"vpmovqb %xmm1, (%rdi){%k1}",
		"vpmovdw %ymm1, (%rdi)",
		"vpcompressd %ymm1, (%rdi){%k1}",
		"vpexpandd (%rdi), %ymm1{%k1}",
		"vaddps (%rdi){1to16}, %zmm1, %zmm2{%k1}",
		"vpaddq 64(%rdi), %zmm1, %zmm0{%k1}",
		"vpbroadcastq (%rdi), %zmm1{%k1}",
		"vpermd (%rdi), %zmm1, %zmm2{%k1}",
		"vmovntdq %zmm1, (%rdi)",
		"vextracti32x4 $1, %zmm1, (%rdi){%k1}",
		"vcvtps2ph $1, %zmm1, (%rdi){%k1}",
		"vpandd narrow_limit(%rip), %zmm1, %zmm1; vpgatherdd (%rdi,%zmm1,4), %zmm2{%k1}",
		"vpandq wide_limit(%rip), %zmm1, %zmm1; vpgatherqd (%rdi,%zmm1,4), %ymm2{%k1}",
		"vpandq wide_limit(%rip), %zmm1, %zmm1; vgatherqpd (%rdi,%zmm1,8), %zmm2{%k1}",
		"vpandd narrow_limit(%rip), %zmm1, %zmm1; vpscatterdd %zmm2, (%rdi,%zmm1,4){%k1}",
		"vpandq wide_limit(%rip), %zmm1, %zmm1; vscatterqpd %zmm2, (%rdi,%zmm1,8){%k1}",
		"kmovq %k1, (%rdi); kmovw (%rdi), %k2; kmovw %k2, 8(%rdi)",
	};
	char text[256];

	for (unsigned i = 0; i < LENGTH(list); i++) {
		snprintf(text, sizeof text,
			 "vinserti64x4 $1, %%ymm2, %%zmm1, %%zmm1; kmovq %%r15, %%k1; %s; "
			 "vextracti32x4 $2, %%zmm2, %%xmm3; kmovq %%k1, %%rdx; vzeroupper",
			 list[i]);
		form(text, "", FORM_AVX512);
	}
}

static void states(void)
{
#define FRESH                                                                                      \
	"pxor %xmm4, %xmm4; pxor %xmm5, %xmm5; pxor %xmm6, %xmm6; pxor %xmm7, %xmm7; pxor "        \
	"%xmm8, %xmm8; pxor %xmm9, %xmm9; pxor %xmm10, %xmm10; pxor %xmm11, %xmm11; pxor "         \
	"%xmm12, %xmm12; pxor %xmm13, %xmm13; pxor %xmm14, %xmm14; pxor %xmm15, %xmm15; "
#define HEADER                                                                                     \
	"movaps %xmm4, 512(%rdi); movaps %xmm4, 528(%rdi); movaps %xmm4, 544(%rdi); movaps "       \
	"%xmm4, 560(%rdi); "
	static const struct fixed list[] = {
		{ 0, "fnsave (%rdi); frstor (%rdi)" },
		{ 0, "fnstenv (%rdi); fldenv (%rdi)" },
		{ 0, "data16 fnstenv (%rdi); data16 fldenv (%rdi)" },
		{ 0, FRESH "fxsave (%rdi); pxor %xmm1, %xmm1; fxrstor (%rdi)" },
		{ 0, FRESH "fxsave64 (%rdi); movaps 160(%rdi), %xmm3" },
		{ FORM_XSAVE,
		  FRESH HEADER "movl $3, %eax; xorl %edx, %edx; xsave (%rdi); pxor %xmm0, "
			       "%xmm0; xrstor (%rdi); andq $2, 512(%rdi)" },
		{ FORM_XSAVE, FRESH HEADER "movl $2, %eax; xorl %edx, %edx; "
					   "xsave64 (%rdi); movaps 160(%rdi), %xmm2; andq $2, "
					   "512(%rdi)" },
		{ 0, "fld1; fbstp (%rdi); fbld (%rdi); fisttpll 16(%rdi)" },
		{ FORM_MOVBE, "movbe (%rdi), %rdx; movbe %edx, 8(%rdi); movbe %dx, 12(%rdi)" },
		{ FORM_CLZERO, "leaq block+200(%rip), %rax; clzero" },
		{ FORM_DIRECT, "leaq block+256(%rip), %rsi; movdir64b (%rdi), %rsi" },
		{ FORM_DIRECT, "leaq block+256(%rip), %rsi; movdir64b (%edi), %esi; movdiri %rdx, "
			       "(%rdi)" },
		{ FORM_RDRAND, "rdrand %rdx; movl (%rdi), %edx; testl %edx, %edx" },
		{ 0, "cmpxchg16b (%rdi)" },
		{ 0, "movq (%rdi), %rax; movq 8(%rdi), %rdx; cmpxchg16b (%rdi)" },
		{ 0, "movq (%rdi), %rax; movq 8(%rdi), %rdx; lock cmpxchg16b (%rdi)" },
		{ 0, "movl (%rdi), %eax; movl 4(%rdi), %edx; lock cmpxchg8b (%rdi)" },
		{ 0, "movb (%rdi), %al; lock cmpxchgb %ch, (%rdi)" },
		{ 0, "movb (%rdi), %al; cmpxchgb %ch, (%rdi)" },
		{ 0, "movw (%rdi), %ax; lock cmpxchgw %dx, (%rdi)" },
	};

	fixed(list, LENGTH(list));
}

int main(void)
{
	printf("\t.text\n\t.type callee, @function\ncallee:\n\t.cfi_startproc\n\taddq $3, "
	       "block+32(%%rip)\n"
	       "\tmovq block+40(%%rip), %%r8\n\tret\n\t.cfi_endproc\n\t.size callee, .-callee\n");
	integers();
	conditions();
	lists();
	addressing();
	directions();
	lanes();
	avx512();
	states();
	printf("\t.globl form_table, form_count\n\t.section .data.rel.ro, \"aw\"\n\t.p2align "
	       "3\nform_table:\n%s",
	       table);
	printf("\t.section .rodata\n\t.p2align 3\nform_count:\t.quad %u\nmxcsr:\t.long "
	       "0x1f80\none:\t.long 0x3f800000\n",
	       nforms);
	printf("\t.p2align 6\nnarrow_limit:\n\t.fill 16, 4, 15\nwide_limit:\n\t.fill 8, 8, 15\n"
	       "\t.section .tbss, \"awT\", @nobits\n\t.p2align 3\ncell:\t.zero 8\n");
	printf("\t.section .note.GNU-stack,\"\",@progbits\n");
	return 0;
}
