# SPDX-License-Identifier: MIT
"""The copies of functions that load-time instrumentation executes, for gdb (docs/instrumentation.md).

gdb knows the originals only. So a frame in a copy gets a caller: the original, with the same registers; `bt` hides the
copy. A breakpoint in an original gets a shadow at the same instruction of the copy. Returns go by the original code, so
`finish` needs nothing.
"""
import array
import bisect
import os
import re

import gdb
import gdb.unwinder

FIELDS = ("modules", "count", "size", "lo", "hi", "region", "end", "map", "origins", "norigins",
          "original")
REGISTERS = ("rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13", "r14",
             "r15", "eflags", "fs_base", "gs_base") + tuple(f"xmm{i}" for i in range(16))


def of_runtime(pc):
    name = gdb.solib_name(pc)
    return name is not None and os.path.basename(name) == "libsched.so"


def read(address, size):
    return gdb.selected_inferior().read_memory(address, size).tobytes()


def number(address, size=8):
    return int.from_bytes(read(address, size), "little")


class Module:
    """A module that is instrumented: [lo, hi) is its code, [region, end) has the copies."""

    def __init__(self, at, layout):
        for name in FIELDS[3:]:
            setattr(self, name, number(at + layout[name]))
        # Where the copy of each instruction begins, and the original: offsets from region and lo.
        pairs = array.array("I", read(self.origins, 8 * self.norigins)) if self.region else array.array("I")
        self.copies, self.originals = pairs[0::2], pairs[1::2]

    def original_of(self, pc):
        i = bisect.bisect_right(self.copies, pc - self.region)
        return self.lo + self.originals[i - 1] if i else None

    def copy_of(self, pc):
        offset = number(self.map + 4 * (pc - self.lo), 4)
        return self.region + offset - 1 if offset else None


    def in_jump(self, pc):
        """Is there a jump to a copy that begins before this address of an original and ends behind it?"""
        first = max(self.lo, pc - 4)
        if not self.original or first == pc:
            return False
        now, was = read(first, pc - first + 1), read(self.original + first - self.lo, pc - first + 1)
        return any(was[i] != now[i] and (now[i] == 0xe9 or (now[i] == 0xeb and i + 1 == pc - first))
                   for i in range(pc - first))

    def has_frame_pointer(self, function):
        """Does the function begin by making one?"""
        code = read(self.original + function - self.lo, 8)
        return code.removeprefix(b"\xf3\x0f\x1e\xfa").startswith(b"\x55\x48\x89\xe5")


class Copies:
    """Of the process; of none before it has begun."""

    def __init__(self):
        self.modules = []
        self.layout = None
        self.known = 0

    def forget(self):
        self.__init__()

    def refresh(self):
        """Libraries may have come."""
        if self.layout is None:
            at = int(gdb.parse_and_eval("(unsigned long)&linchpin_copies"))
            self.layout = {name: number(at + 8 * i) for i, name in enumerate(FIELDS)}
        count = number(self.layout["count"], 4)
        for i in range(self.known, count):
            self.modules.append(Module(self.layout["modules"] + i * self.layout["size"], self.layout))
        self.known = count

    def module_of(self, pc):
        """Whose original code this is; None if it is not instrumented."""
        for m in self.modules:
            if m.region and m.lo <= pc < m.hi:
                return m
        return None

    def holds(self, pc):
        return any(m.region <= pc < m.end for m in self.modules)

    def original_of(self, pc):
        """None if pc is not in a copy."""
        for m in self.modules:
            if m.region <= pc < m.end:
                return m.original_of(pc)
        return None

    def copy_of(self, pc):
        """None if there is no copy of the instruction at pc."""
        m = self.module_of(pc)
        return m.copy_of(pc) if m else None

    def body_of(self, function):
        """Where the second line of a function begins, if its first is the making of a frame: gdb looks at the code
        for that, where it finds the jump to the copy."""
        for m in self.modules:
            if m.region and m.lo <= function < m.hi and m.has_frame_pointer(function):
                symtab = gdb.find_pc_line(function).symtab
                behind = [x.pc for x in symtab.linetable() if x.pc > function] if symtab else []
                return min(behind, default=function)
        return function


class FrameId:
    def __init__(self, sp, pc):
        self.sp = sp
        self.pc = pc


