/* SPDX-License-Identifier: MIT
 *
 * The program's output. That of the first whole execution is shown, that of all others goes
 * nowhere. An execution may be abandoned and begun again (when a stack turns out to be shared), so
 * even the first one's is kept back until it is whole.
 */
#include "output.h"
#include "part.h"
#include "real.h"
#include "run_dir.h"
#include "state.h"

static struct {
	int kept[2]; /* files in memory for standard output and error */
} output;

static void nowhere(int i)
{
	if (output.kept[i] >= 0)
		sys1(SYS_close, output.kept[i]);
	sys3(SYS_dup3, rt->fd_null, i + 1, 0);
}

static void hide_output(void)
{
	rt->printed = 1;
	for (int i = 0; i < 2; i++)
		nowhere(i);
}

void capture_output(void)
{
	for (int i = 0; i < 2; i++) {
		long fd = sys2(SYS_memfd_create, "output", 0);

		output.kept[i] = -1;
		if (fd < 0)
			continue; /* then it is shown as it comes */
		output.kept[i] = descriptor_copy((int)fd);
		sys3(SYS_dup3, fd, i + 1, 0);
		sys1(SYS_close, fd);
	}
	if (part && !part->shows)
		hide_output();
}

static void show(int kept, int to)
{
	struct text t;
	long n;

	sys3(SYS_lseek, kept, 0, 0 /* SEEK_SET */);
	while ((n = sys3(SYS_read, kept, t.s, sizeof t.s)) > 0) {
		t.n = (size_t)n;
		text_flush(&t, to);
	}
}

void show_output(void)
{
	if (rt->printed || !output.kept[0])
		return;
	rt->printed = 1;
	for (int i = 0; i < 2; i++) {
		if (output.kept[i] >= 0)
			show(output.kept[i], i ? rt->fd_err : rt->fd_out);
		nowhere(i);
	}
}

void forget_output(void)
{
	for (int i = 0; i < 2 && !rt->printed; i++)
		if (output.kept[i] >= 0) {
			sys2(SYS_ftruncate, output.kept[i], 0);
			sys3(SYS_lseek, output.kept[i], 0, 0 /* SEEK_SET */);
		}
}

void restore_output(void)
{
	const int shown[] = { rt->fd_out, rt->fd_err };

	for (int i = 0; i < 2; i++) {
		int to = rt->printed ? rt->fd_null : output.kept[i];

		sys3(SYS_dup3, to >= 0 ? to : shown[i], i + 1, 0);
	}
}

void flush_program_output(void)
{
	uint8_t running = rt->running;

	if (rt->printed)
		return;
	rt->running = 0;
	real.fflush(NULL);
	rt->running = running;
}
