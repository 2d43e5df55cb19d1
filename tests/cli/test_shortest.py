# SPDX-License-Identifier: Apache-2.0
"""--shortest: counterexamples with the fewest states, and the end of the search for them."""
import json
import os
import time

from cli import Case, main, model

DEMO = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "hosts", "cli", "demo")
STARVATION = os.path.join(DEMO, "starvation.dve")
SERVED = "G(Client_0.waiting -> F Client_0.served)"
PROVEN = "shortest: no counterexample has fewer states\n"
NOT_PROVEN = "shortest: not proven, there may be a counterexample with fewer states\n"
# A single long path.
STAIRS = """int n = 0;
process P {
state up, top;
init up;
trans
  up -> up { guard n < 30000; effect n = n + 1; },
  up -> top { guard n == 30000; },
  top -> top { };
}
system async;
"""
# Each number leads to the end, in a hundred steps; within that distance there are 10^9 states.
WIDE = "\n".join(
    [f"byte n{i} = 0; process P{i} {{ state s; init s; "
     f"trans s -> s {{ guard T.idle && n{i} < 101; effect n{i} = n{i} + 1; }}; }}"
     for i in range(6)] +
    ["process T { state idle, on; init idle; trans idle -> on { guard "
     + " || ".join(f"n{i} > 99" for i in range(6)) + "; }, on -> on { }; }", "system async;"])
# B enters infinitely often, and A only finitely often.
FIN = """HOA: v1
States: 1
Start: 0
AP: 2 "A.crit" "B.crit"
Acceptance: 2 Fin(0) & Inf(1)
--BODY--
State: 0
[0] 0 {0}
[!0 & 1] 0 {1}
[!0 & !1] 0
--END--
"""


class Shortest(Case):
    def written(self, name, text):
        path = self.path(name)
        with open(path, "w") as f:
            f.write(text)
        return path

    def states(self, found):
        return len(found["lasso"]["states"])

    def test_text(self):
        done = self.check(10, STARVATION, "--ltl", SERVED, "--shortest", "10s")
        self.assertIn(PROVEN, done.stdout)
        self.assertIn("cycle (4 states):\n    1:\n", done.stdout)
        self.assertNotIn("    5:\n", done.stdout)
        self.assertNotIn("shortest", self.check(10, STARVATION, "--ltl", SERVED).stdout)
        done = self.check(10, STARVATION, "--ltl", SERVED, "--shortest", "10s", "-q")
        self.assertEqual(done.stdout, f"property {SERVED}: violated\n")

    def test_whoever_found_the_first(self):
        """35 states: 32 steps until T is enabled, and then on and off infinitely often."""
        for checker in "weak-swarm", "weak-hybrid", "dijkstra", "ufscc", "gv":
            found = self.json(10, model("far.dve"), "--ltl", "G T.idle", "--checker", checker,
                              "--shortest", "1m")
            self.assertIs(found["minimal"], True)
            self.assertEqual(self.states(found), 35)

    def test_json(self):
        found = self.json(10, STARVATION, "--ltl", SERVED)
        self.assertIsNone(found["minimal"])
        self.assertGreaterEqual(self.states(found), 5)
        found = self.json(10, STARVATION, "--ltl", SERVED, "--shortest", "10s")
        self.assertIs(found["minimal"], True)
        self.assertEqual(self.states(found), 5)
        self.assertIsNone(self.json(0, model("mutex.dve"), "--ltl", "G !(A.crit && B.crit)",
                                    "--shortest", "10s")["minimal"])

    def test_it_is_refereed(self):
        lasso = self.path("run.json")
        self.check(10, STARVATION, "--ltl", SERVED, "--shortest", "10s", "--lasso", lasso)
        done = self.expect(0, "replay", STARVATION, lasso)
        self.assertIn("lasso accepted: 5 states, cycle from state 1", done.stdout)

    def test_acceptance_with_fin(self):
        """B cycles alone."""
        found = self.json(10, model("mutex.dve"), "--never", self.written("fin.hoa", FIN),
                          "--shortest", "10s")
        self.assertIs(found["minimal"], True)
        self.assertEqual(self.states(found), 4)

    def test_several_properties(self):
        done = self.check(10, STARVATION, "--ltl", SERVED, "--ltl", "G !Client_1.served",
                          "--shortest", "10s")
        self.assertEqual(done.stdout.count(PROVEN), 2)

    def unproven(self, *args):
        """A limit ends the search; the previous counterexample is kept."""
        found = self.json(10, *args)
        self.assertIs(found["minimal"], False)
        self.assertIsNotNone(found["lasso"])
        self.assertIsNone(found["reason"])
        return found

    def test_time(self):
        stairs = self.written("stairs.dve", STAIRS)
        self.assertEqual(self.states(self.unproven(stairs, "--ltl", "G P.up", "--shortest", "1ms")),
                         30002)
        done = self.check(10, stairs, "--ltl", "G P.up", "--shortest", "1ms")
        self.assertIn(NOT_PROVEN, done.stdout)
        self.assertIn(PROVEN, self.check(10, stairs, "--ltl", "G P.up", "--shortest", "1m").stdout)

    def test_the_time_of_the_check(self):
        before = time.monotonic()
        self.unproven(self.written("wide.dve", WIDE), "--ltl", "G T.idle", "--checker", "gv",
                      "--shortest", "1h", "--timeout", "2s")
        self.assertLess(time.monotonic() - before, 30)

    def test_traces_are_shortest(self):
        for args in (["--deadlock"], ["--invariant", "not A.crit"], []):
            self.refused(2, "a shortest lasso was requested, but a violation of '.*' is a finite trace "
                         r"\(already a shortest one with the default checker and --merge off\)$", "check",
                         model("mutex.dve"), *args, "--shortest", "10s")

    def test_what_is_no_time(self):
        for text, message in (("0", "must be more than 0"), ("soon", "takes a time such as")):
            self.refused(2, f"--shortest {message}", "check", STARVATION, "--ltl", SERVED,
                         "--shortest", text)
        self.refused(2, "option --shortest needs a value", "check", STARVATION, "--ltl", SERVED,
                     "--shortest")

    def test_a_failed_assertion_is_a_trace(self):
        path = self.written("assert.dve", "byte n = 0;\nprocess P {\nstate a, b;\ninit a;\n"
                            "assert b: n == 0;\ntrans\n  a -> b { effect n = 1; };\n}\n"
                            "system async;\n")
        done = self.check(10, path, "--ltl", "G F P.a", "--shortest", "10s", "--json-lines")
        found, asked = (value for value in map(json.loads, done.stdout.splitlines()) if "verdict" in value)
        self.assertEqual(found["about"], "assertion")
        self.assertIs(found["minimal"], False)  # the checker is not one that finds shortest traces
        self.assertIsNotNone(found["lasso"])
        self.assertEqual(asked["verdict"], "unknown")


if __name__ == "__main__":
    main()
