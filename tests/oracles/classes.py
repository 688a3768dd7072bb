#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts the classes of executions of a client, independently of linchpin.

    tests/oracles/classes.py STRUCTURE [CASE...]    cases of structures/STRUCTURE/STRUCTURE.expect
    tests/oracles/classes.py treiber N              of tests/oracles/treiber.c: all, and those without a retry
    tests/oracles/classes.py exponential_bug N      of tests/oracles/exponential_bug.c
    tests/oracles/classes.py orders P               of tests/oracles/orders.c

Prints a line a case: classes of the faulty and of the correct variant, then the outcomes that no sequential run of the
client has, with the number of classes each.

A structure is modelled by generators that yield their accesses to shared memory and are sent what they read. All
executions are built up step by step; two that are equivalent (the same program order and the same order of conflicting
accesses) have the same key, and of those only one is kept. No reduction is involved, so the numbers are exact; the cost
is the number of classes of all prefixes times their length, seconds for a client of six operations in two threads.
"""
import re
import sys
from collections import Counter

MIN, MAX = float("-inf"), float("inf")
WRITES = {"write", "exchange", "add", "cas", "lock", "unlock"}


class Execution:
    """One execution of a client along a schedule."""

    def __init__(self, threads, schedule):
        self.memory, self.holder, self.readers = {}, {}, Counter()
        self.key_of = {"head": MIN, "tail": MAX}
        self.memory["head"] = "tail"
        self.outcome = [[] for _ in threads]
        self.order = {}                             # location: its writes so far
        self.trace = [[] for _ in threads]          # (kind, location, number of writes before)
        self.running = [thread(self, i) for i, thread in enumerate(threads)]
        self.next = [None] * len(threads)
        for i in range(len(threads)):
            self.advance(i, None)
        for i in schedule:
            self.step(i)

    def advance(self, i, value):
        try:
            self.next[i] = self.running[i].send(value)
        except StopIteration:
            self.next[i] = None

    def step(self, i):
        kind, at, *args = self.next[i]
        old = self.memory.get(at, 0)
        result = old
        if kind == "cas":
            result = old == args[0], old
            if result[0]:
                self.memory[at] = args[1]
            else:
                kind = "read"
        elif kind in ("write", "exchange"):
            self.memory[at] = args[0]
        elif kind == "add":
            self.memory[at] = old + args[0]
        if kind in ("write", "exchange", "add", "cas") and self.memory.get(at, 0) == old:
            kind = "read"                           # nobody can tell
        elif kind == "lock":
            self.holder[at] = i
        elif kind == "unlock":
            del self.holder[at]
        elif kind in ("rdlock", "rdunlock"):
            self.readers[at] += 1 if kind == "rdlock" else -1
        writes = self.order.setdefault(at, [])
        self.trace[i].append((kind, at, len(writes)))
        if kind in WRITES:
            writes.append((i, len(self.trace[i])))
        self.advance(i, result)

    def enabled(self):
        def can_run(access):
            kind, at = access[:2]
            if kind == "lock":
                return at not in self.holder and not self.readers[at]
            return kind != "rdlock" or at not in self.holder
        return [i for i, access in enumerate(self.next) if access and can_run(access)]

    def key(self):
        return (tuple(map(tuple, self.trace)),
                tuple(sorted((str(at), tuple(writes)) for at, writes in self.order.items())))


def classes(threads, before=()):
    """One complete execution of each class. `before` is a thread that runs alone at first."""
    threads = ([before] if before else []) + threads
    start = ()
    if before:
        while 0 in Execution(threads, start).enabled():
            start += (0,)
    level, complete = [start], []
    while level:
        following = {}
        for schedule in level:
            execution = Execution(threads, schedule)
            runnable = execution.enabled()
            if not runnable:
                assert not any(execution.next), "deadlock"
                complete.append(execution)
            for i in runnable:
                longer = schedule + (i,)
                following.setdefault(Execution(threads, longer).key(), longer)
        level = list(following.values())
    return complete


# The structures. A node is named by the thread and the operation that made it; its name is the location of its link.

def walk(e, key):
    pred, curr = "head", (yield "read", "head")
    while e.key_of[curr] < key:
        pred, curr = curr, (yield "read", curr)
    return pred, curr


def new_node(e, name, key, following):
    e.key_of[name] = key
    e.memory[name] = following      # nobody else can see it yet
    return name


def coarse_list(faulty):
    def update(is_faulty, change):
        def operation(e, name, key):
            if not is_faulty:
                yield "lock", "list"
            pred, curr = yield from walk(e, key)
            if is_faulty:
                yield "lock", "list"
            result = yield from change(e, name, key, pred, curr)
            yield "unlock", "list"
            return result
        return operation

    def contains(e, name, key):
        yield "rdlock", "list"
        _, curr = yield from walk(e, key)
        yield "rdunlock", "list"
        return e.key_of[curr] == key

    def size(e, name, _):
        if faulty != "size":
            yield "rdlock", "list"
        n, curr = 0, (yield "read", "head")
        if faulty == "size":
            yield "rdlock", "list"
        while curr != "tail":
            n, curr = n + 1, (yield "read", curr)
        yield "rdunlock", "list"
        return n

    return {"a": update(faulty in ("add", "both"), link), "c": contains, "s": size,
            "r": update(faulty in ("remove", "both"), unlink)}


def optimistic_list(faulty):
    def validate(e, pred, curr):
        node = "head"
        while e.key_of[node] <= e.key_of[pred]:
            following = yield "read", node
            if node == pred:
                return following == curr
            node = following
        return False

    def update(is_faulty, change):
        def operation(e, name, key):
            while True:
                pred, curr = yield from walk(e, key)
                if is_faulty:
                    valid = yield from validate(e, pred, curr)
                yield "lock", ("lock", pred)
                yield "lock", ("lock", curr)
                if not is_faulty:
                    valid = yield from validate(e, pred, curr)
                if valid:
                    result = yield from change(e, name, key, pred, curr)
                yield "unlock", ("lock", curr)
                yield "unlock", ("lock", pred)
                if valid:
                    return result
        return operation

    def contains(e, name, key):
        _, curr = yield from walk(e, key)
        return e.key_of[curr] == key

    return {"a": update(faulty in ("add", "both"), link), "c": contains,
            "r": update(faulty in ("remove", "both"), unlink)}


def link(e, name, key, pred, curr):
    if e.key_of[curr] == key:
        return False
    yield "write", pred, new_node(e, name, key, curr)
    return True


def unlink(e, name, key, pred, curr):
    if e.key_of[curr] != key:
        return False
    following = yield "read", curr
    yield "write", pred, following
    return True


def array_stack(faulty):
    def push(e, name, value):
        i = yield "add", "range", 1
        yield "write", i, value
        return "-"

    def pop(e, name, _):
        top = (yield "read", "range") - 1
        for i in range(top, -1, -1):
            if faulty:
                value = yield "read", i
                yield "write", i, 0
            else:
                value = yield "exchange", i, 0
            if value:
                return value
        return "E"

    return {"p": push, "o": pop}


def treiber(n):
    """All classes, and those in which no compare-exchange of a pop fails."""
    def thread(e, i):
        own, retries = i + 1, 0
        top = yield "read", "top"
        while True:
            e.memory["next", own] = top     # only read by who has seen it on top
            done, top = yield "cas", "top", top, own
            if done:
                break
        top = yield "read", "top"
        while top:
            done, top = yield "cas", "top", top, e.memory["next", top]
            if done:
                break
            retries += 1
        e.outcome[i].append(retries)

    complete = classes([thread] * n)
    return len(complete), sum(not any(map(sum, e.outcome)) for e in complete)


def orders(p):
    """All classes. The programs are read from the C source."""
    with open(sys.path[0] + "/orders.c", encoding="utf-8") as source:
        program = re.findall(r"^\t\{ (\"[rw].*) \}", source.read(), re.MULTILINE)[p - 1]

    def thread(accesses):
        def run(e, i):
            for n, (kind, at) in enumerate(re.findall("(.)(.)", accesses)):
                yield ("read", at) if kind == "r" else ("write", at, 100 * i + n + 1)
        return run

    return len(classes([thread(accesses) for accesses in re.findall(r'"(\w+)"', program)]))


def exponential_bug(n):
    """All classes."""
    def set_both(e, i):
        for _ in range(2):
            yield "lock", "lock"
            yield "write", "x", 1
            for _ in range(n):
                yield "write", "y", 1
            yield "unlock", "lock"

    def clear_and_add(e, i):
        for _ in range(2):
            yield "lock", "lock"
            yield "write", "x", 0
            yield "unlock", "lock"
            if (yield "read", "x") > 0:
                yield "write", "y", (yield "read", "y") + 1
                yield "write", "x", 2

    def look(e, i):
        for _ in range(2):
            if (yield "read", "x") > 1:
                if (yield "read", "y") == 3:
                    return
                yield "write", "y", 2

    return len(classes([set_both, clear_and_add, look]))


# Clients: lists of operations (letter, argument), a list a thread.

def parse(text):
    def group(operations):
        return [(o[0], int(o[1:] or 0)) for o in operations.split()]
    before = re.match(r"\s*\[(.*?)\]", text)
    return (group(before[1]) if before else []), [group(g) for g in re.findall(r"\{(.*?)\}", text)]


def program(operations, steps):
    def thread(e, i):
        for n, (letter, argument) in enumerate(steps):
            e.outcome[i].append((yield from operations[letter](e, (i, n), argument)))
    return thread


def show(outcome):
    return ",".join({"True": "T", "False": "F"}.get(str(r), str(r)) for thread in outcome for r in thread)


def sequential(operations, before, threads):
    """The outcomes of all sequential runs."""
    found = set()

    def go(schedule, left):
        if any(left):
            for i in range(len(left)):
                if left[i]:
                    go(schedule + [i], left[:i] + [left[i] - 1] + left[i + 1:])
            return
        e = Execution([], ())
        done = [0] * len(threads)
        outcome = [[] for _ in threads]
        for i in schedule:
            letter, argument = threads[i][done[i]]
            running = operations[letter](e, (i, done[i]), argument)
            done[i] += 1
            e.trace, e.running, e.next = [[]], [running], [None]
            try:
                e.next[0] = next(running)
                while True:
                    result = answer(e)
                    e.next[0] = running.send(result)
            except StopIteration as stop:
                outcome[i].append(stop.value)
        found.add(show(outcome))

    def answer(e):
        kind, at, *args = e.next[0]
        old = e.memory.get(at, 0)
        if kind in ("write", "exchange"):
            e.memory[at] = args[0]
        elif kind == "add":
            e.memory[at] = old + args[0]
        return old

    if before:
        threads = [before] + threads
    go([0] * len(before), [0 if before and not i else len(t) for i, t in enumerate(threads)])
    return found


def count(structure, variant, client):
    """The number of classes, and those with an outcome that no sequential run has."""
    before, threads = parse(client)
    operations = structure(variant)
    allowed = sequential(structure(None), before, threads)
    outcomes = Counter(show(e.outcome) for e in classes(
        [program(operations, steps) for steps in threads], program(operations, before) if before else ()))
    return sum(outcomes.values()), {o: n for o, n in sorted(outcomes.items()) if o not in allowed}


def main(name, *cases):
    if name == "treiber":
        print(*treiber(int(cases[0])))
        return
    if name == "exponential_bug":
        print(exponential_bug(int(cases[0])))
        return
    if name == "orders":
        print(orders(int(cases[0])))
        return
    structure = {"array_stack": array_stack, "coarse_list": coarse_list, "optimistic_list": optimistic_list}[name]
    directory = sys.path[0] + "/../../structures/"
    for block in open(f"{directory}{name}/{name}.expect", encoding="utf-8").read().split("\n\n"):
        case = dict(line.split(" ", 1) for line in block.splitlines() if line and line[0] != "#")
        if "case" not in case or cases and case["case"] not in cases:
            continue
        faulty, bad = count(structure, case["variant"], case["client"])
        correct, none = count(structure, None, case["client"])
        assert not none, "the model of the correct variant is wrong"
        print(case["case"], case["client"], "classes", faulty, correct,
              "outcomes", *(f"{o}:{n}" for o, n in bad.items()), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
