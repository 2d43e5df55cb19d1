# SPDX-License-Identifier: Apache-2.0
"""Testing automata: their reported sizes, their verdicts, and invalid uses with reasons."""
import json

from cli import Case, main, model, run

MUTEX = model("mutex.dve")
LIVELOCK = model("livelock.dve")
HOA = """HOA: v1
States: 2
Start: 0
AP: 1 "A.crit"
Acceptance: 1 Inf(0)
{}--BODY--
State: 0
{}
State: 1
[!0] 1 {{0}}
--END--
"""


class Testing(Case):
    def part(self, status, *args):
        done = json.loads(self.expect(status, "check", *args, "--json").stdout)
        return done["verdict"], done["parts"][0]

    def never(self, properties, edges):
        path = self.path("never.hoa")
        with open(path, "w") as f:
            f.write(HOA.format(properties, edges))
        return path

    def test_sizes(self):
        """The paper's number of states, without the artificial initial state."""
        args = [MUTEX, "--ltl", "G F A.crit"]
        for options, states, edges in (("", 2, 2), (":passes=1", 3, 3)):
            asked = [*args, "--checker", "testing" + options]
            plan = json.loads(self.expect(0, "check", *asked, "--plan", "--json").stdout)
            to = plan["parts"][0]["conversion"]
            self.assertEqual((to["to"], to["states"], to["edges"]),
                             ("testing automaton", states, edges))
            said = run("check", *asked, "-v").stderr
            self.assertIn(f"{edges} transitions", said)
            verdict, part = self.part(10, *asked)
            self.assertEqual((verdict, part["automaton_states"], part["conversion"]),
                             ("violated", states, "testing automaton"))

    def test_merging(self):
        """Statements are merged if steps are not counted; requests for merging in other cases are
        rejected.
        """
        mutex = model("mutex.dve")
        for question, why in ((["--ltl", "G X A.crit"], "is not stutter-invariant"),
                              (["--ltl", "G F A.crit", "--shortest", "1s"], "a shortest counterexample")):
            self.refused(2, "statements cannot be merged: .*" + why, "check", mutex, *question, "--merge", "on")
        said = self.expect(2, "check", mutex, "--ltl", "G F A.crit", "--fair", "GF X A.crit", "--merge", "on").stderr
        self.assertIn("statements cannot be merged: an assumption counts steps", said)
        for option in (["--coverage"], ["--output", self.path("g.dot")]):
            self.refused(2, "--merge on omits states and statements", "explore", mutex, "--merge", "on", *option)
        self.refused(2, "--merge takes one of on, off", "check", mutex, "--merge", "maybe")
        for merge, fewer in (("off", False), ("on", True)):
            said = run("check", LIVELOCK, "--ltl", "G F (a == 0)", "--merge", merge, "-v").stderr
            self.assertEqual("statements are merged" in said, fewer, merge)

    def test_second_pass(self):
        """A livelock that the first pass misses; testing in one pass needs no second one."""
        args = [LIVELOCK, "--ltl", "G F (a == 0)", "--merge", "off"]
        for options, second in (("", True), (":passes=2", True), (":passes=1", False)):
            verdict, part = self.part(10, *args, "--checker", "testing" + options)
            self.assertEqual((verdict, part["counters"]["red"] > 0), ("violated", second), options)

    def test_verdicts(self):
        for formula, status in (("G F A.crit", 10), ("G !(A.crit && B.crit)", 0),
                                ("(G F A.wait) -> G F A.crit", 0), ("true", 0), ("false", 10),
                                ("F G (A.crit || !A.crit)", 0), ("G F (a == 1)", 3)):
            for checker in ("testing", "testing:passes=1"):
                self.expect(status, "check", MUTEX, "--ltl", formula, "--checker", checker)

    def test_next_that_means_nothing(self):
        """The operator X alone is no reason to reject a formula."""
        self.expect(10, "check", MUTEX, "--ltl", "F (A.crit && X A.crit) -> G X F A.crit",
                    "--checker", "ascc")
        self.expect(10, "check", MUTEX, "--ltl", "X G F A.crit", "--checker", "testing")

    def test_refused(self):
        for formula in ("X A.crit", "G (A.wait -> X A.crit)"):
            self.refused(2, r"^omen: checker testing: the property is not stutter-invariant \(.*\);"
                            r" use .*dijkstra", "check", MUTEX, "--ltl", formula,
                         "--checker", "testing")
        self.refused(2, "takes the automaton as a whole", "check", MUTEX, "--ltl", "G F A.crit",
                     "--weak", "testing")
        for args in (["--deadlock"], ["--invariant", "!A.crit"]):
            self.refused(2, "looks for infinite runs", "check", MUTEX, *args, "--checker",
                         "testing")
        self.refused(2, "product with a model", "empty", model("buchi.hoa"), "--checker", "testing")
        self.refused(2, "passes", "check", MUTEX, "--ltl", "G F A.crit", "--checker",
                     "testing:passes=3")

    def test_automata(self):
        """Without a formula: a deterministic automaton is complemented; the form of any other decides, or it must
        declare the property.
        """
        check = ["check", MUTEX, "--checker", "testing", "--never"]
        self.expect(10, *check, self.never("", "[0] 0\n[!0] 1"))
        self.refused(2, "not stutter-invariant", *check, self.never("", "[t] 1"))
        self.expect(10, *check, self.never("", "[t] 0\n[!0] 1"))
        guess = "[t] 0\n[0] 1"
        self.refused(2, "it is not known whether", *check, self.never("", guess))
        done = self.expect(10, *check, self.never("properties: stutter-invariant\n", guess), "-v")
        self.assertIn("assumed to be stutter-invariant", done.stderr)
        # A false declaration is not believed if it can be refuted.
        self.refused(2, "not stutter-invariant", *check,
                     self.never("properties: stutter-invariant\n", "[t] 1"))


if __name__ == "__main__":
    main()
