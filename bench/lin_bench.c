/* SPDX-License-Identifier: MIT
 *
 * lin-bench [SEED [MOST [HISTORIES]]]: how long linearizability checks take, on histories from a
 * generator with a seed: threads that are always inside an operation, against a sequential model.
 * MOST bounds the operations (1000000). HISTORIES is a directory with Porcupine's public test data
 * (porcupine/jepsen, porcupine/kv), if it is there.
 *
 * Every row is measured in a process of its own: the best of three checks in wall-clock and in
 * processor time (which does not count other processes), the memory of the history, and that of the
 * first check beyond it.
 */
#include "lin/check/check.h"
#include "lin/format/format.h"

#include <glob.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum kind { QUEUE, STACK, PQUEUE, SET, MAP };

static const char *const specification[] = { "queue", "stack", "pqueue-max", "set", "map" };

#define THREADS 8
#define KEYS    1000

#define FILE_SECONDS 10

struct bench {
	enum kind kind;
	uint32_t n;
	int threads;
	bool spoiled; /* the last pops are exchanged */
	uint64_t seed;
};

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

struct sequence {
	int64_t *a;
	uint32_t head, n; /* a[head .. n) */
};

static void heap_push(struct sequence *s, int64_t v)
{
	uint32_t i = s->n++;

	for (; i && s->a[(i - 1) / 2] < v; i = (i - 1) / 2)
		s->a[i] = s->a[(i - 1) / 2];
	s->a[i] = v;
}

static int64_t heap_pop(struct sequence *s)
{
	int64_t top = s->a[0], last = s->a[--s->n];
	uint32_t i = 0, child;

	while ((child = 2 * i + 1) < s->n) {
		child += child + 1 < s->n && s->a[child + 1] > s->a[child];
		if (s->a[child] <= last)
			break;
		s->a[i] = s->a[child];
		i = child;
	}
	s->a[i] = last;
	return top;
}

/* The effect of the operation: fills its result. */
static void effect(enum kind kind, struct sequence *s, struct history_op *op, uint32_t method)
{
	int64_t *cell = kind >= SET ? &s->a[op->args[0].v] : NULL;

	op->result = (struct value){ VALUE_INT, 1 };
	if (kind == SET) {
		op->result.v = (method == 0) != (*cell != 0);
		if (method == 2)
			op->result.v = *cell != 0;
		else
			*cell = method == 0;
	} else if (kind == MAP) {
		op->result = *cell ? (struct value){ VALUE_INT, *cell }
				   : (struct value){ VALUE_EMPTY, 0 };
		if (method == 0)
			*cell = op->args[1].v;
		else if (method == 1)
			*cell = 0;
	} else if (method == 0) {
		if (kind == PQUEUE)
			heap_push(s, op->args[0].v);
		else
			s->a[s->n++] = op->args[0].v;
	} else if (s->head == s->n) {
		op->result.tag = VALUE_EMPTY;
	} else {
		op->result.v = kind == QUEUE   ? s->a[s->head++]
			       : kind == STACK ? s->a[--s->n]
					       : heap_pop(s);
	}
}

static struct history_op *begin(const struct bench *b, struct history *h, uint64_t *random,
				uint32_t *method)
{
	struct history_op *op = history_add(h);
	int64_t fresh = (int64_t)h->nops;

	*method = (uint32_t)(next_random(random) % (b->kind >= SET ? 3 : 2));
	op->method = *method;
	if (b->kind >= SET) {
		op->args[op->nargs++] =
			(struct value){ VALUE_INT, (int64_t)(next_random(random) % KEYS) };
		if (b->kind == MAP && *method == 0)
			op->args[op->nargs++] = (struct value){ VALUE_INT, fresh };
	} else if (*method == 0) {
		/* Priorities in no order, and distinct. */
		op->args[op->nargs++] = (struct value){
			VALUE_INT,
			b->kind == PQUEUE ? (int64_t)(fresh * 2654435761 % 4294967291) : fresh
		};
	}
	return op;
}

/* After exchanging their results, do two removes surely break the order? Value v is added by
 * operation v - 1. */
static bool breaks_order(const struct history *h, enum kind kind, const struct history_op *first,
			 const struct history_op *second)
{
	const struct history_op *a = &h->ops[first->result.v - 1],
				*b = &h->ops[second->result.v - 1];

	if (first->ret >= second->call || a->ret >= first->call || b->ret >= first->call)
		return false;
	return kind == QUEUE ? a->ret < b->call : b->ret < a->call;
}

static bool removed(const struct history_op *op)
{
	return op->method == 1 && op->result.tag == VALUE_INT;
}

