/* SPDX-License-Identifier: MIT
 *
 * `linchpin history`: what the database of nights knows.
 */
#include "base/text_table.h"
#include "command/commands.h"
#include "command/options.h"
#include "nightly/board.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

struct history_command {
	struct option_list db;
	const char *suite, *test, *finding, *html, *output;
	uint64_t most;
	bool json;
	struct store *store;
	char *chosen; /* the suite */
};

static int parse(struct history_command *c, int argc, char **argv, const char **night)
{
	const struct option_row rows[] = {
		{ "db", 'd', OPTION_LIST, "FILE", &c->db,
		  "the database (linchpin.db); several are joined, shards of one night to one" },
		{ "suite", 's', OPTION_TEXT, "NAME", &c->suite, "of this suite (that of the last night)" },
		{ "test", 't', OPTION_TEXT, "NAME", &c->test, "the nights of one test" },
		{ "finding", 'f', OPTION_TEXT, "FINGERPRINT", &c->finding,
		  "the nights and tests of one finding" },
		{ "most", 'n', OPTION_NUMBER, "N", &c->most, "so many nights (20)" },
		{ "html", 0, OPTION_TEXT, "FILE", &c->html, "write the dashboard" },
		{ "output", 'o', OPTION_TEXT, "FILE", &c->output, "write all nights as a new database" },
		{ "json", 0, OPTION_FLAG, NULL, &c->json, "print what the dashboard knows, as JSON" },
	};
	const struct option_table table = {
		.usage = "history [OPTION...] [NIGHT]",
		.about = "Asks the database of `linchpin suite`: the nights, what was said of one NIGHT, a "
			 "test, or a finding.",
		.rows = rows,
		.nrows = sizeof rows / sizeof *rows,
		.least = 0,
		.most = 1,
	};
	int first;
	enum options_end end = options_parse(&table, argc, argv, &first);

	if (end == OPTIONS_OK)
		*night = first < argc ? argv[first] : NULL;
	return (int)end;
}

static char *date_text(double seconds)
{
	time_t when = (time_t)seconds;
	char text[32];
	struct tm t;

	localtime_r(&when, &t);
	strftime(text, sizeof text, "%Y-%m-%d %H:%M", &t);
	return xstrdup(text);
}

/* Headings: words split by bars; < is for numbers. */
static void columns(struct text_table *t, unsigned n, const char *const *headings)
{
	table_init(t, n);
	t->headings = true;
	for (unsigned i = 0; i < n; i++) {
		bool right = headings[i][0] == '<';

		table_column(t, i, headings[i] + right, TEXT_PLAIN);
		t->columns[i].right = right;
	}
}

static void print(struct text_table *t)
{
	const struct text_style s = text_style_for(stdout);

	table_print(stdout, &s, t, 0);
	table_free(t);
}

static int print_nights(const struct history_command *c, struct error *e)
{
	static const char *const headings[] = { "<night", "suite", "begun", "commit", "shard", "<tests",
						"<violations", "<new", "" };
	struct text_table t;
	struct night *list;
	uint32_t n;
	int result = store_nights(c->store, c->suite, (uint32_t)c->most, &list, &n, e);

	columns(&t, 9, headings);
	for (uint32_t i = 0; i < n; i++) {
		table_row(&t);
		table_set(&t, 0, xasprintf("%lld", (long long)list[i].id));
		table_set(&t, 1, text_printable(list[i].suite));
		table_set(&t, 2, date_text(list[i].started));
		table_set(&t, 3, text_printable(list[i].revision));
		table_set(&t, 4, text_printable(list[i].shard));
		table_set(&t, 5, xasprintf("%llu", (unsigned long long)list[i].tests));
		table_set(&t, 6, xasprintf("%llu", (unsigned long long)list[i].violations));
		table_set(&t, 7, xasprintf("%llu", (unsigned long long)list[i].fresh));
		table_set(&t, 8, xstrdup(list[i].ended > 0 ? "" : "not finished"));
		night_free(&list[i]);
	}
	free(list);
	print(&t);
	return result;
}

