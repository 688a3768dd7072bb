/* SPDX-License-Identifier: MIT
 *
 * libc's functions that the runtime itself calls, looked up once before anything runs. (Those that
 * interposed functions call are in interpose/functions.h.)
 */
#ifndef LP_REAL_H
#define LP_REAL_H

#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>

struct real {
	int (*libc_start_main)(int (*)(int, char **, char **), int, char **, void (*)(void),
			       void (*)(void), void (*)(void), void *);
	void *(*dlsym)(void *, const char *);
	int (*dl_iterate_phdr)(int (*)(struct dl_phdr_info *, size_t, void *), void *);
	int *(*errno_location)(void);
	int (*fflush)(FILE *);
	void (*call_tls_dtors)(void); /* may be NULL */
	void (*siglongjmp)(sigjmp_buf, int) __attribute__((noreturn));

	int (*pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	int (*pthread_attr_init)(pthread_attr_t *);
	int (*pthread_attr_destroy)(pthread_attr_t *);
	int (*pthread_attr_setstacksize)(pthread_attr_t *, size_t);
	int (*pthread_attr_setdetachstate)(pthread_attr_t *, int);
	int (*sigaction)(int, const struct sigaction *, struct sigaction *);
};

extern struct real real;
void real_init(void);

#endif
