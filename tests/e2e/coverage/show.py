# SPDX-License-Identifier: MIT
"""What the coverage in a file of --json says of one source file, a line each.

usage: show.py JSON FILE            everything, in few words
       show.py JSON FILE GCOV       lines that did not run as a listing of gcov has it
"""
import json
import re
import sys

c = json.load(open(sys.argv[1]))["coverage"]
name = sys.argv[2]


def place(p):
    return "%d" % p["line"]


def here(p):
    return p["file"].rsplit("/", 1)[-1] == name


lines = [l for l in c["lines"] if here(l)]
if len(sys.argv) > 3:
    gcov = {}
    for text in open(sys.argv[3]):
        m = re.match(r"\s*(\S+?)\*?:\s*(\d+):", text)
        if m and m.group(1) != "-":
            gcov[int(m.group(2))] = m.group(1) not in ("#####", "=====")
    both = [l for l in lines if l["line"] in gcov and l["ran"] is not None]
    for l in both:
        if l["ran"] != gcov[l["line"]]:
            print("line %d: ran %s, but for gcov %s" % (l["line"], l["ran"], gcov[l["line"]]))
    print("%d compared" % len(both))
    sys.exit()
print("never ran:", *(place(l) for l in lines if l["ran"] is False))
print("steps:", *(place(l) for l in lines if l["steps"]))
print("conflicts:", *(place(l) for l in lines if l["conflicts"]))
print("no overlap:", *(place(l) for l in lines if l["overlapped"] is False))
pairs = [p for p in c["pairs"] if here(p["first"]) and here(p["second"])]
both = [p for p in pairs if p["first_before_second"] and p["second_before_first"]]
print("both orders:", *("%s,%s" % (place(p["first"]), place(p["second"])) for p in both))
print("one order:", *("%s<%s" % ((place(p["first"]), place(p["second"])) if p["first_before_second"] else
                                 (place(p["second"]), place(p["first"]))) for p in pairs if p not in both))
print("as if atomic:", *("%d-%d" % (b["line"], b["last"]) for b in c["not_interleaved"] if here(b)))
print("not called:", *(f["function"] for f in c["not_called"] if here(f)))
