/* SPDX-License-Identifier: MIT
 *
 * Jepsen's console log, as kept of its etcd tests: fields separated by a tab, or by blanks:
 *
 *	INFO  jepsen.util - 2<TAB>:invoke<TAB>:cas<TAB>[3 0]
 *
 * Lines without such an event are other messages of the program and skipped.
 */
#include "lin/format/jepsen.h"

#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The end of the field that starts at p. */
static const char *field_end(const char *p, const char *end)
{
	while (p < end && !is_blank(*p))
		p++;
	return p;
}

/* Finds ":invoke", ":ok", ... as a field of its own with another one before it; sets *type to it,
 * and returns where the one before it, the process, starts. NULL: the line has no event. */
static const char *find_event(const char *p, const char *end, const char **type)
{
	const char *before = NULL;

	for (p = skip_blank(p, end); p < end; p = skip_blank(p, end)) {
		const char *after = field_end(p, end);
		enum jepsen_type ignored;

		if (before && *p == ':' && jepsen_type(p + 1, (size_t)(after - p - 1), &ignored)) {
			*type = p;
			return before;
		}
		before = p;
		p = after;
	}
	return NULL;
}

static int read_event(struct scan *s, const char *p, const char *type, const char *end,
		      struct jepsen *j)
{
	struct jepsen_event ev = { .at = p };
	const char *after;

	if (*p == ':') /* :nemesis does no operations */
		return 0;
	after = field_end(p, end);
	if (scan_int(p, after, &ev.process) != after)
		return scan_fail(s, p, "a process number");
	after = field_end(type, end);
	jepsen_type(type + 1, (size_t)(after - type - 1), &ev.type);
	p = skip_blank(after, end);
	after = field_end(p, end);
	ev.f = p + (p < end && *p == ':');
	ev.f_size = (size_t)(after - ev.f);
	if (scan_method(s, ev.f, ev.f_size, &ev.method) < 0)
		return -1;
	p = skip_blank(after, end);
	if (edn_value(s, &p, end, &ev.value) < 0)
		return -1;
	p = skip_blank(p, end);
	/* A further field tells the error. A failure whose value is not the operands, but a reason,
	 * is one, too. */
	ev.error = p < end || (ev.type == JEPSEN_FAIL && !ev.value.vector);
	return jepsen_add(j, &ev);
}

static int read_lines(struct scan *s, struct jepsen *j)
{
	const char *p, *end, *type;
	bool any = false;

	while (scan_next_line(s, &p, &end)) {
		p = find_event(p, end, &type);
		if (!p)
			continue;
		any = true;
		if (read_event(s, p, type, end, j) < 0)
			return -1;
	}
	return any ? 0
		   : scan_fail(
			     s, s->p,
			     "a line with an event: a process, :invoke, an operation and a value");
}

static int read_etcd(struct scan *s)
{
	struct jepsen j = { .scan = s, .fail_is_false = true };
	int result = read_lines(s, &j);

	jepsen_end(&j);
	return result;
}

/* A line that is no EDN and has an event with :invoke. */
static bool guess_etcd(const char *head, size_t size)
{
	const char *invoke = strstr(head, ":invoke"), *p = invoke;

	if (!invoke || invoke == head || !is_blank(invoke[-1]) || !is_blank(invoke[7]))
		return false;
	while (p > head && p[-1] != '\n')
		p--;
	return !memchr(p, '{', (size_t)(invoke - p));
}

const struct format format_etcd = {
	"etcd",
	"Jepsen's log: INFO jepsen.util - 2 :invoke :cas [3 0], tab-separated",
	"cas-register(nil)",
	guess_etcd,
	read_etcd,
};
