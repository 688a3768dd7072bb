/* SPDX-License-Identifier: MIT
 *
 * What the interposers share. A function i_NAME implements the exported NAME (see hooks.S). All
 * follow the same pattern: outside the program's execution they call the real function; inside,
 * they announce the event, let the scheduler choose, and do it.
 */
#ifndef LP_INTERPOSE_H
#define LP_INTERPOSE_H

#include "../runtime/memory_errors.h"
#include "../runtime/objects.h"
#include "../runtime/owners.h"
#include "../runtime/real.h"
#include "../runtime/sched.h"
#include "../runtime/share.h"
#include "../runtime/spinning.h"
#include "functions.h"

#define MAX_KEYS     1024 /* PTHREAD_KEYS_MAX */
#define MAX_AT_EXITS 512
#define MAX_AT_FORKS 64

/* State that libc would keep for the program and that we keep instead; part of the checkpoint. */
struct program_state {
	void (*key_destructors[MAX_KEYS])(void *);
	unsigned nkeys; /* no key from there on has a destructor */
	struct at_exit {
		void *function;
		void *arg, *dso;
		enum { AT_EXIT, ON_EXIT, AT_QUICK_EXIT } kind;
	} at_exits[MAX_AT_EXITS];
	unsigned nat_exits, nearly;    /* registered before executions */
	struct at_fork {
		void (*prepare)(void), (*parent)(void), (*child)(void);
		void *dso;
	} at_forks[MAX_AT_FORKS];
	unsigned nat_forks;
	bool usual_attributes; /* pthread_setattr_default_np was called */
};
extern struct program_state program_state;
extern bool program_state_changed; /* in this execution; set by whoever changes it */

/* redirect.c: from now on calls of `function`, which is `room` bytes long, go to `to`. False if
 * that is not possible. */
extern bool exits_redirected; /* libc's exit() jumps to ours */
bool redirect(void *function, size_t room, const void *to);

/* kernel.c: a mapping made in an execution belongs to the runtime and stays. */
void mapping_keep(uintptr_t lo, uintptr_t hi);

/* early_mappings.c: what constructors map. */
void early_mapped(uintptr_t lo, size_t size, int protection, int flags);
void early_unmapped(uintptr_t lo, size_t size);
void early_protected(uintptr_t lo, size_t size, int protection);
void early_checkpoint(void);
void early_limits(void); /* an execution begins */

/* Later: is something of that there? Then an execution's system call becomes this: it wants other
 * rights, or (anew) other memory, in its place. A negative result is -errno. */
bool early_any(uintptr_t lo, size_t size);
long early_change(uintptr_t lo, size_t size, int protection, bool anew);
bool early_changed(void);
void early_rollback(void);

/* futex.c: the system call; -1 and errno if it fails. */
long futex_call(uint32_t *word, int op, uint32_t value, uint64_t timeout, uint32_t *word2,
		uint32_t value3);

/* operations.c: an operation of the running fiber begins or ends; `name` lives as long as the
 * process. kind: 0 no result, 1 value, 2 "there was nothing". */
void operation_call(uint64_t object, const char *name, unsigned nargs, const int64_t *args,
		    uint64_t pc);
void operation_return(unsigned kind, int64_t value, uint64_t pc);

extern const struct linchpin_hooks operation_hooks; /* what linchpin.h calls */

/* What is behind the table of runtime/services.h. */
void program_state_checkpoint(void);
void program_exit(int status, uint64_t pc) __attribute__((noreturn));
void process_end_by_thread(void) __attribute__((noreturn));
void alternate_left(uintptr_t sp); /* alternate.c: the running fiber goes on there, a jump or unwinding has left handlers */
void thread_at_exit(void); /* the function of the running fiber has returned */
void thread_ends(void);    /* it has nothing more to do */
void keys_destroy(void);   /* key.c */
void end_is_seen(void);    /* thread.c */
static inline bool in_child(void) /* of fork */
{
	return UNLIKELY(rt_there && rt->child);
}
/* Nothing of a child is explored, but what is kept for the program is here. */
static inline bool kept_here(void)
{
	return active() || in_child();
}
void at_forks_forget(const void *dso); /* child.c: the library is closed */
void children_end(void); /* child.c: ends those that the execution before has left: what they send is not for this one */
void child_has_no_threads(void); /* child.c: nor may this process make one, if it is one */
void unwinder_look_up(void);
/* random.c: of the running fiber; in place of what read has got, if the descriptor is a device for them; a limit, if a
 * stream is opened on one. */
