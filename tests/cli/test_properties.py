# SPDX-License-Identifier: Apache-2.0
"""Checks of several properties: those that a model defines, a verdict each, a summary; and failing
assertions, which have verdicts of their own.
"""
import json
import os
import time

from cli import LINE, Case, main, model, run

MUTEX = model("mutex.dve")
# The formulas hold or fail independently of the assertion, which fails in state 1.
MASK = """byte x = 0;
active proctype P() { x = 1; assert(x == 2); x = 2 }
ltl reach { <> (x == 1) }
ltl never3 { [] (x != 3) }
ltl not1 { [] (x != 1) }
ltl not2 { [] (x != 2) }
ltl not0 { [] (x != 0) }
"""
FORK = """byte x = 0;
active proctype P() { if :: x = 1; assert(x == 2); x = 2 :: x = 5; x = 0 fi }
ltl never5 { [] (x != 5) }
ltl never2 { [] (x != 2) }
ltl never7 { [] (x != 7) }
ltl stays { <>[] (x != 0) }
"""
MANY = """byte x = 0;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
ltl a { [] (x <= 3) }
ltl b { [] (x < 3) }
ltl c { [] <> (x == 0) }
"""
# An invalid end state, two assertions (one holds) and a claim.
STUCK = """byte x = 0;
active proctype P() { x = 1; assert(x == 1); x = 2; assert(x < 2); x = 3; (x == 9) }
never { do :: x != 4 od }
"""
DVE = """byte a = 0;
process P { state s, t; init s; assert s: a < 3;
 trans s -> s { guard a < 12; effect a = a + 1; }; }
system async;
"""
# The assertion fails in state 2; the local variable is dead after each assignment but the first.
DEAD = """byte a = 0; byte big = 250;
process P { byte d = 0; state s, t; init s; assert s: a < 3;
 trans s -> t { guard a < 12; effect d = a + 2, a = d, big = big + a; }, t -> s { effect d = 7, a = a + 1; }; }
system async;
"""
AFTER = "violated only by runs that continue after an assertion fails"


class Properties(Case):
    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def verdicts(self, status, *args):
        """Returns [(about, property, verdict)] of the printed objects, each of which fits its schema."""
        done = self.check(status, *args, "--json-lines")
        found = [value for value in map(json.loads, done.stdout.splitlines()) if "verdict" in value]
        for value in found:
            self.fits("check", value)
        return [(value["about"], os.path.basename(value["property"]), value["verdict"]) for value in found], found


