/* SPDX-License-Identifier: MIT
 *
 * Functions that libc and the loader call inside themselves, where a preloaded library cannot
 * intercept: their first bytes are replaced by a jump. Done once, after the constructors.
 */
#include "interpose.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* jmp *0(%rip), then the address */
static const uint8_t jump[] = { 0xff, 0x25, 0, 0, 0, 0 };

#define JUMP_SIZE (sizeof jump + 8)

bool redirect(void *function, size_t room, const void *to)
{
	uintptr_t at = (uintptr_t)function, lo = at & ~(PAGE - 1);
	size_t size = round_up(at + JUMP_SIZE, PAGE) - lo;

	if (room < JUMP_SIZE ||
	    sys3(SYS_mprotect, lo, size, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
		return false;
	copy(function, jump, sizeof jump);
	copy((uint8_t *)function + sizeof jump, &to, sizeof to);
	sys3(SYS_mprotect, lo, size, PROT_READ | PROT_EXEC);
	return true;
}

static void redirect_own(const char *name, const void *to)
{
	void *found = dlsym(RTLD_NEXT, name), *symbol = NULL;
	Dl_info info;

	if (found && dladdr1(found, &info, &symbol, RTLD_DL_SYMENT) && symbol)
		redirect(found, ((const ElfW(Sym) *)symbol)->st_size, to);
}

/* error(), err(), argp and others end the process from inside libc. */
bool exits_redirected;

void redirect_exits(void)
{
	exits_redirected = true;
	redirect_own("exit", (const void *)(uintptr_t)exit);
	redirect_own("_exit", (const void *)(uintptr_t)_exit);
}
