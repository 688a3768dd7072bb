/* SPDX-License-Identifier: MIT
 *
 * The library of each.c, twice: with -DOTHER its code is longer, so that other things are where.
 */
static __thread int once = 1;

#ifdef OTHER
int padding(int x);
int padding(int x)
{
	return x * x * x % 17 + x / 3;
}
#endif

void adder(int *counter);
void adder(int *counter)
{
	*counter += once--;
}
