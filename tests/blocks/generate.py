# SPDX-License-Identifier: MIT
"""Random programs for model.py, and the same in C."""
import random

from model import Program
from traps import TRAPS

PROFILES = {
    "plain": dict(length=4),
    "branch": dict(length=4, branch=1, calls=1),
    "loop": dict(length=3, branch=1, loop=1, calls=1, leave=1),
    "locks": dict(length=3, locks=2, branch=1, often=.2),
    "locks1": dict(length=3, locks=1, calls=1, often=.2),
    "dense": dict(length=3, locks=1, variables=1, often=.35, branch=1),
    "dense2": dict(length=3, locks=2, often=.4),
    "pair": dict(length=3, locks=2, often=.5, threads=[2]),
    "sems": dict(length=3, sems=1, branch=1),
    "nested": dict(nested=1),
    "again": dict(length=3, branch=1, again=1, calls=1),
    "unwind": dict(length=3, locks=1, branch=1, throw=1, calls=1, often=.15, cxx=1),
    "tail": dict(length=3, branch=1, tail=1, again=1),
    "taillocks": dict(length=2, locks=1, tail=1, often=.2),
    "tailthrow": dict(length=2, branch=1, throw=1, tail=1, cxx=1),
}


def function(r, prof, callees=(), length=None):
    n = length or r.randint(2, prof.get("length", 4))
    body = []
    for i in range(n):
        x = r.random()
        v, reg = r.randrange(prof.get("variables", 2)), r.randrange(2)
        if prof.get("locks") and r.random() < prof["often"]:
            m = r.randrange(prof["locks"])
            body.append(("lock", m) if r.random() < .75 else ("try", reg, m))
        elif prof.get("sems") and r.random() < .3:
            body.append(("wait", 0) if r.random() < .45 else ("post", 0))
        elif callees and x < .12:
            body.append(("call", r.choice(callees)))
        elif x < .38:
            body.append(("load", reg, v))
        elif x < .64:
            body.append(("store", v, r.choice([1, 2, (0, 0), (0, 1), (1, 0)])))
        elif x < .72:
            body.append(("cas", reg, v, r.choice([0, (0, 0), 1]), r.choice([1, 2, (0, 1)])))
        elif x < .80:
            body.append(("add", reg, v, 1))
        elif prof.get("branch") and x < .96:
            back = prof.get("loop") and r.random() < .5
            body.append(("jump", reg, r.choice(["==", "!=", ">"]), r.randrange(2),
                         r.randint(0, i) if back else r.randint(i + 1, n)))
        elif prof.get("leave") and x < .98:
            body.append(("leave",))
        elif prof.get("again") and r.random() < .8:
            body.append(("again",))
        elif prof.get("throw") and r.random() < .8:
            body.append(("throw",))
        else:
            body.append(("load", reg, v))
    for i in range(len(body) - 1, -1, -1):     # most locks get an unlock
        if body[i][0] in ("lock", "try") and r.random() < .9:
            insert(body, r.randint(i + 1, len(body)), ("unlock", body[i][-1]))
    return body


def insert(body, at, statement):
    body.insert(at, statement)
    for k, s in enumerate(body):
        if s[0] == "jump" and s[4] > at:
            body[k] = s[:4] + (s[4] + 1,)


def nested(r):
    a, b = r.sample(range(3), 2)
    body = [("lock", a), ("lock", b)] + [("store", 0, (0, 1))] * r.randrange(2)
    if r.random() < .4:
        body.insert(1, ("load", 0, 0))
    return body + [("unlock", b), ("unlock", a)]


def program(seed, profile):
    if profile == "traps":
        return TRAPS[seed % len(TRAPS)]
    r = random.Random("%s %d" % (profile, seed))
    prof = PROFILES[profile]
    functions = {}
    if prof.get("nested"):
        functions = {f: nested(r) for f in "fgh"}
        threads = [[f] for f in "fgh"[:r.choice([2, 2, 3])]]
    else:
        if prof.get("calls") or prof.get("tail"):
            functions["c"] = function(r, prof, (), r.randint(1, 2))
        if prof.get("tail"):    # it ends with a call, which is a jump where the compiler optimizes
            functions["d"] = function(r, prof, (), 1) + [("call", "c")]
        for f in "fg":
            functions[f] = function(r, prof, tuple(functions.keys() & {"c"}))
            if prof.get("tail"):
                functions[f].append(("call", r.choice("ccd")))
        n = r.choice(prof.get("threads", [2, 2, 3]))
        threads = [[r.choice("fg") for _ in range(r.choice([1, 1, 2]) if n == 2 else 1)]
                   for _ in range(n)]
    blocks = set()
    for _ in range(r.choice([1, 1, 2, 2, 3])):
        f = r.choice(sorted(functions))
        first = r.randrange(len(functions[f]))
        blocks.add((f, first, r.randint(first, len(functions[f]) - 1)))
    p = Program(functions, threads, sorted(blocks), prof.get("variables", 2),
                3 if prof.get("nested") else prof.get("locks", 1), 1)
    p.apart = bool(prof.get("tail"))    # no function is inlined
    return p


