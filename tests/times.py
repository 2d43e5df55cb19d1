#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists and records the durations of tests in runs of ctest.

times.py RESULTS...           prints the 20 slowest tests of these files, which `ctest --output-junit FILE` wrote
times.py --record RESULTS...  records their seconds in times.txt, from which cmake/Omen.cmake computes time limits; the
                              runs must be of the tree build/test on an idle machine
"""
import os
import sys
import xml.etree.ElementTree

TIMES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "times.txt")
MOST = 20


def results(path):
    """Yields (name, seconds) of each test that ran."""
    for case in xml.etree.ElementTree.parse(path).getroot().iter("testcase"):
        if case.get("status") in ("run", "fail"):
            yield case.get("name"), float(case.get("time"))


def slowest(paths):
    """Returns the rows to print: the tests of all files, with the file's name if there are several."""
    rows, total, count = [], 0.0, 0
    for path in paths:
        where = "" if len(paths) == 1 else "  " + os.path.splitext(os.path.basename(path))[0]
        for name, seconds in results(path):
            rows.append((seconds, name + where))
            total, count = total + seconds, count + 1
    rows.sort(reverse=True)
    return [f"== the {min(MOST, count)} slowest of {count} tests, which took {total:.0f} s together"] + \
           [f"{seconds:8.1f} s  {name}" for seconds, name in rows[:MOST]]


def record(paths):
    with open(TIMES, encoding="utf-8") as f:
        lines = f.read().splitlines()
    head = [line for line in lines if line.startswith("#")]
    known = dict(line.split() for line in lines if line and not line.startswith("#"))
    for path in paths:
        for name, seconds in results(path):
            known[name] = str(int(seconds) + 1)
    with open(TIMES, "w", encoding="utf-8") as f:
        f.writelines(line + "\n" for line in head + [f"{name} {known[name]}" for name in sorted(known)])


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "--record":
        record(sys.argv[2:])
    elif len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        print("\n".join(slowest(sys.argv[1:])))
    else:
        sys.exit(__doc__)
