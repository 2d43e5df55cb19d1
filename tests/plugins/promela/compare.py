# SPDX-License-Identifier: Apache-2.0
"""Compares states, errors and end states of Promela models with SPIN's.

compare.py [--record] COUNT RECORD MOST LEAST FILE...

COUNT is the program promela_count. RECORD holds SPIN's results for each model: "NAME STORED ERROR",
where STORED is the number of states stored without reductions and ERROR the first error that its
verifier finds: none, assertion, end, d_step, index, division. If spin and a C compiler are installed,
they are run on models that have no record. Models of more than MOST or fewer than LEAST states are left out.
Without a FILE, the recorded models of BEEM in the corpus are used; without the corpus, the test is skipped (77).
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from functools import partial

print = partial(print, flush=True)

CFLAGS = ["-w", "-O0", "-DNOREDUCE", "-DSAFETY", "-DNOCLAIM", "-DVECTORSZ=4096"]
# The verifier's messages, and the kinds of omen's faults (omen/plugin/model.h) that they correspond
# to.
ERRORS = [("invalid array index", "index"), ("assertion violated", "assertion"), ("invalid end state", "end"),
          ("block in d_step", "d_step"), ("rv-attempt in d_step", "d_step"), ("indexing", "index"), ("out of bounds", "index"),
          ("division", "division"), ("event_trace error", "assertion"),
          ("parameters in send", "assertion"), ("pars in receive", "assertion"), ("fields in rcv", "assertion"),
          ("fields in recv", "assertion"), ("partial order reduction invalid", "assertion"),
          ("violates po reduction", "assertion"), ("cannot be used for rv", "assertion"),
          ("claim on uninitialized", "assertion")]


def is_lossy(path):
    """Returns true if the model's channels lose messages when they are full."""
    return name_of(path).startswith("lossy-")


def first_error(out):
    """Returns the first error in the output of a verifier; None if the verifier did not finish."""
    if "states, stored" not in out:
        return None
    first = re.search(r"^pan:1: (.*)$", out, re.M)
    if first is None:
        return "none"
    return next((kind for text, kind in ERRORS if text in first.group(1)), first.group(1))


