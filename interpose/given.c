/* SPDX-License-Identifier: MIT
 *
 * What functions are given, from letters in the list of functions, one for each argument in a register that is no
 * floating-point number:
 *
 *	r  memory that is read
 *	w  memory that is written
 *	b  the same, before the step that the call is
 *	f  a format of printf, and what follows it
 *	v  a format of printf, and a list
 *	s  a format of scanf
 *	c  a character
 *	e  a character at which reading ends
 *	k  a key of thread-specific data
 *	d  a descriptor that functions of stdio are going to use
 *	l  a future that libstdc++ makes ready later, in a destructor of thread-specific data
 *	W  a stream to which that is written
 *	R  a stream from which as many bytes come as are written, or one more
 *	L  the same, up to the end of a line, or the character e
 *	F  a stream whose output is written
 *	q  a stream that is asked, or written, and not looked at more closely
 *	Q  a stream that is read, or set to a place, likewise
 *	o  a stream of C++, which is written whatever is done to it
 *	a  one that is only asked
 *	t  a string of C++ that is read
 *	T  one that is written
 *	-  nothing of interest
 *
 * After r, w and b may come how many bytes: the number of an argument, or a number in parentheses, or two of them with *
 * between. Otherwise one is looked at. Before the first argument may come:
 *
 *	O q:   standard output, as W, q
 *	I Q:   standard input, as R, Q
 *	A      the system is called whatever the stream holds
 *	Hx hx  what libc keeps for all threads is written or read; x says what that is
 */
#include "../runtime/modules.h"
#include "../runtime/unseen.h"
#include "channels.h"
#include "stream_calls.h"
#include "stream_lock.h"

#define ARGUMENTS_IN_REGISTERS 6
#define MOST_BYTES             (1UL << 26) /* what is more says that nobody counts */

#define CPP_STREAM 272 /* sizeof(std::ostream) */

/* How std::string begins. */
struct cpp_string {
	const char *text;
	size_t length, own[2];
};

/* A call, and of what is given only what is read is told, or what is written, or both. */
struct given_call {
	const char *name;
	uint64_t pc;
	const uint64_t *args;
	bool reads, writes;
};

static void give(const struct given_call *call, uintptr_t addr, size_t size, bool writes)
{
	if (writes ? call->writes : call->reads)
		unseen_memory_at(call->name, call->pc, addr, size, writes);
}

/* In which order output comes to a stream is nothing that a thread sees, unless it reads it. */
static void stream(const struct given_call *call, const FILE *stream, bool read)
{
	if (!stream || !call->reads)
		return;
	stream_used(stream);
	unseen_stream(call->name, call->pc, stream, !read);
}

/* The standard streams of C++ may be used by all at once: libc's streams behind them have locks. What is read from one is
 * another matter. */
static const char *const standard_names[] = { "_ZSt3cin", "_ZSt4cout", "_ZSt4cerr", "_ZSt4clog" };
static uintptr_t standard[sizeof standard_names / sizeof *standard_names];

void given_look_up(void)
{
	for (unsigned i = 0; i < sizeof standard / sizeof *standard; i++)
		standard[i] = (uintptr_t)dlsym(RTLD_DEFAULT, standard_names[i]);
}

/* An object of std::ostream or istream, and it is a part of one that is larger. */
static void cpp_stream(const struct given_call *call, uintptr_t s, bool writes)
{
	if (s == standard[0] && s)
		stream(call, stdin, true);
	for (unsigned i = 0; i < sizeof standard / sizeof *standard; i++)
		if (s == standard[i])
			return;
	give(call, s, CPP_STREAM, writes);
}

static void cpp_string(const struct given_call *call, const struct cpp_string *s, bool writes)
{
	give(call, (uintptr_t)s, sizeof *s, writes);
	give(call, (uintptr_t)s->text, s->length < MOST_BYTES ? s->length : 1, writes);
}

/* What the conversions of a format read as strings, or write. Those of floating-point numbers are
 * not among these arguments. */
static void formatted(const struct given_call *call, const char *format, const uint64_t *args, unsigned next, bool scan)
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
			give(call, args[next], 1, scan || *format == 'n');
		next++;
	}
}

/* The number of an argument, from 1, or a number in parentheses. */
static size_t number(const char **what, const uint64_t *args)
{
	size_t n = 0;

	if (**what >= '1' && **what <= '9')
		return args[*(*what)++ - '1'];
	for ((*what)++; **what != ')'; (*what)++)
		n = 10 * n + (size_t)(**what - '0');
	(*what)++;
	return n;
}

