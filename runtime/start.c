/* SPDX-License-Identifier: MIT
 *
 * How the runtime gets into the process: it stands in for __libc_start_main, lets libc and all
 * constructors do their work, and then explores instead of running main once.
 */
#include "start.h"
#include "checkpoint.h"
#include "explore.h"
#include "follow.h"
#include "heap.h"
#include "memory.h"
#include "places.h"
#include "real.h"
#include "services.h"
#include "state.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/personality.h>
#include <sys/resource.h>

extern const char __ehdr_start[] __attribute__((visibility("hidden")));

struct real real;

static int (*program_main)(int, char **, char **);

/* Before libc has an environment: straight from the kernel. */
static char **early_environment(void)
{
	static char *envp[1024];
	size_t size = 1 << 20, n = 0;
	char *text = map(working_place(size), size, false, false);
	long used = read_file("/proc/self/environ", text, size - 1);

	for (long i = 0; i < used && n < 1023; i += (long)length(text + i) + 1)
		envp[n++] = text + i;
	return envp;
}

static bool follows; /* only what this process starts is explored */

void start_early(void)
{
	char **envp;
	const char *isolate;

	if (rt_there)
		return;
	envp = early_environment();
	follows = follow_needed(envp);
	isolate = env_get(envp, "LINCHPIN_ISOLATE");
	memory_init(isolate && equal(isolate, "fork") && !follows);
	heap_init();
	config_read(envp);
}

#define LOOK_UP(member, name)                                                                      \
	do {                                                                                       \
		void *found_ = dlsym(RTLD_NEXT, name);                                             \
		copy(&real.member, &found_, sizeof found_);                                        \
		if (!found_)                                                                       \
			die("libc has no %s", name);                                               \
	} while (0)

#define LOOK_UP_SAME(name) LOOK_UP(name, #name)

void real_init(void)
{
	void *found;

	if (real.dlsym)
		return;
	rt->looking_up = 1;
	LOOK_UP(libc_start_main, "__libc_start_main");
	LOOK_UP_SAME(dl_iterate_phdr);
	LOOK_UP(errno_location, "__errno_location");
	LOOK_UP_SAME(fflush);
	LOOK_UP_SAME(siglongjmp);
	LOOK_UP_SAME(pthread_create);
	LOOK_UP_SAME(pthread_attr_init);
	LOOK_UP_SAME(pthread_attr_destroy);
	LOOK_UP_SAME(pthread_attr_setstacksize);
	LOOK_UP_SAME(pthread_attr_setdetachstate);
	LOOK_UP_SAME(sigaction);
	found = dlsym(RTLD_DEFAULT, "__call_tls_dtors");
	copy(&real.call_tls_dtors, &found, sizeof found);
	interposing.look_up();
	dlerror(); /* the program is not told of what was not found */
	rt->looking_up = 0;
	real.dlsym = dlsym;
}

/*
 * The threads of an OpenMP library must not spin while they wait: each round would be a step. The
 * library reads its environment in a constructor, which may run before anything of ours, so the
 * program has to begin with the variable. NULL if the user has said how threads wait.
 */
static char **with_passive_waiting(char **envp)
{
	static char passive[] = "OMP_WAIT_POLICY=passive";
	size_t n = 0;
	char **list;

	if (env_get(envp, "OMP_WAIT_POLICY") || env_get(envp, "GOMP_SPINCOUNT"))
		return NULL;
	while (envp[n])
		n++;
	list = memory_get((n + 2) * sizeof *list);
	copy(list, envp, n * sizeof *list);
	list[n] = passive;
	return list;
}

static bool randomised(void)
{
	long now = sys1(SYS_personality, 0xffffffff);

	return now >= 0 && !(now & ADDR_NO_RANDOMIZE) &&
	       sys1(SYS_personality, now | ADDR_NO_RANDOMIZE) >= 0;
}

/* Where the limit of the stack is so high that it leaves no room for libraries above LIBRARIES (`ulimit -s unlimited`), or
 * the process is to look as in old days, the kernel puts them lower, among the heaps. True: next time it does not. The
 * stack of main is one of ours, however high the limit. */
static bool low_libraries(void)
{
	long now = sys1(SYS_personality, 0xffffffff);
	bool changed = false;
	unsigned long limits[2];

	if ((uintptr_t)__ehdr_start >= LIBRARIES)
		return false;
	if (now >= 0 && now & ADDR_COMPAT_LAYOUT)
		changed = sys1(SYS_personality, now & ~ADDR_COMPAT_LAYOUT) >= 0;
	if (sys2(SYS_getrlimit, RLIMIT_STACK, limits) >= 0 && limits[0] > MAIN_STACK) {
		limits[0] = MAIN_STACK;
		changed |= sys2(SYS_setrlimit, RLIMIT_STACK, limits) >= 0;
	}
	return changed;
}

