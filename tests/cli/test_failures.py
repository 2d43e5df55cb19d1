# SPDX-License-Identifier: Apache-2.0
"""explore after failed assertions; states within atomic sequences."""
import json

from cli import Case, main

# SPIN 6.5.2 (-DNOREDUCE -DSAFETY, pan -E -c0) stores 79 states.
TWO = """byte x;
active [2] proctype P() {
    do
    :: x < 3 -> atomic { x++; assert(x != 2); x = x * 1 }
    :: x == 3 -> assert(_pid == 0); x = 0; assert(false)
    od
}
"""
# An assertion follows one that always fails, so that every path to it passes through the first.
ROW = "active proctype P() { byte n; assert(n == 1); n = 1; assert(n == 2); n = 2; n = 3 }\n"
# 70 assertions: more than are checked at once. The second of each pair fails.
MANY = "byte x;\nactive proctype P() {\n%s}\n" % "".join("assert(x == %d);\nassert(x > %d);\nx++;\n" % (k, k) for k in range(35))
INDEX = "byte a[2], i;\nactive proctype P() { assert(i == 1); i = 1; do :: a[i] = 1; i++ od }\n"
IN_ASSERTION = "byte a[2], i = 7;\nactive proctype P() { assert(i == 1); assert(a[i] == 0); i = 1 }\n"
EXCLUSIVE = """chan c = [1] of { byte };
active proctype P() { xs c; c!1; c!2 }
active proctype Q() { c!3 }
active proctype R() { byte b; do :: c?b od }
"""
DVE = "byte n; process P { state s; init s; assert s: n < 2; trans s -> s { guard n < 5; effect n = n + 1; }; } system async;"
FIGURES = ("states", "stored", "transitions", "deadlocks", "levels", "complete", "failures")
WAYS = [("--device", "none", "--threads", "1", "--exec", "vm"), ("--device", "none", "--threads", "2", "--exec", "vm"),
        ("--device", "none", "--threads", "1", "--exec", "native"), ("--device", "host", "--threads", "1"),
        ("--store", "plain", "--threads", "1")]


