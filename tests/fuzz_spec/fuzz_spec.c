/* SPDX-License-Identifier: MIT
 *
 * Specification files under libFuzzer: a text is understood or refused with its place, and nothing else happens.
 */
#include "spec/file.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xstrndup((const char *)data, size);
	struct error e = { "" };
	struct spec_file f;

	if (spec_file_parse(&f, "f", text, &e) < 0 ? strncmp(e.message, "f:", 2) != 0 : !f.nops)
		abort();
	spec_file_free(&f);
	free(text);
	return 0;
}
