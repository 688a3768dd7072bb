/* SPDX-License-Identifier: MIT
 *
 * Donors: real threads, made before the checkpoint, that publish their FS base and then sleep for ever
 * in a raw futex wait, unless they are carriers (carriers.h). Each fiber uses the thread-local storage of one, so __thread variables, errno
 * and libc's own per-thread state are right without libc knowing about fibers.
 */
#include "donors.h"
#include "carriers.h"
#include "explore.h"
#include "memory.h"
#include "modules.h"
#include "real.h"
#include "state.h"
#include "words.h"

#include <asm/prctl.h>
#include <elf.h>
#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>

#define DONORS_AT_FIRST 8
#define DONOR_STACK     (128UL << 10)
#define TLS_RESERVE     1024 /* libc keeps more for libraries that are loaded later */
#define RSEQ_LEAST      32u  /* bytes that are registered at least, whatever of them is in use */

static struct {
	uint64_t fs[MAX_FIBERS]; /* by fiber id; [0] is the main thread's */
	unsigned n;
	uint32_t published;          /* how many are asleep; a futex */
	uint32_t never;              /* the futex that nobody wakes */
	size_t tls_below, tls_above; /* bytes of TLS below and above the FS base */
	size_t variables_from, variables_to; /* below it: those of the program and its libraries */
	uint8_t *saved[MAX_FIBERS];  /* TLS contents at the checkpoint */
	int64_t rseq;                /* the kernel writes the processor there (rseq(2)), from the FS base... */
	size_t rseq_size;            /* ...so many bytes; 0: nowhere */
	const uint32_t *id; /* what libc says to debuggers of its threads' ids: bits, number, offset; NULL: nothing */
	bool foreign_tls;            /* a module other than libc and the loader has a TLS segment */
} donors;

static enum tls_mode mode;

static uint64_t fs_base(void)
{
	uint64_t fs;

	__asm__("movq %%fs:0, %0" : "=r"(fs));
	return fs;
}

static void fs_set(uint64_t fs)
{
	if (mode == TLS_FSGSBASE)
		__asm__ volatile("wrfsbase %0" : : "r"(fs) : "memory");
	else
		sys2(SYS_arch_prctl, ARCH_SET_FS, fs);
}

/* Runs on the donor's own thread, in TLS that a fiber will use: no libc call that leaves a trace
 * there. */
static void *donor(void *slot)
{
	unsigned i = (unsigned)((uint64_t *)slot - donors.fs);
	uint64_t all = ~0ULL;

	sys4(SYS_rt_sigprocmask, SIG_SETMASK, &all, 0, sizeof all);
	*(uint64_t *)slot = fs_base();
	if (mode == TLS_THREADS)
		carrier_begin(i);
	__atomic_fetch_add(&donors.published, 1, __ATOMIC_RELEASE);
	sys4(SYS_futex, &donors.published, FUTEX_WAKE, 1, 0);
	if (mode == TLS_THREADS)
		carrier_run(i);
	for (;;)
		sys4(SYS_futex, &donors.never, FUTEX_WAIT, 0, 0);
	return NULL;
}

/* Accesses elsewhere need not be compared with each thread's storage. */
static void note_tls_range(void)
{
	uintptr_t lo = UINTPTR_MAX, hi = 0;

	for (unsigned i = 0; i < donors.n; i++) {
		uintptr_t from = donors.fs[i] - donors.tls_below;
		uintptr_t to = donors.fs[i] + donors.tls_above;

		lo = from < lo ? from : lo;
		hi = to > hi ? to : hi;
	}
	rt->tls_lo = lo;
	rt->tls_size = hi - lo;
}