class Failures(Case):
    def explore(self, status, text, *options, ending="pml"):
        return json.loads(self.expect(status, "explore", self.file("m." + ending, text), "--json", *options).stdout)

    def file(self, name, text):
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def test_all_ways_say_the_same(self):
        found = self.explore(10, TWO, *WAYS[0])
        self.assertEqual((found["stored"], found["complete"], found["reason"]), (79, True, None))
        self.assertEqual([(f["line"], f["column"]) for f in found["failures"]], [(4, 31), (5, 18), (5, 44)])
        for way in WAYS[1:]:
            other = self.explore(10, TWO, *way)
            for each in found["failures"] + other["failures"]:  # any of several shortest runs is valid
                each["run"] = each["run"] if isinstance(each["run"], int) else len(each["run"])
            self.assertEqual([other[name] for name in FIGURES], [found[name] for name in FIGURES], way)

    def test_text(self):
        path = self.file("m.pml", ROW)
        done = self.expect(10, "explore", path, "--threads", "1")
        lines = done.stdout.splitlines()
        self.assertIn(f"assertion {path}:1:31 fails in 1 state: P: assert(n == 1)", lines)
        self.assertIn(f"assertion {path}:1:54 fails in 1 state: P: assert(n == 2)", lines)
        self.assertIn("states: 7", lines)
        self.assertFalse([line for line in lines if line.startswith("incomplete")])
        self.assertIn("n = 1", done.stdout)  # the path to the second one
        short = self.expect(10, "explore", path, "-q").stdout
        self.assertEqual(short.splitlines()[0], lines[0])
        self.assertNotIn("n = 1\n", short)

    def test_ignored(self):
        found = self.explore(0, TWO, "--ignore-assertions")
        self.assertEqual((found["stored"], found["failures"]), (79, None))
        there = self.explore(0, TWO, "--ignore-assertions", "--device", "host")
        self.assertEqual([there[name] for name in FIGURES], [found[name] for name in FIGURES])
        self.assertIsNotNone(there["device"])
        self.expect(2, "explore", self.file("m.pml", TWO), "--ignore-assertions", "--errors", "1")

    def test_errors(self):
        one = self.explore(10, MANY, "--errors", "1", "--threads", "1")
        self.assertEqual((one["complete"], len(one["failures"])), (False, 1))
        self.assertIn("--errors", one["reason"])
        some = self.explore(10, MANY, "--errors", "5", "--threads", "1")
        self.assertEqual(sum(f["states"] for f in some["failures"]), 5)
        every = self.explore(10, MANY)
        self.assertEqual([(f["line"], f["states"]) for f in every["failures"]], [(4 + 3 * k, 1) for k in range(35)])
        self.assertTrue(self.explore(10, MANY, "--errors", "36")["complete"])
        self.expect(2, "explore", self.path("m.pml"), "--errors", "0")

    def test_many_places(self):
        """More places than one exploration checks."""
        text = "byte x;\nactive proctype P() {\n%s}\n" % "".join("assert(x > %d);\nx++;\n" % k for k in range(70))
        found = self.explore(10, text)
        self.assertEqual([f["line"] for f in found["failures"]], [3 + 2 * k for k in range(70)])
        self.assertEqual((found["stored"], found["states"]), (142, 142))

    def test_graph(self):
        graph = self.path("g.json")
        done = self.expect(10, "explore", self.file("m.pml", ROW), "--output", graph, "--json")
        with open(graph, encoding="utf-8") as f:
            self.assertEqual(json.load(f)["states"], json.loads(done.stdout)["states"])
        self.expect(10, "explore", self.path("m.pml"), "--output", graph, "--errors", "1")

    def test_coverage(self):
        found = self.explore(10, ROW, "--coverage")
        self.assertEqual((found["coverage"]["never_done"], len(found["failures"])), ([], 2))
        found = self.explore(0, ROW, "--coverage", "--ignore-assertions")
        self.assertEqual((found["coverage"]["never_done"], found["failures"]), ([], None))

    def test_other_errors(self):
        """An error that prevents continuation ends the exploration, with figures and the failures
        so far.
        """
        path = self.file("m.pml", INDEX)
        done = self.expect(3, "explore", path)
        self.assertIn("incomplete: error in the model\nstates: ", done.stdout)
        self.assertIn(f"assertion {path}:2:23 fails in 1 state", done.stdout)
        self.assertIn("index outside an array", done.stderr)
        found = self.explore(3, INDEX)
        self.assertEqual((found["complete"], len(found["failures"])), (False, 1))
        done = self.expect(3, "explore", self.file("m.pml", IN_ASSERTION))
        self.assertIn("m.pml:2:39: division by zero or index outside an array in assertion", done.stderr)

    def test_limits(self):
        done = self.expect(10, "explore", self.file("m.pml", TWO), "--max-states", "40", "--threads", "1", "--json")
        found = json.loads(done.stdout)
        self.assertEqual((found["complete"], found["failures"] != []), (False, True))

    def test_dve(self):
        found = self.explore(10, DVE, ending="dve")
        self.assertEqual((found["states"], found["stored"], found["failures"][0]["states"]), (6, 6, 4))

    def test_exclusive(self):
        self.explore(10, EXCLUSIVE)
        off = self.explore(0, EXCLUSIVE, "--frontend", "promela:exclusive=0")
        plain = self.explore(0, EXCLUSIVE.replace("xs c; ", ""))
        self.assertEqual([off[name] for name in FIGURES], [plain[name] for name in FIGURES])

    def test_stored(self):
        text = "byte x;\nactive [2] proctype P() { atomic { x == 0; x = 1; if :: x = 2 :: x = 3 fi; x = 0 } }\n"
        done = self.expect(0, "explore", self.file("m.pml", text))
        found = self.explore(0, text)
        self.assertLess(found["stored"], found["states"])
        self.assertIn("states: %d\nstored by SPIN: %d (" % (found["states"], found["stored"]), done.stdout)
        merged = self.explore(0, text, "--merge", "on")
        self.assertEqual((merged["states"], merged["stored"]), (found["stored"], found["stored"]))
        self.assertNotIn("stored", self.expect(0, "explore", self.file("m.pml", ROW.replace("assert(n", "skip; (n != 9 && n >= 0) || (n")), "-q").stdout)

    def test_leap_to_error(self):
        """With merged statements, an atomic sequence is one step; the trace to an error shows all of its steps."""
        text = "byte x, y;\nactive proctype P() { atomic { x = 1; if :: x = 2 :: x = 3 fi; y = x }; y = 6 / (y - 3) }\n"
        done = self.expect(3, "explore", self.file("m.pml", text), "--merge", "on", "--threads", "1")
        self.assertIn("division by zero", done.stderr)
        self.assertIn("-> P: x = 3", done.stdout)


if __name__ == "__main__":
    main()
