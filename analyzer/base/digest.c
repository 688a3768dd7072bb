/* SPDX-License-Identifier: MIT */
#include "base/digest.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Eight bytes at a time, for files may be large. */
static void add_bytes(struct digest *d, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i += sizeof(uint64_t)) {
		uint64_t word = 0;

		memcpy(&word, bytes + i, n - i < sizeof word ? n - i : sizeof word);
		d->a = hash_mix(d->a, word);
		d->b = hash_mix(d->b, d->a + i);
	}
	d->a = hash_mix(d->a, 0x100 + n);
}

void digest_text(struct digest *d, const char *text)
{
	add_bytes(d, text, strlen(text));
}

void digest_file(struct digest *d, const char *path)
{
	char piece[1 << 16];
	struct stat st;
	size_t n;
	FILE *f;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	f = fopen(path, "r");
	if (!f) {
		d->unknown = true;
		return;
	}
	do {
		n = fread(piece, 1, sizeof piece, f);
		add_bytes(d, piece, n);
	} while (n == sizeof piece);
	d->unknown |= ferror(f) != 0;
	fclose(f);
}

void digest_print(const struct digest *d, char text[DIGEST_SIZE])
{
	snprintf(text, DIGEST_SIZE, "%016llx%016llx", (unsigned long long)d->a, (unsigned long long)d->b);
}
