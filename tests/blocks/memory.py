#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""memory.py LINCHPIN DIRECTORY FIRST COUNT: random programs that free memory which others use, and take
read-write locks of both kinds, with random atomic blocks in force. Frees are not in the model, so dynamic
partial order reduction is compared with depth-first search: classes and ends. Prints what differs, and
"N compared, N differ" at the end.
"""
import json
import os
import random
import subprocess
import sys

MOST = 30000
HEAD = """#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static int *_Atomic shared;
static atomic_int count;
static pthread_rwlock_t lock;
"""
OPERATIONS = [
    "p = atomic_load(&shared); if (p) x = *p;",
    "p = atomic_exchange(&shared, 0); free(p);",
    "p = atomic_load(&shared); free(p);",
    "p = malloc(40); *p = 1; atomic_store(&shared, p);",
    "atomic_fetch_add(&count, 1);",
    "x = atomic_load(&count);",
    "pthread_rwlock_wrlock(&lock);",
    "pthread_rwlock_rdlock(&lock);",
]
UNLOCK = "pthread_rwlock_unlock(&lock);"


def body(draw):
    lines, held = [], False
    for _ in range(draw.randint(2, 3)):
        line = draw.choice(OPERATIONS)
        if "lock(" in line:
            line = UNLOCK if held else line
            held = not held
        lines.append(line)
    return lines + [UNLOCK] * held


def program(seed):
    """The text, and its blocks."""
    draw = random.Random(seed)
    text, blocks, threads = HEAD, [], draw.choice([2, 2, 3])
    for t in range(threads):
        lines = body(draw)
        text += "__attribute__((noinline)) static void *t%d(void *a)\n{\n\tint *p; volatile int x;\n" % t
        first = text.count("\n") + 1
        text += "".join("\t%s\n" % line for line in lines) + "\treturn a;\n}\n"
        if draw.random() < .8:
            a = draw.randint(0, len(lines) - 2)
            b = draw.randint(a + 1, len(lines) - 1)
            blocks.append("t%d:%d-%d" % (t, first + a, first + b))
    kind = draw.choice(["PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP", "PTHREAD_RWLOCK_PREFER_READER_NP"])
    text += "int main(void)\n{\n\tpthread_t h[3];\n\tpthread_rwlockattr_t a;\n"
    text += "\tpthread_rwlockattr_init(&a);\n\tpthread_rwlockattr_setkind_np(&a, %s);\n" % kind
    text += "\tpthread_rwlock_init(&lock, &a);\n"
    if draw.random() < .7:
        text += "\tint *p = malloc(40);\n\t*p = 2;\n\tatomic_store(&shared, p);\n"
    text += "".join("\tpthread_create(&h[%d], 0, t%d, 0);\n" % (t, t) for t in range(threads))
    text += "".join("\tpthread_join(h[%d], 0);\n" % t for t in range(threads))
    return text + "\treturn 0;\n}\n", blocks


def found(linchpin, directory, search, seed, blocks):
    """Complete?, classes, ends."""
    name = os.path.join(directory, "result.json")
    command = [linchpin, "run", "-q", "--search=" + search, "--check=none", "--max-time=0", "--prove=0",
               "--max-executions=%d" % MOST, "--malloc=" + ["reuse", "thread"][seed % 2],
               "--enforce=atomic", "--json=" + name, "-o", os.path.join(directory, "run")]
    command += ["--block=program.c:" + b for b in blocks] + [os.path.join(directory, "program")]
    r = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if b"vacuous test" in r.stderr:
        return True, 1, {}
    if r.returncode not in (0, 1):
        return False, r.returncode, r.stderr.decode()
    with open(name) as f:
        result = json.load(f)
    return result["complete"], result["classes"], {k: v for k, v in result["outcomes"].items() if v}


def main():
    linchpin, directory, first, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    compared = differ = 0
    os.makedirs(directory, exist_ok=True)
    for seed in range(first, first + count):
        text, blocks = program(seed)
        if not blocks:
            continue
        source = os.path.join(directory, "program.c")
        with open(source, "w") as f:
            f.write(text)
        subprocess.run(["gcc", "-g", "-O0", "-w", "-pthread", source, "-o", source[:-2]], check=True)
        dfs, dpor = (found(linchpin, directory, s, seed, blocks) for s in ("dfs", "dpor"))
        if not dfs[0] and isinstance(dfs[2], dict):
            continue    # too many for depth-first search
        compared += 1
        if dfs != dpor or not dfs[0]:
            differ += 1
            print("seed %d, blocks %s:\n  dfs %s\n  dpor %s" % (seed, " ".join(blocks), dfs, dpor))
    print("%d compared, %d differ" % (compared, differ))
    return differ != 0 or not compared


if __name__ == "__main__":
    sys.exit(main())