static size_t size_of(const char **what, const uint64_t *args)
{
	size_t size;

	if (**what != '(' && !(**what >= '1' && **what <= '9'))
		return STREAM_UNKNOWN;
	size = number(what, args);
	if (**what == '*') {
		(*what)++;
		size *= number(what, args);
	}
	return size;
}

/* What stands before the first argument. */
static const char *before_arguments(const struct given_call *call, const char *what, struct stream_call *use)
{
	for (;; what++)
		if (*what == 'O' || *what == 'I') {
			use->stream = *what == 'O' ? stdout : stdin;
			use->how = *what == 'O' ? STREAM_WRITES : STREAM_READS;
		} else if (*what == 'A') {
			use->how = STREAM_CALLS;
		} else if (*what && what[1] == ':') {
			stream(call, *what == 'q' ? stdout : stdin, *what == 'Q');
			what++;
		} else if (*what == 'H' || *what == 'h') {
			if (call->reads)
				unseen_state(call->name, call->pc, what[1], *what == 'H');
			what++;
		} else {
			return what;
		}
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

/* What is done to a stream. Of other code than the program's only that is of interest. */
static const char *use_stream(const struct given_call *given, const char *what)
{
	const uint64_t *args = given->args;
	struct stream_call call = { .n = STREAM_UNKNOWN };
	const char *arguments = what = before_arguments(given, what, &call);

	for (unsigned n = 0; *what && n < ARGUMENTS_IN_REGISTERS; n++) {
		const char kind = *what++;
		const bool counted = *what != '('; /* not the size of an object that the argument points to */
		const size_t size = size_of(&what, args);
		const enum stream_how how = stream_how(kind);

		if (how != STREAM_NONE) {
			call.stream = (const FILE *)args[n];
			call.how = how;
		}
		if ((kind == 'r' || kind == 'w') && counted)
			call.n = size;
		if (kind == 'c' || kind == 'e')
			call.text = (const char *)&args[n];
		if (kind == 'c')
			call.n = 1;
		if (kind == 'r' || kind == 'f' || kind == 'v')
			call.text = (const char *)args[n];
		call.formatted |= kind == 'f' || kind == 'v';
	}
	stream(given, call.stream, call.how == STREAM_READS || call.how == STREAM_READS_LINE);
	if (call.how != STREAM_NONE)
		stream_called(&call);
	return arguments;
}

static void look(const struct given_call *call, const char *what)
{
	const uint64_t *args = call->args;

	for (unsigned n = 0; *what && n < ARGUMENTS_IN_REGISTERS; n++) {
		const char kind = *what++;
		const size_t known = size_of(&what, args), size = known < MOST_BYTES ? known : 1;

		switch (kind) {
		case 'r':
		case 'w':
			give(call, args[n], size, kind == 'w');
			break;
		case 'b':
			if (call->reads)
				unseen_memory_at(call->name, call->pc, args[n], size, true);
			break;
		case 'q':
		case 'Q':
			stream(call, (const FILE *)args[n], kind == 'Q');
			break;
		case 'o':
		case 'a':
			cpp_stream(call, args[n], kind == 'o');
			break;
		case 't':
		case 'T':
			cpp_string(call, (const struct cpp_string *)args[n], kind == 'T');
			break;
		case 'k':
			unseen_key(call->name, call->pc, (unsigned)args[n], false);
			break;
		case 'd':
			stdio_uses((int)args[n]);
			break;
		case 'l':
			unseen("a future becomes ready when its thread has ended (set_value_at_thread_exit and its kin), which is "
			       "no step: that another thread waits for it then is not explored",
			       NULL);
			break;
		case 'f':
		case 's':
			formatted(call, (const char *)args[n], args, n + 1, kind == 's');
			break;
		default:
			break;
		}
	}
}

/* Called by hooks.S before libc's function. */
void unseen_call(const uint64_t *args, void **entry);
void unseen_call(const uint64_t *args, void **entry)
{
	struct given_call call = { .pc = caller() - 1, .args = args, .reads = true, .writes = true };
	const char *what = function_arguments(entry, &call.name);

	call.reads = call.writes = module_is_program(call.pc);
	what = use_stream(&call, what);
	if (!call.reads)
		return;
	settle();
	look(&call, what);
}

/* Of a function that is served: what it reads before it is served, what it has written afterwards. Also if libstdc++ calls
 * it for the program, as std::thread does. */
struct served {
	const char *name, *arguments;
};

void served_call(const uint64_t *args, const struct served *to, bool after);
void served_call(const uint64_t *args, const struct served *to, bool after)
{
	const struct given_call call = { to->name, call_pc() - 1, args, !after, after };

	if (rt->tracing)
		look(&call, to->arguments);
}
