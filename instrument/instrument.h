/* SPDX-License-Identifier: MIT
 *
 * Load-time instrumentation: what its files share. docs/instrumentation.md describes the whole.
 *
 * A *module* is the executable or a library. A *copy* is the instrumented code of a function, in
 * the module's *region* near it. The original bytes of a copied function are dead, except at
 * *points*: places where control can come back (entry, return sites, landing pads). There they are
 * replaced by a jump to the copy. A *site* is a place in a copy that calls the runtime.
 */
#ifndef LP_INSTRUMENT_H
#define LP_INSTRUMENT_H

#include "../runtime/state.h"
#include "probe.h"

#include <Zydis/Zydis.h>

/* Sets of registers and flags, such as those that are live: bit n is register n by its machine
 * number. */
#define LIVE_FLAGS         (0x3fu << 16) /* CF PF AF ZF SF OF */
#define LIVE_VECTORS       (1u << 22)    /* vector and floating-point registers, as one */
#define RAX                0
#define RCX                1
#define RDX                2
#define RBX                3
#define RSP                4
#define RBP                5
#define RSI                6
#define RDI                7
#define NO_REGISTER        0xff
#define RIP                0x10
#define CALLER_SAVED       0x0fc7u /* rax rcx rdx rsi rdi r8..r11 */
#define ARGUMENT_REGISTERS 0x07c7u /* rdi rsi rdx rcx r8 r9, rax and r10 */

enum site_kind {
	SITE_READ,
	SITE_WRITE,
	SITE_READ_WRITE, /* not atomic: a read, then a write */
	SITE_RMW,
	SITE_CAS,
	SITE_CAS_PAIR, /* cmpxchg8b, cmpxchg16b */
	SITE_MASKED_READ,
	SITE_MASKED_WRITE,
	SITE_STATE_READ, /* xrstor and xsave: edx:eax tells how much */
	SITE_STATE_WRITE,
	SITE_LINE, /* clzero: a write to the line that holds the address */
	SITE_GATHER,
	SITE_SCATTER,
	SITE_DIRECT, /* movdir64b: also a write of as much to where `reg` points */
	SITE_FENCE,
	SITE_SYSCALL,
	SITE_NUMBER, /* rdtsc, rdrand and their like */
	SITE_STRING, /* movs, stos, lods, cmps, scas; also repeated */
	SITE_ENTRY,
	SITE_RETURN,
	SITE_RETURN_LATE, /* after a call, when a probed function left by a tail call */
};

enum number_kind { NUMBER_TIME, NUMBER_RANDOM, NUMBER_PROCESSOR };
enum string_kind { STRING_MOVE, STRING_STORE, STRING_LOAD, STRING_COMPARE, STRING_SCAN };

/* The elements of a gather, a scatter or an access with a mask. Vector registers are 0..31. */
struct lanes {
	uint8_t size, n; /* of an element in bytes; how many */
	uint8_t mask;    /* vector register whose elements have a sign, or with one of these: */
#define LANES_MASK_REGISTER 0x80
#define LANES_MMX           0x40
	uint8_t dense;             /* in memory those selected follow each other */
	uint8_t whole;             /* if any is selected, all memory is accessed */
	uint8_t index, index_size; /* vector register, and of its element */
	uint8_t scale, data;       /* data: vector register */
};

struct site {
	uint64_t pc;     /* original address of the next instruction */
	uint64_t resume; /* where the copy goes on */
	uint64_t after;  /* the same without the instruction, if it was done here */
	uint64_t back;   /* RETURN_LATE: the return address of the call */
	uint32_t size;
	uint32_t live;
	uint32_t probe;
	uint8_t kind;
	uint8_t reg;  /* new value of a compare-exchange; bit index; string_kind; where a number goes */
	uint8_t number; /* number_kind */
	uint8_t bits; /* the address is displaced by a bit index of this size in bytes */
	uint8_t repeat; /* of a string; of a read: perhaps an atomic load that was made already */
	uint8_t leaf, high;
	uint8_t narrow; /* 32-bit addresses */
	uint8_t own;    /* through FS; of a string instruction the source */
	uint8_t flags;  /* the flags are in ax, and rax where R_SAVED_RAX says */
	struct lanes lanes;
};

