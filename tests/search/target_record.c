/* SPDX-License-Identifier: MIT
 *
 * The file in which a target leaves what its executions came to: memory that is shared with the test, at a fixed place.
 */
#include "target_calls.h"

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RECORDS ((struct records *)0x6a0000000000)
/* Which record is this execution's: other processes write theirs at the same time. No part of the program's state, either. */
#define PLACE ((uint32_t *)0x69fffffff000)

/* Past the runtime, which would take back what executions leave in a file that they open, and could not tell
 * the state of one that has mapped it. */
static QUIET long system_call(long number, long a, long b, long c, long d, long e)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = 0;

	__asm__ volatile("syscall"
			 : "+a"(number)
			 : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return number;
}

/* It stays from one execution to the next. */
QUIET int records_map(const char *name)
{
	long fd = system_call(SYS_open, (long)name, O_RDWR, 0, 0, 0), size, at;

	if (fd < 0)
		return -1;
	size = system_call(SYS_lseek, fd, 0, SEEK_END, 0, 0);
	at = system_call(SYS_mmap, (long)RECORDS, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE,
			 fd);
	system_call(SYS_close, fd, 0, 0, 0, 0);
	system_call(SYS_mmap, (long)PLACE, sizeof *PLACE, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1);
	return at == (long)RECORDS || at == -EEXIST ? 0 : -1;
}

QUIET void record_begin(void)
{
	*PLACE = __atomic_fetch_add(&RECORDS->n, 1, __ATOMIC_RELAXED);
	if (*PLACE >= RECORDS->capacity) { /* whatever comes of it: the search is too long to be compared */
		RECORDS->n = RECORDS->capacity;
		*PLACE = RECORDS->capacity - 1;
	}
}

/* What depends on the place must not be left in registers, which are a part of the state of the next call. */
QUIET void record_keep(const struct record *r)
{
	RECORDS->list[*PLACE] = *r;
	__asm__ volatile("xorl %%eax, %%eax\n\t"
			 "xorl %%ecx, %%ecx\n\t"
			 "xorl %%edx, %%edx\n\t"
			 "xorl %%esi, %%esi\n\t"
			 "xorl %%edi, %%edi\n\t"
			 "xorl %%r8d, %%r8d\n\t"
			 "xorl %%r9d, %%r9d\n\t"
			 "xorl %%r10d, %%r10d\n\t"
			 "xorl %%r11d, %%r11d"
			 :
			 :
			 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory");
}
