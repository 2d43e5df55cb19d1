#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares omen's checkers with LTSmin and with the published answers, on BEEM's property processes.

usage: ltsmin.py [--omen PROGRAM] [--corpus FOLDER] [--programs FOLDER] [--models FOLDER] [--most STATES]
                 [--tenth] [--only TEXT] [--runs stutter,ignore] [--threads N,...] [--checkers NAME,...]
LTSmin's dve2lts-mc must be in --programs (or the folder OMEN_LTSMIN of the environment) or on the PATH. It
reads models that its version of DiVinE compiled: --models (or OMEN_LTSMIN_MODELS) has NAME.dve2C, in which
the property process continues alone after a run ends (`divine compile --ltsmin`), and NAME.dve.so, in which
it does not (`--LTSmin`). Missing models are compiled into that folder if `divine` is beside dve2lts-mc or on
the PATH. A model is left out if it is not, or if compilation takes longer than --compiling (rether and
synapse become tens of megabytes of C++).
LTSmin runs in several ways, because a search that two threads or a full table led astray must not be taken
for an answer. A cycle that one of them found counts; if none found one, the searches that completed prove
that there is none. Contradictions between them are printed.
If LTSmin and omen agree that a property holds, the numbers of product states must be the same.
Exit status: 0 all agree, 1 some do not, 77 LTSmin, its models or the corpus are missing.
"""
import argparse
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "corpus"))
from corpus import NOT_FOR_THIS, STORE_LESS, Suite, corrections, cpu_checkers, numbers  # noqa: E402

# Strategy, storage of states, threads. cndfs does not run with --state=table, because that loses states.
WAYS = (("cndfs", "tree", 1), ("cndfs", "tree", 2), ("ufscc", "tree", 1), ("ufscc", "table", 1), ("ufscc", "tree", 2))
COMPILED = {"stutter": ("--ltsmin", ".dve2C"), "ignore": ("--LTSmin", ".dve.so")}


def program(options, name):
    """Returns the path of a program of LTSmin, or None."""
    folders = [options.programs] if options.programs else []
    found = shutil.which(name, path=os.pathsep.join(folders + [os.environ.get("PATH", os.defpath)]))
    return found and os.path.abspath(found)


def end_with_children(command, folder, seconds):
    """Runs a command in a folder; after this many seconds it is killed, with its children."""
    p = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                         start_new_session=True)
    try:
        p.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        p.wait()


class Ltsmin:
    """Runs dve2lts-mc on compiled models."""

    def __init__(self, options):
        self.options = options
        self.program = program(options, "dve2lts-mc")

    def compiled(self, path, runs):
        """Returns the model compiled for this treatment of runs that end, or None."""
        option, ending = COMPILED[runs]
        name = os.path.basename(path)[:-len(".dve")]
        wanted = os.path.join(self.options.models, name + ending)
        divine = program(self.options, "divine")
        if not os.path.exists(wanted) and divine:
            os.makedirs(self.options.models, exist_ok=True)
            end_with_children([divine, "compile", option, os.path.abspath(path)], self.options.models,
                              self.options.compiling)
            with contextlib.suppress(OSError):
                os.remove(os.path.join(self.options.models, name + ".dve.cpp"))
        return wanted if os.path.exists(wanted) else None

    def ask(self, compiled, strategy, store, threads):
        """Returns verdict and states; the verdict is None if the search did not complete."""
        try:
            p = subprocess.run([self.program, "--strategy=" + strategy, "--state=" + store, "-s22",
                                "--threads=%d" % threads, compiled], capture_output=True, text=True,
                               timeout=self.options.patience, check=False)
        except subprocess.TimeoutExpired:
            return None, None
        text = p.stdout + p.stderr
        if "ccepting cycle FOUND" in text:
            return "violated", None
        found = re.search(r"State space has (\d+) states|unique states count: (\d+)", text)
        if p.returncode != 0 or "table full" in text or not found:
            return None, None
        return "holds", int(found.group(1) or found.group(2))


def ask_all(ltsmin, compiled, what):
    """Returns LTSmin's verdict, and the states of the product if all completed searches count the same."""
    answers = {way: ltsmin.ask(compiled, *way) for way in WAYS}
    verdicts = {verdict for verdict, _ in answers.values() if verdict}
    if len(verdicts) > 1:
        print("note %s: LTSmin contradicts itself: %s" %
              (what, ", ".join("%s %s %d: %s" % (*way, a[0]) for way, a in answers.items())), flush=True)
    if not verdicts:
        return None, None
    counts = {states for _, states in answers.values() if states is not None}
    return ("violated" if "violated" in verdicts else "holds"), (counts.pop() if len(counts) == 1 else None)


def published_verdict(row, runs, corrected):
    """Returns the published verdict, or its correction, as in corpus.py."""
    correction = corrected.get((row["model"], row["property"]))
    if correction and (runs == "ignore" or correction["why"] != "ends"):
        return correction["verdict"]
    return row["holds"]


