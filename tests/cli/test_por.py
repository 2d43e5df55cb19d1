# SPDX-License-Identifier: Apache-2.0
"""Partial order reduction: what faulty conditions would lose, what it leaves out, and where it is refused."""
import json
import re

from cli import Case, main, model, run

MUTEX = model("mutex.dve")

# A step that is independent of a cycle is put off for ever unless a state of the cycle has all its successors.
IGNORING = """
byte x, y;
process Cycle { state a, b; init a; trans a -> b { effect y = 1; }, b -> a { effect y = 0; }; }
process Late { state p, q; init p; trans p -> q { effect x = 1; }; }
system async;
"""
# The same, with the fault of a step and with an assertion's place.
FAULT = IGNORING.replace("x = 1", "x = 1 / x")

# Two writes that are seen, beside a step that is independent of both: if the set of the first state has one of the
# writes alone, the order "x before y" or "y before x" is lost.
SEEN = """
byte x, y, z;
process X { state p, q; init p; trans p -> q { effect x = 1; }; }
process Y { state p, q; init p; trans p -> q { effect y = 1; }; }
process Z { state p, q; init p; trans p -> q { effect z = 1; }; }
system async;
"""

# After "The inconsistent labelling problem" (Neele, Valmari, Willemse 2020), section 3: the step that decides the label
# is independent of the others only at the state where it is chosen first.
LABELLING = """
byte a, b, seen;
process P { state s, t; init s; trans s -> t { effect a = 1; }; }
process Q { state s, t; init s; trans s -> t { guard a == 0; effect seen = 1; }, s -> t { guard a == 1; effect b = 1; }; }
process R { state s, t, u; init s; trans s -> t { effect seen = 1 - seen; }, t -> u { effect seen = 1 - seen; }; }
system async;
"""

# A guard that faults only between two steps of another process, and is false for another reason.
GUARD = """
byte i, r, z; byte v[2];
process W { state p, q, e; init p; trans p -> q { effect i = 7; }, q -> e { effect i = 0; }; }
process G { state p, q, e; init p; trans p -> q { effect r = 1; }, q -> e { guard v[i] == 1 && z == 1; }; }
process C { state a; init a; trans a -> a {}; }
system async;
"""

# An assertion that fails nowhere, for c is always 0, but whose evaluation faults between two steps of another process.
ASSERTION = """
byte i, c, v[2];
active proctype W() { i = 7; i = 0 }
active proctype G() { byte r; r = 1; r = 2; assert(!(v[i] == 1 && c == 5)) }
active proctype C() { do :: skip od }
"""

# An assertion that fails only between two steps of another process.
PROMELA_ASSERTION = """
byte x, z;
active proctype A() { z = 1; assert(x == 0); z = 2 }
active proctype W() { x = 1; x = 0; do :: z == 7 -> x = 5 :: else od }
"""

# Processes that another one starts within an atomic sequence, and a value that a property sees.
ATOMIC_START = """
byte done;
proctype W() { byte k; k = 1; k = 2; k = 3; done++; k = 4; k = 5 }
init { byte i; atomic { do :: i < 3 -> run W(); i++ :: else -> break od } }
ltl p { <> [] (done == 3) }
"""


