/* SPDX-License-Identifier: MIT
 *
 * fuzz-waiting [OPTION...] [SEED [COUNT]]: explores COUNT random programs that wait, from SEED on,
 * with linchpin in several ways, and compares with the checker. A program that makes a difference
 * is left as a file of its own, DIR/seed-N.c.
 *
 *	-l LINCHPIN   the command (build/linchpin)
 *	-d DIR        for all files (build/waiting)
 *	-j JOBS       at a time (as many as there are processors)
 *	-m STATES     no programs with more states (4000)
 *	-x N, -T N    budget of a search: executions (2000), seconds (5)
 *	-v            also name programs of which two complete searches count different classes
 *	-c            run nothing, print what the checker finds in each
 *	-t            the same, and the programs as text
 */
#include "compare.h"
#include "emit.h"
#include "generate.h"
#include "base/util.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define BATCH        50 /* programs in one file of C */
#define NEVER_ENDING 4  /* of those that cannot end at all, one in so many is taken */

static struct {
	const char *linchpin, *directory;
	unsigned jobs;
	uint32_t most_states;
	unsigned max_executions, max_seconds;
	uint64_t seed, count;
	bool only_check, text, verbose;
} options = { "build/linchpin", "build/waiting", 1, 4000, 2000, 5, 1, 2000, false, false, false };

/* Of one job, in memory that the parent shares. */
struct result {
	struct tally tallies[SETUPS];
	uint64_t programs, different, uneven;
	bool failed; /* not a difference: a program could not be compiled */
};

/* Is this a test? It must not be too large, unlock what others own, or share nothing. And of those
 * that cannot end at all, only some seeds take one. */
static bool of_use(const struct checker *c, uint64_t seed)
{
	return !c->unusable && !c->too_big && c->shares && (c->nends || seed % NEVER_ENDING == 0);
}

/* Generates the program of the seed, and visits its states. */
static void prepare(struct program *p, struct checker *c, uint64_t seed)
{
	for (unsigned attempt = 0;; attempt++) {
		generate(p, seed, attempt);
		checker_build(c, p, options.most_states);
		if (of_use(c, seed))
			return;
		checker_free(c);
	}
}

static void print_check(const struct program *p, const struct checker *c)
{
	char text[400];

	printf("seed %llu: %u states, %u ends, %u livelocks: %s\n", (unsigned long long)p->seed,
	       c->nstates, c->nends, c->nlivelocks, p->kinds);
	if (!options.text)
		return;
	program_print(p, stdout);
	for (uint32_t i = 0; i < c->nends; i++) {
		checker_end_text(c, &c->ends[i], text, sizeof text);
		printf("# %s\n", text);
	}
	for (uint32_t i = 0; i < c->nlivelocks; i++) {
		checker_livelock_text(c, &c->livelocks[i], text, sizeof text);
		printf("# %s\n", text);
	}
}

static void only_check(void)
{
	struct program p;
	struct checker c;

	for (uint64_t s = options.seed; s < options.seed + options.count; s++) {
		prepare(&p, &c, s);
		print_check(&p, &c);
		checker_free(&c);
	}
}

static bool write_source(const char *path, const struct program *programs, unsigned n)
{
	FILE *f = fopen(path, "w");

	if (!f) {
		perror(path);
		return false;
	}
	emit(f, programs, n);
	return fclose(f) == 0;
}

/* Compiles `stem`.c in each way, to the names in x. */
static bool compile(const char *stem, char *names[BUILDS])
{
	static const char *const formats[BUILDS] = {
		[BUILD_PLAIN] =
			"gcc -w -g -O2 -pthread $(%s cflags | sed 's/.* -I/-I/') %s.c -o %s",
		[BUILD_UNOPTIMIZED] =
			"gcc -w -g -O0 -pthread $(%s cflags | sed 's/.* -I/-I/') %s.c -o %s",
		[BUILD_HOOKS] = "gcc -w -O2 $(%1$s cflags) -c %2$s.c -o %3$s.o && "
				"gcc %3$s.o -o %3$s $(%1$s libs)",
	};
	static const char *const suffixes[BUILDS] = { "plain", "unoptimized", "hooks" };

	for (unsigned b = 0; b < BUILDS; b++) {
		char *command;
		int status;

		names[b] = xasprintf("%s-%s", stem, suffixes[b]);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		command = xasprintf(formats[b], options.linchpin, stem, names[b]);
#pragma GCC diagnostic pop
		status = system(command);
		free(command);
		if (status)
			return false;
	}
	return true;
}

/* Do all complete searches find the same number of classes? */
static bool even(const uint64_t *classes)
{
	uint64_t first = 0;

	for (unsigned k = 0; k < SETUPS; k++) {
		if (first && classes[k] && classes[k] != first)
			return false;
		first = first ? first : classes[k];
	}
	return true;
}

