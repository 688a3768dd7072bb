/* SPDX-License-Identifier: MIT
 *
 * The files of a part: what it is, and what it hands back (format/parts.h).
 */
#include "part.h"
#include "livelock.h"
#include "memory.h"
#include "run_dir.h"
#include "state.h"
#include "strategy.h"

#include <fcntl.h>

#define KEYS 4096

struct portion *part;

static struct {
	struct text text;
	int fd;
} left;

static struct keys {
	uint64_t list[KEYS];
	uint32_t n;
	int fd;
} *keys;

/* ---- reading ---- */

static __attribute__((noreturn)) void damaged(const char *line)
{
	die("LINCHPIN_PART=%s: `%s` is not understood", rt->config.part, line);
}

static uint64_t number(const char **p)
{
	const char *from = *p;
	uint64_t v = text_number(p, 10);

	if (*p == from)
		damaged(from);
	return v;
}

static uint8_t thread(const char **p)
{
	uint64_t v = number(p);

	if (v >= MAX_FIBERS)
		damaged(*p);
	return (uint8_t)v;
}

static bool word(const char **p, const char *what)
{
	const char *at = *p;

	while (*what)
		if (*at++ != *what++)
			return false;
	*p = at;
	return true;
}

static uint32_t count(const char *p, char what)
{
	uint32_t n = 0;

	for (; *p; p++)
		n += *p == what;
	return n;
}

static void read_way(const char **p, struct part_step *s)
{
	s->thread = thread(p);
	while (**p == ':' || **p == ',') {
		++*p;
		s->before |= bit(thread(p));
	}
}

/* unit KEPT STEP...: the first KEPT steps are those of the unit before. */
static void read_unit(const char *p)
{
	const struct unit *before = part->nunits ? &part->units[part->nunits - 1] : NULL;
	struct unit *u = &part->units[part->nunits];
	uint64_t kept = number(&p);
	uint32_t more = count(p, ' ');
	struct part_step *way = memory_get((kept + more + 1) * sizeof *way);

	if (kept > (before ? before->n : 0))
		damaged(p);
	if (kept)
		copy(way, before->way, kept * sizeof *way);
	u->way = way;
	for (u->n = (uint32_t)kept; *p == ' '; u->n++) {
		p++;
		read_way(&p, &way[u->n]);
	}
	if (*p)
		damaged(p);
	part->nunits++;
}

/* livelock NAME recorded|THREAD.THREAD... */
static void read_livelock(const char *p)
{
	uint8_t *schedule = memory_get(length(p) + 1);
	uint64_t name = number(&p);
	uint32_t n = 0;

	if (equal(p, " recorded")) {
		livelock_recorded(name);
		return;
	}

	while (*p == ' ' || *p == '.') {
		p++;
		schedule[n++] = thread(&p);
	}
	livelock_given(name, schedule, n);
}

static void read_line(const char *p)
{
	if (word(&p, "budget ")) {
		part->budget = number(&p);
	} else if (word(&p, "draws ")) {
		part->draws = true;
		part->first = number(&p);
	} else if (word(&p, "shows")) {
		part->shows = true;
	} else if (word(&p, "livelock ")) {
		part->given[part->livelocks++] = p;
	} else if (word(&p, "unit ")) {
		read_unit(p);
	} else if (*p && !equal(p, "part 1")) {
		damaged(p);
	}
}

void part_read(void)
{
	char *text, *next;

	if (!*rt->config.part)
		return;
	text = memory_file(rt->config.part, "LINCHPIN_PART");
	part = memory_get(sizeof *part);
	part->budget = UINT64_MAX;
	part->given = memory_get((count(text, '\n') + 1UL) * sizeof *part->given);
	part->units = memory_get((count(text, '\n') + 1UL) * sizeof *part->units);
	for (; *text; text = next) {
		for (next = text; *next && *next != '\n'; next++)
			;
		if (*next)
			*next++ = '\0';
		read_line(text);
	}
}

void part_give_livelocks(void)
{
	for (uint32_t i = 0; part && i < part->livelocks; i++)
		read_livelock(part->given[i]);
}

/* ---- writing ---- */

struct text *part_text(void)
{
	if (left.text.n > sizeof left.text.s - 256)
		text_flush(&left.text, left.fd);
	return &left.text;
}

void part_open(void)
{
	if (!part)
		return;
	left.fd = run_dir_file("left.new", O_WRONLY);
	keys = memory_get(sizeof *keys);
	keys->fd = rt->strategy->distinct ? -1 : run_dir_file("keys", O_WRONLY);
}

static void write_keys(void)
{
	const char *p = (const char *)keys->list;
	size_t size = keys->n * sizeof keys->list[0];

	for (long n; size; p += n, size -= (size_t)n) {
		n = sys3(SYS_write, keys->fd, p, size);
		if (n <= 0)
			die("%s/keys cannot be written (errno %d)", rt->config.dir, -n);
	}
	keys->n = 0;
}

void part_key(uint64_t key)
{
	if (keys->fd < 0)
		return;
	keys->list[keys->n++] = key;
	if (keys->n == KEYS)
		write_keys();
}

void part_whole(void)
{
	if (!part)
		return;
	if (keys->fd >= 0)
		write_keys();
	livelocks_write();
	text_add(part_text(), rt->need_restart ? "restart\nend\n" : "end\n");
	text_flush(&left.text, left.fd);
	sys1(SYS_close, left.fd);
	sys4(SYS_renameat, rt->fd_dir, "left.new", rt->fd_dir, "left");
}
