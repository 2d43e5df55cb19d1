# SPDX-License-Identifier: Apache-2.0
"""Verdicts, their exit statuses, output, lassos and their replay."""
import copy
import json
import os
import time

from cli import LINE, PLUGINS, Case, main, model

MUTEX = model("mutex.dve")
AT1 = os.path.join(os.environ.get("OMEN_CORPUS", ""), "beem", "at", "at.1.dve")
HOLDS = "G !(A.crit && B.crit)"
VIOLATED = "G F A.crit"


class Verdicts(Case):
    def line(self, done, name, verdict):
        """The first line of the output has the stable format."""
        first = LINE.match(done.stdout.split("\n")[0])
        self.assertIsNotNone(first, done.stdout)
        self.assertEqual(first.group(1), name)
        self.assertEqual(first.group(2), verdict)

    def test_each_kind_of_property(self):
        for status, args, name in (
                (0, ("--ltl", HOLDS), HOLDS),
                (10, ("--ltl", VIOLATED), VIOLATED),
                (0, ("--ltl", "G(A.ask -> F A.crit)"), "G(A.ask -> F A.crit)"),
                (10, ("--ltl", "G(A.idle -> F A.crit)"), "G(A.idle -> F A.crit)"),
                (0, ("--ltl-file", model("good.ltl")), "G (A.crit ->    !B.crit)"),
                (10, ("--never", model("buchi.hoa")), model("buchi.hoa")),
                (0, ("--deadlock",), "deadlock"),
                (0, (), "deadlock"),
                (0, ("--invariant", "not (A.crit and B.crit)"), "not (A.crit and B.crit)"),
                (10, ("--invariant", "turn == 0"), "turn == 0")):
            done = self.check(status, MUTEX, *args)
            self.line(done, name, "holds" if status == 0 else "violated")

    def test_holds_has_seen_everything(self):
        """With any number of workers, and whichever of them ends first."""
        if not os.path.exists(AT1):
            self.skipTest("no corpus")
        for checker in "weak-swarm", "weak-hybrid", "dijkstra", "ufscc", "reach":
            for threads in "3", "8", "16":
                for seed in "1", "2", "3":
                    found = self.json(0, AT1, "--ltl", "!F (x == 254)", "--checker", checker,
                                      "--threads", threads, "--seed", seed)
                    self.assertEqual(found["states"], 39354, (checker, threads, seed))

    def test_the_line_is_one_line(self):
        done = self.check(10, MUTEX, "--ltl", "G\n\tF\r\nA.crit", "-q")
        self.assertEqual(done.stdout, "property G  F  A.crit: violated\n")

    def test_the_models_own_property(self):
        done = self.check(0, model("ends.dve"))
        self.line(done, "never_ends", "holds")
        self.line(self.check(0, model("ends.dve"), "--property", "never_ends"), "never_ends",
                  "holds")
        self.line(self.check(10, model("ends.dve"), "--deadlock"), "deadlock", "violated")
        self.refused(2, "did you mean 'never_ends'", "check", model("ends.dve"), "--property",
                     "neverends")
        self.refused(2, "no property of its own", "check", MUTEX, "--property", "x")

    def test_finite_runs(self):
        end = "G F !P.done"
        self.check(10, model("ends.dve"), "--ltl", end)
        self.check(0, model("ends.dve"), "--ltl", end, "--finite-runs=ignore")
        self.check(0, model("ends.dve"), "--ltl", "F P.done")

    def test_several_formulas(self):
        done = self.check(10, MUTEX, "--ltl", HOLDS, "--ltl", VIOLATED, "--ltl-file",
                          model("good.ltl"), "-q")
        self.assertEqual([LINE.match(line).group(2) for line in done.stdout.splitlines()],
                         ["holds", "violated", "holds"])
        done = self.check(30, model("big.dve"), "--ltl", "G true", "--ltl",
                          'G "a + b >= 0"', "--max-states", "100", "-q")
        self.assertEqual([LINE.match(line).group(2) for line in done.stdout.splitlines()],
                         ["holds", "unknown (state limit)"])

    def test_all_formulas_are_read_before_one_is_checked(self):
        """Each wrong formula is reported at once; the first check would take much longer."""
        first = "--timeout", "50s", "--ltl", 'G "a + b >= 0"'
        since = time.monotonic()
        for wrong, why in (("--ltl", "G nobody"), r"proposition 'nobody'"), \
                          (("--ltl", "G (a == 0"), r"formula:1:10: expected '\)'"), \
                          (("--ltl-file", self.path("none.ltl")), r"cannot open"):
            self.refused(3, why, "check", model("big.dve"), *first, *wrong, "--ltl", "G true")
        done = self.expect(3, "check", model("big.dve"), *first, "--ltl", "G nobody", "--ltl", "G (")
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"(?s)'nobody'.*expected a formula")
        self.assertLess(time.monotonic() - since, 30)

    def test_results_stand_whatever_comes_later(self):
        # The second ends with an internal error.
        done = self.check(1, MUTEX, "--ltl", VIOLATED, "--ltl", HOLDS, "--checker", "liar", "-q",
                          env={"OMEN_PLUGIN_PATH": PLUGINS})
        self.assertEqual(done.stdout, f"property {VIOLATED}: violated\n")

    def a_limit_is_shared(self, limit):
        done = self.check(10, model("big.dve"), "--ltl", 'G "a + b >= 0"', "--ltl", "F (a == 0)",
                          "--ltl", "G (a < 2)", "--timeout", limit, "-q")
        self.assertEqual([LINE.match(line).group(2) for line in done.stdout.splitlines()],
                         ["holds", "violated", "unknown (time limit)"])

    def test_a_limit_is_shared(self):
        self.patiently(self.a_limit_is_shared)

    def test_a_failed_assertion_is_a_violation(self):
        """With its trace, whatever property is checked; and the referee accepts it. The property itself is
        violated only on runs that continue after the failure.
        """
        text = ("byte a = 0;\nprocess P { state s, t; init s; assert s: a < 3;\n"
                " trans s -> s { effect a = a + 1; }; }\nsystem async;\n")
        with open(self.path("a.dve"), "w", encoding="utf-8") as file:
            file.write(text)
        for threads in "1", "2":
            done = self.check(10, self.path("a.dve"), "--ltl", 'G "a < 9"', "--threads", threads,
                              "--lasso", self.path("l.json"), "--json-lines")
            found, asked = (json.loads(line) for line in done.stdout.splitlines() if "verdict" in json.loads(line))
            self.assertEqual((found["about"], found["verdict"]), ("assertion", "violated"))
            self.assertRegex(found["property"], r"a\.dve:2:\d+$")
            self.assertRegex(found["fault"], "a < 3")
            self.assertEqual((asked["verdict"], asked["lasso"]), ("unknown", None))
            self.assertEqual([state["a"] for state in found["lasso"]["states"]], [0, 1, 2, 3])
            self.assertNotIn("loop", found["lasso"])
            self.expect(0, "replay", self.path("a.dve"), self.path("l.json"))

    def test_a_violation_counts_more_than_a_fault(self):
        """With any number of threads; the fault is reported in addition."""
        text = ("byte a = 0; byte z = 0;\nprocess P { state s, t; init s;\n"
                " trans s -> s { guard a < 200; effect a = a + 1; }, s -> t { guard a == 3; },\n"
                "  t -> t { effect z = a / z; }; }\nsystem async;\n")
        with open(self.path("f.dve"), "w", encoding="utf-8") as file:
            file.write(text)
        for threads in "1", "2", "4":
            found = self.json(10, self.path("f.dve"), "--ltl", 'G "a < 199"', "--threads", threads)
            self.assertEqual(found["verdict"], "violated")
            self.assertRegex(found["fault"], r"f\.dve:4:")
            self.check(3, self.path("f.dve"), "--ltl", 'G "a < 250"', "--threads", threads)
            # In another part of the automaton, too, and if the parts are searched in turn.
            found = self.json(10, self.path("f.dve"), "--ltl", 'G "a < 250" && G F "P.t"',
                              "--threads", threads)
            self.assertEqual(len(found["parts"]), 2)
            if threads == "1": # otherwise the violation may end the other search before the fault
                self.assertRegex(found["fault"], r"f\.dve:4:")

    def test_warnings_of_propositions_come_once(self):
        row = 'G "A.idle || A.crit && A.idle"'
        for formulas in (row,), (row, "true"):
            done = self.check(10, MUTEX, *(word for f in formulas for word in ("--ltl", f)), "-q")
            self.assertEqual(done.stderr.count("does not bind tighter"), 1, done.stderr)

    def test_long_rows_are_no_nesting(self):
        """A hundred thousand operands: read, checked, printed, replayed."""
        with open(self.path("row.ltl"), "w", encoding="utf-8") as f:
            f.write("G (" + " && ".join(["!A.crit", "!(B.crit)"] * 50000) + ")\n")
        lasso = self.path("row.json")
        done = self.check(10, MUTEX, "--ltl-file", self.path("row.ltl"), "--lasso", lasso, "-q")
        self.assertTrue(done.stdout.endswith("!(B.crit)): violated\n"), done.stdout[-99:])
        self.expect(0, "replay", MUTEX, lasso)
        with open(self.path("deep.ltl"), "w", encoding="utf-8") as f:
            f.write("(" * 100000 + "G !A.crit" + ")" * 100000)
        self.check(10, MUTEX, "--ltl-file", self.path("deep.ltl"), "-q")
        row = " and ".join(f"turn != {i}" for i in range(2, 5002))
        self.check(0, MUTEX, "--invariant", row, "-q")
        with open(self.path("row.ltl"), "w", encoding="utf-8") as f:
            f.write('G "' + " and ".join(f"turn != {i}" for i in range(2, 100002)) + '"')
        self.check(0, MUTEX, "--ltl-file", self.path("row.ltl"), "-q", "--exec", "vm")

    def unknown(self, reason, *limit):
        done = self.check(30, model("big.dve"), *limit)
        self.line(done, "deadlock", f"unknown ({reason})")
        found = self.json(30, model("big.dve"), *limit)
        self.assertEqual(found["verdict"], "unknown")
        self.assertEqual(found["reason"], reason)
        self.assertEqual([part["verdict"] for part in found["parts"]], ["unknown"])
        self.assertIsNone(found["lasso"])

    def test_unknown(self):
        self.unknown("state limit", "--max-states", "100")
        self.patiently(lambda limit: self.unknown("memory limit", "--memory", limit), ("30M", "100M", "300M"))
        self.patiently(lambda limit: self.unknown("time limit", "--timeout", limit))

    def test_faults_of_the_model(self):
        done = self.check(3, model("fault.dve"))
        self.assertRegex(done.stderr, r"omen: .*fault\.dve:9:\d+: index")
        self.line(done, "deadlock", "unknown (error in the model)")
        self.assertIn("trace:\n", done.stdout)
        self.assertIn("i = 2", done.stdout)
        found = self.json(3, model("fault.dve"))
        self.assertEqual(found["lasso"]["#meta"]["property"], "fault")
        self.assertEqual(found["lasso"]["states"][-1]["i"], 2)

    def test_faults_are_replayed(self):
        path = self.path("run.json")
        self.check(3, model("fault.dve"), "--lasso", path)
        done = self.expect(0, "replay", model("fault.dve"), path)
        self.assertRegex(done.stdout, r"fault\.dve:9:\d+: index outside an array in transition .*\nlasso accepted")
        with open(path, encoding="utf-8") as f:
            run = json.load(f)
        run["states"].pop()
        run["states"][-1]["#meta"] = {"index": len(run["states"]) - 1, "transition": None}
        with open(path, "w", encoding="utf-8") as f:
            json.dump(run, f)
        self.assertIn("but not this error in its last state", self.expect(3, "replay", model("fault.dve"), path).stderr)
        self.check(3, model("fault.dve"), "--lasso", path)
        self.assertIn("the only explanation", self.expect(2, "explain", model("fault.dve"), path).stderr)

    def test_a_fault_behind_what_was_found(self):
        """A state in a terminal component is no violation if an error in the model follows it."""
        for how in ([], ["--checker", "reach"], ["--terminal", "reach"], ["--schedule", "concurrent"],
                    ["--threads", "1"], ["--threads", "3"]):
            for formula in "G P.a", "G P.a && G F P.a":
                done = self.check(10, model("ends_wrong.dve"), "--ltl", formula, *how)
                self.assertIn("P = ok", done.stdout)
            done = self.check(3, model("ends_wrong.dve"), "--ltl", "G !P.bad", *how)
            self.assertRegex(done.stderr, r"ends_wrong\.dve:10:\d+: division by zero")
            self.assertIn("trace:\n", done.stdout)

    def test_checkers_and_schedules_agree(self):
        for args in (("--checker", "dijkstra"), ("--schedule", "sequential"),
                     ("--schedule", "concurrent", "--threads", "3"), ("--weak", "dijkstra"),
                     ("--seed", "7", "--threads", "2"), ("--exec", "native")):
            self.check(0, MUTEX, "--ltl", HOLDS, *args)
            self.check(10, MUTEX, "--ltl", VIOLATED, *args)
            self.check(0, MUTEX, "--ltl", "G(A.ask -> F A.crit)", *args)
        self.refused(2, "not sound", "check", MUTEX, "--ltl", VIOLATED, "--checker", "reach",
                     "--device", "none")

    def test_one_checker_takes_the_automaton_as_it_is(self):
        found = self.json(0, MUTEX, "--ltl", HOLDS, "--checker", "dijkstra")
        self.assertEqual(len(found["parts"]), 1)
        self.assertEqual(found["parts"][0]["checker"], "dijkstra")

    def test_a_lasso_that_is_none_is_an_internal_error(self):
        done = self.check(1, MUTEX, "--ltl", HOLDS, "--checker", "liar",
                          env={"OMEN_PLUGIN_PATH": PLUGINS})
        self.assertEqual(done.stdout, "")
        self.assertIn("no accepting cycle", done.stderr)
        done = self.check(1, MUTEX, "--invariant", "not (A.crit and B.crit)", "--checker", "liar",
                          env={"OMEN_PLUGIN_PATH": PLUGINS})
        self.assertEqual(done.stdout, "")
        # If there is a violation, even bad evidence is sufficient.
        self.check(10, MUTEX, "--ltl", VIOLATED, "--checker", "liar",
                   env={"OMEN_PLUGIN_PATH": PLUGINS})


