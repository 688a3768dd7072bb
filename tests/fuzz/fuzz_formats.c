/* SPDX-License-Identifier: MIT
 *
 * libFuzzer harness of the history formats. The first byte chooses the format (or to guess it), the
 * rest is the file. What is read must be the same after it is written and read back, and a picture
 * of it must be made.
 */
#include "lin/format/format.h"
#include "lin/picture/picture.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *own_text(const struct history *h, size_t *size)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, size);

	if (!to)
		abort();
	format_write(to, h);
	fclose(to);
	return text;
}

static void draw(const struct history *h)
{
	uint32_t witness[] = { 0 };
	struct lin_result result = { .verdict = LIN_VIOLATION,
				     .witness = witness,
				     .nwitness = h->nops > 0 };
	struct picture p;
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		abort();
	picture_init(&p, h, &result, "fuzz", 20);
	picture_html(to, &p);
	picture_svg(to, &p);
	fclose(to);
	free(text);
	picture_free(&p);
}

static char *read_back(const char *text, size_t *size)
{
	struct history copy;
	struct error e;
	char *again;

	history_init(&copy);
	if (format_parse(&copy, "own", text, strlen(text), &format_text, &e) < 0) {
		fprintf(stderr, "%s\n%s", e.message, text);
		abort();
	}
	again = own_text(&copy, size);
	history_free(&copy);
	return again;
}

/* Names with a dot in them, and objects without operations, do not survive the first conversion,
 * but that one must be a history, and stay the same from then on. */
static void check_round_trip(const struct history *h)
{
	size_t size;
	char *text = own_text(h, &size), *second = read_back(text, &size),
	     *third = read_back(second, &size);

	if (strcmp(second, third) != 0) {
		fprintf(stderr, "%s---\n%s", second, third);
		abort();
	}
	free(third);
	free(second);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct format *format;
	struct history h;
	struct error e = { "" };
	char *text;

	if (!size)
		return 0;
	format = format_at(data[0] % 8);
	text = xmalloc(size);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	history_init(&h);
	if (format_parse(&h, "fuzz", text, size - 1, format, &e) == 0) {
		check_round_trip(&h);
		draw(&h);
	} else if (!strstr(e.message, ": error: expected ")) {
		abort();
	}
	history_free(&h);
	free(text);
	return 0;
}
