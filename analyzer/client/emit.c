/* SPDX-License-Identifier: MIT */
#include "client/emit.h"
#include "client/calls.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static FILE *begin(char **text, size_t *size)
{
	FILE *out = open_memstream(text, size);

	if (!out)
		abort();
	return out;
}

/* The functions that clients call: those of operations, then the others. */
static const struct spec_call *other(const struct spec_file *spec, const struct spec_call *create,
				     unsigned i)
{
	const struct spec_call *const calls[] = { create, &spec->clients.check,
						  &spec->clients.begin, &spec->clients.end };

	return calls[i];
}

char *emit_probe(const struct spec_file *spec)
{
	char *text;
	size_t size;
	FILE *out = begin(&text, &size);

	for (uint32_t i = 0; i < spec->nops; i++)
		fprintf(out, "extern char %s[];\n", spec->ops[i].function);
	for (unsigned i = 0; i < 4; i++)
		if (other(spec, &spec->clients.create, i)->function)
			fprintf(out, "extern char %s[];\n",
				other(spec, &spec->clients.create, i)->function);
	fputs("const void *linchpin_called[] = {\n", out);
	for (uint32_t i = 0; i < spec->nops; i++)
		fprintf(out, "\t%s,\n", spec->ops[i].function);
	for (unsigned i = 0; i < 4; i++)
		if (other(spec, &spec->clients.create, i)->function)
			fprintf(out, "\t%s,\n", other(spec, &spec->clients.create, i)->function);
	fputs("};\n\nint main(void)\n{\n\treturn 0;\n}\n", out);
	fclose(out);
	return text;
}

/* ---- what all programs have ---- */

static bool stores_object(const struct emitter *m)
{
	for (unsigned i = 0; i < m->create.nargs; i++)
		if (!strcmp(m->create.args[i], "this"))
			return true;
	return false;
}

static void write_object(FILE *out, const struct emitter *m)
{
	uint64_t size = calls_object_size(m->spec, m->functions);

	if (!calls_have_object(m->spec))
		return;
	if (!stores_object(m))
		fputs("\nstatic void *object;\n", out);
	else
		fprintf(out, "\nstatic _Alignas(64) unsigned char object[%" PRIu64 "];\n", size);
}

static void write_head(FILE *out, const struct emitter *m)
{
	fputs("#include <pthread.h>\n#include <stdbool.h>\n#include <stddef.h>\n"
	      "#include <stdint.h>\n#include <stdlib.h>\n\n",
	      out);
	for (uint32_t i = 0; i < m->spec->nops; i++)
		if (!m->spec->ops[i].object)
			calls_declare(out, m->functions, m->spec->ops[i].function);
	for (unsigned i = 0; i < 4; i++)
		if (other(m->spec, &m->create, i)->function)
			calls_declare(out, m->functions, other(m->spec, &m->create, i)->function);
	write_object(out, m);
}

static void write_plain(FILE *out, const struct spec_call *call)
{
	fprintf(out, "%s(", call->function);
	for (unsigned i = 0; i < call->nargs; i++)
		fprintf(out, "%s%s", i ? ", " : "",
			strcmp(call->args[i], "this") != 0 ? call->args[i] : "object");
	fputc(')', out);
}

static void write_create(FILE *out, const struct emitter *m)
{
	if (!m->create.function)
		return;
	fprintf(out, "\t%s",
		calls_have_object(m->spec) && !stores_object(m) ? "object = (void *)" : "");
	write_plain(out, &m->create);
	fputs(";\n", out);
}

static void write_line(FILE *out, const struct spec_call *call)
{
	if (!call->function)
		return;
	fputc('\t', out);
	write_plain(out, call);
	fputs(";\n", out);
}

static void write_check(FILE *out, const struct emitter *m)
{
	const struct spec_call *check = &m->spec->clients.check;

	if (!check->function)
		return;
	if (calls_return_nothing(m->functions, check->function)) {
		write_line(out, check);
		return;
	}
	fputs("\tif (!", out);
	write_plain(out, check);
	fputs(")\n\t\tabort();\n", out);
}

/* ---- a driver ---- */

static void write_step(FILE *out, const struct emitter *m)
{
	static const char *const args[] = { "a[0]", "a[1]", "a[2]", "a[3]" };

	fputs("\nstatic void step(int op, const int64_t *a)\n{\n\tswitch (op) {\n", out);
	for (uint32_t i = 0; i < m->spec->nops; i++) {
		if (m->spec->ops[i].object)
			continue;
		fprintf(out, "\tcase %" PRIu32 ":\n\t\t", i);
		calls_write(out, m->spec, m->functions, &m->spec->ops[i], args);
		fputs(";\n\t\tbreak;\n", out);
	}
	fputs("\t}\n}\n", out);
}

