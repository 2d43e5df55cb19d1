# SPDX-License-Identifier: Apache-2.0
"""Random Promela models, compared with SPIN: random_models.py COUNT NUMBER [SEED].

Makes NUMBER models from SEED on (a model depends only on its own seed), and compares states and
errors of each with SPIN's, as compare.py does. The test is skipped (77) if spin or gcc is not installed.
"""
import os
import random
import re
import shutil
import sys
import tempfile

import compare
import random_traces

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from seed import cases

MOST = 20000


# Optional features of a model: only a few each, so that the model stays small.
FEATURES = ["structures", "mtypes", "messages", "timeout", "loops", "inlines", "runs", "provided", "scopes", "peeks",
            "remote", "ends", "arithmetic", "widths", "jumps"]

# Optional extras, at most one per model: the macros and inlines that it needs, and statements.
EXTRAS = {
    "exclusive": ("", []),
    "trace": ("", []),
    "places": ("", ["x = pc_value(0) & 3", "y = pc_value(_pid) % 4", "a[1] = pc_value(1) & 3"]),
    "values": ("inline v1(p) { if :: p > 1 -> return p - 1 :: else -> return 2 fi }\n"
               "inline v2(p) { { byte n; n = v1(p); n++; return n & 3; y = n } }\n",
               ["x = v1(y)", "a[1] = v2(x)", "y = v2(l + 1)"]),
    "started": ("", ["x = (run E(y)) & 1", "y = 3 - (1 + run E(x)) % 3", "assert(run E(2) > 0)", "printf(\"%d\", run E(l))"]),
    "joined": ("#define cat(a, b) a##b\n#define put(n, e) cat(n, ) = (e) & 3; printf(#e)\n",
               ["put(cat(, x), y)", "put(y, cat(1, 2))", "cat(put, )(y, cat(x, ))"]),
}


