# SPDX-License-Identifier: Apache-2.0
"""Random Promela models with merged statements and dead variables reset, compared with the unchanged models:
random_merging.py NUMBER [SEED].

Takes NUMBER models from SEED on (random_models.py), and compares the results of an exploration and the verdicts on
assertions and end states, on two formulas and on labels, some under fairness. The program itself checks each run that it
finds. The variable OMEN names the program.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

import random_formulas
import random_models

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from seed import cases

MOST = "100000"


def omen(*arguments):
    """Returns (exit status, answers)."""
    run = subprocess.run([os.environ["OMEN"], *arguments, "--exec", "vm", "--json", "--max-states", MOST],
                         capture_output=True, text=True, timeout=300)
    answers, at, decoder = [], 0, json.JSONDecoder()
    while run.stdout[at:].strip():
        at += len(run.stdout[at:]) - len(run.stdout[at:].lstrip())
        answer, at = decoder.raw_decode(run.stdout, at)
        answers.append(answer)
    return run.returncode, answers


def verdict(path, options):
    """Returns the verdicts, "limit" or the error of the model, and the number of states. While a
    property is checked, a failed assertion is found only if the property is not violated first."""
    status, answers = omen("check", path, *options)
    if any(answer["reason"] == "state limit" for answer in answers):
        return "limit", 0
    if status in (0, 10):
        told = [answer["verdict"] for answer in sorted(answers, key=lambda answer: answer["property"] or "")
                if answer["about"] == "property" or not ("--property" in options or "--ltl" in options or
                                                         "--non-progress" in options or "--invariant" in options)]
        return " ".join(told), sum(answer["states"] for answer in answers)
    if status == 30:
        return "limit", 0
    return "exit status %d" % status, 0


def checks(r):
    """Yields options of some checks."""
    yield []
    for name in ("one", "two", "accept"):
        yield ["--property", name]
    fairness = r.choice(["weak", "strong"])
    yield ["--property", r.choice(["one", "two"]), "--fairness", fairness]
    yield ["--ltl", random_formulas.formula(r), "--finite-runs", r.choice(["stutter", "ignore"])]
    yield ["--non-progress"]
    yield ["--invariant", "x %s %d" % (r.choice(["!=", "<", ">"]), r.randint(0, 3))]


def explored(path, merge):
    status, answers = omen("explore", path, "--merge", merge)
    answer = answers[0] if answers else {}
    return status, answer.get("states"), answer.get("deadlocks")


def main():
    number = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    compared = wrong = fewer = 0
    before = after = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.pml")
        for k in cases(seed, number):
            with open(path, "w", encoding="utf-8") as f:
                f.write(random_formulas.text_of(k) if k % 3 else
                        random_models.Model(k).text() + "ltl one { []<>(x > 0) }\nltl two { <>[](y == 0) }\n")
            plain, merged = explored(path, "off"), explored(path, "on")
            if plain[0] != 0:
                continue  # the model is refused, has an error or is too large
            if merged[0] != 0 or merged[1] > plain[1] or merged[2] != plain[2]:
                wrong += 1
                print("seed %d: explored: %s, merged %s" % (k, plain, merged))
            fewer += merged[1] < plain[1]
            r = random.Random("merging %d" % k)
            for options in checks(r):
                exact, states = verdict(path, options + ["--merge", "off", "--reset-dead", "off"])
                if exact in ("limit", "exit status 2"):
                    continue  # too large, or there are no such labels
                compared += 1
                ours, less = verdict(path, options)
                before += states
                after += less
                if ours != exact:
                    wrong += 1
                    print("seed %d: %s: %s, merged %s" % (k, " ".join(options), exact, ours))
    print("%d compared, %d wrong; %d models with fewer states, when merged alone; %d states of checks for %d"
          % (compared, wrong, fewer, after, before))
    return 1 if wrong or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
