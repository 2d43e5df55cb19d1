# SPDX-License-Identifier: Apache-2.0
"""Suite rabin of corpus.py: the models, automata and answers of Bloemen, Duret-Lutz, van de Pol 2019.

Published sizes are of products with the unchanged automaton of each file. If it has several Rabin pairs, each
pair was searched separately, in all of the product: the published size is the product's, times the pairs. omen
stores a state once for all pairs, and does not store states that no accepting run can pass through. It searches
neither twice for pairs with the same edges in Fin, nor for a pair that cannot be satisfied. So sizes are compared
with the published ones in three ways:
  states      one pair: the number of states is the same; if there are fewer, because of such states, as below
  expansions  several pairs: one worker has made as many expansions, all pairs together
  whole       otherwise: the product with all of the automaton has as many states, times the pairs
"""
import csv
import os
import re

MODELS = ("bakery.4", "bopdp.3", "elevator.4")
FIELDS = ("formula", "automaton", "pairs", "checker", "threads", "verdict", "published", "states", "expansions",
          "whole", "seconds", "memory_bytes", "agrees")


def whole(text):
    """Returns the automaton of a HOA file, changed so that all of its states are relevant and it has no accepting
    run: each state gets an edge that is never enabled to a new state, the only accepting one.
    """
    head, body = text.split("--BODY--", 1)
    states = int(re.search(r"^States: (\d+)", head, re.M).group(1))
    line, count, names = re.search(r"^AP: (\d+)(.*)$", head, re.M).group(0, 1, 2)
    head = head.replace(line, 'AP: %d%s "0==1"' % (int(count) + 1, names))
    head = re.sub(r"^(acc-name|properties):.*\n", "", head, flags=re.M)
    head = re.sub(r"^Acceptance:.*$", "Acceptance: 1 Inf(0)", head, flags=re.M)
    head = re.sub(r"^States:.*$", "States: %d" % (states + 1), head, flags=re.M)
    body = re.sub(r"\{[0-9 ]*\}", "", body).replace("--END--", "")
    body = re.sub(r"^(State: .*)$", r"\1\n[%s] %d" % (count, states), body, flags=re.M)
    return "%s--BODY--%sState: %d\n[t] %d {0}\n--END--\n" % (head, body, states, states)


class Log:
    """A record of the cases, one per line; recorded cases are not run again."""

    def __init__(self, path):
        self.path, self.known = path, set()
        if path and os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                self.known = {self.key(r) for r in csv.DictReader(f)}
        elif path:
            self.write(dict(zip(FIELDS, FIELDS)))

    @staticmethod
    def key(r):
        return tuple(str(r[k]) for k in ("formula", "automaton", "checker", "threads"))

    def write(self, row):
        with open(self.path, "a", encoding="utf-8") as f:
            csv.DictWriter(f, FIELDS, lineterminator="\n").writerow(row)

    def add(self, case, published, r, agrees, whole_states=None):
        if not self.path:
            return
        row = dict(case, published=published, whole=whole_states, agrees=agrees)
        if r:
            row.update({k: r[k] for k in ("verdict", "states", "seconds", "memory_bytes")}, expansions=expansions(r))
        self.write(row)


def expansions(r):
    return sum(p["counters"]["expansions"] for p in r["parts"])


