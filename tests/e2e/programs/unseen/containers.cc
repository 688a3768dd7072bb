/* Containers whose nodes are linked by libstdc++, without a lock: linked with libstdc++ as a library there are as many classes
 * as with all of it in the program. */
#include <iterator>
#include <list>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>

static volatile size_t seen;

#if defined LIST
static std::list<int> of{1};
static void one() { of.push_back(2); }
static void two() { of.pop_front(); }
#elif defined SET
static std::set<int> of{1};
static void one() { of.insert(2); }
static void two() { seen = of.count(2); }
#elif defined WALK
static std::map<int, int> of{{1, 1}, {2, 2}, {3, 3}};
static void one() { of.erase(2); }
static void two() { seen = std::next(of.begin())->first; }
#elif defined HASH
static std::unordered_map<int, int> of;
static void one() { of.emplace(2, 2); }
static void two() { seen = of.bucket_count(); }
#else
static std::string of{"a"};
static void one() { of.append(20, 'b'); }
static void two() { seen = of.find("b"); }
#endif

int main()
{
	std::thread other(one);

	two();
	other.join();
}
