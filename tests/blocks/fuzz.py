#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fuzz.py LINCHPIN DIRECTORY BUILD PROFILE FIRST COUNT: random programs with random blocks in force.
BUILD: O0, O2 (functions are inlined), hooks (with compiler hooks).

Each program is compiled and explored by linchpin, and enumerated by the model. Compared are the numbers
of classes that complete and of those that are stuck, without blocks and with atomic ones, by dpor and by
depth-first search; that no class comes twice; that random searches find no others; that with atomic blocks those classes complete
which complete without and can be executed one step after the other, also in the opinion of linchpin
verify; and that with a lock around the blocks dpor and depth-first search agree.
"""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
import generate  # noqa: E402
from model import Machine, TooMany, explore  # noqa: E402

BATCH = 10
MOST = 3000


def outcomes(linchpin, directory, number, blocks, *options):
    """ok, stuck, complete?"""
    name = os.path.join(directory, "result.json")
    command = [linchpin, "run", "-q", "--check=none", "--max-time=0", "--equivalence=mazurkiewicz", "--json=" + name,
               "-o", os.path.join(directory, "run")]
    command += ["--max-executions=%d" % (10 * MOST)] + list(options)
    command += ["--block=program.c:" + b for b in blocks]
    r = subprocess.run(command + [os.path.join(directory, "program"), str(number)],
                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if b"vacuous test" in r.stderr:
        return 1, 0, True
    if r.returncode not in (0, 1):
        if b"have no code" in r.stderr or b"has no code" in r.stderr:
            raise TooMany       # the compiler has removed it
        return "status %d: %s" % (r.returncode, r.stderr.decode())
    with open(name) as f:
        result = json.load(f)
    ends = {k: v for k, v in result["outcomes"].items() if v}
    ok, stuck = ends.pop("ok", 0), ends.pop("deadlock", 0)
    if ends:
        return "ends %s" % ends
    return ok, stuck, result["complete"]


def prediction(linchpin, directory, blocks):
    """What linchpin verify has to say against the run in the directory."""
    command = [linchpin, "verify", "--enforce=atomic"] + ["--block=program.c:" + b for b in blocks]
    r = subprocess.run(command + [os.path.join(directory, "run")], stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT)
    text = r.stdout.decode()
    known = "vacuous test" in text or "no event of" in text    # there is nothing to predict
    return text if "internal error" in text or r.returncode not in (0, 1) and not known else None


def count(ends):
    ok = sum(complete for _, complete in ends.values())
    return ok, len(ends) - ok


def compare(linchpin, directory, number, p, blocks):
    """What differs."""
    machine = Machine(p)
    free, atomic = explore(machine, False, MOST), explore(machine, True, MOST)
    wrong = []
    filtered = {k for k, (c, complete) in free.items() if complete and c.serial()}
    if filtered != {k for k, (c, complete) in atomic.items() if complete}:
        wrong.append("model: the filter and the enumeration differ")
    run = lambda with_blocks, *options: outcomes(linchpin, directory, number,
                                                 blocks if with_blocks else [], *options)
    without = run(False)
    wrong += [w for w in [prediction(linchpin, directory, blocks)] if w]
    for what, got, want in (
            ("free dpor", without, count(free)),
            ("atomic dpor", run(True), count(atomic)),
            ("atomic dfs", run(True, "--search=dfs"), count(atomic))):
        if isinstance(got, str) or got[2] and got[:2] != want or what.endswith("dpor") and not got[2]:
            wrong.append("%s: %s instead of %s" % (what, got, want))
    some = run(True, "--search=random", "--max-executions=200")
    if isinstance(some, str) or any(a > b for a, b in zip(some[:2], count(atomic))):
        wrong.append("atomic random: %s instead of at most %s" % (some, count(atomic)))
    lock, dfs = run(True, "--enforce=lock"), run(True, "--enforce=lock", "--search=dfs")
    if isinstance(lock, str) or isinstance(dfs, str) or lock[2] and dfs[2] and lock != dfs:
        wrong.append("lock: dpor %s, dfs %s" % (lock, dfs))
    return wrong


def build(linchpin, directory, how, profile):
    cc = ["g++", "-x", "c++"] if generate.PROFILES.get(profile, {}).get("cxx") else ["gcc"]
    program = os.path.join(directory, "program")
    words = lambda what: subprocess.check_output([linchpin, what], text=True).split()
    if how == "hooks":
        subprocess.run(cc + ["-O1", "-w"] + words("cflags") + ["-c", program + ".c", "-o", program + ".o"],
                       check=True)
        subprocess.run([cc[0], program + ".o", "-o", program] + words("libs") + ["-pthread"], check=True)
    else:
        # Functions that are folded because they are identical keep the lines of one of them only.
        subprocess.run(cc + ["-g", "-" + how, "-fno-ipa-icf", "-w", program + ".c", "-o", program,
                        "-pthread"], check=True)


def main(linchpin, directory, how, profile, first, many):
    os.makedirs(directory, exist_ok=True)
    tally = dict(programs=0, left_out=0, differ=0)
    for start in range(first, first + many, BATCH):
        seeds = range(start, min(start + BATCH, first + many))
        programs = [generate.program(seed, profile) for seed in seeds]
        text, blocks = generate.c_source(programs)
        with open(os.path.join(directory, "program.c"), "w") as f:
            f.write(text)
        build(linchpin, directory, how, profile)
        for i, seed in enumerate(seeds):
            try:
                wrong = compare(linchpin, directory, i, programs[i], blocks[i])
            except TooMany:
                tally["left_out"] += 1
                continue
            tally["programs"] += 1
            if wrong:
                tally["differ"] += 1
                print("%s %s %d: %s" % (profile, how, seed, "; ".join(wrong)))
                for f, body in sorted(programs[i].functions.items()):
                    print("  %s: %s" % (f, "; ".join("%d:%s" % (k, " ".join(map(str, s)))
                                                     for k, s in enumerate(body))))
                print("  threads %s, blocks %s" % (programs[i].threads, programs[i].blocks))
    print("%s %s: %d programs compared, %d left out, %d differ" % (
        profile, how, tally["programs"], tally["left_out"], tally["differ"]), flush=True)
    return tally["differ"] or not tally["programs"]


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5]),
                       int(sys.argv[6]))))
