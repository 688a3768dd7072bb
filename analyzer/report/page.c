/* SPDX-License-Identifier: MIT */
#include "report/page.h"

#include "base/embed.h"
#include "lin/picture/picture.h"
#include "report/page_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

EMBED(page_css, "analyzer/report/page.css");
EMBED(page_js, "analyzer/report/page.js");

void page_frame(FILE *to, const char *title, const char *style, const char *script, const char *data)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<title>",
	      to);
	picture_escape(to, title, strlen(title));
	fputs(": linchpin</title>\n<style>\n", to);
	fputs(page_css, to);
	fputs(style, to);
	fputs("</style></head><body>\n<noscript><p>This page is drawn by its "
	      "script.</p></noscript>\n"
	      "<main id=\"page\"></main>\n<script id=\"data\" type=\"application/json\">",
	      to);
	/* No text can end the script, or begin another one. */
	for (const char *p = data; *p; p++) {
		if (*p == '<')
			fputs("\\u003c", to);
		else
			putc(*p, to);
	}
	fputs("</script>\n<script>\n", to);
	fputs(script, to);
	fputs("</script></body></html>\n", to);
}

int page_write(struct model *m, const char *diff, const char *file, struct error *e)
{
	const size_t flags = JSON_COMPACT | JSON_REAL_PRECISION(9);
	json_t *object = page_data(m, diff, e);
	char *data = object ? json_dumps(object, flags) : NULL;
	FILE *f = NULL;
	int result = -1;

	if (data)
		f = fopen(file, "w");
	if (data && !f)
		error_set(e, "%s: %s", file, strerror(errno));
	if (f) {
		page_frame(f, base_name(m->a->run->program), "", page_js, data);
		result = ferror(f) ? error_set(e, "%s: %s", file, strerror(errno)) : 0;
		if (fclose(f) != 0 && result == 0)
			result = error_set(e, "%s: %s", file, strerror(errno));
	}
	free(data);
	json_decref(object);
	return result;
}
