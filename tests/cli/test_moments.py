# SPDX-License-Identifier: Apache-2.0
"""Limits hit at random moments of checks of violated properties: the verdict is never `holds`, and
never `unknown` after a part was found nonempty. Arguments: --checks N --moments M [--seed S].
"""
import csv
import json
import os
import random
import sys

import cli
from cli import Case, run

BEEM = os.path.join(os.environ.get("OMEN_CORPUS", ""), "beem")


def argument(name, default):
    """Removes "--name N" from the command line and returns N."""
    flag = f"--{name}"
    if flag not in sys.argv:
        return default
    at = sys.argv.index(flag)
    value = int(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    return value


CHECKS, MOMENTS, SEED = argument("checks", 6), argument("moments", 8), argument("seed", 1)


def violated_checks():
    """Yields the published ones, as arguments of omen check."""
    with open(os.path.join(BEEM, "properties.csv"), encoding="utf-8") as file:
        for row in csv.DictReader(file):
            family = row["model"].split(".")[0]
            if row["kind"] == "ltl" and row["holds"] == "violated" and row["file"]:
                yield (os.path.join(BEEM, family, os.path.basename(row["file"])),)


class Moments(Case):
    def judge(self, arguments, limit, done):
        said = f"{arguments} {limit}: {done.stdout[:2000]} {done.stderr}"
        self.assertIn(done.returncode, (10, 30), said)
        if not done.stdout:  # ended before any output
            self.assertEqual(done.returncode, 30, said)
            return "unknown"
        found = json.loads(done.stdout)
        parts = {part["verdict"] for part in found["parts"]}
        self.assertNotEqual(found["verdict"], "holds", said)
        self.assertEqual(found["verdict"] == "violated", done.returncode == 10, said)
        if "nonempty" in parts:
            self.assertEqual(found["verdict"], "violated", said)
        if found["verdict"] == "violated":
            self.assertEqual(found["lasso"] is None, found["reason"] is not None, said)
        else:
            self.assertNotIn(found["reason"], (None, "none", ""), said)
        return found["verdict"]

    def test_random_moments(self):
        if not os.path.isdir(BEEM):
            self.skipTest(f"the corpus is not at {BEEM}")
        dice = random.Random(SEED)
        checks = sorted(violated_checks())
        dice.shuffle(checks)
        verdicts = {"violated": 0, "unknown": 0}
        whole, taken = ("--device", "none", "--json"), 0
        for arguments in checks:
            if taken == CHECKS:
                break
            free = run("check", *arguments, *whole, "--timeout", "20s", timeout=120)
            if free.returncode != 10:
                continue  # too large for this test
            taken += 1
            found = json.loads(free.stdout)
            for _ in range(MOMENTS):
                part = dice.uniform(0.02, 1.3)
                limit = dice.choice((
                    ("--timeout", f"{max(1, int(found['seconds'] * part * 1000))}ms"),
                    ("--memory", f"{max(1, int(found['memory_bytes'] * part))}"),
                    ("--max-states", f"{max(1, int(found['states'] * part))}")))
                threads = ("--threads", str(dice.choice((1, 2, 4))))
                done = run("check", *arguments, *whole, *limit, *threads, timeout=120)
                verdicts[self.judge(arguments, (*limit, *threads), done)] += 1
        self.assertEqual(taken, CHECKS)
        print(f"{taken} checks, {verdicts}")
        self.assertGreater(verdicts["violated"], 0)
        self.assertGreater(verdicts["unknown"], 0)


if __name__ == "__main__":
    cli.main()
