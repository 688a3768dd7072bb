/* SPDX-License-Identifier: MIT
 *
 * Signals: actions, masks, and what is sent by the program itself. All of that is kept here, a mask and
 * pending signals for each thread; the kernel is not asked. A signal that the kernel sends (a broken
 * pipe, a child that ended) finds what the program wants of it there, too, and comes to the process as
 * if it had sent it.
 *
 * Crashes stay outcomes. A handler for SIGSEGV and the like runs only if the program sends the signal.
 */
#include "../runtime/checkpoint.h"
#include "../runtime/extended.h"
#include "../runtime/outcome.h"
#include "../runtime/trace.h"
#include "../runtime/watchdog.h"
#include "sending.h"

#include <errno.h>
#include <signal.h>
#include <ucontext.h>

/* Part of the checkpoint. */
static struct {
	struct sigaction actions[LAST_SIGNAL + 1];
} state;

static bool state_changed; /* in this execution */

/* What an execution has changed in the kernel, with the values before it. */
static struct {
	uint64_t handlers; /* bit sig - 1 */
	struct sigaction actions[LAST_SIGNAL];
} changed;

/* The signals that tell the runtime of crashes and hangs. */
static bool ours(int sig)
{
	return sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL ||
	       sig == SIGABRT || sig == SIGTRAP || sig == WATCHDOG_SIGNAL;
}

static void does_nothing(int sig)
{
	(void)sig;
}

void signals_checkpoint(void)
{
	struct sigaction nothing_else = { 0 };

	for (int sig = 1; sig <= LAST_SIGNAL; sig++)
		if (ours(sig) || real_sigaction(sig, NULL, &state.actions[sig]) || outcome_handles(&state.actions[sig]))
			state.actions[sig] = (struct sigaction){ .sa_handler = SIG_DFL };
	/* Who writes to a broken pipe is told otherwise; but what the program starts must not ignore it. */
	nothing_else.sa_handler = does_nothing;
	real_sigaction(SIGPIPE, &nothing_else, NULL);
	checkpoint_add_marked((uintptr_t)&state, (uintptr_t)(&state + 1), &state_changed);
}

void signals_rollback(void)
{
	for (; changed.handlers; changed.handlers &= changed.handlers - 1) {
		int sig = __builtin_ctzll(changed.handlers) + 1;

		real_sigaction(sig, &changed.actions[sig - 1], NULL);
	}
}

/* In a child of fork the kernel does with signals what the program has said; traps are those of instrumented
 * code. */
void signals_in_child(void)
{
	for (int sig = 1; sig <= LAST_SIGNAL; sig++)
		if (sig_valid(sig) && sig != SIGTRAP && sig != SIGKILL && sig != SIGSTOP)
			real_sigaction(sig, &state.actions[sig], NULL);
}

bool signals_changed(void)
{
	return changed.handlers;
}

static bool is_handler(const struct sigaction *a)
{
	return a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN;
}

bool signals_caught(void)
{
	for (int sig = 1; sig <= LAST_SIGNAL; sig++)
		if (is_handler(&state.actions[sig]))
			return true;
	return false;
}

static void from_kernel(int sig, siginfo_t *info, void *unused)
{
	(void)unused;
	if (active())
		signal_comes(NULL, sig, info->si_code, (uint64_t)info->si_value.sival_ptr);
}

void signal_from_process(int sig)
{
	signal_comes(NULL, sig, SI_USER, 0);
}

/* So that the kernel does not end the process, and does not restart what is to be interrupted. */
static void tell_kernel(int sig, const struct sigaction *act)
{
	struct sigaction k = *act;

	if (ours(sig) || outcome_is_interrupt(sig) || sig == SIGPIPE)
		return;
	if (!(changed.handlers & sig_bit(sig)) &&
	    !real_sigaction(sig, NULL, &changed.actions[sig - 1]))
		changed.handlers |= sig_bit(sig);
	if (is_handler(act)) {
		k.sa_sigaction = from_kernel;
		k.sa_flags = SA_SIGINFO | SA_ONSTACK | (act->sa_flags & (SA_RESTART | SA_NOCLDSTOP | SA_NOCLDWAIT));
		sigemptyset(&k.sa_mask);
	}
	real_sigaction(sig, &k, NULL);
}

