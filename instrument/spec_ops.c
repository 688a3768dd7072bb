/* SPDX-License-Identifier: MIT
 *
 * Operations that a specification file describes: LINCHPIN_OPS names the file that `linchpin` has
 * made from it for this program (see format/run_dir.h). A probe at the entry of such a function
 * begins an operation, one at its return ends it. Calls inside an operation are part of it, so
 * other operations inside it are not counted.
 */
#include "../interpose/interpose.h"
#include "../runtime/memory.h"
#include "../runtime/trace.h"
#include "probe.h"
#include "spec_ops.h"
#include "value.h"

#include <link.h>
#include <sys/stat.h>

#define MAX_OPS     256
#define MAX_OBJECTS 64
#define MAX_MODULES 1024

enum compare { EQ, NE, LT, LE, GT, GE };

struct op {
	const char *name, *specification;
	uint64_t object_number;
	bool has_object, conditional;
	uint8_t nargs, compare;
	int64_t right;
	struct source object, args[4], left, then, otherwise;
};

static struct op ops[MAX_OPS];
static unsigned nops, nlost; /* lost: guessed ones that cannot be caught */
static const char *objects[MAX_OBJECTS];
static struct library {
	struct stat file;
	const char *path; /* NULL: there is no such number */
	uint64_t bias;
	bool named;       /* by an operation */
	bool loaded;      /* now, or in an execution before */
} * libraries;            /* MAX_MODULES of them, in memory that isolated executions share */
static const char *whole; /* the file */
static const char *file_name;
static const struct library *late; /* only its operations are read */

/* The operation that is open in a thread; without meaning when the fiber is in none. */
static struct open_op {
	const struct op *op;
	uint64_t rsp;
	struct probe_regs entry;
} opened[MAX_FIBERS];

static bool holds(const struct op *op, int64_t left)
{
	switch (op->compare) {
	case EQ:
		return left == op->right;
	case NE:
		return left != op->right;
	case LT:
		return left < op->right;
	case LE:
		return left <= op->right;
	case GT:
		return left > op->right;
	default:
		return left >= op->right;
	}
}

/* ---- probes ---- */

static void on_entry(void *cookie, const struct probe_regs *regs)
{
	const struct op *op = cookie;
	struct fiber *f = rt->cur;
	struct open_op *o = &opened[f->id];
	uint64_t object = op->object_number;
	int64_t args[4];

	if (f->in_op) {
		/* Inside the open operation, unless that one was left without a return. */
		if (!o->op || stack_depth(f, regs->rsp) <= stack_depth(f, o->rsp))
			return;
		f->in_op = 0;
	}
	if (op->has_object)
		object = (uint64_t)value_of(&op->object, regs, regs);
	for (unsigned i = 0; i < op->nargs; i++)
		args[i] = value_of(&op->args[i], regs, regs);
	o->op = op;
	o->rsp = regs->rsp;
	o->entry = *regs;
	trace_object(object, op->specification);
	operation_call(object, op->name, op->nargs, args, regs->pc);
	/* The block that it was in may have been freed and handed out again before the call was its
	 * turn; then it has another name. */
	trace_object(object, op->specification);
}

static void on_return(void *cookie, const struct probe_regs *regs)
{
	const struct op *op = cookie;
	struct open_op *o = &opened[rt->cur->id];
	const struct source *s = &op->then;

	if (!rt->cur->in_op || o->op != op || o->rsp != regs->rsp)
		return;
	if (!regs->pc) { /* it never returns */
		rt->cur->in_op = 0;
		o->op = NULL;
		return;
	}
	if (op->conditional && !holds(op, value_of(&op->left, &o->entry, regs)))
		s = &op->otherwise;
	o->op = NULL;
	operation_return(s->kind == FROM_NOTHING ? 0
			 : s->kind == FROM_EMPTY ? 2
						 : 1,
			 value_of(s, &o->entry, regs), regs->pc);
}

bool spec_op_open(uint64_t sp)
{
	const struct open_op *o = &opened[rt->cur->id];

	return o->op && rt->cur->in_op && stack_depth(rt->cur, sp) <= stack_depth(rt->cur, o->rsp);
}

void spec_op_forget(unsigned fiber)
{
	opened[fiber].op = NULL;
}

/* ---- the file ---- */

