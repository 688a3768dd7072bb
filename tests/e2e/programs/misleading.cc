// SPDX-License-Identifier: MIT
//
// The same in C++: what constructors and placements allocate, counts before arrays, types that share a name.
#include <cstdlib>
#include <new>
#include <thread>

struct buffer {
	char *bytes;
	size_t size;
	explicit buffer(size_t n) : bytes((char *)malloc(n)), size(n) {}
};

struct chunk {
	static void *get(size_t n) { return malloc(n); }
};

struct cell {
	long only;
	~cell() { only = 0; }
};

struct own {
	long mine, yours;
	static void *operator new(size_t size) { return malloc(size); }
	static void operator delete(void *p) { free(p); }
};

namespace one {
struct node {
	long small;
};
} // namespace one

template <class T> struct list {
	struct node {
		T value;
		node *next;
	};
	node *first = nullptr;
	void push(T value) { first = new node{ value, first }; }
};

static volatile void *volatile kept[8];

int main()
{
	std::thread other([] {
		buffer *b = new buffer(16);
		buffer *p = new (chunk::get(32)) buffer(8);
		cell *c = new cell[3];
		own *o = new own;
		own *q = new (std::nothrow) own[2];
		list<long> l;
		char *bytes = b->bytes;
		long *s = (long *)operator new(sizeof(own));

		l.push(1);
		bytes[8] = 1; /* +8 */
		p[1].size = 2; /* +24 */
		c[1].only = 3; /* +16 */
		o->yours = 4; /* .yours */
		l.first->next = nullptr; /* .next */
		q[1].mine = 5; /* [1].mine */
		s[1] = 6; /* .yours */
		kept[0] = b;
		kept[1] = p;
		kept[2] = c;
		kept[3] = o;
		kept[4] = l.first;
		kept[5] = bytes;
		kept[6] = s;
		kept[7] = q;
	});

	kept[7] = nullptr;
	other.join();
	return 0;
}
