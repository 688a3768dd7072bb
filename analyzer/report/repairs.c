/* SPDX-License-Identifier: MIT */
#include "report/repairs.h"

#include "report/moved.h"
#include "report/outcome.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BLOCK_LINES 12 /* of a block's source */

void report_repairs_collect(const struct analysis *a, uint32_t most, struct report_repairs *to)
{
	const struct ranking_result *result = a->repairs;
	struct report_repair *list;
	uint32_t n;

	*to = (struct report_repairs){ 0 };
	if (!result)
		return;
	n = result->nrepairs < most ? result->nrepairs : most;
	list = xcalloc(n, sizeof *list);
	for (uint32_t i = 0; i < n; i++)
		list[i] = (struct report_repair){
			.blocks = result->repairs[i].repair.blocks,
			.nblocks = result->repairs[i].repair.nblocks,
			.disabled = result->repairs[i].disabled,
			.proof = i < a->proofs.n ? &a->proofs.list[i] : NULL,
		};
	*to = (struct report_repairs){
		.list = list,
		.n = n,
		.right = a->counted,
		.all = a->counted == a->right,
		.map = a->map,
		.directory = a->run->directory,
		.circles = a->ncircles > 0,
		.closure = a->closure,
	};
}

void report_repairs_free(struct report_repairs *r)
{
	free((void *)r->list);
	*r = (struct report_repairs){ 0 };
}

static void block_place(FILE *f, const struct block *b)
{
	fprintf(f, "%s:%u", b->file ? b->file : "?", b->first);
	if (b->last != b->first)
		fprintf(f, "-%u", b->last);
}

static void block_text(FILE *f, const struct block *b)
{
	block_place(f, b);
	if (b->function)
		fprintf(f, " (%s)", b->function);
}

void report_blocks(FILE *f, const struct block *blocks, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (i)
			fputs(i + 1 < n ? ", " : " and ", f);
		block_text(f, &blocks[i]);
	}
}

char *report_repair_text(const struct report_repair *r)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return xstrdup("");
	report_blocks(f, r->blocks, r->nblocks);
	fputs(r->nblocks > 1 ? " must each be atomic" : " must be atomic", f);
	fclose(f);
	return text;
}

static void source_line(FILE *out, struct srcmap *m, const char *file, uint32_t line)
{
	const char *raw = srcmap_line_text(m, file, line);
	char *text;

	if (!raw)
		return;
	text = text_printable(raw);
	fprintf(out, "%6u | %s\n", line, text);
	free(text);
}

static void block_source(FILE *out, struct srcmap *m, const struct block *b)
{
	uint32_t n = b->last >= b->first ? b->last - b->first : 0;

	if (!b->file || !srcmap_line_text(m, b->file, b->first))
		return;
	for (uint32_t i = 0; i <= n; i++) {
		fputs("     ", out);
		if (n >= MAX_BLOCK_LINES && i == MAX_BLOCK_LINES - 2) {
			fprintf(out, "%6s |\n", "...");
			i = n - 1;
			continue;
		}
		source_line(out, m, b->file, b->first + i);
	}
}

static void cost(FILE *out, const struct report_repair *r, const struct report_repairs *repairs)
{
	if (r->disabled || !repairs->all)
		fprintf(out, "; rules out %" PRIu64 " of %" PRIu64 " correct %s", r->disabled,
			repairs->right, plural(repairs->right, "class", "classes"));
	else
		fputs("; rules out no correct class", out);
}

/* ---- proofs ---- */

/* What still goes wrong: the first finding. */
static void counterexample(FILE *out, const struct attempt *attempt)
{
	const struct analysis *found = attempt->found;
	const struct finding *f = &found->findings[0];
	struct trace t = { 0 };
	char *sentence = NULL;

	if (f->is_history)
		sentence = xasprintf("not linearizable: %s",
				     f->why ? f->why : "no order of the operations fits");
	else if (run_load(found->run, f->class, &t, NULL) == 1)
		sentence = outcome_sentence(found->map, found->run, &t);
	if (attempt->stuck && !f->is_history)
		fputs("fails: with it in force nobody can go on", out);
	else
		fprintf(out, "fails: %s", sentence ? sentence : "wrong still");
	fprintf(out, " (%" PRIu64 " of %" PRIu64 " %s, in %.2f s)", f->classes, found->classes,
		plural(found->classes, "class", "classes"), attempt->seconds);
	free(sentence);
	trace_free(&t);
}

void report_attempt(FILE *out, const struct attempt *attempt)
{
	const char *classes = plural(attempt->classes, "class", "classes");

	switch (attempt->result) {
	case PROOF_HOLDS:
		if (attempt->classes == 1)
			fputs("proven for this client: the only class", out);
		else
			fprintf(out, "proven for this client: all %" PRIu64 " classes", attempt->classes);
		fprintf(out, ", in %.2f s", attempt->seconds);
		return;
	case PROOF_BOUNDED:
		fprintf(out, "holds within %" PRIu64 " %s, in %.2f s; not all were explored",
			attempt->classes, classes, attempt->seconds);
		return;
	case PROOF_FAILS:
		counterexample(out, attempt);
		return;
	case PROOF_NONE:
		fprintf(out, "not explored: %s", attempt->why ? attempt->why : "it was not asked for");
	}
}

