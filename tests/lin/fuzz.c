/* SPDX-License-Identifier: MIT
 *
 * fuzz-lin [SEED [HISTORIES [KIND]]]: random histories of every data type, all ways of checking
 * against the oracle.
 */
#include "compare.h"

#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	unsigned count = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 100000;
	int status = 0;

	printf("%-18s %10s %13s %10s %10s\n", "seed", "histories", "linearizable", "monitored",
	       "witnesses");
	for (int kind = 0; kind < K_COUNT; kind++) {
		struct tally t = { 0 };

		if (argc > 3 && strcmp(argv[3], kind_specification[kind]))
			continue;
		if (!compare_many((enum kind)kind, seed, count, &t))
			status = 1;
		printf("%-18s %10u %13u %10u %10u\n", kind_specification[kind], t.histories,
		       t.linearizable, t.monitored, t.witnesses);
		fflush(stdout);
	}
	return status;
}
