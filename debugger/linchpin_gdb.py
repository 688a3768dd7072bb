# SPDX-License-Identifier: MIT
"""gdb on a recorded schedule: the commands `lp ...` (docs/debugging.md).

`linchpin replay --gdb` starts gdb with this file, and says in the file SESSION/session what was recorded. The runtime
calls linchpin_stop() before the event whose number we have written to its memory; runtime/debug.h is the other side.
"""
import contextlib
import json
import os
import re
import shlex
import sys

import gdb

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import linchpin_mi
import linchpin_steps
from linchpin_copies import Copies, CopyUnwinder, Shadows, of_runtime
from linchpin_runtime import Runtime, memory, quietly

FINISHED = 3  # enum fiber_state
CRASHES = "SIGSEGV SIGBUS SIGFPE SIGILL SIGABRT"


class StopPoint(gdb.Breakpoint):
    """Where the runtime stops for us."""

    def __init__(self, function):
        super().__init__(function, internal=True)
        self.silent = True


class Session:
    def __init__(self, path):
        with open(path, encoding="utf-8", errors="replace") as f:
            self.recorded = json.load(f)
        self.events = self.recorded["events"]
        self.threads = self.recorded["threads"]
        self.runtime = None
        self.copies = Copies()
        self.shadows = Shadows(self.copies)
        self.waiting = None  # breakpoints, while the program begins
        self.quiet = False  # a command of ours will say where the program has stopped
        self.met = None  # the number of the user's breakpoint that has stopped it
        self.running = None  # gdb's thread that has stopped, which runs on; the user may select another
        CopyUnwinder(self.copies)
        ProgramFrames(self)
        gdb.events.stop.connect(self.stopped)

    # Starting the program.

    def prepare(self):
        """Tells gdb what to run, and how."""
        for setting in ("confirm off", "breakpoint pending on", "pagination off", "startup-with-shell on",
                        "print thread-events off", "print inferior-events off", "cwd " + self.recorded["cwd"]):
            quietly("set " + setting)
        preload = os.environ.get("LINCHPIN_PRELOAD", "")
        quietly("set exec-wrapper env -u LINCHPIN_PRELOAD -u LINCHPIN_SESSION -u LINES -u COLUMNS LD_PRELOAD="
                + shlex.quote(preload))
        quietly("file " + shlex.quote(self.recorded["program"]))
        args = " ".join(shlex.quote(a) for a in self.recorded["args"])
        if self.recorded["input"]:
            args += " < " + shlex.quote(self.recorded["input"])
        quietly("set args " + args)
        # The watchdog's, and the instruction that leads to a copy where there is no room for a jump. One of the
        # program's own ends the execution, which is a stop.
        quietly("handle SIG61 SIGILL nostop noprint pass")
        quietly("python StopPoint('linchpin_stop'), StopPoint('linchpin_end')")  # quietly: the function is not there yet

    def start(self):
        """Runs the program up to its first execution."""
        self.quiet = True
        try:
            quietly("run")
        finally:
            self.quiet = False
        if not self.alive() or not self.at_stop():
            raise gdb.GdbError("the program did not come to its first execution")
        self.started()

    def before_run(self):
        """Breakpoints are put in place later: until its first execution the runtime reads and changes the program's
        code."""
        self.shadows.end()
        self.copies.forget()
        quietly("set follow-fork-mode parent")
        self.waiting = self.disable_breakpoints()

    def started(self):
        """The first execution is about to begin."""
        self.runtime = Runtime()
        if os.environ.get("LINCHPIN_ISOLATE") == "fork":  # each execution is a child of its own
            quietly("set follow-fork-mode child")
        self.shadows.begin()
        self.name_threads()
        users, self.waiting = self.waiting, None
        self.restore(users or ())

    @staticmethod
    def name_threads():
        """With --threads, those of the program say their names (runtime/carriers.c); the main thread and the one
        that watches it have the program's."""
        if os.environ.get("LINCHPIN_TLS") != "threads":
            return
        for t in gdb.selected_inferior().threads():
            if t.num == 1:
                t.name = "T0"
            elif t.name != "no thread":
                t.name = "linchpin"

    def begin(self):
        if self.alive():
            quietly("kill")
        self.start()
        self.go_to(self.recorded["first"])

    def stopped(self, event):
        """Whatever has stopped the program: the frame of interest is that of the original."""
        self.met = None
        self.running = gdb.selected_thread()
        if self.quiet or not self.alive():
            return
        frame = gdb.newest_frame()
        if frame.name() == "linchpin_stop":
            if self.waiting is not None:
                self.started()
                gdb.write("The program is about to begin: `continue` or `lp goto N`.\n")
            return
        if self.at_end():
            gdb.write(self.recorded["end"])
        pc = frame.pc()
        hit, self.shadows.hit = self.shadows.hit, None
        self.shadows.met = None
        if self.hidden(frame):
            if not self.select_program_frame():
                return
            said = quietly("frame")
            if hit is not None:
                self.met = hit.number
                said = f"\nBreakpoint {hit.number}, " + re.sub(r"^#\d+ +(0x[0-9a-f]+ in )?", "", said)
                self.shadows.served(hit)
            gdb.write(said)
        elif self.copies.copy_of(pc) is not None:
            self.shadows.met = (pc, int(frame.read_register("rsp")))

    def reason(self):
        """Why the program has stopped, for front ends."""
        if self.at_end():
            return f'reason="signal-received",signal-name="end",signal-meaning={linchpin_mi.quoted(self.recorded["end"].strip())}'
        if self.met is not None:
            return f'reason="breakpoint-hit",disp="keep",bkptno="{self.met}"'
        return 'reason="end-stepping-range"'

    def disable_breakpoints(self):
        users = [b for b in (gdb.breakpoints() or ()) if b.enabled and b.is_valid() and b.number > 0]
        for b in users:
            b.enabled = False
        return users

    def restore(self, users):
        for b in users:
            if b.is_valid():
                b.enabled = True

    @staticmethod
    def alive():
        return gdb.selected_inferior().pid != 0

    def at_stop(self):
        """Did the runtime stop for us, an event being about to happen?"""
        return self.alive() and gdb.newest_frame().name() == "linchpin_stop"

    def at_end(self):
        return self.alive() and gdb.newest_frame().name() == "linchpin_end"

    # Events. They have the numbers that `linchpin trace` prints.

    def position(self):
        """The number of the latest event that was begun; 0 before the first."""
        if not self.alive() or not self.runtime or not self.runtime.get("running", 1):
            return 0
        return self.runtime.get("n")

    def select_running(self):
        """Selects the thread that runs on, in place of what the user looks at."""
        if self.alive() and self.running and self.running.is_valid() and gdb.selected_thread() != self.running:
            self.running.switch()

    def thread_of(self, number):
        """With --threads: gdb's thread in which this one of the program runs."""
        name = "T" + self.threads[number]
        return next((t for t in gdb.selected_inferior().threads() if t.name == name), None)

    def run_to(self, number):
        self.runtime.set("at", number)
        try:
            return quietly("continue")
        finally:
            if self.alive():
                self.runtime.set("at", 0)

    def reached(self, number):
        return self.at_stop() and self.position() == number

    def back_to(self, number):
        """To an event before: the execution is begun again, in this process if it still runs."""
        users = self.disable_breakpoints()
        handling = quietly("info signals")
        try:
            if self.alive():
                for name in CRASHES.split():
                    quietly(f"handle {name} nostop noprint pass")
                self.runtime.set("need_again", 1, 1)
                self.run_to(number)
                if self.at_end():  # it comes before the beginning
                    self.run_to(number)
            if not self.reached(number):
                if self.alive():
                    quietly("kill")
                self.start()
                self.run_to(number)
        finally:
            for line in handling.splitlines():
                word = line.split()
                if word and word[0] in CRASHES.split():
                    handle = zip(("stop", "print", "pass"), word[1:4])
                    quietly(f"handle {word[0]} " + " ".join(("no" if v == "No" else "") + k for k, v in handle))
            self.restore(users)

    def go_to(self, number):
        if not 1 <= number <= len(self.events):
            raise gdb.GdbError(f"the events are 1 to {len(self.events)}")
        if not self.alive():
            self.start()
        here = self.position()
        if number > here or (number == here and self.at_stop()):
            if number > here:
                users = self.disable_breakpoints()
                self.run_to(number)
                self.restore(users)
        else:
            self.back_to(number)
        if not self.reached(number):
            raise gdb.GdbError(f"event {number} was not reached: the execution has gone another way")
        self.show()

    def next(self):
        """To the next event, or a breakpoint before it."""
        here = self.position() if self.alive() else len(self.events)
        if here >= len(self.events):
            raise gdb.GdbError("that was the last event; `continue` goes on to the end, `lp goto 1` to the beginning")
        said = self.run_to(here + 1)
        if self.reached(here + 1):
            self.show()
        else:
            gdb.write(said)

    def previous(self):
        if not self.alive():
            number = len(self.events)
        else:
            number = self.position() - (1 if self.at_stop() else 0)
        if number < 1:
            raise gdb.GdbError("there is no event before")
        self.go_to(number)

    # What is shown.

    def hidden(self, frame):
        """Is this a frame of the runtime, or a copy, whose original is the next frame?"""
        return of_runtime(frame.pc()) or self.copies.holds(frame.pc())

    def select_program_frame(self):
        """The innermost frame that has a line in the program, or else that is not hidden. False if there is none."""
        first = frame = gdb.newest_frame()
        while first is not None and self.hidden(first):
            first = frame = first.older()
        while frame is not None and (self.hidden(frame) or not has_line(frame)):
            frame = frame.older()
        if first is not None:
            (frame or first).select()
        return first is not None

    def show(self):
        """Selects the program's frame, and prints the event and the line."""
        number = self.position()
        gdb.write(self.line(number, True))
        if self.select_program_frame():
            gdb.execute("frame")

    def line(self, number, here):
        e = self.events[number - 1]
        where = e["place"] + (" " + e["function"] if "function" in e else "")
        thread = "T" + self.threads[e["thread"]]
        return f"{'=> ' if here else '   '}{number:4}  {thread:8} {e['what']:40} {where}\n"

    def where(self, around):
        number = max(self.position(), 1) if self.alive() else len(self.events) + 1
        for i in range(max(1, number - around), min(len(self.events), number + around) + 1):
            gdb.write(self.line(i, i == number))
        if number + around >= len(self.events):
            gdb.write(self.recorded["end"])
        if self.alive() and not self.at_stop():
            gdb.write(f"   (after event {number} was begun, at {place_of(gdb.selected_frame())})\n")

    def next_of(self, thread, position):
        for i in range(position, len(self.events)):
            if self.events[i]["thread"] == thread:
                return f"next: event {i + 1}, {self.events[i]['what']}, {self.events[i]['place']}"
        for w in self.recorded["waiters"]:
            if w["thread"] == thread:
                return f"waits: {w['what']}"
        return "has no further event"

    def need_execution(self):
        if not self.alive() or not self.runtime or not self.runtime.get("running", 1):
            raise gdb.GdbError("no execution is under way; `lp goto 1` begins it again")

    def list_threads(self):
        self.need_execution()
        position, current = self.position(), self.runtime.current()
        for i in range(self.runtime.get("nfibers")):
            state = self.runtime.of_fiber(i, "state", 1)
            if i == current and self.at_stop():
                what = f"at event {position}, {self.events[position - 1]['what']}"
            elif i == current and not self.at_end():
                what = f"runs, at {place_of(gdb.selected_frame())}"
            elif state == FINISHED:
                what = "has ended"
            else:
                what = self.next_of(i, position)
            name = self.threads[i] if i < len(self.threads) else str(i)
            gdb.write(f"{'*' if i == current else ' '} T{name:8} {what}\n")

    def in_thread(self, name, command):
        """A command of gdb as if another thread of the program were the one that runs."""
        self.need_execution()
        names = {"T" + n: i for i, n in enumerate(self.threads)}
        names.update({n: i for i, n in enumerate(self.threads)})
        if name not in names or names[name] >= self.runtime.get("nfibers"):
            raise gdb.GdbError(f"there is no thread {name} now; see `lp threads`")
        number = names[name]
        if number == self.runtime.current():
            gdb.execute(command)
            return
        if self.runtime.of_fiber(number, "state", 1) == FINISHED:
            raise gdb.GdbError(f"T{name.lstrip('T')} has ended")
        thread = self.thread_of(number)
        if thread is not None:
            with selection_kept():
                thread.switch()
                self.select_program_frame()
                gdb.execute(command)
            return
        # What switch_stack() in runtime/switch.S has left on its stack.
        sp = self.runtime.of_fiber(number, "sp", 8) + 8
        names = ("r15", "r14", "r13", "r12", "rbx", "rbp", "rip")
        registers = {r: memory(sp + 8 * i, 8) for i, r in enumerate(names)}
        registers["rsp"] = sp + 8 * len(names)
        with selection_kept():
            gdb.newest_frame().select()
            kept = {r: int(gdb.parse_and_eval(f"(unsigned long)${r}")) for r in registers}
            try:
                set_registers(registers)
                self.select_program_frame()
                gdb.execute(command)
            finally:
                gdb.newest_frame().select()
                set_registers(kept)


