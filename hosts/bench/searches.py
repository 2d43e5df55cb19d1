#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares settings of `omen check`: states, time and length of the counterexample, by property.

    searches.py --deep --setting today= --setting dfs='--search dfs'         the models of the folder deep
    searches.py --models FOLDER                                              models of your own
    searches.py --corpus ../shared/corpus --kinds reach,ltl --rounds 3       published properties
    searches.py --report results.csv                                         prints the report of recorded runs again

The settings of a property run one after the other, in reverse order in every second round. The first setting is the
baseline. Ratios are the baseline's median / the other's, so more than 1 is better.

A FOLDER may have a table models.csv with the columns file, options (words of `omen check`, separated by tabs) and,
if you like, verdict and name. Without it, each model is checked for all that it contains.

exit status: 0; 1 if two settings, or a setting and the published answer, disagree
"""
from __future__ import annotations

import argparse
import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields

from omen_bench.stats import median

_HERE = os.path.dirname(os.path.realpath(__file__))
_SUFFIXES = (".pml", ".promela", ".prom", ".prm", ".pm", ".pr", ".spin", ".dve", ".pnml")
# A command that does not end by itself is killed this many seconds after its limit.
_GRACE = 20
# Times below this many seconds count as this many: ratios of them would be ratios of starts of programs.
_LEAST_SECONDS = 0.05
# Half of the published violations are met after fewer than 100 states, which no search can make much fewer. The ratio
# of those that the baseline meets after as many states as this has a line of its own.
_MANY_STATES = 1000


@dataclass(frozen=True)
class Case:
    """A check: the file, words of `omen check` that state the property, the published verdict or ""."""

    group: str
    name: str
    file: str
    words: tuple[str, ...]
    expected: str = ""


@dataclass
class Run:
    """What one run of a setting gave; the columns of the file of results. length: transitions of the counterexample."""

    group: str
    case: str
    setting: str
    round: int
    verdict: str  # holds, violated, unknown, or error
    reason: str
    states: int
    transitions: int
    wall: float
    cpu: float
    length: int  # -1: no counterexample
    minimal: str
    checkers: str
    expected: str


# ---- cases ----


def deep_cases(folder: str, *words: str) -> Iterator[Case]:
    """Generates the models of the folder `deep` beside this file."""
    subprocess.run([sys.executable, os.path.join(_HERE, "deep"), "--all", folder, *words], check=True)
    yield from folder_cases(folder, "mended" if "--mended" in words else "deep")


def folder_cases(folder: str, group: str = "models") -> Iterator[Case]:
    """The models of a folder and of those below it, or those of its table models.csv."""
    table = os.path.join(folder, "models.csv")
    if os.path.exists(table):
        with open(table, encoding="utf-8", newline="") as f:
            for row in csv.DictReader(f):
                words = tuple(w for w in (row["options"] or "").split("\t") if w)
                yield Case(group, row.get("name") or row["file"], os.path.join(folder, row["file"]), words,
                           row.get("verdict") or "")
        return
    for place, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            if name.endswith(_SUFFIXES):
                path = os.path.join(place, name)
                yield Case(group, os.path.relpath(path, folder), path, ())


def _rows(*path: str) -> list[dict[str, str]]:
    with open(os.path.join(*path), encoding="utf-8") as f:
        return list(csv.DictReader(f))


def reach_cases(corpus: str, most: int) -> Iterator[Case]:
    """BEEM's goals, as invariants that tests/corpus/reach.csv has written out."""
    known = {(r["model"], r["property"]): r["holds"] for r in _rows(corpus, "beem", "properties.csv")}
    sizes = {r["model"]: int(r["states"]) for r in _rows(corpus, "beem", "state-spaces.csv")}
    for r in _rows(_HERE, "../../tests/corpus/reach.csv"):
        if sizes.get(r["model"], most) <= most:
            file = os.path.join(corpus, "beem", r["model"].split(".")[0], r["model"] + ".dve")
            verdict = {"reachable": "violated", "unreachable": "holds"}[known[r["model"], r["property"]]]
            yield Case("reach", f"{r['model']} {r['property']}", file, ("--invariant", r["invariant"]), verdict)


