# SPDX-License-Identifier: Apache-2.0
"""Random formulas on random Promela models, compared with SPIN: random_formulas.py NUMBER [SEED].

Takes NUMBER models from SEED on (random_models.py), each with two ltl blocks, labels "accept..." and "progress..."
in places of its own, and compares verdicts with SPIN's verifier: of the formulas, of acceptance and of non-progress
cycles, each also under weak fairness where no rendezvous makes that another notion. A model that SPIN finds too
large is left out. Skipped (77) where spin or gcc is not installed. The program is that of the variable OMEN.
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

DEPTH = 200000


def formula(r, depth=0):
    """Without W: of <>[] (p W q), SPIN 6.5.2 has it that runs violate it on which p always holds."""
    if depth > 1 or r.random() < 0.25:
        return "(%s %s %s)" % (r.choice(["x", "y", "a[1]", "len(b)"]), r.choice(["==", "!=", "<", ">"]), r.choice("0123"))
    pick = r.random()
    if pick < 0.5:
        return "%s (%s)" % (r.choice(["[]", "<>", "[]<>", "<>[]", "!"]), formula(r, depth + 1))
    return "((%s) %s (%s))" % (formula(r, depth + 1), r.choice(["U", "V", "->", "&&", "||"]), formula(r, depth + 1))


def text_of(seed):
    """A model with labels at some of its statements, and two formulas."""
    r = random.Random(seed)
    labels = 0
    out = []
    for piece in re.split(r"(; |;\n)", random_models.Model(seed).text()):
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
    """"holds", "violated", or None where there is no answer, or another error came first."""
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
    out = run([os.environ["OMEN"], "check", path, *options, "--finite-runs", ends, "--device", "none", "--json",
               "--max-states", "400000"], None, 120)
    if out is None or out.returncode == 30 or "no progress labels" in out.stderr or \
            "no property 'accept'" in out.stderr:
        return None # a limit; or nobody ever stands at the labels
    if out.returncode not in (0, 10):
        return "exit status %d: %s" % (out.returncode, out.stderr.strip())
    return json.loads(out.stdout)["verdict"]


def ours(path, said, options):
    """Behind the end of a run np_ is false. No cycle there is fair to SPIN, which yet sees what a claim finds wrong on
    the way to it: under fairness "holds" is about endless runs, "violated" about all."""
    if "--non-progress" in options or ("--fairness" in options and said == "holds"):
        return check(path, "ignore", options)
    return check(path, "stutter", options)


def questions(text):
    """(name, the verifier that answers, its options, ours)"""
    fair = ["--fairness", "weak"]
    for name in ("one", "two"):
        yield name, "pan", ["-a", "-N", name], ["--property", name]
    if "accept" in text:
        yield "accept", "pan", ["-a", "-E", "-A", "-N", "none"], ["--property", "accept"]
    if "progress" in text:
        yield "progress", "np", ["-l", "-E", "-A"], ["--non-progress"]
    if not re.search(r"\b[rs][!?]", text):
        for name in ("one", "two"):
            yield name + ", fair", "pan", ["-a", "-f", "-N", name], ["--property", name, *fair]
        if "progress" in text:
            yield "progress, fair", "np", ["-l", "-f", "-E", "-A"], ["--non-progress", *fair]


def compare(folder, seed):
    """(compared, what is wrong)"""
    text = text_of(seed)
    path = os.path.join(folder, "m.pml")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    made = run(["spin", "-a", "-o1", "-o2", "-o3", "m.pml"], folder, 5) # some formulas take it minutes
    if made is None or made.returncode != 0 or not build(folder, "pan"):
        return 0, []
    bare = text[:text.index("\nltl one")]
    with open(os.path.join(folder, "bare.pml"), "w", encoding="utf-8") as f:
        f.write(bare)
    compared, wrong = 0, []
    built = {"pan"}
    for name, program, options, own in questions(text):
        if program == "np" or name == "accept":
            kind = "np" if program == "np" else "bare"
            if kind not in built:
                run(["spin", "-a", "-o1", "-o2", "-o3", "bare.pml"], folder, 60)
                if not build(folder, kind, *(["-DNP"] if kind == "np" else [])):
                    continue
                built.add(kind)
            options = [o for o in options if o not in ("-N", "none")]
            said = theirs(folder, kind, *options)
        else:
            said = theirs(folder, program, *options)
        mine = None if said is None else ours(path, said, own)
        if said is None or mine is None:
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
    for k in range(seed, seed + number):
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
