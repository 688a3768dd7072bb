/* SPDX-License-Identifier: MIT
 *
 * What an instruction or function of two steps does in the second is decided by what it has read in
 * the first. One thread does it while another changes a byte of what is read. How it may end (the
 * registers, flags and memory of a processor that has read all before the change, or all after it)
 * is computed before there are threads, and the exit code tells which it was.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <immintrin.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 512
#define LARGE 4096

struct result {
	uint64_t rsi, rdi, rcx, flags;
	uint8_t block[BLOCK];
};

static const struct form {
	const char *name;
	unsigned from, to, count;
	unsigned change; /* a byte that is read in the first step: the other thread sets it to 9 */
	unsigned
		second; /* one of the second step: written by a move, else also set to 9; 0: none */
	uint64_t rax;
	void (*execute)(struct result *r, uint64_t rax);
} forms[];

#define STRING(name, before, instruction)                                                          \
	static void name(struct result *r, uint64_t rax)                                           \
	{                                                                                          \
		uint64_t rsi = r->rsi, rdi = r->rdi, rcx = r->rcx, flags = 0;                      \
                                                                                                   \
		__asm__ volatile("cmpq $77, %%rcx\n\t" before "\n\t" instruction                   \
				 "\n\tpushfq\n\tcld\n\tpopq %3"                                    \
				 : "+S"(rsi), "+D"(rdi), "+c"(rcx), "=r"(flags), "+a"(rax)         \
				 :                                                                 \
				 : "memory", "cc");                                                \
		r->rsi = rsi, r->rdi = rdi, r->rcx = rcx;                                          \
		r->flags = flags & 0xcd5;                                                          \
	}
STRING(movsb_up, "cld", "rep movsb")
STRING(movsw_up, "cld", "rep movsw")
STRING(movsq_up, "cld", "rep movsq")
STRING(movsb_down, "std", "rep movsb")
STRING(movsl_down, "std", "rep movsl")
STRING(movsq_one, "cld", "movsq")
STRING(cmpsb_up, "cld", "repe cmpsb")
STRING(cmpsw_down, "std", "repe cmpsw")
STRING(cmpsl_not, "cld", "repne cmpsl")
STRING(cmpsq_one, "cld", "cmpsq")
STRING(scasb_up, "cld", "repne scasb")
STRING(scasw_down, "std", "repe scasw")

/* All are about the bytes from 128 to 191. */
static const struct form forms[] = {
	{ "movsb", 128, 256, 64, 136, 264, 0, movsb_up },
	{ "movsw", 128, 256, 32, 136, 264, 0, movsw_up },
	{ "movsq", 128, 256, 8, 136, 264, 0, movsq_up },
	{ "movsb-down", 191, 319, 64, 136, 264, 0, movsb_down },
	{ "movsl-down", 188, 316, 16, 136, 264, 0, movsl_down },
	{ "movsq-one", 136, 256, 1, 136, 256, 0, movsq_one },
	{ "movsb-behind", 128, 131, 64, 129, 192, 0, movsb_up }, /* repeats its first bytes */
	{ "movsb-before", 128, 125, 64, 136, 126, 0, movsb_up },
	{ "movsq-behind", 128, 140, 8, 139, 195, 0, movsq_up },
	{ "movsb-down-before", 191, 180, 64, 185, 120, 0, movsb_down },
	{ "cmpsb", 128, 256, 64, 136, 276, 0, cmpsb_up },
	{ "cmpsw-down", 190, 318, 32, 136, 258, 0, cmpsw_down },
	{ "cmpsl-not", 128, 320, 16, 136, 340, 0, cmpsl_not },
	{ "cmpsq", 136, 256, 1, 139, 256, 0, cmpsq_one },
	{ "scasb", 0, 128, 64, 136, 0, 9, scasb_up },
	{ "scasw-down", 0, 190, 32, 136, 0, 0x0101, scasw_down },
};

static struct result shared, models[4]; /* by what is changed: bit 0 `change`, bit 1 `second` */
static const struct form *form;
static uint8_t seen;

static int moves(void)
{
	return form->name[0] == 'm';
}

static void prepare(struct result *r)
{
	memset(r, 0, sizeof *r);
	memset(r->block + 64, 1, 256);
	r->rsi = (uint64_t)(r->block + form->from);
	r->rdi = (uint64_t)(r->block + form->to);
	r->rcx = form->count;
	/* A move shows which bytes it has read. */
	for (unsigned i = 0; i < 64 && moves(); i++)
		r->block[128 + i] = (uint8_t)(100 + i);
	/* For what looks for equal elements: either change makes some. */
	memcpy(r->block + 328, "\11\1\1\1", 4);
	memcpy(r->block + 340, "\2\1\1\1", 4);
	if (form->to == 320)
		r->block[148] = 9;
}

