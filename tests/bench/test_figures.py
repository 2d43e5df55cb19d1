# SPDX-License-Identifier: Apache-2.0
"""Reads the output of programs; figures that are not printed stay unknown. usage: FOLDER OF omen_bench"""
import json
import math
import sys
import unittest

sys.path.insert(0, sys.argv.pop(1))
from omen_bench.figures import Sample, read  # noqa: E402
from omen_bench.predict import bandwidth_of, predict  # noqa: E402

PAN = """
(Spin Version 6.5.2 -- 6 December 2019)

Full statespace search for:
\tnever claim         \t- (not selected)

State-vector 52 byte, depth reached 6307, errors: 0
    49445 states, stored
    97498 states, matched
   146943 transitions (= stored+matched)
        3 atomic steps
hash conflicts:        17 (resolved)

pan: elapsed time 0.04 seconds
"""
COUNTED = {"states": 10, "transitions": 40, "complete": False, "counts": {
    "total": {"sectors_read": 60, "sectors_written": 20, "atomics": 10, "asked_read": 100, "asked_written": 120},
    "kernels": [{"buffers": [{"buffer": "index", "sectors_read": 30}, {"buffer": "table", "sectors_read": 20}]},
                {"buffers": [{"buffer": "index", "sectors_read": 10}]}]}}
CODE = {"text_bytes": 700, "compiler_seconds": 3.5, "quick_compiler_seconds": 1,
        "interpreter_rate": {"states": 50, "cpu_seconds": 0.5, "states_per_second": 100},
        "quick_rate": {"states": 0, "cpu_seconds": 0, "states_per_second": None},
        "native_rate": {"states": 60, "cpu_seconds": 0.1, "states_per_second": 600}}
COUNTERS = ("expansions", "repeated", "red", "unions", "finds", "retries", "blocked_seconds", "peak_stack",
            "auxiliary_bytes")


