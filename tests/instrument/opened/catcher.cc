/* SPDX-License-Identifier: MIT
 *
 * catcher LIBRARY: two threads open thrower.cc. Then libc opens libraries for itself: for backtrace
 * and for iconv.
 */
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <execinfo.h>
#include <iconv.h>
#include <stdexcept>
#include <thread>

static void insist(bool what)
{
	if (!what)
		abort();
}

static void open(const char *library)
{
	void *handle = dlopen(library, RTLD_NOW), *frames[8];

	insist(handle);
	insist(((int (*)(int))dlsym(handle, "caught"))(1) == 11);
	try {
		((void (*)())dlsym(handle, "thrown"))();
		abort();
	} catch (const std::logic_error &) {
	}
	insist(backtrace(frames, 8) > 0);
}

static int mappings()
{
	FILE *f = fopen("/proc/self/maps", "r");
	int n = 0;

	for (int c; f && (c = getc(f)) != EOF;)
		n += c == '\n';
	if (f)
		fclose(f);
	return n;
}

int main(int, char **argv)
{
	iconv_t conversion = iconv_open("ISO-8859-1", "UTF-8");
	std::thread a(open, argv[1]), b(open, argv[1]);

	a.join();
	b.join();
	if (conversion != (iconv_t)-1)
		iconv_close(conversion);
	insist(mappings() < 400);
}