/*
 * Exchanges the results of two removes, as near to the end as possible. Each result is possible
 * alone; only the order of the collection is wrong.
 */
static void spoil(struct history *h, enum kind kind)
{
	for (size_t i = h->nops; i--;)
		for (size_t k = i; k-- && i - k < 200;) {
			struct history_op *first = &h->ops[k], *second = &h->ops[i];
			struct value v = first->result;

			if (!removed(first) || !removed(second) ||
			    !breaks_order(h, kind, first, second))
				continue;
			first->result = second->result;
			second->result = v;
			return;
		}
}

static void generate(const struct bench *b, struct history *h)
{
	static const char *const names[][3] = {
		{ "enq", "deq", "" },       { "push", "pop", "" },
		{ "insert", "pop", "" },    { "add", "remove", "contains" },
		{ "put", "remove", "get" },
	};
	uint64_t random = b->seed;
	struct sequence s = { xcalloc(b->n + KEYS, sizeof(int64_t)), 0, 0 };
	struct {
		size_t op;
		uint32_t method;
		int stage;
	} thread[THREADS] = { 0 };
	int64_t now = 0;
	uint32_t done = 0;

	history_init(h);
	history_object(h, "object", NULL);
	for (int i = 0; i < 3; i++)
		history_method(h, names[b->kind][i]);
	while (done < b->n) {
		int t = (int)(next_random(&random) % (uint64_t)b->threads);

		now++;
		switch (thread[t].stage) {
		case 0:
			if (h->nops == b->n)
				break;
			thread[t].op = (size_t)(begin(b, h, &random, &thread[t].method) - h->ops);
			h->ops[thread[t].op].call = now;
			h->ops[thread[t].op].thread = t;
			thread[t].stage = 1;
			break;
		case 1:
			effect(b->kind, &s, &h->ops[thread[t].op], thread[t].method);
			thread[t].stage = 2;
			break;
		default:
			h->ops[thread[t].op].ret = now;
			thread[t].stage = 0;
			done++;
		}
	}
	if (b->spoiled)
		spoil(h, b->kind);
	free(s.a);
}

/* A number out of /proc/self/status, in bytes; 0 if it is not there. */
static size_t status_bytes(const char *field)
{
	char line[256];
	size_t bytes = 0;
	FILE *f = fopen("/proc/self/status", "r");

	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, field, strlen(field)))
			bytes = strtoull(line + strlen(field), NULL, 10) * 1024;
	if (f)
		fclose(f);
	return bytes;
}

static void reset_peak(void)
{
	FILE *f = fopen("/proc/self/clear_refs", "w");

	if (f) {
		fputs("5", f);
		fclose(f);
	}
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double check_once(const struct history *h, const struct lin_options *o, enum check_mode mode,
			 struct lin_result *r)
{
	struct error e;
	double before = now_seconds(), took;

	if (lin_check_mode(h, o, mode, r, &e)) {
		fprintf(stderr, "%s\n", e.message);
		exit(EXIT_MISUSE);
	}
	took = now_seconds() - before;
	return took;
}

/* `history`: the bytes that the history takes. */
static void measure(const char *name, const struct history *h, size_t history,
		    const struct lin_options *o, enum check_mode mode)
{
	static const char *const verdicts[] = { "ok", "violation", "unknown" };
	struct lin_result r;
	enum lin_verdict verdict;
	double best = 1e9, best_cpu = 1e9;
	size_t before, peak = 0;

	for (int i = 0; i < 3; i++) {
		double took, cpu = cpu_seconds();

		reset_peak();
		before = status_bytes("VmRSS:");
		took = check_once(h, o, mode, &r);
		cpu = cpu_seconds() - cpu;
		if (!i)
			peak = status_bytes("VmHWM:") - before;
		verdict = r.verdict;
		lin_result_free(&r);
		best = took < best ? took : best;
		best_cpu = cpu < best_cpu ? cpu : best_cpu;
		if (took > 2)
			break;
	}
	printf("%-34s %9zu %-10s %10.2f %10.2f %8.0f %8.0f %8.0f\n", name, h->nops,
	       verdicts[verdict], best * 1e3, best_cpu * 1e3, best_cpu * 1e9 / (double)h->nops,
	       (double)history / (double)h->nops, (double)peak / (double)h->nops);
}

static void run(const struct bench *b, const char *name, bool general, int workers, bool witness)
{
	struct lin_options o = { .specification = specification[b->kind],
				 .seconds = 60,
				 .workers = workers,
				 .witness = witness };
	struct history h;
	size_t before;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		before = status_bytes("VmRSS:");
		generate(b, &h);
		malloc_trim(0);
		measure(name, &h, status_bytes("VmRSS:") - before, &o,
			general ? CHECK_GENERAL : CHECK_AUTO);
		history_free(&h);
		exit(0);
	}
	waitpid(child, NULL, 0);
}