/* Until there are n of them, fiber 0 included. */
static void donors_add(unsigned n)
{
	pthread_attr_t attr;
	pthread_t thread;
	uint32_t asleep;

	real.pthread_attr_init(&attr);
	real.pthread_attr_setstacksize(&attr, DONOR_STACK);
	real.pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	for (; donors.n < n; donors.n++)
		if (real.pthread_create(&thread, &attr, donor, &donors.fs[donors.n]))
			die("cannot make a thread to lend its thread-local storage; is there a "
			    "limit on processes (ulimit -u)?");
	real.pthread_attr_destroy(&attr);
	while ((asleep = __atomic_load_n(&donors.published, __ATOMIC_ACQUIRE)) < n - 1)
		sys4(SYS_futex, &donors.published, FUTEX_WAIT, asleep, 0);
	note_tls_range();
}

/* How far static TLS reaches below the FS base, and whose it is. */
static int tls_extent(struct dl_phdr_info *info, size_t size, void *data)
{
	enum library library = library_of(info->dlpi_name);

	(void)size;
	(void)data;
	if (!info->dlpi_tls_data)
		return 0;
	if ((uintptr_t)info->dlpi_tls_data < donors.fs[0]) {
		size_t below = donors.fs[0] - (uintptr_t)info->dlpi_tls_data;

		if (below > donors.tls_below && below < (1 << 20))
			donors.tls_below = below;
	}
	if (library == LIBRARY_LIBC || library == LIBRARY_LOADER)
		return 0;
	donors.foreign_tls = true;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t lo = (uintptr_t)info->dlpi_tls_data;
		uintptr_t hi = lo + info->dlpi_phdr[i].p_memsz;

		if (info->dlpi_phdr[i].p_type != PT_TLS || hi > donors.fs[0])
			continue;
		if (donors.fs[0] - lo > donors.variables_from)
			donors.variables_from = donors.fs[0] - lo;
		if (!donors.variables_to || donors.fs[0] - hi < donors.variables_to)
			donors.variables_to = donors.fs[0] - hi;
	}
	return 0;
}

/* libc has it registered, if it says so. */
static void find_rseq(void)
{
	const ptrdiff_t *offset = real.dlsym(NULL, "__rseq_offset");
	const unsigned *size = real.dlsym(NULL, "__rseq_size");

	if (!offset || !size || !*size)
		return;
	donors.rseq = *offset;
	donors.rseq_size = *size < RSEQ_LEAST ? RSEQ_LEAST : *size;
}

void donors_init(void)
{
	const unsigned *sizeof_pthread = real.dlsym(NULL, "_thread_db_sizeof_pthread");

	donors.fs[0] = fs_base();
	donors.n = 1;
	real.dl_iterate_phdr(tls_extent, NULL);
	donors.tls_below = round_up(donors.tls_below, 16) + TLS_RESERVE;
	donors.tls_above = sizeof_pthread && *sizeof_pthread < 16384 ? *sizeof_pthread : 2304;

	find_rseq();
	donors.id = real.dlsym(NULL, "_thread_db_pthread_tid");
	mode = (enum tls_mode)rt->config.tls;
	if (mode == TLS_AUTO) {
		/* The kernel must allow the instruction; where it does not, it may work and yet be
		 * undone. */
		if (getauxval(AT_HWCAP2) & 2)
			mode = TLS_FSGSBASE;
		else
			mode = donors.foreign_tls ? TLS_PRCTL : TLS_SHARED;
	} else if (mode == TLS_FSGSBASE && !(getauxval(AT_HWCAP2) & 2)) {
		die("LINCHPIN_TLS=fsgsbase: this kernel does not allow the instruction");
	} else if (mode == TLS_SHARED && donors.foreign_tls) {
		die("LINCHPIN_TLS=shared: a module has thread-local variables of its own, use "
		    "auto");
	}
	if (mode == TLS_THREADS)
		carriers_init();
	donors_add(DONORS_AT_FIRST + 1);
	rt->root_fs = rt->fs_now = donors.fs[0];
}

void fibers_more_donors(void)
{
	donors_add(donors.n * 2 < MAX_FIBERS ? donors.n * 2 : MAX_FIBERS);
}

