# SPDX-License-Identifier: Apache-2.0
"""Compares this front end's verdicts on properties of the models of BEEM in Promela with SPIN's.

beem_verdicts.py [--record] MOST LEAST

beem-properties.txt has the properties, beem.txt the number of states that SPIN stores for a model: models of more than MOST
or fewer than LEAST are left out. claims/ has a never claim for each shape of property, as `spin -f` makes it from the negated
property, except for the last step: "goto accept_all" instead of an assertion that fails. Each property is checked twice, as
an ltl block and as a never claim. beem-verdicts.txt holds the results of SPIN's verifier: "MODEL PROPERTY ltl|never
violated|holds", or "limit" if it did not finish within its 2 GB. --record runs the verifier for properties without a record
(needs spin and gcc). The variable OMEN names the program; without the corpus the test is skipped (77).
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from functools import partial

import compare

print = partial(print, flush=True)

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(HERE, "beem-verdicts.txt")
# Flags for compiling the verifier: without reduction, because omen does not reduce either.
CFLAGS = ["-w", "-O1", "-DNOREDUCE", "-DMEMLIM=2048"]
OPERANDS = ["om_p", "om_q", "om_r"]


def read_properties():
    """Returns {family: [(name, shape, expressions)]}."""
    properties = {}
    with open(os.path.join(HERE, "beem-properties.txt"), encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                head, *expressions = re.split(r" \| ", line.strip())
                family, name, shape = head.split()
                properties.setdefault(family, []).append((name, shape, expressions))
    return properties


def read_claim(shape):
    """Returns the formula of a shape, from the comment in the second line of its file, and the
    claim."""
    with open(os.path.join(HERE, "claims", shape + ".never"), encoding="utf-8") as f:
        text = f.read()
    return re.search(r"^/\* (?!SPDX)(.*) \*/$", text, re.M).group(1), text


def expand(expression, text):
    """Expands sum(P_#@l) to the number of the model's processes P_0, P_1 ... that are at location
    l."""
    def summed(match):
        family, label = match.group(1), match.group(2)
        names = sorted(set(re.findall(r"proctype (%s\d+)" % family, text)))
        return "(%s)" % " + ".join("%s@%s" % (name, label) for name in names)
    return re.sub(r"sum\((\w+)#@(\w+)\)", summed, expression)


def filled(shape_text, expressions):
    """Returns a formula or a claim with expressions as its operands."""
    for operand, expression in zip(OPERANDS, expressions):
        shape_text = shape_text.replace(operand, "(%s)" % expression)
    return shape_text


def with_blocks(text, properties):
    """Returns the model with an ltl block for each of its properties."""
    return text + "".join("\nltl prop_%s { %s }\n" % (name, filled(read_claim(shape)[0], expressions))
                          for name, shape, expressions in properties)


def claim_of(name, shape, expressions):
    """Returns a claim for the runs that the property forbids."""
    return "\n" + filled(read_claim(shape)[1], expressions).replace("never ", "never claim_%s " % name)


def forms(text, properties):
    """Yields the model's text for each property and form, and the option value that selects it."""
    blocks = with_blocks(text, properties)
    for name, shape, expressions in properties:
        yield name, "ltl", blocks, "prop_" + name
        yield name, "never", text + claim_of(name, shape, expressions), None


def spin(text, properties, states):
    """Returns SPIN's verdicts, {(property, form): verdict}. One verifier has all properties,
    because compiling takes long."""
    text = with_blocks(text, properties) + "".join(claim_of(*p) for p in properties)
    verdicts = {}
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "m.pml"), "w", encoding="utf-8") as f:
            f.write(text)
        made = subprocess.run(["spin", "-a", "-o1", "-o2", "-o3", "m.pml"], cwd=folder, capture_output=True, text=True)
        if made.returncode != 0:
            sys.exit("SPIN: %s" % made.stdout)
        subprocess.run(["gcc", *CFLAGS, "-o", "pan", "pan.c"], cwd=folder, check=True)
        for name, _, _ in properties:
            for form, choice in (("ltl", "prop_" + name), ("never", "claim_" + name)):
                verdicts[name, form] = verdict_of(folder, choice, states)
    return verdicts