/* A mask decides who takes a signal for the process, and an action what becomes of it, so they are steps where signals
 * are sent. So is a look at what is pending. */
static void mask_step(void)
{
	if (rt->sends & SENDS_SIGNALS)
		send_step(SENT_PROCESS);
}

int i_sigaction(int sig, const struct sigaction *act, struct sigaction *old);
int i_sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	struct sigaction before;

	if (!active())
		return real_sigaction(sig, act, old);
	if (!sig_valid(sig) || (act && (sig == SIGKILL || sig == SIGSTOP)))
		return fail(EINVAL);
	if (act) {
		mask_step();
		if (rt->sends & SENDS_SIGNALS && is_handler(act))
			sends(SENDS_CAUGHT);
	}
	before = state.actions[sig];
	if (act) {
		if (ours(sig) && is_handler(act))
			trace_note("the program's handler for a crash signal runs only if the "
				   "program sends it: a crash is an outcome");
		state.actions[sig] = *act;
		state_changed = true;
		tell_kernel(sig, act);
	}
	if (old)
		*old = before;
	return 0;
}

typedef void (*handler)(int);

handler i_signal(int sig, handler h);
handler i_signal(int sig, handler h)
{
	struct sigaction act, old;

	zero(&act, sizeof act);
	act.sa_handler = h;
	act.sa_flags = SA_RESTART;
	return i_sigaction(sig, &act, &old) ? SIG_ERR : old.sa_handler;
}

/* 0 or an error */
static int change_mask(int how, const sigset_t *set, sigset_t *old)
{
	struct fiber *f = rt->cur;
	uint64_t before = f->mask, bits = 0;

	if (set) {
		bits = sigs_blocked(set);
		if (how != SIG_BLOCK && how != SIG_UNBLOCK && how != SIG_SETMASK)
			return EINVAL;
		mask_step();
		f->mask = how == SIG_BLOCK     ? before | bits
			  : how == SIG_UNBLOCK ? before & ~bits
					       : bits;
	}
	if (old) {
		zero(old, sizeof *old);
		old->__val[0] = before;
	}
	if (rt->nsent)
		take_now();
	return 0;
}

int i_pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
int i_pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	if (!active())
		return (int)-sys4(SYS_rt_sigprocmask, how, (long)set, (long)old, _NSIG / 8);
	return change_mask(how, set, old);
}

int i_sigprocmask(int how, const sigset_t *set, sigset_t *old);
int i_sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	int r = i_pthread_sigmask(how, set, old);

	real_init();
	return r ? fail(r) : 0;
}

int i_sigpending(sigset_t *set);
int i_sigpending(sigset_t *set)
{
	if (!active())
		return real_sigpending(set);
	mask_step();
	zero(set, sizeof *set);
	for (uint32_t i = 0; i < rt->nsent; i++)
		if (rt->sent[i].to == rt->cur->id || rt->sent[i].to == SENT_TO_PROCESS)
			set->__val[0] |= sig_bit(rt->sent[i].signal);
	return 0;
}

static bool ignored_without_handler(int sig)
{
	return sig == SIGCHLD || sig == SIGCONT || sig == SIGURG || sig == SIGWINCH;
}

/* False: nobody would take it. */
static bool comes(const struct fiber *to, struct sent s, bool queues)
{
	const struct sigaction *a = &state.actions[s.signal];
	bool blocked = (to ? to : rt->cur)->mask & sig_bit(s.signal);

	s.to = to ? to->id : SENT_TO_PROCESS;
	if (!blocked && (a->sa_handler == SIG_IGN ||
			 (a->sa_handler == SIG_DFL && ignored_without_handler(s.signal))))
		return false;
	for (uint32_t i = 0; i < rt->nsent && !queues; i++)
		if (rt->sent[i].signal == s.signal && rt->sent[i].to == s.to)
			return true;
	if (rt->nsent == MAX_SENT)
		refuse("more than %u signals are pending", (unsigned long)MAX_SENT);
	rt->sent[rt->nsent++] = s;
	return true;
}