/* Begins the program once more if what it began with will not do: addresses must be the same in
 * every run, so the kernel's randomisation is switched off (where that is forbidden, the names in
 * traces are stable all the same), and not where ours are; and OpenMP must wait passively. */
static void begin_again(char **argv, char **envp)
{
	bool other = *rt->config.program && ((int)randomised() | (int)low_libraries());
	char **passive = NULL;
	void *openmp;
	long now;

	rt->looking_up = 1;
	openmp = dlsym(RTLD_DEFAULT, "omp_get_thread_num");
	dlerror();
	rt->looking_up = 0;
	if (*rt->config.program && (other || openmp)) {
		passive = with_passive_waiting(envp);
		if (other || passive)
			sys3(SYS_execve, rt->config.program, argv, passive ? passive : envp);
	}
	now = sys1(SYS_personality, 0xffffffff);
	rt->random = now < 0 || !(now & ADDR_NO_RANDOMIZE);
	if ((uintptr_t)__ehdr_start < HEAP_END)
		die("libraries are where the heaps are to be; lower the limit of the stack (ulimit -s 8192)");
}

/* What the program starts must not be explored as well. */
static void leave_environment(void)
{
	char *preload = getenv("LD_PRELOAD"), *p, *q;

	if (!preload)
		return;
	/* Drop the entries that end in libsched.so, keep the others. */
	for (p = q = preload; *p;) {
		char *end = p;
		size_t n;

		while (*end && *end != ':' && *end != ' ')
			end++;
		n = (size_t)(end - p);
		if (n < 11 || !same(end - 11, "libsched.so", 11)) {
			if (q != preload)
				*q++ = ':';
			while (p < end)
				*q++ = *p++;
		}
		p = *end ? end + 1 : end;
	}
	*q = '\0';
	if (q == preload)
		unsetenv("LD_PRELOAD");
}

/*
 * linchpin.h finds the runtime through the environment, before main and before constructors run.
 * setenv would allocate on the program's heap, more or less as the environment is; then blocks had
 * other numbers and addresses in a bare run than where `linchpin` executes the program.
 */
static void announce_hooks(void)
{
	static char text[64];
	char *p = text, **list;
	unsigned long pid = (unsigned long)sys0(SYS_getpid),
		      at = (unsigned long)interposing.operation_hooks;
	size_t n = 0, kept = 0;

	for (const char *name = "LINCHPIN_HOOKS="; *name; name++)
		*p++ = *name;
	/* Always the same length, so that the environment takes the same room in every run. */
	for (unsigned long place = 1000000000; place; place /= 10)
		*p++ = (char)('0' + pid / place % 10);
	*p++ = ':';
	for (int shift = 60; shift >= 0; shift -= 4)
		*p++ = "0123456789abcdef"[at >> shift & 15];
	while (environ[n])
		n++;
	list = memory_get((n + 2) * sizeof *list);
	for (size_t i = 0; i < n; i++)
		if (!same(environ[i], "LINCHPIN_HOOKS=", 15))
			list[kept++] = environ[i];
	list[kept] = text;
	environ = list;
	/* unsetenv changes it in place. */
	checkpoint_add((uintptr_t)list, (uintptr_t)(list + n + 2));
}

static int error; /* errno, as constructors have left it */

void start_errno(void)
{
	*real.errno_location() = error;
}

static int explore_main(int argc, char **argv, char **envp)
{
	error = *real.errno_location();
	explore(program_main, argc, argv, envp);
}

EXPORT int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
			     void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
			     void *stack_end);

EXPORT int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
			     void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
			     void *stack_end)
{
	Dl_info self;
	size_t n;

	start_early();
	real_init();
	error = *real.errno_location();
	if (follows) {
		follow_announce();
		return real.libc_start_main(main, argc, argv, init, fini, rtld_fini, stack_end);
	}
	begin_again(argv, argv + argc + 1);
	leave_environment();
	announce_hooks();
	if (dladdr(__ehdr_start, &self) && self.dli_fname) {
		n = length(self.dli_fname);
		if (n < sizeof rt->config.report)
			copy(rt->config.report, self.dli_fname, n + 1);
	}
	program_main = main;
	start_errno();
	return real.libc_start_main(explore_main, argc, argv, init, fini, rtld_fini, stack_end);
}
