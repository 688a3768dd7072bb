/* SPDX-License-Identifier: MIT
 *
 * /proc/self/maps: what the kernel says is mapped.
 */
#include "maps.h"
#include "base.h"
#include "memory.h"

#define TEXT_SIZE (1UL << 20)

static uintptr_t hexadecimal(const char **p)
{
	uintptr_t v = 0;

	for (;; (*p)++) {
		if (**p >= '0' && **p <= '9')
			v = v << 4 | (uintptr_t)(**p - '0');
		else if (**p >= 'a' && **p <= 'f')
			v = v << 4 | (uintptr_t)(**p - 'a' + 10);
		else
			return v;
	}
}

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
		uintptr_t lo = hexadecimal(&p), hi;

		p += *p == '-';
		hi = hexadecimal(&p);
		p += *p == ' ';
		f(lo, hi, p);
		while (*p && *p != '\n')
			p++;
		p += *p == '\n';
	}
}
