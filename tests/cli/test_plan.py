# SPDX-License-Identifier: Apache-2.0
"""omen check --plan, and the choice of checkers: by rank, by name, and of a checker in another folder."""
import json

from cli import PLUGINS, Case, main, model, run

MUTEX = model("mutex.dve")
BOTH = "(G F A.crit) && (G (A.crit -> X (! B.crit))) && ((G F B.crit) -> (G F A.wait))"


class Plan(Case):
    def plan(self, *args, status=0, **more):
        return json.loads(self.expect(status, "check", MUTEX, "--plan", "--json", *args,
                                      **more).stdout)

    def strong(self, automaton, threads, *args):
        """Returns the checker of the strong part, and the acceptance that the part is converted to."""
        for p in self.plan("--never", automaton, "--threads", threads, "--device", "none",
                           *args)["parts"]:
            if p["strength"] == "strong":
                return p["checker"], p["conversion"] and p["conversion"]["to"]
        return self.fail("no strong part")

    def checkers(self, *args, **more):
        return {p["strength"]: p["checker"] for p in self.plan(*args, **more)["parts"]}

    def test_three_parts(self):
        found = self.plan("--ltl", BOTH, "--threads", "2")
        for p in found["parts"]:
            self.assertTrue(p["others"])
            for other in p["others"]:
                self.assertNotEqual(other["checker"], p["checker"])
        self.assertEqual([p["strength"] for p in found["parts"]], ["terminal", "weak", "strong"])
        self.assertEqual((found["schedule"], found["threads"]), ("concurrent", 2))

    def test_schedules(self):
        for args, schedule, said in ((["--threads", "1"], "turns", "parts in turn"),
                                     (["--threads", "2"], "concurrent", "parts concurrently"),
                                     (["--threads", "1", "--schedule", "sequential"], "sequential", "parts one after"),
                                     (["--threads", "2", "--schedule", "sequential"], "sequential", "parts one after"),
                                     (["--threads", "1", "--schedule", "concurrent"], "concurrent", "parts concurrently")):
            args = ["--ltl", BOTH, "--device", "none", *args]
            self.assertEqual(self.plan(*args)["schedule"], schedule, args)
            self.assertIn(said, self.expect(0, "check", MUTEX, "--plan", *args).stdout, args)
        # A single part takes no turns.
        self.assertEqual(self.plan("--deadlock", "--threads", "1", "--device", "none")["schedule"], "sequential")

    def test_it_is_what_a_check_does(self):
        for args in ([], ["--threads", "1"], ["--threads", "8"], ["--checker", "dijkstra"],
                     ["--schedule", "sequential", "--threads", "2"], ["--strong", "ufscc"]):
            args = ["--ltl", BOTH, "--device", "none", *args]
            done = run("check", MUTEX, "--json", *args)
            ran = json.loads(done.stdout)["parts"]
            planned = self.plan(*args)["parts"]
            self.assertEqual([(p["strength"], p["checker"]) for p in ran],
                             [(p["strength"], p["checker"]) for p in planned], args)
            self.assertEqual([p["automaton_states"] for p in ran],
                             [(p["conversion"] or p)["states"] for p in planned], args)

    def test_parts_side_by_side_share_their_states(self):
        for args, shares in ((["--threads", "2"], True), (["--threads", "8"], True),
                             (["--threads", "2", "--schedule", "sequential"], False)):
            done = run("check", MUTEX, "--json", "--ltl", BOTH, "--device", "none", *args)
            parts = json.loads(done.stdout)["parts"]
            self.assertEqual([p["shares_states"] for p in parts], [shares] * 3, args)

    def test_nothing_is_run(self):
        text = self.expect(0, "check", model("big.dve"), "--deadlock", "--plan").stdout
        self.assertRegex(text, r"terminal part \(\d+ states, \d+ edges\): \S+ on the CPU, \d+ worker")
        done = self.expect(0, "check", MUTEX, "--ltl", "false", "--plan")  # the property is violated, but not checked
        self.assertNotIn("violated", done.stdout)

    def test_nothing_to_do(self):
        self.assertEqual(self.plan("--ltl", "true")["parts"], [])
        self.assertIn("it accepts nothing", self.expect(0, "check", MUTEX, "--ltl", "true",
                                                        "--plan").stdout)

    def test_conversions(self):
        for part in self.plan("--never", model("rabin.hoa"), "--strong", "ufscc")["parts"]:
            if part["strength"] == "strong":
                self.assertEqual(part["conversion"]["to"], "Fin-less")
                self.assertRegex(part["conversion"]["why"],
                                 "^states are copied .*; 1 clause as Rabin, . clauses? as Streett$")
                self.assertGreaterEqual(part["conversion"]["states"], part["states"])
                break
        else:
            self.fail("no strong part")
        text = self.expect(0, "check", MUTEX, "--never", model("rabin.hoa"), "--plan", "--strong",
                           "ufscc").stdout
        self.assertRegex(text, r"acceptance converted to Fin-less: \d+ states, \d+ edges \(")
        # Without Fin, only marks change, or nothing.
        either = self.path("either.hoa")
        with open(model("rabin.hoa")) as f, open(either, "w") as g:
            g.write(f.read().replace("acc-name: Rabin 1\n", "").replace("Fin(0) & Inf(1)",
                                                                        "Inf(0) | Inf(1)"))
        self.assertEqual(self.strong(either, "2", "--strong", "ufscc"), ("ufscc", None))
        strong = [p for p in self.plan("--never", either, "--strong", "owcty")["parts"]
                  if p["strength"] == "strong"]
        self.assertEqual([p["conversion"]["why"] for p in strong], ["only marks change"])
        self.assertEqual([p["conversion"]["states"] for p in strong], [p["states"] for p in strong])

    def test_what_needs_no_conversion(self):
        """One pair of a Rabin condition is a Streett condition, too."""
        args = ["--never", model("rabin.hoa"), "--threads", "1", "--device", "none"]
        strong = [p for p in self.plan(*args)["parts"] if p["strength"] == "strong"]
        self.assertEqual([(p["checker"], p["conversion"]) for p in strong], [("streett", None)])
        buchi = ["--ltl", "G F A.crit -> G F B.crit", "--threads", "1", "--device", "none"]
        self.assertEqual(self.checkers(*buchi), self.checkers(*buchi, "--strong", "dijkstra"))

    def test_acceptance(self):
        """One state with a loop for each set, and one without marks: strong for any acceptance
        condition.
        """
        head = ('HOA: v1\nStates: 1\nStart: 0\nAP: 2 "A.crit" "B.crit"\nAcceptance: 6 %s\n--BODY--\n'
                'State: 0\n[t] 0\n') + "".join("[t] 0 {%d}\n" % i for i in range(6)) + "--END--\n"
        fin_less = ("dijkstra", "Fin-less"), ("ufscc", "Fin-less")
        streett = ("streett", None), ("streett", None)
        cases = [  # acceptance, one worker, two workers
            ("Fin(0) & Inf(1) & Inf(2)", *streett),
            ("(Fin(0) & Inf(1)) | (Fin(2) & Inf(3))", *fin_less),
            ("(Fin(0) | Inf(1)) & (Fin(2) | Inf(3))", *streett),
            ("(Inf(0) & Inf(1)) | (Inf(2) & Inf(3))", ("dijkstra", None), ("ufscc", None)),
            # Parity: two clauses each; one that is already a conjunction; one that is a single pair.
            ("Inf(3) | (Fin(2) & (Inf(1) | Fin(0)))", *fin_less),
            ("Fin(3) & (Inf(2) | Fin(1))", *streett),
            ("Fin(3) & Inf(2)", *streett),
            # Three Streett clauses, whose marks are united; twelve as Rabin clauses.
            ("(Fin(0) | Inf(1) | Inf(3)) & (Fin(2) | Inf(3) | Inf(5)) & (Fin(4) | Inf(5) | Inf(1))",
             ("streett", "Streett"), ("streett", "Streett")),
        ]
        for acceptance, one, two in cases:
            with open(self.path("case.hoa"), "w") as f:
                f.write(head % acceptance)
            found = [self.strong(self.path("case.hoa"), n) for n in "12"]
            self.assertEqual(found, [one, two], acceptance)
        # The number of clauses in either form; a named checker gets its acceptance by changing only
        # marks.
        with open(self.path("case.hoa"), "w") as f:
            f.write(head % cases[4][0])
        for args, to, why in (
                ([], "Fin-less", "states are copied without the Fin of a clause; 3 clauses as Rabin, "
                                 "2 clauses as Streett"),
                (["--strong", "streett"], "Streett",
                 "only marks change; 2 clauses as Streett, 3 clauses as Rabin"),
                (["--strong", "favoid"], "generalized Rabin",
                 "only marks change; 3 clauses as Rabin, 2 clauses as Streett")):
            part = self.plan("--never", self.path("case.hoa"), "--threads", "1", *args)["parts"][0]
            self.assertEqual((part["conversion"]["to"], part["conversion"]["why"]), (to, why))

    def test_weak_by_any_acceptance(self):
        """Components in which all runs are accepted, or none, whatever their marks: those of Rabin,
        Streett and other automata are assigned like those of Buchi automata.
        """
        body = ('HOA: v1\nStates: 3\nStart: 0\nAP: 2 "A.crit" "B.crit"\nAcceptance: %s\n--BODY--\n'
                'State: 0\n[t] 0 %s\n[0] 1\n[1] 2\nState: 1\n%sState: 2\n%s--END--\n')
        weak, terminal = "[0] 1 {%s}\n[!0&1] 1 {%s}\n", "[0] 2 {%s}\n[!0] 2 {%s}\n"
        cases = [  # acceptance; marks of a rejecting component, of two edges of an accepting one
            ("4 (Fin(0) & Inf(1)) | (Fin(2) & Inf(3))", "{0 1}", ("1 2", "1 3")),
            ("4 (Fin(0) | Inf(1)) & (Fin(2) | Inf(3))", "{0}", ("0 1", "2 3 1")),
            ("4 Fin(0) & (Inf(1) | (Fin(2) & Inf(3)))", "{2 3}", ("1 2", "3")),
            ("3 Inf(0) | Fin(1) | (Inf(1) & Inf(2))", "{1}", ("1 2", "0")),
        ]
        for acceptance, rejects, (one, two) in cases:
            name = self.path("case.hoa")
            with open(name, "w") as f:
                f.write(body % (acceptance, rejects, weak % (one, two), terminal % (one, two)))
            parts = self.plan("--never", name, "--threads", "2")["parts"]
            buchi = self.plan("--ltl", BOTH, "--threads", "2")["parts"]
            self.assertEqual([(p["strength"], p["checker"], p["racer"], p["conversion"])
                              for p in parts],
                             [(p["strength"], p["checker"], p["racer"], p["conversion"])
                              for p in buchi[:2]], acceptance)
            self.check(10, MUTEX, "--never", name)

    def test_names_and_ranks(self):
        named = self.plan("--ltl", "G F A.crit", "--weak", "dijkstra")["parts"][0]
        self.assertEqual((named["checker"], named["named"], named["rank"]), ("dijkstra", True, None))
        ranked = self.plan("--ltl", "G F A.crit")["parts"][0]
        self.assertFalse(ranked["named"])
        self.assertGreater(ranked["rank"], max(o["rank"] or 0 for o in ranked["others"]))
        self.assertNotEqual(self.checkers("--ltl", "G F A.crit -> G F B.crit", "--threads", "1",
                                          "--device", "none"),
                            self.checkers("--ltl", "G F A.crit -> G F B.crit", "--threads", "4",
                                          "--device", "none"))
        self.refused(2, "no checker 'nobody'", "check", MUTEX, "--plan", "--weak", "nobody")

    def test_a_stranger_becomes_the_default(self):
        """A checker with a higher rank in a folder of the user becomes the default."""
        env = {"OMEN_PLUGIN_PATH": PLUGINS}
        part = self.plan("--ltl", "G F A.crit", env=env)["parts"][0]
        self.assertEqual(part["racer"], "tired")
        self.assertEqual(self.plan("--ltl", "G F A.crit")["parts"][0]["racer"], "weak-cl")
        listed = self.expect(0, "plugins", "-v", env=env).stdout
        self.assertIn("gives up at once", listed)

    def test_late_workers(self):
        """A part that can use more workers gets those of parts that end before it."""
        formula = "G !(A.crit && B.crit) && (G F A.crit -> G F B.crit)"
        args = "--ltl", formula, "--threads", "4", "--device", "none"
        workers = {p["strength"]: (p["workers"], p["workers_later"]) for p in self.plan(*args)["parts"]}
        self.assertEqual(workers, {"terminal": (2, 2), "strong": (2, 4)})
        self.assertIn("the CPU, 2 workers (4 when other parts have ended), by its rank",
                      self.expect(0, "check", MUTEX, "--plan", *args).stdout)
        for part in self.plan(*args, "--schedule", "sequential")["parts"]:
            self.assertEqual((part["workers"], part["workers_later"]), (4, 4))

    def test_devices(self):
        if run("devices").stdout.startswith("none"):
            self.skipTest("no OpenCL device")
        part = self.plan("--ltl", "G F A.crit", "--device", "0")["parts"][0]
        self.assertEqual((part["checker"], part["workers"]), ("weak-cl", 1))
        self.assertIsNotNone(part["device"])
        self.assertIsNotNone(part["fallback"])
        self.assertIsNone(part["racer"])

    def test_errors(self):
        self.refused(3, r":2:\d+: ", "check", MUTEX, "--plan", "--ltl", "G F\n (A.crit")
        self.refused(2, "no front end 'nobody'", "check", MUTEX, "--frontend", "nobody")
        self.refused(2, "no translator 'nobody'", "check", MUTEX, "--translator", "nobody",
                     "--ltl", "true")
        self.refused(2, "states", "check", MUTEX, "--translator", "builtin:states=0", "--ltl",
                     "G F A.crit")
        self.refused(2, "no option 'x'", "check", MUTEX, "--frontend", "dve:x=1")
        self.refused(2, "no option 'x'", "explore", MUTEX, "--frontend", "dve:x=1")

    def test_options_reach_the_translator(self):
        formula = "(G F A.crit) && (G F B.crit) && (G F A.wait) && (G F B.wait)"
        self.expect(0, "check", MUTEX, "--plan", "--ltl", formula)
        done = self.expect(30, "check", MUTEX, "--ltl", formula, "--translator",
                           "builtin:states=2")
        self.assertIn("unknown", done.stdout)


if __name__ == "__main__":
    main()
