/* SPDX-License-Identifier: MIT
 *
 * Other processes that an execution starts. They run for real, outside of the exploration; what they do to files
 * and the like is not taken back, and pipes may lead to them, so from then on those that are there wait for real. A child of fork
 * has the memory of the execution, but none of its threads: it may exec, or do something of its own and end. What it calls
 * libc and the kernel do, so it takes over what the runtime has kept of its thread, and of time (child_time.c). Where it would
 * need more, the exploration ends with what it says. Those that an execution has not waited for do not outlive it.
 */
#include "../runtime/donors.h"
#include "../runtime/explore.h"
#include "../runtime/unseen.h"
#include "channels.h"
#include "clock.h"
#include "thread.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#define MOST_CHILDREN 64

static void child_starts(const char *name, enum leads least)
{
	channels_lead_out(least);
	rt->forked = 1;
	process_started();
	unseen("the program starts another process (", name,
	       "): what that does is neither explored nor taken back, and what it passes to this one is no "
	       "step",
	       NULL);
}

void process_starts(const char *name)
{
	child_starts(name, LEADS_OUT);
}

/* The state of the runtime may be shared with the process that goes on; ours is to be another. */
static void part(void)
{
	size_t size = round_up(sizeof *rt, PAGE);
	void *own = map(0, size, false, false);

	copy(own, rt, size);
	sys5(SYS_mremap, own, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, rt);
}

/* What the runtime knows of the thread is from now on what libc and the kernel do. */
static void become_thread(const struct fiber *f)
{
	uint32_t *id = donor_id();

	if (id)
		*id = (uint32_t)sys0(SYS_gettid);
	if (f->named)
		sys2(SYS_prctl, PR_SET_NAME, f->name);
	real_pthread_setcancelstate(f->cancel_off ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE, NULL);
	real_pthread_setcanceltype(f->cancel_async ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED, NULL);
	scheduling_in_child();
}

static void become_child(uint64_t mask)
{
	time_in_child();
	part();
	rt->child = 1;
	rt->running = rt->tracing = rt->looking = rt->tls_traced = 0;
	rt->nsent = 0; /* what was sent is the parent's to take */
	signals_in_child();
	become_thread(rt->cur);
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof mask);
}

/* Those of this execution that may not have been waited for. */
static pid_t children[MOST_CHILDREN];
static unsigned nchildren;

/* Ids are given again, but not that of a child for which nobody has waited. */
static bool is_there(pid_t id)
{
	siginfo_t info;

	return sys5(SYS_waitid, P_PID, id, &info, WEXITED | WNOHANG | WNOWAIT, 0) >= 0;
}

static void note_child(pid_t id)
{
	if (nchildren == MOST_CHILDREN) {
		nchildren = 0;
		for (unsigned i = 0; i < MOST_CHILDREN; i++)
			if (is_there(children[i]))
				children[nchildren++] = children[i];
	}
	if (nchildren < MOST_CHILDREN)
		children[nchildren++] = id;
}

void children_end(void)
{
	for (; nchildren; nchildren--) {
		pid_t id = children[nchildren - 1];

		if (!is_there(id))
			continue;
		sys2(SYS_kill, id, SIGKILL);
		while (sys4(SYS_wait4, id, 0, 0, 0) == -EINTR)
			;
	}
}

static pid_t start(const char *name, int flags)
{
	uint64_t mask = rt->cur->mask, all = ~0UL, before;
	long id;

	settle();
	child_starts(name, LEADS_TO_CHILD);
	/* What comes to the child early is not the runtime's. */
	sys4(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, sizeof all);
	id = sys5(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
	if (!id)
		become_child(mask);
	else
		sys4(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
	if (id > 0)
		note_child((pid_t)id);
	if (id && UNLIKELY(rt->late & rt->searching)) /* said meanwhile; all that the program does may be this call */
		abandon_execution();
	return id < 0 ? fail((int)-id) : (pid_t)id;
}

int i___register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso);
int i___register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso)
{
	if (program_state.nat_forks == MAX_AT_FORKS)
		return ENOMEM;
	program_state_changed = true;
	program_state.at_forks[program_state.nat_forks++] =
		(struct at_fork){ prepare, parent, child, dso };
	return kept_here() ? 0 : real___register_atfork(prepare, parent, child, dso);
}

int i_pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void));
int i_pthread_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void))
{
	return i___register_atfork(prepare, parent, child, NULL);
}

void at_forks_forget(const void *dso)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < program_state.nat_forks; i++)
		if (!dso || program_state.at_forks[i].dso != dso)
			program_state.at_forks[kept++] = program_state.at_forks[i];
	if (kept != program_state.nat_forks)
		program_state_changed = true;
	program_state.nat_forks = kept;
}

static void run(void (*handler)(void))
{
	if (handler)
		call_back((uint64_t)handler, 0, 0, 0);
}

pid_t i_fork(void);
pid_t i_fork(void)
{
	pid_t id;
	int error;

	if (!active())
		return real_fork();
	process_shared_forks();
	for (unsigned i = program_state.nat_forks; i-- > 0;)
		run(program_state.at_forks[i].prepare);
	id = start("fork", 0);
	error = *real.errno_location(); /* not that of handlers */
	for (unsigned i = 0; i < program_state.nat_forks; i++)
		run(id ? program_state.at_forks[i].parent : program_state.at_forks[i].child);
	*real.errno_location() = error;
	return id;
}

/* With memory of its own, or its return would be one in the thread that waits for it. */
pid_t i_vfork(void);
pid_t i_vfork(void)
{
	return active() ? start("vfork", CLONE_VFORK) : real_fork();
}

void child_has_no_threads(void)
{
	if (rt_there && rt->child)
		die("a child of fork makes a thread: children are not explored. Let it exec a program of "
		    "its own, and explore that one");
}
