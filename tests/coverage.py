#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists the functions that no test has executed, from the counts of gcov in a build folder.

usage: coverage.py BUILD

Configure BUILD with -DCMAKE_C_FLAGS="--coverage -O1", build it, and run the tests in it. A process
that is killed, or that ends with _exit(), leaves no counts.
"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PRODUCT = ("core", "hosts", "kernels", "plugins")


def reports(build):
    """Yields gcov's report of each source file of each object."""
    notes = sorted(str(p.resolve()) for p in pathlib.Path(build).rglob("*.gcno"))
    with tempfile.TemporaryDirectory() as folder:
        for i in range(0, len(notes), 50):
            out = subprocess.run(["gcov", "--json-format", "--stdout", *notes[i:i + 50]], cwd=folder,
                                 capture_output=True, text=True, check=False).stdout
            for line in out.splitlines():
                if not line.startswith("{"):
                    continue
                report = json.loads(line)
                here = pathlib.Path(report["current_working_directory"])
                for source in report["files"]:
                    path = (here / source["file"]).resolve()
                    if path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in PRODUCT:
                        yield str(path.relative_to(ROOT)), source


def main():
    functions, lines = collections.Counter(), collections.defaultdict(collections.Counter)
    ends = {}
    for path, source in reports(sys.argv[1]):
        for f in source["functions"]:
            key = (path, f["start_line"], f["name"])
            functions[key] += f["execution_count"]
            ends[key] = f["end_line"]
        for line in source["lines"]:
            lines[path][line["line_number"]] += line["count"]
    # The count of a function that is inlined everywhere is 0, but its lines have counts.
    never = sorted(k for k, n in functions.items() if n == 0 and not any(
        lines[k[0]][i] for i in range(k[1], ends[k] + 1)))
    folders = collections.Counter("/".join(k[0].split("/")[:2]) for k in functions)
    left_out = collections.Counter("/".join(k[0].split("/")[:2]) for k in never)
    for folder in sorted(folders):
        print(f"{folder}: {folders[folder]} functions, {left_out[folder]} never executed")
    for path, start, name in never:
        print(f"{path}:{start}: {name}")


if __name__ == "__main__":
    main()
