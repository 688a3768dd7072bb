#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# page.py PAGE JSON: is what the page knows whole, and the same as in the JSON of the report?
import json
import re
import sys

text = open(sys.argv[1]).read()
report = json.load(open(sys.argv[2]))
assert text.count("</script>") == 2, "a text ends the script"
assert not re.search(r'(src|href)="(?!#)', text.split('id="data"')[0]), "something from elsewhere"
data = json.loads(re.search(r'type="application/json">(.*?)</script>', text, re.S).group(1))
assert data["verdict"] == "violation"
assert data["classes"] == report["classes"] and data["limits"] == report["limits"]
assert len(data["findings"]) == len(report["violations"]) > 0
assert len(data["repairs"]) == len(report["repairs"])
for found, violation in zip(data["findings"], report["violations"]):
    assert found["message"] == violation["message"]
    assert data["files"][found["file"]]["name"] == violation["file"]
    assert found["line"] == violation["line"]
    events = found["events"]
    assert any(e[3] & 1 for e in events), "nothing is shown"
    for thread, words, place, flags, location, value in events:
        assert thread < len(found["threads"]) and data["texts"][words]
        assert place < len(found["places"]) and location < len(found["locations"])
        assert (location < 0) == (value < 0)
    for file, line, function in found["places"]:
        assert file < len(data["files"])
    assert (found["kind"] == "history") == bool(found["picture"])
for repair in data["repairs"]:
    for block in repair["blocks"]:
        assert block["last"] <= len(data["files"][block["file"]]["lines"])