class Reduction(Case):
    def told(self, status, path, *args):
        return json.loads(self.expect(status, "check", path, *args, "--merge", "off", "--json").stdout)

    def keep(self, text, name="m.dve"):
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def agree(self, status, text, *property):
        """The verdict is the same with and without reduction, by all kinds of searches."""
        path = self.keep(text)
        for more in [], ["--threads", "3"], ["--checker", "ufscc"], ["--checker", "cndfs"], ["--checker", "ascc"]:
            for por in "off", "on", "always":
                self.told(status, path, *property, *more, "--por", por)

    def test_ignoring(self):
        self.agree(10, IGNORING, "--ltl", "G (x == 0)")
        self.agree(10, IGNORING, "--ltl", "F (x == 1) -> G (y == 0)")
        for threads in "1", "2":
            done = self.expect(3, "check", self.keep(FAULT), "--deadlock", "--por", "always", "--threads", threads)
            self.assertIn("division by zero", done.stderr)

    def test_seen(self):
        for formula in "(y == 0) U (x == 1)", "(x == 0) U (y == 1)":
            self.agree(10, SEEN, "--ltl", formula)
        self.agree(0, SEEN, "--ltl", "F (x == 1 && y == 1 && z == 1)")

    def test_labelling(self):
        for formula, status in (("G !(seen == 1 && b == 1)", 10), ("G (b == 1 -> a == 1)", 0),
                                ("F (b == 1)", 10), ("G (seen == 0)", 10), ("F G (seen == 0)", 10)):
            self.agree(status, LABELLING, "--ltl", formula)

    def test_faults(self):
        """Guards that fault, and assertions that fail, in some order of steps alone."""
        for por in "off", "on", "always":
            done = self.expect(3, "check", self.keep(GUARD), "--deadlock", "--por", por)
            self.assertIn("index", done.stderr)
            done = self.expect(3, "check", self.keep(ASSERTION, "a.pml"), "--assertions", "--por", por,
                               "--merge", "off", "--reset-dead", "off", "--search", "bfs")
            self.assertIn("index", done.stderr)
            self.expect(10, "check", self.keep(PROMELA_ASSERTION, "m.pml"), "--assertions", "--por", por,
                        "--merge", "off", "--reset-dead", "off")

    def test_automata(self):
        """An automaton that is not deterministic, whose form says that it does not count steps: with what its
        propositions say of each other.
        """
        late = SEEN.replace("system async;", """process Never { state s, t; init s; accept t;
trans s -> s {}, s -> t { guard X.q && not (Y.q); }, t -> t { guard not (Y.q); }; }
system async property Never;""")
        self.agree(10, late.replace("process Y { state p, q; init p; trans", "process Y { state p, q; init p; trans p -> p {},"))
        self.agree(0, late.replace("guard X.q && not (Y.q)", "guard X.p && Y.q && not (Y.q)"))
        counts = late.replace("t -> t { guard not (Y.q); }", "t -> s { guard not (Y.q); }")
        self.refused(2, "it is not known whether the automaton is stutter-invariant", "check", self.keep(counts),
                     "--por", "on")

    def test_empty_queue(self):
        """R waits for a message: it is the sender that makes it go on, although other messages than 1 may be in front (F6)."""
        path = self.keep("""chan c = [2] of { byte };
byte g, h;
active proctype X() { d_step { g == 0; h = 1 } h == 1 }
active proctype R() { d_step { c?1; g = 1 } }
active proctype Q() { end: do :: d_step { c?2; h = h } od }
active proctype S() { c!1 }
""", "m.pml")
        for por in ("off", "auto", "always"):
            self.told(10, path, "--deadlock", "--por", por)

    def test_left_out(self):
        """Steps that have nothing to do with each other: one order is left."""
        clocks = "".join("process P%d { state a, b, c; init a; trans a -> b {}, b -> c {}; }\n" % i for i in range(6))
        path = self.keep("byte x;\n" + clocks + "system async;\n")
        all_orders, one = (json.loads(self.expect(0, "explore", path, "--por", por, "--json").stdout)
                           for por in ("off", "on"))
        self.assertEqual((all_orders["states"], all_orders["deadlocks"]), (3 ** 6, 1))
        self.assertEqual((one["states"], one["deadlocks"]), (13, 1))
        found = self.told(10, path, "--deadlock", "--por", "on", "--search", "bfs")
        self.assertEqual((found["minimal"], self.told(10, path, "--deadlock", "--search", "bfs", "--por", "off")["minimal"]), (False, True))

    def test_sample(self):
        """A model of which next to nothing can be left out is searched as it is, with a notice."""
        same = "byte x;\n" + "".join("process P%d { state a; init a; trans a -> a { guard x == %d; effect x = %d; }; }\n"
                                     % (i, i, (i + 1) % 3) for i in range(3)) + "system async;\n"
        said = self.expect(0, "explore", self.keep(same), "--por", "on").stderr
        self.assertIn("all orders of steps are searched: in a sample of states", said)
        said = self.expect(0, "check", self.keep(SEEN), "--ltl", "F (x == 1)", "--por", "always", "-v").stderr
        self.assertIn("orders of independent steps are left out: 3 transitions, 1 of them change", said)

    def test_several(self):
        """Several properties share a reduced exploration, unless one of them needs all orders."""
        done = run("check", self.keep(SEEN), "--deadlock", "--invariant", "x <= y", "--por", "always")
        self.assertEqual(done.returncode, 10, done.stderr)
        self.assertEqual(done.stdout.count(": violated"), 2, done.stdout)
        steps = "".join("process P%d { state a, b, c; init a; trans a -> b {}, b -> c {}; }\n" % i for i in range(6))
        path = self.keep("byte x;\n" + steps + "process L { state l; init l; trans l -> l {}; }\nsystem async;\n", "steps.dve")
        for more, states in (([], 13), (["--por", "on"], 13), (["--por", "off"], 3 ** 6)):
            done = self.expect(0, "check", path, "--deadlock", "--invariant", "x == 0", "--merge", "off", *more)
            self.assertIn("one exploration for 2 properties\n%d states," % states, done.stdout)

    def test_both_ways(self):
        """Sets are made in two ways, and the better one is taken: here leavers cost less at one member, and lead to larger sets."""
        text = "channel " + ", ".join("s%d, f%d, n%d" % (i, i, i) for i in range(5)) + ";\n"
        for i in range(5):
            text += """process C%d { state a, b; init a; trans a -> b { sync s%d?; }, b -> a { sync f%d!; }; }
                process S%d { byte d, r; state i, t, s, w; init %s; trans
                    i -> t { sync n%d?; }, t -> s { sync s%d!; }, s -> w { sync n%d!; effect d = 0, r = 0; },
                    w -> w { guard d == 0; sync f%d?; effect d = 1; }, w -> w { guard r == 0; sync n%d?; effect r = 1; },
                    w -> t { guard d == 1; }; }
                """ % (i, i, i, i, "it"[i == 0], i, i, (i + 1) % 5, i, i)
        path = self.keep(text + "system async;\n")
        found = json.loads(self.expect(0, "explore", path, "--por", "always", "--json").stdout)
        self.assertLess(found["states"], 1050)  # with leavers wherever they cost less: 1157

    def test_many(self):
        """Relations among very many steps that use one variable are not worth their time."""
        steps = ",\n".join("a -> a { guard x == %d; effect x = %d; }" % (i, i + 1) for i in range(8500))
        path = self.keep("int x;\nprocess P { state a; init a; trans\n%s; }\nsystem async;\n" % steps)
        said = self.expect(0, "check", path, "--invariant", "x <= 8500", "--merge", "off", "--por", "on").stderr
        self.assertIn("all orders of steps are searched: too many steps depend on each other", said)

    def test_atomic_start(self):
        """That states within atomic sequences are not seen is no reason to keep orders, also if properties share them."""
        path = self.keep(ATOMIC_START, "start.pml")

        def states(por, *properties):
            done = self.expect(0, "check", path, *properties, "--merge", "off", "--reset-dead", "off", "--por", por, "-v")
            return int(re.search(r"^(\d+) states, ", done.stdout, re.M)[1])
        one = states("on", "--deadlock")
        self.assertEqual(states("on", "--deadlock", "--assertions"), one)
        self.assertLess(5 * one, states("off", "--deadlock"))
        self.assertLess(4 * states("on", "--property", "p"), states("off", "--property", "p"))

    def test_plan(self):
        def orders(*options):
            return json.loads(run("check", MUTEX, "--plan", "--json", *options).stdout)["orders"]
        self.assertEqual(orders("--deadlock", "--por", "off"), "all")
        self.assertEqual(orders("--deadlock"), "deadlocks")
        self.assertEqual(orders("--ltl", "G F A.crit"), "runs")
        self.assertEqual(orders("--deadlock", "--por", "on"), "deadlocks")
        self.assertEqual(orders("--ltl", "G F A.crit", "--por", "on"), "runs")
        result = run("check", MUTEX, "--plan", "--ltl", "X A.crit", "--por", "on")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("not stutter-invariant", result.stderr)

    def test_refused(self):
        for question, why in ((["--ltl", "G X A.crit"], "is not stutter-invariant"),
                              (["--ltl", "G F A.crit", "--shortest", "1s"], "a shortest counterexample"),
                              (["--ltl", "G F A.crit", "--fairness", "weak"], "fairness"),
                              (["--ltl", "G F A.crit", "--device", "host"], "a device")):
            self.refused(2, "orders of steps cannot be left out: .*" + why, "check", MUTEX, *question, "--por", "on")
        self.refused(2, "a device searches all", "explore", MUTEX, "--device", "host", "--por", "on")
        for option in (["--coverage"], ["--output", self.path("g.dot")]):
            self.refused(2, "--por omits states and statements", "explore", MUTEX, "--por", "on", *option)
        self.refused(2, "--por takes one of auto, off, on, always", "check", MUTEX, "--por", "maybe")


if __name__ == "__main__":
    main()