def ways_of_omen(suite):
    """Returns checkers, each with one worker, and with several if it supports them."""
    _, out, _ = suite.omen("plugins")
    sequential = set(re.findall(r"^checker (\S+):.*(?:\n  .*)*?\n  for: .*\bsequential$", out, re.M))
    names = suite.options.checkers or cpu_checkers(suite)
    return [(name, n) for name in names for n in suite.options.threads if n == 1 or name not in sequential]


def compare(suite, row, runs, oracle):
    """Checks one property by every suitable checker."""
    verdict, states = oracle
    path = os.path.join(suite.options.corpus, "beem", row["file"])
    for checker, threads in suite.ways:
        what = "%s property %s, finite runs %s, by %s, %d threads" % (
            row["model"], row["property"], runs, checker, threads)
        how = [path, "--finite-runs", runs, "--checker", checker, "--threads", str(threads), "--device", "none",
               "--reset-dead", "off", "--exec", suite.options.exec, "--progress", "never"]
        r = suite.result("check", *how)
        if isinstance(r, str) and r.startswith("exit status 2:") and NOT_FOR_THIS.search(r):
            continue
        suite.used.add(checker)
        if isinstance(r, str):
            suite.judge(what, [r])
            continue
        complaints = [] if r["verdict"] == verdict else ["%s, LTSmin: %s" % (r["verdict"], verdict)]
        if states is not None and r["verdict"] == "holds" and checker not in STORE_LESS and r["states"] != states:
            complaints.append("%d states, LTSmin: %d" % (r["states"], states))
        suite.judge(what, complaints)


def run(suite, ltsmin):
    o, sizes, corrected = suite.options, suite.sizes(), corrections()
    rows = [r for r in suite.rows("beem", "properties.csv")
            if r["kind"] == "ltl" and o.least < sizes.get(r["model"], 1 << 62) <= o.most]
    missing, unanswered = 0, []
    for row in suite.chosen(rows):
        for runs in o.runs:
            what = "%s property %s, finite runs %s" % (row["model"], row["property"], runs)
            compiled = ltsmin.compiled(os.path.join(o.corpus, "beem", row["file"]), runs)
            if compiled is None:
                missing += 1
                continue
            verdict, states = ask_all(ltsmin, compiled, what)
            if verdict is None:
                unanswered.append(what)
                continue
            published = published_verdict(row, runs, corrected)
            suite.judge(what + ", LTSmin", [] if verdict == published else ["%s, published: %s" % (verdict, published)])
            compare(suite, row, runs, (verdict, states))
    for what in unanswered:
        print("note %s: no answer of LTSmin within %d s" % (what, o.patience))
    return missing


def parse():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--omen", default=os.environ.get("OMEN", "omen"))
    p.add_argument("--corpus", default=os.environ.get("OMEN_CORPUS", os.path.join(HERE, "../../../shared/corpus")))
    p.add_argument("--programs", default=os.environ.get("OMEN_LTSMIN", ""))
    p.add_argument("--models", default=os.environ.get("OMEN_LTSMIN_MODELS", ""))
    p.add_argument("--most", type=int, default=500000)
    p.add_argument("--least", type=int, default=0)
    p.add_argument("--tenth", action="store_true")
    p.add_argument("--only", default="")
    p.add_argument("--runs", type=lambda t: t.split(","), default=["stutter", "ignore"])
    p.add_argument("--threads", type=numbers, default=[1, 2])
    p.add_argument("--checkers", type=lambda t: t.split(","))
    p.add_argument("--exec", default="auto")
    p.add_argument("--patience", type=int, default=20, help="seconds for one run of LTSmin")
    p.add_argument("--compiling", type=int, default=60, help="seconds for one model")
    p.add_argument("--timeout", type=int, default=600)
    p.add_argument("-v", "--verbose", action="store_true")
    return p.parse_args()


def main():
    options = parse()
    if not os.path.isdir(os.path.join(options.corpus, "beem")):
        print("SKIPPED: the corpus is not at %s" % options.corpus)
        return 77
    ltsmin = Ltsmin(options)
    if ltsmin.program is None:
        print("SKIPPED: LTSmin's dve2lts-mc is neither in OMEN_LTSMIN nor on the PATH")
        return 77
    if not options.models:
        print("SKIPPED: OMEN_LTSMIN_MODELS names no folder of models for LTSmin")
        return 77
    suite = Suite(options)
    suite.ways, suite.used = ways_of_omen(suite), set()
    missing = run(suite, ltsmin)
    print("checkers: " + " ".join(sorted(suite.used)))
    print("%d passed, %d failed, %d models are not compiled" % (suite.passed, len(suite.failed), missing))
    if missing and suite.passed == 0 and not suite.failed:
        print("SKIPPED: no model is compiled in %s, and none could be" % options.models)
        return 77
    return 1 if suite.failed or suite.passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