class Assertions(Properties):
    def test_a_verdict_is_about_what_it_names(self):
        mask = self.write("mask.pml", MASK)
        for name, verdict in (("reach", "holds"), ("never3", "holds"), ("not1", "unknown"), ("not2", "unknown"),
                              ("not0", "violated")):
            for more in (), ("--threads", "3"), ("--merge", "off"), ("--exec", "native"), ("--device", "host"):
                found, results = self.verdicts(10, mask, "--property", name, *more)
                self.assertEqual(found, [("assertion", "mask.pml:2:30", "violated"), ("property", name, verdict)], more)
                self.assertIn("assert(x == 2)", results[0]["fault"])
                self.assertEqual([state["x"] for state in results[0]["lasso"]["states"]], [0, 1])
                self.assertIsNone(results[1]["fault"])
                self.assertEqual(results[1]["reason"], AFTER if verdict == "unknown" else None)

    def test_another_run(self):
        """A violation on a run without a failed assertion counts, in any order of the two."""
        fork = self.write("fork.pml", FORK)
        for name, verdict in ("never5", "violated"), ("never2", "unknown"), ("never7", "holds"), ("stays", "violated"):
            for more in (), ("--threads", "1"), ("--checker", "dijkstra"), ("--merge", "off"), ("--reset-dead", "off"):
                found, results = self.verdicts(10, fork, "--property", name, "--lasso", self.path("l.json"), *more)
                self.assertEqual(found[-1], ("property", name, verdict), more)
                if verdict == "violated":
                    self.assertNotIn(1, [state["x"] for state in results[-1]["lasso"]["states"]])
                    last = "l.2.json" if len(found) > 1 else "l.json"
                    self.expect(0, "replay", fork, self.path(last))
                if verdict != "violated":
                    self.assertEqual(found[0], ("assertion", "fork.pml:2:36", "violated"))

    def test_text(self):
        mask = self.write("mask.pml", MASK)
        done = self.check(10, mask, "--property", "never3", "--lasso", self.path("l.json"))
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], f"assertion {mask}:2:30: violated")
        self.assertRegex(lines[1], r"^it says P\S*: assert\(x == 2\)$")
        self.assertIn("property never3: holds", lines)
        self.assertEqual(done.stderr, "")
        done = self.expect(0, "replay", mask, self.path("l.json"))
        self.assertIn("lasso accepted", done.stdout)
        done = self.check(10, mask, "--property", "not2", "-q")
        self.assertEqual(done.stdout.splitlines()[-1], f"property not2: unknown ({AFTER})")

    def test_of_states(self):
        """Likewise for deadlocks and invariants, alone and together."""
        dve = self.write("a.dve", DVE)
        for asked, verdict in ((("--invariant", "a <= 12"), "holds"), (("--invariant", "a < 9"), "unknown"),
                               (("--invariant", "a < 2"), "violated"), (("--deadlock",), "unknown")):
            for more in (), ("--checker", "dijkstra"), ("--merge", "off"):
                found, results = self.verdicts(10, dve, *asked, *more)
                self.assertEqual(found[-1][::2], ("property", verdict), (asked, more))
                if verdict != "violated":
                    self.assertEqual(found[0], ("assertion", "a.dve:2:40", "violated"))
                    self.assertEqual([state["a"] for state in results[0]["lasso"]["states"]], [0, 1, 2, 3])
        found, _ = self.verdicts(10, dve, "--deadlock", "--invariant", "a <= 12", "--invariant", "a < 9", "--invariant",
                                 "a < 2")
        self.assertEqual(sorted(found), sorted([
            ("assertion", "a.dve:2:40", "violated"), ("property", "deadlock", "unknown"),
            ("property", "a <= 12", "holds"), ("property", "a < 9", "unknown"), ("property", "a < 2", "violated")]))

    def test_alone(self):
        dve = self.write("a.dve", DVE)
        self.assertEqual(self.verdicts(10, dve, "--assertions")[0], [("assertion", "a.dve:2:40", "violated")])
        dve = self.write("b.dve", DVE.replace("a < 3", "a < 13"))
        self.assertEqual(self.verdicts(0, dve, "--assertions")[0], [("property", "assertions", "holds")])
        self.assertEqual(self.verdicts(30, dve, "--assertions", "--max-states", "2")[0],
                         [("property", "assertions", "unknown")])

    def test_what_has_no_sequel(self):
        """After an error of the language, the property is unknown."""
        path = self.write("d.pml", "byte x; chan c = [0] of { byte };\n"
                          "active proctype P() { x = 1; d_step { x = 2; (x == 3) }; x = 4 }\nltl f { [] (x != 4) }\n")
        done = run("check", path, "--property", "f", "-q")
        if done.returncode == 3:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 10, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"(?m)^property f: unknown \(a run ends when .*d\.pml:2:\d+ fails: .*\)$")

    def test_that_is_told_once(self):
        mask = self.write("mask.pml", MASK)
        found, _ = self.verdicts(10, mask, "--property", "reach", "--property", "never3", "--property", "not2")
        self.assertEqual(found, [("assertion", "mask.pml:2:30", "violated"), ("property", "reach", "holds"),
                                 ("property", "never3", "holds"), ("property", "not2", "unknown")])


