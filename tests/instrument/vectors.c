/* SPDX-License-Identifier: MIT
 *
 * Threads that hold values in vector registers, on the x87 stack and in the control words over
 * accesses to shared memory. Fails where another thread's values appear. One uses all of them, one
 * xmm registers only, one waits in calls in between and needs all of the x87 stack.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS  3
#define DEEP    8 /* all of the x87 stack */
#define SHALLOW 5

struct state {
	uint8_t vectors[16][32]; /* lower half first */
	double stack[DEEP];
	uint32_t mxcsr;
	uint16_t control;
};

static struct state in[3], out[3];
static long cells[3];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int avx;

static void fill(struct state *s, unsigned thread, unsigned round)
{
	for (unsigned n = 0; n < 16; n++)
		memset(s->vectors[n], (int)(thread * 80 + round * 20 + n), 32);
	for (unsigned n = 0; n < DEEP; n++)
		s->stack[n] = thread * 100 + round * 10 + n;
	/* All exceptions masked; a rounding mode each. */
	s->mxcsr = 0x1f80 | thread << 13;
	s->control = (uint16_t)(0x037f | thread << 10);
}

static void check(const struct state *was, const struct state *is, unsigned bytes, unsigned depth)
{
	unsigned bad = is->mxcsr != was->mxcsr || is->control != was->control;

	for (unsigned n = 0; n < 16; n++)
		bad |= (unsigned)(memcmp(was->vectors[n], is->vectors[n], bytes) != 0) << 1;
	for (unsigned n = 0; n < depth; n++)
		bad |= (unsigned)(was->stack[n] != is->stack[n]) << 2;
	if (bad) {
		printf("lost:%s%s%s\n", bad & 1 ? " control words" : "", bad & 2 ? " vectors" : "",
		       bad & 4 ? " x87 stack" : "");
		fflush(stdout);
		abort();
	}
}

#define EACH(m)                                                                                    \
	m(0) m(1) m(2) m(3) m(4) m(5) m(6) m(7) m(8) m(9) m(10) m(11) m(12) m(13) m(14) m(15)
#define XMM_LOAD(n)  "movups " #n "*32(%1), %%xmm" #n "\n\t"
#define XMM_STORE(n) "movups %%xmm" #n ", " #n "*32(%2)\n\t"
#define YMM_LOAD(n)  "vmovups " #n "*32(%1), %%ymm" #n "\n\t"
#define YMM_STORE(n) "vmovups %%ymm" #n ", " #n "*32(%2)\n\t"
#define PUSH(n)      "fldl 512+8*" #n "(%1)\n\t"
#define POP(n)       "fstpl 512+8*" #n "(%2)\n\t"
#define SHARED       "incq %0\n\tincq %0\n\tincq %0\n\t"
#define CONTROL                                                                                    \
	"ldmxcsr 576(%1)\n\tfldcw 580(%1)\n\t" SHARED "stmxcsr 576(%2)\n\tfnstcw 580(%2)\n\t"
#define PUSH_ALL   PUSH(7) PUSH(6) PUSH(5) PUSH(4) PUSH(3) PUSH(2) PUSH(1) PUSH(0)
#define POP_ALL    POP(0) POP(1) POP(2) POP(3) POP(4) POP(5) POP(6) POP(7)
#define FILL_STACK PUSH_ALL POP_ALL
#define HOLD(code)                                                                                 \
	__asm__ volatile(code                                                                      \
			 : "+m"(cells[thread])                                                     \
			 : "r"(&in[thread]), "r"(&out[thread])                                     \
			 : "memory")

_Static_assert(__builtin_offsetof(struct state, mxcsr) == 576, "as the code above has it");

static void default_control(void)
{
	uint32_t mxcsr = 0x1f80;
	uint16_t control = 0x037f;

	__asm__ volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(mxcsr), "m"(control));
}

static void *all(void *unused)
{
	unsigned thread = 1;

	for (unsigned round = 0; round < ROUNDS; round++) {
		fill(&in[thread], thread, round);
		if (avx)
			HOLD(EACH(YMM_LOAD) PUSH(4) PUSH(3) PUSH(2) PUSH(1) PUSH(0) CONTROL POP(0)
				     POP(1) POP(2) POP(3) POP(4) EACH(YMM_STORE) "vzeroupper");
		else
			HOLD(EACH(XMM_LOAD) PUSH(4) PUSH(3) PUSH(2) PUSH(1) PUSH(0) CONTROL POP(0)
				     POP(1) POP(2) POP(3) POP(4) EACH(XMM_STORE));
		default_control();
		check(&in[thread], &out[thread], avx ? 32 : 16, SHALLOW);
	}
	return unused;
}

static void *xmm_only(void *unused)
{
	unsigned thread = 2;

	for (unsigned round = 0; round < ROUNDS; round++) {
		fill(&in[thread], thread, round);
		HOLD(EACH(XMM_LOAD) CONTROL FILL_STACK EACH(XMM_STORE));
		default_control();
		check(&in[thread], &out[thread], 16, DEEP);
	}
	return unused;
}

static void *in_calls(void *unused)
{
	unsigned thread = 0;

	for (unsigned round = 0; round < ROUNDS; round++) {
		fill(&in[thread], thread, round);
		pthread_mutex_lock(&lock);
		HOLD(CONTROL FILL_STACK);
		pthread_mutex_unlock(&lock);
		memcpy(out[thread].vectors, in[thread].vectors, sizeof in[thread].vectors);
		check(&in[thread], &out[thread], 16, DEEP);
	}
	return unused;
}

/* With an argument: without ymm registers. */
int main(int argc, char **argv)
{
	pthread_t t[3];

	(void)argv;
	avx = argc < 2 && __builtin_cpu_supports("avx");
	pthread_create(&t[0], NULL, all, NULL);
	pthread_create(&t[1], NULL, xmm_only, NULL);
	pthread_create(&t[2], NULL, in_calls, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	puts(avx ? "kept, with ymm" : "kept");
	return 0;
}
