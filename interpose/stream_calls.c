/* SPDX-License-Identifier: MIT
 *
 * Functions of stdio are cancellation points where they read or write the descriptor, and nowhere else. libc knows that
 * only when it is inside, so it is told here beforehand, from the stream's buffer. Of formatted output only the
 * least length is known, and of wide characters nothing: POSIX lets such a function be a cancellation point, but does not
 * ask for it.
 */
#include "stream_calls.h"
#include "interpose.h"
#include "sending.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>

/* Of a stream's flags, as libc has them. */
#define UNBUFFERED  0x0002
#define BY_LINES    0x0200
#define PUTTING     0x0800
#define FILE_BUFFER 0x2000
#define NO_CANCEL   0x0002 /* of the second flags */

extern FILE *_IO_list_all __attribute__((weak));

static bool has(char c, const char *s, size_t n)
{
	while (s && n--)
		if (*s++ == c)
			return true;
	return false;
}

/* Goes on behind as many of these characters as there are. */
static const char *behind(const char *format, const char *these)
{
	while (*format && has(*format, these, length(these)))
		format++;
	return format;
}

/* How long what comes of this format is at least: a number has a digit, if no precision says that it may have none. */
static size_t formatted_length(const char *format)
{
	size_t n = 0;

	while (*format) {
		size_t width = 0;
		bool empty;

		if (*format != '%' || format[1] == '%') {
			format += 1 + (*format == '%');
			n++;
			continue;
		}
		format = behind(format + 1, "-+ #0'");
		while (*format >= '0' && *format <= '9')
			width = width * 10 + (size_t)(*format++ - '0');
		format = behind(format, "*");
		empty = *format == '.';
		format = behind(format, ".*0123456789hlLqjzt");
		empty |= *format == 's' || *format == 'S' || *format == 'n' || *format == 'm';
		n += width || empty ? width : 1;
		format += *format != 0;
	}
	return n;
}

/* By formatted output only if the format says so. */
static bool ends_line(const struct stream_call *call, size_t n)
{
	return has('\n', call->text, call->formatted ? length(call->text) : n);
}

static size_t written(const struct stream_call *call)
{
	if (call->formatted)
		return formatted_length(call->text);
	return call->n != STREAM_UNKNOWN ? call->n : length(call->text);
}

/* Without a buffer yet: as it will be. */
static bool writes_fresh(const struct stream_call *call, size_t n)
{
	const int fd = call->stream->_fileno;
	struct stat s;
	struct termios terminal;

	if (sys2(SYS_fstat, fd, &s) < 0)
		return false;
	return n >= (size_t)s.st_blksize || (sys3(SYS_ioctl, fd, TCGETS, &terminal) >= 0 && ends_line(call, n));
}

static bool writes(const struct stream_call *call)
{
	const FILE *s = call->stream;
	const size_t n = written(call);

	if (!n)
		return false;
	if (s->_flags & UNBUFFERED || (s->_flags & BY_LINES && ends_line(call, n)))
		return true;
	if (!s->_IO_buf_base)
		return writes_fresh(call, n);
	return n > (size_t)(s->_IO_buf_end - (s->_flags & PUTTING ? s->_IO_write_ptr : s->_IO_buf_base));
}

static bool reads(const struct stream_call *call)
{
	const FILE *s = call->stream;
	size_t there = (size_t)(s->_IO_read_end - s->_IO_read_ptr);

	if (call->how == STREAM_READS)
		return (call->n != STREAM_UNKNOWN ? call->n : 1) > there;
	return call->n > there && !has(call->text ? *call->text : '\n', s->_IO_read_ptr, there);
}

/* Not of memory, nor what functions of the program do. */
static bool has_descriptor(const FILE *s)
{
	return s->_fileno >= 0 && s->_flags & FILE_BUFFER && !(s->_flags2 & NO_CANCEL);
}

static bool has_output(const FILE *s)
{
	return has_descriptor(s) && s->_IO_write_ptr > s->_IO_write_base;
}

static bool any_has_output(void)
{
	for (const FILE *s = &_IO_list_all ? _IO_list_all : NULL; s; s = s->_chain)
		if (has_output(s))
			return true;
	return false;
}

static bool calls_system(const struct stream_call *call)
{
	if (call->how == STREAM_CALLS)
		return true;
	if (!call->stream)
		return any_has_output();
	if (!has_descriptor(call->stream))
		return false;
	switch (call->how) {
	case STREAM_WRITES:
		return writes(call);
	case STREAM_READS:
	case STREAM_READS_LINE:
		return reads(call);
	default:
		return has_output(call->stream);
	}
}

void stream_called(const struct stream_call *call)
{
	if (UNLIKELY(rt->sends & SENDS_CANCEL) && calls_system(call))
		cancellation_point();
}
