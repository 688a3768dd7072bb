/* SPDX-License-Identifier: MIT
 *
 * Functions of libc and libstdc++ that are not interposed but work on memory that they are given.
 * That is of no account if nobody else touches that memory, or only before or after, as under one
 * lock. Otherwise a race is not seen; it is named, and the search is not complete.
 *
 * A call is compared with the steps of other threads by the clocks of the search: with those so far
 * when it is made, with later ones at the end of the execution. Two are ordered if one happens
 * before the other (Lamport, "Time, clocks, and the ordering of events", 1978) by the conflicts that
 * were seen. In another execution the order may be another one, but in all of them there is one.
 */
#include "../runtime/modules.h"
#include "../runtime/shadow.h"
#include "../runtime/unseen.h"
#include "channels.h"
#include "stream_calls.h"
#include "stream_lock.h"

#define MAX_CALLS 4096
#define ARGUMENTS_IN_REGISTERS 6
#define MOST_FILES               (1UL << 30) /* by a hash */

/* What a call of this execution was given. */
struct given {
	uintptr_t addr;
	size_t size;
	const char *name;
	uint32_t index; /* of the log when it was called */
	uint32_t seq;   /* of the thread's steps */
	uint8_t thread, access; /* enum lp_access */
};

static struct given calls[MAX_CALLS];
static unsigned ncalls;

static void race(const char *name, uintptr_t addr)
{
	unseen("what ", name,
	       addr - FILES < FILES_SIZE
		       ? " reads and writes is not seen, and another thread reads or writes the same "
			 "file at the same time"
		       : " reads and writes is not seen, and it was given memory that another thread uses "
			 "at the same time",
	       NULL);
}

/* Does another thread use it, at the same time? */
static void race_with_earlier(const char *name, uintptr_t addr, size_t size, int access)
{
	const struct fiber *f = rt->cur;
	uint32_t conflicts[MAX_FIBERS];
	unsigned n = 0;

	/* What comes again was looked at before, and the shadow is ahead of it. */
	if (rt->n < rt->entered)
		return;
	shadow_access(addr, size, (uint8_t)access, NO_EVENT, f->id, conflicts, &n);
	for (unsigned i = 0; i < n; i++) {
		const struct event *e = &rt->log[conflicts[i]];

		if (f->clock[e->thread] < e->seq)
			race(name, addr);
	}
}

/* With the calls of others so far. */
static void compare_calls(const struct given *now, const struct fiber *f)
{
	for (unsigned i = 0; i < ncalls; i++) {
		const struct given *c = &calls[i];

		if (c->thread != now->thread && lp_access_conflict(c->access, now->access) &&
		    c->addr < now->addr + now->size && now->addr < c->addr + c->size &&
		    f->clock[c->thread] <= c->seq)
			race(now->name, now->addr);
	}
}

static void give(const char *name, uintptr_t addr, size_t size, int access)
{
	const struct fiber *f = rt->cur;

	if (addr < PAGE || addr >= 1UL << 47 || !size || !rt->tracing || !visible(addr, size))
		return;
	race_with_earlier(name, addr, size, access);
	if (ncalls == MAX_CALLS) {
		unseen("an execution makes more calls that are given shared memory than are "
		       "looked at",
		       NULL);
		return;
	}
	calls[ncalls] = (struct given){ addr, size, name, rt->n, f->seq, f->id, (uint8_t)access };
	compare_calls(&calls[ncalls++], f);
}

static int access_of(bool writes)
{
	return writes ? LP_WRITES : LP_READS;
}

void unseen_memory(const char *name, uintptr_t addr, size_t size, bool writes)
{
	settle();
	give(name, addr, size, access_of(writes));
}

/* In which order output comes to a file is nothing that a thread sees, unless it reads it. So writing only shares
 * the file; reading at the descriptor's offset changes that. */
void unseen_file(const char *name, uint64_t device, uint64_t number, int fd, bool writes)
{
	uint64_t file = mix(mix(0, device), number) % MOST_FILES;

	settle();
	give(name, FILES + 8 * file, 1, writes ? LP_SHARES : LP_READS);
	if (fd >= 0)
		give(name, FILES + 8 * (MOST_FILES + (uint64_t)fd), 1, writes ? LP_SHARES : LP_WRITES);
}

/* The steps since the call. */
static void compare(const struct given *c)
{
	for (uint32_t i = c->index; i < rt->n; i++) {
		const struct event *e = &rt->log[i];
		int access = e->kind <= LP_EV_LAST_STEP ? e->access : 0;

		if (e->thread != c->thread &&
		    lp_access_conflict(c->access, access) &&
		    e->addr < c->addr + c->size && c->addr < e->addr + e->size &&
		    rt->clocks[i][c->thread] <= c->seq) {
			race(c->name, c->addr);
			return;
		}
	}
}

void unseen_end(void)
{
	for (; ncalls; ncalls--)
		compare(&calls[ncalls - 1]);
}

