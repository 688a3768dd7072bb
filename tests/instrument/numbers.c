/* SPDX-License-Identifier: MIT
 *
 * Numbers that instructions give: what two threads do depends on them, and all executions of a class must be the same.
 * Time goes on, as for clocks. Registers that are not written, and flags where they count, live across.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

static _Atomic int n;

static uint64_t stamp(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

static uint64_t stamp_processor(uint32_t *processor)
{
	uint32_t low, high;

	__asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(*processor));
	return (uint64_t)high << 32 | low;
}

/* The carry is kept by the first, and set by the second. */
static int flags(void)
{
	uint8_t kept, set, zero;
	uint64_t number = 0;

	__asm__ volatile("stc\n\trdtsc\n\tsetc %0" : "=r"(kept) : : "rax", "rdx", "cc");
	__asm__ volatile("xor %%ecx, %%ecx\n\trdrand %2\n\tsetc %0\n\tsetz %1" : "=r"(set), "=r"(zero), "=r"(number) : : "rcx", "cc");
	return kept && set && !zero && number;
}

static uint64_t random_number(void)
{
	uint64_t all;
	uint32_t half;
	uint16_t word = 7;
	uint64_t kept = 0x1122334455667788;

	__asm__ volatile("rdrand %0" : "=r"(all) : : "cc");
	__asm__ volatile("rdrand %0" : "=r"(half) : : "cc");
	__asm__ volatile("rdrand %w0" : "+r"(kept) : : "cc");
	__asm__ volatile("rdrand %0" : "=r"(word) : : "cc");
	assert(kept >> 16 == 0x112233445566);
	return all ^ half ^ word ^ kept;
}

static void *worker(void *unused)
{
	uint64_t before = stamp(), random = random_number(), after;
	struct timespec time = { 0, 1000000 };
	uint32_t processor;

	nanosleep(&time, NULL);
	after = stamp_processor(&processor);
	assert(after > before && flags());
	for (uint64_t bits = (random & 7) | (after & 0xc00) | 0x1000; bits; bits &= bits - 1)
		n++;
	return unused;
}

int main(void)
{
	uint64_t begin = stamp(), end;
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	end = stamp();
	assert(end > begin && n <= 12);
	while (stamp() < end + 100000) /* and so it does for who is alone */
		;
	return 0;
}