static int print_night(const struct history_command *c, int64_t night, struct error *e)
{
	struct said *list;
	struct record *records;
	uint32_t n, nrecords;

	if (store_night(c->store, night, &records, &nrecords, e) < 0)
		return -1;
	if (!nrecords) {
		records_free(records, nrecords);
		return error_set(e, "there is nothing of night %lld", (long long)night);
	}
	if (store_said(c->store, night, &list, &n, e) < 0)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		char *test = text_printable(list[i].test), *text = text_printable(list[i].text);

		printf("%-13s  %s: %s%s%s\n", list[i].word, test, text, *list[i].fingerprint ? "  " : "",
		       list[i].fingerprint);
		free(test);
		free(text);
	}
	printf("%u %s\n", nrecords, plural(nrecords, "test", "tests"));
	said_free(list, n);
	records_free(records, nrecords);
	return 0;
}

static void record_row(struct text_table *t, const struct record *r, const char *last)
{
	table_row(t);
	table_set(t, 0, xasprintf("%lld", (long long)r->night));
	table_set(t, 1, date_text(r->ended));
	table_set(t, 2, text_printable(r->test));
	table_set(t, 3, xstrdup(status_name(r->status)));
	table_set(t, 4, text_count(r->classes));
	table_set(t, 5, xasprintf("%.1f s", r->processor));
	table_set(t, 6, text_printable(last));
}

static char *fingerprints(const struct record *r)
{
	char *all = xstrdup(r->status == STATUS_FAILED ? r->message : "");

	for (uint32_t i = 0; i < r->nfaults; i++) {
		char *longer = xasprintf("%s%s%s", all, *all ? " " : "", r->faults[i].fingerprint);

		free(all);
		all = longer;
	}
	return all;
}

static const char *const record_headings[] = { "<night", "done",    "test", "status",
					       "<classes", "<processor", "findings" };

static int print_test(const struct history_command *c, struct error *e)
{
	struct text_table t;
	struct record *list;
	uint32_t n;

	if (store_records(c->store, c->chosen, c->test, 0, (uint32_t)c->most, &list, &n, e) < 0)
		return -1;
	if (!n) {
		free(list);
		return error_set(e, "there is no test %s in the suite %s", c->test, c->chosen);
	}
	printf("%s\n", list[0].command);
	columns(&t, 7, record_headings);
	for (uint32_t i = 0; i < n; i++) {
		char *last = fingerprints(&list[i]);

		record_row(&t, &list[i], last);
		free(last);
	}
	print(&t);
	records_free(list, n);
	return 0;
}

/* The newest nights first, within a night by test. */
static int by_night(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	if (x->night != y->night)
		return x->night < y->night ? 1 : -1;
	return strcmp(x->test, y->test);
}

static const struct fault *fault_of(const struct record *r, const char *fingerprint)
{
	for (uint32_t i = 0; i < r->nfaults; i++)
		if (!strncmp(r->faults[i].fingerprint, fingerprint, strlen(fingerprint)))
			return &r->faults[i];
	return NULL;
}

/* All records with the finding. */
static int collect(const struct history_command *c, struct record **found, uint32_t *n, struct error *e)
{
	uint32_t ntests, capacity = 0;
	char **tests;
	int result = store_tests(c->store, c->chosen, &tests, &ntests, e);

	for (uint32_t i = 0; i < ntests; i++) {
		struct record *list = NULL;
		uint32_t nlist = 0;

		if (result == 0)
			result = store_records(c->store, c->chosen, tests[i], 0, (uint32_t)c->most, &list,
					       &nlist, e);
		for (uint32_t k = 0; k < nlist; k++) {
			if (!fault_of(&list[k], c->finding))
				continue;
			VEC_GROW(*found, *n, capacity);
			(*found)[(*n)++] = list[k];
			list[k] = (struct record){ 0 };
		}
		records_free(list, nlist);
		free(tests[i]);
	}
	free(tests);
	return result;
}

