/* SPDX-License-Identifier: MIT
 *
 * Random numbers that come from outside the program. Each thread has its own sequence, so they do not depend on the
 * schedule, and are the same in every execution.
 */
#include "../runtime/twins.h"
#include "../runtime/unseen.h"
#include "interpose.h"
#include "sending.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

void random_bytes(uint8_t *to, size_t n)
{
	struct fiber *f = rt->cur;

	twin_asks(f);
	for (size_t i = 0; i < n; i++) {
		uint64_t word;

		if (i % 8 == 0)
			f->random++;
		word = mix(mix(mix(0x6c78, f->id), f->lives), f->random);
		to[i] = (uint8_t)(word >> i % 8 * 8);
	}
}

ssize_t i_getrandom(void *to, size_t n, unsigned flags);
ssize_t i_getrandom(void *to, size_t n, unsigned flags)
{
	if (!active())
		return real_getrandom(to, n, flags);
	cancellation_point();
	if (flags & ~(GRND_RANDOM | GRND_NONBLOCK | GRND_INSECURE))
		return fail(EINVAL);
	random_bytes(to, n);
	return (ssize_t)n;
}

int i_getentropy(void *to, size_t n);
int i_getentropy(void *to, size_t n)
{
	if (!active())
		return real_getentropy(to, n);
	if (n > 256)
		return fail(EIO);
	random_bytes(to, n);
	return 0;
}

static uint32_t random_word(void)
{
	uint32_t word;

	random_bytes((uint8_t *)&word, sizeof word);
	return word;
}

uint32_t i_arc4random(void);
uint32_t i_arc4random(void)
{
	return active() ? random_word() : real_arc4random();
}

uint32_t i_arc4random_uniform(uint32_t bound);
uint32_t i_arc4random_uniform(uint32_t bound)
{
	if (!active())
		return real_arc4random_uniform(bound);
	return (uint32_t)((uint64_t)random_word() * bound >> 32);
}

void i_arc4random_buf(void *to, size_t n);
void i_arc4random_buf(void *to, size_t n)
{
	if (active())
		random_bytes(to, n);
	else
		real_arc4random_buf(to, n);
}

static bool is_device(const struct stat *s)
{
	return S_ISCHR(s->st_mode) &&
	       (s->st_rdev == makedev(1, 8) || s->st_rdev == makedev(1, 9)); /* random, urandom */
}

void random_is_read(int fd, void *to, ssize_t n)
{
	struct stat s;

	if (n > 0 && !sys2(SYS_fstat, fd, &s) && is_device(&s))
		random_bytes(to, (size_t)n);
}

void random_stream_opens(const char *path)
{
	struct stat s;

	if (!sys4(SYS_newfstatat, AT_FDCWD, path, &s, 0) && is_device(&s))
		unseen("what functions of stdio read of /dev/urandom is different in each execution: use read, "
		       "or getrandom",
		       NULL);
}

/* std::random_device of libstdc++: the first way that the processor has is rdrand. */
unsigned i__ZNSt13random_device9_M_getvalEv(void *device);
unsigned i__ZNSt13random_device9_M_getvalEv(void *device)
{
	unsigned word;

	(void)device;
	if (active())
		return random_word();
	sys3(SYS_getrandom, &word, sizeof word, 0);
	return word;
}
