# SPDX-License-Identifier: Apache-2.0
"""Compares verdicts on the ltl blocks of Promela models, on their claim, or on the labels "progress..." or "accept..." with
SPIN's.

verdicts.py [--record] RECORD FILE...

RECORD holds the results of SPIN's verifier for each formula: "MODEL FORMULA violated|holds". --record
runs it again (needs spin and gcc). The variable OMEN names the program.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile


def spin(path):
    """Returns SPIN's verdicts, {formula: verdict}."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(path, os.path.join(folder, "m.pml"))
        made = subprocess.run(["spin", "-a", "m.pml"], cwd=folder, capture_output=True, text=True)
        if made.returncode != 0:
            sys.exit("%s: %s" % (path, made.stdout))
        verdicts = {}
        with open(path, encoding="utf-8") as f:
            text = f.read()
        other = "claim" if re.search(r"^never\b", text, re.M) else "accept" if "accept" in text else "progress"
        several = re.search(r"contains \d+ never claims: (.*)", made.stdout)
        names = re.findall(r"^ltl (\w+):", made.stdout, re.M) or \
            (sorted(several.group(1).split(", ")) if several else [other])
        flags = ["-DNP"] if names == ["progress"] else []
        subprocess.run(["gcc", "-w", "-O1", "-DNOREDUCE", *flags, "-o", "pan", "pan.c"], cwd=folder, check=True)
        for name in names:
            which = {"accept": ["-a", "-E", "-A"], "progress": ["-l", "-E", "-A"], "claim": ["-a"]}.get(
                name, ["-a", "-N", name])
            out = subprocess.run(["./pan", "-m1000000", *which], cwd=folder, capture_output=True, text=True).stdout
            errors = re.search(r"errors: (\d+)", out)
            if errors is None or "max search depth" in out:
                sys.exit("%s %s: %s" % (path, name, out))
            verdicts[name] = "holds" if errors.group(1) == "0" else "violated"
        return verdicts


def ours(path, name):
    which = {"claim": ["--property", "never"], "progress": ["--non-progress"]}.get(name, ["--property", name])
    if name != "progress":
        which += ["--finite-runs", "stutter"]
    run = subprocess.run([os.environ["OMEN"], "check", path, *which, "--device", "none", "--json"],
                         capture_output=True, text=True)
    if run.returncode not in (0, 10):
        return "exit status %d: %s" % (run.returncode, run.stderr.strip())
    return json.loads(run.stdout)["verdict"]


def main():
    arguments = sys.argv[1:]
    record = arguments[0] == "--record"
    path, files = arguments[record], sorted(arguments[record + 1:])
    if record:
        with open(path, "w", encoding="utf-8") as f:
            f.write("# What SPIN 6.5.2's verifier says of each formula (verdicts.py).\n")
            for model in files:
                for name, verdict in spin(model).items():
                    f.write("%s %s %s\n" % (os.path.basename(model), name, verdict))
    wrong = compared = 0
    with open(path, encoding="utf-8") as f:
        lines = [line.split() for line in f if not line.startswith("#")]
    for model in files:
        own = [line for line in lines if line[0] == os.path.basename(model)]
        if not own:
            sys.exit("%s: nothing is on record" % model)
        for _, name, verdict in own:
            mine = ours(model, name)
            compared += 1
            if mine != verdict:
                wrong += 1
                print("%s %s: SPIN says %s, we %s" % (model, name, verdict, mine))
    print("%d compared, %d wrong" % (compared, wrong))
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