class Several(Properties):
    def test_all_are_checked(self):
        many = self.write("many.pml", MANY)
        found, _ = self.verdicts(10, many)
        self.assertEqual(found, [("property", "deadlock", "holds"), ("property", "a", "holds"),
                                 ("property", "b", "violated"), ("property", "c", "holds")])
        mask = self.write("mask.pml", MASK)
        found, _ = self.verdicts(10, mask)
        self.assertEqual(found[:5], [
            ("assertion", "mask.pml:2:30", "violated"), ("property", "deadlock", "holds"),
            ("property", "reach", "holds"), ("property", "never3", "holds"), ("property", "not1", "unknown")])
        stuck = self.write("stuck.pml", STUCK)
        found, results = self.verdicts(10, stuck)
        self.assertEqual([value[0] for value in found], ["assertion", "property", "property"])
        self.assertEqual(found[1], ("property", "deadlock", "unknown"))
        self.assertEqual(results[0]["together"], 2)
        self.assertEqual(self.verdicts(0, MUTEX)[0], [("property", "deadlock", "holds")])
        ends = model("ends.dve")
        self.assertEqual(self.verdicts(0, ends)[0], [("property", "never_ends", "holds")])

    def test_one_exploration(self):
        """As many states as the largest of the explorations alone, and the same verdicts."""
        row = ["not (A.crit and B.crit)", "turn == 0", "turn < 2"]
        asked = [word for each in row for word in ("--invariant", each)] + ["--deadlock"]
        for more in (), ("--threads", "1"), ("--threads", "4"), ("--store", "plain"), ("--merge", "off"):
            found, results = self.verdicts(10, MUTEX, *asked, *more)
            self.assertEqual([value[2] for value in found], ["holds", "violated", "holds", "holds"])
            self.assertEqual({value["together"] for value in results}, {4})
            self.assertEqual(len({value["states"] for value in results}), 1)
            self.assertEqual(results[1]["lasso"]["states"][-1]["turn"], 1)
        alone, results = self.verdicts(10, MUTEX, *asked, "--checker", "dijkstra")
        self.assertEqual(alone, found)
        self.assertEqual({value["together"] for value in results}, {None})

    def test_what_goes_wrong(self):
        """Searches for a single property continue after an error in the model."""
        text = ("byte a = 0; byte z = 0;\nprocess P { state s, t; init s;\n"
                " trans s -> s { guard a < 200; effect a = a + 1; }, s -> t { guard a == 3; },\n"
                "  t -> t { effect z = a / z; }; }\nsystem async;\n")
        found, _ = self.verdicts(3, self.write("f.dve", text), "--invariant", "a < 199", "--invariant", "a < 250",
                                 "--invariant", "a != 2")
        # The violations are known first; the other property is then searched for alone.
        self.assertEqual([value[2] for value in found], ["violated", "violated", "unknown"])

    def test_limits(self):
        found, results = self.verdicts(30, model("big.dve"), "--invariant", "a + b >= 0", "--deadlock", "--max-states",
                                       "1000")
        self.assertEqual([value[2] for value in found], ["unknown", "unknown"])
        self.assertEqual({value["reason"] for value in results}, {"state limit"})
        found, _ = self.verdicts(10, model("big.dve"), "--invariant", "a < 2", "--deadlock", "--max-states", "1000")
        self.assertEqual([value[2] for value in found], ["violated", "unknown"])

    def test_fail_fast(self):
        many = self.write("many.pml", MANY)
        found, _ = self.verdicts(10, many, "--fail-fast")
        self.assertEqual(found[-1], ("property", "b", "violated"))
        self.assertEqual(len(found), 3)
        done = self.check(10, many, "--fail-fast")
        self.assertRegex(done.stdout, r"(?m)^1 property was not checked$")
        # So does an exploration that several properties share.
        found, _ = self.verdicts(10, MUTEX, "--deadlock", "--invariant", "turn == 0", "--invariant", "turn < 2",
                                 "--fail-fast")
        self.assertEqual(found, [("property", "turn == 0", "violated")])
        found, _ = self.verdicts(10, self.write("mask.pml", MASK), "--fail-fast")
        self.assertEqual(found, [("assertion", "mask.pml:2:30", "violated")])

    def test_summary(self):
        many = self.write("many.pml", MANY + "ltl d { [] (x < 2) }\n")
        done = self.check(10, many, "--lasso", self.path("run.json"))
        table = done.stdout[done.stdout.index("\n\nproperty"):].split("\n")[2:]
        self.assertRegex(table[0], r"^property +verdict +states +time +counterexample$")
        rows = [line.split() for line in table[1:6]]
        self.assertEqual([(row[0], row[1]) for row in rows],
                         [("deadlock", "holds"), ("a", "holds"), ("b", "violated"), ("c", "holds"),
                          ("d", "violated")])
        self.assertEqual([row[5:] for row in rows], [[], [], [self.path("run.json")], [], [self.path("run.2.json")]])
        for name, recorded in (("run.json", "property=b"), ("run.2.json", "property=d")):
            with open(self.path(name), encoding="utf-8") as file:
                self.assertEqual(json.load(file)["#meta"]["property"], recorded)
            self.expect(0, "replay", many, self.path(name))
        done = self.check(10, many, "-q")
        self.assertEqual([LINE.match(line).group(1) for line in done.stdout.splitlines()],
                         ["deadlock", "a", "b", "c", "d"])
        self.assertNotIn("counterexample", self.check(0, MUTEX).stdout)

    def test_plan(self):
        done = self.check(0, self.write("many.pml", MANY), "--plan")
        for name in "deadlock", "a", "b", "c":
            self.assertRegex(done.stdout, rf"(?m)^property {name}: an automaton of")
        self.assertNotIn("one exploration", done.stdout)
        done = self.check(0, MUTEX, "--plan", "--deadlock", "--ltl", "G true", "--invariant", "turn < 2")
        self.assertEqual(done.stdout.count("one exploration for 2 properties"), 2)
        done = self.check(0, MUTEX, "--plan", "--deadlock", "--ltl", "G true", "--invariant", "turn < 2", "--json-lines")
        plans = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([plan["together"] for plan in plans], [2, None, 2])
        for plan in plans:
            self.fits("plan", plan)
        done = self.check(0, MUTEX, "--plan", "--deadlock", "--invariant", "turn < 2", "--checker", "dijkstra")
        self.assertNotIn("one exploration", done.stdout)

    def test_runs_are_those_of_the_model(self):
        """Whatever is searched after a run was found, the run shows the actual values of variables."""
        dve = self.write("dead.dve", DEAD)
        for asked in ((), ("--assertions", "--invariant", "big >= 0"), ("--assertions", "--invariant", "a < 1"), ("--ltl", "F a == 40"),
                      ("--invariant", "a < 1", "--deadlock", "--assertions")):
            for more in (), ("--merge", "off"), ("--threads", "1"), ("--reset-dead", "off"):
                found, results = self.verdicts(10, dve, *asked, *more, "--lasso", self.path("run.json"))
                self.assertIn(("assertion", "dead.dve:2:52", "violated"), found)
                runs = [result["lasso"] for result in results if result["lasso"] is not None]
                self.assertEqual(len(runs), 1 + ("a < 1" in asked))
                for i, ran in enumerate(runs):
                    path = self.path("run.json" if i == 0 else f"run.{i + 1}.json")
                    self.assertIn("lasso accepted", self.expect(0, "replay", dve, path).stdout)
                    self.assertFalse(ran["#meta"]["reset_dead"])
                    # The last assigned value is never read.
                    self.assertEqual(ran["states"][-1]["P.d"], 7 if len(ran["states"]) == 3 else 2)
                if "big >= 0" in asked:  # the search continues after the assertion, and finds the overflow
                    self.assertEqual(results[0]["overflow_trace"]["states"][-1]["P.d"], 7)

    def test_what_wraps_is_told_with_the_first(self):
        """In any order of properties that share an exploration and those that do not."""
        dve = self.write("wraps.dve", DEAD.replace("a < 3", "a < 50"))
        for asked in (("--ltl", "G a < 50", "--invariant", "a < 50", "--invariant", "big > 0"),
                      ("--invariant", "a < 50", "--ltl", "G a < 50", "--invariant", "big > 0")):
            _, results = self.verdicts(0, dve, *asked)
            self.assertEqual([value["together"] for value in results],
                             [None if word == "--ltl" else 2 for word in asked[::2]])
            traces = [value["overflow_trace"] for value in results if value["overflow_trace"] is not None]
            self.assertEqual([trace["states"][-1]["big"] for trace in traces], [252])

    def test_of_how_many(self):
        many = self.write("many.pml", MANY)
        for more in (), ("--fail-fast",):
            self.assertEqual({value["of"] for value in self.verdicts(10, many, *more)[1]}, {4})
        self.assertEqual([value["of"] for value in self.verdicts(10, many, "--property", "b")[1]], [1])

    def test_the_worst_counts(self):
        """Violated before unknown before holds."""
        big = model("big.dve")
        self.check(10, big, "--ltl", "G true", "--ltl", 'G "a + b >= 0"', "--ltl", "G (a < 2)", "--max-states", "100")
        self.check(30, big, "--ltl", "G true", "--ltl", 'G "a + b >= 0"', "--max-states", "100")

    def test_time_is_shared(self):
        """All properties together keep the limit, and the last one gets its share."""
        def test(limit):
            done = self.check(10, model("big.dve"), *["--ltl", 'G "a + b >= 0"'] * 3, "--ltl", "G (a < 2)", "--timeout",
                              limit, "--json-lines")
            found = [value for value in map(json.loads, done.stdout.splitlines()) if "verdict" in value]
            # Undecided results come last: each is tried again with the time that is left.
            self.assertEqual([value["verdict"] for value in found], ["violated"] + ["unknown"] * 3)
            seconds = float(limit[:-2]) / 1000 if limit.endswith("ms") else float(limit[:-1])
            self.assertLess(sum(value["seconds"] for value in found), seconds + 2.5)
        self.patiently(test)

    def test_time_is_used(self):
        """A property that comes first and takes long does not delay the others, and gets what they leave."""
        def test(limit):
            seconds = float(limit[:-2]) / 1000 if limit.endswith("ms") else float(limit[:-1])
            began = time.monotonic()
            done = self.check(10, model("big.dve"), "--ltl", 'G "a + b >= 0"', "--ltl", "G (a < 2)", "--ltl", "G true",
                              "--invariant", "a < 3", "--invariant", "a + b >= 0", "--timeout", limit, "--json-lines")
            found = [value for value in map(json.loads, done.stdout.splitlines()) if "verdict" in value]
            self.assertEqual([value["verdict"] for value in found], ["violated", "holds", "violated", "unknown", "unknown"])
            self.assertGreater(time.monotonic() - began, seconds * 0.9)
            # Two properties had the time of five.
            self.assertGreater(sum(value["seconds"] for value in found), seconds * 0.6)
        self.patiently(test)


