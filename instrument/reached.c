/* SPDX-License-Identifier: MIT
 *
 * Functions that could not be copied, or were not on request: if one is entered while there are
 * other threads, what it does is not seen, and that is said. A trap at its first instruction tells;
 * it is there only while there are other threads, and until it was met.
 */
#include "../runtime/unseen.h"
#include "decode.h"

#include <sys/mman.h>

#define MAX_WATCHED 1024

struct watched {
	uint64_t at;
	const char *name, *why;
	bool late, armed, met;
	uint8_t byte;
};

static struct watched watched[MAX_WATCHED];
static unsigned nwatched;

static void write_byte(uint64_t at, uint8_t byte)
{
	uintptr_t page = at & ~(PAGE - 1);

	if (sys3(SYS_mprotect, page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
		return;
	*(volatile uint8_t *)at = byte;
	sys3(SYS_mprotect, page, PAGE, PROT_READ | PROT_EXEC);
}

bool reached_watch(const struct module *m)
{
	for (size_t k = 0; k < m->functions.n; k++) {
		const struct function *f = vector_at(&m->functions, struct function, k);
		struct frame_use use;
		struct insn first;

		if (!f->why_not || decode_at(f->lo, f->hi, &first, &use))
			continue;
		if (nwatched == MAX_WATCHED)
			break;
		watched[nwatched++] = (struct watched){ .at = f->lo,
							.name = f->name ? f->name : "?",
							.why = f->why_not,
							.late = m->late,
							.byte = *(const uint8_t *)f->lo };
	}
	return nwatched > 0;
}

void reached_arm(void)
{
	for (unsigned i = 0; i < nwatched && !rt->config.debugger; i++) {
		struct watched *w = &watched[i];
		const struct module *m = w->met || w->armed ? NULL : module_at(w->at);

		if (!m || *(const uint8_t *)w->at != w->byte)
			continue;
		write_byte(w->at, 0xcc);
		w->armed = true;
	}
}

void reached_rollback(void)
{
	for (unsigned i = 0; i < nwatched; i++)
		watched[i].armed &= !watched[i].late;
}

bool reached_trap(uint64_t pc)
{
	for (unsigned i = 0; i < nwatched; i++) {
		struct watched *w = &watched[i];

		if (w->at != pc || !w->armed)
			continue;
		write_byte(pc, w->byte);
		w->armed = false;
		if (rt->tracing) {
			w->met = true;
			unseen("the function ", w->name, " is called, and its accesses are not seen (",
			       w->why, ")", NULL);
		}
		return true;
	}
	return false;
}
