#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs omen over the published models and compares with the published answers.

usage: corpus.py SUITE [--omen PROGRAM] [--corpus FOLDER] [--most STATES] [--tenth]
                 [--threads N,...] [--device none,auto] [--exec vm,native,device] [--only TEXT]
                 [--checkers NAME,...] [--checker NAME[:OPTIONS]] [--automata NAME,...] [--models NAME,...]
                 [--memory SIZE] [--time TIME] [--max-states N] [--log FILE]
SUITE
  states   `omen explore` of beem/state-spaces.csv: states, and transitions and levels if listed
  ltl      the ltl rows of beem/properties.csv, from the .prop files, with --finite-runs=ignore and
           stutter; corrections.csv lists published answers that are wrong
  reach    the reach rows in reach.csv (the macro written out), as --invariant, with the length
  rabin    rabin-sttt/expected.csv: from the _tgba.hoa, from the .ltl, and product_states by dijkstra;
           with --checker, from the automata of --automata, on --models, the smallest products first, by
           that checker alone (it takes their acceptance as it is), and product_states (rabin.py); or by
           the planner's choice (--checker auto). --log FILE records the cases, and skips recorded ones
  checkers the _tgba.hoa of four models there by every checker that needs no device, or by --checkers;
           if there is no violation, product_states, or with a degeneralised automaton the same by all
  nets     petri/state-spaces.csv and the state spaces of P/T nets in mcc/expected.csv (petri.py)
  nets-ltl petri/properties.csv: from the .ltl and from each .hoa, and tgba_product_states by dijkstra

