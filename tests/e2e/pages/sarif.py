#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# sarif.py SARIF JSON: the rules of SARIF 2.1.0 for what we write of it, and that it says what the report says.
# sarif.py --apply SARIF: the changed text of the first fix.
import json
import os
import sys
import urllib.parse

# Properties that an object may have (section 3 of the standard), those it must have marked with !.
ALLOWED = {
    "log": "$schema version! runs!",
    "run": "tool! invocations originalUriBaseIds columnKind results properties",
    "tool": "driver!",
    "driver": "name! semanticVersion rules",
    "rule": "id! shortDescription",
    "invocation": "arguments executionSuccessful! toolExecutionNotifications",
    "result": "ruleId level message! locations partialFingerprints relatedLocations occurrenceCount codeFlows fixes properties",
    "location": "id physicalLocation logicalLocations message",
    "physical": "artifactLocation! region",
    "artifact": "uri uriBaseId",
    "region": "startLine startColumn endLine endColumn",
    "threadFlow": "id locations!",
    "step": "location executionOrder importance nestingLevel",
    "fix": "description artifactChanges!",
    "change": "artifactLocation! replacements!",
    "replacement": "deletedRegion! insertedContent",
}


def check(kind, o):
    names = ALLOWED[kind].split()
    for key in o:
        assert key in [n.rstrip("!") for n in names], (kind, key)
    for n in names:
        assert not n.endswith("!") or n[:-1] in o, (kind, n)
    return o


def check_artifact(run, a):
    check("artifact", a)
    uri = a["uri"]
    if "uriBaseId" in a:
        base = run["originalUriBaseIds"][a["uriBaseId"]]["uri"]
        assert base.startswith("file:///") and base.endswith("/")
        uri = base + uri
    assert uri.startswith("file:///") and " " not in uri
    return urllib.parse.unquote(uri[len("file://"):])


def check_location(run, l):
    check("location", l)
    if "message" in l:
        assert l["message"]["text"]
    if "physicalLocation" in l:
        p = check("physical", l["physicalLocation"])
        file = check_artifact(run, p["artifactLocation"])
        if "region" in p:
            check("region", p["region"])
            assert p["region"]["startLine"] >= 1 and p["region"].get("startColumn", 1) >= 1
            if os.path.exists(file):
                assert p["region"]["startLine"] <= len(open(file).readlines())


def check_result(run, r):
    check("result", r)
    assert r["level"] == "error" and r["message"]["text"]
    assert r["ruleId"] in [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert all(isinstance(v, str) for v in r["partialFingerprints"].values())
    for l in r.get("locations", []) + r["relatedLocations"]:
        check_location(run, l)
    ids = [l["id"] for l in r["relatedLocations"]]
    assert len(set(ids)) == len(ids)
    orders = []
    for flow in r.get("codeFlows", []):
        assert flow["threadFlows"]
        for thread in flow["threadFlows"]:
            check("threadFlow", thread)
            assert thread["locations"]
            own = [check("step", s)["executionOrder"] for s in thread["locations"]]
            assert own == sorted(own)
            orders += own
            for s in thread["locations"]:
                check_location(run, s["location"])
                assert s["importance"] in ("important", "essential", "unimportant")
    assert len(set(orders)) == len(orders), "two steps at one time"
    for fix in r.get("fixes", []):
        for change in check("fix", fix)["artifactChanges"]:
            check_artifact(run, check("change", change)["artifactLocation"])
            for replacement in change["replacements"]:
                check("replacement", replacement)


def apply(run):
    for r in run["results"]:
        for fix in r.get("fixes", []):
            change = fix["artifactChanges"][0]
            lines = open(check_artifact(run, change["artifactLocation"])).read().splitlines(True)
            one = change["replacements"][0]
            region = one["deletedRegion"]
            assert region["startColumn"] == region["endColumn"] == 1
            return "".join(lines[:region["startLine"] - 1]) + one["insertedContent"]["text"] + \
                "".join(lines[region["endLine"] - 1:])
    raise SystemExit("no fix")


if sys.argv[1] == "--apply":
    sys.stdout.write(apply(json.load(open(sys.argv[2]))["runs"][0]))
    sys.exit()
log = check("log", json.load(open(sys.argv[1])))
report = json.load(open(sys.argv[2]))
assert log["version"] == "2.1.0"
run = check("run", log["runs"][0])
check("driver", check("tool", run["tool"])["driver"])
for rule in run["tool"]["driver"]["rules"]:
    check("rule", rule)
for invocation in run["invocations"]:
    check("invocation", invocation)
assert len(run["results"]) == len(report["violations"])
for result, violation in zip(run["results"], report["violations"]):
    check_result(run, result)
    assert result["message"]["text"] == violation["message"]
    assert result["properties"]["history"] == violation["history"]