struct text_reader {
	const char *path;
	char *at;
	unsigned line;
};

static __attribute__((noreturn)) void damaged(const struct text_reader *t)
{
	die("%s:%u: this file is damaged or of another version", t->path, (unsigned long)t->line);
}

/* The next word of the line, terminated; NULL at the end of the line. */
static char *word(struct text_reader *t)
{
	char *start;

	while (*t->at == ' ')
		t->at++;
	start = t->at;
	while (*t->at && *t->at != ' ' && *t->at != '\n')
		t->at++;
	if (t->at == start)
		return NULL;
	if (*t->at == ' ')
		*t->at++ = '\0';
	return start;
}

static char *need(struct text_reader *t)
{
	char *w = word(t);

	if (!w)
		damaged(t);
	return w;
}

static uint64_t hex(struct text_reader *t, const char *p)
{
	uint64_t v = 0;

	if (!*p)
		damaged(t);
	for (; *p && *p != '\n'; p++) {
		if (*p >= '0' && *p <= '9')
			v = v << 4 | (uint64_t)(*p - '0');
		else if (*p >= 'a' && *p <= 'f')
			v = v << 4 | (uint64_t)(*p - 'a' + 10);
		else
			damaged(t);
	}
	return v;
}

static uint64_t below(struct text_reader *t, uint64_t bound)
{
	const char *p = need(t);
	uint64_t v = 0;

	for (; *p >= '0' && *p <= '9' && v < bound; p++)
		v = v * 10 + (uint64_t)(*p - '0');
	if ((*p && *p != '\n') || v >= bound)
		damaged(t);
	return v;
}

static void read_type(struct text_reader *t, const char *p, struct source *s)
{
	s->type = (uint8_t)p[0];
	if (s->type != 's' && s->type != 'u' && s->type != 'b')
		damaged(t);
	s->size = (uint8_t)(p[1] - '0');
	if (s->size != 1 && s->size != 2 && s->size != 4 && s->size != 8)
		damaged(t);
}

static struct source read_source(struct text_reader *t, uint64_t bias)
{
	const char *p = need(t);
	struct source s = { 0 };

	if (same(p, "void", 4)) {
		s.kind = FROM_NOTHING;
	} else if (same(p, "empty", 5)) {
		s.kind = FROM_EMPTY;
	} else if (*p == 'c' || *p == 'a') {
		s.kind = FROM_CONST;
		s.value = hex(t, p + 1) + (*p == 'a' ? bias : 0);
	} else if (*p == 'r') {
		s.kind = FROM_RET;
		read_type(t, p + 1, &s);
	} else {
		s.kind = *p == '*' ? FROM_POINTEE : FROM_REGISTER;
		p += *p == '*';
		if (*p < '0' || *p > '5')
			damaged(t);
		s.reg = (uint8_t)(*p - '0');
		read_type(t, p + 1, &s);
	}
	return s;
}

static uint8_t read_compare(struct text_reader *t)
{
	static const char *const names[] = { "==", "!=", "<", "<=", ">", ">=" };
	const char *p = need(t);

	for (unsigned i = 0; i < 6; i++)
		if (equal(p, names[i]))
			return (uint8_t)i;
	damaged(t);
}

static void read_result(struct text_reader *t, struct op *op, uint64_t bias)
{
	char *before = t->at;

	if (!equal(need(t), "if")) {
		/* word() may have ended it here; that makes no difference to a later reader. */
		t->at = before;
		op->then = read_source(t, bias);
		return;
	}
	op->conditional = true;
	op->left = read_source(t, bias);
	op->compare = read_compare(t);
	op->right = (int64_t)hex(t, need(t));
	op->then = read_source(t, bias);
	op->otherwise = read_source(t, bias);
}

