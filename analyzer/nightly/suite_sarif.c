/* SPDX-License-Identifier: MIT */
#include "nightly/suite_outputs.h"
#include "report/sarif.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* NULL: it is about no finding. */
static const char *baseline(enum word w)
{
	switch (w) {
	case WORD_NEW:
		return "new";
	case WORD_GONE:
		return "absent";
	case WORD_STILL:
	case WORD_KNOWN:
	case WORD_UNSEEN:
		return "unchanged";
	default:
		return NULL;
	}
}

static const char *rule_of(const struct fault *f)
{
	return strcmp(f->kind, "history") ? f->kind : "not-linearizable";
}

static json_t *properties(const struct remark *r)
{
	json_t *o = json_object();

	json_object_set_new(o, "test", sarif_text(r->test));
	json_object_set_new(o, "command", sarif_text(r->record->command));
	json_object_set_new(o, "history", sarif_text(r->fault->history));
	json_object_set_new(o, "schedule", sarif_text(r->fault->schedule));
	json_object_set_new(o, "statements", sarif_text(r->fault->statements));
	if (r->word == WORD_NEW && r->record->nmends)
		json_object_set_new(o, "repair", sarif_text(r->record->mends[0].text));
	return o;
}

static json_t *result(const struct remark *r)
{
	const struct fault *f = r->fault;
	json_t *o = json_object(), *prints = json_object(), *message = json_object(), *suppression;

	json_object_set_new(o, "ruleId", sarif_text(rule_of(f)));
	json_object_set_new(o, "level", sarif_text("error"));
	json_object_set_new(o, "baselineState", sarif_text(baseline(r->word)));
	json_object_set_new(message, "text", sarif_text(f->message));
	json_object_set_new(o, "message", message);
	if (f->file)
		json_object_set_new(o, "locations",
				    json_pack("[o]", sarif_location(f->file, (uint32_t)f->line, 0, 0, NULL,
								    NULL)));
	json_object_set_new(prints, "linchpin/v1", sarif_text(f->fingerprint));
	json_object_set_new(o, "partialFingerprints", prints);
	json_object_set_new(o, "occurrenceCount", json_integer((json_int_t)(f->classes ? f->classes : 1)));
	if (f->known) {
		suppression = json_object();
		json_object_set_new(suppression, "kind", sarif_text("external"));
		json_object_set_new(suppression, "justification",
				    sarif_text("known in the file of the suite"));
		json_object_set_new(o, "suppressions", json_pack("[o]", suppression));
	}
	json_object_set_new(o, "properties", properties(r));
	return o;
}

/* What could not be explored, and what was not seen. */
static json_t *notification(const struct remark *r)
{
	json_t *o = json_object(), *message = json_object();
	char *text = xasprintf("%s: %s", r->test, r->text);

	json_object_set_new(message, "text", sarif_text(text));
	json_object_set_new(o, "level", sarif_text(r->word == WORD_FAILED ? "error" : "note"));
	json_object_set_new(o, "message", message);
	free(text);
	return o;
}

int suite_sarif(const struct suite_outputs *o, const char *file, struct error *e)
{
	json_t *results = json_array(), *notes = json_array(), *rules = json_array(), *invocation, *all;
	char *cwd = getcwd(NULL, 0);
	bool failed = false;
	int status = 0;

	for (uint32_t i = 0; i < o->remarks->n; i++) {
		const struct remark *r = &o->remarks->list[i];

		failed |= r->word == WORD_FAILED;
		if (r->fault && baseline(r->word)) {
			json_array_append_new(results, result(r));
			sarif_rule(rules, rule_of(r->fault));
		} else {
			json_array_append_new(notes, notification(r));
		}
	}
	invocation = json_object();
	json_object_set_new(invocation, "executionSuccessful", json_boolean(!failed));
	json_object_set_new(invocation, "toolExecutionNotifications", notes);
	all = sarif_log(rules, invocation, cwd ? cwd : "/", results, NULL);
	if (json_dump_file(all, file, JSON_INDENT(1)) < 0)
		status = error_set(e, "%s: %s", file, strerror(errno));
	json_decref(all);
	free(cwd);
	return status;
}