def verdict_of(folder, choice, states):
    """Returns the verifier's verdict on one claim."""
    deep = "-m%d" % min(states * 4 + 100000, 10000000)
    out = subprocess.run(["./pan", "-a", "-n", deep, "-w22", "-N", choice], cwd=folder, capture_output=True, text=True).stdout
    errors = re.search(r"errors: (\d+)", out)
    if "(%s)" % choice not in out or errors is None:
        sys.exit("SPIN: %s: %s" % (choice, out))
    # The models have no assertions: those that fail are made by SPIN from a claim's last step.
    if any(says in out for says in ("acceptance cycle", "assertion violated", "end state in claim")):
        return "violated"
    if errors.group(1) != "0" or "Search not completed" in out or "max search depth" in out:
        print("SPIN: %s: %s" % (choice, out[:300]))
        return "limit"
    return "holds"


def ours(text, choice):
    """Returns this front end's verdict, or an error."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.pml")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        run = subprocess.run([os.environ["OMEN"], "check", path, "--finite-runs", "stutter", "--device", "none",
                              "--json-lines", *(["--property", choice] if choice else [])],
                             capture_output=True, text=True)
    if run.returncode not in (0, 10):
        return "exit status %d: %s" % (run.returncode, run.stderr.strip())
    # Without a choice, the claim comes after the checks built into the language.
    return json.loads(run.stdout.splitlines()[-1])["verdict"]


def read_record():
    record = {}
    if os.path.exists(RECORD):
        with open(RECORD, encoding="utf-8") as f:
            for line in f:
                if not line.startswith("#"):
                    model, name, form, verdict = line.split()
                    record[model, name, form] = verdict
    return record


def write_record(record):
    with open(RECORD, "w", encoding="utf-8") as f:
        f.write("# What SPIN 6.5.2's verifier says of BEEM's properties (beem_verdicts.py).\n")
        for key in sorted(record):
            f.write("%s %s %s %s\n" % (*key, record[key]))


def main():
    arguments = sys.argv[1:]
    record_only = arguments[0] == "--record"
    most, least = (int(word) for word in arguments[record_only:])
    found = {compare.name_of(path): path for path in compare.beem()}
    if not found:
        print("the corpus is not there")
        return 77
    properties, record = read_properties(), read_record()
    sizes = compare.read_record(os.path.join(HERE, "beem.txt"))
    wrong, compared = 0, 0
    for model in sorted((m for m in sizes if least <= sizes[m][0] <= most), key=lambda m: sizes[m][0]):
        with open(found[model], encoding="utf-8") as f:
            text = f.read()
        own = [(name, shape, [expand(e, text) for e in expressions])
               for name, shape, expressions in properties[model.split(".")[0]]]
        if record_only:
            missing = [p for p in own if (model, p[0], "ltl") not in record]
            if missing:
                print(model, *(name for name, _, _ in missing))
                for key, verdict in spin(text, missing, sizes[model][0]).items():
                    record[(model, *key)] = verdict
                write_record(record)
            continue
        for name, form, given, choice in forms(text, own):
            verdict = record.get((model, name, form))
            if verdict is None:
                sys.exit("%s %s %s: nothing is on record" % (model, name, form))
            if verdict == "limit":
                continue
            mine = ours(given, choice)
            compared += 1
            if mine != verdict:
                wrong += 1
                print("%s %s %s: SPIN says %s, we %s" % (model, name, form, verdict, mine))
    print("%d compared, %d wrong" % (compared, wrong))
    return 1 if wrong or (compared == 0 and not record_only) else 0


if __name__ == "__main__":
    sys.exit(main())
