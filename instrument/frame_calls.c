/* SPDX-License-Identifier: MIT
 *
 * Whom a call leads to, for the analysis of the frame: what it may do to the frame of its caller.
 */
#include "frame.h"

static bool starts(const char *s, const char *with)
{
	while (*with && *s == *with)
		s++, with++;
	return !*with;
}

static bool one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (equal(name, *list))
			return true;
	return false;
}

static bool contains(const char *s, const char *word)
{
	for (; *s; s++)
		if (starts(s, word))
			return true;
	return false;
}

/* After one of these, what was in a register at the first return may be there at the second. */
static bool returns_twice(const char *name)
{
	static const char *const list[] = { "vfork", "getcontext", "savectx", NULL };

	return contains(name, "setjmp") || one_of(name, list);
}

static bool plain_hook(const char *name)
{
	static const char *const list[] = {
		"__tsan_read",      "__tsan_write",  "__tsan_unaligned_",
		"__tsan_volatile_", "__tsan_vptr_",  "__tsan_func_",
		"__tsan_init",      "__tsan_atomic", NULL
	};

	for (const char *const *p = list; *p; p++)
		if (starts(name, *p))
			return true;
	return false;
}

static unsigned kind_of_call(const char *name)
{
	/* clang-format off */
	static const char *const no_return[] = {
		"exit", "_exit", "_Exit", "quick_exit", "pthread_exit", "thrd_exit",
		"__assert_fail", "__assert", "__assert_perror_fail",
		"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk",
		"_Unwind_Resume", "__cxa_throw", "__cxa_rethrow",
		"__cxa_throw_bad_array_new_length", "__clang_call_terminate", "_ZSt9terminatev",
		NULL
	};
	/* clang-format on */

	if (one_of(name, no_return))
		return CALL_NO_RETURN;
	if (contains(name, "compare_exchange_strong") || contains(name, "compare_exchange_weak"))
		return starts(name, "__tsan_atomic") ? CALL_HOOK_CAS : CALL_OTHER;
	return plain_hook(name) ? CALL_HOOK : CALL_OTHER;
}

/* In bytes, of the type in the name of the hook. */
static unsigned cas_size(const char *name)
{
	unsigned bits = 0;

	for (name += length("__tsan_atomic"); *name >= '0' && *name <= '9'; name++)
		bits = bits * 10 + (unsigned)(*name - '0');
	return bits / 8;
}

bool in_plt(const struct module *m, uint64_t at)
{
	for (unsigned k = 0; k < m->nplt; k++)
		if (at >= m->plt[k].lo && at < m->plt[k].hi)
			return true;
	return false;
}

/* The last one is a memory order. */
static unsigned arguments_of_atomic(const char *hook)
{
	if (contains(hook, "compare_exchange"))
		return 5;
	return contains(hook, "fence") ? 1 : contains(hook, "load") ? 2 : 3;
}

/* How many arguments the usual functions in waiting loops have at most; 6: not known. */
static unsigned arguments_of(const char *name)
{
	/* clang-format off */
	static const char *const none[] = {
		"sched_yield", "thrd_yield", "pthread_self", "thrd_current", "__errno_location", NULL
	};
	static const char *const one[] = {
		"pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_unlock",
		"pthread_spin_lock", "pthread_spin_trylock", "pthread_spin_unlock",
		"pthread_rwlock_rdlock", "pthread_rwlock_tryrdlock", "pthread_rwlock_wrlock",
		"pthread_rwlock_trywrlock", "pthread_rwlock_unlock", "pthread_barrier_wait",
		"pthread_cond_signal", "pthread_cond_broadcast", "cnd_signal", "cnd_broadcast",
		"mtx_lock", "mtx_trylock", "mtx_unlock", "sem_wait", "sem_trywait", "sem_post",
		"usleep", "sleep", "malloc", "free", NULL
	};
	static const char *const two[] = {
		"pthread_cond_wait", "pthread_mutex_timedlock", "pthread_join", "cnd_wait",
		"nanosleep", "thrd_sleep", "clock_gettime", "calloc", NULL
	};
	/* clang-format on */

	if (plain_hook(name) && !contains(name, "128"))
		return starts(name, "__tsan_atomic") ? arguments_of_atomic(name) : 2;
	return one_of(name, none) ? 0 : one_of(name, one) ? 1 : one_of(name, two) ? 2 : 6;
}

static uint32_t taken(unsigned arguments)
{
	static const uint8_t order[] = { RDI, RSI, RDX, RCX, 8, 9 };
	uint32_t set = 0;

	if (arguments == 6)
		return ARGUMENT_REGISTERS | LIVE_VECTORS;
	while (arguments--)
		set |= 1u << order[arguments];
	return set;
}

/* A function of the module. What is entered in the middle does not keep to any convention. */
static bool local_call(const struct frame_function *f, struct module *m, struct step *s)
{
	const struct function *to = module_function(m, s->target);

	s->call = CALL_LOCAL;
	if (!to || to->lo != s->target || to->second || (to->name && returns_twice(to->name)))
		return false;
	if (f->summaries) {
		s->callee = &f->summaries[to - (struct function *)m->functions.data];
		if (!s->callee->known)
			s->callee = NULL;
	}
	s->takes = s->callee ? s->callee->live : taken(6);
	return true;
}

bool frame_call(const struct frame_function *f, struct step *s)
{
	static const char *const dead_ends[] = { "__stack_chk_fail", "abort", "__chk_fail",
						 "__fortify_fail", NULL };
	struct module *m = (struct module *)(uintptr_t)f->module;
	const char *name = NULL;

	s->call = CALL_OTHER;
	s->takes = taken(6);
	if (s->flow == FLOW_CALL_INDIRECT || s->flow == FLOW_JUMP_INDIRECT) {
		if (s->memory.base == RIP && s->memory.index == NO_REGISTER)
			name = import_of_slot(m, (uint64_t)s->memory.disp);
		else if (s->flow == FLOW_JUMP_INDIRECT)
			s->call = 0;
	} else if (in_plt(m, s->target)) {
		name = import_at(m, s->target);
	} else if (s->target >= m->lo && s->target < m->hi) {
		return local_call(f, m, s);
	}
	if (!s->call || !name)
		return true;
	if (one_of(name, dead_ends)) {
		s->flow = FLOW_STOP;
		s->call = 0;
		return true;
	}
	s->call = (uint8_t)kind_of_call(name);
	s->takes = taken(arguments_of(name));
	if (s->call == CALL_HOOK_CAS)
		s->size = cas_size(name);
	return !returns_twice(name);
}