class CopyUnwinder(gdb.unwinder.Unwinder):
    """The caller of a copy is its original."""

    def __init__(self, copies):
        super().__init__("linchpin")
        self.copies = copies
        gdb.unwinder.register_unwinder(None, self, replace=True)

    def __call__(self, pending):
        pc = pending.read_register("rip")
        original = self.copies.original_of(int(pc) & (1 << 64) - 1)
        if original is None:
            return None
        info = pending.create_unwind_info(FrameId(pending.read_register("rsp"), pc))
        for name in REGISTERS:
            try:
                info.add_saved_register(name, pending.read_register(name))
            except ValueError:  # the processor does not have it
                pass
        # gdb takes the address before that of a caller.
        info.add_saved_register("rip", gdb.Value(original + 1).cast(pc.type))
        return info


class Shadow(gdb.Breakpoint):
    """A breakpoint of the user's at a copy."""

    def __init__(self, shadows, owner, original, copy):
        super().__init__(f"*{copy:#x}", internal=True)
        self.silent = True
        self.shadows, self.owner, self.original = shadows, owner, original

    def stop(self):
        owner = self.owner
        if not owner.is_valid() or not owner.enabled:
            return False
        frame = gdb.newest_frame()
        # It was met in the original, which leads here.
        here = (self.original, int(frame.read_register("rsp")))
        if self.shadows.met == here:
            self.shadows.met = None
            return False
        older = frame.older()
        if owner.condition and older is not None:
            older.select()
            if not gdb.parse_and_eval(owner.condition):
                return False
        if owner.ignore_count > 0:
            owner.ignore_count -= 1
            return False
        self.shadows.hit = owner
        return True


class Shadows:
    """Those of all breakpoints."""

    def __init__(self, copies):
        self.copies = copies
        self.all = {}     # by number of the breakpoint
        self.unused = []
        self.hit = None   # the breakpoint that has stopped the program
        self.met = None   # address and stack pointer of the latest stop in an original
        self.active = False
        self.in_jumps = set()  # places where gdb must not write: only the copy is a breakpoint
        gdb.events.breakpoint_created.connect(self.update)
        gdb.events.breakpoint_modified.connect(self.update)
        gdb.events.breakpoint_deleted.connect(self.drop)

    def begin(self):
        """The copies are there."""
        self.active = True
        self.copies.refresh()
        for b in gdb.breakpoints() or ():
            self.update(b)

    def end(self):
        """The program begins again."""
        self.active = False
        for n in list(self.all):
            self.drop_number(n)
        for s in self.unused:
            if s.is_valid():
                s.delete()
        self.unused = []

    def served(self, b):
        """It has stopped the program: what gdb does with a breakpoint of its own."""
        commands = b.commands
        if b.temporary:
            b.enabled = False
            self.unused.append(b)
        if commands:
            gdb.post_event(lambda: gdb.execute(commands))

    def drop_number(self, n):
        for s in self.all.pop(n, {}).values():
            self.retire(s)

    def retire(self, shadow):
        """It is deleted later: gdb may be walking over its breakpoints now."""
        if shadow.is_valid():
            shadow.enabled = False
            self.unused.append(shadow)

    def drop(self, b):
        self.drop_number(b.number)

    def update(self, b):
        if not self.active or b.number < 0 or b.type not in (gdb.BP_BREAKPOINT, gdb.BP_HARDWARE_BREAKPOINT):
            return
        for x in getattr(b, "locations", ()):
            if x.enabled and x.address and of_runtime(x.address):
                x.enabled = False  # it has functions with ordinary names, too
        self.copies.refresh()
        for x in getattr(b, "locations", ()):
            module = self.copies.module_of(x.address) if x.enabled and x.address else None
            if module is not None and module.in_jump(x.address) and module.copy_of(x.address) is not None:
                self.in_jumps.add(x.address)
                x.enabled = False
        wanted = {}
        for at in self.places_of(b) if b.enabled else ():
            block = None if b.location.startswith("*") else gdb.block_for_pc(at)
            if block is not None and block.function is not None and block.start == at:
                at = self.copies.body_of(at)
            copy = self.copies.copy_of(at)
            if copy is not None:
                wanted[copy] = at
        have = self.all.setdefault(b.number, {})
        for copy in [c for c in have if c not in wanted]:
            self.retire(have.pop(copy))
        for copy, at in wanted.items():
            if copy not in have:
                have[copy] = Shadow(self, b, at, copy)

    def places_of(self, b):
        """The addresses of a breakpoint."""
        if hasattr(b, "locations"):  # since gdb 13
            return [x.address for x in b.locations if x.address and (x.enabled or x.address in self.in_jumps)]
        text = gdb.execute(f"info breakpoints {b.number}", to_string=True)
        return [int(a, 16) for a in re.findall(r"\s(0x[0-9a-f]{8,})\s", text)]
