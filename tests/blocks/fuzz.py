#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fuzz.py LINCHPIN DIRECTORY PROFILE FIRST COUNT: random programs with random blocks in force.

Each program is compiled and explored by linchpin, and enumerated by the model. Compared are the numbers
of classes that complete and of those that are stuck, without blocks and with atomic ones, by dpor and by
depth-first search; that no class comes twice; that with atomic blocks those classes complete
which complete without and can be executed one step after the other; and that with a lock around the
blocks dpor and depth-first search agree.
"""
import json
import os
import subprocess
import sys

import generate
from model import Machine, TooMany, explore

BATCH = 10
MOST = 3000


def outcomes(linchpin, directory, number, blocks, *options):
    """ok, stuck, complete?"""
    name = os.path.join(directory, "result.json")
    command = [linchpin, "run", "-q", "--check=none", "--max-time=0", "--json=" + name,
               "--max-executions=%d" % (10 * MOST), "-o", os.path.join(directory, "run")]
    command += ["--block=program.c:" + b for b in blocks] + list(options)
    r = subprocess.run(command + [os.path.join(directory, "program"), str(number)],
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if b"vacuous test" in r.stderr:
        return 1, 0, True
    if r.returncode not in (0, 1):
        return "status %d: %s" % (r.returncode, r.stderr.decode())
    with open(name) as f:
        result = json.load(f)
    ends = {k: v for k, v in result["outcomes"].items() if v}
    ok, stuck = ends.pop("ok", 0), ends.pop("deadlock", 0)
    if ends:
        return "ends %s" % ends
    return ok, stuck, result["complete"]


def count(ends):
    ok = sum(complete for _, complete in ends.values())
    return ok, len(ends) - ok


def compare(linchpin, directory, number, p, blocks):
    """None if the model has too many states; else what differs."""
    machine = Machine(p)
    try:
        free, atomic = explore(machine, False, MOST), explore(machine, True, MOST)
    except TooMany:
        return None
    wrong = []
    filtered = {k for k, (c, complete) in free.items() if complete and c.serial()}
    if filtered != {k for k, (c, complete) in atomic.items() if complete}:
        wrong.append("model: the filter and the enumeration differ")
    run = lambda with_blocks, *options: outcomes(linchpin, directory, number,
                                                 blocks if with_blocks else [], *options)
    for what, got, want in (
            ("free dpor", run(False), count(free)),
            ("atomic dpor", run(True), count(atomic)),
            ("atomic dfs", run(True, "--search=dfs"), count(atomic))):
        if isinstance(got, str) or got[2] and got[:2] != want or what.endswith("dpor") and not got[2]:
            wrong.append("%s: %s instead of %s" % (what, got, want))
    lock, dfs = run(True, "--enforce=lock"), run(True, "--enforce=lock", "--search=dfs")
    if isinstance(lock, str) or isinstance(dfs, str) or lock[2] and dfs[2] and lock != dfs:
        wrong.append("lock: dpor %s, dfs %s" % (lock, dfs))
    return wrong


def main(linchpin, directory, profile, first, many):
    os.makedirs(directory, exist_ok=True)
    tally = dict(programs=0, too_big=0, differ=0)
    for start in range(first, first + many, BATCH):
        seeds = range(start, min(start + BATCH, first + many))
        programs = [generate.program(seed, profile) for seed in seeds]
        text, blocks = generate.c_source(programs)
        source = os.path.join(directory, "program.c")
        with open(source, "w") as f:
            f.write(text)
        subprocess.run(["gcc", "-g", "-O0", "-w", source, "-o", os.path.join(directory, "program"), "-pthread"],
                       check=True)
        for i, seed in enumerate(seeds):
            wrong = compare(linchpin, directory, i, programs[i], blocks[i])
            if wrong is None:
                tally["too_big"] += 1
                continue
            tally["programs"] += 1
            if wrong:
                tally["differ"] += 1
                print("%s %d: %s" % (profile, seed, "; ".join(wrong)))
                for f, body in sorted(programs[i].functions.items()):
                    print("  %s: %s" % (f, "; ".join("%d:%s" % (k, " ".join(map(str, s)))
                                                     for k, s in enumerate(body))))
                print("  threads %s, blocks %s" % (programs[i].threads, programs[i].blocks))
    print("%s: %d programs compared, %d too big, %d differ" % (
        profile, tally["programs"], tally["too_big"], tally["differ"]))
    return tally["differ"] or not tally["programs"]


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))))