struct memory {                     /* an effective address */
	uint8_t base, index, scale; /* NO_REGISTER, RIP */
	uint8_t narrow;             /* 32 bits wide */
	uint8_t byte_index;         /* the index is the low byte of rax */
	uint8_t segment;            /* prefix for fs or gs; else 0 */
	int64_t disp;               /* of RIP: the absolute address */
};

enum flow {
	FLOW_NEXT,
	FLOW_JUMP,   /* direct */
	FLOW_BRANCH, /* jcc */
	FLOW_SHORT,  /* loop, jrcxz: only a short form exists */
	FLOW_CALL,
	FLOW_CALL_INDIRECT,
	FLOW_JUMP_INDIRECT,
	FLOW_RETURN,
	FLOW_STOP, /* hlt, ud2 */
};

struct insn {
	uint64_t at, target;
	struct memory memory;
	uint32_t use, def;
	uint32_t needed; /* must not change before it: see liveness.c */
	uint32_t live;   /* as compilers have it */
	uint32_t outside;     /* what is live at a target outside of the function */
	int32_t target_index; /* of a target inside; -1 */
	uint32_t size;        /* of the access in bytes */
	uint8_t length, flow;
	uint8_t access; /* enum site_kind + 1; 0: none */
	uint8_t reg, bits, repeat, high, number;
	uint8_t disp_offset; /* rip-relative: where its displacement is; else 0 */
	uint8_t modrm_offset;
	uint8_t indirect_reg; /* of an indirect jump or call; NO_REGISTER: through memory */
	uint8_t loops;        /* a later instruction jumps here */
	uint8_t fs;           /* memory through fs, or gs without an access */
	uint8_t reached;      /* from an entry, by branches whose targets are known */
	uint8_t stays;        /* it may be data: nothing is written there */
	uint8_t privileged;
	uint8_t silent; /* a call of a hook that is not made in the copy */
	struct lanes lanes;
};

struct function {
	uint64_t lo, hi;
	uint64_t lsda;
	uint64_t entry;   /* of the copy; 0: none */
	const char *name; /* may be NULL */
	const char *why_not;
	int32_t probe; /* index, -1 */
	const uint8_t *rules, *rules_end; /* of unwinding, in .eh_frame; NULL: none */
	bool second;    /* a symbol is inside it: it may be entered there, too */
	bool fragment;  /* of another function: it is entered with that one's frame */
};

struct point {           /* an original address that must lead to the copy */
	uint64_t at, to; /* to: 0, the copy of the instruction there */
};

struct fixup { /* a 32-bit relative operand in the region */
	uint64_t at, target;
	uint8_t inside; /* target is in the function that holds it */
};

struct vector { /* grows within one reservation */
	void *data;
	size_t n, capacity;
};

struct origin {
	uint32_t copy, original; /* offsets from region and lo */
};

#define MAX_TEXTS 8

struct module {
	const char *path;
	uintptr_t base, lo, hi; /* [lo, hi): executable segments */
	struct {
		uintptr_t lo, hi;
	} text[MAX_TEXTS]; /* each of them */
	unsigned ntexts;
	uintptr_t data_lo, data_hi;           /* writable segments */
	uintptr_t eh_frame_hdr, eh_lo, eh_hi; /* of the segment that holds it */
	uintptr_t dynamic;                    /* 0: none */
	bool hooked; /* by the compiler */
	bool stays;  /* is not instrumented at load time */
	bool partly; /* only some functions are: libstdc++ */
	bool needs;  /* it calls these */
	struct vector functions, points, fixups, origins, traps;
	struct {
		uint64_t lo, hi;
	} plt[8];
	unsigned nplt;
	uint8_t *region, *out, *end;
	uint8_t *lookup; /* routine for indirect jumps */
	uint32_t *map;   /* by offset from lo: 1 + offset of the copy in the region; 0 none */
	uint8_t *dead;   /* by offset from lo: may be overwritten */
	uint8_t *ran;  /* by offset from lo: see coverage.h; NULL: nobody asked */
	uint8_t *original; /* the text as it was; NULL: it still is */
	struct view_table *views;
	bool late_returns;
	size_t entries; /* how many of the points are symbols inside functions */

