# SPDX-License-Identifier: Apache-2.0
"""Formulas on models whose assertions fail, compared with SPIN: random_assertions.py NUMBER [SEED].

Takes NUMBER models from SEED on (random_models.py), adds assertions and two ltl blocks to each. An assertion that fails has
a verdict of its own, which SPIN's verifier must confirm; the verdict on all assertions is compared with the verifier's. The
verdict on a formula is compared with that of the verifier on the model without assertions, whose runs continue (the
verifier's option -A would also hide the violations of claims). "holds" must be its verdict as well. "violated" must be its
verdict on the runs on which no assertion fails, where the model records failures in a variable. Models that are too large
for SPIN are left out. The test is skipped (77) if spin or gcc is not installed. The variable OMEN names the program.
"""
import json
import os
import random
import re
import shutil
import sys
import tempfile

import random_formulas
import random_models
from random_formulas import build, formula, run, theirs
from seed import cases

# The reason given if a formula does not hold but is not reported as violated.
AFTER = "violated only by runs that continue after an assertion fails"
FAILED = "d_step { if :: (%s) -> skip :: else -> failed_ = 1 fi }"


def text_of(seed):
    """Returns (model, formulas); the model has assertions before some of its assignments."""
    r = random.Random(seed)
    out = []
    for piece in re.split(r"(; |;\n)", random_models.Model(seed, extras=False).text()):
        if re.match(r"\s*(x|y|l|a\[1\])(\+\+|--| =)", piece) and r.random() < 0.2:
            condition = "%s %s %s" % (r.choice(["x", "y", "a[1]"]), r.choice(["!=", "<", ">="]), r.choice("123"))
            piece = "assert(%s); %s" % (condition, piece.lstrip())
        out.append(piece)
    return "".join(out), [formula(r), formula(r)]


def models(text, formulas):
    """Returns the model as it is; without formulas, for assertions; without assertions; and
    recording failures."""
    blocks = "".join("\nltl %s { %%s }\n" % name for name in ("one", "two"))
    noted = re.sub(r"assert\(([^()]*)\)", lambda found: FAILED % found.group(1), text)
    plain = re.sub(r"\baccept(\d+):", r"label\1:", text)
    return {"formulas": plain + blocks % tuple(formulas), "bare": plain,
            "ignored": re.sub(r"assert\([^()]*\)", "(1)", plain) + blocks % tuple(formulas),
            "noted": "bit failed_;\n" + noted + blocks % tuple("(<> (failed_ == 1)) || (%s)" % f for f in formulas)}


def verifier(folder, model, *flags):
    made = run(["spin", "-a", "-o1", "-o2", "-o3", model + ".pml"], folder, 5)  # some formulas take minutes
    return made is not None and made.returncode == 0 and build(folder, "pan-" + model, *flags)


def fails(folder):
    """Returns true if SPIN finds a failed assertion; None if there is no answer."""
    out = run(["./pan-bare", "-n", "-E", "-m%d" % random_formulas.DEPTH, "-w22"], folder, 60)
    if out is None or "max search depth" in out.stdout or "errors:" not in out.stdout:
        return None
    return "assertion violated" in out.stdout


def ours_fails(folder):
    """Returns true if omen finds a failed assertion; None if there is no answer."""
    out = run([os.environ["OMEN"], "check", os.path.join(folder, "bare.pml"), "--assertions", "--device", "none",
               "--json-lines", "--max-states", "400000"], None, 120)
    if out is None or out.returncode not in (0, 10):
        return None
    return json.loads(out.stdout.splitlines()[-1])["verdict"] == "violated"


def ours(folder, name):
    """Returns (the assertion's result or None, the property's result); None after a limit or
    another error of the model."""
    out = run([os.environ["OMEN"], "check", os.path.join(folder, "formulas.pml"), "--property", name, "--finite-runs",
               "stutter", "--device", "none", "--json-lines", "--max-states", "400000"], None, 120)
    if out is None or out.returncode not in (0, 10, 30):
        return None
    found = [value for value in map(json.loads, out.stdout.splitlines()) if "verdict" in value]
    if [value["about"] for value in found] not in (["property"], ["assertion", "property"]):
        raise AssertionError(out.stdout)
    worst = {"holds": 0, "violated": 10, "unknown": 30}[found[-1]["verdict"]]
    if out.returncode != (10 if len(found) > 1 else worst):
        raise AssertionError("exit status %d\n%s" % (out.returncode, out.stdout))
    return (found[0] if len(found) > 1 else None), found[-1]


def wrong(folder, name, good, failing):
    """Returns (number compared, error or None)."""
    said = theirs(folder, "pan-ignored", "-a", "-N", name) if good["ignored"] else None
    mine = None if said is None else ours(folder, name)
    if mine is None:
        return 0, None
    assertion, found = mine
    if assertion is not None and (failing is False or assertion["verdict"] != "violated" or assertion["lasso"] is None):
        return 1, "an assertion is said to fail: %s" % assertion["property"]
    if found["verdict"] == "unknown" and found["reason"] != AFTER:
        return 0, None
    if found["verdict"] == "unknown" and assertion is None:
        return 1, "unknown, and no assertion fails"
    if (found["verdict"] == "holds") != (said == "holds"):
        return 1, "SPIN says %s, we %s" % (said, found["verdict"])
    # A finite violation does not depend on its continuation, on which assertions may fail.
    if found["verdict"] == "violated" and assertion is not None and "loop" in found["lasso"] and good["noted"] and \
            theirs(folder, "pan-noted", "-a", "-E", "-N", name) == "holds":
        return 1, "violated, but by no run on which no assertion fails"
    return 1, None


def compare(folder, seed):
    """Returns (number compared, number compared with a failed assertion, errors)."""
    text, formulas = text_of(seed)
    if "_nr_pr" in text or "assert" not in text:  # the verifier also counts the claim
        return 0, 0, []
    made = models(text, formulas)
    for name, content in made.items():
        with open(os.path.join(folder, name + ".pml"), "w", encoding="utf-8") as f:
            f.write(content)
    good = {name: verifier(folder, name, *(("-DSAFETY",) if name == "bare" else ()))
            for name in made if name != "formulas"}
    failing = fails(folder) if good["bare"] else None
    compared, bad = 0, []
    if failing is not None and ours_fails(folder) not in (failing, None):
        bad.append("seed %d: SPIN says that %s assertion fails" % (seed, "an" if failing else "no"))
    for name in "one", "two":
        count, what = wrong(folder, name, good, failing)
        compared += count
        if what is not None:
            bad.append("seed %d, %s: %s" % (seed, name, what))
    return compared, compared if failing else 0, bad


def main():
    number = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    if shutil.which("spin") is None or shutil.which("gcc") is None:
        print("spin or gcc is not installed")
        return 77
    compared = beside = bad = 0
    for k in cases(seed, number):
        with tempfile.TemporaryDirectory() as folder:
            count, failing, lines = compare(folder, k)
        compared += count
        beside += failing
        bad += len(lines)
        for line in lines:
            print(line, flush=True)
    print("%d compared, %d beside an assertion that fails, %d wrong" % (compared, beside, bad))
    # A few cases may have no failing assertion.
    return 1 if bad or (number >= 100 and beside == 0) else 0


if __name__ == "__main__":
    sys.exit(main())
