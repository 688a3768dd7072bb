/* SPDX-License-Identifier: MIT
 *
 * The coverage as JSON: that of --json, which the page has, too.
 */
#include "report/coverage.h"

#include "report/page_private.h"

static json_t *number(uint64_t n)
{
	return json_integer((json_int_t)n);
}

static json_t *make_place(const char *file, const char *function, uint32_t line)
{
	json_t *o = json_object();

	json_object_set_new(o, "file", page_text(file));
	json_object_set_new(o, "line", number(line));
	json_object_set_new(o, "function", page_text(function));
	return o;
}

static json_t *make_line(const struct covered_line *l)
{
	json_t *o = make_place(l->file, l->function, l->line);

	json_object_set_new(o, "ran", l->ran < 0 ? json_null() : json_boolean(l->ran));
	json_object_set_new(o, "steps", json_boolean(l->steps));
	json_object_set_new(o, "conflicts", json_boolean(l->conflicts));
	json_object_set_new(o, "overlapped", l->steps ? json_boolean(l->overlapped) : json_null());
	return o;
}

static json_t *line_of(const struct coverage_result *c, uint32_t line)
{
	const struct covered_line *l = &c->lines[line];

	return make_place(l->file, l->function, l->line);
}

static json_t *make_pair(const struct analysis *a, const struct covered_pair *p)
{
	json_t *o = json_object();

	json_object_set_new(o, "first", line_of(a->coverage, p->a));
	json_object_set_new(o, "second", line_of(a->coverage, p->b));
	json_object_set_new(o, "location", page_text(srcmap_location(a->map, p->location)));
	json_object_set_new(o, "first_before_second", json_boolean(p->a_first));
	json_object_set_new(o, "second_before_first", json_boolean(p->b_first));
	return o;
}

static json_t *make_block(const struct coverage_result *c, const struct covered_block *b)
{
	json_t *o = line_of(c, b->first);

	json_object_set_new(o, "last", number(c->lines[b->last].line));
	return o;
}

json_t *coverage_json(const struct analysis *a)
{
	const struct coverage_result *c = a->coverage;
	json_t *o = json_object(), *alone = json_array(), *lines = json_array(), *pairs = json_array(), *blocks = json_array(),
	       *uncalled = json_array();

	for (uint32_t i = 0; i < c->nlines; i++)
		json_array_append_new(lines, make_line(&c->lines[i]));
	for (uint32_t i = 0; i < c->npairs; i++)
		json_array_append_new(pairs, make_pair(a, &c->pairs[i]));
	for (uint32_t i = 0; i < c->nblocks; i++)
		json_array_append_new(blocks, make_block(c, &c->blocks[i]));
	for (uint32_t i = 0; i < c->nuncalled; i++)
		json_array_append_new(uncalled, make_place(c->uncalled[i].file, c->uncalled[i].function,
							   c->uncalled[i].line));
	for (uint32_t i = 0; i < c->noperations; i++)
		if (!c->operation_list[i].overlapped)
			json_array_append_new(alone, page_text(a->run->strings[c->operation_list[i].name]));
	json_object_set_new(o, "classes", number(c->classes));
	json_object_set_new(o, "operations", json_boolean(c->operations));
	json_object_set_new(o, "lines_with_code", c->marked ? number(c->code) : json_null());
	json_object_set_new(o, "lines_ran", c->marked ? number(c->ran) : json_null());
	json_object_set_new(o, "lines_with_steps", number(c->steps));
	json_object_set_new(o, "lines_with_conflicts", number(c->conflicts));
	json_object_set_new(o, "lines_overlapped", number(c->overlapped));
	json_object_set_new(o, "pairs_in_both_orders", number(c->both));
	json_object_set_new(o, "operations_without_overlap", alone);
	json_object_set_new(o, "lines", lines);
	json_object_set_new(o, "pairs", pairs);
	json_object_set_new(o, "not_interleaved", blocks);
	json_object_set_new(o, "not_called", uncalled);
	return o;
}
