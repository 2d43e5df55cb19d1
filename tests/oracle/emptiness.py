# SPDX-License-Identifier: Apache-2.0
"""Emptiness of random automata and products with models: compares all checkers with autfilt."""
import json
import random
import re
import time
from collections import Counter

import generate
from spot import Failed, Folder, numbered

BATCH = 100  # automata in a batch
WORDS = 2    # accepted words of each batch that autfilt must accept, too


def shapes(tools, draw, folder):
    """Returns one batch; its kind of automaton is chosen at random."""
    kind = draw.choice(("generalized", "generalized", "layered", "any", "products"))
    if kind == "generalized":
        return kind, generate.by_randaut(tools, draw, BATCH, 60, "0..5")
    if kind == "layered":
        return kind, [generate.layered(draw, 60) for _ in range(BATCH)]
    if kind == "any":
        return kind, generate.by_randaut(tools, draw, BATCH, 20, draw.choice(generate.ACCEPTANCE))
    return kind, generate.products(tools, draw, BATCH, folder)


class Emptiness:
    def __init__(self, tools, program):
        self.tools, self.program, self.folder = tools, program, Folder()
        self.counts, self.failures, self.words = Counter(), [], 0

    def judge(self, what, automata, words, *more):
        """Runs the program that has all checkers; `words` are the numbers of the nonempty automata."""
        verdicts = "".join("word\n" if str(i) in words else "empty\n" for i in range(len(automata)))
        paths = [self.folder.write("automata.hoa", "".join(automata)),
                 self.folder.write("verdicts", verdicts)]
        out = ""
        try:
            out = self.tools.run(self.program, *paths, *more, allowed=(0,))
        except Failed as e:
            self.failures.append("%s: %s" % (what, e))
            print("FAIL", self.failures[-1], flush=True)
        for line in out.splitlines():
            key, number = line.split()
            self.counts[key] += int(number)
        return out != ""

    def automata(self, seed):
        draw = random.Random("automata %d" % seed)
        kind, automata = shapes(self.tools, draw, self.folder)
        automata = numbered(automata)
        empty = self.tools.select("".join(automata), "--is-empty")
        words = {str(i) for i in range(len(automata))} - empty
        self.counts[kind] += len(automata)
        self.counts[kind + ", words"] += len(words)
        self.judge("batch %d" % seed, automata, words)
        for i in draw.sample(sorted(words), min(WORDS, len(words))):
            self.accepted("batch %d, automaton %s" % (seed, i), automata[int(i)])

    def model(self, seed):
        """Checks products of one model with a batch of automata."""
        draw = random.Random("model %d" % seed)
        made = generate.Model(draw, draw.choice((5, 20, 60)))
        acceptance = draw.choice(("0..3", "0..3", draw.choice(generate.ACCEPTANCE)))
        automata = numbered(generate.by_randaut(self.tools, draw, BATCH // 2, 8, acceptance))
        model = self.folder.write("model.hoa", made.hoa())
        words = self.tools.select("".join(automata), "--intersect=" + model)
        self.counts["models"] += 1
        self.judge("model %d" % seed, automata, words, self.folder.write("model.dve", made.dve()),
                   self.folder.write("property.hoa", ""))

    def accepted(self, what, automaton):
        """Checks by autfilt that the automaton accepts the word that `omen empty` shows."""
        path = self.folder.write("one.hoa", automaton)
        out = self.tools.run("omen", "empty", path, "--json", allowed=(10,))
        lasso = json.loads(out)["lasso"]
        labels = [re.sub("^true$", "1", text) for text in lasso["labels"]]
        stem, cycle = labels[:lasso["loop"]], labels[lasso["loop"]:]
        word = "".join(text + "; " for text in stem) + "cycle{%s}" % "; ".join(cycle)
        self.words += 1
        if self.tools.select(automaton, "--accept-word=" + word) == set():
            self.failures.append("%s: not accepted: %s\n%s" % (what, word, automaton))
            print("FAIL", self.failures[-1], flush=True)


def run(tools, options):
    e = Emptiness(tools, options.verdicts)
    start = time.monotonic()
    for seed in range(options.first, options.first + options.batches):
        e.automata(seed)
        if seed % 4 == 0:
            e.model(seed)
        if time.monotonic() - start > options.seconds:
            print("the time is over after batch %d" % seed)
            break
    for key, number in e.counts.items():
        print("%-24s %d" % (key, number))
    print("%-24s %d" % ("words accepted", e.words))
    print("%.0f s, %d failures" % (time.monotonic() - start, len(e.failures)))
    some = 0 < e.counts["words"] < e.counts["automata"]
    if not some:
        print("FAIL: one verdict alone")
    return not e.failures and some
