/* SPDX-License-Identifier: MIT */
#include "base/digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_FILE (16 << 20)

static void add_bytes(struct digest *d, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		d->a = hash_mix(d->a, (unsigned char)bytes[i]);
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
	struct stat st;
	size_t size;
	char *text;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	text = st.st_size <= MAX_FILE ? read_file(path, &size, NULL) : NULL;
	if (text)
		add_bytes(d, text, size);
	else
		d->unknown = true;
	free(text);
}

void digest_print(const struct digest *d, char text[DIGEST_SIZE])
{
	snprintf(text, DIGEST_SIZE, "%016llx%016llx", (unsigned long long)d->a, (unsigned long long)d->b);
}
