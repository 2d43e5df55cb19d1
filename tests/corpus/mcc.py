# SPDX-License-Identifier: Apache-2.0
"""Compares `omen mcc` on the nets of the Model Checking Contest with the answers on which its tools agree.

  mcc.py [--omen PROGRAM] [--corpus FOLDER] [--time TIME] [--most STATES] [--only TEXT]
         [--examinations NAME,...] [--log FILE] [OPTION ...]

A wrong answer is a failure; a missing answer is counted. Each examination has TIME (60s). The table is
followed by the number of answers of each combination of techniques, and the number of answers that were
found on a net that each structural reduction had made smaller. --log records every answer on a line, and
recorded ones are not run again. Further options are passed to omen (`--threads 1`).
Exit status: 0 nothing is wrong, 1 something is, 77 the corpus is missing.
"""
import argparse
import collections
import csv
import json
import os
import re
import subprocess
import sys
import time

KINDS = (("LTL", ("LTLCardinality", "LTLFireability")),
         ("reachability", ("ReachabilityCardinality", "ReachabilityFireability", "ReachabilityDeadlock")),
         ("bounds, global", ("UpperBounds", "OneSafe", "QuasiLiveness", "StableMarking", "Liveness")),
         ("state space", ("StateSpace",)))
SECONDS = {"ms": 0.001, "s": 1, "m": 60}


def rows(path):
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def expected(corpus, options):
    """Returns the answers by instance and examination, of the requested nets."""
    sizes = {r["instance"]: r["states"] for r in rows(os.path.join(corpus, "instances.csv"))}
    known = collections.OrderedDict()
    for r in rows(os.path.join(corpus, "expected.csv")):
        states = sizes[r["instance"]]
        if options.only and options.only not in r["instance"]:
            continue
        if options.most and (states == "+inf" or int(states) > options.most):
            continue
        if options.examinations and r["examination"] not in options.examinations.split(","):
            continue
        known.setdefault((r["instance"], r["examination"]), {})[r["formula_id"]] = r["expected"]
    return known


def as_text(answer):
    if isinstance(answer, bool):
        return str(answer).upper()
    return None if answer is None else str(answer)


def run(options, folder, examination, more):
    """Returns the answers by id, and the errors of the run itself."""
    command = [options.omen, "mcc", folder, examination, "--json", "--timeout", options.time, *more]
    number, unit = re.fullmatch(r"([0-9.]+)(ms|s|m)?", options.time).groups()
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False,
                              timeout=float(number) * SECONDS[unit or "s"] * 1.5 + 20)
    except subprocess.TimeoutExpired:
        return {}, "did not end in time"
    if done.returncode not in (0, 30):
        return {}, "exit status %d: %s" % (done.returncode, done.stderr.strip())
    answers = json.loads(done.stdout)["answers"]
    return {a["id"]: (as_text(a["answer"]), a["techniques"], a["seconds"], a["reason"],
                      a["net"] and a["net"]["reductions"]) for a in answers}, None


def read_log(path):
    if not path or not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as f:
        lines = [json.loads(line) for line in f]
    return {(l["instance"], l["examination"]): l for l in lines}


def main():
    parser = argparse.ArgumentParser(usage=__doc__, allow_abbrev=False)
    for name in ("only", "examinations", "log"):
        parser.add_argument("--" + name)
    parser.add_argument("--omen", default=os.environ.get("OMEN", "omen"))
    parser.add_argument("--corpus", default=os.environ.get("OMEN_CORPUS", "../shared/corpus"))
    parser.add_argument("--time", default="60s")
    parser.add_argument("--most", type=int)
    options, more = parser.parse_known_args()
    corpus = os.path.join(options.corpus, "mcc")
    if not os.path.isdir(corpus):
        print("the corpus is not there")
        return 77
    logged, wrong, broken = read_log(options.log), [], []
    counts, techniques, reductions = collections.Counter(), collections.Counter(), collections.Counter()
    for (instance, examination), known in expected(corpus, options).items():
        line = logged.get((instance, examination))
        if line is None:
            began = time.monotonic()
            answers, fault = run(options, os.path.join(corpus, instance), examination, more)
            line = {"instance": instance, "examination": examination, "answers": answers, "fault": fault,
                    "seconds": round(time.monotonic() - began, 2)}
            if options.log:
                with open(options.log, "a", encoding="utf-8") as f:
                    f.write(json.dumps(line) + "\n")
        if line["fault"]:
            broken.append("%s %s: %s" % (instance, examination, line["fault"]))
        for formula, verdict in known.items():
            answer, how, _, _, passes = line["answers"].get(formula) or (None,) * 5
            reductions.update(passes or ())
            counts[examination, "right" if answer == verdict else "none" if answer is None else "wrong"] += 1
            techniques[how or "(none)"] += 1
            if answer not in (None, verdict):
                wrong.append("%s %s: %s, expected %s" % (instance, formula, answer, verdict))
    print("%-24s %6s %6s %6s" % ("", "right", "wrong", "none"))
    for kind, examinations in KINDS:
        sums = [sum(counts[x, what] for x in examinations) for what in ("right", "wrong", "none")]
        for x in examinations:
            print("%-24s %6d %6d %6d" % (x, *(counts[x, what] for what in ("right", "wrong", "none"))))
        print("%-24s %6d %6d %6d  %.1f %%" % (kind, *sums, 100 * sums[0] / max(1, sum(sums))))
    for how, n in techniques.most_common():
        print("%6d %s" % (n, how))
    print("found on a net that was made smaller by")
    for name, n in reductions.most_common():
        print("%6d %s" % (n, name))
    for line in wrong + broken:
        print("WRONG" if line in wrong else "BROKEN", line)
    return 1 if wrong or broken else 0


sys.exit(main())
