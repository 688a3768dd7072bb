/* SPDX-License-Identifier: MIT */
#include "base/budget.h"

#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <time.h>

#define AFTER_SIGNAL 1 /* seconds */

static double end = INFINITY, phase = INFINITY;
static volatile sig_atomic_t asked; /* by a signal, at: */
static struct timespec asked_at;

static double seconds(const struct timespec *t)
{
	return (double)t->tv_sec + (double)t->tv_nsec * 1e-9;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return seconds(&t);
}

void budget_start(double length)
{
	end = length > 0 ? now() + length : INFINITY;
}

/* The first one counts: who asks twice must not get less. */
void budget_ask(void)
{
	if (asked)
		return;
	clock_gettime(CLOCK_MONOTONIC, &asked_at);
	asked = 1;
}

static void on_signal(int sig)
{
	(void)sig;
	budget_ask();
}

/* Users, batch systems and limits ask with any of these: all that would end the process and are no fault of its own. */
static const int asking[] = { SIGINT,  SIGTERM, SIGHUP,    SIGALRM, SIGUSR1, SIGUSR2, SIGPIPE,
			      SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR };

void budget_signals_add(sigset_t *set)
{
	struct sigaction old;

	for (size_t i = 0; i < sizeof asking / sizeof *asking; i++)
		if (!sigaction(asking[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaddset(set, asking[i]);
}

void budget_signals(void)
{
	struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	sigset_t set;

	sigemptyset(&act.sa_mask);
	sigemptyset(&set);
	budget_signals_add(&set);
	for (size_t i = 0; i < sizeof asking / sizeof *asking; i++)
		if (sigismember(&set, asking[i]))
			sigaction(asking[i], &act, NULL);
}

static double end_now(void)
{
	double by_signal;

	if (!asked)
		return end;
	by_signal = seconds(&asked_at) + AFTER_SIGNAL;
	return by_signal < end ? by_signal : end;
}

double budget_left(void)
{
	double e = end_now();

	return e == INFINITY ? INFINITY : e - now();
}

double budget_until(double share)
{
	double left = budget_left();

	return left == INFINITY ? INFINITY : now() + (left > 0 ? left * share : 0);
}

bool budget_passed(double until)
{
	double e = end_now();

	if (e == INFINITY && until == INFINITY)
		return false;
	return now() >= (e < until ? e : until);
}

void budget_phase(double until)
{
	phase = until;
}

bool budget_phase_over(void)
{
	return phase != INFINITY && budget_passed(phase);
}