static void read_op(struct text_reader *t)
{
	struct op *op = &ops[nops];
	uint64_t module, bias, address, object;

	if (nops == MAX_OPS)
		die("%s: more than %u operations", t->path, (unsigned long)MAX_OPS);
	module = below(t, MAX_MODULES);
	if (!libraries[module].path)
		damaged(t);
	libraries[module].named = true;
	if (!libraries[module].loaded || (late && late != &libraries[module]))
		return; /* it may come in an execution */
	bias = libraries[module].bias;
	address = hex(t, need(t)) + bias;
	object = below(t, MAX_OBJECTS);
	if (!objects[object])
		damaged(t);
	op->specification = objects[object];
	op->object_number = object;
	op->name = need(t);
	while (*t->at == ' ')
		t->at++;
	op->has_object = *t->at != '-';
	if (op->has_object)
		op->object = read_source(t, bias);
	else
		need(t);
	op->nargs = (uint8_t)below(t, 5);
	for (unsigned i = 0; i < op->nargs; i++)
		op->args[i] = read_source(t, bias);
	read_result(t, op, bias);
	if (!probe_function(address, on_entry, on_return, op)) {
		if (same(op->specification, "guess ", 6)) {
			nlost++;
			return;
		}
		die("the function of the operation `%s` cannot be caught: its code cannot be "
		    "instrumented (it was compiled with\n"
		    "linchpin: -fsanitize=thread, or --instrument or --skip leaves it out, or "
		    "`linchpin run -v` "
		    "says why). Mark its calls with "
		    "linchpin.h.",
		    op->name);
	}
	nops++;
}

struct search {
	struct stat file;
	uint64_t bias;
	bool first, found;
};

static int look_at_module(struct dl_phdr_info *info, size_t size, void *data)
{
	struct search *s = data;
	const char *name = s->first ? rt->config.program : info->dlpi_name;
	struct stat st;

	(void)size;
	s->first = false;
	if (!*name || sys2(SYS_stat, name, &st) < 0 || st.st_dev != s->file.st_dev ||
	    st.st_ino != s->file.st_ino)
		return 0;
	s->bias = info->dlpi_addr;
	s->found = true;
	return 1;
}

/* The places where the module has been loaded. */
static void read_module(struct text_reader *t)
{
	uint64_t number = below(t, MAX_MODULES);
	struct search s = { .first = true };

	if (late)
		return;
	while (*t->at == ' ')
		t->at++;
	if (sys2(SYS_stat, t->at, &s.file) >= 0)
		real.dl_iterate_phdr(look_at_module, &s);
	if (!s.found && !number)
		die("%s: it is for another program than this", t->path);
	libraries[number] = (struct library){ s.file, t->at, s.bias, false, s.found };
}

static void read_line(struct text_reader *t)
{
	const char *first = word(t);

	if (!first)
		return;
	if (equal(first, "object")) {
		uint64_t number = below(t, MAX_OBJECTS);

		objects[number] = t->at;
	} else if (equal(first, "module")) {
		read_module(t);
	} else if (equal(first, "op")) {
		read_op(t);
	} else if (!equal(first, "limit") /* for the report */ &&
		   (!equal(first, "ops") || below(t, 2) != 1)) {
		damaged(t);
	}
}

/* Works on a copy, because words are ended in place and stay there. */
static void read_lines(void)
{
	struct text_reader t = { .path = file_name };
	size_t size = length(whole) + 1;
	char *line = memory_get(size);

	copy(line, whole, size);
	while (*line) {
		char *end = line;

		while (*end && *end != '\n')
			end++;
		t.line++;
		t.at = line;
		line = end + (*end == '\n');
		*end = '\0';
		read_line(&t);
	}
}

void spec_ops_load(const char *path)
{
	file_name = path;
	libraries = memory_get(MAX_MODULES * sizeof *libraries);
	whole = memory_file(path, "LINCHPIN_OPS");
	read_lines();
}

void spec_ops_late(const struct stat *file, uint64_t base)
{
	for (unsigned i = 1; libraries && i < MAX_MODULES; i++) {
		struct library *l = &libraries[i];

		if (!l->path || l->file.st_dev != file->st_dev || l->file.st_ino != file->st_ino)
			continue;
		l->bias = base;
		l->loaded = true;
		late = l;
		read_lines();
		late = NULL;
	}
}

void spec_ops_unused(void)
{
	if (nlost || probes_lost())
		trace_note("functions of operations are not instrumented (--instrument or --skip "
			   "leaves them out, or linchpin run -v says why), so these operations are "
			   "not checked");
	for (unsigned i = 1; libraries && i < MAX_MODULES; i++) {
		struct text t;

		if (!libraries[i].named || libraries[i].loaded)
			continue;
		t.n = 0;
		text_add(&t, "%s, whose functions the specification names, was never loaded%c",
			 libraries[i].path, '\0');
		trace_note(t.s);
	}
}
