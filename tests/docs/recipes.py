#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Runs the jobs of docs/nightly.md for GitHub and GitLab, as far as they are commands: actions that fetch, cache and keep
# files are replaced by copies of these.
#
#	recipes.py github|gitlab FILE.md PROJECT NIGHT
#
# PROJECT is a folder with the checked-out files; caches and artifacts are beside it. Prints the exit status of each job.
import os
import re
import shutil
import subprocess
import sys

import yaml


def recipe(path, keyword):
    """The first block of YAML that has the keyword."""
    blocks = re.findall(r"^```yaml\n(.*?)^```", open(path).read(), re.S | re.M)
    return yaml.safe_load(next(b for b in blocks if keyword in b))


def run(command, folder, variables):
    return subprocess.run(["bash", "-ec", command], cwd=folder, env=dict(os.environ, **variables), stdin=subprocess.DEVNULL).returncode


def fresh(project, name):
    folder = f"{project}-{name}"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(project, folder)
    return folder


def keep(source, target):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copy(source, target)


def fill(text, values):
    def value(m):
        if m[1] not in values:
            sys.exit(f"recipes.py: what is {m[1]}?")
        return values[m[1]]
    return re.sub(r"\$\{\{ *([\w.]+) *\}\}", value, str(text))


def github_action(name, step, folder, values, store):
    given = {k: fill(v, values) for k, v in step.get("with", {}).items()}
    name = name.split("@")[0]
    if name == "actions/cache/restore":
        prefixes = [given["key"], *given["restore-keys"].split()]
        kept = sorted(os.listdir(f"{store}/cache")) if os.path.isdir(f"{store}/cache") else []
        hit = next((k for p in prefixes for k in reversed(kept) if k.startswith(p)), None)
        if hit:
            shutil.copy(f"{store}/cache/{hit}", f"{folder}/{given['path']}")
    elif name == "actions/cache/save":
        keep(f"{folder}/{given['path']}", f"{store}/cache/{given['key']}")
    elif name == "actions/upload-artifact":
        keep(f"{folder}/{given['path']}", f"{store}/artifacts/{given['name']}/{os.path.basename(given['path'])}")
    elif name == "actions/download-artifact":
        for kept in sorted(os.listdir(f"{store}/artifacts")):
            if re.match(given["pattern"].replace("*", ".*") + "$", kept):
                shutil.copytree(f"{store}/artifacts/{kept}", f"{folder}/{given['path']}/{kept}")
    elif name == "github/codeql-action/upload-sarif":
        open(f"{folder}/{given['sarif_file']}").close()
    elif name != "actions/checkout":
        sys.exit(f"recipes.py: what is {name}?")


def github(jobs, project, night):
    store = f"{project}-kept"
    shutil.rmtree(f"{store}/artifacts", ignore_errors=True)
    for name, job in jobs["jobs"].items():
        for shard in job.get("strategy", {}).get("matrix", {}).get("shard", [None]):
            folder, status = fresh(project, "job"), 0
            values = {"matrix.shard": str(shard), "github.run_id": night}
            for step in job["steps"]:
                if status and step.get("if") != "always()":
                    continue
                if "run" in step:
                    status = run(fill(step["run"], values), folder, {"GITHUB_ACTIONS": "true"}) or status
                else:
                    github_action(step["uses"], step, folder, values, store)
            print(f"{name} {shard}: {status}")


def gitlab(jobs, project, night):
    store = f"{project}-kept"
    shutil.rmtree(f"{store}/artifacts", ignore_errors=True)
    for name, job in jobs.items():
        for node in range(1, job.get("parallel", 1) + 1):
            folder = fresh(project, "job")
            variables = {"CI_NODE_INDEX": str(node), "CI_NODE_TOTAL": str(job.get("parallel", 1)), "CI_COMMIT_SHORT_SHA": "0123456"}
            if "cache" in job:
                key = os.path.join(store, job["cache"]["key"].replace("$CI_NODE_INDEX", str(node)))
                if os.path.exists(key):
                    shutil.copy(key, f"{folder}/{job['cache']['paths'][0]}")
            if "needs" in job:
                shutil.copytree(f"{store}/artifacts", folder, dirs_exist_ok=True)
            status = run("\n".join(job["script"]), folder, variables)
            run("\n".join(job.get("after_script", [])), folder, variables)
            if "cache" in job:
                keep(f"{folder}/{job['cache']['paths'][0]}", key)
            patterns = job["artifacts"]["paths"] + list(job["artifacts"].get("reports", {}).values())
            for pattern in patterns:
                for path in subprocess.run(["bash", "-c", f"ls {pattern}"], cwd=folder, capture_output=True, check=True, text=True).stdout.split():
                    keep(f"{folder}/{path}", f"{store}/artifacts/{path}")
            print(f"{name} {node}: {status}")


kind, document, project, night = sys.argv[1:]
if kind == "github":
    github(recipe(document, "runs-on"), project, night)
else:
    gitlab(recipe(document, "CI_NODE_INDEX"), project, night)
