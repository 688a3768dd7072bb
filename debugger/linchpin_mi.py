# SPDX-License-Identifier: MIT
"""What front ends read of gdb's machine interface, made to tell of the program.

Our breakpoints are silent, and what stops the program is often the runtime or a copy of a function. gdb then writes a
bare `*stopped`, or one with that place. So standard output goes through a pipe; what follows a `*stopped` waits until
gdb is idle, and then each such record gets a reason, a thread, and the program's frame. Those within a command of ours
are left out. Breakpoints of ours are taken out of the answers to -break-insert.
"""
import atexit
import fcntl
import os
import re
import signal
import threading

import gdb

END = b"\0end of linchpin\n"
OURS = re.compile(rb',?bkpt=\{number="-\d+"(?:[^{}]|\{[^{}]*\})*\}')
INTERPRETER = re.compile(rb"--?i(?:n|nt|nterp|nterpreter)?(?:=(mi\d*))?")


def wanted():
    """Was gdb started for a front end?"""
    with open("/proc/self/cmdline", "rb") as f:
        words = f.read().split(b"\0")
    for word, following in zip(words, words[1:]):
        found = INTERPRETER.fullmatch(word)
        if found and (found[1] or following.startswith(b"mi")):
            return True
    return False


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def frame_record(frame):
    fields = [("addr", f"0x{frame.pc():016x}"), ("func", frame.name() or "??")]
    sal = frame.find_sal()
    if sal.symtab is not None:
        fields += [("file", sal.symtab.filename), ("fullname", sal.symtab.fullname()), ("line", str(sal.line))]
    return "frame={" + ",".join(f"{k}={quoted(v)}" for k, v in fields[:2]) + ",args=[]" + \
        "".join(f",{k}={quoted(v)}" for k, v in fields[2:]) + "}"


def without_frame(line):
    """A record without `frame={...}`."""
    start = line.find("frame={")
    if start < 0:
        return line
    depth, quote, i = 0, False, start
    while i < len(line):
        c = line[i]
        if quote:
            i += c == "\\"
            quote = c != '"'
        elif c == '"':
            quote = True
        else:
            depth += (c == "{") - (c == "}")
            if c == "}" and not depth:
                break
        i += 1
    return line[:start].rstrip(",") + line[i + 1:]


class FrontEnd:
    def __init__(self, session):
        self.session = session
        self.lock = threading.Lock()
        self.held = None  # lines that wait; None: none do
        self.beginning = True  # nothing was asked yet, so results are those of our own commands
        gdb.flush()
        self.real = os.dup(1)
        self.pipe, end = os.pipe()
        try:
            fcntl.fcntl(end, 1031, 1 << 20)  # F_SETPIPE_SZ: what one command prints should fit
        except OSError:
            pass
        os.dup2(end, 1)
        os.close(end)
        # Signals are for gdb's own thread.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        gdb.execute('interpreter-exec mi "-enable-frame-filters"', to_string=True)
        if hasattr(gdb.events, "gdb_exiting"):
            gdb.events.gdb_exiting.connect(lambda _: self.end())
        atexit.register(self.end)

    def end(self):
        """gdb ends; what it still writes needs nothing of us."""
        if self.real is None:
            return
        gdb.flush()
        os.write(1, END)
        os.dup2(self.real, 1)
        self.thread.join(5)
        self.release()
        self.real = None

    def write(self, lines):
        data = b"".join(lines)
        while data:
            data = data[os.write(self.real, data):]

    def read(self):
        """The thread: lines in their order."""
        rest = b""
        while True:
            rest += os.read(self.pipe, 1 << 16)
            *lines, rest = rest.split(b"\n")
            for line in lines:
                if line + b"\n" == END:
                    return
                self.take(line + b"\n")

    def take(self, line):
        if line[:1] in b"0123456789^=":
            line = OURS.sub(b"", line)
        with self.lock:
            if self.beginning and line.startswith(b"^"):
                return
            if self.held is not None:
                self.held.append(line)
            elif line.startswith(b"*stopped") and b'reason="exited' not in line:
                self.held = [line]
                gdb.post_event(self.release)
            else:
                self.write([line])

    def release(self):
        """gdb is idle."""
        with self.lock:
            self.beginning = False
            lines, self.held = self.held or [], None
            stops = [i for i, line in enumerate(lines) if line.startswith(b"*stopped")]
            for i, line in enumerate(lines):
                if stops and i < stops[-1] and line.startswith((b"*stopped", b"*running")):
                    continue
                running_again = any(x.startswith(b"*running") for x in lines[i:])
                self.write([self.complete(line, running_again) if i in stops else line])

    def complete(self, line, running_again):
        """A `*stopped` with all that front ends look for."""
        text = line.decode("utf-8", "surrogateescape").rstrip("\n")
        if "exited" in text or not self.session.alive():
            return line
        if "reason=" not in text:
            text += "," + self.session.reason()
        thread = gdb.selected_thread()
        if not running_again and thread is not None:
            text = without_frame(text) + "," + frame_record(gdb.selected_frame())
        if "thread-id=" not in text:
            text += f',thread-id="{thread.global_num if thread else 1}",stopped-threads="all"'
        return text.encode("utf-8", "surrogateescape") + b"\n"
