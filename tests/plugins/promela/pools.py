# SPDX-License-Identifier: Apache-2.0
"""Processes of large pools, whose slots are joined, compared with the same processes in small ones: pools.py NUMBER SEED FILE...

Takes the models FILE, and NUMBER random models that start processes (random_models.py), from SEED on. Compares the results
of explorations, also by native code and with merged statements, and verdicts. The program itself checks each run that it
finds. The variable OMEN names the program.
"""
import os
import subprocess
import sys
import tempfile

import random_models
from random_merging import MOST, omen, verdict

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from seed import cases

FIGURES = ("states", "stored", "transitions", "deadlocks", "levels")
# Slots are joined if there are more than 8 processes.
SMALL, LARGE = "promela:pool=4", "promela:pool=9"


def figures(path, pool, *options):
    """Returns the figures of an exploration, or None if it is not complete."""
    status, answers = omen("explore", path, "--device", "none", "--frontend", pool, *options)
    if status not in (0, 10) or not answers[0]["complete"]:
        return None
    failures = sorted((f["line"], f["column"]) for f in answers[0]["failures"])
    return [answers[0].get(name) for name in FIGURES] + failures


def too_large(path):
    """Returns true if the form of the model in large pools has too large an expression: a timeout over all of them is one."""
    run = subprocess.run([os.environ["OMEN"], "explore", path, "--frontend", LARGE, "--max-states", "1"],
                         capture_output=True, text=True, timeout=300)
    return run.returncode == 3 and "it is too large" in run.stderr


def wrong(path, native):
    """Returns (compared, an error or None)."""
    small = figures(path, SMALL, "--exec", "vm")
    if small is None or too_large(path):
        return False, None
    for options in [["--exec", "vm"]] + ([["--exec", "native"]] if native else []):
        large = figures(path, LARGE, *options)
        if large != small:
            return True, "%s: %s, and %s with small pools" % (" ".join(options), large, small)
    for options in ([], ["--ltl", "[] (_nr_pr < 4 || <> (_nr_pr < 3))"], ["--ltl", "<> (_nr_pr > 2)", "--fairness", "weak"]):
        told = [verdict(path, ["--frontend", pool, "--threads", "1", *options])[0] for pool in (SMALL, LARGE)]
        if "limit" not in told and told[0] != told[1]:
            return True, "%s: %s, and %s with small pools" % (" ".join(options), told[1], told[0])
    return True, None


def main():
    number, seed, files = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    bad = compared = 0
    with tempfile.TemporaryDirectory() as folder:
        for k in cases(seed, 20 * number):
            text = random_models.Model(k).text()
            if "run D" not in text:
                continue
            path = os.path.join(folder, "%d.pml" % k)
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
            files.append(path)
            number -= 1
            if number == 0:
                break
        for path in files:
            done, what = wrong(path, native=path == files[0])
            compared += done
            bad += what is not None
            if what is not None:
                print("%s: %s" % (os.path.basename(path), what))
    print("%d of %d models of at most %s states compared, %d wrong" % (compared, len(files), MOST, bad))
    return 1 if bad or compared < len(files) // 2 else 0


if __name__ == "__main__":
    sys.exit(main())
