# SPDX-License-Identifier: Apache-2.0
"""--fairness and --fair: the same verdicts as with the same assumptions in the formula, no
additional states, lassos that are fair, and invalid options.
"""
import json
import re

from cli import Case, main, model, run

MUTEX = model("mutex.dve")
EIGHT = ("GF p0 -> GF p1", "GF p2 -> GF p0", "GF p3 -> GF p2", "GF p4 -> GF p2", "GF p5 -> GF p3",
         "GF p6 -> GF (p5 | p4)", "GF p7 -> GF p6", "GF p1 -> GF p7")


class Process:
    """Transitions (from, to, guard, effect), with their enabling conditions; converted into DVE
    that records the process of the last transition, and into the expression that is true when the
    process is enabled.
    """

    def __init__(self, name, states, *transitions):
        self.name, self.states, self.transitions = name, states, transitions

    def dve(self, number):
        made = []
        for a, b, guard, effect in self.transitions:
            effects = [e for e in (effect, number is not None and f"last = {number}") if e]
            made.append(f"{a} -> {b} {{ {f'guard {guard};' if guard else ''} "
                        f"{'effect ' + ', '.join(effects) + ';' if effects else ''} }}")
        return (f"process {self.name} {{ state {self.states}; init {self.states.split(',')[0]};\n"
                f" trans {',  '.join(made)}; }}\n")

    def able(self):
        return " || ".join(f"({self.name}.{a}{f' && ({g})' if g else ''})"
                           for a, _, g, _ in self.transitions)


def philosophers(n, polite=False):
    """Polite philosophers also return the first fork, so that there is no deadlock."""
    made = []
    for i in range(n):
        left, right = f"fork[{i}]", f"fork[{(i + 1) % n}]"
        more = [("one", "think", f"{right} == 1", f"{left} = 0")] if polite else []
        made.append(Process(f"P{i}", "think, one, eat",
                            ("think", "one", f"{left} == 0", f"{left} = 1"),
                            ("one", "eat", f"{right} == 0", f"{right} = 1"),
                            ("eat", "think", "", f"{left} = 0, {right} = 0"), *more))
    return f"byte fork[{n}];\n", made


def loops():
    """Two processes that are always enabled, one that is enabled now and then, one that only waits,
    and a fifth that is never enabled. (The first and the second take the same steps between the
    same states.)
    """
    return "byte x; byte y;\n", [
        Process("A", "a", ("a", "a", "", "")), Process("B", "a", ("a", "a", "", "")),
        Process("C", "a, b", ("a", "b", "", "x = 1"), ("b", "a", "", "x = 0")),
        Process("D", "a", ("a", "a", "x == 1", "y = 1 - y")),
        Process("E", "a, b", ("a", "b", "y == 7", ""))]


def selves(n, declarations="byte x;\n", more=""):
    """n processes, each of which is always enabled and does not change the state."""
    return (declarations + "".join(f"process Self{i} {{ state a; init a; trans a -> a {{}}; }}\n"
                                   for i in range(n)) + more + "system async;\n")


def ring(n):
    """A token that is passed around by processes that are enabled when they have it, while one that
    is always enabled may prevent their progress.
    """
    return ("byte turn;\n" + "".join(
        f"process P{i} {{ state a; init a; trans a -> a "
        f"{{ guard turn == {i}; effect turn = {(i + 1) % n}; }}; }}\n" for i in range(n)) +
        "process Idle { state a; init a; trans a -> a {}; }\nsystem async;\n")


def blinks(n, rests=False):
    """Each process moves once, in its turn, and is enabled only while x is 1: never continuously.
    With `rests`, x may also change from 0 to 2 and back: a fair cycle within a component that is
    not fair.
    """
    steps = ("a -> a { guard x == 0; effect x = 1; }, a -> a { guard x == 0; effect x = 2; },"
             "a -> a { guard x == 1; effect x = 2; }, a -> a { guard x == 2; effect x = 0; }"
             if rests else "a -> a { effect x = 1 - x; }")
    return (f"byte x; byte y;\nprocess Blink {{ state a; init a; trans {steps}; }}\n" +
            "".join(f"process P{i} {{ state a, b; init a; trans a -> b "
                    f"{{ guard x == 1 && y == {i}; effect y = {i + 1}{', x = 0' if rests else ''}; }}; }}\n"
                    for i in range(n)) + "system async;\n")


