# SPDX-License-Identifier: Apache-2.0
"""omen check --non-progress: its results, what it takes for progress, and invalid options."""
import json

from cli import Case, main, model, run

MUTEX = model("mutex.dve")
ENDS = model("ends.dve")

# Two cycles without progress: one after a single progress step, and one at a shorter distance in
# states, but after three progress steps.
LAYERS = """byte n = 0; byte p = 0;
process P {
state s, far, near, more;
init s;
trans
  s -> s { guard n < 9; effect n = n + 1, p = n == 4; },
  s -> far { guard n == 9; },
  far -> far { },
  s -> near { guard n == 0; effect p = 1; },
  near -> near { guard n < 2; effect n = n + 1; },
  near -> more { guard n == 2; effect p = 0; },
  more -> more { };
}
system async;
"""


class NonProgress(Case):
    def write(self, text):
        path = self.path("model.dve")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def ask(self, status, path, states, *args):
        return self.json(status, path, "--non-progress", "--progress-states", states, *args)

    def test_verdicts_and_replay(self):
        lasso = self.path("run.json")
        for states, status in ("A.crit", 10), ("A.crit || B.crit", 0), ("true", 0), ("false", 10), \
                              ("A.crit or B.ask", 0), ("A.wait", 10):
            for threads in "1", "2", "4":
                found = self.ask(status, MUTEX, states, "--threads", threads, "--lasso", lasso)
                self.assertEqual(found["property"], f"non-progress (progress: {states})")
                self.assertEqual([p["checker"] for p in found["parts"]],
                                 [] if not found["parts"] else ["dfsfifo"])
                if status == 10:
                    self.expect(0, "replay", MUTEX, lasso)
                    self.expect(0, "replay", MUTEX, lasso, "--non-progress", "--progress-states",
                                states)
                    self.expect(3, "replay", MUTEX, lasso, "--non-progress", "--progress-states",
                                "true")

    def test_the_line(self):
        done = self.check(10, MUTEX, "--progress-states", "A.crit", "--non-progress", "-q")
        self.assertEqual(done.stdout, "property non-progress (progress: A.crit): violated\n")

    def test_every_checker_and_ltl_say_the_same(self):
        """By default finite runs are ignored; with stutter the runs are those of LTL."""
        for path, states in (MUTEX, "A.crit"), (MUTEX, "A.crit || B.crit"), (ENDS, "P.s"), \
                            (ENDS, "P.done"), (ENDS, "n == 2"), (self.write(LAYERS), "p == 1"):
            for runs, ltl in ((), "ignore"), (("--finite-runs", "ignore"), "ignore"), \
                             (("--finite-runs", "stutter"), "stutter"):
                status = run("check", path, "--ltl", f'G F "{states}"', "--device", "none",
                             "--exec", "vm", "--finite-runs", ltl).returncode
                self.assertIn(status, (0, 10))
                for checker in "dfsfifo", "favoid", "dijkstra", "ufscc", "streett", "cndfs":
                    self.ask(status, path, states, "--checker", checker, *runs)

    def test_a_run_that_ends_is_no_cycle(self):
        """Unless finite runs repeat their last state; replaying the lasso then needs the same
        option.
        """
        lasso = self.path("run.json")
        self.ask(0, ENDS, "P.s")
        self.ask(0, ENDS, "P.s", "--finite-runs", "ignore")
        found = self.ask(10, ENDS, "P.s", "--finite-runs", "stutter", "--lasso", lasso)
        self.assertEqual(found["lasso"]["loop"], len(found["lasso"]["states"]) - 1)
        self.refused(3, "stutter", "replay", ENDS, lasso)
        self.expect(0, "replay", ENDS, lasso, "--finite-runs", "stutter")

    def test_the_cycle_that_needs_least_progress(self):
        """With any order of successors, the search for this cycle ends before the other one is met."""
        path = self.write(LAYERS)
        for seed in range(8):
            for threads in "1", "3":
                found = self.ask(10, path, "p == 1", "--seed", str(seed), "--threads", threads)
                self.assertLess(found["states"], 16)
        self.ask(0, path, "P.far || P.more || p == 1")

    def test_shortest(self):
        found = self.ask(10, self.write(LAYERS), "p == 1", "--shortest", "10s")
        self.assertTrue(found["minimal"])
        self.assertEqual(len(found["lasso"]["states"]), 5)

    def test_plan(self):
        done = self.expect(0, "check", MUTEX, "--plan", "--json", "--non-progress",
                           "--progress-states", "A.crit", "--device", "none")
        plan = json.loads(done.stdout)
        self.assertEqual(plan["property"], "non-progress (progress: A.crit)")
        self.assertEqual((plan["states"], plan["edges"]), (1, 2))
        part, = plan["parts"]
        self.assertEqual((part["strength"], part["checker"], part["named"], part["conversion"]),
                         ("strong", "dfsfifo", False, None))

    def test_refusals(self):
        self.refused(2, "no progress labels: .*--progress-states EXPR", "check", MUTEX,
                     "--non-progress")
        self.refused(2, "--progress-states is only for --non-progress", "check", MUTEX,
                     "--progress-states", "A.crit")
        self.refused(2, "--progress-states is only for --non-progress", "check", MUTEX, "--ltl",
                     "true", "--progress-states", "A.crit")
        self.refused(2, "may be given only once", "check", MUTEX, "--non-progress",
                     "--progress-states", "A.crit", "--progress-states", "B.crit")
        self.refused(3, "progress states 'A.cri':1:3: .*did you mean \"crit\"", "check", MUTEX,
                     "--non-progress", "--progress-states", "A.cri")
        self.refused(2, "checker dfsfifo takes no acceptance that the automaton can be converted to; "
                     "use ufscc", "check", MUTEX, "--ltl", "G F A.crit -> G F B.crit", "--checker",
                     "dfsfifo")

    def test_limits_and_faults(self):
        # In the first search, in which no number has wrapped yet; and in the layers.
        for states, most in ("a == 1", "100"), ("true", "5000"):
            done = self.check(30, model("big.dve"), "--non-progress", "--progress-states", states,
                              "--max-states", most)
            self.assertIn("unknown (state limit)", done.stdout)
        for threads in "1", "2":
            for states in "i == 9", "i < 9": # deep in a search, and after queued states
                done = self.check(3, model("fault.dve"), "--non-progress", "--progress-states",
                                  states, "--threads", threads)
                self.assertIn("index outside an array", done.stderr)
                self.assertRegex(done.stdout, r"(?s)  0:\n.* 1:\n.* 2:\n *a\[2\] = 1  i = 2\n")


if __name__ == "__main__":
    main()
