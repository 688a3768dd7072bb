#include "witness.h"
void witness_find(const struct lin_part *part, struct lin_run *run, enum check_mode mode,
		  struct lin_result *result){}
