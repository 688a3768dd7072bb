#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Are the examples of a document what really happens?
#
#	examples.py [--update] BUILD FILE.md...
#
# In a new folder for each document, in their order:
#   - a block of C, or of a specification, whose first line is a comment with a file name is written to that file;
#   - in a block marked `console`, a line that begins with "$ " is a command (a backslash at its end continues it), and
#     what follows is what it must print; programs of this folder are there, too; a line "..." stands for any lines, and times of runs count as equal.
# Blocks marked otherwise are not looked at. --update writes what is printed into the documents, but for blocks with "...".
# Exit status 1, and the difference, if something else is printed.
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile

FENCE = re.compile(r"```(\w*)$")
NAME = re.compile(r"(?:/\* (\S+) \*/|# (\S+\.lin))$")
TIME = re.compile(r"in \d+\.\d+ s\b( \(\d+ a second\))?")


def same(expected, printed):
    """Lines match; "..." matches any number of them."""
    if not expected:
        return not printed
    if expected[0] == "...":
        return any(same(expected[1:], printed[i:]) for i in range(len(printed) + 1))
    return bool(printed) and alike(expected[0]) == alike(printed[0]) and same(expected[1:], printed[1:])


def alike(line):
    return TIME.sub("in N s", line.rstrip())


def run(command, folder, build):
    environment = dict(os.environ, PATH=build + ":" + os.environ["PATH"], LC_ALL="C")
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout.decode().split("\n")[:-1]


def console(lines, folder, build):
    """Runs the commands of a block; (its lines as they should be, whether they were)."""
    out, right, i = [], True, 0
    while i < len(lines):
        command = [lines[i]]
        while lines[i].endswith("\\"):
            i += 1
            command.append(lines[i])
        i += 1
        expected = []
        while i < len(lines) and not lines[i].startswith("$ "):
            expected.append(lines[i])
            i += 1
        while expected and not expected[-1]:
            expected.pop()
        printed = [line.rstrip() for line in run("\n".join(command)[2:], folder, build)]
        while printed and not printed[-1]:
            printed.pop()
        fits = same(expected, printed)
        right = right and fits
        out += command + (expected if fits else printed)
        if not fits:
            sys.stdout.writelines(line + "\n" for line in difflib.unified_diff(
                expected, printed, "in the document", "printed by " + command[0][2:], lineterm=""))
    return out, right


def blocks(text):
    """(kind, lines) of each block and of what is between; the kind of that is None."""
    part, kind = [], None
    for line in text.split("\n"):
        fence = FENCE.match(line)
        if fence and kind is None:
            yield None, part + [line]
            part, kind = [], fence.group(1)
        elif line == "```" and kind is not None:
            yield kind, part
            part, kind = [line], None
        else:
            part.append(line)
    yield None, part


def check(path, build, update):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    result, right, commands = [], True, 0
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(build, os.path.join(folder, "build"))
        here = os.path.dirname(os.path.realpath(__file__))
        for source in os.listdir(here):
            if source.endswith(".c"):
                shutil.copy(os.path.join(here, source), folder)
        for kind, lines in blocks(text):
            name = NAME.match(lines[0]) if kind in ("c", "lin") and lines else None
            if name:
                with open(os.path.join(folder, name.group(1) or name.group(2)), "w", encoding="utf-8") as file:
                    file.write("\n".join(lines) + "\n")
            if kind == "console":
                commands += sum(line.startswith("$ ") for line in lines)
                new, fits = console(lines, folder, build)
                right = right and fits
                lines = new if "..." not in lines else lines
            result += lines
    if update and "\n".join(result) != text:
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(result))
    print(f"{path}: {commands} commands")
    return right and commands > 0


def main():
    arguments = sys.argv[1:]
    update = "--update" in arguments
    if update:
        arguments.remove("--update")
    build = os.path.realpath(arguments[0])
    good = [check(path, build, update) for path in arguments[1:]]
    sys.exit(0 if update or all(good) else 1)


main()
