# SPDX-License-Identifier: Apache-2.0
"""Values that do not fit: counted and reported once with a trace, or errors of the model."""
import json
import re

from cli import Case, main, model, run

WRAPS = model("wraps.dve")
WARNING = re.compile(r"omen: warning: (\S+:\d+:\d+): (-?\d+) does not fit (\S+) \((-?\d+) \.\. (\d+)\), "
                     r"which becomes (-?\d+); (\d+) assignments? wrapped in this run "
                     r"\(--overflow error makes that an error\)$")
# P: low -> high, k is 100: a[1] := 300, m := 32767 + 100 - 99
FIRST = (f"{WRAPS}:13:41", "300", "a[1]", "0", "255", "44", "2")


class Overflows(Case):
    def warnings(self, done):
        lines = [line for line in done.stderr.splitlines() if "warning" in line]
        for line in lines:
            self.assertRegex(line, WARNING)
        return [WARNING.match(line).groups() for line in lines]

    def executors(self):
        yield from (("--exec", "vm", "--device", "none", "--threads", n) for n in ("1", "3"))
        yield "--exec", "native", "--device", "none", "--threads", "1"
        if not run("devices").stdout.startswith("none"):
            yield "--device", "0"

    def test_explore_counts_and_warns_once(self):
        for how in self.executors():
            done = self.expect(0, "explore", WRAPS, *how)
            self.assertEqual(self.warnings(done), [FIRST], how)
            self.assertIn("states: 5\n", done.stdout)
            run_ = done.stdout.split("overflow: ")[1]
            self.assertTrue(run_.startswith(
                "after this run, in P: high -> done, 300 does not fit a[1] (0 .. 255)\ntrace:\n"))
            self.assertEqual(run_.count("    -> "), 3)
            done = self.expect(0, "explore", WRAPS, "-q", *how)
            self.assertEqual(self.warnings(done), [FIRST])
            self.assertNotIn("overflow", done.stdout)

    def test_explore_json(self):
        for how in self.executors():
            found = json.loads(self.expect(0, "explore", WRAPS, "--json", *how).stdout)
            self.assertEqual(found["overflows"], {"count": 2, "first": {
                "place": FIRST[0], "variable": "a[1]", "value": 300, "stored": 44, "low": 0, "high": 255,
                "transition": "P: high -> done"}})
            self.assertEqual([s["n"] for s in found["overflow_trace"]["states"]], [0, 100, 100, 200])
            quiet = json.loads(self.expect(0, "explore", WRAPS, "--json", "-q", *how).stdout)
            self.assertEqual(quiet["overflows"], found["overflows"])
            self.assertIsNone(quiet["overflow_trace"])
        for fits in model("mutex.dve"), model("ends.dve"):
            found = json.loads(self.expect(0, "explore", fits, "--json").stdout)
            self.assertIsNone(found["overflows"])
            self.assertIsNone(found["overflow_trace"])

    def test_counters_that_nothing_reads(self):
        """A check does not distinguish states by them, and says nothing of their overflows, unless these are errors."""
        found = self.json(0, model("tally.pml"), "--deadlock")
        self.assertLess(found["states"], 40)
        self.assertIsNone(found["overflows"])
        self.check(3, model("tally.pml"), "--deadlock", "--overflow", "error")
        read = self.json(0, model("tally.pml"), "--ltl", "[] (tally >= 0)")
        self.assertGreater(read["states"], 256)
        self.assertEqual(read["overflows"]["first"]["variable"], "tally")
        explored = json.loads(self.expect(0, "explore", model("tally.pml"), "--json").stdout)
        self.assertEqual(explored["overflows"]["first"]["variable"], "tally")

    def test_time_is_shared(self):
        """Properties of a model that overflows also get the time that others leave, those that share an exploration too."""
        # Their search takes more than the first slice, which is half a second, and less than the time there is.
        done = self.check(0, model("wheels.dve"), "--por", "off", "--timeout", "16s", "--ltl", "G F (a + b + w < 700)",
                          "--invariant", "a + b + w < 600", "--deadlock", "--json-lines")
        results = [json.loads(line) for line in done.stdout.splitlines()]
        results = [r for r in results if "verdict" in r]
        self.assertEqual([r["verdict"] for r in results], ["holds"] * 3)
        self.assertEqual(len(self.warnings(done)), 1)
        for r in results:
            self.assertEqual((r["overflows"]["first"]["variable"], r["overflows"]["first"]["value"]), ("w", 256))
        # Whether a search had time left to look for the trace is not known here.
        self.assertLessEqual(sum(r["overflow_trace"] is not None for r in results), 1)

    def test_check(self):
        """Each result has the figures; only the first has the warning and the trace."""
        always, never = "G(m >= -32768 && a[1] >= 0)", "F(P.done && m >= -32768 && a[1] >= 0)"
        done = self.check(0, WRAPS, "--ltl", always, "--ltl", "G(P.done -> a[1] == 44)", "--json-lines")
        results = [json.loads(line) for line in done.stdout.splitlines()]
        results = [r for r in results if "verdict" in r]
        self.assertEqual(len(self.warnings(done)), 1)
        self.assertEqual([r["overflows"]["count"] > 0 for r in results], [True, True])
        self.assertEqual(len(results[0]["overflow_trace"]["states"]), 4)
        self.assertIsNone(results[1]["overflow_trace"])
        self.assertEqual(results[0]["overflows"]["first"], results[1]["overflows"]["first"])
        for checker in "dijkstra", "ufscc", "weak-swarm", "weak-hybrid":
            # Several workers may each meet the same step, and count it.
            done = self.check(0, WRAPS, "--ltl", never, "--checker", checker, "--threads", "1")
            self.assertEqual(self.warnings(done), [FIRST])
            done = self.check(0, WRAPS, "--ltl", never, "--checker", checker, "--threads", "2")
            self.assertEqual([found[:-1] for found in self.warnings(done)], [FIRST[:-1]])
        self.assertIsNone(self.json(0, model("mutex.dve"))["overflows"])

    def test_as_errors(self):
        """As in DiVinE: no run leaves a state in which a value does not fit."""
        message = f"omen: {FIRST[0]}: 300 does not fit a[1] (0 .. 255) in transition P: high -> done\n"
        for how in self.executors():
            done = self.expect(3, "explore", WRAPS, "--overflow", "error", *how)
            said = done.stderr
            if "gave up" in said:  # a device leaves the trace to the CPU, and reports the reason
                notice, said = said.split("\n", 1)
                self.assertIn(message[len("omen: "):-1], notice)
            self.assertEqual(said, message)
            self.assertEqual(done.stdout.count("    -> "), 3)
            found = self.expect(3, "explore", WRAPS, "--overflow=error", "--json", *how)
            self.assertIsNone(json.loads(found.stdout)["overflows"])
        for how in ("--ltl", "F P.done"), ("--invariant", "n < 250"), ():
            done = self.check(3, WRAPS, "--overflow", "error", *how)
            self.assertEqual(done.stderr, message)
            self.assertIn("unknown (error in the model)", done.stdout.splitlines()[0])
            self.assertEqual(done.stdout.count("    -> "), 3)
        # A violation before the error is reported as such.
        self.check(10, WRAPS, "--overflow", "error", "--invariant", "n < 100")
        self.refused(2, "takes one of wrap, error, not 'saturate'", "explore", WRAPS,
                     "--overflow=saturate")

    def lasso(self, *args):
        file = self.path("l.json")
        self.check(10, WRAPS, *args, "--lasso", file)
        with open(file) as f:
            return file, json.load(f)

    def test_lassos_say_which_model_they_are_of(self):
        file, lasso = self.lasso("--ltl", "G(a[1] == 0)")
        self.assertEqual(lasso["#meta"]["overflow"], "wrap")
        self.expect(0, "replay", WRAPS, file)
        lasso["#meta"]["overflow"] = "error"
        with open(file, "w") as f:
            json.dump(lasso, f)
        self.refused(3, "an error in the model ends the run there", "replay", WRAPS, file)
        file, lasso = self.lasso("--overflow", "error", "--invariant", "n < 100")
        self.assertEqual(lasso["#meta"]["overflow"], "error")
        self.expect(0, "replay", WRAPS, file)
        for bad in "none", 1, None, True:
            lasso["#meta"]["overflow"] = bad
            with open(file, "w") as f:
                json.dump(lasso, f)
            self.refused(3, '"overflow" must be', "replay", WRAPS, file)

    def test_initial_values(self):
        source = self.path("initial.dve")
        with open(source, "w") as f:
            f.write("process P {\nint x[2] = {1, 40000};\nstate q; init q; }\nsystem async;\n")
        done = self.expect(0, "explore", source, "--json")
        self.assertIn(":2:16: 40000 does not fit \"x\"; -25536 is stored", done.stderr)
        found = json.loads(done.stdout)["overflows"]
        self.assertEqual(found, {"count": 1, "first": {
            "place": f"{source}:2:16", "variable": "P.x[1]", "value": 40000, "stored": -25536, "low": -32768, "high": 32767,
            "transition": None}})
        for command in (("explore", source), ("check", source, "--invariant", "true")):
            done = self.expect(3, *command, "--overflow", "error")
            self.assertIn(f"omen: {source}:2:16: the initial value 40000 does not fit P.x[1] "
                          "(-32768 .. 32767)\n", done.stderr)
            self.assertNotIn("holds", done.stdout)

    def test_limits_end_the_search_for_the_trace(self):
        """If the search for the trace takes too long, the verdict is still reported."""
        source = self.path("far.dve")
        with open(source, "w") as f:
            f.write("int c[6]; byte w;\n" + "".join(
                f"process P{i} {{ state q; init q;\ntrans q -> q {{ guard c[{i}] < 24;"
                f" effect c[{i}] = c[{i}] + 1, w = c[0] + c[1] + c[2] + c[3] + c[4] + c[5] + 120; }}; }}\n"
                for i in range(6)) + "system async;\n")
        done = self.expect(30, "explore", source, "--timeout", "2s", "--json", timeout=20)
        self.assertEqual(json.loads(done.stdout)["reason"], "time limit")


if __name__ == "__main__":
    main()