--most N     only models (checkers: products) with at most N states          --least N   and more than N
--tenth      every tenth case, the same ones each time
Every violated case writes a lasso that `omen replay` must accept, and mutated copies of it (a value,
a transition, the loop) that it must reject.
Exit status: 0 all agree, 1 some do not, 77 the corpus is missing.
"""
import argparse
import atexit
import copy
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

import petri
import rabin

MODELS_OF_CHECKERS = rabin.MODELS + ("production_cell.6",)
# These checkers prove emptiness without visiting the whole product.
STORE_LESS = ("weak-hybrid",)
# omen's messages about a checker that cannot check a property.
NOT_FOR_THIS = re.compile("is not sound for|takes no acceptance that the automaton can be converted to")


class Suite:
    def __init__(self, options):
        self.options = options
        self.passed, self.failed, self.limited = 0, [], []
        # In a sanitized build, the leak checker of gcc 12 crashes in its own tracer if an OpenCL driver runs. Unit
        # tests look for leaks.
        self.environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0:use_sigaltstack=0")
        self.folder = tempfile.mkdtemp(prefix="omen-corpus-")
        atexit.register(shutil.rmtree, self.folder, ignore_errors=True)

    def beem(self, name):
        family = name.split(".")[0]
        return os.path.join(self.options.corpus, "beem", family, name + ".dve")

    def rows(self, *path):
        with open(os.path.join(self.options.corpus, *path), encoding="utf-8") as f:
            return list(csv.DictReader(f))

    def sizes(self):
        return {r["model"]: int(r["states"]) for r in self.rows("beem", "state-spaces.csv")}

    def chosen(self, cases):
        """Returns the cases of this run: selected by name, then every tenth if requested."""
        cases = [c for c in cases if self.options.only in str(c)]
        return cases[::10] if self.options.tenth else cases

    def omen(self, *arguments):
        """Returns exit status, standard output and standard error of the program."""
        p = subprocess.run([self.options.omen, *arguments], capture_output=True, text=True,
                           timeout=self.options.timeout, check=False, env=self.environment)
        return p.returncode, p.stdout, p.stderr

    def result(self, *arguments):
        """Returns the JSON result of a command that must not fail, or a string that describes the failure."""
        try:
            status, out, err = self.omen(*arguments, *self.limits(), "--json")
        except subprocess.TimeoutExpired:
            return "no answer within %d s" % self.options.timeout
        if status not in ((0, 10, 30) if self.limits() else (0, 10)):
            return "exit status %d: %s" % (status, err.strip()[-400:])
        try:
            return json.loads(out)
        except ValueError as e:
            return "output is not JSON (%s): %s" % (e, out[:200])

    def limits(self):
        """Returns the limits of each check as words of omen's command line; scripts that share this class may have
        none.
        """
        given = (("--memory", "memory"), ("--timeout", "time"), ("--max-states", "max_states"))
        given = [(word, getattr(self.options, name, None)) for word, name in given]
        return [word for pair in given if pair[1] for word in pair]

    def judge(self, what, complaints):
        """Counts one case; complaints is empty if it agrees."""
        if complaints:
            self.failed.append(what)
            print("FAIL %s: %s" % (what, "; ".join(complaints)), flush=True)
        else:
            self.passed += 1
            if self.options.verbose:
                print("ok   %s" % what, flush=True)

    def check(self, what, verdict, arguments, replay=(), expect=()):
        """Compares one `omen check` with a published verdict. expect: (field, value) of the result."""
        lasso = os.path.join(self.folder, "lasso.json")
        if os.path.exists(lasso):
            os.remove(lasso)
        r = self.result("check", *arguments, "--lasso", lasso, "--progress", "never")
        if isinstance(r, str):
            self.judge(what, [r])
            return None
        if r["verdict"] == "unknown":
            self.limited.append(what)
            print("LIMIT %s: %s" % (what, r["reason"]), flush=True)
            return r
        complaints = []
        if r["verdict"] != verdict:
            complaints.append("%s, published: %s" % (r["verdict"], verdict))
        for field, value in expect:
            if r.get(field) != value:
                complaints.append("%s %s, published: %s" % (field, r.get(field), value))
        if r["verdict"] == "violated":
            complaints += self.referee(arguments[0], lasso, replay)
        self.judge(what, complaints)
        return r

    def referee(self, model, path, property_arguments):
        """The lasso must be accepted unchanged, and rejected with one change."""
        status, _, err = self.omen("replay", model, path, *property_arguments)
        if status != 0:
            return ["replay refuses the lasso: " + err.strip()[-300:]]
        with open(path, encoding="utf-8") as f:
            lasso = json.load(f)
        complaints = []
        for name, changed in mutations(lasso):
            other = os.path.join(self.folder, "mutated.json")
            with open(other, "w", encoding="utf-8") as f:
                json.dump(changed, f)
            status, out, err = self.omen("replay", model, other, *property_arguments)
            if status != 3:
                complaints.append("replay of a lasso with %s changed: status %d %s %s" %
                                  (name, status, out.strip(), err.strip()[-200:]))
        return complaints


def mutations(lasso):
    """Yields copies with one value, one transition or the loop changed."""
    middle = len(lasso["states"]) // 2
    changed = copy.deepcopy(lasso)
    state = changed["states"][middle]
    name = next(v for v in lasso["vars"] if isinstance(state[v], (int, dict, str, bool)))
    state[name] = other_value(state[name])
    yield "a value", changed

    changed = copy.deepcopy(lasso)
    for state in changed["states"]:
        for key in state:
            if key not in lasso["vars"] and "transition" in json.dumps({key: 0}) + json.dumps(state[key]):
                if bump_transition(state, key):
                    yield "a transition", changed
                    break
        else:
            continue
        break

    if lasso.get("loop") is not None:
        changed = copy.deepcopy(lasso)
        changed["loop"] = lasso["loop"] + 1 if lasso["loop"] + 1 < len(lasso["states"]) else lasso["loop"] - 1
        # If only the automaton moves, the model's state may be the same there; then the copy is a valid lasso, too.
        if changed["loop"] >= 0 and any(lasso["states"][changed["loop"]][v] != lasso["states"][lasso["loop"]][v]
                                        for v in lasso["vars"]):
            yield "the loop", changed


def other_value(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, dict) and "#bigint" in value:
        return {"#bigint": str(int(value["#bigint"]) + 1)}
    return "no such location"


def bump_transition(state, key):
    """Adds one to the transition number below state[key]."""
    if isinstance(state[key], int):
        state[key] += 1
        return True
    if isinstance(state[key], dict):
        for inner in ("transition", "number"):
            if isinstance(state[key].get(inner), int):
                state[key][inner] += 1
                return True
    return False


def states_corrections():
    """Returns the published sizes that differ from the model's, each with the reason."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "states-corrections.csv")
    with open(path, encoding="utf-8") as f:
        return {r["model"]: r for r in csv.DictReader(f)}