static void relative(struct result *r)
{
	r->rsi -= (uint64_t)r->block;
	r->rdi -= (uint64_t)r->block;
}

static void make_model(unsigned changes)
{
	struct result *r = &models[changes];

	prepare(r);
	if (changes & 1)
		r->block[form->change] = 9;
	if (changes & 2)
		r->block[form->second] = 9;
	form->execute(r, form->rax);
	relative(r);
}

static void *executes(void *unused)
{
	form->execute(&shared, form->rax);
	return unused;
}

static void *changes(void *unused)
{
	volatile uint8_t *block = shared.block;
	unsigned first = form->change, second = form->second;
	int reads = moves();

	block[first] = 9;
	if (reads)
		seen = block[second];
	else if (second)
		block[second] = 9;
	return unused;
}

/* Ends with the changes that the steps have met: each its own, or for a move, bit 1 says that the
 * other thread came before the second step. */
static void check(void)
{
	uint8_t at = shared.block[form->change], *early = &models[0].block[form->change],
		*late = &models[1].block[form->change];

	relative(&shared);
	/* The byte changed is the other's, or what a move has written over it. */
	assert(at == 9 || (*late != 9 && (at == *early || at == *late)));
	for (unsigned i = 0; i < (moves() ? 2 : 4); i++) {
		shared.block[form->change] = models[i].block[form->change];
		if (form->second && !moves())
			shared.block[form->second] = models[i].block[form->second];
		if (!memcmp(&shared, &models[i], sizeof shared))
			exit((int)i + (moves() && seen == 1 ? 2 : 0));
	}
	assert(!"a result of neither");
}

static void run(void *(*first)(void *), void *(*second)(void *))
{
	pthread_t a, b;

	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}

/* Copies of a large structure. */

static struct large {
	uint8_t bytes[LARGE];
} source, target;
static char mode;
static volatile size_t size = LARGE;

static void *copies(void *unused)
{
	const void *from = &source;
	void *to = &target;
	size_t n = size;

	if (mode == 'm')
		memmove(to, from, n);
	else if (mode == 'c')
		memcpy(to, from, n);
	else if (mode == 'p')
		mempcpy(to, from, n);
	else if (mode == 'n')
		strncpy(to, from, n);
	else if (mode == 't')
		strcat(to, from);
	else if (mode == 's')
		strcpy(to, from);
	else
		__asm__ volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(n) : : "memory");
	return unused;
}

static void *writes(void *unused)
{
	((volatile uint8_t *)source.bytes)[5] = 2;
	seen = ((volatile uint8_t *)target.bytes)[5];
	return unused;
}

/* A gather reads one element after the other. */

static int32_t elements[8];
static int gathered[4];

__attribute__((target("avx2"))) static void *gathers(void *unused)
{
	__m128i mask = _mm_set_epi32(0, -1, 0, -1), got = _mm_set_epi32(3, 3, 3, 3);

	__asm__ volatile("vpgatherdd %0, (%2,%3,4), %1"
			 : "+x"(mask), "+x"(got)
			 : "r"(elements), "x"(_mm_set_epi32(2, 7, 2, 1))
			 : "memory");
	_mm_storeu_si128((__m128i *)gathered, got);
	return unused;
}

static void *writes_elements(void *unused)
{
	((volatile int32_t *)elements)[1] = 1;
	((volatile int32_t *)elements)[2] = 1; /* not selected */
	((volatile int32_t *)elements)[7] = 1;
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 0;
	if (!strcmp(argv[1], "copy")) {
		mode = argv[2][0];
		memset(&source, 1, sizeof source - 1);
		run(copies, writes);
		assert(target.bytes[4] == 1 && target.bytes[LARGE - 2] == 1);
		exit(seen * 10 + target.bytes[5]);
	}
	if (!strcmp(argv[1], "gather")) {
		run(gathers, writes_elements);
		assert(gathered[1] == 3 && gathered[3] == 3);
		exit(10 + gathered[0] * 2 + gathered[2]);
	}
	if (!strcmp(argv[1], "list")) {
		for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++)
			puts(forms[i].name);
		return 0;
	}
	for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++)
		if (!strcmp(argv[1], forms[i].name))
			form = &forms[i];
	for (unsigned i = 0; i < 4; i++)
		make_model(i);
	prepare(&shared);
	run(executes, changes);
	check();
}
