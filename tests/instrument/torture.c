/* SPDX-License-Identifier: MIT
 *
 * Executes the functions of forms.c with random operands in a second thread, so that
 * instrumentation sees every access, and prints a hash of registers, flags and memory for each. The
 * output must not depend on whether the program is instrumented.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct form {
	void (*execute)(void);
	const char *text;
	uint64_t
		needs; /* 1: AVX2 and BMI2; 2: flags and what is below the stack pointer are lost */
};
extern const struct form form_table[];
extern const uint64_t form_count;

struct state {
	uint64_t registers[15], flags;
	uint8_t vectors[64];
	uint64_t below[3];
};
struct state in, out;
__attribute__((aligned(64))) uint8_t block[512];

static uint64_t seed;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void prepare(unsigned round)
{
	uint64_t at = (uint64_t)(block + 128);

	for (unsigned i = 0; i < sizeof block; i += 8) {
		uint64_t v = next_random();

		/* Equal values are wanted as well. */
		if (round & 1)
			v = 0x0101010101010101u * (v & 1);
		memcpy(block + i, &v, 8);
	}
	for (unsigned i = 0; i < 15; i++)
		in.registers[i] = next_random();
	for (unsigned i = 0; i < 64; i++)
		in.vectors[i] = (uint8_t)next_random();
	in.registers[0] = in.registers[1] = in.registers[3] = in.registers[6] = in.registers[12] =
		at;
	in.registers[11] = at - 64;
	in.registers[8] = at / 8;
	in.registers[9] = (uint64_t)((int64_t)(next_random() % 256) - 128);
	in.registers[13] = next_random() % 3 * 16;
	in.flags = (next_random() & 0x8d5) | 0x202;
	memset(&out, 0, sizeof out);
}

static uint64_t hash(uint64_t h, const void *p, size_t n)
{
	const uint8_t *b = p;

	for (size_t i = 0; i < n; i++)
		h = (h ^ b[i]) * 0x100000001b3u;
	return h;
}

static void execute(unsigned i, unsigned round)
{
	const struct form *f = &form_table[i];
	uint64_t h = 0xcbf29ce484222325u;

	seed = 0x9e3779b97f4a7c15u * (i + 1) + round;
	prepare(round);
	f->execute();
	if (f->needs == 2) {
		memset(out.below, 0, sizeof out.below);
		out.flags = 0;
	}
	h = hash(h, out.registers, sizeof out.registers);
	h = hash(h, out.vectors, sizeof out.vectors);
	h = hash(h, out.below, sizeof out.below);
	h = hash(h, block, sizeof block);
	printf("%u %u %016llx %03llx %s\n", i, round, (unsigned long long)h,
	       (unsigned long long)out.flags & 0xcd5, f->text);
}

static void *thread(void *rounds)
{
	int wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");

	for (unsigned round = 0; round < (unsigned)(uintptr_t)rounds; round++)
		for (unsigned i = 0; i < form_count; i++)
			if (form_table[i].needs != 1 || wide)
				execute(i, round);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t;

	pthread_create(&t, NULL, thread, (void *)(uintptr_t)(argc > 1 ? atoi(argv[1]) : 1));
	pthread_join(t, NULL);
	return 0;
}