static void explore_one(const struct program *p, struct exploration *x, struct result *r)
{
	uint64_t classes[SETUPS];
	struct checker c;
	bool same = true;

	checker_build(&c, p, options.most_states);
	for (unsigned k = 0; k < SETUPS; k++)
		same &= compare(&c, &setups[k], x, &r->tallies[k], &classes[k]);
	checker_free(&c);
	r->programs++;
	if (!even(classes)) {
		r->uneven++;
		for (unsigned k = 0; k < SETUPS && options.verbose; k++)
			printf("seed %llu, %s: %llu classes\n", (unsigned long long)p->seed,
			       setups[k].name, (unsigned long long)classes[k]);
	}
	if (!same) {
		char *path =
			xasprintf("%s/seed-%llu.c", options.directory, (unsigned long long)p->seed);

		write_source(path, p, 1);
		printf("seed %llu: %s: %s\n", (unsigned long long)p->seed, path, p->kinds);
		free(path);
		r->different++;
	}
}

static void batch(uint64_t first, uint64_t end, const char *job, struct result *r)
{
	static struct program programs[BATCH];
	char *stem = xasprintf("%s/programs", job), *names[BUILDS] = { NULL };
	struct exploration x = {
		.linchpin = options.linchpin,
		.directory = job,
		.max_executions = options.max_executions,
		.max_seconds = options.max_seconds,
	};
	unsigned n = 0;
	char *source = xasprintf("%s.c", stem);

	for (uint64_t s = first; s < end; s++) {
		struct checker c;

		prepare(&programs[n++], &c, s);
		checker_free(&c);
	}
	if (write_source(source, programs, n) && compile(stem, names)) {
		memcpy(x.programs, names, sizeof names);
		for (x.index = 0; x.index < n; x.index++)
			explore_one(&programs[x.index], &x, r);
	} else {
		r->failed = true;
	}
	for (unsigned b = 0; b < BUILDS; b++)
		free(names[b]);
	free(source);
	free(stem);
}

/* Job number j of all: every jobs-th batch. */
static void work(unsigned j, struct result *r)
{
	char *job = xasprintf("%s/job-%u", options.directory, j);

	mkdir(job, 0777);
	for (uint64_t i = j * BATCH; i < options.count; i += (uint64_t)options.jobs * BATCH) {
		uint64_t end = i + BATCH < options.count ? i + BATCH : options.count;

		batch(options.seed + i, options.seed + end, job, r);
		fflush(stdout);
	}
	free(job);
}

static void add(struct tally *to, const struct tally *t)
{
	uint64_t *a = (uint64_t *)to;
	const uint64_t *b = (const uint64_t *)t;

	for (size_t i = 0; i < sizeof *t / sizeof *a; i++)
		a[i] += b[i];
}

static void print_table(const struct result *sum)
{
	printf("%-13s %8s %8s %7s %6s %7s %6s %9s %6s %10s %6s %9s %10s\n", "search", "programs",
	       "complete", "bounded", "over", "ends", "lost", "livelocks", "lost", "unreported",
	       "wrong", "classes", "executions");
	for (unsigned k = 0; k < SETUPS; k++) {
		const struct tally *t = &sum->tallies[k];

		printf("%-13s %8lu %8lu %7lu %6lu %7lu %6lu %9lu %6lu %10lu %6lu %9lu %10lu\n",
		       setups[k].name, t->programs, t->complete, t->bounded, t->over, t->ends,
		       t->lost_ends, t->livelocks, t->lost_livelocks, t->unreported, t->wrong,
		       t->classes, t->executions);
	}
	printf("%lu programs, %lu with a difference; in %lu the number of classes "
	       "depends on the build or the search\n",
	       sum->programs, sum->different, sum->uneven);
}

static void arguments(int argc, char **argv)
{
	int o;

	options.jobs = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	while ((o = getopt(argc, argv, "l:d:j:m:x:T:vct")) != -1) {
		switch (o) {
		case 'l':
			options.linchpin = optarg;
			break;
		case 'd':
			options.directory = optarg;
			break;
		case 'j':
			options.jobs = (unsigned)strtoul(optarg, NULL, 0);
			break;
		case 'm':
			options.most_states = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 'x':
			options.max_executions = (unsigned)strtoul(optarg, NULL, 0);
			break;
		case 'T':
			options.max_seconds = (unsigned)strtoul(optarg, NULL, 0);
			break;
		case 'v':
			options.verbose = true;
			break;
		case 't':
			options.text = true;
			/* fall through */
		case 'c':
			options.only_check = true;
			break;
		default:
			exit(2);
		}
	}
	if (optind < argc)
		options.seed = strtoull(argv[optind++], NULL, 0);
	if (optind < argc)
		options.count = strtoull(argv[optind], NULL, 0);
}

int main(int argc, char **argv)
{
	struct result *results, sum = { 0 };
	bool failed = false;

	arguments(argc, argv);
	if (options.only_check) {
		only_check();
		return 0;
	}
	mkdir(options.directory, 0777);
	results = mmap(NULL, options.jobs * sizeof *results, PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	fflush(stdout);
	for (unsigned j = 0; j < options.jobs; j++) {
		if (fork() == 0) {
			work(j, &results[j]);
			exit(0);
		}
	}
	for (int status; wait(&status) > 0;)
		failed |= status != 0;
	for (unsigned j = 0; j < options.jobs; j++) {
		for (unsigned k = 0; k < SETUPS; k++)
			add(&sum.tallies[k], &results[j].tallies[k]);
		sum.programs += results[j].programs;
		sum.different += results[j].different;
		sum.uneven += results[j].uneven;
		failed |= results[j].failed;
	}
	print_table(&sum);
	return failed || sum.different || !sum.programs;
}
