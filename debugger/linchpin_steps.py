# SPDX-License-Identifier: MIT
"""`step` and `next` in copies of functions (linchpin_copies.py), of which gdb knows no lines.

The program runs on to a breakpoint of ours: at the copy of each other line of the function, in the same activation; where
it returns to; and, for `step`, in functions that the line calls. Activations are told apart by the stack pointer of
their caller, threads by their stacks.
"""
import re

import gdb

STACK = 1 << 20  # below the caller's stack pointer: the stack of a function and of what it calls


def whole_function(frame):
    """The frame of the function that has code of its own, around what was inlined into it."""
    while frame is not None and frame.type() == gdb.INLINE_FRAME:
        frame = frame.older()
    return frame


def functions_at(pc):
    """The functions around an address, innermost first: inlined ones, and the one with code of its own, as (start, name)."""
    found = []
    block = gdb.block_for_pc(pc)
    while block is not None and not block.is_static and not block.is_global:
        if block.function is not None:
            found.append((block.start, block.function.name))
        block = block.superblock
    return found


def extent_of(pc):
    """The code of the function around an address."""
    outer = None
    block = gdb.block_for_pc(pc)
    while block is not None and not block.is_static and not block.is_global:
        if block.function is not None:
            outer = block
        block = block.superblock
    return (outer.start, outer.end) if outer else (pc, pc)


class Stop(gdb.Breakpoint):
    """One of ours; `right` decides by the stack pointer of the program's frame and that of its caller."""

    def __init__(self, at, right):
        super().__init__(f"*{at:#x}", internal=True)
        self.silent = True
        self.right = right
        self.hit = False

    def stop(self):
        self.hit = self.right()
        return self.hit


class Steps:
    def __init__(self, session):
        self.session = session
        self.copies = session.copies

    def program_frame(self):
        frame = gdb.newest_frame()
        while frame is not None and self.session.hidden(frame):
            frame = frame.older()
        return frame

    def caller_of(self, frame):
        frame = whole_function(frame)
        return frame.older() if frame is not None else None

    def base_of(self, frame):
        """The caller's stack pointer: the same as long as the activation lives."""
        caller = self.caller_of(frame)
        return int(caller.read_register("rsp")) if caller is not None else None

    def other_lines(self, frame, into):
        """Where other lines of the function begin."""
        sal = frame.find_sal()
        lo, hi = extent_of(frame.pc())
        around = functions_at(frame.pc())
        for entry in sal.symtab.linetable():
            if not lo <= entry.pc < hi or entry.line == 0:
                continue
            functions = functions_at(entry.pc)
            if not functions or (not into and functions[0] not in around):
                continue  # in what was inlined, and is stepped over
            if functions[0] != around[0] or entry.line != sal.line:
                yield entry.pc

    def called(self, frame):
        """The functions that the line calls, as far as the code says which."""
        sal = frame.find_sal()
        lo, hi = extent_of(frame.pc())
        places = sorted((e.pc, e.line) for e in sal.symtab.linetable() if lo <= e.pc < hi)
        for (pc, line), (end, _) in zip(places, places[1:] + [(hi, 0)]):
            module = self.copies.module_of(pc)
            if line != sal.line or end <= pc or module is None:
                continue
            shift = module.original - module.lo if module.original else 0
            for insn in frame.architecture().disassemble(pc + shift, end + shift - 1):
                found = re.match(r"call\w*\s+(0x[0-9a-f]+)", insn["asm"])
                if found:
                    yield int(found.group(1), 16) - shift

    def stops(self, frame, into):
        base = self.base_of(frame)

        def same_activation():
            now = self.program_frame()
            return now is not None and self.base_of(now) == base

        def returned():
            return int(gdb.newest_frame().read_register("rsp")) == base

        def called():
            sp = int(gdb.newest_frame().read_register("rsp"))
            return base is not None and base - STACK < sp < base

        for pc in set(self.other_lines(frame, into)):
            copy = self.copies.copy_of(pc)
            if copy is not None:
                yield Stop(copy, same_activation)
        caller = self.caller_of(frame)
        if caller is not None and not self.session.hidden(caller) and caller.find_sal().symtab is not None:
            yield Stop(caller.pc(), returned)
        for function in set(self.called(frame)) if into else ():
            copy = self.copies.copy_of(self.copies.body_of(function))
            if copy is not None:
                yield Stop(copy, called)

    def step(self, into):
        frame = self.program_frame()
        if frame is None or frame.find_sal().symtab is None or self.copies.module_of(frame.pc()) is None:
            raise gdb.GdbError("no line of the program is known here; `finish`, `lp next` or a breakpoint lead on")
        self.copies.refresh()
        stops = list(self.stops(frame, into))
        try:
            said = gdb.execute("continue", to_string=True)
            ours = any(s.hit for s in stops)
        finally:
            for s in stops:
                if s.is_valid():
                    s.delete()
        if not ours:
            gdb.write(said)
        elif self.session.select_program_frame():
            gdb.execute("frame")


def install(session):
    steps = Steps(session)

    def command(name, into):
        class One(gdb.Command):
            def __init__(self):
                super().__init__(name, gdb.COMMAND_RUNNING)

            def invoke(self, argument, _from_tty):
                for _ in range(int(gdb.parse_and_eval(argument)) if argument else 1):
                    steps.step(into)

        One.__doc__ = ("To the next line of the program" + (", also in what it calls" if into else "")
                       + ", in this thread; other threads may run meanwhile, as recorded.")
        One()

    command("step", True)
    command("next", False)
