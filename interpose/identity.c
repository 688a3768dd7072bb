/* SPDX-License-Identifier: MIT
 *
 * What tells threads and executions apart, and must be each thread's own and the same in every
 * execution: thread ids, names, processors, priorities.
 */
#include "../runtime/modules.h"
#include "../runtime/twins.h"
#include "sending.h"
#include "thread.h"

#include <errno.h>
#include <sched.h>

#define CPU_BYTES sizeof rt->cur->cpus

/* Linux gives no thread an id as high, so none of these is somebody else's. */
#define FIRST_ID 5000000

/* main's is that of the process, which is another one in each process; the others' are always the same. */
static pid_t id_of(const struct fiber *f)
{
	uint32_t n = f->id + (uint32_t)f->lives * MAX_FIBERS;

	return (pid_t)(n ? FIRST_ID + n : rt->target_pid);
}

struct fiber *fiber_of_id(pid_t id)
{
	for (unsigned i = 0; i < rt->nfibers; i++)
		if (id_of(&rt->fibers[i]) == id)
			return thread_is_there(&rt->fibers[i]) ? &rt->fibers[i] : NULL;
	return NULL;
}

pid_t i_gettid(void);
pid_t i_gettid(void)
{
	if (!active())
		return (pid_t)sys0(SYS_gettid);
	twin_asks(rt->cur);
	return id_of(rt->cur);
}

/* The process's name, of main from the beginning. */
static void set_first_name(struct fiber *f)
{
	const char *name = base_name(rt->config.program);
	size_t n = length(name);

	if (n > sizeof f->name - 1)
		n = sizeof f->name - 1;
	copy(f->name, name, n);
}

int i_pthread_setname_np(pthread_t thread, const char *name);
int i_pthread_setname_np(pthread_t thread, const char *name)
{
	struct fiber *f;
	size_t n = length(name);

	if (!active())
		return real_pthread_setname_np(thread, name);
	f = thread_of(thread);
	if (!f)
		return ESRCH;
	if (n > sizeof f->name - 1)
		return ERANGE;
	zero(f->name, sizeof f->name);
	copy(f->name, name, n);
	f->named = 1;
	return 0;
}

int i_pthread_getname_np(pthread_t thread, char *name, size_t size);
int i_pthread_getname_np(pthread_t thread, char *name, size_t size)
{
	struct fiber *f;

	if (!active())
		return real_pthread_getname_np(thread, name, size);
	f = thread_of(thread);
	if (!f)
		return ESRCH;
	if (size < sizeof f->name)
		return ERANGE;
	if (!f->name[0] && !f->named)
		set_first_name(f);
	copy(name, f->name, sizeof f->name);
	return 0;
}

/* Affinity is kept, and changes nothing. False: there is none of these processors. */
static bool allowed_cpus(uint8_t *to, size_t size, const cpu_set_t *set)
{
	uint8_t allowed[CPU_BYTES] = { 0 };
	const uint8_t *bytes = (const uint8_t *)set;
	bool any = false;

	sys3(SYS_sched_getaffinity, 0, sizeof allowed, allowed);
	for (size_t i = 0; i < sizeof allowed; i++) {
		to[i] = i < size ? bytes[i] & allowed[i] : 0;
		any |= to[i];
	}
	return any;
}

static int set_cpus(struct fiber *f, size_t size, const cpu_set_t *set)
{
	uint8_t cpus[CPU_BYTES];

	if (!allowed_cpus(cpus, size, set))
		return EINVAL;
	copy(f->cpus, cpus, sizeof cpus);
	f->ncpus = 1;
	return 0;
}

static int get_cpus(struct fiber *f, size_t size, cpu_set_t *set)
{
	uint8_t allowed[sizeof f->cpus] = { 0 };
	long r = sys3(SYS_sched_getaffinity, 0, sizeof allowed, allowed);
	size_t n = size < sizeof allowed ? size : sizeof allowed;

	if (r < 0 || size < 8 || size % 8 || size < (size_t)r)
		return EINVAL;
	zero(set, size);
	copy(set, f->ncpus ? f->cpus : allowed, n);
	return 0;
}

int i_pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set);
int i_pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set)
{
	struct fiber *f;

	if (!active())
		return real_pthread_setaffinity_np(thread, size, set);
	f = thread_of(thread);
	return f ? set_cpus(f, size, set) : ESRCH;
}

int i_pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set);
int i_pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set)
{
	struct fiber *f;

	if (!active())
		return real_pthread_getaffinity_np(thread, size, set);
	f = thread_of(thread);
	return f ? get_cpus(f, size, set) : ESRCH;
}