class List(Properties):
    def names(self, path, *args):
        done = self.expect(0, "properties", path, "--json", *args)
        found = json.loads(done.stdout)
        self.fits("properties", found)
        return [(each["name"], each["kind"], each["default"]) for each in found["own"]], found["own"]

    def test_json(self):
        found, properties = self.names(self.write("mask.pml", MASK))
        self.assertEqual(found[:3], [("assertions", "assertions", True), ("deadlock", "deadlock", True),
                                     ("reach", "formula", True)])
        self.assertEqual(properties[0]["assertions"], 1)
        self.assertIsNotNone(properties[2]["formula"])
        for each in properties:
            more = ("--property", each["name"]) if each["option"] == "property" else ("--" + each["option"],)
            self.assertIn(run("check", self.path("mask.pml"), *more).returncode, (0, 10, 30))
        self.assertEqual(self.names(MUTEX)[0], [("deadlock", "deadlock", True)])
        self.assertEqual(self.names(model("ends.dve"))[0], [("deadlock", "deadlock", False),
                                                            ("never_ends", "automaton", True)])
        found, _ = self.names(self.write("s.pml", STUCK))
        self.assertEqual([each[1] for each in found], ["assertions", "deadlock", "automaton"])

    def test_text(self):
        done = self.expect(0, "properties", self.write("mask.pml", MASK))
        self.assertRegex(done.stdout, r"(?m)^--assertions +none of 1 assertion fails$")
        self.assertRegex(done.stdout, r"(?m)^--property never3 +\[\] \(x!=3\)$")
        done = self.expect(0, "properties", model("ends.dve"))
        self.assertRegex(done.stdout, r"(?s)^--property never_ends .*only on request:\n--deadlock ")

    def test_errors(self):
        self.refused(3, "cannot open", "properties", self.path("none.dve"))


if __name__ == "__main__":
    main()
