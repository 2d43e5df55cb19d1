#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""omen explain: reasons, and the verdict of a property without a transition."""
import json
import os
import re

import cli
from cli import DEMO, model

STARVATION, MUTEX = os.path.join(DEMO, "starvation.dve"), os.path.join(DEMO, "mutex.dve")
FORGOTTEN = "G(Client_0.waiting -> F Client_0.served)"

# Two processes that acquire two locks, each in its own order.
LOCKS = """byte a = 0; byte b = 0;
process P { state s, one, two; init s;
  trans s -> one { guard a == 0; effect a = 1; },
        one -> two { guard b == 0; effect b = 1; },
        two -> s { effect a = 0, b = 0; }; }
process Q { state s, one, two; init s;
  trans s -> one { guard b == 0; effect b = 1; },
        one -> two { guard a == 0; effect a = 1; },
        two -> s { effect a = 0, b = 0; }; }
system async;
"""
# A transition of such a model, with its place.
TRANSITION = re.compile(r"\w+ -> \w+ \{[^}]*\}")


class Explain(cli.Case):
    def written(self, name, text):
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def lasso(self, file, *asked, status=10):
        path = self.path("run.json")
        self.check(status, file, *asked, "--lasso", path, "--threads", "1")
        with open(path, encoding="utf-8") as f:
            return path, json.load(f)

    def explain(self, status, file, path, *args):
        args = args if "--each" in args else (*args, "--each", "100s")
        found = json.loads(self.expect(status, "explain", file, path, "--json", *args, timeout=500).stdout)
        self.fits("explain", found)
        for row in found["rows"]:
            self.assertEqual(len(row["truth"]), found["states"])
        return found

    def explained(self, file, *asked, args=(), status=0):
        path, run = self.lasso(file, *asked)
        found = self.explain(status, file, path, *args)
        self.assertEqual(found["states"], len(run["states"]))
        self.assertEqual(found["loop"], run.get("loop"))
        return found, run

    def rows(self, found):
        return {row["text"]: row for row in found["rows"]}

    def test_formula(self):
        found, run = self.explained(STARVATION, "--ltl", FORGOTTEN)
        self.assertEqual(found["kind"], "formula")
        rows, states = self.rows(found), run["states"]
        self.assertEqual(list(rows), [FORGOTTEN, "Client_0.waiting -> F Client_0.served",
                                      "Client_0.waiting", "F Client_0.served", "Client_0.served"])
        self.assertEqual([row["depth"] for row in found["rows"]], [0, 1, 2, 2, 3])
        for name in ("waiting", "served"):
            row = rows[f"Client_0.{name}"]
            self.assertTrue(row["proposition"])
            self.assertEqual(row["truth"], [s["Client_0"] == name for s in states])
        self.assertEqual(rows[FORGOTTEN]["matters"], [[0, 0]])
        # One request, after which nothing is served.
        (request, end), = rows["Client_0.waiting"]["matters"]
        self.assertEqual(request, end)
        self.assertTrue(rows["Client_0.waiting"]["truth"][request])
        self.assertEqual(rows["F Client_0.served"]["matters"], [[request, request]])
        self.assertEqual(rows["Client_0.served"]["matters"],
                         [[min(request, run["loop"]), len(states) - 1]])
        self.assertEqual((found["blocked"], found["accepted"]), (None, None))
        self.assertEqual(found["processes"], [])

    def test_text(self):
        path, _ = self.lasso(model("livelock.dve"), "--non-progress", "--progress-states", "a == 0")
        told = self.expect(0, "explain", model("livelock.dve"), path).stdout
        self.assertEqual(told, """\
property non-progress (progress: a == 0): violated by this run of 2 states, of which 2 repeat from state 0 on

state    |  0   1
GF a==0  |  0   .
  F a==0 |  0   .
    a==0 |  0   0
(the states after | repeat for ever)

this alone suffices for the violation:
  states 0-1: a==0 is false

checked again without one of its transitions (each for at most 10 s):
  P: u -> v  (livelock.dve:10:5), from state 0: it would hold
  P: v -> u  (livelock.dve:12:5), from state 1: it would hold
""")
        told = self.expect(0, "explain", model("livelock.dve"), path, "--all", "--transitions", "off").stdout
        self.assertIn("GF a==0  |  0*  0\n  F a==0 |  0*  0\n    a==0 |  0*  0*\n", told)
        self.assertNotIn("without", told)
        told = self.expect(0, "explain", model("livelock.dve"), path, "-q", "--transitions", "off").stdout
        self.assertEqual(told.splitlines()[1:], ["", "this alone suffices for the violation:",
                                                 "  states 0-1: a==0 is false"])

    def test_long_runs_are_narrow(self):
        """Equal states are one column; columns are as narrow as their contents."""
        path, run = self.lasso(model("near.dve"), "--invariant", "a < 200")
        self.assertGreater(len(run["states"]), 200)
        told = self.expect(0, "explain", model("near.dve"), path, "--transitions", "off").stdout
        last = len(run["states"]) - 1
        self.assertIn(f"\nstate  0-{last - 1}  {last}\na<200  .      0\n", told)
        path, _ = self.lasso(model("near.dve"), "--ltl", "G(C.c -> X C.d)")
        for line in self.expect(0, "explain", model("near.dve"), path, "--all", "--transitions",
                                "off").stdout.splitlines()[1:]:
            self.assertLessEqual(len(line), 104)

    def test_invariant(self):
        found, run = self.explained(MUTEX, "--invariant", "not (P_0.critical and wants[1] == 1)")
        self.assertEqual(found["kind"], "invariant")
        rows, last = self.rows(found), len(run["states"]) - 1
        self.assertEqual(set(rows), {"!(P_0==critical & wants[1]==1)", "P_0==critical & wants[1]==1",
                                     "P_0==critical", "wants[1]==1"})
        for row in rows.values():
            self.assertEqual(row["matters"], [[last, last]])
        self.assertEqual(rows["wants[1]==1"]["truth"], [s["wants"][1] == 1 for s in run["states"]])
        # A false disjunction depends on all operands, a false conjunction on one.
        found, _ = self.explained(MUTEX, "--invariant", "P_0.idle or (P_1.idle and turn == 5)")
        matters = {text: row["matters"] != [] for text, row in self.rows(found).items()}
        self.assertTrue(matters["P_0==idle"])
        self.assertNotEqual(matters["P_1==idle"], matters["turn==5"])

    def test_deadlock(self):
        file = self.written("locks.dve", LOCKS)
        found, _ = self.explained(file, "--deadlock")
        self.assertEqual((found["kind"], found["rows"]), ("deadlock", []))
        self.assertEqual([(b["label"], b["false"]) for b in found["blocked"]],
                         [("P: one -> two", "b == 0"), ("Q: one -> two", "a == 0")])
        # Without the first step of one process, the other one can continue.
        self.assertEqual({w["label"]: w["verdict"] for w in found["without"]},
                         {"P: s -> one": "holds", "Q: s -> one": "holds"})
        told = self.expect(0, "explain", file, self.path("run.json")).stdout
        self.assertIn("  P: one -> two  (locks.dve:4:9): b == 0\n", told)

    def test_assertion(self):
        file = self.written("assert.dve", "byte x = 0; process P { state s, t; init s; assert s: x < 2, "
                            "t: x < 9; trans s -> s { effect x = x + 1; }, s -> t { guard x == 1; }; }\n"
                            "system async;\n")
        found, run = self.explained(file, "--invariant", "x < 9")
        self.assertEqual(found["kind"], "assertion")
        self.assertEqual(len(run["states"]), 3)
        self.assertTrue(found["rows"])
        self.assertEqual([w["verdict"] for w in found["without"]], ["holds"])

    def test_automaton(self):
        """An automaton cannot be decomposed: its propositions are shown without relevance; and a
        path on which it accepts the run.
        """
        never = self.written("never.hoa", """HOA: v1
States: 2
Start: 0
AP: 2 "P_0.critical" "turn == 1"
Acceptance: 1 Inf(0)
--BODY--
State: 0
[t] 0
[0 & 1] 1
State: 1 {0}
[t] 1
--END--
""")
        found, run = self.explained(MUTEX, "--never", never)
        self.assertEqual(found["kind"], "automaton")
        rows = self.rows(found)
        self.assertEqual(rows["turn==1"]["truth"] if "turn==1" in rows else rows["turn == 1"]["truth"],
                         [s["turn"] == 1 for s in run["states"]])
        self.assertTrue(all(row["matters"] == [] and row["proposition"] for row in found["rows"]))
        steps, loop = found["accepted"]["steps"], found["accepted"]["loop"]
        place, at, states = 0, 0, run["states"]
        for i, step in enumerate(steps):
            self.assertEqual((step["state"], step["automaton_state"]), (place, at))
            there = steps[i + 1] if i + 1 < len(steps) else steps[loop]
            if at == 0 and there["automaton_state"] == 1:
                self.assertEqual((states[place]["P_0"], states[place]["turn"]), ("critical", 1))
            self.assertTrue(there["automaton_state"] >= at)
            self.assertEqual(step["sets"], [0] if at == 1 else [])
            place, at = there["state"], there["automaton_state"]
            if i + 1 < len(steps):
                self.assertEqual(place, step["state"] + 1 if step["state"] + 1 < len(states)
                                 else run.get("loop", len(states) - 1))
        self.assertEqual(steps[loop]["automaton_state"], 1)
        told = self.expect(0, "explain", MUTEX, self.path("run.json")).stdout
        self.assertIn("an automaton of forbidden runs accepts it", told)
        self.assertRegex(told, r"an accepting run of the automaton:\n  states? 0(-\d+)?: automaton state 0\n"
                               r"[\s\S]*  for ever:\n  states? \d+(-\d+)?: automaton state 1, acceptance set 0\n")

    def test_assumptions(self):
        found, run = self.explained(STARVATION, "--ltl", "F Client_0.served", "--fairness", "weak",
                                    "--fair", "GF Client_0.waiting")
        assumed = [row for row in found["rows"] if row["assumption"]]
        self.assertEqual([row["text"] for row in assumed],
                         ["GF Client_0.waiting", "F Client_0.waiting", "Client_0.waiting"])
        self.assertTrue(assumed[0]["truth"][0])
        self.assertEqual(assumed[0]["matters"], [[0, 0]])
        cycle = len(run["states"]) - run["loop"]
        moves = {p["name"]: p for p in found["processes"]}
        self.assertEqual(set(moves), {"Client_0", "Client_1", "Client_2", "Server"})
        for process in moves.values():
            self.assertTrue(process["moves"] > 0 or process["able"] < cycle, process)
        labels = [s["#meta"].get("label", "") for s in run["states"][run["loop"]:]]
        for name, process in moves.items():
            self.assertEqual(process["moves"], sum(f"{name}:" in label for label in labels), name)

    def test_without_is_the_model_without(self):
        """Each answer equals that of a check of the model without the transition."""
        with open(MUTEX, encoding="utf-8") as f:
            mutex = f.read()
        asked = 0
        for text, args in ((mutex, ("--ltl", "G(P_0.waiting -> X P_0.critical)")),
                           (mutex, ("--ltl", "GF P_0.critical")),
                           (mutex, ("--ltl", "F(P_0.critical & X P_1.critical)")),
                           (mutex, ("--invariant", "not (P_0.waiting and P_1.waiting)")),
                           (LOCKS, ("--deadlock",)), (LOCKS, ("--ltl", "G(P.one -> F P.two)")),
                           (LOCKS, ("--ltl", "GF P.two", "--fairness", "weak")),
                           (LOCKS, ("--invariant", "not (P.one and Q.one)"))):
            file = self.written("whole.dve", text)
            found, _ = self.explained(file, *args)
            self.assertTrue(found["without"])
            for w in found["without"]:
                line, column = (int(n) for n in w["place"].split(":")[1:])
                start = sum(len(l) + 1 for l in text.split("\n")[:line - 1]) + column - 1
                gone = TRANSITION.match(text, start)
                self.assertTrue(gone, w)
                # Replaces the transition by one with a false guard, because it may not be removed
                # from the text.
                less = re.sub(r"\{.*", "{ guard 0 == 1; }", gone.group())
                other = self.written("less.dve", text[:start] + less + text[gone.end():])
                result = json.loads(cli.run("check", other, *args, "--json", "--device", "none",
                                            "--exec", "vm").stdout)
                self.assertEqual(w["verdict"], result["verdict"], (args, w))
                self.assertEqual(w["states"] is None, w["verdict"] == "holds")
                asked += 1
        self.assertGreater(asked, 20)

    def test_limits(self):
        """Unknown answers are reported as unknown, and set the exit status."""
        path, _ = self.lasso(model("big.dve"), "--invariant", "a < 3")
        found = self.explain(30, model("big.dve"), path, "--each", "100ms", "--threads", "1")
        self.assertEqual([(w["verdict"], w["reason"], w["times"]) for w in found["without"]],
                         [("unknown", "time limit", 3)])
        found = self.explain(30, model("big.dve"), path, "--max-states", "50", "--threads", "1")
        self.assertIn("state", found["without"][0]["reason"])
        done = cli.limited("explain", model("big.dve"), path)
        self.assertEqual(done.returncode, 30, done.stderr)
        self.assertRegex(done.stdout, r"from state 0 and 2 more: unknown \(time limit\)\n$")

    def test_refused(self):
        path, run = self.lasso(STARVATION, "--ltl", FORGOTTEN)
        self.refused(3, "forbidden runs does not accept it", "explain", STARVATION, path, "--ltl",
                     "F Client_0.waiting")
        self.refused(3, "not a run of model|not the variables", "explain", MUTEX, path)
        self.refused(2, "one of on, off", "explain", STARVATION, path, "--transitions", "some")
        run["states"][0]["#meta"]["transition"] = "stutter"
        del run["states"][0]["#meta"]["label"], run["states"][0]["#meta"]["place"]
        wrong = self.written("wrong.json", json.dumps(run))
        self.refused(3, "stuttering step", "explain", STARVATION, wrong)
        walked = self.path("walked.json")
        self.expect(0, "simulate", STARVATION, "--steps", "3", "--lasso", walked)
        self.refused(2, "records no property: give one", "explain", STARVATION, walked)


if __name__ == "__main__":
    cli.main()
