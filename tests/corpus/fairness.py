# SPDX-License-Identifier: Apache-2.0
"""Fairness of processes in published models: compares --fairness with the same assumptions written into the
LTL formula. For the formula, a variable for the process of the last transition is added to the model. The
verdicts must be the same. `measure` prints times and states of both, for the models and formulas of its
table, which are larger; a formula that exceeds the time limit is reported as such.

  fairness.py --omen OMEN --corpus CORPUS test|measure [MODEL ...] [--seconds N]
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

# Model, kind of fairness, property; those of `test` first.
TESTS = [
    ("phils.1", "weak", "GF phil_0.eat"), ("phils.1", "strong", "GF phil_0.one"),
    ("phils.1", "weak", "G(phil_0.eat -> F phil_0.think)"),
    ("bakery.1", "weak", "GF P_0.CS"), ("bakery.1", "strong", "G(P_0.wait -> F P_0.CS)"),
    ("bakery.1", "weak", "FG !P_0.CS"),
    ("lamport.1", "weak", "GF (P_0.CS || P_1.CS || P_2.CS)"), ("lamport.1", "weak", "GF P_0.CS"),
]
MEASURES = [(model, kind, formula)
            for formula, models in (
                ("G(phil_0.eat -> F phil_0.think)", "phils.1 phils.2 phils.3 phils.4 phils.5"),
                ("G(P_0.CS -> F P_0.NCS)", "bakery.1 bakery.3 bakery.4 bakery.5 bakery.6 "
                                           "lamport.1 lamport.2 lamport.3 lamport.4 lamport.5"))
            for model in models.split() for kind in ("weak", "strong")]

PROCESS = re.compile(r"process\s+(\w+)\s*\{(.*?)\n\s*\}(?=\s*(?:process|system|\Z))", re.S)
TRANSITION = re.compile(r"(\w+)\s*->\s*(\w+)\s*\{([^}]*)\}")


def instrument(text):
    """Returns the model with the variable `last`, and for each process the condition under which it is enabled."""
    able = []

    def process(found):
        name, body = found.group(1), found.group(2)
        head, trans = body.split("trans", 1)
        own = re.findall(r"\w+", " ".join(re.findall(r"\b(?:byte|int)\s+([^;]*);", head)))
        number, ways = len(able), []

        def transition(step):
            guard = re.search(r"guard\s+([^;]*);", step.group(3))
            effect = re.search(r"effect\s+([^;]*);", step.group(3))
            when = guard.group(1) if guard else ""
            for variable in own:
                when = re.sub(rf"\b{variable}\b", f"{name}->{variable}", when)
            ways.append(f"({name}.{step.group(1)}" + (f" and ({when})" if when else "") + ")")
            return (f"{step.group(1)} -> {step.group(2)} {{ " +
                    (f"guard {guard.group(1)}; " if guard else "") + "effect " +
                    (f"{effect.group(1)}, " if effect else "") + f"last = {number}; }}")

        trans = TRANSITION.sub(transition, trans)
        able.append(" or ".join(" ".join(way.split()) for way in ways))
        return f"process {name} {{{head}trans{trans}\n}}\n"

    text = re.sub(r"//[^\n]*", "", text)
    return "byte last = 255;\n" + PROCESS.sub(process, text), able


def check(omen, *args, seconds=600):
    """Returns the result as JSON, or the reason why there is none."""
    try:
        done = subprocess.run([omen, "check", *args, "--device", "none", "--threads", "1", "--json", "--timeout",
                               str(seconds)], capture_output=True, text=True)
        return json.loads(done.stdout) if done.returncode in (0, 10, 30) else done.stderr
    except json.JSONDecodeError as error:
        return str(error)


def both(options, folder, model, kind, formula, seconds):
    """Returns the check with --fairness, and the check with the assumptions in the formula."""
    path = os.path.join(options.corpus, "beem", model.split(".")[0], model + ".dve")
    with open(path) as f:
        text, able = instrument(f.read())
    made = os.path.join(folder, model + ".dve")
    with open(made, "w") as f:
        f.write(text)
    first = "FG" if kind == "weak" else "GF"
    assumed = " & ".join(f'({first} "{a}" -> GF "last == {i}")' for i, a in enumerate(able))
    ways = ([path, "--ltl", formula, "--fairness", kind],
            [made, "--ltl", f"({assumed}) -> ({formula})"])
    if options.what == "measure":  # compiles native code before the measurement
        for way in ways:
            check(options.omen, *way, "--exec", "native", "--max-states", "1000", seconds=seconds)
    return tuple(check(options.omen, *way, seconds=seconds) for way in ways)


def test(options, folder):
    seen = set()
    for model, kind, formula in TESTS:
        fair, written = both(options, folder, model, kind, formula, 60)
        verdicts = [r["verdict"] if isinstance(r, dict) else r for r in (fair, written)]
        print(model, kind, formula, *verdicts)
        if verdicts[0] != verdicts[1] or verdicts[0] not in ("holds", "violated"):
            return 1
        seen.add(verdicts[0])
    return 0 if len(seen) == 2 else 1


def figures(result):
    if not isinstance(result, dict):
        return f"no result ({result.strip()})"
    return (f"{result['verdict']}, {result['states']} states, automaton of "
            f"{sum(p['automaton_states'] for p in result['parts'])}, {result['seconds']:.2f} s")


def measure(options, folder):
    for model, kind, formula in MEASURES:
        if options.models and model not in options.models:
            continue
        fair, written = both(options, folder, model, kind, formula, options.seconds)
        print(f"{model} {kind} {formula}\n  --fairness: {figures(fair)}\n  written: {figures(written)}")
        if isinstance(fair, dict) and isinstance(written, dict):
            print(f"  {written['seconds'] / max(fair['seconds'], 1e-3):.1f} times")
        sys.stdout.flush()
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--omen", default=os.environ.get("OMEN"))
    parser.add_argument("--corpus", default=os.environ.get("OMEN_CORPUS"))
    parser.add_argument("--seconds", type=int, default=50, help="for each check of `measure`")
    parser.add_argument("what", choices=["test", "measure"])
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    if not os.path.isdir(os.path.join(options.corpus or "", "beem")):
        print("skipped: the corpus is not there (OMEN_CORPUS)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        return {"test": test, "measure": measure}[options.what](options, folder)


if __name__ == "__main__":
    sys.exit(main())