@contextlib.contextmanager
def selection_kept():
    """Afterwards the same thread and frame are selected."""
    thread, frame = gdb.selected_thread(), gdb.selected_frame()
    level = frame.level() if hasattr(frame, "level") else 0
    try:
        yield
    finally:
        if gdb.selected_thread() != thread:
            thread.switch()
        if level:
            quietly(f"frame {level}")


def set_registers(values):
    for name, value in values.items():
        quietly(f"set ${name} = {value}")


def has_line(frame):
    """One that is not in linchpin.h, which is not what one looks for."""
    symtab = frame.find_sal().symtab
    return symtab is not None and os.path.basename(symtab.filename) != "linchpin.h"


def place_of(frame):
    sal = frame.find_sal()
    if sal.symtab:
        return f"{os.path.basename(sal.symtab.filename)}:{sal.line}"
    return gdb.solib_name(frame.pc()) or hex(frame.pc())


class ProgramFrames:
    """`bt` shows the program's frames only."""

    def __init__(self, session):
        self.name = "linchpin"
        self.priority = 100
        self.enabled = True
        self.session = session
        gdb.frame_filters[self.name] = self

    def filter(self, frames):
        return (f for f in frames if not self.session.hidden(f.inferior_frame()))


class Lp(gdb.Command):
    """Walk along a recorded schedule: lp next, prev, goto, where, threads, thread."""

    def __init__(self):
        super().__init__("lp", gdb.COMMAND_RUNNING, prefix=True)