def written(declarations, processes, last=True):
    return (declarations + ("byte last = 255;\n" if last else "") +
            "".join(p.dve(i if last else None) for i, p in enumerate(processes)) + "system async;\n")


def assumptions(kind, processes):
    first = "FG" if kind == "weak" else "GF"
    return [f'({first} "{p.able()}") -> (GF "last == {i}")' for i, p in enumerate(processes)]


class Fairness(Case):
    def write(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)
        return self.path(name)

    @staticmethod
    def text_of(path):
        with open(path) as f:
            return f.read()

    def verdict(self, *args):
        done = run("check", *args, "--device", "none", "--exec", "vm", "--json")
        self.assertIn(done.returncode, (0, 10), done.stderr)
        return json.loads(done.stdout)["verdict"]

    def same(self, made, formulas):
        """Compares process fairness, the same assumptions as marks, and as a part of the formula.
        Then adds so many idle processes before the others that there are not enough marks.
        """
        file = self.write("m.dve", written(*made))
        beside = self.write("b.dve", selves(70, "", written(*made)).replace("system async;\n", "", 1))
        found = set()
        for kind in "weak", "strong":
            fair = assumptions(kind, made[1])
            for formula in formulas:
                by_process = self.verdict(file, "--ltl", formula, "--fairness", kind)
                by_formula = self.verdict(file, "--ltl", formula,
                                          *(x for f in fair for x in ("--fair", f)))
                within = self.verdict(file, "--ltl", f"({' & '.join(f'({f})' for f in fair)}) -> "
                                                     f"({formula})")
                self.assertEqual((by_process, by_formula), (within, within), (kind, formula))
                by_movers = self.verdict(file, "--ltl", formula, "--fairness", kind, "--checker",
                                         "emerson-lei")
                among_many = self.verdict(beside, "--ltl", formula, "--fairness", kind)
                self.assertEqual((by_movers, among_many), (within, within), (kind, formula))
                found.add((kind, within))
        return found

    def test_same_as_in_the_formula(self):
        two = self.same(philosophers(2), ["GF P0.eat", "G(P0.one -> F P0.eat)", "GF(P0.eat || P1.eat)",
                                          "G F (P0.think || P1.think)", "F G P0.one"])
        polite = self.same(philosophers(2, polite=True),
                           ["GF P0.eat", "GF (P0.eat || P1.eat)", "GF (P0.one || P1.one)"])
        various = self.same(loops(), ["GF \"last == 0\"", "GF \"last == 3\"", "GF x==0 & GF x==1",
                                      "FG \"last != 3\"", "G F y==1"])
        for found in polite, various:
            self.assertIn(("weak", "violated"), found)
            self.assertIn(("strong", "holds"), found)
        self.assertIn(("weak", "violated"), two)

    def test_rendezvous_and_committed_states(self):
        """Both processes of a rendezvous move, and are enabled if the rendezvous is; no other
        process is enabled if one is in a committed state.
        """
        file = self.write("m.dve", """channel c; byte z;
process S { state a, b; init a; trans a -> b { sync c!; }, b -> a {}; }
process R { state a; init a; trans a -> a { sync c?; }; }
process K { state u, w; init u; commit w; trans u -> w {}, w -> u {}; }
process T { state a; init a; trans a -> a { guard K.w; effect z = 1; }; }
system async;""")
        for formula, kind, verdict in (("GF S.b", "none", "violated"), ("GF S.b", "weak", "violated"),
                                       ("GF S.b", "strong", "holds"), ("GF K.w", "strong", "holds"),
                                       ("GF K.w", "weak", "holds"), ("GF K.w", "none", "violated"),
                                       ("FG z==0", "strong", "holds"), ("GF z==1", "strong", "violated")):
            ways = ([],) if kind == "none" else ([], ["--checker", "emerson-lei"])
            for by in ways:
                self.assertEqual(self.verdict(file, "--ltl", formula, "--fairness", kind, *by), verdict,
                                 (formula, kind, by))

    def test_deadlocks(self):
        """No process is enabled in a state that repeats because it has no successor; that run is
        fair.
        """
        file = self.write("m.dve", "process P { state a, b; init a; trans a -> b {}, a -> a {}; }\n"
                                   "process Q { state a; init a; trans a -> a { guard P.a; }; }\n"
                                   "system async;")
        for kind in "weak", "strong":
            for by in [], ["--checker", "emerson-lei"]:
                fair = ["--fairness", kind, *by]
                self.assertEqual(self.verdict(file, "--ltl", "GF P.a", *fair), "violated")
                self.assertEqual(self.verdict(file, "--ltl", "GF P.a", *fair, "--finite-runs",
                                              "ignore"), "holds")

    def test_no_state_more(self):
        made = philosophers(3, polite=True)
        file = self.write("m.dve", written(*made))
        within = "F G !(P0.think && P0.one) & G F (P0.think || P0.one || P0.eat)"
        ways = {"plain": [], "weak": ["--fairness", "weak"], "strong": ["--fairness", "strong"],
                "formula": [x for f in assumptions("strong", made[1]) for x in ("--fair", f)],
                "both": ["--fairness", "weak", "--fair", "GF P0.eat -> GF P1.one"]}
        sizes = {}
        for name, args in ways.items():
            checkers = ["dijkstra", "ufscc", "streett"] if name in ("plain", "weak") else ["streett"]
            for checker in checkers:
                # An assumption may read what nothing else reads.
                result = self.json(0, file, "--ltl", within, "--checker", checker,
                                   "--threads", "1", "--reset-dead", "off", *args)
                sizes[name, checker] = (result["states"], result["parts"][0]["automaton_states"],
                                        result["transitions"])
        self.assertEqual(len({size[:2] for size in sizes.values()}), 1, sizes)
        for checker in "dijkstra", "ufscc":  # they explore no edge twice
            self.assertEqual(sizes["plain", checker], sizes["weak", checker], sizes)
        self.assertGreater(sizes["plain", "dijkstra"][0], 70)

    def judged(self, file, formula, *args):
        """Returns the verdict, the checker, and the processes and sets; a lasso is replayed."""
        lasso = self.path("l.json")
        done = run("check", file, "--ltl", formula, "--device", "none", "--exec", "vm", "--json",
                   "--lasso", lasso, *args)
        self.assertIn(done.returncode, (0, 10), done.stderr)
        found = json.loads(done.stdout)
        if found["verdict"] == "violated":
            self.expect(0, "replay", file, lasso)
        return (found["verdict"], found["parts"][0]["checker"], found["fairness"]["processes"],
                found["fairness"]["sets"])

    def test_more_processes_than_marks(self):
        """Edges can have 64 acceptance sets; with more, fairness is determined from the process of
        each transition.
        """
        never = "G F x==1"
        for kind, n, each, more in ("weak", 63, 1, []), ("strong", 31, 2, ["--fair", "GF x==0"]):
            sets = 63  # and one of the property
            file = self.write("m.dve", selves(n))
            verdict, checker, *numbers = self.judged(file, never, "--fairness", kind, *more)
            self.assertEqual((verdict, numbers), ("violated", [n, sets]))
            self.assertNotEqual(checker, "emerson-lei")
            self.assertEqual(self.judged(file, never, "--fairness", kind, *more, "--checker",
                                         "emerson-lei"), ("violated", "emerson-lei", n, sets))
            self.assertEqual(self.judged(file, never, "--fairness", kind, *more, "--fair", "GF x<1"),
                             ("violated", "emerson-lei", n, sets + 1))
            file = self.write("m.dve", selves(n + 1))
            self.assertEqual(self.judged(file, never, "--fairness", kind, *more),
                             ("violated", "emerson-lei", n + 1, sets + each))
        for n in 70, 200:
            file = self.write("m.dve", ring(n))
            for kind, sets in ("weak", n + 1), ("strong", 2 * n + 2):
                by = "emerson-lei", n + 1, sets
                self.assertEqual(self.verdict(file, "--ltl", "GF turn==3"), "violated")
                self.assertEqual(self.judged(file, "GF turn==3", "--fairness", kind), ("holds", *by))
                self.assertEqual(self.judged(file, "FG turn==3", "--fairness", kind),
                                 ("violated", *by))
                fair = ["--fairness", kind, "--fair", f"GF turn==4 -> GF turn=={n}"]
                self.assertEqual(self.judged(file, "FG turn==3", *fair), ("holds", *by[:2], sets + 2))
            file = self.write("m.dve", blinks(n, rests=True))  # there is a fair part within the unfair one
            self.assertEqual(self.judged(file, f"F y=={n}", "--fairness", "strong")[0], "violated")
            self.assertEqual(self.judged(file, f"F y=={n}", "--fairness", "strong", "--fair",
                                         "GF x==1")[0], "holds")
            file = self.write("m.dve", blinks(n))
            for kind, verdict in ("weak", "violated"), ("strong", "holds"):
                self.assertEqual(self.judged(file, f"F y=={n}", "--fairness", kind)[:2],
                                 (verdict, "emerson-lei"))
                self.assertEqual(self.judged(file, f"F y=={n}", "--fairness", kind, "--fair",
                                             f"GF y=={n} | FG y<{n}", "--threads", "2")[:2],
                                 (verdict, "emerson-lei"))

    def test_many_processes_other_acceptance(self):
        """With a property that is neither generalized Buchi nor Streett, and not such by its marks
        alone.
        """
        rabin = ('HOA: v1\nStates: 1\nStart: 0\nAP: 2 "turn==3" "turn==4"\nAcceptance: 4 '
                 '(Fin(0) & Inf(1)) | (Fin(2) & Inf(3))\n--BODY--\nState: 0\n'
                 '[0] 0 {0 3}\n[!0 & 1] 0 {1}\n[!0 & !1] 0 {2}\n--END--\n')
        automaton = self.write("a.hoa", rabin)
        for n in 5, 70:
            file = self.write("m.dve", ring(n))
            for kind in "weak", "strong":
                done = self.json(0, file, "--never", automaton, "--fairness", kind,
                                 *(["--checker", "emerson-lei"] if n == 5 else []))
                self.assertEqual(done["parts"][0]["checker"], "emerson-lei")
            self.json(10, file, "--never", automaton)
            self.json(10, file, "--never", self.write("b.hoa", rabin.replace("{2}", "{1}").replace(
                "{0 3}", "{3}")), "--fairness", "weak")

    def test_eight_hypotheses(self):
        """Section 5 of the paper: a Streett automaton of two states, and eight pairs."""
        names = [f"p{i}" for i in range(9)]
        file = self.write("m.dve", f"byte {', '.join(names)};\nprocess P {{ state a; init a; trans " +
                          ", ".join(f"a -> a {{ effect {n} = 1 - {n}; }}" for n in names) +
                          "; }\nsystem async;")
        fair = [x for f in EIGHT for x in ("--fair", f)]
        plan = json.loads(self.expect(0, "check", file, "--ltl", "GF p8", *fair, "--plan",
                                      "--json").stdout)
        self.assertEqual([(p["strength"], p["states"], p["conversion"]) for p in plan["parts"]],
                         [("strong", 2, None)])
        self.assertEqual(plan["fairness"]["sets"], 9)  # p5 | p4 is one more, beside p0 .. p7
        whole = f"({' & '.join(f'({f})' for f in EIGHT)}) -> GF p8"
        for formula, verdict in (("GF p8", "violated"), ("GF p0 -> GF p7", "holds"),
                                 ("GF p0 -> GF p5", "violated")):
            self.assertEqual(self.verdict(file, "--ltl", formula, *fair), verdict)
        self.assertEqual(self.verdict(file, "--ltl", whole), "violated")
        together = ["--fair", " & ".join(f"({f})" for f in EIGHT)]
        self.assertEqual(self.verdict(file, "--ltl", "GF p0 -> GF p7", *together), "holds")

    def test_other_formulas(self):
        """Other formulas become a part of the automaton, and the referee takes them into account."""
        file = self.write("m.dve", written(*loops()))
        done = self.check(10, file, "--ltl", "GF y==1", "--fair", "G F x==1 & X X \"last != 3\" & "
                          "(GF x==0 -> FG y==0)", "--lasso", self.path("l.json"))
        self.assertRegex(done.stderr, r'becomes part of the automaton: \(XX .*\) & \(')
        self.expect(0, "replay", file, self.path("l.json"))
        self.check(0, file, "--ltl", "GF x==1", "--fair", "X G x==1")
        self.refused(2, "not an LTL formula, an assumption must be GF p.*, not: .X A.crit", "check",
                     MUTEX, "--never", model("buchi.hoa"), "--fair", "GF B.crit", "--fair", "X A.crit")

    def test_lassos(self):
        """The lasso of a check is fair, records the assumptions, and is replayed with them; an
        unfair one is rejected.
        """
        file, lasso, unfair = self.write("m.dve", written(*loops())), self.path("l.json"), \
            self.path("u.json")
        self.check(10, file, "--ltl", "GF y==1", "--lasso", unfair)
        self.assertNotIn("fair", self.text_of(unfair))
        self.expect(0, "replay", file, unfair)
        done = self.refused(3, "not weakly fair: process . can move in each state of the cycle",
                            "replay", file, unfair, "--fairness", "weak")
        self.assertIn("never does", done.stderr)
        self.refused(3, "the assumption does not hold on it", "replay", file, unfair, "--fair",
                     "GF \"last == 2\"")
        fair = ["--fairness", "weak", "--fair", "FG x==0 -> GF y==1", "--fair", "GF x==1"]
        self.check(10, file, "--ltl", "GF y==1", *fair, "--lasso", lasso)
        text = self.text_of(lasso)
        self.assertIn('"fairness": "weak", "fair": "(FG x==0 -> GF y==1) & (GF x==1)"', text)
        for args in (), ("--fairness", "weak"), ("--fair", "GF x==1"):
            self.expect(0, "replay", file, lasso, *args)
        # Edited lassos: with stronger fairness than they have; of an unknown kind; with unknown
        # members.
        for old, new, why in (('"weak"', '"strong"', "not strongly fair: process D can move in a state"),
                              ("GF x==1", "GF y==1", "the assumption does not hold"),
                              ('"weak"', '"some"', '"fairness" must be'),
                              ('"fair": "', '"fair": 7, "faith": "', "not that of a lasso"),
                              ('"fair": ', '"fair": [], "loop": ', "not that of a lasso"),
                              ('"fair": "(FG x==0 -> GF y==1) & (GF x==1)"', '"fair": 7',
                               '"fair" must be a formula')):
            self.assertIn(old, text)
            self.refused(3, why, "replay", file, self.write("e.json", text.replace(old, new)))

    def test_mutated_cycles(self):
        """Removes steps of one process from a fair cycle. Those of A and B lead from a state to
        itself, so the rest is a run, but not fair; without those of C, the rest is not a run.
        """
        lasso = self.path("l.json")
        file = self.write("m.dve", written(*loops(), last=False))
        for kind, by in (("weak", []), ("strong", []), ("weak", ["--checker", "emerson-lei"]),
                         ("strong", ["--checker", "emerson-lei"])):
            self.check(10, file, "--ltl", "GF y==7", "--fairness", kind, *by, "--lasso", lasso)
            kept = json.loads(self.text_of(lasso))
            for name, why in (("A", "fair: process A can"), ("B", "fair: process B can"), ("C", "state")):
                cycle = kept["states"][kept["loop"]:]
                left = [s for s in cycle if not s["#meta"]["label"].startswith(name + ":")]
                self.assertLess(len(left), len(cycle), name)
                made = dict(kept, states=kept["states"][:kept["loop"]] + left)
                made["states"] = [dict(s, **{"#meta": dict(s["#meta"], index=i)})
                                  for i, s in enumerate(made["states"])]
                self.refused(3, why, "replay", file, self.write("e.json", json.dumps(made)))

    def test_refused(self):
        file = self.write("m.dve", selves(70))
        for checker in "streett", "dijkstra", "ufscc", "favoid":
            self.refused(2, f"checker {checker}: fairness for this many processes depends on which "
                         "process moves, but it supports only acceptance sets; use emerson-lei$",
                         "check", file, "--ltl",
                         "GF x==1", "--fairness", "weak", "--checker", checker)
        many = " & ".join(f"(GF x=={i}) & (GF !x=={i})" for i in range(33))
        self.refused(2, "the fairness formulas need 66 acceptance sets", "check", file,
                     "--ltl", "GF x==1", "--fair", many)
        self.refused(2, "one of none, weak, strong", "check", MUTEX, "--fairness", "some")
        self.refused(2, "assumption about infinite runs", "check", MUTEX, "--deadlock", "--fair", "GF A.crit")
        self.refused(2, "the search for one does not support fairness", "check", MUTEX, "--ltl", "GF A.crit",
                     "--fairness", "weak", "--shortest", "1s")
        self.refused(3, r"fairness assumption.*", "check", MUTEX, "--ltl", "GF A.crit", "--fair", "GF (")
        self.refused(3, r"fairness assumption", "check", MUTEX, "--ltl", "GF A.crit", "--fair",
                     "GF Nobody.there")
        for checker in "se", "hpy", "gv":
            self.refused(2, "cannot be converted to its acceptance", "check", MUTEX, "--ltl",
                         "GF A.crit", "--fairness", "weak", "--checker", checker)
        self.refused(2, "cannot be converted to its acceptance", "check", MUTEX, "--ltl", "GF A.crit",
                     "--fairness", "strong", "--checker", "ufscc")
        self.refused(2, "kernels do not support fairness marks", "check", MUTEX, "--ltl", "GF A.crit",
                     "--fairness", "weak", "--checker", "owcty-cl", "--device", "host")

    def test_said(self):
        """Reports fairness in the result and in the plan, and that it is irrelevant for some
        properties.
        """
        done = self.check(0, MUTEX, "--deadlock", "--fairness", "weak", "-v")
        self.assertIn("excludes no finite trace", done.stderr)
        self.assertNotIn("fairness:", done.stdout)
        done = self.check(0, MUTEX, "--ltl", "GF A.crit | FG !A.crit", "--fairness", "strong", "-v")
        self.assertRegex(done.stdout, r"fairness: strong for \d processes, \d acceptance sets\n")
        self.assertRegex(done.stderr, r"fairness: strong, of \d processes; 0 formulas; \d acceptance")
        plan = self.expect(0, "check", MUTEX, "--ltl", "GF A.crit", "--fair", "GF B.crit", "--plan")
        self.assertIn("fairness: 1 formula, 1 acceptance set\n", plan.stdout)
        self.assertTrue(re.search(r"strong part \(\d+ states, \d+ edges\)", plan.stdout))
        found = self.json(10, MUTEX, "--ltl", "FG A.crit", "--fairness", "weak", "--fair", "GF B.crit")
        self.assertEqual({k: found["fairness"][k] for k in ("kind", "formulas")},
                         {"kind": "weak", "formulas": ["GF B.crit"]})
        self.assertIsNone(self.json(0, MUTEX, "--deadlock")["fairness"])


if __name__ == "__main__":
    main()