int i_sched_setaffinity(pid_t id, size_t size, const cpu_set_t *set);
int i_sched_setaffinity(pid_t id, size_t size, const cpu_set_t *set)
{
	struct fiber *f;
	int r;

	if (!active())
		return real_sched_setaffinity(id, size, set);
	f = id ? fiber_of_id(id) : rt->cur;
	r = f ? set_cpus(f, size, set) : ESRCH;
	return r ? fail(r) : 0;
}

int i_sched_getaffinity(pid_t id, size_t size, cpu_set_t *set);
int i_sched_getaffinity(pid_t id, size_t size, cpu_set_t *set)
{
	struct fiber *f;
	int r;

	if (!active())
		return real_sched_getaffinity(id, size, set);
	f = id ? fiber_of_id(id) : rt->cur;
	r = f ? get_cpus(f, size, set) : ESRCH;
	return r ? fail(r) : 0;
}

/* All run on the first processor that they may use. */
int i_sched_getcpu(void);
int i_sched_getcpu(void)
{
	const struct fiber *f;

	if (!active())
		return real_sched_getcpu();
	f = rt->cur;
	for (unsigned i = 0; f->ncpus && i < 8 * sizeof f->cpus; i++)
		if (f->cpus[i / 8] >> i % 8 & 1)
			return (int)i;
	return 0;
}

int i_getcpu(unsigned *cpu, unsigned *node);
int i_getcpu(unsigned *cpu, unsigned *node)
{
	if (!active())
		return real_getcpu(cpu, node);
	if (cpu)
		*cpu = (unsigned)i_sched_getcpu();
	if (node)
		*node = 0;
	return 0;
}

/* Where libc notes in an attribute whether the two were set; else they are the maker's all the same. */
enum { ATTR_FLAGS = 2, ATTR_PARAM = 0x20, ATTR_POLICY = 0x40 };

#define ATTR_EXTENSION 5 /* the word that points to the rest */

void attributes_without_extension(pthread_attr_t *to, const pthread_attr_t *from)
{
	*to = *from;
	((uint64_t *)to)[ATTR_EXTENSION] = 0;
}

/* No bit is 0: the attribute says nothing of processors. */
static bool says_which(const cpu_set_t *set)
{
	for (size_t i = 0; i < sizeof *set; i++)
		if (((const uint8_t *)set)[i] != 0xff)
			return true;
	return false;
}

/* What it says of how the thread is scheduled, where that is not its maker's; of the rest nothing. */
static bool says_how(const pthread_attr_t *attr, int *policy, int *priority)
{
	int inherit = PTHREAD_INHERIT_SCHED, flags = ((const int *)attr)[ATTR_FLAGS];
	struct sched_param p;

	real_pthread_attr_getinheritsched(attr, &inherit);
	if (inherit != PTHREAD_EXPLICIT_SCHED)
		return false;
	if (flags & ATTR_POLICY)
		real_pthread_attr_getschedpolicy(attr, policy);
	if (flags & ATTR_PARAM && !real_pthread_attr_getschedparam(attr, &p))
		*priority = p.sched_priority;
	return true;
}

int attributes_forbid(const pthread_attr_t *attr)
{
	int policy = rt->cur->policy, priority = rt->cur->priority;
	uint8_t cpus[CPU_BYTES];
	cpu_set_t set;

	if (!real_pthread_attr_getaffinity_np(attr, sizeof set, &set) && says_which(&set) &&
	    !allowed_cpus(cpus, sizeof set, &set))
		return EINVAL;
	return says_how(attr, &policy, &priority)
		       ? schedule_forbidden(rt->cur->policy, rt->cur->priority, policy, priority)
		       : 0;
}

void identity_new(struct fiber *f, const pthread_attr_t *attr)
{
	sigset_t blocked;
	cpu_set_t set;

	f->policy = rt->cur->policy;
	f->priority = rt->cur->priority;
	f->ncpus = rt->cur->ncpus;
	copy(f->cpus, rt->cur->cpus, sizeof f->cpus);
	if (!attr)
		return;
	says_how(attr, &f->policy, &f->priority);
	if (!real_pthread_attr_getsigmask_np(attr, &blocked))
		f->mask = sigs_blocked(&blocked);
	if (!real_pthread_attr_getaffinity_np(attr, sizeof set, &set) && says_which(&set))
		set_cpus(f, sizeof set, &set);
}

int i_pthread_getcpuclockid(pthread_t thread, clockid_t *clock);
int i_pthread_getcpuclockid(pthread_t thread, clockid_t *clock)
{
	struct fiber *f;

	if (!active())
		return real_pthread_getcpuclockid(thread, clock);
	f = thread_of(thread);
	if (!f || !thread_is_there(f))
		return ESRCH;
	*clock = ~id_of(f) << 3 | 6; /* as the kernel counts: a thread's time on a processor */
	return 0;
}
