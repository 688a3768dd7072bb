/* SPDX-License-Identifier: MIT
 *
 * Executes the functions of forms.c with random operands in a second thread, so that
 * instrumentation sees every access, and prints a hash of registers, flags and memory for each. The
 * output must not depend on whether the program is instrumented.
 */
#include "forms.h"

#include <cpuid.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct form {
	void (*execute)(void);
	const char *text;
	uint64_t needs; /* enum form_needs */
};
extern const struct form form_table[];
extern const uint64_t form_count;

struct state {
	uint64_t registers[15], flags;
	uint8_t vectors[64];
	uint64_t below[3];
};
struct state in, out;
__attribute__((aligned(64))) uint8_t block[1024];

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void fill_block(unsigned round, uint64_t *seed)
{
	uint8_t fresh[sizeof block];

	for (unsigned i = 0; i < sizeof block; i += 8) {
		uint64_t v = next_random(seed);

		/* Equal values are wanted as well. */
		if (round & 1)
			v = 0x0101010101010101u * (v & 1);
		memcpy(fresh + i, &v, 8);
	}
	memcpy(block, fresh, sizeof block);
}

static void fill_registers(uint64_t *seed)
{
	uint64_t at = (uint64_t)(block + 128);
	struct state s;

	for (unsigned i = 0; i < 15; i++)
		s.registers[i] = next_random(seed);
	for (unsigned i = 0; i < 64; i++)
		s.vectors[i] = (uint8_t)next_random(seed);
	s.registers[0] = s.registers[1] = s.registers[3] = s.registers[6] = s.registers[12] = at;
	s.registers[11] = at - 64;
	s.registers[8] = at / 8;
	s.registers[9] = (uint64_t)((int64_t)(next_random(seed) % 256) - 128);
	s.registers[13] = next_random(seed) % 3 * 16;
	s.flags = (next_random(seed) & 0x8d5) | 0x202;
	memset(s.below, 0, sizeof s.below);
	memcpy(&in, &s, sizeof in);
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
	uint64_t h = 0xcbf29ce484222325u, seed = 0x9e3779b97f4a7c15u * (i + 1) + round;
	uint8_t left[sizeof block];
	struct state s;

	fill_block(round, &seed);
	fill_registers(&seed);
	f->execute();
	memcpy(&s, &out, sizeof s);
	h = hash(h, s.registers, sizeof s.registers);
	h = hash(h, s.vectors, sizeof s.vectors);
	h = hash(h, s.below, sizeof s.below);
	memcpy(left, block, sizeof left);
	h = hash(h, left, sizeof left);
	printf("%u %u %016llx %03llx %s\n", i, round, (unsigned long long)h,
	       (unsigned long long)s.flags & 0xcd5, f->text);
}

static int has(enum form_needs needs)
{
	unsigned r1[4] = { 0 }, r7[4] = { 0 }, r8[4] = { 0 };

	__get_cpuid(1, &r1[0], &r1[1], &r1[2], &r1[3]);
	__get_cpuid_count(7, 0, &r7[0], &r7[1], &r7[2], &r7[3]);
	__get_cpuid(0x80000008, &r8[0], &r8[1], &r8[2], &r8[3]);
	switch (needs) {
	case FORM_AVX2:
		return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
	case FORM_AVX512:
		return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		       __builtin_cpu_supports("avx512vl");
	case FORM_XSAVE:
		return r1[2] >> 27 & 1;
	case FORM_MOVBE:
		return r1[2] >> 22 & 1;
	case FORM_RDRAND:
		return r1[2] >> 30 & 1;
	case FORM_DIRECT:
		return (r7[2] >> 27 & 3) == 3;
	case FORM_CLZERO:
		return r8[1] & 1;
	default:
		return 1;
	}
}

static void *thread(void *rounds)
{
	unsigned skipped = 0;

	for (unsigned round = 0; round < (unsigned)(uintptr_t)rounds; round++)
		for (unsigned i = 0; i < form_count; i++)
			if (has((enum form_needs)form_table[i].needs))
				execute(i, round);
			else
				skipped++;
	printf("skipped: %u\n", skipped);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t;

	pthread_create(&t, NULL, thread, (void *)(uintptr_t)(argc > 1 ? atoi(argv[1]) : 1));
	pthread_join(t, NULL);
	return 0;
}
