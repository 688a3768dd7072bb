/* SPDX-License-Identifier: MIT
 *
 * Correct use of the heap that looks a little like an error: nothing must be reported.
 */
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <pthread.h>
#include <string>
#include <vector>

struct counted {
	std::atomic<int> users;
	pthread_mutex_t lock;
	int value;
};

struct flexible {
	int n;
	char bytes[];
};

struct alignas(64) wide {
	char bytes[64];
};

static std::mutex lock;
static std::atomic<char *> handed;
static std::shared_ptr<int> shared = std::make_shared<int>(7);
static counted *object;
static volatile size_t sink;

static void check(bool ok)
{
	if (!ok)
		abort();
}

/* Sizes: nothing, exactly all, all that the allocator says that there is. */
static void sizes()
{
	char *p = (char *)malloc(0);
	flexible *f = (flexible *)malloc(sizeof *f + 5);

	free(p);
	free(nullptr);
	f->n = 5;
	memset(f->bytes, 1, 5);
	free(f);
	p = (char *)malloc(13);
	memset(p, 2, malloc_usable_size(p));
	for (size_t i = 0; i < malloc_usable_size(p); i++)
		sink = p[i];
	p = (char *)realloc(p, 100);
	check(p[12] == 2);
	p[99] = 3;
	p = (char *)realloc(p, 7);
	p[6] = 4;
	p = (char *)realloc(p, 9);
	p[8] = 5;
	free(p);
	p = (char *)calloc(3, 11);
	check(p[32] == 0);
	p[32] = 1;
	free(p);
}

static void library()
{
	char *text = strdup("some text"), *line = nullptr;
	size_t n = 0;
	FILE *f = fmemopen(text, strlen(text), "r");

	check(getline(&line, &n, f) == 9);
	fclose(f);
	line[n - 1] = 0;
	free(line);
	free(text);
	check(asprintf(&text, "%d", 1234567) == 7);
	free(text);
}

static void alignments()
{
	wide *w = new wide, *many = new wide[2];
	void *p;

	w->bytes[63] = 1;
	many[1].bytes[63] = 1;
	delete w;
	delete[] many;
	check(!posix_memalign(&p, 4096, 10));
	memset(p, 1, 10);
	free(p);
	p = aligned_alloc(64, 64);
	memset(p, 1, 64);
	free(p);
	free(memalign(32, 1));
	free(valloc(1));
}

static void containers()
{
	std::lock_guard<std::mutex> guard(lock);
	std::map<int, std::string> m;
	std::vector<int> v;

	for (int i = 0; i < 20; i++) {
		v.push_back(i);
		m[i] = std::string(i * 3, 'x');
	}
	m.erase(3);
	v.shrink_to_fit();
}

/* The last user frees it, with the lock in it. */
static void let_go(counted *c)
{
	pthread_mutex_lock(&c->lock);
	c->value++;
	pthread_mutex_unlock(&c->lock);
	if (--c->users)
		return;
	check(c->value == 2);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

static void *first(void *arg)
{
	std::shared_ptr<int> mine = shared;

	if (!strcmp((const char *)arg, "sizes"))
		sizes();
	if (!strcmp((const char *)arg, "library"))
		library();
	if (!strcmp((const char *)arg, "alignments"))
		alignments();
	if (!strcmp((const char *)arg, "containers"))
		containers();
	if (!strcmp((const char *)arg, "counted"))
		let_go(object);
	handed = strdup("handed over");
	check(*mine == 7);
	return arg;
}

static void *second(void *arg)
{
	char *p = handed.exchange(nullptr);

	if (!strcmp((const char *)arg, "containers"))
		containers();
	if (!strcmp((const char *)arg, "counted"))
		let_go(object);
	if (p)
		check(!strcmp(p, "handed over"));
	free(p); /* in another thread */
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	if (argc < 2)
		return 2;
	object = (counted *)calloc(1, sizeof *object);
	object->users = 2;
	pthread_mutex_init(&object->lock, nullptr);
	pthread_create(&a, nullptr, first, argv[1]);
	pthread_create(&b, nullptr, second, argv[1]);
	pthread_join(a, nullptr);
	pthread_join(b, nullptr);
	free(handed);
	return 0;
}
