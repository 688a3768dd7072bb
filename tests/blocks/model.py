# SPDX-License-Identifier: MIT
"""What can come of a small program with blocks in force: every order of its steps, by definition.

A program is functions of statements, one a line; threads that call some of them one after the other;
variables, mutexes, semaphores; and blocks (function, first, last), lines that count from 0:

    load r v | store v e | cas r v e e | add r v k | lock m | unlock m | try r m | wait s | post s
    jump r relation number line | call f | again | leave | throw

r is one of three registers of a call, e a number or (r, k) for r + k. Jumps back are made at most FUEL
times in a call, unlock does nothing if the thread does not hold the mutex, leave ends the thread. again calls the
function itself, with what is left of its jumps, one of which that is. throw ends all calls but the thread's.

The class of an execution: for each event, the conflicting ones directly before it. A store of the
value that is there reads.
"""

FUEL = 2
RELATIONS = {"==": lambda a, b: a == b, "!=": lambda a, b: a != b, ">": lambda a, b: a > b}
LOCAL = ("jump", "call", "again", "leave", "throw")


class TooMany(Exception):
    pass


class Program:
    def __init__(self, functions, threads, blocks, variables=2, locks=1, sems=1):
        self.functions, self.threads, self.blocks = functions, threads, blocks
        self.variables, self.locks, self.sems = variables, locks, sems


def loops(body):
    """Lines from the target of a jump back to the jump."""
    return [(s[4], i) for i, s in enumerate(body) if s[0] == "jump" and s[4] <= i]


class Frame:
    __slots__ = ("function", "line", "registers", "serial", "fuel", "held")

    def __init__(self, function, line, registers, serial, fuel):
        self.function, self.line, self.registers = function, line, registers
        self.serial, self.fuel = serial, fuel

    def key(self):
        return (self.function, self.line, self.registers, self.serial, self.fuel)

    def copy(self):
        return Frame(*self.key())


class Machine:
    def __init__(self, program):
        self.p = program

    def start(self):
        p = self.p
        threads = tuple(self.settle((0, (), 0, None), t) for t in range(len(p.threads)))
        return ((0,) * p.variables, (-1,) * p.locks, (0,) * p.sems, threads)

    # A thread: calls made, frames, serial of the next frame, place of its latest event.
    def settle(self, thread, t):
        """Up to its next event: everything local."""
        calls, frames, serial, place = thread
        frames = [f.copy() for f in frames]
        while True:
            if not frames:
                if calls == len(self.p.threads[t]):
                    return (calls, (), serial, place)
                frames = [Frame(self.p.threads[t][calls], 0, (0, 0, 0), serial, FUEL)]
                calls += 1
                serial += 1
            f = frames[-1]
            body = self.p.functions[f.function]
            if f.line >= len(body):
                frames.pop()
                if frames:
                    frames[-1].line += 1
                continue
            s = body[f.line]
            if s[0] not in LOCAL:
                break
            if s[0] == "call":
                frames.append(Frame(s[1], 0, f.registers, serial, FUEL))
                serial += 1
            elif s[0] == "again":
                if f.fuel:
                    f.fuel -= 1
                    frames.append(Frame(f.function, 0, f.registers, serial, f.fuel))
                    serial += 1
                else:
                    f.line += 1
            elif s[0] == "leave":
                frames, calls = [], len(self.p.threads[t])
            elif s[0] == "throw":
                frames = []
            elif RELATIONS[s[2]](f.registers[s[1]], s[3]) and (s[4] > f.line or f.fuel):
                f.fuel -= s[4] <= f.line
                f.line = s[4]
            else:
                f.line += 1
        return (calls, tuple(frames), serial, place)

    def done(self, state, t):
        return not state[3][t][1]

    def place(self, state, t):
        return tuple((f.serial, f.function, f.line) for f in state[3][t][1])

    def inside(self, place):
        return any(b[0] == f and b[1] <= line <= b[2] for _, f, line in place for b in self.p.blocks)

    def glued(self, a, b):
        """Is there an instance of a block that control has not left between these places?"""
        if a is None:
            return False
        common = 0
        while common < min(len(a), len(b)) and a[common][0] == b[common][0]:
            common += 1
        for depth in range(common):
            function, x, y = a[depth][1], a[depth][2], b[depth][2]
            for name, first, last in self.p.blocks:
                if name != function or not first <= x <= last or not first <= y <= last:
                    continue
                if depth < common - 1 or self.stays(function, first, last, x, y):
                    return True
        return False

    def stays(self, function, first, last, x, y):
        around = False
        for lo, hi in loops(self.p.functions[function]):
            if first <= lo and hi <= last:
                if lo <= x <= hi and lo <= y <= hi:
                    return True
            elif lo <= last and hi >= first:
                around = True
        return not around or y > x

    def event(self, state, t):
        """(state, accesses) or None if it must wait. An access: (object, "r" or "w")."""
        memory, locks, sems, threads = state
        calls, frames, serial, _ = threads[t]
        f = frames[-1]
        s = self.p.functions[f.function][f.line]
        memory, locks, sems, r = list(memory), list(locks), list(sems), list(f.registers)
        here = self.place(state, t)
        value = lambda e: r[e[0]] + e[1] if isinstance(e, tuple) else e
        kind = s[0]
        if kind == "load":
            r[s[1]] = memory[s[2]]
            access = [("v", s[2], "r")]
        elif kind == "store":
            new = value(s[2])
            access = [("v", s[1], "r" if memory[s[1]] == new else "w")]
            memory[s[1]] = new
        elif kind == "cas":
            v, old, new = s[2], value(s[3]), value(s[4])
            hit = memory[v] == old
            access = [("v", v, "w" if hit and old != new else "r")]
            if hit:
                memory[v] = new
            r[s[1]] = int(hit)
        elif kind == "add":
            r[s[1]] = memory[s[2]]
            memory[s[2]] += s[3]
            access = [("v", s[2], "w")]
        elif kind == "lock":
            if locks[s[1]] >= 0:
                return None
            locks[s[1]] = t
            access = [("l", s[1], "w")]
        elif kind == "try":
            r[s[1]] = int(locks[s[2]] < 0)
            access = [("l", s[2], "w" if r[s[1]] else "r")]
            if r[s[1]]:
                locks[s[2]] = t
        elif kind == "unlock":
            access = [("l", s[1], "w")] if locks[s[1]] == t else []
            if access:
                locks[s[1]] = -1
        elif kind == "wait":
            if not sems[s[1]]:
                return None
            sems[s[1]] -= 1
            access = [("s", s[1], "w")]
        else:
            sems[s[1]] += 1
            access = [("s", s[1], "w")]
        frames = list(frames[:-1]) + [Frame(f.function, f.line + 1, tuple(r), f.serial, f.fuel)]
        place = here if access else threads[t][3]
        thread = self.settle((calls, tuple(frames), serial, place), t)
        thread = self.skip(thread, t, locks)
        return ((tuple(memory), tuple(locks), tuple(sems),
                 threads[:t] + (thread,) + threads[t + 1:]), access)

    def skip(self, thread, t, locks):
        """Past unlocks that do nothing: what a thread holds only it can change."""
        while thread[1]:
            f = thread[1][-1]
            s = self.p.functions[f.function][f.line]
            if s[0] != "unlock" or locks[s[1]] == t:
                break
            frames = thread[1][:-1] + (Frame(f.function, f.line + 1, f.registers, f.serial, f.fuel),)
            thread = self.settle((thread[0], frames) + thread[2:], t)
        return thread

    def begin(self):
        memory, locks, sems, threads = self.start()
        return (memory, locks, sems,
                tuple(self.skip(th, t, locks) for t, th in enumerate(threads)))

    def step(self, state, t):
        """All of a step: (state, [access]) or None if it must wait inside or before it."""
        events = []
        while True:
            r = self.event(state, t)
            if r is None:
                return None
            state = r[0]
            events.append(r[1])
            if self.done(state, t) or not self.glued(state[3][t][3], self.place(state, t)):
                return state, events

    def hash_of(self, state):
        return state[:3] + tuple((th[0], tuple(f.key() for f in th[1]), th[2], th[3])
                                 for th in state[3])