/* Those of real time queue up, the others do not. */
void signal_comes(const struct fiber *to, int sig, int code, uint64_t value)
{
	comes(to, (struct sent){ .signal = (uint8_t)sig, .code = code, .value = value }, sig >= LIBC_SIGNAL);
}

/* A timer has a place of its own. */
bool timer_signal_comes(const struct fiber *to, int sig, uint64_t value, unsigned timer)
{
	return comes(to,
		     (struct sent){ .signal = (uint8_t)sig, .code = SI_TIMER, .value = value, .timer = (uint8_t)timer },
		     true);
}

struct sent signal_dequeued(int i, siginfo_t *info)
{
	const struct sent s = sent_remove(i);

	zero(info, sizeof *info);
	info->si_signo = s.signal;
	info->si_code = s.code;
	if (s.code == SI_TIMER) {
		info->si_timerid = s.timer - 1;
		info->si_overrun = timer_signal_taken(s.timer);
	} else if (s.code != SI_KERNEL) {
		info->si_pid = (pid_t)rt->target_pid;
		info->si_uid = (uid_t)sys0(SYS_getuid);
	}
	info->si_value.sival_ptr = (void *)s.value;
	return s;
}

bool signal_has_handler(int sig)
{
	return sig && is_handler(&state.actions[sig]);
}

int signal_taken(const struct sent *s, siginfo_t *info)
{
	struct sigaction a = state.actions[s->signal];
	struct fiber *f = rt->cur;
	uint64_t mask = f->mask, handling = f->handling;
	int *error = real.errno_location(), kept = *error;
	const uint8_t no_point = f->no_point;
	const struct environment floating = environment_now();
	ucontext_t context;

	if (a.sa_handler == SIG_IGN || (a.sa_handler == SIG_DFL && ignored_without_handler(s->signal)))
		return SA_RESTART;
	if (a.sa_handler == SIG_DFL)
		end_execution(LP_OUT_CRASH, s->signal, f->pending.pc, NULL);
	if (a.sa_flags & SA_RESETHAND) {
		state.actions[s->signal].sa_handler = SIG_DFL;
		state_changed = true;
	}
	zero(&context, sizeof context);
	context.uc_sigmask.__val[0] = mask;
	f->mask |= a.sa_mask.__val[0] | (a.sa_flags & SA_NODEFER ? 0 : sig_bit(s->signal));
	f->handling |= f->mask & ~mask;
	f->handlers++;
	f->no_point = 0; /* also if it jumps away */
	environment_initial();
	handler_runs((uint64_t)a.sa_handler, (uint64_t[]){ s->signal, (uint64_t)info, (uint64_t)&context },
		     a.sa_flags & SA_ONSTACK);
	environment_set(floating);
	f->no_point = no_point;
	f->mask = sigs_blocked(&context.uc_sigmask); /* a handler may have changed that */
	if (UNLIKELY(in_child())) /* it has forked, and this is the child */
		sys4(SYS_rt_sigprocmask, SIG_SETMASK, (long)&f->mask, 0, sizeof f->mask);
	f->handling = handling;
	*error = kept;
	return a.sa_flags;
}

/* 0 or an error */
static int send_to(struct fiber *to, int sig, int code, uint64_t value)
{
	if (sig && !sig_valid(sig))
		return EINVAL;
	if (to ? to != rt->cur : sig != 0) {
		if (!alone())
			sends(SENDS_SIGNALS);
		send_step(to ? SENT_THREAD(to) : SENT_PROCESS);
	}
	if (to && to->joined)
		return ESRCH;
	if (!sig)
		return 0;
	if (to && to->state == FIBER_FINISHED)
		return 0;
	signal_comes(to, sig, code, value);
	take_now();
	return 0;
}

