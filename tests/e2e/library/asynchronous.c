/* SPDX-License-Identifier: MIT
 *
 * Asynchronous input and output that tells when it is done. WHAT is one of the functions; with -DWRONG it has a fault.
 */
#include "what.h"

#include <aio.h>
#include <semaphore.h>

static struct aiocb request;
static char byte;
static int count;
static sem_t is_done;
static volatile sig_atomic_t came;

static void adds(void)
{
	__atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
}

static void reads(int how)
{
	request.aio_fildes = open("/dev/zero", O_RDONLY);
	request.aio_buf = &byte;
	request.aio_nbytes = 1;
	request.aio_sigevent.sigev_notify = how;
	assert(!aio_read(&request));
}

static void ended(void)
{
	const struct aiocb *const list[] = { &request };

	while (aio_error(&request) == EINPROGRESS)
		aio_suspend(list, 1, NULL);
	assert(!aio_error(&request) && aio_return(&request) == 1);
}

/* A thread comes with the notice. */
static void comes(union sigval value)
{
	adds();
	assert(value.sival_int == 5);
	sem_post(&is_done);
}
static void by_thread(void)
{
	request.aio_sigevent.sigev_notify_function = comes;
	request.aio_sigevent.sigev_value.sival_int = 5;
	reads(SIGEV_THREAD);
	if (!wrong)
		sem_wait(&is_done);
	assert(__atomic_load_n(&count, __ATOMIC_SEQ_CST) == 1);
	ended();
}

/* A signal does. */
static void handler(int sig, siginfo_t *info, void *unused)
{
	came = info->si_code == SI_ASYNCIO && info->si_value.sival_int == 5;
}
static void by_signal(void)
{
	struct sigaction a = { .sa_flags = SA_SIGINFO };

	a.sa_sigaction = handler;
	sigaction(SIGUSR1, &a, NULL);
	request.aio_sigevent.sigev_signo = SIGUSR1;
	request.aio_sigevent.sigev_value.sival_int = wrong ? 6 : 5;
	reads(SIGEV_SIGNAL);
	ended();
	assert(came);
}

/* Two threads, each with its own, in many executions. */
static void *reads_own(void *n)
{
	struct aiocb own = { .aio_fildes = open("/dev/zero", O_RDONLY), .aio_buf = &n, .aio_nbytes = sizeof n };
	struct aiocb *const list[] = { &own };
	volatile int *counted = &count;

	own.aio_lio_opcode = LIO_READ;
	assert(!lio_listio(LIO_WAIT, list, 1, NULL) && !n);
	if (wrong)
		++*counted;
	else
		adds();
	return n;
}
static void by_list(void)
{
	both(reads_own, reads_own);
	assert(count == 2);
}

/* What is not there yet is not waited for. */
static void of_pipe(void)
{
	int ends[2];

	assert(!pipe(ends));
	request.aio_fildes = ends[0];
	request.aio_buf = &byte;
	request.aio_nbytes = 1;
	assert(!aio_read(&request));
}