class Class:
    """Of an execution so far."""

    def __init__(self, threads):
        self.events, self.last = ((),) * threads, {}

    def add(self, t, accesses, step):
        new = Class.__new__(Class)
        new.last = dict(self.last)
        me = (t, len(self.events[t]))
        before = []
        for kind, number, how in accesses:
            written, readers = new.last.get((kind, number), (None, frozenset()))
            if how == "w":
                before.append((kind, number, how, written, readers))
                new.last[kind, number] = (me, frozenset())
            else:
                before.append((kind, number, how, written, frozenset()))
                new.last[kind, number] = (written, readers | {me})
        new.events = (self.events[:t] + (self.events[t] + ((tuple(before), step),),) +
                      self.events[t + 1:])
        return new

    def key(self):
        return tuple(tuple(e[0] for e in th) for th in self.events)

    def serial(self):
        """Can its steps be executed one after the other?"""
        edges, nodes = {}, set()
        for t, th in enumerate(self.events):
            previous = None
            for before, step in th:
                node = (t, step)
                nodes.add(node)
                sources = set() if previous is None else {previous}
                for _, _, _, written, readers in before:
                    for u, i in (() if written is None else (written,)) + tuple(readers):
                        sources.add((u, self.events[u][i][1]))
                sources.discard(node)
                for x in sources:
                    edges.setdefault(x, set()).add(node)
                previous = node
        waiting = {n: sum(n in e for e in edges.values()) for n in nodes}
        free = [n for n in nodes if not waiting[n]]
        left = len(nodes)
        while free:
            left -= 1
            for n in edges.get(free.pop(), ()):
                waiting[n] -= 1
                if not waiting[n]:
                    free.append(n)
        return not left


def explore(machine, atomic, most=20000):
    """The classes of ends: key -> (Class, complete). atomic: blocks are in force."""
    p = machine.p
    n = len(p.threads)
    state = machine.begin()
    level = {(Class(n).key(), machine.hash_of(state)): (Class(n), state, (0,) * n)}
    ends, count = {}, 0
    while level:
        following = {}
        for done, state, steps in level.values():
            moved = False
            for t in range(n):
                if machine.done(state, t):
                    continue
                before = state[3][t][3]
                if atomic:
                    r = machine.step(state, t)
                else:
                    r = machine.event(state, t)
                    r = r and (r[0], [r[1]])
                if not r:
                    continue
                moved = True
                number = steps[t] + (not machine.glued(before, machine.place(state, t)))
                new = done
                for accesses in r[1]:
                    new = new.add(t, accesses, number)
                key = (new.key(), machine.hash_of(r[0]))
                if key not in following:
                    count += 1
                    if count > most:
                        raise TooMany
                    following[key] = (new, r[0], steps[:t] + (number,) + steps[t + 1:])
            if not moved:
                ends[done.key()] = (done, all(machine.done(state, t) for t in range(n)))
        level = following
    return ends
