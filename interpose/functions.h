/* SPDX-License-Identifier: MIT
 *
 * libc's functions behind those of the list (functions.def), under the name real_NAME: those that C
 * code calls and that headers declare. Those on memory and strings are declared in
 * instrument/libc.h.
 */
#ifndef LP_FUNCTIONS_H
#define LP_FUNCTIONS_H

#include <aio.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <grp.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int __cxa_atexit(void (*function)(void *), void *arg, void *dso);
int __cxa_at_quick_exit(void (*function)(void *), void *dso);
void __cxa_finalize(void *dso);
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *dso);

/* Of programs that were made with a libc before 2.33. */
extern int __xstat(int version, const char *path, struct stat *s);
extern int __lxstat(int version, const char *path, struct stat *s);
extern int __fxstat(int version, int fd, struct stat *s);
extern int __fxstatat(int version, int dir, const char *path, struct stat *s, int flags);

/* Of programs that were compiled with _FORTIFY_SOURCE; no header declares them otherwise. */
extern ssize_t __read_chk(int fd, void *to, size_t n, size_t room);
extern ssize_t __recv_chk(int fd, void *to, size_t n, size_t room, int flags);
extern void __longjmp_chk(struct __jmp_buf_tag *buffer, int value) __attribute__((noreturn));
extern int __mq_open_2(const char *name, int flags);
extern int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room);

#pragma GCC visibility push(hidden)
#define STUB_REAL(name, state, note)   extern __typeof__(name) *real_##name;
#define PASSED_REAL(name, state, note) extern __typeof__(name) *real_##name;
#include "functions.def"
#pragma GCC visibility pop

#endif
