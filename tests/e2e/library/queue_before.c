/* SPDX-License-Identifier: MIT
 *
 * A message queue of this name: it is made, removed, or opened.
 */
#include <assert.h>
#include <fcntl.h>
#include <mqueue.h>
#include <string.h>

int main(int argc, char **argv)
{
	struct mq_attr attr = { .mq_maxmsg = 1, .mq_msgsize = 8 };
	mqd_t queue;

	assert(argc == 3);
	if (!strcmp(argv[1], "remove"))
		return mq_unlink(argv[2]) != 0;
	queue = mq_open(argv[2], O_RDWR | (strcmp(argv[1], "make") ? 0 : O_CREAT), 0600, &attr); /* @opened */
	return queue < 0;
}