def ltl_cases(corpus: str, most: int) -> Iterator[Case]:
    """BEEM's LTL properties, from the models with property processes."""
    sizes = {r["model"]: int(r["states"]) for r in _rows(corpus, "beem", "state-spaces.csv")}
    wrong = {(r["model"], r["property"]): r for r in _rows(_HERE, "../../tests/corpus/corrections.csv")}
    for r in _rows(corpus, "beem", "properties.csv"):
        if r["kind"] == "ltl" and sizes.get(r["model"], most) <= most:
            fix = wrong.get((r["model"], r["property"]))
            verdict = fix["verdict"] if fix and fix["why"] != "ends" else r["holds"]
            yield Case("ltl", f"{r['model']} {r['property']}", os.path.join(corpus, "beem", r["file"]), (), verdict)


def rabin_cases(corpus: str, most: int) -> Iterator[Case]:
    """Formulas of the STTT experiments, as the generalized Buchi automata published with them."""
    for r in _rows(corpus, "rabin-sttt", "expected.csv"):
        if r["automaton"] == "tgba" and int(r["product_states"] or 0) <= most:
            place = os.path.join(corpus, "rabin-sttt", r["model"])
            yield Case("rabin", r["formula"], os.path.join(place, r["model"] + ".dve"),
                       ("--never", os.path.join(place, r["formula"] + "_tgba.hoa")), r["verdict"])


def petri_cases(corpus: str, most: int) -> Iterator[Case]:
    """Formulas about nets of the contest."""
    for r in _rows(corpus, "petri", "properties.csv"):
        if int(r["tgba_product_states"] or 0) <= most:
            place = os.path.join(corpus, "petri", r["model"])
            yield Case("petri", r["formula"], os.path.join(place, r["model"] + ".pnml"),
                       ("--ltl-file", os.path.join(place, r["formula"] + ".ltl")), r["verdict"])


KINDS = {"reach": reach_cases, "ltl": ltl_cases, "rabin": rabin_cases, "petri": petri_cases}


# ---- runs ----


def execute(argv: list[str], folder: str, most: float) -> tuple[int, str, str, float, float]:
    """Runs a command, and kills it after `most` seconds. Returns status, output, errors, wall and CPU time."""
    with tempfile.TemporaryFile(dir=folder) as output, tempfile.TemporaryFile(dir=folder) as errors:
        began = time.monotonic()
        p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=output, stderr=errors)
        killer = threading.Timer(most, p.kill)
        killer.start()
        _, status, used = os.wait4(p.pid, 0)
        wall = time.monotonic() - began
        killer.cancel()
        p.returncode = os.waitstatus_to_exitcode(status)
        texts = []
        for file in (output, errors):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    return p.returncode, texts[0], texts[1], wall, used.ru_utime + used.ru_stime


def objects(text: str) -> list[dict]:
    """Returns the JSON objects that follow one another in the text. A counterexample may be cut off at the time limit;
    the figures before it are kept. Its length is then unknown.
    """
    found = []
    for part in re.split(r"(?m)^(?=\{$)", text):
        if part.strip():
            try:
                found.append(json.loads(part))
            except ValueError:
                found.append(json.loads(part.partition('"overflow_trace":')[0] + '"lasso": null}'))
    return found


def summary(results: list[dict]) -> dict:
    """Sums up the properties of one command: violated if one of them is, else unknown if one of them is. Properties
    that were explored together have the same figures, which count once.
    """
    by_verdict = {v: [r for r in results if r["verdict"] == v] for v in ("violated", "unknown", "holds")}
    verdict = next((v for v, rs in by_verdict.items() if rs), "error")
    first = (by_verdict.get(verdict) or [{}])[0]
    together = [r for r in results if r["together"]]
    counted = [r for r in results if not r["together"]] + together[-1:]
    lasso = first.get("lasso")
    parts = [p["checker"] or "-" for r in counted for p in r["parts"]]
    return {"verdict": verdict, "reason": first.get("reason") or "",
            "states": sum(r["states"] for r in counted), "transitions": sum(r["transitions"] for r in counted),
            "length": len(lasso["states"]) - 1 if lasso else -1,
            "minimal": {None: "", True: "yes", False: "no"}[first.get("minimal")], "checkers": "+".join(parts)}