void fibers_snapshot_tls(void)
{
	for (unsigned i = 0; i < donors.n; i++) {
		if (!donors.saved[i])
			donors.saved[i] = (uint8_t *)round_up(
						  (uint64_t)memory_get(donors.tls_below +
								       donors.tls_above + 2 * PAGE),
						  PAGE) +
					  ((donors.fs[i] - donors.tls_below) & (PAGE - 1));
		copy(donors.saved[i], (void *)(donors.fs[i] - donors.tls_below),
		     donors.tls_below + donors.tls_above);
	}
}

void donor_reset(unsigned i)
{
	copy((void *)(donors.fs[i] - donors.tls_below), donors.saved[i],
	     donors.tls_below + donors.tls_above);
}

void fibers_restore_tls(void)
{
	unsigned used = rt->nfibers ? rt->nfibers : 1;

	for (unsigned i = 0; i < used; i++)
		donor_reset(i);
}

/* Without what the kernel writes, which is no state of the program's. */
static uint64_t tls_hash(uint64_t fs, uint64_t lo, uint64_t hi, const uint8_t *saved)
{
	uint64_t own = fs + (uint64_t)donors.rseq, end = own + donors.rseq_size;

	if (!donors.rseq_size || own >= hi || end <= lo)
		return hash_words(lo, hi, saved);
	return (own > lo ? hash_words(lo, own, saved) : 0) +
	       (end < hi ? hash_words(end, hi, saved ? saved + (end - lo) : NULL) : 0);
}

uint64_t fibers_tls_hash(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < rt->nfibers; i++)
		sum += tls_hash(donors.fs[i], donors.fs[i] - donors.tls_below,
				donors.fs[i] + donors.tls_above, donors.saved[i]);
	return sum;
}

bool fibers_tls(unsigned i, uintptr_t *lo, uintptr_t *hi)
{
	if (i >= donors.n)
		return false;
	*hi = donors.fs[i] + donors.tls_above;
	*lo = i ? round_up(*hi, PAGE) - DONOR_STACK : donors.fs[i] - donors.tls_below;
	return true;
}

/* Where all threads share one TLS, it has to begin again without. */
void fibers_late_tls(void)
{
	if (mode != TLS_SHARED)
		return;
	if (rt->config.tls == TLS_SHARED)
		die("LINCHPIN_TLS=shared: a library with thread-local variables of its own is "
		    "loaded, use auto");
	rt->late_tls = 1;
	rt->need_restart = 1;
	abandon_execution();
}

struct fiber *fiber_by_tls(uintptr_t addr, uint64_t *offset)
{
	for (unsigned i = 0; i < rt->nfibers; i++) {
		uint64_t at = addr - (rt->fibers[i].fs - donors.tls_below);

		if (at < donors.tls_below + donors.tls_above) {
			*offset = at;
			return &rt->fibers[i];
		}
	}
	return NULL;
}

bool fibers_share_tls(void)
{
	return mode == TLS_SHARED;
}

bool fibers_have_threads(void)
{
	return mode == TLS_THREADS;
}

uint64_t fiber_tls_hash(const struct fiber *f)
{
	size_t from = rt->loaded ? donors.tls_below : donors.variables_from;

	if (mode == TLS_SHARED)
		return 0;
	return tls_hash(f->fs, f->fs - from, f->fs - donors.variables_to, NULL);
}

unsigned donors_n(void)
{
	return donors.n;
}

uint64_t donor_fs(unsigned i)
{
	return donors.fs[i];
}

uint32_t *donor_id(void)
{
	return donors.id ? (uint32_t *)(fs_base() + donors.id[2]) : NULL;
}

void donor_use(uint64_t fs)
{
	if (rt->fs_now != fs) {
		rt->fs_now = fs;
		if (LIKELY(mode != TLS_THREADS))
			fs_set(fs);
	}
}

void fibers_no_late_tls(void)
{
	if (UNLIKELY(rt->late_tls) && mode == TLS_SHARED)
		mode = TLS_PRCTL;
}
