// SPDX-License-Identifier: MIT
//
// A registry of sessions: one thread uses what another one removes; its destructor, and calls of libraries.
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

struct session {
	std::string user;
	int hits = 0;
};

class registry {
public:
	void add(int id, std::string user)
	{
		std::lock_guard<std::mutex> hold(mutex_);
		sessions_[id] = std::make_unique<session>(session{ std::move(user) });
	}

	session *find(int id)
	{
		std::lock_guard<std::mutex> hold(mutex_);
		auto i = sessions_.find(id);
		return i == sessions_.end() ? nullptr : i->second.get();
	}

	void remove(int id)
	{
		std::lock_guard<std::mutex> hold(mutex_);
		sessions_.erase(id); /* @remove */
	}

private:
	std::mutex mutex_;
	std::map<int, std::unique_ptr<session>> sessions_;
};

static registry all;

static void visit(int id)
{
	session *s = all.find(id);
	if (s)
		s->user.append("!"); /* @use */
}

int main()
{
	all.add(7, "somebody with a long name");
	std::thread a([] { visit(7); }), b([] { all.remove(7); });
	a.join();
	b.join();
}
