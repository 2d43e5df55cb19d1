# SPDX-License-Identifier: Apache-2.0
"""A counterexample shows the state after which the property is violated for good, ends there by default,
and shows the real values of variables.
"""
import json

from cli import main, model
from formats import SVG, Formats

BAKERY, TOY = model("bakery.dve"), model("toy.dve")
EXCLUSION = "G !(A.inside && B.inside)"
WORDS = "violated: every continuation from here violates the property"


class Violated(Formats):
    def run_of(self, *question, status=10):
        """Returns the counterexample of a check as JSON; the file is self.path("run.json")."""
        self.check(status, *question, "--threads", "1", "--lasso", self.path("run.json"))
        with open(self.path("run.json"), encoding="utf-8") as f:
            run = json.load(f)
        self.fits("lasso", run)
        return run

    def forge(self, run, **meta):
        """Returns the run with other members of its "#meta" (None: removed)."""
        forged = json.loads(json.dumps(run))
        for name, value in meta.items():
            forged["#meta"].pop(name, None)
            if value is not None:
                forged["#meta"][name] = value
        with open(self.path("forged.json"), "w", encoding="utf-8") as f:
            json.dump(forged, f)
        return self.path("forged.json")

    def cut(self, run, states):
        """Returns the first states alone."""
        made = json.loads(json.dumps(run))
        made["states"] = made["states"][:states]
        last = made["states"][-1]
        last["#meta"] = {"index": states - 1, "transition": None}
        made.pop("loop", None)
        return made

    def check_bakery(self, run):
        """Both are inside in the last state and never before; a held ticket is shown."""
        inside = [s["A"] == "inside" and s["B"] == "inside" for s in run["states"]]
        at = run["#meta"]["violated_at"]
        self.assertEqual(inside.index(True), at)
        for name in "A", "B":
            mine = 0
            for state, after in zip(run["states"], run["states"][1:]):
                label = state["#meta"].get("label", "")
                if label.startswith(f"{name}: out -> read"):
                    mine = state["next"]
                elif label.startswith(f"{name}: inside -> out"):
                    mine = 0
                self.assertEqual(after[f"{name}.mine"], mine, (name, label))
        self.assertFalse(run["#meta"]["reset_dead"])
        return at

    def test_bakery(self):
        run = self.run_of(BAKERY, "--ltl", EXCLUSION)
        at = self.check_bakery(run)
        self.assertEqual(len(run["states"]), at + 1)
        self.assertNotIn("loop", run)
        path = self.path("run.json")
        done = self.expect(0, "replay", BAKERY, path)
        self.assertEqual(done.stdout, f"lasso accepted: {at + 1} states, violated from state {at} on\n")
        replayed = json.loads(self.expect(0, "replay", BAKERY, path, "--json").stdout)
        self.fits("replay", replayed)
        self.assertEqual((replayed["violated_at"], replayed["loop"]), (at, None))
        # As text, without --lasso.
        text = self.expect(10, "check", BAKERY, "--ltl", EXCLUSION, "--threads", "1").stdout
        self.assertIn(f"{at:5}:  ({WORDS})\n", text)
        self.assertIn("(the rest of the run is left out; --whole-run keeps it)\n", text)
        self.assertNotIn("cycle", text)
        self.assertNotIn("initial value", text)
        said = json.loads(self.expect(10, "check", BAKERY, "--ltl", EXCLUSION, "--threads", "1", "--json").stdout)
        self.fits("check", said)
        self.assertEqual(said["lasso"]["#meta"]["violated_at"], at)

    def test_whole(self):
        run = self.run_of(BAKERY, "--ltl", EXCLUSION, "--whole-run")
        at = self.check_bakery(run)
        self.assertGreater(len(run["states"]), at + 1)
        self.assertIn("loop", run)
        self.expect(0, "replay", BAKERY, self.path("run.json"))
        text = self.expect(0, "show", self.path("run.json"), BAKERY, "--as", "txt").stdout
        self.assertEqual(text.count(WORDS), 1)
        self.assertNotIn("left out", text)
        # The referee determines the place of the violation.
        for wrong in at - 1, at + 1, 0, 100000:
            self.refused(3, f"this holds from state {at} on",
                         "replay", BAKERY, self.forge(run, violated_at=wrong))
        self.expect(0, "replay", BAKERY, self.forge(run, violated_at=None))
        self.expect(0, "replay", BAKERY, self.forge(self.cut(run, at + 1)))
        self.expect(0, "replay", BAKERY, self.forge(self.cut(run, at + 1), violated_at=None))
        self.refused(3, "it is not known that every continuation violates",
                     "replay", BAKERY, self.forge(self.cut(run, at), violated_at=None))
        self.refused(3, "must be the last state", "replay", BAKERY, self.forge(self.cut(run, at)))
        for word in '"6"', "-1", "1.5", "null":
            self.refused(3, "violated_at", "replay", BAKERY, self.forge(run, violated_at=json.loads(word) or ""))

    def test_formats(self):
        for more in (), ("--whole-run",):
            lasso = self.keep(BAKERY, "--ltl", EXCLUSION, *more)
            at = lasso["#meta"]["violated_at"]
            with open(BAKERY, encoding="utf-8") as f:
                data, svg = self.check_all(lasso, f.read())
            self.assertEqual(data["violated"], at)
            self.assertEqual(data["version"], 1)
            texts = [e.text for e in svg.iter(SVG + "text")]
            self.assertEqual(texts.count("violated: every continuation violates the property"), 1)
            self.assertEqual(len([e for e in svg.iter() if e.get("class") == "violated"]), 1)
            self.assertEqual(self.text("dot").count("violated: every"), 1)
            self.assertRegex(self.text("dot"), rf"s{at} \[label=[^\n]*violated: every")
            self.assertEqual(self.text("txt").count(WORDS), 1)
            # And without the model.
            kept = self.text("txt")
            self.show(lasso)
            self.assertEqual(self.text("txt"), kept)
            self.check_page(lasso, None)

    def test_trail(self):
        lasso = self.keep(BAKERY, "--ltl", EXCLUSION)
        done = self.expect(0, "replay", "--trail", self.paths["trail"], BAKERY, "--ltl", EXCLUSION)
        self.assertIn(f"lasso accepted: {len(lasso['states'])} states\n", done.stdout)
        # It is not taken for a path to a deadlock.
        done = self.expect(0, "show", self.paths["trail"], BAKERY)
        self.assertIn("records no property, so it was not checked", done.stderr)

    def test_explained(self):
        self.run_of(BAKERY, "--ltl", EXCLUSION)
        with open(self.path("run.json"), encoding="utf-8") as f:
            at = json.load(f)["#meta"]["violated_at"]
        text = self.expect(0, "explain", BAKERY, self.path("run.json"), "--transitions", "off").stdout
        self.assertIn(f"from state {at} on, every continuation violates it\n", text)
        self.assertIn(f"this alone suffices for the violation:\n  state {at}: A.inside", text)
        said = json.loads(self.expect(0, "explain", BAKERY, self.path("run.json"), "--transitions", "off",
                                      "--json").stdout)
        self.fits("explain", said)
        self.assertEqual((said["violated_at"], said["beyond"], said["loop"]), (at, False, None))
        self.assertEqual(said["rows"][0]["matters"], [[0, 0]])
        self.expect(0, "explain", BAKERY, self.path("run.json"))  # including its checks

    def test_explained_with_what_follows(self):
        """No part of the formula is false yet, but all together cannot be true."""
        self.run_of(TOY, "--ltl", "G(x == 1 -> X P.a) & G(x == 1 -> X !P.a)")
        done = self.expect(0, "explain", TOY, self.path("run.json"), "--transitions", "off")
        self.assertIn("and the states after the last one, which is assumed to repeat", done.stdout)

    def test_first_state(self):
        run = self.run_of(TOY, "--ltl", "x == 1")
        self.assertEqual((run["#meta"]["violated_at"], len(run["states"])), (0, 1))
        self.expect(0, "replay", TOY, self.path("run.json"))
        run = self.run_of(TOY, "--ltl", "G(x == 0)")
        self.assertEqual(run["#meta"]["violated_at"], 1)
        self.assertEqual([s["x"] for s in run["states"]], [0, 1])

    def test_before_the_state_that_shows_it(self):
        """X false, in other words: the first state is already too late."""
        run = self.run_of(TOY, "--ltl", "X (P.a & !P.a) | x == 1")
        self.assertEqual(run["#meta"]["violated_at"], 0)

    def test_later_round(self):
        """If the cycle is shorter than the steps that the formula counts, the run stays complete."""
        run = self.run_of(TOY, "--ltl", "!(x == 0 & X(x == 0 & X(x == 0 & X(x == 0 & X (x == 0)))))")
        at, states = run["#meta"]["violated_at"], len(run["states"])
        self.assertEqual(at, 4)
        if at < states:  # the checker found a longer run
            return
        self.assertIn("loop", run)
        self.expect(0, "replay", TOY, self.path("run.json"))
        text = self.expect(0, "show", self.path("run.json"), TOY, "--as", "txt").stdout
        self.assertRegex(text, r"violated in state \d+, in round \d+ of the cycle")

    def test_nothing_is_too_late(self):
        for formula in "GF x == 1", "F x == 2", "FG x == 0":
            run = self.run_of(TOY, "--ltl", formula)
            self.assertNotIn("violated_at", run["#meta"])
            self.assertIn("loop", run)
            self.refused(3, "not known that every continuation",
                         "replay", TOY, self.forge(self.cut(run, 1)))
            self.refused(3, "it is not known that every continuation",
                         "replay", TOY, self.forge(run, violated_at=0))

    def test_both_kinds(self):
        """A formula that is violated by one of its parts."""
        run = self.run_of(TOY, "--ltl", "G(x == 0) & GF x == 0")
        self.assertEqual(run["states"][run["#meta"]["violated_at"]]["x"], 1)

    def test_automata(self):
        for name, text in ("never.never", "never {\nT0:\n if\n :: (x == 1) -> goto accept_all\n :: (1) -> goto T0\n fi;\n"
                           "accept_all:\n skip\n}\n"), \
                ("forbidden.hoa", 'HOA: v1\nStates: 2\nStart: 0\nAP: 1 "x == 1"\nAcceptance: 1 Inf(0)\n--BODY--\n'
                 "State: 0\n[!0] 0\n[0] 1\nState: 1 {0}\n[t] 1\n--END--\n"):
            with open(self.path(name), "w", encoding="utf-8") as f:
                f.write(text)
            run = self.run_of(TOY, "--never", self.path(name))
            self.assertEqual(run["#meta"]["violated_at"], 1)
            self.assertEqual(len(run["states"]), 2)
            self.expect(0, "replay", TOY, self.path("run.json"))
            text = self.expect(0, "explain", TOY, self.path("run.json"), "--transitions", "off").stdout
            self.assertIn("an accepting run of the automaton:", text)
            run = self.run_of(TOY, "--never", self.path(name), "--whole-run")
            self.assertEqual(run["#meta"]["violated_at"], 1)
            self.assertIn("loop", run)

    def test_whole_where_the_rest_counts(self):
        """With fairness, if runs that end are ignored, and if a shortest run is requested."""
        for more in ("--fairness", "weak"), ("--fair", "GF x == 1"), ("--finite-runs", "ignore"), ("--shortest", "2s"):
            run = self.run_of(TOY, "--ltl", "G(x == 0)", *more)
            self.assertIn("loop", run, more)
            self.assertEqual(run["states"][run["#meta"]["violated_at"]]["x"], 1, more)
            self.expect(0, "replay", TOY, self.path("run.json"), *(more if more[0] == "--finite-runs" else ()))
        run = self.run_of(TOY, "--ltl", "G(x == 0)")
        self.refused(3, "about infinite runs", "replay", TOY, self.path("run.json"), "--fairness", "weak")
        self.refused(3, "finite runs are ignored", "replay", TOY, self.path("run.json"), "--finite-runs", "ignore")
        self.refused(3, "about infinite runs", "replay", TOY, self.path("run.json"), "--fair", "GF x == 1")

    def test_goes_wrong(self):
        """A run that ends with an error in the model cannot continue."""
        path = self.path("wrong.dve")
        with open(path, "w", encoding="utf-8") as f:
            f.write("byte x = 0;\nprocess P { state a, b; init a; trans a -> b { effect x = 1; },\n"
                    "  b -> b { effect x = 1 / (x - 1); }; }\nsystem async;\n")
        done = self.expect(3, "check", path, "--ltl", "G(x == 0)")
        self.assertIn("unknown (error in the model)", done.stdout)
        run = self.run_of(TOY, "--ltl", "G(x == 0)")
        run["#meta"]["model"] = "wrong.dve"
        run["vars"] = ["x", "P"]
        for state in run["states"]:
            del state["Q"]
        label = run["states"][0]["#meta"]
        label.update(place="wrong.dve:2:44")
        done = self.expect(3, "replay", path, self.forge(run))
        self.assertRegex(done.stderr, "ends the run there|ends with an error in the model|of the model is at")

    def test_cycle_is_unrolled(self):
        """The value of a dead variable at the entry of the cycle differs from its value after a round."""
        path = self.path("dead.dve")
        with open(path, "w", encoding="utf-8") as f:
            f.write("byte n = 0;\nprocess P { byte mine = 7; state a, b, c; init a; trans\n"
                    "  a -> b { effect n = 1; }, b -> c { effect mine = 3; },\n"
                    "  c -> b { guard mine == 3; }; }\nsystem async;\n")
        run = self.run_of(path, "--ltl", "F G n == 0", "--merge", "off")
        self.expect(0, "replay", path, self.path("run.json"))
        self.assertEqual([s["P.mine"] for s in run["states"]], [7, 7, 3, 3][:len(run["states"])])
        self.assertEqual((len(run["states"]), run["loop"]), (4, 2))
        same = self.run_of(path, "--ltl", "F G n == 0", "--merge", "off", "--reset-dead", "off")
        self.assertEqual({s["P.mine"] for s in same["states"][same["loop"]:]}, {3})
        done = self.run_of(path, "--ltl", "F G n == 0", "--merge", "off", "--shortest", "2s")
        self.assertEqual(len(done["states"]), 4)
        self.assertFalse(done["#meta"]["reset_dead"])

    def test_explored(self):
        """The run to a failing assertion shows the real values of dead variables, too."""
        path = self.path("dead.dve")
        with open(path, "w", encoding="utf-8") as f:
            f.write("byte n = 0;\nprocess P { byte mine = 7; state a, b, c; init a; assert c: n == 0;\n"
                    "trans a -> b { effect n = 1, mine = 3; }, b -> c { guard mine == 3; }; }\nsystem async;\n")
        shown = [self.expect(10, "explore", path, "--device", "none", "--exec", "vm", "--reset-dead", reset).stdout
                 for reset in ("on", "off")]
        for text in shown:
            self.assertIn("n = 1  P = b  P.mine = 3\n", text)
            self.assertIn("\n         P = c\n", text)
            self.assertNotIn("initial value", text)


if __name__ == "__main__":
    main()
