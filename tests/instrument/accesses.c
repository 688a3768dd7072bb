/* SPDX-License-Identifier: MIT
 *
 * Which events an instruction is: each line below that ends so tells them as `linchpin trace`
 * does. The instructions of AVX2 are executed if there is an argument.
 */
#include <immintrin.h>
#include <pthread.h>
#include <stdint.h>

static struct {
	uint64_t a[16];
	int32_t w[16];
	uint8_t area[1024] __attribute__((aligned(64)));
} d;

/* clang-format off */
#define DO(code) __asm__ volatile(code : : "r"(d.a) : "memory", "cc", "rax", "rbx", "rcx", "rdx", "rsi", "rdi")

__attribute__((noinline)) static void integers(void)
{
	DO("pushq (%0); popq 8(%0)"); //: read d.a[0] = 3; write d.a[1] = 3
	DO("addq $5, (%0)"); //: read d.a[0] = 3; write d.a[0] = 8
	DO("movl $5, %%edx; movl $8, %%eax; cmpxchgq %%rdx, (%0)"); //: read d.a[0] = 8; write d.a[0] = 5
	DO("movl $5, %%edx; xaddq %%rdx, (%0)"); //: read d.a[0] = 5; write d.a[0] = 10
	DO("movl $5, %%edx; lock xaddq %%rdx, (%0)"); //: atomic update d.a[0] 10 -> 15
	DO("movl $71, %%edx; lock btsq %%rdx, (%0)"); //: atomic update d.a[1] 3 -> 131
	DO("movl $65, %%edx; btq %%rdx, (%0)"); //: read d.a[1] = 131
	DO("xorl %%eax, %%eax; xorl %%edx, %%edx; cmpxchg16b (%0)"); //: read d.a[0] (16 bytes); write d.a[0] (16 bytes)
	DO("prefetcht0 (%0); prefetchw (%0); clflush (%0); leaq (%0), %%rdx"); //:
	DO("movq %0, %%rbx; movl $8, %%eax; xlat"); //: read d.a[1] = -125
	DO("btsq $40, %0; movb 8(%k0), %%dl; btrq $40, %0"); //: read d.a[1] = -125
	DO("movl $1, %%edx; movnti %%rdx, (%0)"); //: write d.a[0] = 1
}

__attribute__((noinline)) static void jumps(void)
{
	DO("leaq 1f(%%rip), %%rdx; movq %%rdx, %%fs:cell@tpoff; jmp *%%fs:cell@tpoff; 1:"); //:
	DO("movq d+16(%%rip), %%rdx; pushq d+16(%%rip); popq d+24(%%rip)"); //: read d.a[2] = 7; read d.a[2] = 7; write d.a[3] = 7
	DO("subq $128, %%rsp; call *d+32(%%rip); addq $128, %%rsp"); //: read d.a[4] = TEXT
	DO("leaq 1f(%%rip), %%rdx; movq %%rdx, 24(%0); jmp *24(%0); 1:"); //: write d.a[3] = TEXT; read d.a[3] = TEXT
}

__attribute__((noinline)) static void ranges(void)
{
	DO("fxsave d+192(%%rip)"); //: write d.area[0] (512 bytes)
	DO("fnsave d+192(%%rip)"); //: write d.area[0] (108 bytes)
	DO("frstor d+192(%%rip)"); //: read d.area[0] (108 bytes)
	DO("leaq d+192(%%rip), %%rdi; movq %%rdi, %%rsi; movl $10, %%ecx; repe cmpsb"); //: read d.area[0] (10 bytes); read d.area[0] (10 bytes)
	DO("leaq d+192(%%rip), %%rdi; movq %%rdi, %%rsi; movl $10, %%ecx; repne cmpsb"); //: read d.area[0] = 127; read d.area[0] = 127
	DO("leaq d+192(%%rip), %%rdi; xorl %%ecx, %%ecx; repne scasb; rep stosb"); //:
	DO("leaq d+201(%%rip), %%rdi; leaq 100(%%rdi), %%rsi; movl $10, %%ecx; std; rep movsb; cld"); //: read d.area[100] (10 bytes); write d.area[0] (10 bytes)
	DO("leaq d+202(%%rip), %%rdi; movl $2, %%ecx; xorl %%eax, %%eax; std; rep stosl; cld"); //: write d.area[6] = 0
	DO("leaq d+192(%%rip), %%rdi; movq $-1, %%rcx; movb $1, %%al; incb 40(%%rdi); repne scasb"); //: read d.area[40] = 0; write d.area[40] = 1; read d.area[0] (41 bytes)
	DO("leaq d+192(%%rip), %%rsi; addr32 lodsw"); //: read d.area[0] = 0
}

__attribute__((noinline, target("avx2"))) static void lanes(void)
{
	__m128i middle = _mm_set_epi32(0, -1, -1, 0), mask = middle, got = middle;

	__asm__ volatile("vpmaskmovd %0, %0, (%1)" : : "x"(middle), "r"(d.w) : "memory"); //: write d.w[1] = -1
	__asm__ volatile("vpmaskmovd (%1), %0, %0" : "+x"(middle) : "r"(d.w) : "memory"); //: read d.w[1] = -1
	__asm__ volatile("vpgatherdd %0, (%2,%3,4), %1" : "+x"(mask), "+x"(got) : "r"(d.w), "x"(_mm_set_epi32(1, 2, 3, 4))); //: read d.w[3] = 0; read d.w[2] = -1
}
/* clang-format on */

__attribute__((naked)) static void callee(void)
{
	__asm__("ret");
}
__thread uint64_t cell;

static void *thread(void *wide)
{
	integers();
	jumps();
	ranges();
	if (wide)
		lanes();
	return NULL;
}

static void *nothing(void *unused)
{
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	(void)argv;
	d.a[0] = 3;
	d.a[2] = 7;
	d.a[4] = (uint64_t)callee;
	pthread_create(&a, NULL, thread, argc > 1 ? &d : NULL);
	pthread_create(&b, NULL, nothing, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