class Model:
    """A random model: two or three processes over a few small variables and channels."""

    def __init__(self, seed, extras=True):
        self.r = random.Random(seed)
        self.features = set(self.r.sample(FEATURES, self.r.randint(0, 4)))
        self.variables = ["x", "y", "a[1]", "a[x % 2]"]
        self.head = ["byte x, y; byte a[2]; chan b = [2] of { byte, bit }; chan q = [1] of { byte };",
                     "chan r = [0] of { byte }; chan s = [0] of { byte, bit };"]
        self.locals = ["byte l"]
        self.labels = self.inlines = self.unlesses = 0
        self.name = ""  # of the process
        self.inside = False  # true in an inline, which has no labels
        self.marked = False  # true if the process has its label M
        self.more = random.Random("more %d" % seed)  # separate, so that models without extras do not change
        self.extra = self.more.choice([None] * 5 + sorted(EXTRAS)) if extras else None
        if "structures" in self.features:
            self.head.insert(0, "typedef T { byte e; bit g[2] } typedef S { byte f; T t[2] } S u[2]; S v;")
            self.variables += ["u[1].f", "u[x % 2].t[1].e", "v.t[y % 2].g[1]", "v.f"]
        if "widths" in self.features:
            self.head.append("bit w1; unsigned w2 : 2; short w3 = -1; bool w4 = true;")
            self.variables += ["w1", "w2", "w3", "w4"]
        if "mtypes" in self.features:
            self.head.insert(0, "mtype = { red, green }; mtype:way = { up, down };")
            self.head.append("mtype m1; mtype:way m2 = down; chan mc = [2] of { mtype, mtype:way };")
        if "messages" in self.features:
            self.head.append("chan p = [1] of { byte }; chan k = [1] of { chan, bit };")
            self.locals.append("chan h = q")
        if "loops" in self.features:
            self.locals.append("byte i")

    def expression(self, depth=0):
        r = self.r
        if depth > 1 or r.random() < 0.4:
            return r.choice(self.variables + ["l", "0", "1", "2", "_pid"])
        if r.random() < 0.1:
            return "(%s -> %s : %s)" % tuple(self.expression(depth + 1) for _ in range(3))
        if "arithmetic" in self.features and r.random() < 0.4:
            form = r.choice(["(%s / 2)", "(7 %% (1 + (%s & 3)))", "(%s << 1)", "(-%s)", "(~%s)", "(!%s)", "(%s >> 1)",
                             "(%s ^ 3)", "(%s - 200)", "(%s * 100)"])
            return form % self.expression(depth + 1)
        return "(%s %s %s)" % (self.expression(depth + 1),
                               r.choice(["+", "-", "*", "==", "<", ">=", "&&", "||", "&", "!="]),
                               self.expression(depth + 1))

    def condition(self, step=False):
        r = self.r
        pick = r.random()
        if pick < 0.12 and not step:
            return r.choice(["len(b) < 2", "nempty(q)", "full(b)", "b?[1, _]", "q??[2]"])
        special = []
        if "timeout" in self.features:
            special += ["timeout", "timeout && x < 2"]
        if "mtypes" in self.features:
            special += ["m1 == red", "m2 != up", "mc?[red, _]", "mc??[eval(m1), down]"]
        if "messages" in self.features:
            special += ["h == q", "nfull(h)", "len(h) == 1", "empty(k)"]
        if self.name > "P" and "remote" in self.features:
            special += ["P[0]@L", "P[0]:l > 0", "!P@L || x"]
        if self.name > "Q" and "remote" in self.features:
            special += ["!Q@L", "Q@L && x"]
        if "runs" in self.features:
            special += ["_nr_pr < 4", "_nr_pr > 3"]
        if special and not step and r.random() < 0.3:
            return r.choice(special)
        return "%s %s %s" % (r.choice(self.variables + ["l"]),
                             r.choice(["==", "!=", "<", ">"]), r.choice("0123"))

    def assignment(self):
        r = self.r
        if "mtypes" in self.features and r.random() < 0.2:
            return r.choice(["m1 = red", "m1 = green", "m2 = up", "m2 = down", "m1 = (x -> red : m1)"])
        target = r.choice(self.variables + ["l"])
        if r.random() < 0.3:
            return "%s%s" % (target, r.choice(["++", "--"]))
        if "widths" in self.features and r.random() < 0.3:
            return "%s = %s" % (r.choice(["w1", "w2", "w4"]), self.expression())
        return "%s = (%s) & 3" % (target, self.expression())

    def channel(self, rendezvous):
        r = self.r
        special = []
        if "mtypes" in self.features:
            special += ["mc!red, m2", "mc!m1, up", "mc!!green(down)", "mc?m1, m2", "mc?red, m2", "mc??green, _",
                        "mc?eval(m1), m2"]
        if "messages" in self.features:
            special += ["k!q, 1", "k!h, x", "k!!p, 0", "k?h, _", "k?h, 1", "k??h, eval(x)", "h!2", "h?x", "h?1", "p!x & 1", "p?l"]
        if "peeks" in self.features:
            special += ["b?<x, _>", "b?<1, y>", "b??<l, 1>", "q?<y>", "q??<2>", "q?eval(x + 1)", "b?eval(_pid), y",
                        "b??eval(l), eval(y)", "b!!l & 3(x)", "b??_, 0"]
        if special and r.random() < 0.4:
            return r.choice(special)
        name = r.choice(["b", "q", "r", "s"] if rendezvous else ["b", "q"])
        both = name in ("b", "s")
        if r.random() < 0.5:
            how = "!!" if name == "b" and r.random() < 0.4 else "!"
            return "%s%s%s" % (name, how, "1, x & 1" if both else r.choice(["1", "2", "x & 3"]))
        first = r.choice(["x", "l", "1", "eval(x)", "_"])
        how = "??" if name in ("b", "q") and r.random() < 0.3 else "?"
        return "%s%s%s" % (name, how, first + ", y" if both else first)

    def simple(self, rendezvous=True):
        if self.extra and EXTRAS[self.extra][1] and self.more.random() < 0.2:
            return self.more.choice(EXTRAS[self.extra][1])
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
            first = self.condition(step) if step or r.random() < 0.7 else self.simple(True)
            rest = self.sequence(depth + 1, atomic, step, loop) if r.random() < 0.7 else "skip"
            options.append(":: %s -> %s" % (first, rest))
        # SPIN allows no else beside messages or queries of channels.
        clean = all(c not in o.split("->")[0] for o in options for c in ("!", "?", "len(", "full(", "empty(")) or step
        if other and (step or (clean and r.random() < 0.5)):
            options.append(":: else -> %s" % ("skip" if step else self.simple(True)))
        return " ".join(options)

    def statement(self, depth, atomic=False, step=False, loop=False):
        r = self.r
        pick = r.random()
        if step:
            return "if %s fi" % self.choice(depth, True, True, loop) if depth < 2 and pick < 0.2 \
                else self.assignment()
        if r.random() < 0.35:
            special = self.special(depth, atomic, loop)
            if special is not None:
                return special
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
            return "d_step { %s; %s }" % (self.condition(True), self.sequence(depth + 1, True, True))
        return "goto L" if not atomic and self.name and r.random() < 0.5 else "assert(%s < 4)" % \
            r.choice(["x", "y", "l"])

    def special(self, depth, atomic, loop):
        """Returns a statement of one of the model's features, or None."""
        r = self.r
        which = r.choice(sorted(self.features)) if self.features else None
        if which == "runs":
            return "atomic { _nr_pr < 5 -> run D(%s) }" % self.expression()
        if which == "loops" and depth < 2:
            body = self.sequence(depth + 1, atomic, False, True)
            return r.choice(["for (i : 0 .. 1) { %s }", "for (i in a) { a[i] = i; %s }", "select (i : 0 .. 2); %s",
                             "select (l : x .. x + 1); %s", "for (i : 1 .. l) { %s; if :: y == 2 -> break :: else fi }"]) % body
        if which == "scopes" and depth < 3:
            name = "z%d" % depth
            self.variables.append(name)
            body = self.sequence(depth + 1, atomic, False, loop)
            self.variables.remove(name)
            return "{ byte %s%s; %s }" % (name, r.choice(["", " = 1", " = x"]), body)
        if which == "inlines":
            if self.inlines < 3 and not self.inside and depth < 2:
                return self.inline()
            return None
        if which == "ends" and not self.inside:
            self.labels += 1
            return "%s; %s%d: %s" % (self.simple(), r.choice(["end", "progress", "accept", "K"]), self.labels, self.simple())
        if which == "jumps" and not self.inside:
            if not self.marked:
                self.marked = True
                return "%s; M: %s" % (self.simple(), self.simple())
            return "goto M"
        return None

    def inline(self):
        """Makes an inline and returns a call of it."""
        r = self.r
        self.inlines += 1
        self.inside = True
        outer, self.variables = self.variables, [v for v in self.variables if v[0] != "z"] + ["to"]
        body = "to = by; " + self.sequence(1)
        self.inside, self.variables = False, outer
        if self.inlines > 1 and r.random() < 0.5:
            body += "; f%d(to, by + 1)" % r.randint(1, self.inlines - 1)
        self.head.append("inline f%d(to, by) { %s }" % (self.inlines, body))
        return "f%d(%s, %s)" % (self.inlines, r.choice(["x", "y", "l", "a[1]"]), r.choice(["1", "x", "(l + 1)"]))

    def unless(self, depth, atomic, loop):
        r = self.r
        outermost = self.unlesses == 0
        self.unlesses += 1
        body = self.sequence(depth + 1, atomic, False, loop)
        # A rendezvous without a partner makes SPIN's verifier forget another escape that it has
        # taken (README, "Known limits").
        alone = outermost and not re.search(r"unless|\bf\d\(", body)
        guard = self.condition() if r.random() < 0.6 else self.channel(alone)
        self.unlesses -= 1
        escape = "%s -> %s" % (guard, self.sequence(depth + 1, atomic, False, loop))
        kinds = ["", ""] if atomic else ["", "", "atomic "]
        return "%s{ %s } unless %s{ %s }" % (r.choice(kinds), body, r.choice(kinds), escape)

    def process(self, name):
        r = self.r
        active = "active [2] " if r.random() < 0.3 else "active "
        self.marked = False
        self.name = name
        body = self.sequence(0)
        more = self.sequence(0)
        # If there are random receives anywhere, a copy is an error in SPIN's verifier.
        if self.extra == "exclusive" and "peeks" not in self.features:
            body = "".join("%s; " % self.more.choice(["xr q", "xr b", "xs q", "xs b", "xs q, b", "xr q; xs b"])
                           for _ in range(self.more.choice([0, 1, 1, 2]))) + body
        provided = " provided (%s)" % r.choice(["x < 2", "y != _pid", "x == 0 || y"]) \
            if "provided" in self.features and r.random() < 0.6 else ""
        return "%sproctype %s()%s { %s; %s; L: %s; %s }\n" % (active, name, provided, "; ".join(self.locals), body,
                                                             self.simple(), more)

    def text(self):
        processes = [self.process(n) for n in "PQR"[:self.r.randint(2, 3)]]
        if "runs" in self.features:
            self.inside = True
            self.name = ""
            processes.append("proctype D(byte l) { %s%s }\n" % ("".join(d + "; " for d in self.locals[1:]), self.simple()
                                                              if self.r.random() < 0.5 else self.sequence(1)))
        if self.extra == "trace":
            processes.append(random_traces.trace(self.more))
        if self.extra == "started":
            processes.append("proctype E(byte l) { y = l }\n")
        if self.extra:
            self.head.insert(0, EXTRAS[self.extra][0])
        return "\n".join(self.head) + "\n" + "".join(processes)