def run_states(suite):
    o, corrected = suite.options, states_corrections()
    cases = [r for r in suite.rows("beem", "state-spaces.csv") if o.least < int(r["states"]) <= o.most]
    for row in suite.chosen(cases):
        row = corrected.get(row["model"], row)
        for how in o.exec:
            arguments = ["explore", suite.beem(row["model"]), "--threads", str(o.threads[-1])]
            arguments += ["--device", "0"] if how == "device" else ["--device", "none", "--exec", how]
            start = time.monotonic()
            r = suite.result(*arguments)
            what = "%s by %s (%.1f s)" % (row["model"], how, time.monotonic() - start)
            if isinstance(r, str):
                suite.judge(what, [r])
                continue
            published = (("states", "states"), ("transitions", "transitions"), ("levels", "bfs_levels"))
            suite.judge(what, ["%s %s, published: %s" % (field, r.get(field), row[column])
                               for field, column in published
                               if row[column] and r.get(field) != int(row[column])])


def combinations(o):
    return [(t, d) for t in o.threads for d in o.device]


def corrections():
    """Returns rows whose published verdict is wrong as it stands; they are shown to be wrong instead of skipped.
    The published answers treat a run that ends as one that repeats its last state for ever ("stutter"): if
    `why` is "ends", the property is violated by such a run alone, and holds if runs that end are ignored. With
    any other reason, the verdict is wrong for both treatments.
    """
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corrections.csv")
    with open(path, encoding="utf-8") as f:
        return {(r["model"], r["property"]): r for r in csv.DictReader(f)}


def run_ltl(suite):
    o, sizes, corrected = suite.options, suite.sizes(), corrections()
    rows = [r for r in suite.rows("beem", "properties.csv")
            if r["kind"] == "ltl" and o.least < sizes.get(r["model"], 1 << 62) <= o.most]
    for row in suite.chosen(rows):
        correction = corrected.get((row["model"], row["property"]))
        path = os.path.join(o.corpus, "beem", row["file"])
        for runs in ("ignore", "stutter"):
            verdict = row["holds"]
            if correction and (runs == "ignore" or correction["why"] != "ends"):
                verdict = correction["verdict"]
            for threads, device in combinations(o):
                how = ["--finite-runs", runs]
                what = "%s property %s, finite runs %s, %d threads, device %s" % (
                    row["model"], row["property"], runs, threads, device)
                r = suite.check(what, verdict, [path, *how, "--threads", str(threads), "--device", device],
                                replay=how)
                if r and runs == "stutter" and correction and correction["why"] == "ends":
                    cycle = r["lasso"]["states"][r["lasso"]["loop"]:]
                    suite.judge(what + ", the run ends", [] if len(cycle) == 1 else
                                ["a cycle of %d states" % len(cycle)])


def run_reach(suite):
    o, sizes = suite.options, suite.sizes()
    published = {(r["model"], r["property"]): r for r in suite.rows("beem", "properties.csv")}
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "reach.csv"), encoding="utf-8") as f:
        rows = [r for r in csv.DictReader(f) if o.least < sizes.get(r["model"], 1 << 62) <= o.most]
    for row in suite.chosen(rows):
        known = published[row["model"], row["property"]]
        verdict = {"reachable": "violated", "unreachable": "holds"}[known["holds"]]
        for threads, device in combinations(o):
            what = "%s property %s, %d threads, device %s" % (row["model"], row["property"], threads, device)
            r = suite.check(what, verdict, [suite.beem(row["model"]), "--invariant", row["invariant"],
                                            "--threads", str(threads), "--device", device])
            if r and r["verdict"] == verdict == "violated" and known["shortest"]:
                length, shortest = len(r["lasso"]["states"]), int(known["shortest"])  # BEEM counts states
                right = length == shortest or length > shortest and not r["minimal"]
                suite.judge(what + ", shortest trace",
                            [] if right else ["%d states, published: %d" % (length, shortest)])