	/* Of a library that executions load: the file, the patched text to put in place
	 * again, and whether it is there now. */
	uint64_t device, inode;
	uint8_t *patched;
	bool late, absent;
};

void vector_init(struct vector *v, size_t element, size_t capacity);
#define vector_add(v, type)   (&((type *)(v)->data)[(v)->n++])
#define vector_at(v, type, i) (&((type *)(v)->data)[i])

/* functions.c */
void module_functions(struct module *m);
struct function *module_function(struct module *m, uint64_t at); /* that contains it */
/* Is it code of another function, which jumps there and is not left by that? */
bool function_is_part(const struct function *f);

/* eh_frame.c: FDEs, and the landing pads of a function */
void eh_frame_functions(struct module *m);
void landing_pads(struct module *m, const struct function *f);
/* Each landing pad, and the calls it is for: those whose last byte is in [lo, hi). */
typedef void landing_pad_fn(void *to, uint64_t lo, uint64_t hi, uint64_t pad);
void each_landing_pad(const struct module *m, const struct function *f, landing_pad_fn *each,
		      void *to);
/* May the stack pointer at a landing pad differ from that at the call? */
bool pushes_arguments(const struct function *f);

/* code.c: the instructions of a function. NULL, or why it cannot be copied. */
const char *function_code(struct module *m, const struct function *f, struct vector *insns,
			  bool *leaf);
/* In code that stays as it is (nothing more is known of it): points where it jumps to from there. */
void scan_jumps(struct module *m, uint64_t lo, uint64_t hi);

/* liveness.c */
void liveness(struct module *m, const struct function *f, struct vector *insns);

/* hooked.c: of a function in a module with hooks: takes away the accesses that hooks announce. False
 * if none is left; then no copy is needed. */
bool announced_by_hooks(const struct module *m, const struct vector *insns);

/* emit.c */
void emit_module(struct module *m);
void emit_function(struct module *m, struct function *f, const struct vector *insns, bool leaf);
void resolve_fixups(struct module *m);

/* patch.c */
void patch_module(struct module *m);
void patch_again(const struct module *m); /* text that was mapped anew, as it was patched */
uint64_t trap_target(const struct module *m, uint64_t pc); /* of an int3 at pc, or 0 */

/* reached.c: functions that stay as they are. Takes note of those of a module; false if there are
 * none. From now on there are other threads. The execution is over. Is it such a function that has
 * met a trap at pc? Then the instruction is there again. */
bool reached_watch(const struct module *m);
void reached_arm(void);
void reached_rollback(void);
bool reached_trap(uint64_t pc);

/* report.c */
void report_module(const struct module *m);

/* instrument.c */
extern struct site *instrument_sites;
extern uint32_t instrument_nsites;
struct probe {
	probe_fn *on_entry, *on_return;
	void *cookie;
};
extern struct probe instrument_probes[];
struct module *module_at(uint64_t at); /* whose executable segments hold it; NULL */
bool observed_code(uint64_t original); /* in a module that is instrumented or has hooks */
bool static_data(uint64_t addr); /* a whole word of a module's variables */

/* region.c: address space for the copies of a module; NULL if there is none */
uint8_t *near_region(const struct module *m, size_t size);

/* fixed.c: memory that nobody can write. Late: of a library that an execution loads. */
void fixed_add(uintptr_t lo, uintptr_t hi, bool late);
void fixed_drop(uintptr_t lo, uintptr_t hi); /* late ones that begin there */
bool read_only_memory(uint64_t addr);

/* frame_view.c */
struct view_table *view_table_new(void);

/* names.c */
bool name_matches(const char *list, const char *name); /* patterns with * and ?, and commas between them */
bool works_on_containers(const char *name); /* of libstdc++ */

/* select.c */
bool function_selected(const struct module *m, const struct function *f);
bool skipped(const struct function *f); /* asked for by LINCHPIN_SKIP */

/* stubs.S */
void instrument_slow(void);
void instrument_enter(void);
void instrument_enter_flags(void); /* preserves them */

static inline uint64_t low_bytes(uint64_t v, uint32_t size)
{
	return size >= 8 ? v : v & ((1ULL << size * 8) - 1);
}

#endif
