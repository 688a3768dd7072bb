/* SPDX-License-Identifier: MIT
 *
 * The logs of Porcupine's key-value tests: EDN events with a :key, which becomes the first argument
 * of get, put and append. An absent key reads as "", which is what the specification kv says.
 */
#include "lin/format/scan.h"

#include <string.h>

static int read_kv(struct scan *s)
{
	return format_edn.read(s);
}

/* EDN whose first event has a :key. */
static bool guess_kv(const char *head, size_t size)
{
	const char *key = strstr(head, ":key "), *brace = strchr(head, '}');

	return format_edn.guess(head, size) && key && brace && key < brace;
}

const struct format format_kv = {
	"kv", "Porcupine's key-value logs: EDN events with a :key", "kv", guess_kv, read_kv,
};
