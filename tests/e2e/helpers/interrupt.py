#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a command, waits for something, and sends it a signal.

    interrupt.py [--terminal] (--text TEXT | --ready FILE | --caught | --ends) [--signal NAME] -- COMMAND...

--terminal: the command runs in a terminal of 100 columns; INT is then a typed Ctrl-C, which reaches all its processes.
--text: wait until TEXT is printed. --ready: until FILE is not empty. --caught: until the process has a handler for the signal.
--ends: send nothing. What the command prints goes to standard output; the exit status is the command's.
"""
import argparse
import os
import select
import signal
import struct
import sys
import time
import fcntl
import pty
import termios

parser = argparse.ArgumentParser()
parser.add_argument("--terminal", action="store_true")
parser.add_argument("--text")
parser.add_argument("--ready")
parser.add_argument("--caught", action="store_true")
parser.add_argument("--ends", action="store_true")
parser.add_argument("--signal", default="INT")
parser.add_argument("command", nargs="+")
args = parser.parse_args()
number = getattr(signal, "SIG" + args.signal)


def start():
    if args.terminal:
        pid, fd = pty.fork()
    else:
        fd, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.dup2(write, 1)
            os.dup2(write, 2)
        else:
            os.close(write)
    if pid == 0:
        for s in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, number):
            signal.signal(s, signal.SIG_DFL)
        os.execvp(args.command[0], args.command)
    if args.terminal:
        fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    return pid, fd


def caught(pid):
    try:
        with open("/proc/%d/status" % pid) as f:
            mask = [line.split()[1] for line in f if line.startswith("SigCgt")]
    except OSError:
        return False
    return bool(int(mask[0], 16) >> (number - 1) & 1)


pid, fd = start()
output, sent = b"", args.ends
while True:
    if select.select([fd], [], [], 0.02)[0]:
        try:
            data = os.read(fd, 65536)
        except OSError:
            data = b""
        if not data:
            break
        output += data
    if sent:
        continue
    if (
        (args.text and args.text.encode() in output)
        or (args.ready and os.path.exists(args.ready) and os.path.getsize(args.ready))
        or (args.caught and caught(pid))
    ):
        sent = True
        if args.terminal and number == signal.SIGINT:
            os.write(fd, b"\x03")
        else:
            os.kill(pid, number)
sys.stdout.buffer.write(output)
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.exit(status if status >= 0 else 128 - status)