static int print_finding(const struct history_command *c, struct error *e)
{
	struct record *found = NULL;
	const struct fault *f;
	struct text_table t;
	uint32_t n = 0;
	char *text;

	if (collect(c, &found, &n, e) < 0)
		return -1;
	if (!n)
		return error_set(e, "there is no finding %s in the suite %s", c->finding, c->chosen);
	qsort(found, n, sizeof *found, by_night);
	f = fault_of(&found[0], c->finding);
	text = text_printable(f->message);
	printf("%s %s: %s\n", f->fingerprint, f->kind, text);
	free(text);
	text = text_printable(f->statements);
	printf("%s\nlast at %s:%llu\n", text, f->file ? f->file : "?", (unsigned long long)f->line);
	free(text);
	if (found[0].nmends)
		printf("repair: %s must be atomic\n", found[0].mends[0].text);
	columns(&t, 7, record_headings);
	t.columns[6].heading[0] = '\0';
	for (uint32_t i = 0; i < n; i++)
		record_row(&t, &found[i], "");
	print(&t);
	records_free(found, n);
	return 0;
}

static int print_json(const struct history_command *c, struct error *e)
{
	json_t *o = board_data(c->store, c->chosen, e);

	if (!o)
		return -1;
	json_dumpf(o, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12));
	putchar('\n');
	json_decref(o);
	return 0;
}

/* Without a name it is the suite of the last night. */
static int choose(struct history_command *c, struct error *e)
{
	struct night *list;
	uint32_t n;
	int result = store_nights(c->store, c->suite, 1, &list, &n, e);

	if (result == 0 && !n)
		result = error_set(e, c->suite ? "there is no night of the suite %s" : "there is no night yet",
				   c->suite);
	if (n) {
		c->chosen = xstrdup(list[0].suite);
		night_free(&list[0]);
	}
	free(list);
	return result;
}

/* What is asked: a database, or several that are joined. */
static struct store *open_all(const struct option_list *db, struct error *e)
{
	struct store **stores, *all = NULL;
	uint32_t n = 0;

	if (db->n < 2)
		return store_open(db->n ? db->list[0] : "linchpin.db", true, e);
	stores = xcalloc(db->n, sizeof *stores);
	while (n < db->n && (stores[n] = store_open(db->list[n], true, e)))
		n++;
	if (n == db->n)
		all = store_join(stores, n, e);
	while (n)
		store_close(stores[--n]);
	free(stores);
	return all;
}

static int answer(struct history_command *c, const char *night, struct error *e)
{
	uint64_t number;

	c->store = open_all(&c->db, e);
	if (!c->store || choose(c, e) < 0)
		return -1;
	if (night && parse_number(night, "NIGHT", &number, e) < 0)
		return -1;
	if (c->html && board_write(c->store, c->chosen, c->html, e) < 0)
		return -1;
	if (c->output && store_write(c->store, c->output, e) < 0)
		return -1;
	if (c->json)
		return print_json(c, e);
	if (night)
		return print_night(c, (int64_t)number, e);
	if (c->test)
		return print_test(c, e);
	if (c->finding)
		return print_finding(c, e);
	return c->html || c->output ? 0 : print_nights(c, e);
}

int cmd_history(int argc, char **argv)
{
	struct history_command c = { .most = 20 };
	struct error e;
	const char *night;
	int result = parse(&c, argc, argv, &night);

	if (result != OPTIONS_OK)
		return result == OPTIONS_HELP ? EXIT_CLEAN : EXIT_MISUSE;
	if (c.most > UINT32_MAX)
		c.most = UINT32_MAX;
	result = answer(&c, night, &e);
	store_close(c.store);
	free(c.chosen);
	free(c.db.list);
	return result < 0 ? error_print(&e) : EXIT_CLEAN;
}
