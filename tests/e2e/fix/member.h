#ifndef MEMBER_H
#define MEMBER_H

struct item {
	int n, m;
#ifdef FLEXIBLE
	int rest[];
#endif
};

#endif
