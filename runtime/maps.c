/* SPDX-License-Identifier: MIT
 *
 * /proc/self/maps: what the kernel says is mapped. /proc/self/pagemap: which pages were touched.
 */
#include "maps.h"
#include "base.h"
#include "memory.h"

#include <fcntl.h>

#define TEXT_SIZE     (1UL << 20)
#define PAGES_AT_ONCE 512
#define SMALL_GAP     (1UL << 20) /* not worth a range of its own */

static const char *whole_text(void)
{
	static char *text;
	long used;

	if (!text)
		text = memory_get(TEXT_SIZE);
	used = read_file("/proc/self/maps", text, TEXT_SIZE - 1);
	while (used > 0 && text[used - 1] != '\n') /* only whole lines */
		used--;
	text[used > 0 ? used : 0] = '\0';
	return text;
}

void maps_each(mapping_fn *f)
{
	for (const char *p = whole_text(); *p;) {
		uintptr_t lo = text_number(&p, 16), hi;

		p += *p == '-';
		hi = text_number(&p, 16);
		p += *p == ' ';
		f(lo, hi, p);
		while (*p && *p != '\n')
			p++;
		p += *p == '\n';
	}
}

/* One range, where the kernel does not tell. */
static unsigned all_of(uintptr_t lo, uintptr_t hi, struct range *ranges)
{
	ranges[0] = (struct range){ lo, hi };
	return 1;
}

unsigned maps_touched(uintptr_t lo, uintptr_t hi, struct range *ranges, unsigned most)
{
	const uint64_t touched = 3UL << 62; /* present, or swapped out */
	static uint64_t pages[PAGES_AT_ONCE];
	unsigned n = 0;
	long fd;

	if (hi - lo <= SMALL_GAP)
		return all_of(lo, hi, ranges);
	fd = sys4(SYS_openat, AT_FDCWD, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0);
	for (uintptr_t at = lo; at < hi; at += PAGES_AT_ONCE * PAGE) {
		size_t count = (hi - at + PAGE - 1) / PAGE;

		if (count > PAGES_AT_ONCE)
			count = PAGES_AT_ONCE;
		if (sys4(SYS_pread64, fd, pages, count * 8, at / PAGE * 8) != (long)count * 8) {
			n = all_of(lo, hi, ranges);
			break;
		}
		for (size_t k = 0; k < count; k++) {
			uintptr_t page = at + k * PAGE;

			if (!(pages[k] & touched))
				continue;
			if (!n || (page - ranges[n - 1].hi >= SMALL_GAP && n < most))
				ranges[n++].lo = page;
			ranges[n - 1].hi = page + PAGE < hi ? page + PAGE : hi;
		}
	}
	sys1(SYS_close, fd);
	return n;
}
