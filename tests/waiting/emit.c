/* SPDX-License-Identifier: MIT */
#include "emit.h"

static const char *const head[] = {
	"/* Made by fuzz-waiting (tests/waiting). The argument says which program is to run. */",
	"#include <assert.h>",
	"#include <linchpin.h>",
	"#include <pthread.h>",
	"#include <sched.h>",
	"#include <stdatomic.h>",
	"#include <stdint.h>",
	"#include <stdlib.h>",
	"#include <unistd.h>",
	"",
	"#define N(n) ((uint8_t)((n) << 5)) /* numbers modulo 8: adding wraps round */",
	"",
	"static struct {",
	"	_Atomic uint8_t a[6];",
	"	volatile uint8_t v[6];",
	"	pthread_mutex_t m[3];",
	"} shared;",
	"",
	"struct program {",
	"	uint8_t initial[6];",
	"	unsigned plain, nthreads;",
	"	void *(*threads[4])(void *);",
	"};",
	"",
	"static inline __attribute__((always_inline)) uint8_t cas(_Atomic uint8_t *x, uint8_t a, "
	"uint8_t b)",
	"{",
	"	return atomic_compare_exchange_strong(x, &a, b) ? N(1) : 0;",
	"}",
};

static const char *const tail[] = {
	"int main(int argc, char **argv)",
	"{",
	"	const struct program *p = &programs[argc > 1 ? atoi(argv[1]) : 0];",
	"	uint64_t numbers = 0, registers = 0;",
	"	pthread_t id[4];",
	"	void *result;",
	"",
	"	linchpin_object(&shared, \"register\");",
	"	for (unsigned x = 0; x < 6; x++)",
	"		shared.a[x] = shared.v[x] = p->initial[x];",
	"	for (unsigned m = 0; m < 3; m++)",
	"		pthread_mutex_init(&shared.m[m], NULL);",
	"	for (unsigned t = 0; t < p->nthreads; t++)",
	"		pthread_create(&id[t], NULL, p->threads[t], NULL);",
	"	for (unsigned t = 0; t < p->nthreads; t++) {",
	"		pthread_join(id[t], &result);",
	"		registers |= (uint64_t)(uintptr_t)result << 16 * t;",
	"	}",
	"	for (unsigned x = 0; x < 6; x++)",
	"		numbers |= (uint64_t)(p->plain >> x & 1 ? shared.v[x] : shared.a[x]) >> 5 "
	"<< 3 * x;",
	"	linchpin_call(&shared, \"end\", numbers, registers);",
	"	linchpin_return_void();",
	"	return 0;",
	"}",
};

static void lines(FILE *out, const char *const *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s\n", text[i]);
}

static const char *operand(struct operand o, char to[8])
{
	snprintf(to, 8, o.is_register ? "r%u" : "N(%u)", o.n);
	return to;
}

static const char *variable(const struct program *p, unsigned x, char to[16])
{
	if (x >= NUMBERS)
		snprintf(to, 16, "shared.m[%u]", x - NUMBERS);
	else
		snprintf(to, 16, "shared.%c[%u]", p->plain >> x & 1 ? 'v' : 'a', x);
	return to;
}

static void emit_instruction(FILE *out, const struct program *p, unsigned t, unsigned k)
{
	const struct instruction *i = &p->threads[t].code[k];
	char a[8], b[8], x[16];

	operand(i->a, a);
	operand(i->b, b);
	variable(p, i->x, x);
	fprintf(out, "L%u:\t", k);
	if (i->r != NO_REGISTER)
		fprintf(out, "r%d = ", i->r);
	switch (i->op) {
	case OP_LOAD:
		fprintf(out, "%s;\n", x);
		break;
	case OP_STORE:
		fprintf(out, "%s = %s;\n", x, a);
		break;
	case OP_EXCHANGE:
		fprintf(out, "atomic_exchange(&%s, %s);\n", x, a);
		break;
	case OP_CAS:
		fprintf(out, "cas(&%s, %s, %s);\n", x, a, b);
		break;
	case OP_FETCH_ADD:
		fprintf(out, "atomic_fetch_add(&%s, %s);\n", x, a);
		break;
	case OP_LOCK:
		fprintf(out, "pthread_mutex_lock(&%s);\n", x);
		break;
	case OP_UNLOCK:
		fprintf(out, "pthread_mutex_unlock(&%s);\n", x);
		break;
	case OP_TRYLOCK:
		fprintf(out, "pthread_mutex_trylock(&%s) ? N(0) : N(1);\n", x);
		break;
	case OP_YIELD:
		fprintf(out, "sched_yield();\n");
		break;
	case OP_SLEEP:
		fprintf(out, "usleep(1);\n");
		break;
	case OP_SET:
		fprintf(out, "%s;\n", a);
		break;
	case OP_SUM:
		fprintf(out, "%s + %s;\n", a, b);
		break;
	case OP_JUMP:
		fprintf(out, "goto L%u;\n", i->target);
		break;
	case OP_JUMP_EQ:
	case OP_JUMP_NE:
		fprintf(out, "if (%s %s %s) goto L%u;\n", a, i->op == OP_JUMP_EQ ? "==" : "!=", b,
			i->target);
		break;
	case OP_ASSERT_EQ:
	case OP_ASSERT_NE:
		fprintf(out, "assert(%s %s %s && \"thread %u at %u\");\n", a,
			i->op == OP_ASSERT_EQ ? "==" : "!=", b, t, k);
		break;
	case OP_END:
		fprintf(out, "return (void *)(uintptr_t)(r2 | r3 << 8);\n");
		break;
	}
}

static void emit_thread(FILE *out, const struct program *p, unsigned n, unsigned t)
{
	fprintf(out, "static void *p%u_t%u(void *unused)\n{\n\tuint8_t r0 = 0", n, t);
	for (unsigned r = 1; r < REGISTERS; r++)
		fprintf(out, ", r%u = 0", r);
	fprintf(out, ";\n\n");
	for (unsigned k = 0; k < p->threads[t].n; k++)
		emit_instruction(out, p, t, k);
	fprintf(out, "}\n\n");
}

static void emit_table(FILE *out, const struct program *programs, unsigned n)
{
	fprintf(out, "static const struct program programs[] = {\n");
	for (unsigned i = 0; i < n; i++) {
		const struct program *p = &programs[i];

		fprintf(out, "\t{ {");
		for (unsigned x = 0; x < NUMBERS; x++)
			fprintf(out, " N(%u),", p->initial[x]);
		fprintf(out, " }, 0x%x, %u, {", p->plain, p->nthreads);
		for (unsigned t = 0; t < p->nthreads; t++)
			fprintf(out, " p%u_t%u,", i, t);
		fprintf(out, " } },\n");
	}
	fprintf(out, "};\n\n");
}

void emit(FILE *out, const struct program *programs, unsigned n)
{
	lines(out, head, sizeof head / sizeof *head);
	for (unsigned i = 0; i < n; i++) {
		fprintf(out, "\n/* seed %llu: %s */\n", (unsigned long long)programs[i].seed,
			programs[i].kinds);
		for (unsigned t = 0; t < programs[i].nthreads; t++)
			emit_thread(out, &programs[i], i, t);
	}
	emit_table(out, programs, n);
	lines(out, tail, sizeof tail / sizeof *tail);
}
