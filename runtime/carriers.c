/* SPDX-License-Identifier: MIT */
#include "carriers.h"
#include "extended.h"
#include "names.h"
#include "state.h"
#include "watchdog.h"

#include <linux/futex.h>
#include <signal.h>
#include <sys/prctl.h>

#define NAME_SIZE 16

enum turn { TURN_NONE, TURN_GO, TURN_HOME };

static struct carrier {
	uint32_t turn; /* enum turn; a futex */
	uint32_t away; /* it is on its fiber's stack; a futex */
	uint32_t tid;
	void *home;    /* the stack pointer of carrier_run(), while it is away */
	struct {
		enum turn turn;
		unsigned to;
	} then; /* what to say to whom, when it is at home */
} carriers[MAX_FIBERS];

static void *signal_stack; /* of all but the main thread: one of them runs at a time */

static void tell(unsigned to, enum turn turn)
{
	__atomic_store_n(&carriers[to].turn, turn, __ATOMIC_RELEASE);
	sys4(SYS_futex, &carriers[to].turn, FUTEX_WAKE, 1, 0);
}

/* Waits until it is told. */
static enum turn wait_turn(unsigned i)
{
	struct carrier *c = &carriers[i];
	uint32_t turn;

	while (!(turn = __atomic_load_n(&c->turn, __ATOMIC_ACQUIRE)))
		sys4(SYS_futex, &c->turn, FUTEX_WAIT, TURN_NONE, 0);
	c->turn = TURN_NONE;
	if (turn == TURN_GO) {
		rt->target_tid = c->tid;
		rt->instr.in_use = EXTENDED_ASK; /* the registers are not those of the fiber that ran last */
	}
	return turn;
}

static void go_home(unsigned i)
{
	void *unused;

	switch_stack(&unused, i ? carriers[i].home : rt->root_sp);
}

/* Called by switch_carrier(), which has kept the registers of fiber `from` on its stack. */
void carrier_rest(unsigned from, unsigned to)
{
	tell(to, TURN_GO);
	if (wait_turn(from) == TURN_HOME)
		go_home(from);
}

void carrier_switch(struct fiber *from, const struct fiber *to)
{
	struct carrier *c = &carriers[from->id];

	if (from->id == 0 || from->state != FIBER_FINISHED) {
		switch_carrier(&from->sp, from->id, to->id);
		return;
	}
	/* Another fiber may come to its place. */
	c->then.turn = TURN_GO;
	c->then.to = to->id;
	go_home(from->id);
}

void carrier_to_root(const struct fiber *from)
{
	if (from->id) {
		carriers[from->id].then.turn = TURN_HOME;
		carriers[from->id].then.to = 0;
	}
	go_home(from->id);
	__builtin_unreachable();
}

void carriers_gather(void)
{
	uint32_t away;

	rt->target_tid = carriers[0].tid;
	rt->instr.in_use = EXTENDED_ASK;
	for (unsigned i = 1; i < MAX_FIBERS; i++) {
		if (__atomic_load_n(&carriers[i].away, __ATOMIC_ACQUIRE))
			tell(i, TURN_HOME);
		while ((away = __atomic_load_n(&carriers[i].away, __ATOMIC_ACQUIRE)))
			sys4(SYS_futex, &carriers[i].away, FUTEX_WAIT, away, 0);
	}
}

/* What debuggers show beside the thread. */
static void name_carrier(unsigned i, bool away)
{
	struct text t = { 0 };

	if (away)
		names_thread_text(i, &t);
	else
		text_add(&t, "no thread");
	t.s[t.n < NAME_SIZE ? t.n : NAME_SIZE - 1] = '\0';
	sys2(SYS_prctl, PR_SET_NAME, t.s);
}

/* Its signals: those of its own instructions, and the watchdog's. */
static void take_signals(void)
{
	static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, WATCHDOG_SIGNAL };
	uint64_t blocked = ~0ULL;

	for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
		blocked &= ~bit((unsigned)own[i] - 1);
	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &blocked, 0, sizeof blocked);
	signal_stack_take(signal_stack);
}

void carriers_init(void)
{
	signal_stack = signal_stack_new();
	carriers[0].tid = (uint32_t)sys0(SYS_gettid);
}

void carrier_begin(unsigned i)
{
	carriers[i].tid = (uint32_t)sys0(SYS_gettid);
	take_signals();
	name_carrier(i, false);
}

void carrier_run(unsigned i)
{
	struct carrier *c = &carriers[i];

	for (;;) {
		if (wait_turn(i) == TURN_GO) {
			name_carrier(i, true);
			__atomic_store_n(&c->away, 1, __ATOMIC_RELEASE);
			switch_stack(&c->home, rt->fibers[i].sp);
			name_carrier(i, false);
		}
		__atomic_store_n(&c->away, 0, __ATOMIC_RELEASE);
		sys4(SYS_futex, &c->away, FUTEX_WAKE, 1, 0);
		if (c->then.turn) {
			enum turn turn = c->then.turn;

			c->then.turn = TURN_NONE;
			tell(c->then.to, turn);
		}
	}
}