void random_bytes(uint8_t *to, size_t n);
void random_is_read(int fd, void *to, ssize_t n);
void random_stream_opens(const char *path);
struct fiber *fiber_of_id(int id);        /* identity.c: that lives, by the id of gettid; or NULL. A step, if another */
bool thread_is_there(const struct fiber *f); /* thread.c: it has not ended: a step, if it is another one */
void identity_new(struct fiber *f, const pthread_attr_t *attr); /* what it has of its maker, and of the attribute or NULL */
void mutexes_of_ended(void);              /* mutex.c: the running fiber ends */
/* functions.c: the name of the function behind a pointer of real.S, and its arguments as of given.c or changes.c. */
const char *function_arguments(void **entry, const char **name);
void **function_entry(const char *name); /* that pointer, of a function of the list */
/* unseen.c: libc or the kernel works on this memory; on a file, and the offset of a descriptor (NULL: of none); uses or
 * closes that. */
void unseen_memory(const char *name, uintptr_t addr, size_t size, bool writes);
void unseen_memory_at(const char *name, uint64_t pc, uintptr_t addr, size_t size, bool writes); /* called there */
void unseen_stream(const char *name, uint64_t pc, const FILE *stream, bool writes);
void unseen_state(const char *name, uint64_t pc, char which, bool writes); /* of what libc keeps for all threads */
void unseen_file(const char *name, uint64_t device, uint64_t number, const uint64_t *descriptor, bool writes);
void unseen_key(const char *name, uint64_t pc, unsigned key, bool deletes); /* of thread-specific data */
void unseen_descriptor(const char *name, uint64_t descriptor, bool closes);
void unseen_end(void); /* unseen.c: an execution has ended */
void functions_look_up(void);
void given_look_up(void); /* given.c */
/* lookup.c: libc's function, or that of another library behind this one; what a lookup of the program gets that has
 * found this function of a library: if it is one that calls do not reach, the one that catches them. */
void *function_behind(const char *name);
void *function_caught(const char *name, void *found);
void *library_function(const char *library, const char *name); /* loader.c: if it is loaded; no step */
void kernel_checkpoint(void);
void kernel_rollback(void);
void kernel_mappings(void); /* what is mapped now stays */
void signals_rollback(void);
void users_rollback(void);
void queues_end(void); /* queue.c: an execution has ended; what it knows of them is taken back next */
void signals_checkpoint(void);
void signals_in_child(void);
void signal_abort(void);
void signal_pipe(void); /* the running fiber has written where nobody reads */
void timers_checkpoint(void);
/* process_shared.c: an object is made, and is meant for other processes, too, or not; one with a name is opened; there is a child
 * with this memory. */
void process_shared(const void *object, bool wanted);
void process_shared_by_name(void);
void process_shared_forks(void);

void named_checkpoint(void);
void stamps_begin(void);
void process_shared_checkpoint(void);
void streams_checkpoint(void);
void signal_from_process(int sig);
bool timers_let_go_on(void);
bool timers_interrupt(void);
bool timer_comes(void);
bool sent_is_taken(unsigned interrupt);
void redirect_exits(void);

/* binding.c: before the first execution. */
void functions_bind(void);

void loader_state(void);
void loader_hook(void);
void loader_rollback(void);

/* operations.c: objects that constructors have declared, into the trace. */
void operations_early(void);

/* kernel.c, signal.c: has this execution left something there? */
bool kernel_changed(void);
bool kernel_mapped(void);
bool signals_changed(void);

/* What a function returns that tells its error in errno. */
static inline int fail(int error)
{
	*real.errno_location() = error;
	return -1;
}

/* The return address of the interposed call in the program, or the address behind the jump that took
 * its place. */
static inline uint64_t caller(void)
{
	return call_pc();
}

/* Where there is no memory for the object, the program crashes here, in its own call; not whoever looks next who can go
 * on. */
