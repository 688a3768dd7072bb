/* SPDX-License-Identifier: MIT
 *
 * A C++ library that is opened: exceptions inside and out of it, static and thread-local objects
 * with constructors.
 */
#include <map>
#include <stdexcept>
#include <string>

namespace
{
struct guard {
	int *left;
	~guard()
	{
		++*left;
	}
};

std::map<int, std::string> table;
thread_local std::string own = "abc";
} // namespace

extern "C" int caught(int x)
{
	int left = 0;

	try {
		guard g{ &left };

		table[0] = "value";
		if (x)
			throw std::runtime_error(own + "!");
	} catch (const std::runtime_error &e) {
		left += e.what()[3] == '!' ? 10 : 100;
	}
	return left;
}

extern "C" void thrown()
{
	throw std::logic_error("out of the library");
}
