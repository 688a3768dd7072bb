/* SPDX-License-Identifier: MIT
 *
 * Code that was compiled with hooks: which of its accesses a hook announces, as they are.
 *
 * Compilers call a hook before the statement that it is for, and a call is a barrier to them. So the
 * access of a statement is in the machine code between its hook and the next call. Where exactly one
 * hook and one access of that kind and size are there, the hook is the event, which is cheaper than
 * a site. Anything else is decided by the machine code, as in code without hooks: the hooks are not
 * called in the copy, and each access is a site. That is
 *
 *	a bit-field             the hook says "write", the code reads the word and writes it
 *	a copy of a structure   two hooks, then loads and stores; all loads would be made after the
 *	                        step of the second hook
 *	memset, memcpy, strcpy  with a constant size: expanded after the hooks were placed
 *	assembly, functions without hooks in a module that has some
 *
 * A hook without an access is left as it is. Words of the frame are not looked at unless a hook is
 * for one: compilers keep their own things there.
 */
#include "decode.h"
#include "event.h"
#include "frame.h"

#define MAX_BATCH 64
#define MEMOS     1024

enum { NO_HOOK, HOOK_READ, HOOK_WRITE, HOOK_BOTH, ATOMIC_LOAD };

struct hook {
	uint8_t kind;
	uint16_t size; /* 0: a range */
};

/* The instructions between two calls: hooks first. */
struct batch {
	struct insn *hooks[MAX_BATCH], *accesses[MAX_BATCH];
	struct hook what[MAX_BATCH];
	unsigned nhooks, naccesses;
	bool full;
};

static bool take(const char **s, const char *what)
{
	size_t n = length(what);

	for (size_t k = 0; k < n; k++)
		if ((*s)[k] != what[k])
			return false;
	*s += n;
	return true;
}

static struct hook hook_named(const char *name)
{
	struct hook h = { NO_HOOK, 0 };

	if (!name || !take(&name, "__tsan_"))
		return h;
	if (take(&name, "atomic")) {
		for (; *name >= '0' && *name <= '9'; name++)
			h.size = (uint16_t)(h.size * 10 + (*name - '0'));
		return (struct hook){ take(&name, "_load") ? ATOMIC_LOAD : NO_HOOK, h.size / 8 };
	}
	take(&name, "unaligned_");
	take(&name, "volatile_");
	if (take(&name, "vptr_update"))
		return (struct hook){ HOOK_WRITE, 8 };
	if (take(&name, "vptr_read"))
		return (struct hook){ HOOK_READ, 8 };
	if (take(&name, "read_write"))
		h.kind = HOOK_BOTH;
	else if (take(&name, "read"))
		h.kind = HOOK_READ;
	else if (take(&name, "write"))
		h.kind = HOOK_WRITE;
	for (; *name >= '0' && *name <= '9'; name++)
		h.size = (uint16_t)(h.size * 10 + (*name - '0'));
	return h;
}

/* The hook that a call is of. The same few linkage entries are called again and again. */
static struct hook hook_called(const struct module *m, const struct insn *i)
{
	static struct {
		const struct module *module;
		uint64_t at;
		struct hook hook;
	} memos[MEMOS], *memo;
	bool direct = i->flow == FLOW_CALL;
	uint64_t at = direct ? i->target : (uint64_t)i->memory.disp;

	if (!direct && (i->flow != FLOW_CALL_INDIRECT || i->indirect_reg != NO_REGISTER ||
			i->memory.base != RIP))
		return (struct hook){ NO_HOOK, 0 };
	memo = &memos[(at >> 3) % MEMOS];
	if (memo->module != m || memo->at != at) {
		memo->module = m;
		memo->at = at;
		memo->hook = hook_named(direct ? import_at(m, at) : import_of_slot(m, at));
	}
	return memo->hook;
}

static bool in_frame(const struct insn *i, bool frame_pointer)
{
	return i->access && i->access != SITE_STRING + 1 && !i->fs &&
	       (i->memory.base == RSP || (frame_pointer && i->memory.base == RBP));
}

static bool matches(struct hook h, const struct insn *i)
{
	return h.size == i->size && ((h.kind == HOOK_READ && i->access == SITE_READ + 1) ||
				     (h.kind == HOOK_WRITE && i->access == SITE_WRITE + 1));
}