static inline void touch(const volatile void *object)
{
	(void)*(const volatile char *)object;
}

/* NULL: no thread has this handle. Where there is no memory libc crashes, too, but for a join or detach of 0. */
static inline struct fiber *thread_of(pthread_t thread)
{
	struct fiber *f = fiber_of((uint64_t)thread);

	if (!f)
		touch((const volatile void *)thread);
	return f;
}

/* A step on a lock-like object, which is known by its first byte. */
static inline struct event *object_step(unsigned kind, const volatile void *object, enum wait wait,
					bool attempt)
{
	struct pending *p;

	touch(object);
	p = announce(kind, object, 1, caller());
	p->flags = LP_SITE_NOVALUE;
	p->wait = (uint8_t)wait;
	p->attempt = attempt;
	return step(rt->cur);
}

/* Can no other thread see whether this happens now or later? Then a step that cannot block may
 * be skipped. */
static inline bool alone(void)
{
	return !rt->tracing;
}

/* clock.c: time is up for a wait of the running fiber, so its clock moves to the deadline. True: a timer has run
 * out before that, the clock is there, and the wait goes on. A handler may have run meanwhile. */
bool wait_again(const struct timespec *deadline);

/* For first choices: when its next event ends by time. */
void time_due(const struct timespec *deadline);

/* The running fiber is in a timed wait with this deadline; it is not any more. True: it must be made once more. */
static inline void wait_until(const struct timespec *deadline)
{
	rt->cur->rounds.deadline = (const uint64_t *)deadline;
	if (deadline)
		time_due(deadline);
}

static inline bool wait_over(const struct timespec *deadline, bool timed_out)
{
	rt->cur->rounds.deadline = NULL;
	rt->cur->due = 0;
	return timed_out && wait_again(deadline);
}

/* As libc checks the time of a timed wait, and its clock. */
static inline bool valid_time(const struct timespec *t)
{
	return t->tv_nsec >= 0 && t->tv_nsec < 1000000000;
}

static inline bool clock_to_wait(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

/* Where this blocked fiber waits. */
static inline struct call_place waits_where(const struct fiber *f)
{
	return (struct call_place){ .pc = f->pending.pc,
				    .context = f->pending.context,
				    .thread = f->id };
}

/* objects.c: ends the execution with this message if a thread is blocked on the object; if another one
 * holds it. */
void destroy_unwaited(const volatile void *object, const char *message);
void destroy_unheld(const volatile void *object, const char *message);

/* It is initialized or destroyed where that is no step, on the stack of main or in thread-local storage; what other threads do
 * with it is one. */
void init_is_no_step(const volatile void *object);

/* A lock of this kind is initialized: nobody holds it any more. */
void lock_made_anew(const volatile void *object, const char *what);

/* An access that is no event, while nobody else could see it. */
static inline void looked_at(uintptr_t addr, uint64_t pc)
{
	memory_look(addr, pc);
	if (UNLIKELY(rt->minding))
		spinning_look();
}

/* Can other threads see this access of the running fiber? Marks the stack or the thread-local
 * storage of another fiber as shared if the access is there. */
static inline bool visible(uintptr_t addr, size_t size)
{
	struct fiber *owner;

	if (!rt->tracing) {
		if (UNLIKELY(rt->looking))
			looked_at(addr, call_pc());
		return false;
	}
	if (!in_stacks(addr) && !(UNLIKELY(rt->given_stacks) && fiber_by_stack(addr)))
		return addr - rt->tls_lo >= rt->tls_size || tls_visible(addr, size);
	owner = fiber_by_stack(addr);
	if (!owner)
		return true;
	if (owner == rt->cur)
		return stack_is_shared(owner, addr, size, false);
	if (!stack_is_shared(owner, addr, size, true))
		stack_share(owner, addr, size);
	return true;
}

/* An object is made, destroyed or made anew: a step, if another thread could use it meanwhile. */
static inline void object_init_step(const volatile void *object)
{
	if (visible((uintptr_t)object, 1))
		object_step(LP_EV_OBJECT_INIT, object, WAIT_NOT, false);
	else if (UNLIKELY(rt->tracing))
		init_is_no_step(object);
}

#endif
