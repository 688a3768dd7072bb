#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""killed.py BUILD [MOMENTS [SEED]]: searches in parts are killed with SIGKILL at random moments, a worker, the command, or both with
all below, go on by --resume, and must come to the same files, findings and report as one that nobody disturbed, which must
be the same for one, two and three processes, and in classes and findings the same as four shards that are merged."""
import filecmp
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

# executions of a part; options; program; its client
SEARCHES = [
    (60, ["--check=none", "--search=dpor"], "oracles/fib-K5", []),
    (25, ["--search=dpor"], "structures/coarse_list-correct", ["{a1 r1 a2}|{a1 c1}|{r1}"]),
    (10, ["--search=dpor"], "structures/array_stack-pop", ["{p1 o}|{p2 o}|{o}"]),
    (10, ["--search=source"], "structures/coarse_list-both", ["{a1 r1}|{a1 c1}|{r1}"]),
    (40, [], "structures/treiber_stack-correct", ["{p1 o}|{p2}|{o}"]),
    (40, ["--search=random", "--max-executions=12000"], "structures/optimistic_list-both", ["{a1 r1}|{a1 c1}|{r1}"]),
]
TIMES = re.compile(r"seconds|per_second|^directory$|^run_directory$")


def timeless(value):
    if isinstance(value, dict):
        return {k: timeless(v) for k, v in value.items() if not TIMES.search(k)}
    return [timeless(v) for v in value] if isinstance(value, list) else value


class Run:
    def __init__(self, build, search, directory):
        self.linchpin = build + "/linchpin"
        self.part, self.options, self.program, self.client = search
        self.program = build + "/" + self.program
        self.directory = directory

    def start(self, jobs, more=(), resume=False):
        command = [self.linchpin, "run", "-q", "--prove=0", "--max-time=0", "--json=" + self.directory + ".json"]
        if resume:
            command += ["-j%d" % jobs] if jobs else []
            command += ["--resume=" + self.directory] + [o for o in self.options if o.startswith("--max-executions")]
        else:
            command += (["-j%d" % jobs] if jobs else []) + self.options + list(more)
            command += ["-o", self.directory, "--", self.program] + self.client
        return subprocess.Popen(command, env=dict(os.environ, LINCHPIN_TEST_PART=str(self.part)),
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)

    def finish(self, process):
        """False: it was killed before there was anything to go on with, and says so."""
        errors = process.communicate()[1].decode()
        if process.returncode not in (0, 1) and "start it again" not in errors and "only a search" not in errors and "not a run directory" not in errors:
            raise AssertionError("%s ended with %d: %s" % (self.directory, process.returncode, errors))
        return process.returncode in (0, 1)

    def report(self):
        with open(self.directory + ".json") as f:
            return timeless(json.load(f))

    def text(self):
        out = subprocess.run([self.linchpin, "report", "--prove=0", self.directory], stdout=subprocess.PIPE).stdout.decode()
        return re.sub(r" in [0-9.]+ s \([0-9]+ a second\)|" + re.escape(self.directory), "", out)

    def files(self):
        return {os.path.relpath(os.path.join(top, name), self.directory)
                for top, _, names in os.walk(self.directory) for name in names}

    def compare(self, other):
        """What differs: files but for times in `status`, the JSON and the text."""
        found = [name for name in sorted(self.files() | other.files()) if os.path.basename(name) != "status" and not (
            name in self.files() & other.files() and
            filecmp.cmp(self.directory + "/" + name, other.directory + "/" + name, shallow=False))]
        return found + ["json"] * (self.report() != other.report()) + ["report"] * (self.text() != other.text())

    def findings(self):
        r = self.report()
        names = sorted(str(v.get("kind")) + str(v.get("history")) for v in r["violations"])
        return r["complete"], r["classes"], r["histories"], r["nonlinearizable"], sorted(r["outcomes"].items()), names


def below(pid):
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid)) as f:
            children = [int(word) for word in f.read().split()]
    except OSError:
        return []
    return children + [pid for child in children for pid in below(child)]


def kill(draw, pid, directory):
    """What was killed; None: it was over before. Behind the search, for the report, no process is begun again."""
    what = draw.choice(["worker", "command", "all"])
    victims = below(pid)
    if what == "worker":
        victims = [draw.choice(victims)] if victims and os.path.exists(directory + "/parts") else []
    elif what == "command":
        victims = [pid]
    else:
        victims = [pid] + victims
    for victim in victims:
        try:
            os.kill(victim, signal.SIGKILL)
        except OSError:
            pass
    return what if victims else None


def undisturbed(build, search, work, number):
    """One run with one process, of which those with more, and four shards, are no different; how long it took with two."""
    runs, seconds = [], 0
    for jobs in (1, 2, 3):
        run = Run(build, search, "%s/%d.j%d" % (work, number, jobs))
        began = time.time()
        run.finish(run.start(jobs))
        seconds = time.time() - began if jobs == 2 else seconds
        runs.append(run)
    problems = ["-j%d: %s" % (i + 1, " ".join(runs[0].compare(runs[i]))) for i in (1, 2) if runs[0].compare(runs[i])]
    shards = []
    for i in (1, 2, 3, 4):
        shard = Run(build, search, "%s/%d.s%d" % (work, number, i))
        shard.finish(shard.start(0, ["--shard=%d/4" % i]))
        shards.append(shard.directory)
    merged = Run(build, search, "%s/%d.merged" % (work, number))
    status = subprocess.run([merged.linchpin, "merge", "-q", "--max-time=0", "--json=" + merged.directory + ".json",
                             "-o", merged.directory] + shards, stdout=subprocess.DEVNULL).returncode
    if status > 1 or merged.findings() != runs[0].findings():
        problems.append("shards: %s, %s" % (merged.findings(), runs[0].findings()))
    return runs[0], seconds, problems


def main():
    build = os.path.abspath(sys.argv[1])
    moments = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(1 << 30)
    draw = random.Random(seed)
    counts, problems, whole = {}, [], {}

    print("seed %d" % seed, flush=True)
    with tempfile.TemporaryDirectory() as work:
        for moment in range(moments):
            number = moment % len(SEARCHES)
            if number not in whole:
                run, seconds, found = undisturbed(build, SEARCHES[number], work, number)
                print("%s: %.1f s, %s" % (SEARCHES[number][2], seconds, run.findings()[:4]), flush=True)
                problems += found
                whole[number] = run, seconds
            run = Run(build, SEARCHES[number], work + "/killed")
            process, kills = run.start(2), []
            for _ in range(draw.choice((1, 1, 2, 3))):
                time.sleep(draw.uniform(0, whole[number][1]))
                kills.append(kill(draw, process.pid, run.directory))
                if process.wait() >= 0:
                    break
                process.stderr.close()
                process = run.start(draw.choice((1, 2, 3)), resume=True)
            if not run.finish(process):
                shutil.rmtree(run.directory, ignore_errors=True)
                run.finish(run.start(2))
                kills.append("from the beginning")
            found = run.compare(whole[number][0])
            if found:
                problems.append("moment %d, %s of %s: %s" % (moment, kills, SEARCHES[number][2], " ".join(found)))
                print(problems[-1], flush=True)
            for what in kills:
                counts[what] = counts.get(what, 0) + 1
            shutil.rmtree(run.directory)
    print("killed: %s" % ", ".join("%s %d" % (k or "nobody", n) for k, n in sorted(counts.items(), key=str)))
    print("\n".join(problems) or "all came to the same")
    return bool(problems)


sys.exit(main())
