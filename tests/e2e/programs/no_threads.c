/* SPDX-License-Identifier: MIT
 *
 * Never creates a thread.
 */
static volatile int value;

int main(void)
{
	value++;
	return 0;
}
