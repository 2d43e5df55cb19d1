# SPDX-License-Identifier: Apache-2.0
"""Translations and conversions: checks that languages are the same as Spot's, and compares sizes."""
import glob
import os
import random
import re
import time

import generate
from spot import Failed, Folder, TooLong, numbered

ATOM = re.compile(r'[A-Za-z_](?:[\w]|\\[.\[\]])*\s*(?:[!=<>]=|<|>)\s*(?:"[^"]*"|\w+)')
# The complement of an automaton can be too large, and have more sets than Spot was built for.
PATIENCE = 60  # seconds


def lines(path):
    with open(path, encoding="utf-8") as f:
        return [line.strip() for line in f if line.strip()]


def random_formulas(tools, options):
    """Returns formulas, half over two propositions and half over four, whose values are less related. "xor" is
    written "^" for both tools.
    """
    out = ""
    for aps, count in ((2, (options.count + 1) // 2), (4, options.count // 2)):
        out += tools.run("randltl", "-n", str(count), "--tree-size=1..25",
                         "--seed=%d" % (options.first + aps), str(aps))
    return out.replace(" xor ", " ^ ").splitlines()


def corpus(options, *pattern):
    """Returns paths; none if the files are missing."""
    paths = sorted(glob.glob(os.path.join(options.corpus, *pattern)))
    if not paths:
        print("left out: %s of the corpus" % os.path.join(*pattern))
    return paths


def pattern_formulas(options):
    return [f for path in corpus(options, "ltl", "*.ltl") for f in lines(path)]


def negated_properties(options):
    """Returns those of rabin-sttt; atoms are renamed to a0, a1, ... because both tools read these."""
    made = []
    for path in corpus(options, "rabin-sttt", "*", "*.ltl"):
        names = {}
        for text in lines(path):
            made.append("!(%s)" % ATOM.sub(
                lambda m, names=names: names.setdefault(m.group(), "a%d" % len(names)), text))
    return made


def renamed(automaton, number):
    return numbered([automaton])[0].replace('name: "0"', 'name: "%d"' % number, 1)


def translations(tools, formulas, *command):
    """Returns numbered translations by a program that takes the formula as last argument; None for a failed one."""
    made = []
    for i, f in enumerate(formulas):
        try:
            made.append(renamed(tools.run(*command, f, cpu=PATIENCE), i))
        except Failed as e:
            print("%s %s: %s" % ("undecided:" if isinstance(e, TooLong) else "FAIL", f, e), flush=True)
            made.append(None)
    return made


def omen_automata(tools, formulas, *how):
    return translations(tools, formulas, "omen", "translate", *how)


def spot_automata(tools, formulas):
    return translations(tools, formulas, "ltl2tgba")


# ---- equality of languages ----


class Equivalence:
    def __init__(self, tools):
        self.tools, self.folder = tools, Folder()
        self.equal, self.undecided, self.failures = 0, [], []

    def judge(self, what, automaton, other):
        """Compares two numbered automata by autfilt."""
        path = self.folder.write("other.hoa", other)
        try:
            same = self.tools.select(automaton, "--equivalent-to=" + path, cpu=PATIENCE)
        except Failed as e:
            if not isinstance(e, TooLong) and "acceptance sets" not in str(e):
                raise
            self.undecided.append(what)
            print("undecided: %s" % what, flush=True)
            return
        if same:
            self.equal += 1
            if self.equal % 250 == 0:
                print("%d the same" % self.equal, flush=True)
            return
        self.failures.append(what)
        print("FAIL %s: another language\n%s%s" % (what, automaton, other), flush=True)

    def report(self, start):
        print("%d the same, %d other, %d undecided, %.0f s" % (
            self.equal, len(self.failures), len(self.undecided), time.monotonic() - start))
        return not self.failures and self.equal > 10 * len(self.undecided)


def translate(tools, options):
    start, e = time.monotonic(), Equivalence(tools)
    formulas = random_formulas(tools, options) + pattern_formulas(options)
    theirs = spot_automata(tools, formulas)
    for how in ((), ("--to", "ba")):
        for f, a, b in zip(formulas, omen_automata(tools, formulas, *how), theirs):
            if a is None or b is None:
                (e.failures if b else e.undecided).append(f)
            else:
                e.judge(" ".join((f,) + how), a, b)
    print("%d formulas, translated as they are and to Buchi automata" % len(formulas))
    return e.report(start)


def convert(tools, options):
    start, e = time.monotonic(), Equivalence(tools)
    draw = random.Random("convert %d" % options.first)
    while e.equal + len(e.failures) + len(e.undecided) < 2 * options.count:
        acceptance = draw.choice(generate.ACCEPTANCE + ("0..3",))
        for automaton in numbered(generate.by_randaut(tools, draw, 10, 5, acceptance, 2)):
            path = e.folder.write("one.hoa", automaton)
            for to in ("tgba", "ba"):
                out = tools.run("omen", "convert", path, "--to", to)
                e.judge("to %s of\n%s" % (to, automaton), numbered([out])[0], automaton)
        if time.monotonic() - start > options.seconds:
            print("the time is over")
            break
    return e.report(start)


# ---- sizes ----


def measured(tools, automata):
    """Returns states, edges and sets by name."""
    out = tools.run("autfilt", "--stats=%M %s %e %a", text="".join(a for a in automata if a))
    rows = (line.split() for line in out.splitlines())
    return {int(number): tuple(map(int, rest)) for number, *rest in rows}


def compare(tools, title, formulas, worst):
    if not formulas:
        return True
    ours = measured(tools, omen_automata(tools, formulas))
    theirs = measured(tools, spot_automata(tools, formulas))
    rows = [(ours[i], theirs[i], formulas[i]) for i in range(len(formulas)) if i in ours and i in theirs]
    print("%s: %d formulas, %d translated by both" % (title, len(formulas), len(rows)))
    for what, k in (("states", 0), ("edges", 1), ("sets", 2)):
        a, b = [r[0][k] for r in rows], [r[1][k] for r in rows]
        print("  %-6s omen %6d  Spot %6d  fewer in %d, as many in %d, more in %d" % (
            what, sum(a), sum(b), sum(x < y for x, y in zip(a, b)),
            sum(x == y for x, y in zip(a, b)), sum(x > y for x, y in zip(a, b))))
    rows.sort(key=lambda r: (r[1][0] - r[0][0], r[1][1] - r[0][1], r[2]))
    for a, b, f in rows[:worst]:
        print("  %-12s %-12s %s" % ("/".join(map(str, a)), "/".join(map(str, b)), f))
    return len(ours) == len(formulas)


def sizes(tools, options):
    print("the worst rows: states/edges/sets of omen, of Spot, the formula")
    done = [compare(tools, title, formulas, options.worst) for title, formulas in (
        ("random", random_formulas(tools, options)), ("patterns", pattern_formulas(options)),
        ("rabin-sttt, negated", negated_properties(options)))]
    return all(done)
