/* SPDX-License-Identifier: MIT
 *
 * The analysis behind runtime/frame_view.h: what its files share.
 *
 * A function is decoded into *steps* (frame_decode.c). A pass forward finds where the stack pointer
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

enum effect { /* on registers, where it is more than "defined by the registers used" */
	      EFFECT_NONE,
	      EFFECT_MOVE, /* to = from, 64 bits */
	      EFFECT_LEA,  /* to = from + value, both registers */
	      EFFECT_PUSH, /* of `from`, or something else if it is NO_REGISTER */
	      EFFECT_POP,  /* to `to` */
	      EFFECT_LEAVE,
	      EFFECT_LOAD,  /* to `to`, and nothing else happens */
	      EFFECT_STORE, /* of all of `from` */
};

struct range { /* of the frame */
	int32_t offset;
	uint32_t size;
};

struct step {
	uint64_t at, target;
	uint32_t use, def; /* registers and flags, as in struct insn */
	uint32_t
		value_use; /* registers of which the value goes somewhere, not only as an address */
	uint32_t written;  /* registers that are written in part, too */
	struct memory memory;
	uint32_t size;
	int32_t value, target_index;
	uint8_t length, flow, effect, from, to, call;
	uint8_t reads, writes, sure; /* of `memory`; sure: all of it, always */
	uint8_t vague; /* reads memory at addresses in registers, not known how much */
	uint8_t vector_def, system, site;
	uint8_t last;    /* of what is in one piece: nothing comes after it */
	uint8_t foreign; /* of a piece that may be entered in another way as well: no view of it */

	/* frame_forward.c: */
	int32_t sp;               /* offset; NOT_REACHED: no way from the entry is known */
	struct range read, write; /* size 0: nothing that is known */
	uint8_t reads_all;        /* may read any of the frame */
	uint8_t saved;            /* callee-saved registers in their slots, by slot number */
};

struct frame_function {
	const struct module *module;
	uint64_t lo, hi;
	bool unwinds; /* it has landing pads */
	bool escapes;
	struct step *steps; /* room for MAX_STEPS */
	uint32_t n;
	int32_t lowest; /* offset of all that the function may use */
	struct {        /* slots of callee-saved registers; offset 0: none */
		int32_t offset;
		uint8_t reg;
		bool pure; /* nothing else is in it ever */
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

/* frame_decode.c: false if the function cannot be analyzed. */
bool frame_decode(struct frame_function *f, const struct function *of);
/* frame_forward.c */
bool frame_forward(struct frame_function *f);
/* frame_live.c: calls back for each step with what is live before it, and if it is a call, with what
 * is while the call is under way. */
typedef void frame_live_fn(const struct frame_function *f, const struct step *s,
			   const struct live_state *l, bool during_call);
bool frame_live(struct frame_function *f, frame_live_fn *each);

/* imports.c: the name of the function of another module that a linkage table's entry at `at` jumps
 * to, or the pointer at `slot` points to; NULL. */
const char *import_at(const struct module *m, uint64_t at);
const char *import_of_slot(const struct module *m, uint64_t slot);

/* Memory for the analysis of one function, given back before the next. */
void *scratch_get(size_t size);

static inline const uint8_t *original_bytes(const struct module *m, uint64_t at)
{
	return m->original ? m->original + (at - m->lo) : (const uint8_t *)at;
}

#endif
