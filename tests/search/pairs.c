#include "pairs.h"
void pairs(const struct setting *s, unsigned number, unsigned jobs, struct tally *tally){(void)s;(void)number;(void)jobs;(void)tally;}
bool pairs_all(const uint8_t *seen){(void)seen;return true;}