int i_pthread_kill(pthread_t thread, int sig);
int i_pthread_kill(pthread_t thread, int sig)
{
	struct fiber *f;

	if (!active())
		return real_pthread_kill(thread, sig);
	f = thread_of(thread);
	return !f ? ESRCH : send_to(f, sig, SI_TKILL, 0);
}

int i_pthread_sigqueue(pthread_t thread, int sig, const union sigval value);
int i_pthread_sigqueue(pthread_t thread, int sig, const union sigval value)
{
	struct fiber *f;

	if (!active())
		return real_pthread_sigqueue(thread, sig, value);
	f = thread_of(thread);
	return !f || !thread_is_there(f) ? ESRCH : send_to(f, sig, SI_QUEUE, (uint64_t)value.sival_ptr);
}

int i_raise(int sig);
int i_raise(int sig)
{
	int r;

	if (!active())
		return real_raise(sig);
	r = sig ? send_to(rt->cur, sig, SI_TKILL, 0) : 0;
	return r ? fail(r) : 0;
}

static bool own_process(pid_t id)
{
	return id == (pid_t)rt->target_pid;
}

static bool own_group(pid_t id)
{
	return id == 0 || (id < -1 && -(long)id == sys1(SYS_getpgid, 0));
}

/* Of the program there are this process and those that it has started; others of the group are who runs the exploration. */
static void send_to_children(int sig)
{
	struct text path;
	char list[4096];
	long n, id = 0;

	path.n = 0;
	text_add(&path, "/proc/self/task/%u/children", (unsigned long)rt->target_tid);
	path.s[path.n] = '\0';
	n = read_file(path.s, list, sizeof list);
	for (long i = 0; i < n; i++) {
		if (list[i] != ' ') {
			id = id * 10 + list[i] - '0';
			continue;
		}
		if (sys1(SYS_getpgid, id) == sys1(SYS_getpgid, 0))
			sys2(SYS_kill, id, sig);
		id = 0;
	}
}

int i_kill(pid_t id, int sig);
int i_kill(pid_t id, int sig)
{
	int r;

	if (!active() || !(own_process(id) || own_group(id)))
		return real_kill(id, sig);
	if (rt->forked && own_group(id) && (!sig || sig_valid(sig)))
		send_to_children(sig);
	r = send_to(NULL, sig, SI_USER, 0);
	return r ? fail(r) : 0;
}

int i_killpg(pid_t group, int sig);
int i_killpg(pid_t group, int sig)
{
	return group < 0 || group == 1 ? real_killpg(group, sig) : i_kill(-group, sig);
}

int i_sigqueue(pid_t id, int sig, const union sigval value);
int i_sigqueue(pid_t id, int sig, const union sigval value)
{
	int r;

	if (!active() || !own_process(id))
		return real_sigqueue(id, sig, value);
	r = send_to(NULL, sig, SI_QUEUE, (uint64_t)value.sival_ptr);
	return r ? fail(r) : 0;
}

int i_tgkill(pid_t process, pid_t thread, int sig);
int i_tgkill(pid_t process, pid_t thread, int sig)
{
	struct fiber *f = active() ? fiber_of_id(thread) : NULL;
	int r;

	if (!active() || !own_process(process))
		return real_tgkill(process, thread, sig);
	r = f ? send_to(f, sig, SI_TKILL, 0) : ESRCH;
	return r ? fail(r) : 0;
}

/* abort() with a handler for SIGABRT calls that first. */
void signal_abort(void)
{
	const struct sigaction *a = &state.actions[SIGABRT];

	if (is_handler(a))
		send_to(rt->cur, SIGABRT, SI_TKILL, 0);
}

void signal_pipe(void)
{
	send_to(rt->cur, SIGPIPE, SI_USER, 0);
}