class Runner:
    def __init__(self, options: argparse.Namespace, scratch: str) -> None:
        self.o, self.scratch = options, scratch

    def command(self, case: Case, words: Iterable[str]) -> list[str]:
        o = self.o
        limits = ["--timeout", o.limit, "--memory", o.memory] if o.limit != "none" else ["--memory", o.memory]
        return [o.omen, "check", case.file, *case.words, "--threads", str(o.threads), "--device", "none", *limits,
                "--json", "--progress", "never", *words]

    def warm(self, case: Case) -> None:
        """Fills omen's cache of native code."""
        execute(self.command(case, ["--exec", "native", "--max-states", "1"]), self.scratch, 120)

    def run(self, case: Case, setting: str, words: list[str], number: int) -> Run:
        most = 3600.0 if self.o.limit == "none" else seconds(self.o.limit) + _GRACE
        status, out, errors, wall, cpu = execute(self.command(case, words), self.scratch, most)
        try:
            found = summary(objects(out)) if status in (0, 3, 10, 30) else summary([])
        except (ValueError, KeyError, TypeError) as e:
            found = summary([]) | {"reason": f"output: {e}"}
        if found["verdict"] == "error":
            lines = (errors.strip() or f"status {status}").splitlines()
            found["reason"] = "killed" if status < 0 else lines[0][:200]
        return Run(case.group, case.name, setting, number, wall=round(wall, 3), cpu=round(cpu, 3), expected=case.expected,
                   **found)


def seconds(text: str) -> float:
    """Returns the seconds of a time such as 500ms, 5s or 2m."""
    found = re.fullmatch(r"([0-9.]+)(ms|s|m)", text)
    if not found:
        raise SystemExit(f"searches.py: '{text}' is not a time such as 500ms, 5s or 2m")
    return float(found[1]) * {"ms": 1e-3, "s": 1, "m": 60}[found[2]]


# ---- report ----


@dataclass
class Figures:
    """The medians of one setting on one case."""

    verdict: str
    reason: str
    states: float
    wall: float
    cpu: float
    length: float


def figures(runs: list[Run]) -> dict[tuple[str, str], dict[str, Figures]]:
    """Returns the medians by case, then by setting. Verdicts that differ between rounds are joined by "/"."""
    table: dict[tuple[str, str], dict[str, list[Run]]] = {}
    for r in runs:
        table.setdefault((r.group, r.case), {}).setdefault(r.setting, []).append(r)
    return {case: {s: Figures("/".join(sorted({r.verdict for r in rs})), rs[0].reason,
                              *(median([getattr(r, f) for r in rs]) for f in ("states", "wall", "cpu", "length")))
                   for s, rs in by.items()} for case, by in table.items()}


def geometric(ratios: list[float]) -> str:
    return f"{math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}" if ratios else "-"


def ratios_of(pairs: list[tuple[str, Figures, Figures]], what: str, least: float) -> list[tuple[float, str]]:
    """Returns the ratios of a figure, worst first, with the names of the cases. Figures below `least` count as `least`;
    cases with two of them, or an unknown one (-1), are left out.
    """
    known = [(getattr(a, what), getattr(b, what), name) for name, a, b in pairs]
    known = [(a, b, name) for a, b, name in known if a >= 0 and b >= 0 and max(a, b) >= least]
    return sorted((max(a, least) / max(b, least), name) for a, b, name in known)


def line_of(title: str, ratios: list[tuple[float, str]]) -> list[str]:
    if not ratios:
        return []
    return [f"  {title}: geometric mean {geometric([r for r, _ in ratios])} of {len(ratios)}, "
            f"worst {ratios[0][0]:.3g} ({ratios[0][1]}), best {ratios[-1][0]:.3g} ({ratios[-1][1]})"]


