/* SPDX-License-Identifier: MIT
 *
 * The older functions on signals, of System V and BSD, and what errno is when main begins.
 */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "same.h"

static volatile sig_atomic_t count;

static void handler(int sig)
{
	count++;
	printf("handler of %d\n", sig);
}

/* What is in force: its handler, whether it is forgotten at the first signal, whether it is blocked. */
static void show(int sig)
{
	struct sigaction a;
	sigset_t mask;

	sigaction(sig, NULL, &a);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	V(a.sa_handler == SIG_DFL);
	V(a.sa_handler == SIG_IGN);
	V(a.sa_handler == handler);
	V((a.sa_flags & SA_RESTART) != 0);
	V((a.sa_flags & (int)SA_RESETHAND) != 0);
	V(sigismember(&mask, sig));
}

static void system_v(void)
{
	V(sigset(SIGUSR1, handler) == SIG_DFL);
	show(SIGUSR1);
	E(raise(SIGUSR1));
	show(SIGUSR1);
	V(sigset(SIGUSR1, SIG_HOLD) == handler);
	show(SIGUSR1);
	E(raise(SIGUSR1));
	V(count);
	V(sigset(SIGUSR1, SIG_HOLD) == SIG_HOLD);
	V(sigset(SIGUSR1, handler) == SIG_HOLD);
	V(count);
	E(sighold(SIGUSR1));
	E(raise(SIGUSR1));
	V(count);
	E(sigrelse(SIGUSR1));
	V(count);
	E(sigignore(SIGUSR1));
	show(SIGUSR1);
	E(raise(SIGUSR1));
	V(sigset(SIGUSR1, SIG_DFL) == SIG_IGN);
	show(SIGUSR1);
	E(sighold(0));
	E(sighold(1000));
	E(sigrelse(-1));
	E(sigignore(0));
	E(sigignore(SIGKILL));
	V(sigset(1000, handler) == SIG_ERR && errno == EINVAL);
	V(sigset(SIGKILL, handler) == SIG_ERR && errno == EINVAL);
}

static void bsd(void)
{
	V(ssignal(SIGUSR2, handler) == SIG_DFL);
	show(SIGUSR2);
	E(siginterrupt(SIGUSR2, 1));
	show(SIGUSR2);
	E(siginterrupt(SIGUSR2, 0));
	show(SIGUSR2);
	E(siginterrupt(1000, 0));
	E(gsignal(SIGUSR2));
	V(sigblock(sigmask(SIGUSR2)));
	show(SIGUSR2);
	E(raise(SIGUSR2));
	V(count);
	V(siggetmask() == sigmask(SIGUSR2));
	V(sigsetmask(0) == sigmask(SIGUSR2));
	V(count);
	V(sysv_signal(SIGUSR2, handler) == handler);
	show(SIGUSR2);
	E(raise(SIGUSR2));
	show(SIGUSR2);
	V(signal(SIGUSR2, SIG_DFL) == SIG_DFL);
}

/* It is pending, and comes while the call waits. */
static void pauses(void)
{
	sigset(SIGUSR1, handler);
	sighold(SIGUSR1);
	raise(SIGUSR1);
	E(sigpause(SIGUSR1));
	V(count);
	show(SIGUSR1);
	E(sigpause(1000));
	sigset(SIGUSR1, SIG_DFL);
}

void calls(void)
{
	V(errno);
	count = 0;
	system_v();
	bsd();
	pauses();
	errno = 0;
}
