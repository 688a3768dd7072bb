/* SPDX-License-Identifier: MIT
 *
 * The analysis behind runtime/frame_view.h: what its files share.
 *
 * A function is decoded into *steps* (frame_parts.c, frame_decode.c, frame_calls.c). A pass forward finds where the stack pointer
 * and other registers point into the frame (frame_forward.c), and with that which bytes of the
 * frame each step reads and writes. A pass backward finds what is live (frame_live.c), from which
 * views are made (frame_view.c).
 *
 * Offsets into the frame are from where the return address is: that is at 0, what the function has
 * for itself is below, arguments on the stack are above.
 */
#ifndef LP_FRAME_H
#define LP_FRAME_H

#include "../runtime/frame_view.h"
#include "decode.h"

#define CALLEE_SAVED_REGISTERS (0xffffu & ~CALLER_SAVED & ~(1u << RSP))
#define MAX_STEPS              16384
#define MAX_FRAME              32768 /* bytes */

/* What a register holds, as far as it matters; else an offset: it points there into the frame. */
#define NOT_REACHED     INT32_MIN
#define NO_ADDRESS      (INT32_MIN + 1) /* nothing that was made of the frame's address */
#define SOME_ADDRESS    (INT32_MIN + 2) /* perhaps an address in the frame, not known which */
#define known_offset(v) ((v) > INT32_MIN + 2)

enum call_kind {
	CALL_OTHER = 1, /* of a function outside of the module, or an unknown one */
	CALL_LOCAL,     /* within the module */
	CALL_HOOK,      /* of the compiler: reads nothing of the program's memory */
	CALL_HOOK_CAS,  /* reads, and may write, what rsi points to */
	CALL_NO_RETURN, /* leaves everything; nobody reads anything any more */
};

/* On registers, where it is more than "defined by the registers used". */
enum effect {
	EFFECT_NONE,
	EFFECT_MOVE, /* to = from, 64 bits */
	EFFECT_LEA,  /* to = from + value, both registers */
	EFFECT_PUSH, /* of `from`, or something else if it is NO_REGISTER */
	EFFECT_POP,  /* to `to` */
	EFFECT_LEAVE,
	EFFECT_LOAD,  /* to `to`, and nothing else happens */
	EFFECT_STORE, /* of all of `from` */
};

/* A range of the frame. */
struct range {
	int32_t offset;
	uint32_t size;
};

/* What matters of a function of the module to one that calls it. */
struct frame_summary {
	bool known;
	uint32_t live, passed; /* at its entry, as in struct frame_view; flags, too */
	int32_t arguments;     /* bytes above the return address that it may read; -1: not known */
};

/* An instruction. frame_forward.c fills in what comes last. */
struct step {
	uint64_t at, target;
	const struct frame_summary *callee; /* CALL_LOCAL; NULL: not known */
	uint32_t use, def;                  /* registers and flags, as in struct insn */
	uint32_t value_use; /* those whose value goes somewhere, not only as an address */
	uint32_t takes;     /* of a call: what the function called may read */
	uint32_t written;   /* registers; those written in part, too */
	struct memory memory;
	uint32_t size;
	int32_t value;
	int32_t target_index, pad_index; /* steps; -1: none */
	uint8_t length, flow, effect, from, to;
	uint8_t call; /* enum call_kind; 0 for an indirect jump: not known where to */
	uint8_t reads, writes, sure; /* of `memory`; sure: all of it, always */
	uint8_t vague;               /* accesses memory by registers, not known where */
	uint8_t vector_def, system, site;
	uint8_t computes; /* what it writes is made of `use`, and nothing else happens... */
	uint32_t addresses; /* ...and of these, those that say where the memory is */
	uint32_t flags;     /* written, or perhaps */
	uint8_t seeded;  /* nothing leads here but jumps that are not known */
	uint8_t padding; /* it does nothing */
	uint8_t last;    /* of what is in one piece: nothing comes after it */
	uint8_t foreign; /* of a piece that may be entered in another way as well: no view of it */

	int32_t sp;        /* offset; NOT_REACHED: no way from the entry is known */
	struct range read; /* of the frame; size 0: nothing that is known */
	struct range write;
	uint16_t initial;  /* registers that hold what they held at the entry */
	uint8_t reads_all; /* may read any of the frame */
	uint8_t saved;     /* slots that hold their registers, a bit each */
};

struct frame_function {
	const struct module *module;
	const struct frame_summary *summaries; /* by function of the module; NULL: none */
	struct step *steps;                    /* room for MAX_STEPS */
	uint32_t n;
	bool unwinds;      /* it has landing pads that are not known */
	bool escapes;      /* an address of the frame gets where it is not followed */
	bool red_zone;     /* it may use memory below its stack pointer */
	int32_t arguments; /* as in struct frame_summary */
	int32_t lowest;    /* offset of all that the function may use */
	struct {           /* of callee-saved registers */
		int32_t offset;
		uint8_t reg;
		bool pure; /* nothing else is ever in it */
	} slots[6];
	unsigned nslots;
};

/* A bit for each byte of the frame, from f->lowest up. */
typedef uint64_t byte_set[MAX_FRAME / 64];

struct live_state {
	uint32_t live, passed; /* registers and flags */
	uint8_t saved;         /* slots from which a register is restored, by number */
	uint32_t nwords;
	uint64_t *bytes;
};

/* frame_decode.c: the instruction at `at`; false if it is not understood. */
bool frame_step(const struct module *m, uint64_t at, uint64_t hi, struct step *s);
/* frame_calls.c: whom a call, or a jump out of the function, leads to. False if the function cannot
 * be analyzed for it. */
bool frame_call(const struct frame_function *f, struct step *s);
bool in_plt(const struct module *m, uint64_t at);
/* frame_parts.c: all of it; false if it cannot be analyzed. */
bool frame_decode(struct frame_function *f, const struct function *of);
/* frame_forward.c */
bool frame_forward(struct frame_function *f);
/* frame_slots.c: where callee-saved registers are kept */
void frame_slots(struct frame_function *f);
/* frame_live.c: calls back for each step with what is live before it, and if it is a call, with what
 * is while the call is under way. */
typedef void frame_live_fn(const struct frame_function *f, const struct step *s,
			   const struct live_state *l, bool during_call);
bool frame_live(struct frame_function *f, frame_live_fn *each);

/* imports.c: the name of the function of another module that a linkage table's entry at `at` jumps
 * to, or the pointer at `slot` points to; NULL. */
const char *import_at(const struct module *m, uint64_t at);
uint64_t import_slot(uint64_t at); /* through which it jumps; 0: it is no such entry */
const char *import_of_slot(const struct module *m, uint64_t slot);

/* Memory for the analysis of one function, given back before the next. */
void *scratch_get(size_t size);

static inline bool step_calls(const struct step *s)
{
	return s->flow == FLOW_CALL || s->flow == FLOW_CALL_INDIRECT;
}

/* Does it jump to where is not known? */
static inline bool step_switches(const struct step *s)
{
	return s->flow == FLOW_JUMP_INDIRECT && !s->call;
}

static inline const uint8_t *original_bytes(const struct module *m, uint64_t at)
{
	return m->original ? m->original + (at - m->lo) : (const uint8_t *)at;
}

#endif