def compare(cases: dict[tuple[str, str], dict[str, Figures]], base: str, other: str) -> list[str]:
    """Returns the lines that sum up the other setting beside the baseline, on the cases that both answered alike."""
    lines = []
    for verdict in ("violated", "holds"):
        both = [(" ".join(name), by[base], by[other]) for name, by in cases.items()
                if base in by and other in by and by[base].verdict == by[other].verdict == verdict]
        lines += line_of(f"{verdict}, states", ratios_of(both, "states", 1))
        many = [pair for pair in both if pair[1].states >= _MANY_STATES]
        lines += line_of(f"{verdict}, states, where {base} has {_MANY_STATES} or more", ratios_of(many, "states", 1))
        if verdict == "violated":
            lines += line_of("violated, length", ratios_of(both, "length", 1))
        for what in ("cpu", "wall"):
            lines += line_of(f"{verdict}, {what}", ratios_of(both, what, _LEAST_SECONDS))
    return lines


def sums(title: str, cases: dict[tuple[str, str], dict[str, Figures]], settings: list[str]) -> list[str]:
    """Returns the lines that sum up these cases: verdicts and times of each setting, and the ratios to the first one."""
    lines = [f"{title}: {len(cases)} cases"]
    for s in settings:
        got = [by[s] for by in cases.values() if s in by]
        counts = {v: sum(f.verdict == v for f in got) for v in ("violated", "holds", "unknown", "error")}
        lines.append(f"  {s}: " + ", ".join(f"{v} {n}" for v, n in counts.items() if n) +
                     f"; {sum(f.wall for f in got):.1f} s wall, {sum(f.cpu for f in got):.1f} s CPU")
    for s in settings[1:]:
        lines += [f"  {settings[0]} / {s}", *("  " + line for line in compare(cases, settings[0], s))]
    return lines


def report(runs: list[Run], show: bool) -> tuple[str, bool]:
    """Returns the text of the report, and false if verdicts disagree."""
    cases, settings = figures(runs), list(dict.fromkeys(r.setting for r in runs))
    lines, agree = [], True
    if show:
        lines.append(f"{'case':36} {'setting':10} {'verdict':9} {'states':>11} {'wall s':>8} {'cpu s':>8} {'length':>7}")
        for (group, name), by in cases.items():
            for s, f in by.items():
                length = "" if f.length < 0 else f"{f.length:.0f}"
                lines.append(f"{(group + ' ' + name)[:36]:36} {s:10} {f.verdict:9} {f.states:11.0f} {f.wall:8.2f} "
                             f"{f.cpu:8.2f} {length:>7}" + (f"  {f.reason}" if f.reason else ""))
    groups = list(dict.fromkeys(g for g, _ in cases))
    for group in groups:
        lines += sums(group, {c: by for c, by in cases.items() if c[0] == group}, settings)
    if len(groups) > 1:
        lines += sums("all", cases, settings)
    expected = {(r.group, r.case): r.expected for r in runs}
    for case, by in cases.items():
        said = {v for f in by.values() for v in f.verdict.split("/") if v in ("holds", "violated")}
        if len(said | ({expected[case]} - {""})) > 1 and said:
            agree = False
            lines.append(f"DISAGREE {' '.join(case)}: expected {expected[case] or 'nothing'}, " +
                         ", ".join(f"{s} {f.verdict}" for s, f in by.items()))
    return "\n".join(lines), agree


# ---- the program ----


def read_results(path: str) -> list[Run]:
    kinds = {f.name: {"int": int, "float": float}.get(str(f.type), str) for f in fields(Run)}
    with open(path, encoding="utf-8", newline="") as f:
        return [Run(**{k: kinds[k](v) for k, v in row.items()}) for row in csv.DictReader(f)]