def spin(path, most):
    """Returns SPIN's (stored, error); None as stored if it refuses the model, "large" as error if
    the model is large."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(path, os.path.join(folder, "m.pml"))
        lossy = ["-m"] if is_lossy(path) else []
        made = subprocess.run(["spin", "-a", *lossy, "-o1", "-o2", "-o3", "m.pml"], cwd=folder,
                              capture_output=True, text=True)
        if not os.path.exists(os.path.join(folder, "pan.c")) or "Error" in made.stdout.replace("Error: dubious", ""):
            return None, made.stdout.strip()
        memory = "-DMEMLIM=%d" % max(120, most * 400 // 1000000)
        subprocess.run(["gcc", *CFLAGS, memory, "-o", "pan", "pan.c"], cwd=folder, check=True)
        deep = "-m%d" % min(most * 4 + 10000, 40000000)

        def pan(*options):
            """Returns the output; "" after a time limit, for example an infinite loop in a d_step."""
            try:
                return subprocess.run(["./pan", *options, "-n", deep, "-w22"], cwd=folder, capture_output=True,
                                      text=True, timeout=15 + most // 20000).stdout
            except subprocess.TimeoutExpired:
                return ""

        out = pan("-E", "-A", "-c0")
        found = re.search(r"(\d+) states, stored", out)
        if "in d_step" not in out and \
                ("Search not completed" in out or "max search depth" in out or found is None):
            return None, "limit"
        stored = int(found.group(1))
        if stored > most:
            return stored, "large"
        error = first_error(pan())
        with open(path, encoding="utf-8") as f:
            exclusive = re.search(r"\bx[rs]\b", f.read()) is not None
        if exclusive and error in ("none", "end"):  # xr and xs are only checked with reductions
            subprocess.run(["gcc", *(c for c in CFLAGS if c != "-DNOREDUCE"), memory, "-o", "pan", "pan.c"], cwd=folder,
                           check=True)
            reduced = first_error(pan())
            error = reduced if reduced == "assertion" else error
        return (stored, error) if error is not None else (None, "limit")


def ours(count, path, most):
    """Returns (stored, error, message) of this front end."""
    run = subprocess.run([count, path, str(most), *(["promela:lossy=1"] if is_lossy(path) else [])], capture_output=True, text=True)
    line = run.stdout.strip()
    if run.returncode != 0:
        return None, "failed", run.stdout + run.stderr
    if line.startswith("refused") or line.startswith("large"):
        return None, re.split(r"\W", line)[0], line
    words = line.split()
    fault = int(words[7])
    if fault == 3:
        if "d_step" in line:
            return None, "d_step", line
        return None, "assertion", line
    if fault == 1:
        return None, "index", line
    if fault == 2:
        return None, "division", line
    return int(words[1]), "end" if int(words[5]) > 0 else "none", line


def read_record(path):
    record = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            for line in f:
                if line.strip() and not line.startswith("#"):
                    name, stored, error = line.split()
                    record[name] = (int(stored), error)
    return record


def write_record(path, record):
    with open(path, "w", encoding="utf-8") as f:
        f.write("# What SPIN 6.5.2 says of each model: states stored, first error (compare.py).\n")
        for name in sorted(record):
            f.write("%s %d %s\n" % (name, *record[name]))


def name_of(path):
    return os.path.basename(path)


def wrong(name, theirs, mine):
    """Returns the difference, or None. States with a fault are not expanded, so their number is not
    compared."""
    stored, error, line = mine
    if error == "failed":
        return "%s: %s" % (name, line)
    if error != theirs[1] and not (error == "assertion" and theirs[1] == "end") and \
            not (error == "end" and theirs[1] == "assertion"):
        return "%s: SPIN finds %s, we %s (%s)" % (name, theirs[1], error, line)
    if stored is not None and stored != theirs[0]:
        return "%s: SPIN stores %d states, we %d" % (name, theirs[0], stored)
    return None


def beem():
    found = []
    for folder, _, names in os.walk(os.path.join(os.environ.get("OMEN_CORPUS", ""), "beem")):
        found += [os.path.join(folder, n) for n in names if n.endswith(".pm")]
    return found


def main():
    arguments = sys.argv[1:]
    record_only = arguments[0] == "--record"
    count, record_path, most, least = arguments[record_only:record_only + 4]
    given = sorted(arguments[record_only + 4:])
    files = given or sorted(beem())
    if not files:
        print("the corpus is not there")
        return 77
    most, least = int(most), int(least)
    record = read_record(record_path)
    asked = shutil.which("spin") is not None and shutil.which("gcc") is not None
    if not asked:
        print("spin or gcc is not installed: only what is on record is compared")
    bad, compared, refused = [], 0, []
    for path in files:
        name = name_of(path)
        if name in record and not least <= record[name][0] <= most:
            continue
        theirs = record.get(name)
        if asked and (record_only or (given and theirs is None) or
                      "--again" in os.environ.get("SPIN", "")):
            answer = spin(path, most)
            if answer[0] is None:
                print("%s: SPIN: %s" % (name, answer[1]))
                bad += [name] if given else []
                continue
            record[name] = answer
            theirs = answer
            if record_only:
                write_record(record_path, record)
        if theirs is None and given:
            bad.append(name)
            print("%s: nothing is on record" % name)
        if theirs is None or theirs[1] == "large" or not least <= theirs[0] <= most:
            continue
        mine = ours(count, path, most * 20)
        if mine[1] in ("refused", "large"):
            refused.append("%s: %s" % (name, mine[2]))
            continue
        compared += 1
        what = wrong(name, theirs, mine)
        if what is not None:
            bad.append(what)
            print(what, flush=True)
    print("%d compared, %d refused, %d wrong" % (compared, len(refused), len(bad)))
    for line in refused:
        print("  refused", line)
    return 1 if bad or (refused and not record_only) else 0


if __name__ == "__main__":
    sys.exit(main())