def expression(e):
    return "r%d + %d" % e if isinstance(e, tuple) else str(e)


def statement(s):
    kind = s[0]
    if kind == "load":
        return "r%d = v%d;" % s[1:]
    if kind == "store":
        return "v%d = %s;" % (s[1], expression(s[2]))
    if kind == "cas":
        return "e = %s; r%d = __atomic_compare_exchange_n(&v%d, &e, %s, 0, 5, 5);" % (
            expression(s[3]), s[1], s[2], expression(s[4]))
    if kind == "add":
        return "r%d = __atomic_fetch_add(&v%d, %d, 5);" % s[1:]
    if kind == "lock":
        return "pthread_mutex_lock(&m%d); h[%d] = 1;" % (s[1], s[1])
    if kind == "try":
        return "r%d = !pthread_mutex_trylock(&m%d); h[%d] |= r%d;" % (s[1], s[2], s[2], s[1])
    if kind == "unlock":
        return "if (h[%d]) h[%d] = 0, pthread_mutex_unlock(&m%d);" % (s[1], s[1], s[1])
    if kind == "wait":
        return "sem_wait(&s%d);" % s[1]
    if kind == "post":
        return "sem_post(&s%d);" % s[1]
    if kind == "call":
        return "@%s(r0, r1, r2, h);" % s[1]
    if kind == "again":
        return "if (fuel-- > 0) h[3] = fuel, @again(r0, r1, r2, h);"
    if kind == "leave":
        return "pthread_exit(NULL);"
    if kind == "throw":
        return "throw 1;"
    raise ValueError(kind)


def jump(s, i):
    back = " && fuel-- > 0" if s[4] <= i else ""
    return "if (r%d %s %d%s) goto L%d;" % (s[1], s[2], s[3], back, s[4])


def c_source(programs):
    """One file for several programs, of which the first argument says which; and of each the blocks as
    --block wants them."""
    out = ["#include <pthread.h>", "#include <semaphore.h>", "#include <stdlib.h>",
           "static volatile int v0, v1, v2;", "static sem_t s0;",
           "static pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER, "
           "m1 = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;"]
    blocks = []
    for n, p in enumerate(programs):
        first = {}
        for f in sorted(p.functions):
            out.append("%sstatic void p%d_%s(int r0, int r1, int r2, int *h)" % (
                "__attribute__((noinline)) " if getattr(p, "apart", False) else "", n, f))
            out.append("{ int e = 0, fuel = h[3]; (void)e; (void)r2; h[3] = 2;")
            first[f] = len(out) + 1
            for i, s in enumerate(p.functions[f]):
                text = jump(s, i) if s[0] == "jump" else statement(s)
                text = text.replace("@again", "@" + f).replace("@", "p%d_" % n)
                out.append("L%d: __attribute__((unused)); %s" % (i, text))
            out.append("L%d: __attribute__((unused)); }" % len(p.functions[f]))
        for t, calls in enumerate(p.threads):
            call = "p%d_%s(0, 0, 0, h);"
            if any(s[0] == "throw" for body in p.functions.values() for s in body):
                call = "try { %s } catch (int) { h[3] = 2; }" % call
            out.append("static void *p%d_thread%d(void *arg) { int h[4] = { 0, 0, 0, 2 };" % (n, t))
            out += [call % (n, f) for f in calls]
            out.append("return arg; }")
        blocks.append(["p%d_%s:%d-%d" % (n, f, first[f] + a, first[f] + b) for f, a, b in p.blocks])
    out.append("int main(int argc, char **argv) { pthread_t t[3]; sem_init(&s0, 0, 0);")
    if any("throw 1;" in line for line in out):
        out.append("try { throw 1; } catch (int) { }")   # what libgcc does once is done before there are threads
    out.append("switch (argc > 1 ? atoi(argv[1]) : 0) {")
    for n, p in enumerate(programs):
        out.append("case %d:" % n)
        for t in range(len(p.threads)):
            out.append("pthread_create(&t[%d], NULL, p%d_thread%d, NULL);" % (t, n, t))
        out += ["pthread_join(t[%d], NULL);" % t for t in range(len(p.threads))]
        out.append("break;")
    out.append("} return 0; }")
    return "\n".join(out) + "\n", blocks
