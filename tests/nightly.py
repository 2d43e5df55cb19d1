# SPDX-License-Identifier: Apache-2.0
"""Prints the record of a nightly run as a page: nightly.py RESULTS COMMIT (see .ci/nightly)."""
import datetime
import os
import sys

PARTS = {"test": "optimised with assertions, every test",
         "release": "the product, without assertions", "asan": "address and undefined-behaviour sanitizers",
         "tsan": "thread sanitizer, store without SSE2", "tidy": "clang-tidy, every source"}


def main(path, commit):
    last = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            part, name, result, seconds = line.rstrip("\n").split("\t")
            last[part, name] = result, int(seconds)
    print("# The last nightly run\n")
    print("Written by `.ci/nightly` (see `tests/README.md`).\n")
    print(f"Commit {commit[:12]}, {datetime.date.today().isoformat()}, {os.cpu_count()} cores.\n")
    print("| part | passed | skipped | failed | hours |\n|---|---|---|---|---|")
    for part, what in PARTS.items():
        rows = [v for (p, _), v in last.items() if p == part]
        counts = [sum(r == result for r, _ in rows) for result in ("passed", "skipped", "failed")]
        hours = sum(seconds for _, seconds in rows) / 3600
        print(f"| {what} | {counts[0]} | {counts[1]} | {counts[2]} | {hours:.2f} |" if rows else
              f"| {what} | not run | | | |")
    for result in "failed", "skipped":
        names = sorted(f"`{name}` ({part})" for (part, name), v in last.items() if v[0] == result)
        if names:
            print(f"\n{result.capitalize()}: {', '.join(names)}.")
    print("\nThe slowest:\n\n| test | part | seconds |\n|---|---|---|")
    for (part, name), v in sorted(last.items(), key=lambda item: -item[1][1])[:20]:
        print(f"| `{name}` | {part} | {v[1]} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