class Checker:
    """Checks every automaton of each formula by one checker, or by the planner's choice ("auto")."""

    def __init__(self, suite):
        self.suite, self.options = suite, suite.options
        self.log = Log(self.options.log)
        self.sums, self.ways = {}, {}

    def rows(self):
        """Returns the rows of the automata, smallest product first; violated ones, whose size is unknown, come first."""
        o = self.options
        rows = {(r["formula"], r["automaton"]): r for r in self.suite.rows("rabin-sttt", "expected.csv")
                if r["model"] in o.models and r["automaton"] in o.automata
                and o.least <= size_of(r) <= o.most}
        # The Fin-less automata have a row for each of two algorithms; ufscc's row counts the product once.
        for r in self.suite.rows("rabin-sttt", "expected.csv"):
            key = r["formula"], r["automaton"]
            if key in rows and r["automaton"] == "finless" and (r["ltsmin_algorithm"] == "favoid") == (
                    o.checker == "favoid"):
                rows[key] = r
        return sorted(self.suite.chosen(list(rows.values())), key=size_of)

    def run(self):
        for row in self.rows():
            for threads in self.options.threads:
                self.check(row, threads)
        for way, n in sorted(self.ways.items()):
            print("%s: %d" % (way, n))
        for pairs, (runs, states, published) in sorted(self.sums.items()):
            print("%d pairs: %d runs, %d states, published: %d" % (pairs, runs, states, published))

    def check(self, row, threads):
        o = self.options
        case = {"formula": row["formula"], "automaton": row["automaton"], "pairs": row["rabin_pairs"],
                "checker": o.checker, "threads": threads}
        if self.log.key(case) in self.log.known:
            return
        folder = os.path.join(o.corpus, "rabin-sttt", row["model"])
        model = os.path.join(folder, row["model"] + ".dve")
        never = ["--never", os.path.join(folder, "%s_%s.hoa" % (row["formula"], row["automaton"]))]
        what = "%s_%s by %s, %d threads" % (row["formula"], row["automaton"], o.checker, threads)
        how = [] if o.checker == "auto" else ["--checker", o.checker]
        failed = len(self.suite.failed) + len(self.suite.limited)
        r = self.suite.check(what, row["verdict"], [model, *never, *how, "--threads", str(threads),
                                                    "--reset-dead", "off", "--device", "none"], replay=never)
        seen = None
        if r and r["verdict"] == "holds" and o.checker != "auto":
            seen = self.compare(what, row, r, model, never[1], threads)
        agrees = failed == len(self.suite.failed) + len(self.suite.limited)
        self.log.add(case, row["product_states"], r, "yes" if agrees else "no", seen)

    def compare(self, what, row, r, model, automaton, threads):
        """Compares the size with the published one; returns the states of the whole product, if they were needed."""
        judge, published, pairs = self.suite.judge, size_of(row), int(row["rabin_pairs"])
        once = row["ltsmin_algorithm"] == "ufscc" or pairs == 1
        if any(p["conversion"] is not None for p in r["parts"]) and row["automaton"] != "finless":
            judge(what + ", acceptance", ["it was converted"])
            return None
        if any(p["conversion"] is not None and p["converted_from"] != p["automaton_states"] for p in r["parts"]):
            self.count("with an automaton that has become another one, not compared")
            return None
        if not once:
            of_pairs = self.sums.setdefault(pairs, [0, 0, 0])
            for i, n in enumerate((1, r["states"], published)):
                of_pairs[i] += n
        if once and r["states"] == published:
            return self.agrees(what, "the same states")
        if not once and threads == 1 and expansions(r) == published:
            return self.agrees(what, "the same, a pair at a time")
        path = os.path.join(self.suite.folder, "whole.hoa")
        with open(automaton, encoding="utf-8") as f, open(path, "w", encoding="utf-8") as out:
            out.write(whole(f.read()))
        every = self.suite.result("check", model, "--never", path, "--checker", "dijkstra", "--threads", "1",
                                  "--reset-dead", "off", "--device", "none")
        times = 1 if once else pairs
        if not isinstance(every, str) and every["verdict"] == "unknown":
            self.suite.limited.append(what)
            print("LIMIT %s, whole product: %s" % (what, every["reason"]), flush=True)
            return None
        if isinstance(every, str) or every["verdict"] != "holds":
            judge(what + ", whole product", [every if isinstance(every, str) else every["verdict"]])
            return None
        problems = [] if every["states"] * times == published else [
            "%d states, whole: %d for each of %d pairs, published: %d" % (
                r["states"], every["states"], times, published)]
        problems += [] if r["states"] <= every["states"] else ["%d states, whole: %d" % (r["states"], every["states"])]
        judge(what + ", product", problems)
        self.count("the whole product's" + ("" if once else ", a pair at a time"))
        return every["states"]

    def agrees(self, what, way):
        self.suite.judge(what + ", product", [])
        self.count(way)

    def count(self, way):
        self.ways[way] = self.ways.get(way, 0) + 1


def size_of(row):
    return int(row["product_states"] or 0)


def run_default(suite):
    """Checks the TGBA, and its formula, by the planner's choice; and the TGBA's product by dijkstra."""
    o = suite.options
    rows = [r for r in suite.rows("rabin-sttt", "expected.csv")
            if r["model"] in o.models and r["automaton"] == "tgba"]
    for row in suite.chosen(rows):
        base = os.path.join(o.corpus, "rabin-sttt", row["model"], row["formula"])
        model = os.path.join(o.corpus, "rabin-sttt", row["model"], row["model"] + ".dve")
        for threads in o.threads:
            for device in o.device:
                common = ["--threads", str(threads), "--device", device]
                where = "%s, %d threads, device %s" % (row["formula"], threads, device)
                never, formula = ["--never", base + "_tgba.hoa"], ["--ltl-file", base + ".ltl"]
                suite.check(where + " hoa", row["verdict"], [model, *never, *common], replay=never)
                suite.check(where + " ltl", row["verdict"], [model, *formula, *common], replay=formula)
        if row["verdict"] == "holds":
            r = suite.result("check", model, "--never", base + "_tgba.hoa", "--checker", "dijkstra",
                             "--reset-dead", "off", "--threads", "1", "--device", "none")
            suite.judge(row["formula"] + " product by dijkstra",
                        [r] if isinstance(r, str) else
                        [] if r["states"] == int(row["product_states"]) else
                        ["%d states, published: %s" % (r["states"], row["product_states"])])


def run(suite):
    if suite.options.checker:
        Checker(suite).run()
    else:
        run_default(suite)
