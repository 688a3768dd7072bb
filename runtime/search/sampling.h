/* SPDX-License-Identifier: MIT
 *
 * What random searches share: their random numbers, and what earlier executions have shown of the
 * program. Execution n of a seed is always the same.
 *
 * A *variable* is an address at which two threads were seen to touch memory, one of them changing
 * it; a lock is one as well. A *place* is where in the code a variable is touched. Both are known from
 * earlier executions, with how often each thread comes to them, and guide where to put what
 * is random, no more: a wrong guess costs executions, nothing else.
 */
#ifndef LP_SAMPLING_H
#define LP_SAMPLING_H

#include "../state.h"
#include "../strategy.h"

#define SPOTS 256u

/* A variable, or a place. */
struct spot {
	uint64_t key;                 /* the address */
	uint32_t counts[MAX_FIBERS];  /* of each thread, from the executions before */
	uint32_t current[MAX_FIBERS]; /* in this one */
	uint32_t last;                /* 1 + log index of the latest step there; 0: none */
};

struct spots {
	uint32_t n;     /* known when the execution began */
	uint32_t known; /* now */
	uint32_t slots[4 * SPOTS]; /* by hash of the key: 1 + number */
	struct spot spot[SPOTS];
};

struct sampling {
	uint64_t state; /* of the random numbers; anew for each execution */
	uint64_t round; /* the number of this one */
	uint32_t touches; /* steps on variables, so far */
	uint64_t late;    /* threads that were about to use memory when it was freed: they do so now */
	uint32_t most;    /* in an execution before */
	uint8_t parent[MAX_FIBERS]; /* of threads, as they were created before; of 0: itself */
	uint32_t threads;
	struct spots variables, places;
};

extern struct sampling *sampling;

void sampling_init(void);
/* The next execution begins; its numbers are drawn from its own part of the seed. */
void sampling_begin(uint32_t *prefix, int32_t *choice);
void sampling_step(uint32_t i, const uint32_t *conflicts, unsigned n, const uint32_t *clock);
void sampling_end(void);

uint64_t draw(void);
unsigned draw_below(unsigned n);  /* 0 to n - 1 */
int draw_thread(uint64_t threads); /* one of the set, which is not empty */

/* What the sampler says; but who makes an error in the use of memory comes first. */
struct sampler;
int sampling_pick(const struct sampler *sampler, uint64_t enabled);

/* The number of the variable that a thread is about to touch, -1: none; and of the place from where. */
int variable_of(const struct pending *p);
int place_of(const struct pending *p);

/* The steps there that a thread has still to make, if it makes as many as before. */
uint32_t spot_left(const struct spot *s, unsigned thread);

/* Does what the thread is about to do conflict with a step that another has done? */
bool pending_conflicts(const struct fiber *f, const struct event *e);

/*
 * The ways to choose: each begins an execution, chooses, and may be told what each step was. All of
 * them are strategies by name; `random` draws one for each execution (random.c). Before sampling_step
 * is called, `last` of a variable is the step before this one.
 */
struct sampler {
	void (*init)(void);
	void (*begin)(void);
	int (*pick)(uint64_t enabled);
	void (*step)(const struct event *e);
};
extern const struct sampler sampler_walk, sampler_pct, sampler_pos, sampler_surw;

/* The strategy of one sampler. */
#define SAMPLING_STRATEGY(name)                                                                    \
	static void name##_init(void)                                                              \
	{                                                                                          \
		sampling_init();                                                                   \
		if (sampler_##name.init)                                                           \
			sampler_##name.init();                                                     \
	}                                                                                          \
	static bool name##_begin(uint32_t *prefix, int32_t *choice)                                \
	{                                                                                          \
		sampling_begin(prefix, choice);                                                    \
		if (sampler_##name.begin)                                                          \
			sampler_##name.begin();                                                    \
		return true;                                                                       \
	}                                                                                          \
	static void name##_step(uint32_t i, const uint32_t *conflicts, unsigned n,                 \
				const uint32_t *clock)                                             \
	{                                                                                          \
		sampling_step(i, conflicts, n, clock);                                             \
		if (sampler_##name.step)                                                           \
			sampler_##name.step(&rt->log[i]);                                          \
	}                                                                                          \
	static int name##_pick(uint64_t enabled)                                                   \
	{                                                                                          \
		return sampling_pick(&sampler_##name, enabled);                                    \
	}                                                                                          \
	const struct strategy strategy_##name = {                                                  \
		.init = name##_init,                                                               \
		.begin = name##_begin,                                                             \
		.pick = name##_pick,                                                               \
		.step = name##_step,                                                               \
		.end = sampling_end,                                                               \
		.wakes = true,                                                                     \
	}

#endif
