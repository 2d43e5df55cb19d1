#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seeds the faults of mutants.toml, one at a time, and reports which of them the tests that it names catch.

run.py [--build FOLDER] [--only RE] [--list]   builds a copy of the source tree in FOLDER (build/mutants), seeds each fault,
                                               builds the affected targets and runs the tests that it names
run.py --check                                 only checks whether each fault can still be seeded

A fault is caught if the build or a test fails. Exit status: 0 if all are caught, 1 if one is not, if a fault can no
longer be seeded, or if a test fails without a fault.
"""
import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
Mutant = collections.namedtuple("Mutant", "room file what before after tests")


def mutants():
    with open(os.path.join(HERE, "mutants.toml"), "rb") as f:
        return [Mutant(**row) for row in tomllib.load(f)["mutant"]]


def read(*names):
    with open(os.path.join(*names), encoding="utf-8") as f:
        return f.read()


def write(text, *names):
    with open(os.path.join(*names), "w", encoding="utf-8") as f:
        f.write(text)


def misfits(all_mutants):
    """Yields an error for each fault that cannot be seeded, and for each room without faults."""
    for m in all_mutants:
        found = read(SOURCE, m.file).count(m.before)
        if found != 1 or m.before == m.after:
            yield f"{m.file}: {m.what}: what is to be changed stands there {found} times"
        if not m.file.startswith(m.room + "/"):
            yield f"{m.file}: is not in {m.room}"
    core = os.path.join(SOURCE, "core")
    rooms = {f"core/{name}" for name in os.listdir(core) if os.path.exists(os.path.join(core, name, "CMakeLists.txt"))}
    rooms |= {f"hosts/{name}" for name in os.listdir(os.path.join(SOURCE, "hosts"))} | {"kernels"}
    for room in sorted(rooms - {m.room for m in all_mutants}):
        yield f"{room}: no fault is seeded there"


def files():
    """Returns the files that git lists, or without a repository all files outside build folders."""
    done = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=SOURCE,
                          capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return [name for name in done.stdout.split("\0") if os.path.isfile(os.path.join(SOURCE, name))]
    return [os.path.relpath(os.path.join(folder, name), SOURCE)
            for folder, _, names in os.walk(SOURCE) for name in names
            if not os.path.relpath(folder, SOURCE).startswith(("build", ".git"))]


class Scratch:
    """A copy of the source tree and its build."""

    def __init__(self, folder):
        self.source = os.path.join(folder, "omen")
        self.build = os.path.join(self.source, "build", "test")
        for name in files():
            to = os.path.join(self.source, name)
            # Unchanged files keep their modification time, so that they are not built again.
            if not os.path.exists(to) or read_bytes(to) != read_bytes(os.path.join(SOURCE, name)):
                os.makedirs(os.path.dirname(to), exist_ok=True)
                shutil.copyfile(os.path.join(SOURCE, name), to)
        corpus = os.path.join(SOURCE, "..", "shared")
        if os.path.isdir(corpus) and not os.path.exists(os.path.join(folder, "shared")):
            os.symlink(os.path.realpath(corpus), os.path.join(folder, "shared"))
        self.works("cmake", "--preset", "test", "-G", "Ninja")
        # Builds everything, because ctest only lists the commands of programs that exist.
        self.works("cmake", "--build", "--preset", "test")
        listed = json.loads(self.works("ctest", "--test-dir", self.build, "--show-only=json-v1"))
        self.tests = {test["name"]: test.get("command", []) for test in listed["tests"]}

    def run(self, *command):
        return subprocess.run(command, cwd=self.source, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", check=False)

    def works(self, *command):
        done = self.run(*command)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{done.stdout[-4000:]}")
        return done.stdout

    def matching(self, expression):
        return [name for name in self.tests if re.fullmatch(expression, name)]

    def targets(self, names):
        """Returns Ninja's targets for these tests: the programs and plug-ins that their commands name, and the
        product's programs for tests of whole programs.
        """
        known = {line.split(":")[0] for line in self.works("ninja", "-C", self.build, "-t", "targets", "all").splitlines()}
        made = {os.path.relpath(word, self.build) for name in names for word in self.tests[name]
                if word.startswith(self.build + os.sep)} & known
        wholes = {"cli": {"program", "cli_liar", "cli_tired", "cli_hang", "flawed"}, "server": {"program", "omend", "omend-job"}}
        kinds = {name.split("-")[0].split("_")[0] for name in names}
        return sorted(made.union({"program"}, *(wholes.get(kind, ()) for kind in kinds)))

    def fails(self, names):
        """Returns the first of the tests that fails, or "the build"; None if all pass."""
        if self.run("ninja", "-C", self.build, *self.targets(names)).returncode != 0:
            return "the build"
        done = self.run("ctest", "--test-dir", self.build, "-j", "2", "--stop-on-failure",
                        "-R", f"^({'|'.join(map(re.escape, names))})$")
        found = re.search(r"(?m)^\s*\d+ - (\S+) \((?!Skipped)", done.stdout)
        return found[1] if found else None if done.returncode == 0 else "ctest"


def read_bytes(path):
    with open(path, "rb") as f:
        return f.read()


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", default=os.path.join(SOURCE, "build", "mutants"))
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    all_mutants = mutants()
    wrong = list(misfits(all_mutants))
    if wrong:
        sys.exit("\n".join(wrong))
    chosen = [m for m in all_mutants if re.search(given.only, f"{m.file} {m.what}")]
    if given.list:
        print("\n".join(f"{m.file}: {m.what}" for m in chosen))
    if given.list or given.check:
        return 0
    scratch = Scratch(given.build)
    names = {m: scratch.matching(m.tests) for m in chosen}
    for m in chosen:
        if not names[m]:
            sys.exit(f"{m.file}: no test is named {m.tests}")
    failing = scratch.fails(sorted({name for m in chosen for name in names[m]}))
    if failing:
        sys.exit(f"without a fault, {failing} fails")
    caught = 0
    for number, m in enumerate(chosen, 1):
        start = time.monotonic()
        whole = read(scratch.source, m.file)
        try:
            write(whole.replace(m.before, m.after), scratch.source, m.file)
            by = scratch.fails(names[m])
        finally:
            write(whole, scratch.source, m.file)
        caught += by is not None
        print(f"{number:3}/{len(chosen)} {m.room}: {m.what}: {'caught by ' + by if by else 'NOT CAUGHT'}, "
              f"{time.monotonic() - start:.0f} s", flush=True)
    print(f"== {caught} of {len(chosen)} faults in {len({m.room for m in chosen})} rooms are caught: "
          f"{100 * caught / len(chosen):.0f} %")
    return 0 if caught == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
