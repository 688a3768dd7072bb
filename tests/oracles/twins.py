#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""twins.py THREADS STEPS: how many classes of executions there are of like threads that read a number and write it back,
increased by one, in turn; and of how many of them the first steps can come in the order of the threads' making. All
orders are tried. A write that leaves the number as it was is a read to others."""
import sys


def orders(left):
    if not any(left):
        yield ()
    for t, n in enumerate(left):
        if n:
            for rest in orders(left[:t] + (n - 1,) + left[t + 1:]):
                yield (t,) + rest


def trace(order):
    x, read, number, events = 0, {}, {}, []
    for t in order:
        n = number[t] = number.get(t, -1) + 1
        if n % 2:
            events.append((t, n, x != read[t] + 1))
            x = read[t] + 1
        else:
            read[t] = x
            events.append((t, n, False))
    return frozenset((a[:2], b[:2]) for i, a in enumerate(events) for b in events[i + 1:] if a[0] == b[0] or a[2] or b[2])


threads, steps = map(int, sys.argv[1:])
every, alike = set(), set()
for order in orders((steps,) * threads):
    every.add(trace(order))
    if sorted(set(order), key=order.index) == list(range(threads)):
        alike.add(trace(order))
print(len(every), len(alike))
