/* SPDX-License-Identifier: MIT */
#include "report/outputs.h"

#include "fix/patch.h"
#include "report/coverage.h"
#include "report/json.h"
#include "report/page.h"
#include "report/sarif.h"

#include <stdlib.h>
#include <string.h>

/* A patch of the best repair, if the source can be parsed without being told how it is compiled. */
static char *make_diff(const struct model *m, struct patch *p)
{
	const struct proof_of_repair *proof = m->nrepairs ? m->repairs[0].proof : NULL;
	const struct patch_request request = {
		.blocks = m->nrepairs ? m->repairs[0].blocks : NULL,
		.nblocks = m->nrepairs ? m->repairs[0].nblocks : 0,
		.run = m->a->run,
		.map = m->a->map,
		.nestings = m->a->nestings,
		.circles = m->a->circles,
		.ncircles = m->a->ncircles,
		.no_lock = proof && proof->lock.result == PROOF_FAILS ? "" : NULL,
	};
	char *text = NULL;
	size_t size;
	FILE *to;

	if (!m->nrepairs || patch_make(&request, 0, p, NULL) != 1)
		return NULL;
	to = open_memstream(&text, &size);
	if (to) {
		patch_print(to, p);
		fclose(to);
	}
	return text;
}

/* Is this a job of GitHub, where lines of a certain form become remarks in the source? */
static bool annotations_wanted(void)
{
	const char *value = getenv("GITHUB_ACTIONS");

	return value && !strcmp(value, "true");
}

bool outputs_wanted(const struct report_options *options)
{
	return options->json || options->html || options->sarif || options->junit || options->lcov ||
	       annotations_wanted();
}

int outputs_write(struct model *m, const struct report_options *options, struct error *e)
{
	struct patch patch = { 0 };
	char *diff = NULL;
	int result = 0;

	if (options->html || options->sarif)
		diff = make_diff(m, &patch);
	if (options->json)
		result = json_write(m, options->json, e);
	if (result == 0 && options->html)
		result = page_write(m, diff, options->html, e);
	if (result == 0 && options->sarif)
		result = sarif_write(m, &patch, options->sarif, e);
	if (result == 0 && options->junit)
		result = junit_write(m, options->junit, e);
	if (result == 0 && options->lcov)
		result = lcov_write(m->a, options->lcov, e);
	/* Standard output belongs to the JSON then. */
	if (result == 0 && annotations_wanted() && !(options->json && !strcmp(options->json, "-")))
		annotations_print(m);
	patch_free(&patch);
	free(diff);
	return result;
}
