// A list in C++ whose insertion loses nodes, with a template and a method.
#include <pthread.h>

template <typename T> class List {
public:
	void insert(T value);
	int length() const;

private:
	struct Node {
		T value;
		Node *next;
	};
	Node *head = nullptr;
};

template <typename T> void List<T>::insert(T value)
{
	Node *node = new Node{ value, nullptr };

	node->next = head;
	head = node;
}

template <typename T> int List<T>::length() const
{
	int n = 0;

	for (const Node *at = head; at; at = at->next)
		n++;
	return n;
}

static List<long> list;

static void *inserter(void *arg)
{
	list.insert(reinterpret_cast<long>(arg));
	return nullptr;
}

int main()
{
	pthread_t a, b;

	pthread_create(&a, nullptr, inserter, reinterpret_cast<void *>(1));
	pthread_create(&b, nullptr, inserter, reinterpret_cast<void *>(2));
	pthread_join(a, nullptr);
	pthread_join(b, nullptr);
	if (list.length() != 2)
		__builtin_abort();
	return 0;
}