static void run_generated(uint64_t seed, uint32_t most)
{
	static const char *const titles[] = {
		"queue, 4 threads",          "stack, 4 threads",
		"priority queue, 4 threads", "set, 1000 keys, 4 threads",
		"map, 1000 keys, 4 threads",
	};

	for (int kind = QUEUE; kind <= MAP; kind++)
		for (uint32_t n = 1000; n <= most; n *= 10)
			run(&(struct bench){ (enum kind)kind, n, 4, false, seed }, titles[kind],
			    false, 1, false);
	run(&(struct bench){ SET, most, 4, false, seed }, "set, 2 workers", false, 2, false);
	run(&(struct bench){ SET, most, 4, false, seed }, "set, general search", true, 1, false);
	for (uint64_t i = 0; i < 10; i++) {
		char name[64];

		snprintf(name, sizeof name, "stack, 8 threads, spoiled, seed %d", (int)(seed + i));
		run(&(struct bench){ STACK, 500, 8, true, seed + i }, name, false, 1, false);
	}
	run(&(struct bench){ STACK, 500, 8, true, seed }, "the same with its witness", false, 1,
	    true);
	run(&(struct bench){ QUEUE, most, 4, true, seed }, "queue, spoiled, witness", false, 1,
	    true);
	run(&(struct bench){ STACK, most, 4, true, seed }, "stack, spoiled, witness", false, 1,
	    true);
}

/* All files of a pattern, one after the other: the sum. */
static void run_files(const char *directory, const char *pattern, const char *spec,
		      const char *name, enum check_mode mode)
{
	char *path = xasprintf("%s/%s", directory, pattern);
	struct lin_options o = { .specification = spec, .seconds = FILE_SECONDS };
	bool unknown = false;
	double sum = 0;
	size_t ops = 0;
	glob_t files;

	if (!glob(path, 0, NULL, &files)) {
		for (size_t i = 0; i < files.gl_pathc; i++) {
			struct history h;
			struct lin_result r;
			struct error e;
			size_t size;
			char *text = read_file(files.gl_pathv[i], &size, &e);
			double best = 1e9;

			history_init(&h);
			if (!text || format_parse(&h, files.gl_pathv[i], text, size, NULL, &e)) {
				fprintf(stderr, "%s\n", e.message);
				exit(EXIT_MISUSE);
			}
			for (int k = 0; k < 3; k++) {
				double took = check_once(&h, &o, mode, &r);

				best = took < best ? took : best;
				unknown |= r.verdict == LIN_UNKNOWN;
				lin_result_free(&r);
				if (took > 2)
					break;
			}
			sum += best;
			ops += h.nops;
			history_free(&h);
			free(text);
		}
		printf("%-34s %9zu %-10s %10.2f %10s %8.0f\n", name, ops, unknown ? "unknown" : "",
		       sum * 1e3, "", sum * 1e9 / (double)ops);
		globfree(&files);
	}
	free(path);
}

static void print_machine(void)
{
	struct utsname u;
	char line[256], *model = NULL;
	FILE *f = fopen("/proc/cpuinfo", "r");

	while (f && !model && fgets(line, sizeof line, f))
		if (!strncmp(line, "model name", 10) && strchr(line, ':'))
			model = strchr(line, ':') + 2;
	if (f)
		fclose(f);
	uname(&u);
	printf("# %ld processors of %.*s, %s %s\n", sysconf(_SC_NPROCESSORS_ONLN),
	       model ? (int)strcspn(model, "\n") : 7, model ? model : "unknown", u.sysname,
	       u.release);
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	uint32_t most = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 0) : 1000000;

	print_machine();
	printf("%63s %10s %8s %17s\n", "", "", "", "bytes an operation");
	printf("%-34s %9s %-10s %10s %10s %8s %8s %8s\n", "history", "ops", "verdict", "ms",
	       "cpu ms", "cpu ns/op", "history", "check");
	run_generated(seed, most);
	if (argc > 3) {
		run_files(argv[3], "porcupine/jepsen/*.log", "cas-register(nil)", "etcd logs, all",
			  CHECK_AUTO);
		run_files(argv[3], "porcupine/kv/c50-ok.txt", "kv", "c50-ok", CHECK_AUTO);
		run_files(argv[3], "porcupine/kv/c50-ok.txt", "kv", "c50-ok, not by key",
			  CHECK_WHOLE);
		run_files(argv[3], "porcupine/kv/*.txt", "kv", "kv logs, all", CHECK_AUTO);
	}
	return 0;
}
