/* SPDX-License-Identifier: MIT
 *
 * Policies and priorities: each thread's own, kept, and without a say in who goes on. What the kernel knows would be those of
 * the one real thread.
 */
#include "thread.h"

#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/resource.h>

static bool valid_priority(int policy, int priority)
{
	switch (policy) {
	case SCHED_OTHER:
	case SCHED_BATCH:
	case SCHED_IDLE:
		return priority == 0;
	case SCHED_FIFO:
	case SCHED_RR:
		return priority >= 1 && priority <= 99;
	default:
		return false;
	}
}

int schedule_forbidden(int policy_before, int priority_before, int policy, int priority)
{
	struct __user_cap_header_struct who = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct can[2] = { { 0 } };
	struct rlimit most = { 0 };

	if (!valid_priority(policy, priority))
		return EINVAL;
	if (policy != SCHED_FIFO && policy != SCHED_RR)
		return 0;
	if (!sys2(SYS_capget, &who, can) && can[0].effective >> CAP_SYS_NICE & 1)
		return 0;
	sys2(SYS_getrlimit, RLIMIT_RTPRIO, &most);
	return (policy != policy_before && !most.rlim_cur) ||
			       (priority > priority_before && (uint64_t)priority > most.rlim_cur)
		       ? EPERM
		       : 0;
}

static int schedule(struct fiber *f, int policy, int priority)
{
	int r = schedule_forbidden(f->policy, f->priority, policy, priority);

	if (!r) {
		f->policy = policy;
		f->priority = priority;
	}
	return r;
}

int i_pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *p);
int i_pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *p)
{
	struct fiber *f;

	if (!active())
		return real_pthread_setschedparam(thread, policy, p);
	f = thread_of(thread);
	if (!f || !thread_is_there(f))
		return ESRCH;
	return schedule(f, policy, p->sched_priority);
}

int i_pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *p);
int i_pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *p)
{
	struct fiber *f;

	if (!active())
		return real_pthread_getschedparam(thread, policy, p);
	f = thread_of(thread);
	if (!f || !thread_is_there(f))
		return ESRCH;
	*policy = f->policy;
	p->sched_priority = f->priority;
	return 0;
}

int i_pthread_setschedprio(pthread_t thread, int priority);
int i_pthread_setschedprio(pthread_t thread, int priority)
{
	struct fiber *f;

	if (!active())
		return real_pthread_setschedprio(thread, priority);
	f = thread_of(thread);
	if (!f || !thread_is_there(f))
		return ESRCH;
	return schedule(f, f->policy, priority);
}

void scheduling_in_child(void)
{
	const struct fiber *f = rt->cur;
	const struct sched_param p = { .sched_priority = f->priority };

	if (sys1(SYS_sched_getscheduler, 0) != f->policy || f->priority)
		sys3(SYS_sched_setscheduler, 0, f->policy, &p);
	if (f->ncpus)
		sys3(SYS_sched_setaffinity, 0, sizeof f->cpus, f->cpus);
}

/* ---- by the kernel's ids ---- */

/* NULL: it is another process's, or none. */
static struct fiber *scheduled(pid_t id)
{
	return id ? fiber_of_id(id) : rt->cur;
}

static int with_errno(int error)
{
	return error ? fail(error) : 0;
}

int i_sched_setscheduler(pid_t id, int policy, const struct sched_param *p);
int i_sched_setscheduler(pid_t id, int policy, const struct sched_param *p)
{
	struct fiber *f = active() ? scheduled(id) : NULL;

	if (!f || !p || policy & SCHED_RESET_ON_FORK)
		return real_sched_setscheduler(id, policy, p);
	return with_errno(schedule(f, policy, p->sched_priority));
}

int i_sched_getscheduler(pid_t id);
int i_sched_getscheduler(pid_t id)
{
	const struct fiber *f = active() ? scheduled(id) : NULL;

	return f ? f->policy : real_sched_getscheduler(id);
}

int i_sched_setparam(pid_t id, const struct sched_param *p);
int i_sched_setparam(pid_t id, const struct sched_param *p)
{
	struct fiber *f = active() ? scheduled(id) : NULL;

	if (!f || !p)
		return real_sched_setparam(id, p);
	return with_errno(schedule(f, f->policy, p->sched_priority));
}

int i_sched_getparam(pid_t id, struct sched_param *p);
int i_sched_getparam(pid_t id, struct sched_param *p)
{
	const struct fiber *f = active() ? scheduled(id) : NULL;

	if (!f || !p)
		return real_sched_getparam(id, p);
	p->sched_priority = f->priority;
	return 0;
}
