/* What a block calls looks at a unique pointer with get(), which waits for nothing, as that of a future does. */
#include <map>
#include <memory>
#include <mutex>
#include <thread>

struct session {
	int hits = 0;
};

class registry {
	std::mutex mutex_;
	std::map<int, std::unique_ptr<session>> sessions_;
public:
	void open(int id)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		sessions_[id] = std::make_unique<session>();
	}
	session *find(int id)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		auto it = sessions_.find(id);
		return it == sessions_.end() ? nullptr : it->second.get();
	}
	void close(int id)
	{
		std::lock_guard<std::mutex> guard(mutex_);
		sessions_.erase(id);
	}
};

static registry all;

static void visit()
{
	session *s = all.find(1);
	if (s)
		s->hits++;
}

int main()
{
	all.open(1);
	std::thread visitor(visit), closer([] { all.close(1); });
	visitor.join();
	closer.join();
}
