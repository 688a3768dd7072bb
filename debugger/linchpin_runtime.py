# SPDX-License-Identifier: MIT
"""The runtime's state, in the memory of the program that gdb looks at (runtime/debug.h, runtime/debug.c)."""
import gdb

LAYOUT = ("version", "state", "n", "at", "need_again", "current", "nfibers", "fibers", "searching", "running",
          "fiber_size", "fiber_sp", "fiber_id", "fiber_state", "fiber_pc", "fiber_kind", "fiber_wait", "fiber_addr",
          "fiber_last", "fiber_parent", "fiber_fs")


def quietly(command):
    return gdb.execute(command, to_string=True)


def memory(address, size):
    return int.from_bytes(gdb.selected_inferior().read_memory(address, size).tobytes(), "little")


class Runtime:
    """The runtime's state in the program's memory."""

    def __init__(self):
        at = int(gdb.parse_and_eval("(unsigned long)&linchpin_debug"))
        self.layout = {name: memory(at + 8 * i, 8) for i, name in enumerate(LAYOUT)}
        if self.layout["version"] != 1:
            raise gdb.GdbError("this libsched.so and linchpin_gdb.py are not of one installation")
        self.base = memory(self.layout["state"], 8)

    def get(self, name, size=4):
        return memory(self.base + self.layout[name], size)

    def set(self, name, value, size=4):
        where = self.base + self.layout[name]
        gdb.selected_inferior().write_memory(where, value.to_bytes(size, "little"))

    def fiber(self, number):
        return self.base + self.layout["fibers"] + number * self.layout["fiber_size"]

    def of_fiber(self, number, name, size):
        return memory(self.fiber(number) + self.layout["fiber_" + name], size)

    def current(self):
        """The number of the thread that runs; None outside of executions."""
        at = self.get("current", 8)
        if not at or not self.get("running", 1):
            return None
        return memory(at + self.layout["fiber_id"], 1)
