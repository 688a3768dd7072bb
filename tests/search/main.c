/* SPDX-License-Identifier: MIT
 *
 * fuzz-search [OPTION...] [SEED [COUNT]]: explores COUNT random programs, from SEED on, by each
 * search, and compares with the model, which visits every state; or compares all pairs of
 * operations (pairs.c).
 *
 *	-r FILE   the runtime (build/libsched.so)
 *	-t FILE   the target (build/tests/search-target)
 *	-d DIR    for all files (build/search)
 *	-j JOBS   at a time (as many as there are processors)
 *	-x N      at most so many executions of a search (3000)
 *	-m N      no programs with more states (20000)
 *	-o NAME   only programs, or pairs, with operations whose names begin so
 *	-w        programs that write more than they read
 *	-b        programs of threads that pass a block of the heap to each other
 *	-y        programs of threads that are alike, with --equivalence=symmetry, too
 *	-p        pairs of operations
 *	-k        known programs
 *	-c FILE   the command: searches in parts are compared as well
 *	-e        stateful searches are compared as well
 *	-s        show the programs, also as the target takes them, run nothing
 *
 * Compared are what the operations returned and memory at the end, how executions end, and between
 * source, dpor and dfs the number of classes of each kind of end. Nothing depends on time.
 */
#include "compare.h"
#include "kinds.h"
#include "known.h"
#include "model.h"
#include "pairs.h"
#include "print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct options {
	struct setting setting;
	unsigned jobs;
	uint32_t most_states;
	uint64_t seed, count;
	const char *only;
	bool pairs, known, writes, twins, heap, show;
};

static bool read_options(struct options *o, int argc, char **argv)
{
	int c;

	*o = (struct options){
		.setting = { "build/libsched.so", "build/tests/search-target", "build/search", 3000 },
		.jobs = (unsigned)sysconf(_SC_NPROCESSORS_ONLN),
		.most_states = 20000,
		.seed = 1,
		.count = 10000,
	};
	while ((c = getopt(argc, argv, "r:t:d:j:x:m:o:c:ewybpks")) != -1) {
		switch (c) {
		case 'r':
			o->setting.runtime = optarg;
			break;
		case 't':
			o->setting.target = optarg;
			break;
		case 'd':
			o->setting.directory = optarg;
			break;
		case 'j':
			o->jobs = (unsigned)atoi(optarg);
			break;
		case 'x':
			o->setting.max_executions = (unsigned)atoi(optarg);
			break;
		case 'm':
			o->most_states = (uint32_t)atoi(optarg);
			break;
		case 'o':
			o->only = optarg;
			break;
		case 'w':
			o->writes = true;
			break;
		case 'y':
			o->twins = true;
			break;
		case 'b':
			o->heap = true;
			break;
		case 'c':
			o->setting.command = optarg;
			break;
		case 'e':
			o->setting.stateful = true;
			break;
		case 'p':
			o->pairs = true;
			break;
		case 'k':
			o->known = true;
			break;
		case 's':
			o->show = true;
			break;
		default:
			return false;
		}
	}
	if (optind < argc)
		o->seed = strtoull(argv[optind++], NULL, 10);
	if (optind < argc)
		o->count = strtoull(argv[optind++], NULL, 10);
	if (o->known) {
		o->seed = 0;
		o->count = 100;
	}
	return optind == argc && o->jobs > 0 && o->setting.max_executions > 0;
}

static bool has_operation(const struct program *p, const char *name)
{
	for (unsigned t = 0; t < p->nthreads; t++)
		for (unsigned i = 0; i < p->n[t]; i++)
			if (!strncmp(op_name(p->ops[t][i].what), name, strlen(name)))
				return true;
	return false;
}

static void one_program(const struct options *o, const struct setting *s, uint64_t seed,
			struct tally *tally)
{
	struct program p;
	struct model m;

