// SPDX-License-Identifier: MIT
//
// The same in C++: types in types and namespaces, types that share a name, and containers, of which nothing is known.
#include <list>
#include <memory>
#include <thread>

namespace box {
struct node {
	long key, value;
};
class stack {
	struct cell {
		long top, below;
	};

public:
	cell *push()
	{
		cell *c = new cell{ 1, 0 };

		c->below = 2; /* .below */
		return c;
	}
};
} // namespace box

namespace one {
struct twin {
	long a, b;
};
} // namespace one
namespace two {
struct twin {
	long c, d;
};
} // namespace two

static volatile void *volatile kept[8];

int main()
{
	std::thread other([] {
		box::node *n = new box::node;
		box::node *m = new box::node[3];
		one::twin *t = new one::twin();
		two::twin *u = new two::twin();
		std::list<long> l;

		n->value = 3; /* .value */
		m[2].key = 4; /* [2].key */
		t->b = 5; /* +8 */
		u->d = 6; /* +8 */
		kept[0] = n;
		kept[1] = m;
		kept[2] = t;
		kept[3] = box::stack().push();
		kept[4] = u;
		l.push_back(*new long(7));
		kept[5] = &l.back();
		kept[7] = n;
	});

	kept[7] = nullptr;
	other.join();
	return 0;
}
