/* SPDX-License-Identifier: MIT */
/* Right: what streams of C++ do with memory that others use at the same time is named, in ways below 20, and else not. */
#include <iostream>
#include <pthread.h>
#include <sstream>
#include <string>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static std::string text = "longer than what a string holds within itself";
static char letters[] = "letters";
static int number;
static std::ostringstream out;
static std::istringstream in("1 2 3 4");
static int way;

static void *one(void *arg)
{
	std::istringstream own("5 line\n");

	switch (way) {
	case 1: std::cout << text; break;
	case 2: std::cout << letters; break;
	case 3: out << 1; break;
	case 4: own >> number; break;
	case 5: out << "abc"; break;
	case 6: std::getline(own, text); break;
	case 7: std::cin >> letters[1]; break;
	case 8: std::cout.write(letters, 3); break;
	case 9: in >> letters[0]; break;
	case 10: out << std::endl; break;
	case 20: case 21:
		pthread_mutex_lock(&m);
		if (way == 20)
			std::cout << text << number;
		else
			out << text;
		pthread_mutex_unlock(&m);
		break;
	case 22: {
		std::ostringstream mine;

		mine << 1 << "abc" << 2.5 << std::string("d") << std::endl;
		std::cout << mine.str() << std::endl;
		break;
	}
	case 23: std::cout << text << letters << number; break;
	}
	return arg;
}

static void *other(void *arg)
{
	char c;
	int n;

	switch (way) {
	case 1: case 6: text[5] = 'x'; break;
	case 2: letters[0] = 'x'; break;
	case 3: out << 2; break;
	case 4: number++; break;
	case 5: text = out.str(); break;
	case 7: std::cin >> c; break;
	case 8: letters[2] = 'x'; break;
	case 9: in >> n; break;
	case 10: out << 2.5; break;
	case 20: case 21:
		pthread_mutex_lock(&m);
		if (way == 20)
			text[3] = 'x', number++;
		else
			text = out.str();
		pthread_mutex_unlock(&m);
		break;
	case 22: case 23: one(arg); break;
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	way = argc > 1 ? std::stoi(argv[1]) : 1;
	pthread_create(&t, NULL, one, NULL);
	other(NULL);
	pthread_join(t, NULL);
	std::cout << text << letters << out.str() << std::endl;
	return 0;
}
