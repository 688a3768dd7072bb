#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Plays a front end of gdb: starts the debugger of a launch.json as Visual Studio Code does, and says what it is told.
#
#	front_end.py LAUNCH.json FOLDER COMMAND...
#
# A COMMAND is one of the machine interface, without its dash; `exec-...` and consoles that move the program wait until it
# has stopped. Prints for each stop its reason and place, for each list of frames the functions, and errors.
import json
import re
import subprocess
import sys

FRAME = re.compile(r'frame=\{(?:level="(\d+)",)?addr="[^"]*",func="([^"]*)"(?:,args=\[[^]]*\])?(?:,file="([^"]*)")?(?:,fullname="[^"]*")?(?:,line="(\d+)")?')


class Debugger:
    def __init__(self, launch, folder):
        words = json.loads(open(launch).read().replace("${workspaceFolder}", folder))["configurations"][0]
        assert words["MIMode"] == "gdb" and words["customLaunchSetupCommands"] == [] and words["launchCompleteCommand"] == "None"
        self.process = subprocess.Popen([words["miDebuggerPath"], "--interpreter=mi"], cwd=words["cwd"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.token = 1000

    def line(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit("the debugger has ended")
        return line.rstrip("\n")

    def stop(self, line):
        fields = dict(re.findall(r'([a-z-]+)="((?:[^"\\]|\\.)*)"', line))
        if fields["reason"].startswith("exited"):
            print(f"stop: {fields['reason']}")
            return
        place = FRAME.search(line)
        assert fields["thread-id"] == "1" and place, line
        words = [fields["reason"], fields.get("bkptno"), fields.get("signal-meaning")]
        print(f"stop: {' '.join(w for w in words if w)} at {place[2]} {place[3]}:{place[4]}")

    def until_stop(self):
        while True:
            line = self.line()
            if line.startswith("*stopped"):
                return self.stop(line)

    def ask(self, command):
        self.token += 1
        self.process.stdin.write(f"{self.token}-{command}\n")
        self.process.stdin.flush()
        while True:
            line = self.line()
            if line.startswith(str(self.token) + "^"):
                break
            assert not line.startswith("*stopped"), line
        answer = line[len(str(self.token)) + 1:]
        if answer.startswith("error"):
            print(answer)
        elif answer.startswith("running"):
            self.until_stop()
        elif answer.startswith("done,stack="):
            print("frames: " + " ".join(f"{f[0]}:{f[1]}" for f in FRAME.findall(answer)))
        elif answer != "done":
            print(answer)


debugger = Debugger(sys.argv[1], sys.argv[2])
debugger.until_stop()
for command in ("gdb-set confirm off", "gdb-set breakpoint pending on", *sys.argv[3:]):
    debugger.ask(command)
