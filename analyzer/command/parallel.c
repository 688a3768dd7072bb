/* SPDX-License-Identifier: MIT */
#include "command/parallel.h"
#include "parts/explore.h"
#include "run/files.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_shard(struct parallel *p, struct error *e)
{
	int used = 0;

	if (sscanf(p->shard, "%" SCNu64 "/%" SCNu64 "%n", &p->number, &p->of, &used) != 2 ||
	    p->shard[used] || !p->number || p->number > p->of || p->of > 1000000)
		return error_set(e, "--shard must be I/N with I from 1 to N, not `%s`", p->shard);
	return 0;
}

int parallel_check(struct parallel *p, const struct settings *s, bool blocks, bool program,
		   struct error *e)
{
	const char *impossible;

	p->on = p->jobs != UINT64_MAX || p->resume || p->shard;
	if (!p->resume && !program)
		return error_set(e, "an argument is missing: which program is to be explored? (or --resume=DIR)");
	if (p->resume && (program || p->shard))
		return error_set(e, "--resume goes on with the program of the run directory; leave "
				    "%s out",
				 program ? "the program" : "--shard");
	if (p->shard && read_shard(p, e) < 0)
		return -1;
	impossible = p->on ? parts_impossible(s, blocks) : NULL;
	return impossible ? error_set(e, "-j, --shard and --resume: %s", impossible) : 0;
}

/* Files that executions change may well be others now. */
static int check_inputs(const struct parallel *p, const char *directory, struct error *e)
{
	char now[DIGEST_SIZE];

	inputs_digest(p->run->argv, p->run->cwd, p->run->input, now);
	if (p->run->status.files || !strcmp(now, p->frontier.inputs))
		return 0;
	return error_set(e, "%s: what the program reads, its standard input or a file among its arguments, is not what "
			    "it was when the search began; start it again",
			 directory);
}

/* What is explored is known as soon as a part has come to its end. */
static bool has_begun(const char *directory)
{
	char *frontier = run_files_path(directory, "frontier"), *run = run_files_path(directory, "run");
	bool begun = run || !frontier;

	free(frontier);
	free(run);
	return begun;
}

int parallel_open(struct parallel *p, const char *directory, struct settings *s, struct error *e)
{
	struct settings before = *s;
	const char *impossible;

	p->lock = run_files_lock(directory, e);
	if (p->lock < 0)
		return -1;
	if (!has_begun(directory))
		return error_set(e, "%s: the search was ended before it had explored anything; start it "
				    "again",
				 directory);
	p->run = run_open(directory, e);
	if (!p->run || settings_read(directory, s, &p->settings, e) < 0 ||
	    frontier_read(directory, &p->frontier, e) < 0 || check_inputs(p, directory, e) < 0)
		return -1;
	frontier_times(&p->frontier, &p->run->status);
	s->max_time = before.max_time;
	s->max_executions = before.max_executions;
	s->stop_at = before.stop_at;
	s->keep = p->frontier.keep;
	s->leaks = p->frontier.leaks;
	impossible = parts_impossible(s, p->run->enforce != NULL);
	return impossible ? error_set(e, "%s: %s", directory, impossible) : 0;
}

void parallel_launch(const struct parallel *p, struct launch *l)
{
	l->program = p->run->program;
	l->argv = p->run->argv;
	l->cwd = p->run->cwd;
	l->input = p->run->input;
}

/* A file that is standard input is opened by each part for itself. */
static char *own_input(void)
{
	char path[PATH_MAX];
	struct stat st;
	ssize_t n = readlink("/proc/self/fd/0", path, sizeof path - 1);

	if (n <= 0 || path[0] != '/' || fstat(0, &st) < 0 || !S_ISREG(st.st_mode) ||
	    lseek(0, 0, SEEK_CUR) != 0)
		return NULL;
	path[n] = '\0';
	return access(path, R_OK) == 0 ? xstrdup(path) : NULL;
}

uint64_t parallel_processes(uint64_t jobs)
{
	long processors = jobs ? 0 : sysconf(_SC_NPROCESSORS_ONLN);

	return jobs ? jobs : processors > 0 ? (uint64_t)processors : 1;
}

uint64_t parallel_workers(const struct parallel *p)
{
	if (p->jobs != UINT64_MAX)
		return parallel_processes(p->jobs);
	return p->shard || !p->on ? 1 : parallel_processes(0);
}

int parallel_explore(struct parallel *p, const struct launch *l, struct error *e)
{
	struct launch launch = *l;
	struct parts parts = { .launch = &launch,
			       .workers = parallel_workers(p),
			       .seconds = l->settings->max_time,
			       .fresh = !p->run };
	char *input = p->run ? NULL : own_input();
	int result;

	if (!p->run) {
		parts_begin(&p->frontier, l->settings, p->number, p->of);
		inputs_digest(l->argv, NULL, input, p->frontier.inputs);
		launch.input = input;
		p->lock = run_files_lock(l->directory, e);
	}
	parts.lock = p->lock;
	result = p->lock < 0 ? -1 : parts_explore(&parts, &p->frontier, e);
	free(input);
	return result;
}

void parallel_free(struct parallel *p)
{
	run_close(p->run);
	free(p->settings);
	frontier_free(&p->frontier);
	if (p->lock >= 0)
		close(p->lock);
}
