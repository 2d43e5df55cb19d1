# SPDX-License-Identifier: Apache-2.0
"""The models of hosts/bench/deep have the bugs that they claim, and searches.py reports right. usage: FOLDER OF searches.py"""
import csv
import io
import os
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stdout

sys.path.insert(0, sys.argv[1])
import searches  # noqa: E402

BENCH = sys.argv.pop(1)
OMEN = os.environ["OMEN"]


def run(*words):
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=300, check=False)


def one(case, setting, verdict, states, number=0, cpu=1.0, expected=""):
    return searches.Run("g", case, setting, number, verdict, "", states, states, cpu, cpu, 7, "", "reach", expected)


class Models(unittest.TestCase):
    def results(self, *words):
        """Checks all small models breadth-first; returns depths as promised, and the runs."""
        with tempfile.TemporaryDirectory() as folder:
            table = os.path.join(folder, "runs.csv")
            done = run(os.path.join(BENCH, "searches.py"), "--deep", "--small", *words, "--omen", OMEN, "--limit", "60s",
                       "--out", table)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertNotIn("DISAGREE", done.stdout)
            made = run(os.path.join(BENCH, "deep"), "--all", folder, "--small", *words)
            self.assertEqual(made.returncode, 0, made.stderr)
            with open(os.path.join(folder, "models.csv"), encoding="utf-8") as f:
                depths = {r["file"]: int(r["depth"]) for r in csv.DictReader(f)}
            return depths, searches.read_results(table)

    def test_bugs(self):
        for seed in "0", "3":
            depths, runs = self.results("--seed", seed)
            self.assertEqual((len(depths), len(runs)), (30, 30))
            for r in runs:
                self.assertEqual(r.verdict, "violated", r)
                self.assertTrue(depths[r.case] * 0.75 <= r.length <= depths[r.case] * 1.25 + 3, (r, depths[r.case]))

    def test_mended(self):
        _, runs = self.results("--mended")
        self.assertEqual({r.verdict for r in runs}, {"holds"})

    def test_repeatable(self):
        texts = [run(os.path.join(BENCH, "deep"), "dve_vault", "--seed", seed).stdout for seed in ("5", "5", "6")]
        self.assertEqual(texts[0], texts[1])
        self.assertNotEqual(texts[0], texts[2])
        self.assertEqual(run(os.path.join(BENCH, "deep"), "dve_vault", "--mended").returncode, 0)


class Reports(unittest.TestCase):
    def report(self, runs):
        return searches.report(runs, False)

    def test_ratios(self):
        text, agree = self.report([one("a", "old", "violated", 100), one("a", "new", "violated", 25),
                                   one("b", "old", "violated", 100), one("b", "new", "violated", 100),
                                   one("c", "old", "holds", 9, cpu=2.0), one("c", "new", "holds", 9, cpu=2.5),
                                   one("d", "old", "unknown", 9), one("d", "new", "violated", 9)])
        self.assertTrue(agree)
        self.assertIn("violated, states: geometric mean 2.00 of 2, worst 1 (g b), best 4 (g a)", text)
        self.assertIn("holds, cpu: geometric mean 0.80 of 1", text)

    def test_medians(self):
        runs = [one("a", "old", "violated", n, i) for i, n in enumerate((10, 1000, 40))]
        text, _ = self.report(runs + [one("a", "new", "violated", 20)])
        self.assertIn("states: geometric mean 2.00 of 1", text)

    def test_groups(self):
        other = searches.Run("h", "z", "old", 0, "violated", "", 2000, 0, 1.0, 1.0, -1, "", "", "")
        runs = [one("a", "old", "violated", 10), one("a", "new", "violated", 10), other,
                searches.Run(**{**other.__dict__, "setting": "new", "states": 500, "length": 9})]
        text, _ = self.report(runs)
        self.assertIn("all: 2 cases", text)
        self.assertIn("violated, states: geometric mean 2.00 of 2", text)
        self.assertIn("where old has 1000 or more: geometric mean 4.00 of 1", text)
        self.assertIn("violated, length: geometric mean 1.00 of 1,", text)  # the other one is unknown

    def test_disagreements(self):
        text, agree = self.report([one("a", "old", "holds", 1), one("a", "new", "violated", 1)])
        self.assertFalse(agree)
        self.assertIn("DISAGREE g a", text)
        _, agree = self.report([one("a", "old", "holds", 1, expected="violated")])
        self.assertFalse(agree)
        _, agree = self.report([one("a", "old", "unknown", 1, expected="violated")])
        self.assertTrue(agree)

    def test_cut_output(self):
        whole = '{\n "verdict": "holds",\n "overflow_trace": null,\n "lasso": null\n}\n'
        cut = '{\n "verdict": "violated",\n "overflow_trace": null,\n "lasso":{ "#meta": {"format"'
        self.assertEqual([r["verdict"] for r in searches.objects(whole + cut + "\n" + whole)],
                         ["holds", "violated", "holds"])

    def test_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "x.pml"), "w", encoding="utf-8") as f:
                f.write("active proctype P() { assert(false) }\n")
            sys.argv = ["searches.py", "--models", folder, "--omen", OMEN, "--limit", "60s", "--setting", "bfs="]
            text = io.StringIO()
            with redirect_stdout(text):
                self.assertEqual(searches.main(), 0)
            self.assertRegex(text.getvalue(), r"x\.pml +bfs +violated")


if __name__ == "__main__":
    unittest.main()