/* Nothing that is read there ever changes (constants, addresses of other modules), or it is linchpin.h's
 * own variable: constructors have found the functions, and marks are not accesses of the program. */
static bool fixed(const struct insn *i)
{
	uint64_t addr = (uint64_t)i->memory.disp;

	return i->access == SITE_READ + 1 && i->memory.base == RIP &&
	       i->memory.index == NO_REGISTER &&
	       (read_only_memory(addr) || is_hooks_variable(addr, i->size));
}

/* The one hook announces the one access that could be meant; the result is that access. */
static struct insn *announced(const struct batch *b, bool frame_pointer)
{
	struct insn *found = NULL;
	unsigned others = 0;

	if (b->nhooks != 1 || b->full)
		return NULL;
	for (unsigned k = 0; k < b->naccesses; k++) {
		struct insn *i = b->accesses[k];
		bool frame = in_frame(i, frame_pointer);

		if (matches(b->what[0], i) && (!found || in_frame(found, frame_pointer)))
			found = frame && found ? found : i;
		else if (!frame)
			others++;
	}
	return others ? NULL : found;
}

/* Decides about a batch, and begins the next one. True if some access needs a site. */
static bool close(struct batch *b, bool frame_pointer)
{
	struct insn *by_hook = announced(b, frame_pointer);
	bool decided = by_hook || !b->nhooks;
	unsigned sites = 0;

	for (unsigned k = 0; k < b->naccesses; k++) {
		struct insn *i = b->accesses[k];
		bool word = in_frame(i, frame_pointer) && i->size <= 8;

		if (i == by_hook || (decided && word))
			i->access = 0;
		else
			sites++;
	}
	if (!decided && sites)
		for (unsigned k = 0; k < b->nhooks; k++)
			b->hooks[k]->silent = 1;
	b->nhooks = b->naccesses = 0;
	b->full = false;
	return sites > 0;
}

/* clang up to 14 leaves the load in place that it has made a call of, without a use of its result. If
 * it is of the same address (event.c), it is the same load. */
static bool left_over(const struct vector *insns, size_t k, struct hook call)
{
	const struct insn *i = vector_at(insns, struct insn, k);
	uint32_t result = i->def & 0xffff;

	if (call.kind != ATOMIC_LOAD || i->access != SITE_READ + 1 || i->size != call.size ||
	    !result)
		return false;
	while (++k < insns->n) {
		i = vector_at(insns, struct insn, k);
		if (i->use & result)
			return false;
		if (i->def & result || i->flow != FLOW_NEXT)
			return true;
	}
	return false;
}

static bool has_frame_pointer(const struct vector *insns)
{
	for (size_t k = 0; k < insns->n; k++) {
		const struct insn *i = vector_at(insns, struct insn, k);

		if (same((const void *)i->at, "\x48\x89\xe5", 3)) /* mov %rsp, %rbp */
			return true;
	}
	return false;
}

bool announced_by_hooks(const struct module *m, const struct vector *insns)
{
	bool frame_pointer = has_frame_pointer(insns), needed = false;
	struct hook call = { NO_HOOK, 0 };
	struct batch b = { .nhooks = 0 };

	for (size_t k = 0; k < insns->n; k++) {
		struct insn *i = vector_at(insns, struct insn, k);
		struct hook h = hook_called(m, i);

		if (h.kind != NO_HOOK && h.kind != ATOMIC_LOAD) {
			if (b.naccesses || b.nhooks == MAX_BATCH)
				needed |= close(&b, frame_pointer);
			b.what[b.nhooks] = h;
			b.hooks[b.nhooks++] = i;
			i->access = 0;
			continue;
		}
		if (i->access == SITE_NUMBER + 1) {
			needed = true; /* no hook says anything of it */
			continue;
		}
		if (left_over(insns, k, call))
			i->repeat = 1;
		call.kind = i->access ? NO_HOOK : call.kind;
		if (i->access && fixed(i)) {
			i->access = 0;
		} else if (i->access) {
			if (b.naccesses == MAX_BATCH) {
				/* The hooks are silent, so what follows is not theirs. */
				b.full = true;
				needed |= close(&b, frame_pointer);
			}
			b.accesses[b.naccesses++] = i;
		}
		if (i->flow != FLOW_NEXT) {
			needed |= close(&b, frame_pointer);
			call = h;
		}
	}
	return needed | close(&b, frame_pointer);
}