class Json(Case):
    RESULT = {"schema": int, "model": str, "about": str, "property": str, "verdict": str,
              "reason": (str, type(None)), "fault": (str, type(None)), "parts": list, "states": int, "transitions": int,
              "seconds": float, "memory_bytes": int, "seed": int, "threads": int,
              "code": (dict, type(None)), "overflows": (dict, type(None)), "minimal": (bool, type(None)), "fairness": (dict, type(None)),
              "together": (int, type(None)), "of": int, "overflow_trace": (dict, type(None)),
              "lasso": (dict, type(None))}
    PART = {"strength": str, "automaton_states": int, "automaton_edges": int, "checker": str, "device": (str, type(None)),
            "gave_up": (str, type(None)), "shares_states": bool,
            "states": int, "transitions": int, "sccs": (int, type(None)), "seconds": float,
            "memory_bytes": int, "verdict": str, "coverage": (float, type(None)), "verified": (dict, type(None)),
            "conversion": (str, type(None)), "converted_from": (int, type(None)),
            "counters": (dict, type(None))}
    COUNTERS = {"expansions": int, "repeated": int, "red": int, "unions": int, "finds": int, "retries": int,
                "blocked_seconds": float, "peak_stack": int, "auxiliary_bytes": int}

    def fits(self, value, schema):
        self.assertEqual(set(value), set(schema))
        for key, kind in schema.items():
            self.assertIsInstance(value[key], kind, key)

    def test_result(self):
        for status, formula in ((0, HOLDS), (10, VIOLATED)):
            found = self.json(status, MUTEX, "--ltl", formula, "--seed", "5", "--threads", "2")
            self.fits(found, self.RESULT)
            for part in found["parts"]:
                self.fits(part, self.PART)
                self.fits(part["counters"], self.COUNTERS)
            self.assertEqual(found["schema"], 1)
            self.assertEqual(found["model"], MUTEX)
            self.assertEqual(found["property"], formula)
            self.assertEqual(found["seed"], 5)
            self.assertEqual(found["threads"], 2)
            self.assertEqual(found["states"], sum(p["states"] for p in found["parts"]))
            self.assertEqual(found["lasso"] is None, status == 0)
        self.assertEqual(found["lasso"]["#meta"]["property"], "ltl=" + VIOLATED)

    def test_counters(self):
        for checker in "dijkstra", "weak-swarm", "weak-hybrid":
            part = self.json(0, MUTEX, "--ltl", HOLDS, "--checker", checker, "--threads", "1")["parts"][0]
            counters = part["counters"]
            self.assertEqual((counters["expansions"], counters["repeated"]), (part["states"], 0), checker)
            self.assertLessEqual(counters["auxiliary_bytes"], part["memory_bytes"])
        part = self.json(0, MUTEX, "--ltl", HOLDS, "--checker", "dijkstra", "--threads", "1")["parts"][0]
        self.assertGreater(part["counters"]["peak_stack"], 1)
        self.assertGreater(part["counters"]["auxiliary_bytes"], 0)

    def test_bitstate(self):
        """Without a violation there is no proof; a violation is verified like any other."""
        for checker in "and:bitstate=20", "sd:bitstate=20":
            done = self.check(30, MUTEX, "--ltl", HOLDS, "--checker", checker)
            self.assertEqual(done.stdout.splitlines()[0], f"property {HOLDS}: unknown (bitstate)")
            self.assertIn("estimated coverage 1.000000", done.stdout)
            found = self.json(30, MUTEX, "--ltl", HOLDS, "--checker", checker)
            self.assertEqual((found["verdict"], found["reason"]), ("unknown", "bitstate"))
            self.assertGreater(found["parts"][0]["coverage"], 0.999)
            found = self.json(10, MUTEX, "--ltl", VIOLATED, "--checker", checker)
            self.assertIsNotNone(found["lasso"])
            self.assertIsNone(found["parts"][0]["coverage"])
        done = self.check(30, MUTEX, "--ltl", HOLDS, "--checker", "and:bitstate=20", "--max-states", "5")
        self.assertIn("unknown (state limit)", done.stdout)
        self.assertIn("2^4 bits are too few", self.check(2, MUTEX, "--ltl", HOLDS, "--checker", "and:bitstate=4").stderr)

    def lines(self, limit):
        done = self.check(30, model("big.dve"), "--timeout", limit, "--json-lines")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertGreater(len(lines), 1)
        for line in lines[:-1]:
            self.assertEqual(set(line), {"schema", "progress"})
            self.assertGreaterEqual(line["progress"]["states"], 0)
        self.fits(lines[-1], self.RESULT)

    def test_lines(self):
        self.patiently(self.lines)
        done = self.check(10, MUTEX, "--ltl", HOLDS, "--ltl", VIOLATED, "--json-lines")
        verdicts = [json.loads(line).get("verdict") for line in done.stdout.splitlines()]
        self.assertEqual([v for v in verdicts if v], ["holds", "violated"])