/* Groups end with a slash; an operation is its number and four values. */
static const char parse[] = "\n"
			    "#define MAX_OPS 64\n"
			    "\n"
			    "static struct {\n"
			    "\tint op;\n"
			    "\tint64_t args[4];\n"
			    "} ops[MAX_OPS];\n"
			    "static int ends[8], ngroups;\n"
			    "\n"
			    "static void parse(char *text)\n"
			    "{\n"
			    "\tint n = 0;\n"
			    "\n"
			    "\twhile (*text && n < MAX_OPS && ngroups < 8) {\n"
			    "\t\tif (*text == '/') {\n"
			    "\t\t\tends[ngroups++] = n;\n"
			    "\t\t\ttext++;\n"
			    "\t\t\tcontinue;\n"
			    "\t\t}\n"
			    "\t\tops[n].op = (int)strtol(text, &text, 10);\n"
			    "\t\tfor (int i = 0; i < 4; i++)\n"
			    "\t\t\tops[n].args[i] = strtoll(text + 1, &text, 10);\n"
			    "\t\ttext++;\n"
			    "\t\tn++;\n"
			    "\t}\n"
			    "}\n"
			    "\n"
			    "static void group(int g)\n"
			    "{\n"
			    "\tfor (int i = g ? ends[g - 1] : 0; i < ends[g]; i++)\n"
			    "\t\tstep(ops[i].op, ops[i].args);\n"
			    "}\n";

char *emit_driver(const struct emitter *m)
{
	char *text;
	size_t size;
	FILE *out = begin(&text, &size);

	write_head(out, m);
	write_step(out, m);
	fputs(parse, out);
	fputs("\nstatic void *run(void *number)\n{\n", out);
	write_line(out, &m->spec->clients.begin);
	fputs("\tgroup((int)(intptr_t)number);\n", out);
	write_line(out, &m->spec->clients.end);
	fputs("\treturn NULL;\n}\n\nint main(int argc, char **argv)\n{\n\tpthread_t threads[8];\n\n"
	      "\tif (argc != 2)\n\t\treturn 2;\n\tparse(argv[1]);\n",
	      out);
	write_line(out, &m->spec->clients.begin);
	write_create(out, m);
	fputs("\tgroup(0);\n"
	      "\tfor (int t = 1; t < ngroups - 1; t++)\n"
	      "\t\tpthread_create(&threads[t], NULL, run, (void *)(intptr_t)t);\n"
	      "\tfor (int t = 1; t < ngroups - 1; t++)\n"
	      "\t\tpthread_join(threads[t], NULL);\n"
	      "\tgroup(ngroups - 1);\n",
	      out);
	write_check(out, m);
	fputs("\treturn 0;\n}\n", out);
	fclose(out);
	return text;
}

char *emit_argument(const struct script *s)
{
	char *text;
	size_t size;
	FILE *out = begin(&text, &size);

	for (unsigned g = 0; g <= s->nthreads + 1; g++) {
		for (unsigned i = script_first(s, g); i < s->end[g]; i++) {
			fprintf(out, "%" PRIu32, s->ops[i].op);
			for (unsigned k = 0; k < SPEC_MAX_ARGS; k++)
				fprintf(out, ",%" PRId64, s->ops[i].args[k]);
			fputc(';', out);
		}
		fputc('/', out);
	}
	fclose(out);
	return text;
}

/* ---- a client of its own ---- */

static void write_group(FILE *out, const struct emitter *m, const struct script *s, unsigned group)
{
	for (unsigned i = script_first(s, group); i < s->end[group]; i++) {
		char values[SPEC_MAX_ARGS][24];
		const char *args[SPEC_MAX_ARGS];

		for (unsigned k = 0; k < SPEC_MAX_ARGS; k++) {
			snprintf(values[k], sizeof values[k], "%" PRId64, s->ops[i].args[k]);
			args[k] = values[k];
		}
		fputc('\t', out);
		calls_write(out, m->spec, m->functions, &m->spec->ops[s->ops[i].op], args);
		fputs(";\n", out);
	}
}

char *emit_client(const struct emitter *m, const struct script *s, const char *head)
{
	char *text;
	size_t size;
	FILE *out = begin(&text, &size);

	fputs("/*\n", out);
	for (const char *line = head; *line;) {
		size_t n = strcspn(line, "\n");

		fprintf(out, " *%s%.*s\n", n && *line != '\t' ? " " : "", (int)n, line);
		line += n + (line[n] == '\n');
	}
	fputs(" */\n", out);
	write_head(out, m);
	for (unsigned t = 1; t <= s->nthreads; t++) {
		fprintf(out, "\nstatic void *thread%u(void *unused)\n{\n\t(void)unused;\n", t);
		write_line(out, &m->spec->clients.begin);
		write_group(out, m, s, t);
		write_line(out, &m->spec->clients.end);
		fputs("\treturn NULL;\n}\n", out);
	}
	fprintf(out, "\nint main(void)\n{\n\tpthread_t threads[%u];\n\n", s->nthreads);
	write_line(out, &m->spec->clients.begin);
	write_create(out, m);
	write_group(out, m, s, 0);
	for (unsigned t = 1; t <= s->nthreads; t++)
		fprintf(out, "\tpthread_create(&threads[%u], NULL, thread%u, NULL);\n", t - 1, t);
	fprintf(out, "\tfor (int t = 0; t < %u; t++)\n\t\tpthread_join(threads[t], NULL);\n",
		s->nthreads);
	write_group(out, m, s, s->nthreads + 1);
	write_check(out, m);
	fputs("\treturn 0;\n}\n", out);
	fclose(out);
	return text;
}
