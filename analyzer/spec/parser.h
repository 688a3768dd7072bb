/* SPDX-License-Identifier: MIT
 *
 * What the readers of the lines of a specification file have in common.
 */
#ifndef LINCHPIN_SPEC_PARSER_H
#define LINCHPIN_SPEC_PARSER_H

#include "spec/lexer.h"

struct parser {
	struct spec_file *f;
	struct lexer lexer;
	struct error *e;
};

/* "expected WHAT, not `the present token`"; -1. */
int parser_expected(struct parser *p, const char *what);
/* Goes on if the present token is this one. */
bool parser_take(struct parser *p, const char *text);
int parser_need(struct parser *p, const char *symbol);
/* A word, to free; NULL and the error. */
char *parser_word(struct parser *p, const char *what);
int parser_end(struct parser *p, const char *what);

/* Lines about clients (client_lines.c). *known is whether the first word begins one. */
int parser_client_line(struct parser *p, bool *known);
/* After the whole file: do these lines name operations and arguments that there are? */
int spec_clients_check(const struct spec_file *f, struct error *e);
void spec_clients_free(struct spec_clients *c);

#endif
