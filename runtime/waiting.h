/* SPDX-License-Identifier: MIT
 *
 * Waiting: which threads are in a loop that only another thread can end, who runs meanwhile, and
 * what may be called a livelock. rounds.c has the rules and why nothing is lost by them.
 *
 * The scheduler tells when a thread has announced its next event (waiting_arrive) and when an event
 * has had its effect (waiting_notice), and leaves out those that wait (waiting_allows).
 */
#ifndef LP_WAITING_H
#define LP_WAITING_H

#include "../format/run_dir.h"

#include <stdbool.h>
#include <stdint.h>

struct event;
struct fiber;

#define SEEN_ROUNDS   LP_SEEN_ROUNDS /* restoring rounds that others saw, before a thread is stuck */
#define VAIN_ROUNDS   LP_VAIN_ROUNDS /* rounds without news before others go first... */
#define ENDLESS_VAIN  200            /* ...of a loop that was once seen to make so many */
#define AFTER_EXIT    LP_AFTER_EXIT /* steps that a thread may still take while the process ends */

/* A function of the program runs within a call of the runtime's (callbacks.c). */
struct callback {
	uintptr_t lo, hi;    /* the runtime's part of the stack */
	uint64_t interrupted; /* a hash of what it has interrupted; or 0 */
};
#define CALLBACKS 3 /* one within the other; the state is not told if there are more */

/* Of a fiber: what it takes to see that it goes round. */
struct rounds {
	uint32_t own;       /* 1 + log index of its latest step; event.own leads to those before */
	uint32_t changed;   /* 1 + log index of the latest of these that changed something; 0 */
	uint32_t from;      /* while it waits: log index at which its round began... */
	uint32_t arrived;   /* ...and at which it was back */
	uint32_t since;     /* log index: its vain rounds are counted from here... */
	uint32_t counting;  /* ...and they are: vain.c */
	uint32_t exit_seq;  /* its steps when the process began to end */
	uint64_t sum;       /* of what its steps have changed, see rounds.c */
	uint32_t news;      /* how many steps came with something that others did */
	uint64_t state;     /* local_state_hash(), while the rules do not hold: look.c */
	uint32_t visit;     /* its latest */
	uintptr_t top;      /* of the stack that is the program's */
	uint64_t *entry;    /* the latest entry into the runtime, on its own stack (rt->entry) */
	/* The deadline of the timed wait that it is in. Where that is computed anew in each round it
	 * is not a state that matters; should it matter all the same, look.c sees it. */
	const uint64_t *deadline;
	const uint64_t *clocks[2]; /* where it was told the time, likewise */
	const void *site;   /* of instrumentation, if that was one */
	uint32_t element;   /* of its steps, see rt.h */
	uint32_t red_zone;  /* words between the entry and the program's stack */
	struct callback callbacks[CALLBACKS];
	uint32_t ncallbacks;
	uint64_t interrupted; /* of the one that is about to begin */
};

/* Sets of threads, a bit each. */
struct waiting {
	uint64_t stuck;     /* back after a round: blocked for the rest of this execution */
	uint64_t bounded;   /* of these, because of SEEN_ROUNDS */
	uint64_t delayed;   /* until somebody sees what it did in its round */
	uint64_t vain;      /* until there is news, or nobody else can run */
	uint64_t redundant; /* stuck, though a write came that it would have read: see rounds.c */
	uint64_t too_long;  /* has taken all the steps that it may take */
	uint32_t quiet;     /* arrivals from here to this log index are those of the execution before, and no state of them is kept */
	uint32_t unsettled; /* 1 + log index of the event whose effect is not known yet; 0 */
	bool woken;         /* one went on after a vain round: strategy.wakes */
	bool off;           /* no rule holds: look.c */
	bool all;           /* they hold, but everybody may be chosen: a schedule says who... */
	uint32_t given;     /* ...or does so for the first of its steps */
	bool hurry;         /* and the clock runs faster each time it is read */
};

/* rounds.c */
/* Before an execution, the first `kept` events of which are those of the one before. */
void waiting_reset(uint32_t kept);
void waiting_arrive(struct fiber *f);       /* its next event is announced */
void waiting_notice(const struct event *e); /* has happened; what it did is known */
uint64_t waiting_allows(uint64_t enabled);  /* without those who wait */

/* All of these wait, if there are any, by the rules, whether they are in force or not; and a timer runs out: they look
 * again. */
bool waiting_for_time(uint64_t can);

/* The thread that goes on if it is all the same: the running one, without a switch, unless it has
 * said that it waits (a yield, a sleep, a failed attempt). If some wait, all get their turn. */
int first_choice(uint64_t enabled);
uint64_t others_first(uint64_t enabled); /* without the running one if it has said so */

/* visits.c: the points that threads came to in this execution, each with its local state. */
void visits_init(void);
/* An execution begins, the first n events of which are those of the one before. */
void visits_keep(uint32_t n);
/* Enters the arrival of the running fiber at the event it has announced. The number of the visit,
 * from 1; 0 if its state cannot be told or is not kept. */
uint32_t visit_enter(const struct fiber *f);
uint32_t visit_before(uint32_t visit); /* the visit of the same point before it; 0: none */
bool visits_same(uint32_t a, uint32_t b); /* of one point: in the same state? */
uint32_t visit_at(uint32_t visit);     /* log index */
uint32_t *visit_rounds(uint32_t visit); /* for rounds.c: restoring rounds up to it */
/* A hash of the state of a fiber that has stopped at an event; 0: it cannot be told. */
uint64_t visit_state(const struct fiber *f);
/* Since then, may the fiber have restored what it has changed? If not, it has not. */
bool visit_may_be_restored(uint32_t visit, const struct fiber *f);

/* What step e, which changed something, adds to rounds.sum. */
uint64_t change_of(const struct event *e);

/* footprint.c: what a thread has looked at since a point of the log, as a filter. */
void footprints_init(void);
void footprints_reset(void); /* the log begins again */
/* False: no step of the fiber from log index `from` on touches what e touches. True: one may.
 * Asked for the latest two different `from`, a number `which` each, it costs next to nothing. */
bool footprint_may_meet(const struct fiber *f, unsigned which, uint32_t from,
			const struct event *e);

/* vain.c: rounds that only count. */
void vain_init(void);
void vain_reset(void);
void vain_again(struct fiber *f); /* its rounds are counted anew */
void vain_notice(struct fiber *f, const struct event *e); /* its latest step */

/* loops.c: what is known of loops from earlier executions, by the address of an event in them. It
 * steers the search, so it is part of the record (RUNDIR/steering). */
enum loop_kind {
	LOOP_ENDLESS = 1, /* was seen to go round ENDLESS_VAIN times: VAIN_ROUNDS holds */
	LOOP_HIDDEN = 2,  /* keeps a state that cannot be seen: never taken for a round */
	LOOP_AUDITED = 4, /* was seen to do the same again and again */
};
void loops_init(void);
unsigned loop_known(uint64_t pc);
bool loop_learn(uint64_t pc, unsigned kinds); /* false: there is no room */
unsigned loop_asked(uint64_t pc); /* how many times this was called for it */
/* All of them, one by one, beginning with *i = 0; 0 after the last. */
uint64_t loop_next(uint32_t *i, unsigned *kinds);

#endif