/* The n-th argument, from 1. */
static uint64_t argument(const uint64_t *args, char n)
{
	unsigned i = (unsigned)(n - '1');

	return i < ARGUMENTS_IN_REGISTERS ? args[i] : 1;
}

/* What the conversions of a format read as strings, or write. Those of floating-point numbers are
 * not among these arguments. */
static void formatted(const char *name, const char *format, const uint64_t *args, unsigned next,
		      bool scan)
{
	for (; *format && next < ARGUMENTS_IN_REGISTERS; format++) {
		bool ignored = false;

		if (*format != '%')
			continue;
		while (*++format && !(*format >= 'a' && *format <= 'z') &&
		       !(*format >= 'A' && *format <= 'Z') && *format != '%' && *format != '[') {
			ignored |= scan && *format == '*';
			next += !scan && *format == '*';
		}
		while (*format == 'l' || *format == 'h' || *format == 'z' || *format == 'j' ||
		       *format == 't' || *format == 'L' || *format == 'q')
			format++;
		if (!*format)
			return;
		if (*format == '%' || ignored || *format == 'm')
			continue;
		if (!scan && ((*format | 0x20) == 'e' || (*format | 0x20) == 'f' ||
			      (*format | 0x20) == 'g' || (*format | 0x20) == 'a'))
			continue;
		if (next < ARGUMENTS_IN_REGISTERS && (scan || *format == 's' || *format == 'n'))
			give(name, args[next], 1, access_of(scan || *format == 'n'));
		next++;
	}
}

/* The letter of the next argument, and how many bytes. */
static char next_argument(const char **what, const uint64_t *args, size_t *size)
{
	const char *w = *what;
	char kind = *w++;

	*size = STREAM_UNKNOWN;
	if (*w >= '1' && *w <= '9')
		*size = argument(args, *w++);
	if (*w == '*') {
		*size *= argument(args, w[1]);
		w += 2;
	}
	*what = w;
	return kind;
}

/* What stands before the first argument. */
static const char *before_arguments(const char *what, struct stream_call *call)
{
	if (*what == 'O') {
		call->stream = stdout;
		call->how = STREAM_WRITES;
	} else if (*what == 'I') {
		call->stream = stdin;
		call->how = STREAM_READS;
	} else if (*what == 'A') {
		call->how = STREAM_CALLS;
	} else {
		return what;
	}
	return what + 1;
}

static enum stream_how stream_how(char kind)
{
	switch (kind) {
	case 'W':
		return STREAM_WRITES;
	case 'R':
		return STREAM_READS;
	case 'L':
		return STREAM_READS_LINE;
	case 'F':
		return STREAM_FLUSHES;
	default:
		return STREAM_NONE;
	}
}

/* Gives what is behind that. */
static const char *use_stream(const char *what, const uint64_t *args)
{
	struct stream_call call = { .n = STREAM_UNKNOWN };
	const char *arguments = what = before_arguments(what, &call);
	size_t size;

	for (unsigned n = 0; *what && n < ARGUMENTS_IN_REGISTERS; n++) {
		const char kind = next_argument(&what, args, &size);
		const enum stream_how how = stream_how(kind);

		if (how != STREAM_NONE) {
			call.stream = (const FILE *)args[n];
			call.how = how;
		}
		if (kind == 'r' || kind == 'w')
			call.n = size;
		if (kind == 'c' || kind == 'e')
			call.text = (const char *)&args[n];
		if (kind == 'c')
			call.n = 1;
		if (kind == 'r' || kind == 'f' || kind == 'v')
			call.text = (const char *)args[n];
		call.formatted |= kind == 'f' || kind == 'v';
	}
	if (call.stream && module_is_program(caller()))
		stream_used(call.stream);
	if (call.how != STREAM_NONE)
		stream_called(&call);
	return arguments;
}

/* Called by hooks.S before the real function. `arguments` has a letter for each: r it is read, w it
 * is written, f a format of printf and what follows it, v one and a list, s one of scanf, d a descriptor, c a character,
 * - nothing of interest; W a stream to which that is written, R one from which as many bytes come as are written, or one
 * more, L as R up to the end of a line, or the character e, F whose output is written. Before the first argument: W standard output, R standard
 * input, A the system is called whatever the stream holds. After r and w may come how many bytes: the number of an
 * argument, or two with * between them. */
void unseen_call(const uint64_t *args, void **entry);
void unseen_call(const uint64_t *args, void **entry)
{
	const char *name, *what = function_arguments(entry, &name);
	size_t size;

	what = use_stream(what, args);
	if (!module_is_program(caller()))
		return;
	settle();
	for (unsigned n = 0; *what && n < ARGUMENTS_IN_REGISTERS; n++) {
		const char kind = next_argument(&what, args, &size);

		if (kind == 'r' || kind == 'w')
			give(name, args[n], size != STREAM_UNKNOWN ? size : 1, access_of(kind == 'w'));
		if (kind == 'd')
			stdio_uses((int)args[n]);
		if (kind == 'f' || kind == 's')
			formatted(name, (const char *)args[n], args, n + 1, kind == 's');
	}
}