/* The options that name the blocks to `linchpin verify`. */
static void verify_command(FILE *out, const char *directory, const struct repair *r,
			   const char *enforce)
{
	fprintf(out, "       to see it: linchpin verify %s --enforce=%s", directory, enforce);
	for (uint32_t i = 0; i < r->nblocks; i++) {
		const struct block *b = &r->blocks[i];

		fprintf(out, " --block %s:%s:%u-%u", b->file, b->function, b->first, b->last);
	}
	fputc('\n', out);
}

static void surprise(FILE *out, const struct attempt *attempt)
{
	if (attempt->surprising)
		fprintf(out,
			"       internal error: %" PRIu64 " classes complete with it in force, but "
			"%" PRIu64 " were predicted; please report this\n",
			attempt->completed, attempt->expected);
}

static bool same_lines(const struct section *a, const struct section *b)
{
	return block_inside(&a->lines, &b->lines) && block_inside(&b->lines, &a->lines) &&
	       block_inside(&a->whole, &b->whole) && block_inside(&b->whole, &a->whole);
}

/* Locks of several objects may be taken at one place: that is one section. */
static void sections(FILE *out, struct srcmap *m, const struct closed *c)
{
	for (uint32_t i = 0; i < c->nsections; i++) {
		const struct section *s = &c->sections[i];
		uint32_t first = 0;

		while (!same_lines(&c->sections[first], s))
			first++;
		if (first < i)
			continue;
		fprintf(out, "       widen the section of `%s`", srcmap_location(m, s->lock));
		for (uint32_t k = i + 1; k < c->nsections; k++)
			if (same_lines(&c->sections[k], s))
				fprintf(out, ", `%s`", srcmap_location(m, c->sections[k].lock));
		fputs(" at ", out);
		block_place(out, &s->lines);
		fputs(" to ", out);
		block_text(out, &s->whole);
		fputc('\n', out);
	}
}

static bool is_of(const struct block *b, const struct repair *repair)
{
	for (uint32_t i = 0; i < repair->nblocks; i++)
		if (block_inside(b, &repair->blocks[i]) && block_inside(&repair->blocks[i], b))
			return true;
	return false;
}

/* What a lock has to hold, if it is not the blocks themselves. */
static void held(FILE *out, const struct report_repair *r, const struct closed *c)
{
	const struct repair itself = { (struct block *)r->blocks, r->nblocks };
	struct repair more;
	bool same = true;

	repair_init(&more);
	for (uint32_t i = 0; i < r->nblocks; i++)
		same = same && is_of(&r->blocks[i], &c->blocks);
	for (uint32_t i = 0; i < c->blocks.nblocks; i++)
		if (!same || !is_of(&c->blocks.blocks[i], &itself))
			repair_add(&more, &c->blocks.blocks[i]);
	fputs("       as a lock", out);
	if (more.nblocks) {
		fprintf(out, " it %shas to hold ", same ? "also " : "");
		report_blocks(out, more.blocks, more.nblocks);
	}
	fputs(": ", out);
	repair_free(&more);
}

static void as_lock(FILE *out, struct srcmap *m, const struct report_repair *r,
		    const struct report_repairs *all)
{
	const struct proof_of_repair *p = r->proof;

	if (!p->closure)
		return;
	if (p->closed.wait_site != NONE) {
		fprintf(out,
			"       as a lock it would have to hold the wait at %s, which nobody could "
			"end then\n",
			srcmap_place(m, srcmap_own_frame(m, p->closed.wait_site), false));
	} else if (p->closed.impossible) {
		fputs("       as a lock it would have to hold a critical section that is in no single "
		      "function or operation\n",
		      out);
	} else if (p->lock.result != PROOF_NONE || p->lock.why) {
		held(out, r, &p->closed);
		report_attempt(out, &p->lock);
		fputc('\n', out);
		surprise(out, &p->lock);
		if (p->lock.result == PROOF_FAILS && all->directory)
			verify_command(out, all->directory, &p->closed.blocks, "lock");
	}
	/* A lock of a circle that is taken earlier is another order of locks, and not always a better one. */
	if (!all->circles)
		sections(out, m, &p->closed);
}

static bool moved(FILE *out, const struct repair *r, const struct report_repairs *all)
{
	uint32_t site, location;

	for (uint32_t i = 0; all->closure && i < r->nblocks; i++)
		if (r->blocks[i].file && r->blocks[i].function &&
		    moved_into(all->map, all->closure, &r->blocks[i], &site, &location)) {
			fprintf(out,
				"       note: the compiler has moved an access of `%s` to %s, where the source has none; "
				"compile with -O0 to have the lines that would have to be atomic in the source\n",
				srcmap_location(all->map, location),
				srcmap_place(all->map, srcmap_own_frame(all->map, site), false));
			return true;
		}
	return false;
}

