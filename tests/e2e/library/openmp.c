/* SPDX-License-Identifier: MIT
 *
 * Two threads of OpenMP: a critical section, an atomic, a barrier, a reduction. WRONG: a sum without any of them.
 */
#include <assert.h>
#include <omp.h>

static int critical, atomic, plain;

int main(void)
{
	int sum = 0;

#pragma omp parallel num_threads(2) reduction(+ : sum)
	{
		sum += omp_get_thread_num() + 1;
#ifdef WRONG
		plain++;
#else
#pragma omp critical
		critical++;
#pragma omp atomic
		atomic++;
#pragma omp barrier
		assert(critical == 2 && atomic == 2);
#endif
	}
	assert(sum == 3);
#ifdef WRONG
	assert(plain == 2);
#endif
	return 0;
}