class Figures(unittest.TestCase):
    def sample(self, how, text):
        s = Sample()
        self.assertEqual(read(how, text if isinstance(text, str) else json.dumps(text), "", s), "")
        return s

    def refused(self, how, text, problem=None):
        s = Sample()
        said = read(how, text if isinstance(text, str) else json.dumps(text), "", s)
        self.assertEqual(said, problem or said)
        self.assertNotEqual(said, "")
        self.assertTrue(math.isnan(s["states"]))

    def figures(self, s, **known):
        self.assertEqual({name.replace("_", "-"): s[name.replace("_", "-")] for name in known},
                         {name.replace("_", "-"): value for name, value in known.items()})

    def test_pan(self):
        s = self.sample("pan", PAN)
        self.figures(s, states=49445, transitions=146943, seconds=0.04)
        self.assertEqual(s.verdict, "holds")
        self.assertTrue(math.isnan(s["peak"]))
        # With a claim, and from 10^8 states on.
        self.figures(self.sample("pan", "depth reached 4459, errors: 0\n 63709 states, stored (95541 visited)\n"
                                        "   361195 transitions (= visited+matched)\n"),
                     states=63709, transitions=361195)
        self.figures(self.sample("pan", "errors: 0\n1.4348907e+08 states, stored\n"), states=143489070)

    def test_pan_that_goes_wrong(self):
        self.refused("pan", "", "pan printed no figures")
        self.refused("pan", " states, stored\nerrors: 0\n")
        self.refused("pan", "12 states, stored\n")
        self.refused("pan", "error: max search depth too small\nerrors: 0\n5 states, stored\n",
                     "pan: its search was cut short (depth)")
        self.refused("pan", "pan: out of memory\n errors: 0\n5 states, stored")
        # A violation ends the search; this is not an error.
        s = self.sample("pan", "Warning: Search not completed\ndepth reached 90, errors: 1\n  45 states, stored\n")
        self.assertEqual(s.verdict, "violated")

    def test_code(self):
        s = self.sample("code", {"states": 110, "complete": False, "code": CODE, "store": {"bytes_per_state": 18}})
        self.figures(s, states=110, text_bytes=700, compiler=3.5, quick_compiler=1, interpreter_rate=100,
                     native_rate=600, store_per_state=18)
        self.assertTrue(math.isnan(s["quick-rate"]))
        self.refused("code", {"code": None}, "the JSON object has no code")

    def test_ltsmin(self):
        text = ("dve2lts-mc( 0/ 2), 0.025: Explored 1853 states 7739 transitions, fanout: 4.176\n"
                "dve2lts-mc( 0/ 2), 0.025: Total exploration time 0.020 sec (0.020 sec minimum)\n")
        s = self.sample("ltsmin", text)
        self.figures(s, states=1853, transitions=7739, seconds=0.02)
        self.assertEqual(s.verdict, "")
        other = Sample()
        self.assertEqual(read("ltsmin", "", text, other), "")  # to standard error
        self.assertEqual(other, s)
        self.refused("ltsmin", "nothing of the kind")
        self.refused("ltsmin", "Explored many states")
        text = "Error: tree leafs table full! Change -s/--ratio\nExplored 5 states 6 transitions"
        s = Sample()
        self.assertEqual(read("ltsmin", text, text, s), "LTSmin: a table was full")

    def test_omen(self):
        s = self.sample("omen", {"states": 20, "transitions": 34, "complete": True, "seconds": 0.5, "store": {
            "bytes_per_state": 9.5, "index_load": 0.25, "probes_per_look_up": None}, "executor": "native"})
        self.figures(s, states=20, transitions=34, store_per_state=9.5, index_load=0.25)
        self.assertTrue(math.isnan(s["probes"]) and math.isnan(s["longest-pause"]))
        self.assertEqual(s.executor, "native")
        self.assertEqual(self.sample("omen", {"verdict": "unknown", "states": 0, "store": None}).verdict, "unknown")
        for text in "", "{}", "[1]", '{"states": "many"}', '{"states": true}', "[" * 100000:
            self.refused("omen", text)
        self.refused("omen", {"states": 20, "complete": False}, "the exploration is not complete")
        self.refused("omen", {"states": 20, "parts": [{"gave_up": "lost"}]}, "the device was abandoned")

    def test_counts(self):
        s = self.sample("counts", COUNTED)
        self.figures(s, sectors_read=1.5, sectors_written=0.5, index_sectors=1, atomics=0.25, asked_read=2.5,
                     asked_written=3)
        self.assertTrue(math.isnan(s["states"]))  # states of a part are not the model's
        for text in ("", "[]", "{}", '{"transitions": 4, "counts": null}',
                     '{"transitions": 0, "counts": {"total": {}}}'):
            self.refused("counts", text, "nothing was counted")

    def test_counters(self):
        first = dict(zip(COUNTERS, (5, 1, 2, 3, 4, 6, 0.25, 7, 800)))
        second = dict(zip(COUNTERS, (10, 0, 0, 0, 0, 0, 0.5, 1, 100)))

        def parts(counters):
            return self.sample("omen", {"states": 9, "parts": [
                {"automaton_states": 4, "converted_from": 3, "counters": first},
                {"automaton_states": 2, "converted_from": None, "counters": counters}]})

        self.figures(parts(second), expansions=15, repeated=1, red=2, unions=3, finds=4, retries=6, blocked=0.75,
                     peak_stack=8, auxiliary=900, automaton_states=6, converted_from=3)
        # A device does not count, so the sum is unknown.
        s = parts(None)
        self.assertTrue(math.isnan(s["expansions"]) and s["automaton-states"] == 6)
        # An exploration has no parts.
        s = self.sample("omen", {"states": 9})
        self.assertTrue(math.isnan(s["expansions"]) and math.isnan(s["automaton-states"]))

    def test_predictions(self):
        """The minimum of three limits, computed by hand."""
        s = self.sample("counts", COUNTED)
        # The bandwidth of an H200: 3 G look-ups, one per transition.
        self.assertEqual(predict(s, 4.8e12), (3e9, "look-ups"))
        self.assertEqual(predict(s, 2.4e12)[0], 1.5e9)
        s.figures["atomics"] = 6
        self.assertEqual(predict(s, 4.8e12), (0.5e9, "atomics"))
        s.figures["sectors-read"] = 749.5  # 750 sectors are 24,000 bytes
        self.assertEqual(predict(s, 4.8e12), (2e8, "bandwidth"))
        s.figures["atomics"] = math.nan
        self.assertTrue(math.isnan(predict(s, 4.8e12)[0]))
        self.assertEqual(bandwidth_of("NVIDIA H100 80GB HBM3"), 3.35e12)
        self.assertTrue(math.isnan(bandwidth_of("pthread-skylake")) and math.isnan(bandwidth_of(None)))

    def test_derived(self):
        s = Sample()
        s.figures.update(states=100, peak=4200, wall=2)
        s.derive()
        self.figures(s, peak_per_state=42, rate=50)
        self.assertTrue(math.isnan(s["cycles-per-transition"]))  # never 0
        s.figures["states"] = 0
        s.derive()
        self.assertTrue(math.isnan(s["peak-per-state"]))


if __name__ == "__main__":
    unittest.main()
