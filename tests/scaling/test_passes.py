# SPDX-License-Identifier: Apache-2.0
"""Checks that no pass before a search takes more than n log n of the size of the model's text.

Each family of models (hosts/bench/generate.py) is explored with a limit of one state, with few parts, with
n and with 4 n. CPU time beyond that of the small model may grow by 4 log n, but not by 16. The least of
several runs counts, so that a busy machine has little influence; a family fails if all its runs do.

    test_passes.py [--size N] [FAMILY ...]
"""
import argparse
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "hosts", "bench"))
import generate  # noqa: E402: the suites of omen-bench use it, too

OMEN = os.environ["OMEN"]
TRIES = 4
GROWTH = 8    # between 4 log n and 16
SLACK = 0.2   # seconds that the system may add to a run
LIMIT = 120   # time limit of a run in seconds
OPTIONS = ["--max-states", "1", "--threads", "1", "--device", "none", "--exec", "vm"]
COMMANDS = {
    "dve": [["explore", "--merge", "on", "--reset-dead", "on"]],
    "pml": [["explore", "--merge", "on", "--reset-dead", "on"]],
    "pnml": [["explore"], ["check", "--deadlock"]],
}


def seconds(command, path):
    """Returns the CPU time of a run that is ended by a limit on states or has no more states."""
    with open(os.devnull, "w") as null:
        p = subprocess.Popen([OMEN, command[0], path, *command[1:], *OPTIONS], stdout=null, stderr=subprocess.PIPE)
        said = p.stderr.read().decode()
        _, status, usage = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    if p.returncode not in (0, 10, 30):
        raise SystemExit(f"{command} {path}: status {p.returncode}\n{said}")
    return usage.ru_utime + usage.ru_stime


def grows_well(family, command, size, folder):
    """Prints the times of the family; returns True if one of several tries is within the bound."""
    ending = family.split("_")[0]
    paths = []
    for n in (10, size, 4 * size):
        paths.append(os.path.join(folder, f"{family}-{n}.{ending}"))
        with open(paths[-1], "w") as f:
            f.write(generate.FAMILIES[family](n))
    best = [float("inf")] * 3
    for _ in range(TRIES):
        best = [min(b, seconds(command, path)) for b, path in zip(best, paths)]
        good = best[2] - best[0] <= GROWTH * max(0, best[1] - best[0]) + SLACK
        if good:
            break
    for path in paths:
        os.remove(path)
    print(f"{family:16} {command[0]:8} {best[1]:7.2f} {best[2]:7.2f} s  {'' if good else 'TOO SLOW'}", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=2500)
    parser.add_argument("--without", default="", help="families that are left out")
    parser.add_argument("families", nargs="*")
    args = parser.parse_args()
    families = args.families or [f for f in generate.FAMILIES
                                 if f.split("_")[0] in COMMANDS and f not in args.without.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        slow = [f"{f} {c[0]}" for f in families for c in COMMANDS[f.split("_")[0]]
                if not grows_well(f, c, args.size, folder)]
    if slow:
        print("too slow:", ", ".join(slow))
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