def compare_all(count, number, seed, make):
    """Compares the models make(SEED) of NUMBER seeds; returns the exit status."""
    bad, compared, large, refused, reasons = 0, 0, 0, 0, set()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.pml")
        for k in cases(seed, number):
            with open(path, "w", encoding="utf-8") as f:
                f.write(make(k).text())
            mine = compare.ours(count, path, MOST * 4)
            if mine[1] in ("large", "refused"):
                large += mine[1] == "large"
                refused += mine[1] == "refused"
                reasons.add(re.sub(r".*: ", "", mine[2]) if mine[1] == "refused" else "large")
                continue
            theirs = compare.spin(path, MOST)
            if theirs[0] is None or theirs[1] == "large":
                large += 1
                reasons.add("large" if theirs[0] is not None else "SPIN: %s" % re.sub(r".*: |\n.*", "", theirs[1]))
                continue
            compared += 1
            what = compare.wrong("seed %d" % k, theirs, mine)
            if what is not None:
                bad += 1
                print(what)
    print("%d compared, %d too large for it or none of SPIN's, %d refused, %d wrong"
          % (compared, large, refused, bad))
    for reason in sorted(reasons):
        print("  not compared:", reason)
    return 1 if bad or compared == 0 else 0


def main():
    if shutil.which("spin") is None or shutil.which("gcc") is None:
        print("spin or gcc is not installed")
        return 77
    return compare_all(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1, Model)


if __name__ == "__main__":
    sys.exit(main())