	if (o->known) {
		if (!known_program(&p, seed))
			return;
	} else {
		(o->writes ? generate_writes : o->twins ? generate_twins : o->heap ? generate_heap : generate)(&p, seed);
	}
	if (o->only && !has_operation(&p, o->only))
		return;
	if (o->show) {
		printf("seed %llu: ", (unsigned long long)seed);
		for (size_t i = 0; i < sizeof p; i++)
			printf("%02x", ((const uint8_t *)&p)[i]);
		putchar('\n');
		print_program(&p);
		return;
	}
	model_build(&m, &p, o->most_states);
	if (m.too_big) {
		tally->too_big++;
	} else if (!compare(&m, &p, s, tally)) {
		tally->different++;
		printf("seed %llu:\n", (unsigned long long)seed);
		print_program(&p);
	}
	model_free(&m);
}

static void job(const struct options *o, unsigned number, struct tally *tally)
{
	char directory[300];
	struct setting s = o->setting;

	snprintf(directory, sizeof directory, "%s/%u", s.directory, number);
	mkdir(directory, 0777);
	s.directory = directory;
	if (o->pairs)
		pairs(&s, number, o->jobs, o->only, tally);
	for (uint64_t i = number; i < o->count && !o->pairs; i += o->jobs)
		one_program(o, &s, o->seed + i, tally);
}

static void add_tally(struct tally *sum, const struct tally *t)
{
	sum->programs += t->programs;
	sum->by_dfs += t->by_dfs;
	sum->too_big += t->too_big;
	sum->ends += t->ends;
	sum->different += t->different;
	sum->executions[0] += t->executions[0];
	sum->executions[1] += t->executions[1];
	sum->executions[2] += t->executions[2];
	sum->executions[3] += t->executions[3];
	sum->cut += t->cut;
	sum->stateful += t->stateful;
	sum->states += t->states;
	sum->merged += t->merged;
	for (unsigned i = 0; i < OPS * OPS; i++)
		sum->pairs[i] |= t->pairs[i];
	for (unsigned i = 0; i < LP_EV_COUNT; i++)
		for (unsigned k = 0; k < 2; k++)
			sum->kinds[i][k] |= t->kinds[i][k];
	for (unsigned i = 0; i < OPS; i++)
		sum->ops[i] |= t->ops[i];
}

/* Are these so many that each kind of event and operation must be there? */
static bool draws_all(const struct options *o)
{
	return !o->only && (o->pairs || (o->count >= 300 && !o->writes && !o->twins && !o->heap && !o->known && !o->show));
}

int main(int argc, char **argv)
{
	struct options o;
	struct tally *tallies, sum = { 0 };
	bool failed = false;
	int status;

	if (!read_options(&o, argc, argv)) {
		fprintf(stderr, "usage: fuzz-search [-ewybpks] [-r RUNTIME] [-t TARGET] [-d DIR] "
				"[-j JOBS] [-x EXECUTIONS] [-m STATES] [-o NAME] [SEED [COUNT]]\n");
		return 2;
	}
	mkdir(o.setting.directory, 0777);
	tallies = mmap(NULL, o.jobs * sizeof *tallies, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (unsigned i = 0; i < o.jobs; i++)
		if (fork() == 0) {
			job(&o, i, &tallies[i]);
			fflush(stdout);
			_exit(0);
		}
	while (wait(&status) > 0)
		failed |= status != 0;
	for (unsigned i = 0; i < o.jobs; i++)
		add_tally(&sum, &tallies[i]);
	printf("%llu programs compared, %llu of them with dfs as well; %llu ends; %llu have too many "
	       "states or executions; %llu differ\n",
	       (unsigned long long)sum.programs, (unsigned long long)sum.by_dfs,
	       (unsigned long long)sum.ends, (unsigned long long)sum.too_big,
	       (unsigned long long)sum.different);
	printf("executions: source %llu, dpor %llu, of them cut %llu, with observers %llu, with symmetry %llu\n",
	       (unsigned long long)sum.executions[0], (unsigned long long)sum.executions[1],
	       (unsigned long long)sum.cut, (unsigned long long)sum.executions[2],
	       (unsigned long long)sum.executions[3]);
	printf("stateful searches: %llu, states %llu, met again %llu\n", (unsigned long long)sum.stateful,
	       (unsigned long long)sum.states, (unsigned long long)sum.merged);
	if (o.pairs)
		failed |= !pairs_all(sum.pairs) && !o.only;
	if (draws_all(&o))
		failed |= !kinds_all(&sum);
	return failed || sum.different || !(sum.programs || o.show);
}