class Lassos(Case):
    def lasso(self, *args, status=10, of=MUTEX):
        file = self.path("l.json")
        done = self.check(status, of, *args, "--lasso", file)
        self.assertNotIn("cycle", done.stdout)
        with open(file) as f:
            return file, json.load(f)

    def test_replay(self):
        for args in (("--ltl", VIOLATED), ("--never", model("buchi.hoa")),
                     ("--invariant", "turn == 0"), ("--ltl", "X A.ask")):
            file, lasso = self.lasso(*args)
            self.assertEqual(lasso["#meta"]["format"], "ITF")
            done = self.expect(0, "replay", MUTEX, file)
            self.assertTrue(done.stdout.startswith("lasso accepted: "))
            self.expect(0, "replay", MUTEX, file, *args)
        file, _ = self.lasso(of=model("ends.dve"), *["--deadlock"])
        self.expect(0, "replay", model("ends.dve"), file)
        self.refused(3, "not a run of model", "replay", MUTEX, file)

    DEAD = ("byte g;\nprocess P {\nbyte x;\nstate a, b, c;\ninit a;\ntrans\n"
            "a -> b { effect x = g; },\nb -> c { guard x < 4; },\n"
            "c -> a { effect g = (g + 1) % 4; };\n}\nsystem async;\n")

    def dead(self):
        source = self.path("dead.dve")
        with open(source, "w") as f:
            f.write(self.DEAD)
        return source

    def test_dead_variables(self):
        """Values that are not used again are forgotten: in a check by default, in explore on request.
        Traces still show the real values of variables. A lasso of an earlier version, which shows their
        initial values and says so, is verified accordingly.
        """
        source = self.dead()
        for args, states in ((), 13), (("--reset-dead", "off"), 13), (("--reset-dead=on",), 12):
            done = self.expect(0, "explore", source, "--json", *args)
            self.assertEqual(json.loads(done.stdout)["states"], states)
        note = "is no longer used is shown with its initial value"
        for args in (), ("--reset-dead", "on"), ("--reset-dead=off",):
            file, lasso = self.lasso("--invariant", "g < 3", *args, of=source)
            self.assertIs(lasso["#meta"]["reset_dead"], False)
            self.assertEqual([s["P.x"] for s in lasso["states"]], [0, 0, 0, 0, 1, 1, 1, 2, 2, 2])
            self.expect(0, "replay", source, file)
            text = self.check(10, source, "--invariant", "g < 3", *args).stdout
            self.assertNotIn(note, text)
        # It is verified according to its own declaration.
        lasso["#meta"]["reset_dead"] = True
        self.rewrite(file, lasso)
        self.refused(3, "does not lead to state", "replay", source, file)
        for state in lasso["states"]:
            state["P.x"] = state["P.x"] if state["P"] == "b" else 0
        self.rewrite(file, lasso)
        self.expect(0, "replay", source, file)
        self.assertEqual(self.expect(0, "show", file, source, "--as", "txt").stdout.count(note), 1)
        del lasso["#meta"]["reset_dead"]
        self.rewrite(file, lasso)
        self.refused(3, "does not lead to state", "replay", source, file)
        # For this property nothing can be forgotten.
        file, lasso = self.lasso("--invariant", "P.x < 3 || g < 3", of=source)
        self.assertIs(lasso["#meta"]["reset_dead"], False)
        self.expect(0, "replay", source, file)
        self.refused(2, "--reset-dead needs a value", "check", source, "--reset-dead")
        self.refused(2, "takes one of on, off, not 'yes'", "explore", source, "--reset-dead=yes")
        self.refused(2, "no option '--reset-dead'", "replay", source, file, "--reset-dead=on")

    def test_one_property_forgets_nothing_for_the_next(self):
        """Each property of a session has the same lasso as alone."""
        source = self.dead()
        formulas = ["G !(g == 3)", "G !(P.x == 3)", "G F !P.a", "F G P.a", "G (P.x == 0)"]
        alone = [self.check(status, source, "--ltl", f, "--threads", "1", "-q").stdout
                 for f, status in zip(formulas, (10, 10, 0, 10, 10))]
        for order in (1, -1):
            file = self.path("l.json")
            args = [a for f in formulas[::order] for a in ("--ltl", f)]
            done = self.check(10, source, *args, "--threads", "1", "-q", "--lasso", file)
            self.assertEqual(done.stdout, "".join(alone[::order]))
            for name in "l.json", "l.2.json", "l.3.json", "l.4.json":
                self.expect(0, "replay", source, self.path(name))
        # A lasso of an earlier version with forgotten values.
        file = self.made(source, "G !(g == 3)")
        self.expect(0, "replay", source, file, "--ltl", "G (P.x == 0)")
        with open(file) as f:
            lasso = json.load(f)
        lasso["#meta"]["reset_dead"] = True
        for state in lasso["states"]:
            state["P.x"] = state["P.x"] if state["P"] == "b" else 0
        self.rewrite(file, lasso)
        self.expect(0, "replay", source, file)
        self.refused(3, "dead variables reset, but this property may use their values", "replay", source, file,
                     "--ltl", "G (P.x == 0)")

    def test_short(self):
        """Whichever violation a depth-first search finds first."""
        for checker in "dijkstra", "ufscc", "weak-swarm", "weak-hybrid":
            for threads in "1", "3":
                how = "--checker", checker, "--threads", threads
                for formula in "F a == 200", "G F a == 200", "G(C.c -> F a == 200)":
                    _, lasso = self.lasso("--ltl", formula, *how, of=model("near.dve"))
                    self.assertLessEqual(len(lasso["states"]), 20, (formula, how))
                # Beyond the range of the search for a shorter one: by shortcuts within the run.
                for seed in "1", "2", "3":
                    _, lasso = self.lasso("--ltl", "G F T.idle", *how, "--seed", seed,
                                          of=model("far.dve"))
                    self.assertLessEqual(len(lasso["states"]), 70, (how, seed))

    def made(self, source, formula):
        self.check(10, source, "--ltl", formula, "--lasso", self.path("m.json"))
        return self.path("m.json")

    def rewrite(self, file, lasso):
        with open(file, "w") as f:
            json.dump(lasso, f)

    REPLAY = {"schema": int, "model": str, "lasso": str, "property": (str, type(None)),
              "verdict": str, "reason": (str, type(None)), "states": (int, type(None)),
              "loop": (int, type(None)), "violated_at": (int, type(None))}

    def replayed(self, status, *args):
        done = self.expect(status, "replay", *args, "--json")
        found = json.loads(done.stdout)
        self.assertEqual(set(found), set(self.REPLAY))
        for key, kind in self.REPLAY.items():
            self.assertIsInstance(found[key], kind, key)
        self.assertEqual((found["schema"], found["model"], found["lasso"]), (1, *args[:2]))
        self.assertEqual(found["verdict"], "accepted" if status == 0 else "rejected")
        if status != 0:
            self.assertEqual(done.stderr, f"omen: {found['reason']}\n")
        return found

    def test_replay_json(self):
        file, lasso = self.lasso("--ltl", VIOLATED)
        found = self.replayed(0, MUTEX, file)
        self.assertEqual(found["property"], VIOLATED)
        self.assertEqual((found["states"], found["loop"]), (len(lasso["states"]), lasso["loop"]))
        self.assertIsNone(found["reason"])
        found = self.replayed(3, MUTEX, file, "--ltl", HOLDS)
        self.assertEqual((found["property"], found["states"]), (HOLDS, len(lasso["states"])))
        lasso["states"][0]["turn"] = 1
        self.rewrite(file, lasso)
        self.assertIn("not the initial state", self.replayed(3, MUTEX, file)["reason"])
        lasso["states"][0]["turn"] = 7000
        self.rewrite(file, lasso)
        found = self.replayed(3, MUTEX, file)
        self.assertEqual((found["property"], found["states"], found["loop"]), (None, None, None))
        self.assertIn("'turn'", found["reason"])
        file, _ = self.lasso("--deadlock", of=model("ends.dve"))
        found = self.replayed(0, model("ends.dve"), file)
        self.assertEqual((found["property"], found["loop"]), ("deadlock", None))
        # Errors that are not about the lasso are the same as without --json.
        self.refused(3, "No such file", "replay", MUTEX, self.path("none.json"), "--json")
        self.refused(2, "did you mean 'never_ends'", "replay", model("ends.dve"), file,
                     "--property", "neverends", "--json")

    def test_a_formula_from_a_file_is_recorded(self):
        with open(self.path("f.ltl"), "w") as f:
            f.write("G F\n\tA.crit\n")
        file, lasso = self.lasso("--ltl-file", self.path("f.ltl"))
        self.assertEqual(lasso["#meta"]["property"], "ltl=G F  A.crit")
        self.expect(0, "replay", MUTEX, file)

    def test_another_property_is_refused(self):
        file, _ = self.lasso("--ltl", VIOLATED)
        self.refused(3, "formula holds|does not accept", "replay", MUTEX, file, "--ltl", HOLDS)
        self.refused(3, "infinite", "replay", MUTEX, file, "--deadlock")
        self.refused(3, "infinite", "replay", MUTEX, file, "--invariant", "turn == 0")

    def mutants(self, lasso):
        """Yields lassos with one value, one transition or the loop index changed; and with changes in
        other members.
        """
        for i, state in enumerate(lasso["states"]):
            for name, value in state.items():
                if name == "#meta":
                    continue
                for other in ("idle", "ask", "wait", "crit") if isinstance(value, str) else (0, 1):
                    changed = copy.deepcopy(lasso)
                    if isinstance(value, list):
                        changed["states"][i][name][0] = 1 - value[0]
                    elif other != value:
                        changed["states"][i][name] = other
                    else:
                        continue
                    yield changed
            for key, values in (("transition", (0, 1, 5, 99, None, "stutter")), ("index", (99,)),
                                ("label", ("x",)), ("place", ("mutex.dve:1:1",))):
                for value in values:
                    changed = copy.deepcopy(lasso)
                    if changed["states"][i]["#meta"][key] != value:
                        changed["states"][i]["#meta"][key] = value
                        yield changed
        for loop in [*range(len(lasso["states"]) + 1), -1, None]:
            changed = copy.deepcopy(lasso)
            changed["loop"] = loop
            if loop != lasso["loop"]:
                yield changed

    def test_mutants_are_refused(self):
        file, lasso = self.lasso("--ltl", "G(A.idle -> F A.crit)")
        count = 0
        for changed in self.mutants(lasso):
            with open(file, "w") as f:
                json.dump(changed, f)
            self.refused(3, ".", "replay", MUTEX, file)
            count += 1
        self.assertGreater(count, 50)

    def test_text(self):
        text = self.check(10, MUTEX, "--ltl", VIOLATED).stdout
        self.assertIn("cycle (", text)
        file = self.path("l.txt")
        self.check(10, MUTEX, "--ltl", VIOLATED, "--lasso", file)
        with open(file) as f:
            self.assertIn(f.read(), text)

    def test_one_file_a_violation(self):
        self.check(10, MUTEX, "--ltl", VIOLATED, "--ltl", HOLDS, "--ltl", "G A.idle", "--lasso",
                   self.path("l.json"))
        self.expect(0, "replay", MUTEX, self.path("l.json"), "--ltl", VIOLATED)
        self.expect(0, "replay", MUTEX, self.path("l.2.json"), "--ltl", "G A.idle")


if __name__ == "__main__":
    main()