static void proofs(FILE *out, struct srcmap *m, const struct report_repair *r,
		   const struct report_repairs *all)
{
	const struct proof_of_repair *p = r->proof;
	const struct repair repair = { (struct block *)r->blocks, r->nblocks };

	fputs("       ", out);
	report_attempt(out, &p->atomic);
	fputc('\n', out);
	surprise(out, &p->atomic);
	if (p->atomic.result == PROOF_FAILS && all->directory)
		verify_command(out, all->directory, &repair, "atomic");
	as_lock(out, m, r, all);
	/* The proof is about the program as it was compiled. */
	if (!moved(out, &repair, all) && p->closure)
		moved(out, &p->closed.blocks, all);
}

void report_repairs(FILE *out, const struct text_style *s, const struct report_repairs *repairs)
{
	uint32_t rank = 0, n = repairs->n;
	struct srcmap *m = repairs->map;

	for (uint32_t i = 0; i < n; i++) {
		const struct report_repair *r = &repairs->list[i];
		bool same_before = i > 0 && r[-1].disabled == r->disabled;
		bool same_after = i + 1 < n && r[1].disabled == r->disabled;
		char *text = report_repair_text(r);

		if (!same_before)
			rank = i + 1;
		fprintf(out, "  %3u. %s%s%s", rank, text_begin(s, TEXT_GREEN), text,
			text_end(s, TEXT_GREEN));
		cost(out, r, repairs);
		fputs(same_before || same_after ? " (tie)\n" : "\n", out);
		for (uint32_t j = 0; j < r->nblocks; j++)
			block_source(out, m, &r->blocks[j]);
		if (r->proof && r->proof->asked)
			proofs(out, m, r, repairs);
		free(text);
	}
}

/* ---- the order of locks ---- */

static void lock_orders(FILE *out, const struct analysis *a, const struct lock_circle *circle, bool notes)
{
	const struct nesting *n;

	for (uint32_t i = 0; (n = nestings_get(a->nestings, i)) != NULL; i++) {
		if (!lock_circle_has(circle, n))
			continue;
		if (notes)
			fprintf(out, "%s: note:",
				srcmap_place(a->map, srcmap_own_frame(a->map, n->second_site), false));
		fprintf(out, "%s order of locks: %s at %s, ", notes ? "" : " ",
			srcmap_location(a->map, n->first),
			srcmap_place(a->map, srcmap_own_frame(a->map, n->first_site), false));
		fprintf(out, "then %s at %s\n", srcmap_location(a->map, n->second),
			srcmap_place(a->map, srcmap_own_frame(a->map, n->second_site), false));
	}
}

/* Where a thread takes all its locks of the circle at once, or in an order that is the same everywhere, it ends
 * with the same results, if nobody sees a lock without waiting for it. To take them at once is a block from
 * the first call to the last, in force as an atomic one. */
static const struct attempt *taken_at_once(const struct analysis *a, const struct lock_circle *circle)
{
	const struct attempt *found = NULL;
	struct repair gate;

	if (lock_circle_tried(a->nestings, circle) || !nestings_gate(a->nestings, circle, &gate))
		return NULL;
	for (uint32_t i = 0; i < a->proofs.n && !found; i++) {
		const struct attempt *attempt = &a->proofs.list[i].atomic;

		if (attempt->result == PROOF_HOLDS &&
		    repair_subsumes(&a->repairs->repairs[i].repair, &gate))
			found = attempt;
	}
	repair_free(&gate);
	return found;
}

/* The same as a note, at a place where two of the locks are taken. */
static void note_at_once(FILE *out, const struct analysis *a, const struct lock_circle *circle)
{
	const struct attempt *at_once = taken_at_once(a, circle);
	const struct nesting *n;

	for (uint32_t i = 0; at_once && (n = nestings_get(a->nestings, i)) != NULL; i++) {
		if (!lock_circle_has(circle, n))
			continue;
		fprintf(out, "%s: note: to take them at once, or in one order everywhere, is a repair: ",
			srcmap_place(a->map, srcmap_own_frame(a->map, n->second_site), false));
		report_attempt(out, at_once);
		fputc('\n', out);
		return;
	}
}

static void one_order(FILE *out, const struct analysis *a, const struct lock_circle *circle)
{
	const struct attempt *at_once = taken_at_once(a, circle);

	fputs("  The best repair is one order in all places, if it is known before the first lock is taken which "
	      "one the second will be.\n",
	      out);
	if (at_once) {
		fputs("  To take them at once, as std::scoped_lock does, comes to the same: ", out);
		report_attempt(out, at_once);
	} else {
		fputs("  That is not explored here", out);
	}
	fprintf(out, "; to make it, build it and explore it: linchpin fix --build COMMAND %s\n",
		a->run->directory);
}

void report_lock_order(FILE *out, const struct analysis *a, uint64_t class, bool notes)
{
	struct lock_circle circle;
	struct trace t = { 0 };

	if (run_load(a->run, class, &t, NULL) == 1 && lock_circle_find(&t, &circle)) {
		lock_orders(out, a, &circle, notes);
		/* With blocks in force it may be about what they wait for. */
		if (notes)
			note_at_once(out, a, &circle);
		else if (!a->run->enforce)
			one_order(out, a, &circle);
		free(circle.locks);
	}
	trace_free(&t);
}