def parse() -> argparse.Namespace:
    p = argparse.ArgumentParser(prog="searches.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--omen", default="build/release/omen", help="the program (default: %(default)s)")
    p.add_argument("--setting", action="append", metavar="NAME=WORDS", help="may be repeated (default: today=)")
    p.add_argument("--deep", action="store_true", help="the generated models with deep bugs")
    p.add_argument("--small", action="store_true", help="--deep: small models, which every search exhausts at once")
    p.add_argument("--narrow", action="store_true", help="--deep: bugs as deep, but at most 10^7 states")
    p.add_argument("--mended", action="store_true", help="--deep: models without the bugs")
    p.add_argument("--seed", type=int, default=0, help="--deep: seed of the models")
    p.add_argument("--models", metavar="FOLDER", action="append", default=[], help="models of your own; may be repeated")
    p.add_argument("--corpus", metavar="FOLDER", help="published models and answers")
    p.add_argument("--kinds", default=",".join(KINDS), help="of the corpus (default: %(default)s)")
    p.add_argument("--most", type=int, default=10**7, help="of the corpus: models with at most this many states")
    p.add_argument("--only", default="", help="cases whose name contains this text")
    p.add_argument("--every", type=int, default=1, metavar="N", help="each N-th case")
    p.add_argument("--limit", default="5s", help="time limit of each command, or none (default: %(default)s)")
    p.add_argument("--memory", default="4G", help="memory limit of each command (default: %(default)s)")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--rounds", type=int, default=1)
    p.add_argument("--warm", action="store_true", help="first fill omen's cache of native code, unmeasured")
    p.add_argument("--out", metavar="FILE", help="write each run to this table; runs that it has are not repeated")
    p.add_argument("--report", metavar="FILE", help="run nothing; print the report of this table")
    p.add_argument("--summary", action="store_true", help="print no line for each case")
    return p.parse_args()


def cases_of(o: argparse.Namespace, scratch: str) -> list[Case]:
    found: list[Case] = []
    if o.deep:
        words = ["--small"] * o.small + ["--narrow"] * o.narrow + ["--mended"] * o.mended
        found += deep_cases(os.path.join(scratch, "deep"), "--seed", str(o.seed), *words)
    for folder in o.models:
        found += folder_cases(os.path.realpath(folder), os.path.basename(os.path.normpath(folder)))
    if o.corpus:
        for kind in o.kinds.split(","):
            found += KINDS[kind](os.path.realpath(o.corpus), o.most)
    return [c for c in found if o.only in f"{c.group} {c.name}"][::o.every]


def measure(o: argparse.Namespace, scratch: str) -> list[Run]:
    """Runs all settings on all cases. Each run is written to the file of results as soon as it is known."""
    settings = [(name, words.split()) for name, _, words in (s.partition("=") for s in o.setting or ["today="])]
    runs = read_results(o.out) if o.out and os.path.exists(o.out) else []
    known = {(r.group, r.case, r.setting, r.round) for r in runs}
    runner = Runner(o, scratch)
    cases = cases_of(o, scratch)
    if not cases:
        raise SystemExit("searches.py: no cases: name --deep, --models FOLDER or --corpus FOLDER")
    for at, case in enumerate(cases):
        todo = [(n, s, words) for n in range(o.rounds) for s, words in (settings if n % 2 == 0 else settings[::-1])
                if (case.group, case.name, s, n) not in known]
        if todo and o.warm:
            runner.warm(case)
        for n, s, words in todo:
            run = runner.run(case, s, words, n)
            runs.append(run)
            if o.out:
                new = not os.path.exists(o.out)
                with open(o.out, "a", encoding="utf-8", newline="") as f:
                    table = csv.DictWriter(f, [g.name for g in fields(Run)], lineterminator="\n")
                    if new:
                        table.writeheader()
                    table.writerow(asdict(run))
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{at + 1} of {len(cases)} ")
    return runs


def main() -> int:
    o = parse()
    if o.report:
        runs = read_results(o.report)
    else:
        with tempfile.TemporaryDirectory(prefix="omen-searches-") as scratch:
            runs = measure(o, scratch)
    text, agree = report(runs, not o.summary)
    print(text)
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
