# SPDX-License-Identifier: Apache-2.0
"""Random Promela models, compared with SPIN: random_models.py COUNT NUMBER [SEED].

Makes NUMBER models from SEED on (a model depends on its own seed only), and compares states and
errors of each with SPIN's, as compare.py does. Skipped (77) where spin or gcc is not installed.
"""
import os
import random
import shutil
import sys
import tempfile

import compare

MOST = 20000


class Model:
    """A random model: two or three processes over a few small variables and channels."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.variables = ["x", "y", "a[1]", "a[x % 2]"]
        self.channels = {"b": 2, "q": 1, "r": 0, "s": 0}
        self.labels = 0

    def expression(self, depth=0):
        r = self.r
        if depth > 1 or r.random() < 0.4:
            return r.choice(self.variables + ["l", "0", "1", "2", "_pid"])
        if r.random() < 0.1:
            return "(%s -> %s : %s)" % tuple(self.expression(depth + 1) for _ in range(3))
        return "(%s %s %s)" % (self.expression(depth + 1),
                               r.choice(["+", "-", "*", "==", "<", ">=", "&&", "||", "&", "!="]),
                               self.expression(depth + 1))

    def condition(self):
        r = self.r
        pick = r.random()
        if pick < 0.12:
            return r.choice(["len(b) < 2", "nempty(q)", "full(b)", "b?[1, _]", "q??[2]"])
        return "%s %s %s" % (r.choice(self.variables + ["l"]),
                             r.choice(["==", "!=", "<", ">"]), r.choice("0123"))

    def assignment(self):
        r = self.r
        target = r.choice(self.variables + ["l"])
        if r.random() < 0.3:
            return "%s%s" % (target, r.choice(["++", "--"]))
        return "%s = (%s) & 3" % (target, self.expression())

    def channel(self, rendezvous):
        r = self.r
        name = r.choice(["b", "q", "r", "s"] if rendezvous else ["b", "q"])
        both = name in ("b", "s")
        if r.random() < 0.5:
            how = "!!" if name == "b" and r.random() < 0.4 else "!"
            return "%s%s%s" % (name, how, "1, x & 1" if both else r.choice(["1", "2", "x & 3"]))
        first = r.choice(["x", "l", "1", "eval(x)", "_"])
        how = "??" if name in ("b", "q") and r.random() < 0.3 else "?"
        return "%s%s%s" % (name, how, first + ", y" if both else first)

    def simple(self, rendezvous=True):
        pick = self.r.random()
        if pick < 0.45:
            return self.assignment()
        if pick < 0.65:
            return self.condition()
        if pick < 0.9:
            return self.channel(rendezvous)
        return self.r.choice(["skip", "printf(\"x\\n\")"])

    def sequence(self, depth, atomic=False, step=False, loop=False):
        count = self.r.randint(1, 3)
        return "; ".join(self.statement(depth, atomic, step, loop) for _ in range(count))

    def choice(self, depth, atomic, step, loop, other=True):
        r = self.r
        options = []
        for _ in range(r.randint(1, 3)):
            first = self.condition() if step or r.random() < 0.7 else self.simple(True)
            rest = self.sequence(depth + 1, atomic, step, loop) if r.random() < 0.7 else "skip"
            options.append(":: %s -> %s" % (first, rest))
        clean = all(c not in o.split("->")[0] for o in options for c in "!?") or step
        if other and (step or (clean and r.random() < 0.5)):
            options.append(":: else -> %s" % ("skip" if step else self.simple(True)))
        return " ".join(options)

    def statement(self, depth, atomic=False, step=False, loop=False):
        r = self.r
        pick = r.random()
        if step:
            return "if %s fi" % self.choice(depth, True, True, loop) if depth < 2 and pick < 0.2 \
                else self.assignment()
        if depth > 2 or pick < 0.55:
            return self.simple()
        if r.random() < 0.15:
            return self.unless(depth, atomic, loop)
        if pick < 0.68:
            return "if %s fi" % self.choice(depth, atomic, step, loop)
        if pick < 0.78:
            return "do %s :: %s -> break od" % (self.choice(depth, atomic, step, True, False),
                                                self.condition())
        if pick < 0.84:
            return "{ %s }" % self.sequence(depth + 1, atomic, step, loop)
        if pick < 0.93 and not atomic:
            return "atomic { %s }" % self.sequence(depth + 1, True, step, loop)
        if pick < 0.97:
            return "d_step { %s; %s }" % (self.condition(), self.sequence(depth + 1, True, True))
        return "goto L" if not atomic and r.random() < 0.5 else "assert(%s < 4)" % \
            r.choice(["x", "y", "l"])

    def unless(self, depth, atomic, loop):
        r = self.r
        body = self.sequence(depth + 1, atomic, False, loop)
        guard = self.condition() if r.random() < 0.6 else self.channel(True)
        escape = "%s -> %s" % (guard, self.sequence(depth + 1, atomic, False, loop))
        kinds = ["", ""] if atomic else ["", "", "atomic "]
        return "%s{ %s } unless %s{ %s }" % (r.choice(kinds), body, r.choice(kinds), escape)

    def process(self, name):
        r = self.r
        active = "active [2] " if r.random() < 0.3 else "active "
        body = self.sequence(0)
        more = self.sequence(0)
        return "%sproctype %s() { byte l; %s; L: %s; %s }\n" % (active, name, body,
                                                               self.simple(), more)

    def text(self):
        head = ("byte x, y; byte a[2]; chan b = [2] of { byte, bit }; chan q = [1] of { byte };\n"
                "chan r = [0] of { byte }; chan s = [0] of { byte, bit };\n")
        return head + "".join(self.process(n) for n in "PQR"[:self.r.randint(2, 3)])


def main():
    count, number = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    if shutil.which("spin") is None or shutil.which("gcc") is None:
        print("spin or gcc is not installed")
        return 77
    bad, compared, large, refused = 0, 0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.pml")
        for k in range(seed, seed + number):
            with open(path, "w", encoding="utf-8") as f:
                f.write(Model(k).text())
            mine = compare.ours(count, path, MOST * 4)
            if mine[1] in ("large", "refused"):
                large += mine[1] == "large"
                refused += mine[1] == "refused"
                continue
            theirs = compare.spin(path, MOST)
            if theirs[0] is None or theirs[1] == "large":
                large += 1
                continue
            compared += 1
            what = compare.wrong("seed %d" % k, theirs, mine)
            if what is not None:
                bad += 1
                print(what)
    print("%d compared, %d too large for it or none of SPIN's, %d refused, %d wrong"
          % (compared, large, refused, bad))
    return 1 if bad or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
