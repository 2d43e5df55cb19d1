# SPDX-License-Identifier: Apache-2.0
"""omen check --checker favoid: Rabin automata without conversion, and the planner's choice without it."""
import json

from cli import Case, main, model

MUTEX = model("mutex.dve")
RABIN = model("rabin.hoa")
BOTH_WAYS = "favoid:pairs=sequential", "favoid:pairs=parallel"
HEAD = 'HOA: v1\nStates: 1\nStart: 0\nAP: 2 "A.crit" "B.crit"\nAcceptance: %s\n--BODY--\nState: 0\n%s\n--END--\n'
# Pairs: eventually only A enters infinitely often; eventually only B. The model does both.
PAIRS = HEAD % ("4 (Fin(0) & Inf(1)) | (Fin(2) & Inf(3))",
                "[0 & !1] 0 {1 2}\n[!0 & 1] 0 {0 3}\n[!0 & !1] 0\n[0 & 1] 0 {0 2}")
# The first of them, and one that is never satisfied.
FIRST = PAIRS.replace("{0 3}", "{0 2 3}")
SECOND = PAIRS.replace("{1 2}", "{0 1 2}")
NEITHER = FIRST.replace("{1 2}", "{0 1 2}")


class Rabin(Case):
    def automaton(self, text):
        with open(self.path("never.hoa"), "w") as f:
            f.write(text)
        return self.path("never.hoa")

    def test_it_is_taken_as_it_is(self):
        for how in (["--checker", "favoid"], ["--strong", "favoid"]):
            r = self.json(0, MUTEX, "--never", RABIN, *how)
            part = next(p for p in r["parts"] if p["strength"] == "strong")
            self.assertEqual((part["checker"], part["conversion"]), ("favoid", None))
            self.assertGreater(part["counters"]["finds"], 0)

    def test_pairs(self):
        for text, status in (PAIRS, 10), (FIRST, 10), (SECOND, 10), (NEITHER, 0):
            never = self.automaton(text)
            for checker in BOTH_WAYS:
                for threads in "1", "3":
                    lasso = self.path("run.json")
                    self.check(status, MUTEX, "--never", never, "--checker", checker, "--threads",
                               threads, "--lasso", lasso)
                    if status == 10:
                        self.expect(0, "replay", MUTEX, lasso)

    def test_one_pair_sees_all_states_once(self):
        text = HEAD % ("2 Fin(0) & Inf(1)", "[0 & !1] 0 {0 1}\n[!0 & 1] 0\n[!0 & !1] 0\n[0 & 1] 0")
        states = self.json(0, MUTEX, "--never", self.automaton(text), "--checker", "favoid",
                           "--threads", "1")
        counters = states["parts"][0]["counters"]
        self.assertEqual(counters["expansions"], states["states"])
        explored = json.loads(self.expect(0, "explore", MUTEX, "--json", "--device", "none").stdout)
        self.assertEqual(states["states"], explored["states"])

    def test_the_planner_does_not_take_it_for_buchi(self):
        for formula in "G F A.crit", "G F A.crit -> G F B.crit":
            done = self.expect(0, "check", MUTEX, "--plan", "--json", "--ltl", formula)
            for part in json.loads(done.stdout)["parts"]:
                self.assertNotEqual(part["checker"], "favoid")
        # If favoid is named, it does the same as ufscc.
        self.check(10, MUTEX, "--ltl", "G F A.crit -> G F B.crit", "--checker", "favoid")

    def test_other_acceptance_is_converted(self):
        text = HEAD % ("3 (Fin(0) | Inf(1)) & Inf(2)", "[0] 0 {0 2}\n[!0] 0 {2}")
        r = self.json(10, MUTEX, "--never", self.automaton(text), "--checker", "favoid")
        self.assertEqual((r["parts"][0]["checker"], r["parts"][0]["conversion"]),
                         ("favoid", "generalized Rabin"))

    def test_faults_behind_edges_to_be_avoided(self):
        """Each state is the start of a search: the path to it is searched for."""
        text = HEAD.replace('2 "A.crit" "B.crit"', '1 "i == 9"') % (
            "2 Fin(0) & Inf(1)", "[!0] 0 {0}\n[0] 0 {1}")
        for checker in BOTH_WAYS:
            for threads in "1", "2":
                done = self.check(3, model("fault.dve"), "--never", self.automaton(text),
                                  "--checker", checker, "--threads", threads)
                self.assertIn("index outside an array", done.stderr)
                self.assertRegex(done.stdout, r"(?s)  0:\n.* 1:\n.* 2:\n *a\[2\] = 1  i = 2\n")

    def test_limits(self):
        done = self.check(30, model("big.dve"), "--never", self.automaton(
            HEAD.replace('2 "A.crit" "B.crit"', '1 "true"') % ("2 Fin(0) & Inf(1)", "[0] 0 {0}")),
                          "--checker", "favoid", "--max-states", "5000", "--threads", "2")
        self.assertIn("unknown (state limit)", done.stdout)

    def test_options(self):
        self.refused(2, "option pairs must be sequential or parallel, not 'both'", "check", MUTEX,
                     "--never", RABIN, "--checker", "favoid:pairs=both")
        self.assertIn("option pairs=sequential (sequential, parallel)",
                      self.expect(0, "plugins").stdout)


if __name__ == "__main__":
    main()
