# SPDX-License-Identifier: Apache-2.0
"""Random formulas on random Promela models, compared with SPIN: random_formulas.py NUMBER [SEED].

Takes NUMBER models from SEED on (random_models.py), adds two ltl blocks and labels "accept..." and "progress..." to each,
and compares verdicts with SPIN's verifier: on the formulas, on acceptance and on non-progress cycles, each also under weak
fairness unless a rendezvous gives that another meaning. Models that are too large for SPIN are left out. The test is
skipped (77) if spin or gcc is not installed. The variable OMEN names the program.
"""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

import random_models

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from seed import cases

DEPTH = 200000


def formula(r, depth=0):
    """Returns a formula without W: SPIN 6.5.2 says that runs on which p always holds violate <>[]
    (p W q)."""
    if depth > 1 or r.random() < 0.25:
        return "(%s %s %s)" % (r.choice(["x", "y", "a[1]", "len(b)"]), r.choice(["==", "!=", "<", ">"]), r.choice("0123"))
    pick = r.random()
    if pick < 0.5:
        return "%s (%s)" % (r.choice(["[]", "<>", "[]<>", "<>[]", "!"]), formula(r, depth + 1))
    return "((%s) %s (%s))" % (formula(r, depth + 1), r.choice(["U", "V", "->", "&&", "||"]), formula(r, depth + 1))


def text_of(seed):
    """Returns a model with labels at some of its statements, and two formulas."""
    r = random.Random(seed)
    labels = 0
    out = []
    for piece in re.split(r"(; |;\n)", random_models.Model(seed, extras=False).text()):
        if re.match(r"\s*(x|y|l|a\[1\])(\+\+|--| =)", piece) and r.random() < 0.15:
            labels += 1
            piece = "%s%d: %s" % (r.choice(["accept", "progress"]), labels, piece.lstrip())
        out.append(piece)
    return "".join(out) + "\nltl one { %s }\nltl two { %s }\n" % (formula(r), formula(r))


def run(command, folder, seconds):
    try:
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None


def build(folder, program, *flags):
    made = run(["gcc", "-w", "-O0", "-DNOREDUCE", "-DMEMLIM=400", *flags, "-o", program, "pan.c"], folder, 60)
    return made is not None and made.returncode == 0


def theirs(folder, program, *options):
    """Returns "holds", "violated", or None if there is no answer or another error came first."""
    out = run(["./" + program, "-n", "-m%d" % DEPTH, "-w22", *options], folder, 60)
    if out is None or "max search depth" in out.stdout or "Search not completed" in out.stdout and "errors: 0" in out.stdout:
        return None
    errors = re.search(r"errors: (\d+)", out.stdout)
    first = re.search(r"^pan:1: (.*)$", out.stdout, re.M)
    if errors is None or (first is not None and not re.match(r"(acceptance|non-progress) cycle|assertion violated  ?!|end state in claim",
                                                             first.group(1))):
        return None
    return "holds" if errors.group(1) == "0" else "violated"


def check(path, ends, options):
    out = run([os.environ["OMEN"], "check", path, *options, "--finite-runs", ends, "--device", "none", "--json-lines",
               "--max-states", "400000"], None, 120)
    if out is None or out.returncode == 30 or "no progress labels" in out.stderr or \
            "no property 'accept'" in out.stderr or "has no property of its own" in out.stderr:
        return None  # a limit, or no process is ever at the labels
    if out.returncode not in (0, 10):
        return "exit status %d: %s" % (out.returncode, out.stderr.strip())
    answer = json.loads(out.stdout.splitlines()[-1])
    # If an assertion fails, which SPIN was told to ignore, there may be no answer.
    return None if answer["verdict"] == "unknown" else answer["verdict"]


def ours(path, said, options):
    """Returns omen's verdict. After the end of a run np_ is false. SPIN considers no cycle there
    fair, but still finds the violations that a claim detects on the way to it: under fairness
    "holds" is about infinite runs, "violated" about all."""
    if "--non-progress" in options or ("--fairness" in options and said == "holds"):
        return check(path, "ignore", options)
    return check(path, "stutter", options)


def questions(text):
    """Yields (name, model, flags of its verifier, options of the verifier, omen's options); equal
    models are adjacent."""
    fair = ["--fairness", "weak"]
    rendezvous = re.search(r"\b[rs][!?]", text) is not None
    for name in ("one", "two"):
        yield name, "formulas", (), ["-a", "-N", name], ["--property", name]
        if not rendezvous:
            yield name + ", fair", "formulas", (), ["-a", "-f", "-N", name], ["--property", name, *fair]
    if "accept" in text:
        yield "accept", "bare", (), ["-a", "-E", "-A"], ["--property", "accept"]
    if "progress" in text:
        yield "progress", "bare", ("-DNP",), ["-l", "-E", "-A"], ["--non-progress"]
        if not rendezvous:
            yield "progress, fair", "bare", ("-DNP",), ["-l", "-f", "-E", "-A"], ["--non-progress", *fair]


def models(text):
    """Returns the model without formulas, and without accepting labels: with a claim, the verifier
    also looks for cycles through such labels."""
    return {"bare": text[:text.index("\nltl one")], "formulas": re.sub(r"\baccept(\d+):", r"label\1:", text)}


def compare(folder, seed):
    """Returns (number compared, errors)."""
    text = text_of(seed)
    if "_nr_pr" in text:  # the verifier also counts the claim
        return 0, []
    for name, content in models(text).items():
        with open(os.path.join(folder, name + ".pml"), "w", encoding="utf-8") as f:
            f.write(content)
    compared, wrong, built, good = 0, [], None, False
    for name, model, flags, options, own in questions(text):
        if built != (model, flags):
            made = run(["spin", "-a", "-o1", "-o2", "-o3", model + ".pml"], folder, 5)  # some formulas take minutes
            built = model, flags
            good = made is not None and made.returncode == 0 and build(folder, "pan", *flags)
        said = theirs(folder, "pan", *options) if good else None
        mine = None if said is None else ours(os.path.join(folder, model + ".pml"), said, own)
        if mine is None:
            continue
        compared += 1
        if said != mine:
            wrong.append("seed %d, %s: SPIN says %s, we %s" % (seed, name, said, mine))
    return compared, wrong


def main():
    number = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    if shutil.which("spin") is None or shutil.which("gcc") is None:
        print("spin or gcc is not installed")
        return 77
    compared = bad = 0
    for k in cases(seed, number):
        with tempfile.TemporaryDirectory() as folder:
            count, wrong = compare(folder, k)
        compared += count
        bad += len(wrong)
        for line in wrong:
            print(line, flush=True)
    print("%d compared, %d wrong" % (compared, bad))
    return 1 if bad or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
