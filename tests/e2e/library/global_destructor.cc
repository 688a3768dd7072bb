/* SPDX-License-Identifier: MIT
 *
 * The destructor of a global object runs when main has returned, and sees a lost increment: abort
 * must be found.
 */

#include <cstdlib>
#include <thread>

static int x;
struct G { ~G() { if (x == 1) abort(); } } static g;

static void bump() { int t = x; x = t + 1; }

int main()
{
	std::thread a(bump), b(bump);
	a.join();
	b.join();
	return 0;
}
