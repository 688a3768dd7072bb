// SPDX-License-Identifier: MIT
//
// A small test program in C++, whose start-up is measured.
#include <iostream>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace
{

std::map<std::string, std::vector<int>> found;
std::mutex lock;

void add(const std::string &name, int value)
{
	std::lock_guard<std::mutex> guard(lock);

	found[name].push_back(value);
}

} // namespace

int main()
{
	std::thread a(add, "one", 1), b(add, "two", 2);

	a.join();
	b.join();
	for (const auto &[name, values] : found)
		std::cout << name << ' ' << values.size() << '\n';
	return 0;
}
