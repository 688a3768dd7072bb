/* SPDX-License-Identifier: MIT
 *
 * Jepsen's console log, tab-separated, as kept of its etcd tests:
 *
 *	INFO  jepsen.util - 2<TAB>:invoke<TAB>:cas<TAB>[3 0]
 *
 * Lines without a tab-separated event are other messages of the program and skipped.
 */
#include "format_jepsen.h"

#include <string.h>

/* Where the process number starts if the line holds an event; NULL otherwise. */
static const char *find_event(const char *p, const char *end)
{
	static const char *const types[] = { "\t:invoke\t", "\t:ok\t", "\t:fail\t", "\t:info\t" };
	const char *tab = memchr(p, '\t', (size_t)(end - p));

	if (!tab)
		return NULL;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		size_t n = strlen(types[i]);

		if ((size_t)(end - tab) >= n && !memcmp(tab, types[i], n)) {
			const char *start = tab;

			while (start > p && start[-1] != ' ')
				start--;
			return start;
		}
	}
	return NULL;
}

static int read_event(struct scan *s, const char *p, const char *end, struct jepsen *j)
{
	const char *tab = memchr(p, '\t', (size_t)(end - p)), *type = tab + 2, *after;
	struct jepsen_event ev = { .at = p };

	if (*p == ':') /* :nemesis does no operations */
		return 0;
	after = scan_int(p, tab, &ev.process);
	if (after != tab)
		return scan_fail(s, p, "a process number");
	tab = memchr(type, '\t', (size_t)(end - type));
	jepsen_type(type, (size_t)(tab - type), &ev.type);
	ev.f = tab + 1 + (tab + 1 < end && tab[1] == ':');
	tab = memchr(ev.f, '\t', (size_t)(end - ev.f));
	if (!tab || tab == ev.f)
		return scan_fail(s, tab ? ev.f : end,
				 "the name of an operation, a tab, and a value");
	ev.f_size = (size_t)(tab - ev.f);
	if (scan_method(s, ev.f, ev.f_size, &ev.method) < 0)
		return -1;
	p = tab + 1;
	if (edn_value(s, &p, end, &ev.value) < 0)
		return -1;
	p = skip_blank(p, end);
	/* A last field tells the error, as does a failure whose value is none: "[1 2]" failed,
	 * ":timed-out" was not tried. */
	ev.error = p < end || (ev.type == JEPSEN_FAIL && !ev.value.vector);
	return jepsen_add(j, &ev);
}

static int read_lines(struct scan *s, struct jepsen *j)
{
	const char *p, *end;
	bool any = false;

	while (scan_next_line(s, &p, &end)) {
		p = find_event(p, end);
		if (!p)
			continue;
		any = true;
		if (read_event(s, p, end, j) < 0)
			return -1;
	}
	return any ? 0
		   : scan_fail(
			     s, s->p,
			     "an event: a process, :invoke, an operation and a value between tabs");
}

static int read_etcd(struct scan *s)
{
	struct jepsen j = { .scan = s };
	int result = read_lines(s, &j);

	jepsen_end(&j);
	return result;
}

static bool guess_etcd(const char *head, size_t size)
{
	return strstr(head, "\t:invoke\t") != NULL;
}

const struct format format_etcd = {
	"etcd",         "Jepsen's tab-separated log: INFO jepsen.util - 2 :invoke :cas [3 0]",
	"cas-register", guess_etcd,
	read_etcd,
};