def cpu_checkers(suite):
    """Returns the names of all checkers that need no device, from `omen plugins`."""
    _, out, _ = suite.omen("plugins")
    name, names = None, []
    for line in out.splitlines():
        if line.startswith("checker "):
            name = line.split()[1].rstrip(":")
        elif name and line.startswith("  for: "):
            if "device" not in line.split("runs:")[1].split():
                names.append(name)
            name = None
    return names


def product(r):
    """Returns the number of product states of a result, and whether the automaton was degeneralised."""
    return r["states"], any(p["conversion"] is not None for p in r["parts"])


def run_checkers(suite):
    o = suite.options
    checkers = o.checkers or cpu_checkers(suite)
    rows = [r for r in suite.rows("rabin-sttt", "expected.csv")
            if r["model"] in MODELS_OF_CHECKERS and r["automaton"] == "tgba"
            and o.least <= int(r["product_states"] or 0) <= o.most]
    used = set()
    for row in suite.chosen(rows):
        folder = os.path.join(o.corpus, "rabin-sttt", row["model"])
        model, never = os.path.join(folder, row["model"] + ".dve"), os.path.join(folder, row["formula"] + "_tgba.hoa")
        degeneralised = {}
        for checker in checkers:
            for threads in o.threads:
                what = "%s by %s, %d threads" % (row["formula"], checker, threads)
                how = [model, "--never", never, "--checker", checker, "--threads", str(threads),
                       "--reset-dead", "off", "--device", "none"]
                status, _, err = suite.omen("check", *how, "--plan")
                if status == 2 and NOT_FOR_THIS.search(err) and "; use " in err:
                    continue
                r = suite.check(what, row["verdict"], how, replay=["--never", never])
                used.add(checker)
                if not r or r["verdict"] != "holds" or checker in STORE_LESS:
                    continue
                states, converted = product(r)
                if converted:
                    degeneralised[checker, threads] = states
                else:
                    suite.judge(what + ", product", [] if states == int(row["product_states"]) else
                                ["%d states, published: %s" % (states, row["product_states"])])
        if degeneralised:
            suite.judge(row["formula"] + ", products with a degeneralised automaton",
                        [] if len(set(degeneralised.values())) == 1 else [str(degeneralised)])
    print("checkers: " + " ".join(sorted(used)))


def numbers(text):
    return [int(t) for t in text.split(",")]


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("suite", choices=("states", "ltl", "reach", "rabin", "checkers", "nets", "nets-ltl"))
    p.add_argument("--omen", default=os.environ.get("OMEN", "omen"))
    p.add_argument("--corpus", default=os.environ.get("OMEN_CORPUS", os.path.join(here, "../../../shared/corpus")))
    p.add_argument("--most", type=int, default=1 << 62)
    p.add_argument("--least", type=int, default=0)
    p.add_argument("--tenth", action="store_true")
    p.add_argument("--threads", type=numbers, default=[1, 2])
    p.add_argument("--device", type=lambda t: t.split(","), default=["none", "0"])
    p.add_argument("--exec", type=lambda t: t.split(","), default=["vm", "native", "device"])
    p.add_argument("--only", default="")
    p.add_argument("--checkers", type=lambda t: t.split(","))
    p.add_argument("--checker")
    p.add_argument("--automata", type=lambda t: t.split(","), default=["ltl3dra", "rabinizer3", "ltl3tela"])
    p.add_argument("--models", type=lambda t: t.split(","), default=rabin.MODELS)
    p.add_argument("--memory")
    p.add_argument("--time")
    p.add_argument("--max-states")
    p.add_argument("--log")
    p.add_argument("--timeout", type=int, default=600)
    p.add_argument("-v", "--verbose", action="store_true")
    options = p.parse_args()
    if not os.path.isdir(os.path.join(options.corpus, "beem")):
        print("SKIPPED: the corpus is not at %s" % options.corpus)
        return 77
    suite = Suite(options)
    {"states": run_states, "ltl": run_ltl, "reach": run_reach, "rabin": rabin.run,
     "checkers": run_checkers, "nets": petri.run, "nets-ltl": petri.run_ltl}[options.suite](suite)
    print("%d passed, %d failed%s" % (suite.passed, len(suite.failed),
                                      ", %d at a limit" % len(suite.limited) if suite.limits() else ""))
    return 1 if suite.failed or suite.passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