def command(name, run):
    """Makes `lp NAME`; the help text is that of run."""
    class One(gdb.Command):
        __doc__ = run.__doc__

        def __init__(self):
            super().__init__("lp " + name, gdb.COMMAND_RUNNING)

        def invoke(self, argument, _from_tty):
            session.select_running()
            run(argument.strip())
    One()


def number_of(argument, otherwise=None):
    if not argument and otherwise is not None:
        return otherwise
    try:
        return int(gdb.parse_and_eval(argument))
    except gdb.error as e:
        raise gdb.GdbError(f"a number is expected: {e}")


def install(session):
    def lp_next(_):
        """To the next event of the schedule, whichever thread does it (or to a breakpoint before it)."""
        session.next()

    def lp_prev(_):
        """To the event before: the execution is run again up to there."""
        session.previous()

    def lp_goto(argument):
        """lp goto N: to event N, forwards or backwards. It is about to happen; `linchpin trace` has the numbers."""
        session.go_to(number_of(argument))

    def lp_where(argument):
        """lp where [LINES]: the interleaving around here. The event marked is about to happen."""
        session.where(number_of(argument, 5))

    def lp_threads(_):
        """The threads of the program, and what each of them does next."""
        session.list_threads()

    def lp_thread(argument):
        """lp thread NAME [COMMAND]: a command of gdb (bt) as if that thread were the one that runs."""
        name, _, rest = argument.partition(" ")
        session.in_thread(name, rest or "bt")

    if not session.recorded["hooks"]:  # else gdb's own work where the program's code runs
        linchpin_steps.install(session)
    Lp()
    for name, run in (("next", lp_next), ("prev", lp_prev), ("goto", lp_goto), ("where", lp_where),
                      ("threads", lp_threads), ("thread", lp_thread)):
        command(name, run)


def main():
    global session
    directory = os.environ.get("LINCHPIN_DIR", "")
    session = Session(os.path.join(directory, "session"))
    install(session)
    gdb.execute("define hook-run\npython session.before_run()\nend", to_string=True)
    if linchpin_mi.wanted():
        linchpin_mi.FrontEnd(session)
    session.prepare()
    session.start()
    gdb.write(f"{len(session.events)} events; lp where, lp next, lp prev, lp goto N, lp threads, lp thread NAME; help lp\n")
    session.go_to(session.recorded["first"])


main()
