# SPDX-License-Identifier: Apache-2.0
"""The process that compiles kernels: one serves many programs; tests how it may end."""
import os
import shlex
import shutil
import sys

from cli import OMEN, Case, main, model, run

LIBRARY = os.path.join(os.path.dirname(os.path.realpath(OMEN)), "lib")
RELAY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "relay.py")
NAME = "omen-build-opencl"


class Compiler(Case):
    def explored(self, status, end, number):
        """Explores without a cache; returns messages and records, and the number of programs."""
        shutil.rmtree(self.folder.name)
        os.makedirs(self.path("omen"))
        for name in ("libomen.so.0", "omen/plugins", "omen/omen-probe-opencl"):
            os.symlink(os.path.join(LIBRARY, name), self.path(name))
        compiler = os.path.join("omen", NAME)
        words = [sys.executable, RELAY, os.path.join(LIBRARY, compiler), self.path("notes"), end, str(number)]
        with open(self.path(compiler), "w", encoding="utf-8") as f:
            f.write(f"#!/bin/sh\nexec {shlex.join(words)}\n")
        os.chmod(self.path(compiler), 0o755)
        said = self.expect(status, "explore", model("mutex.dve"), "--device", "cpu", env={
            "LD_LIBRARY_PATH": self.folder.name, "XDG_CACHE_HOME": self.path("cache"),
            "POCL_CACHE_DIR": self.path("pocl"), "ASAN_OPTIONS": "detect_leaks=0:use_sigaltstack=0"})
        with open(self.path("notes"), encoding="utf-8") as f:
            notes = f.read().split()
        cached = self.path("cache/omen/opencl")
        programs = os.listdir(cached) if os.path.isdir(cached) else []
        return said, notes.count("start"), notes.count("question"), len(programs)

    def test_one_serves_many(self):
        fewest = None
        for _ in range(3):  # under load, a compiler may wait longer than its time limit
            _, starts, questions, programs = self.explored(0, "stays", 0)
            self.assertEqual(questions, programs)
            self.assertGreaterEqual(programs, 4)
            fewest = starts if fewest is None else min(fewest, starts)
            if fewest <= os.cpu_count():
                break
        self.assertLessEqual(fewest, min(os.cpu_count(), programs - 1))

    def test_one_that_waited_too_long(self):
        """Each compiler ends at its second request, if not sooner: another one is asked."""
        _, starts, questions, programs = self.explored(0, "leaves", 2)
        self.assertGreaterEqual(programs, 4)
        self.assertEqual(starts, programs)
        self.assertGreaterEqual(questions, programs)

    def test_one_that_leaves_at_once(self):
        """The work is done without the compiler process."""
        _, starts, questions, programs = self.explored(0, "leaves", 1)
        self.assertGreaterEqual(programs, 4)
        self.assertEqual(starts, questions)
        self.assertEqual(questions, programs)

    def test_one_that_dies(self):
        said, *_ = self.explored(2, "dies", 1)
        self.assertIn("its compiler ended with signal 9", said.stderr)


if __name__ == "__main__":
    if run("devices").returncode != 0 or "cpu" not in run("devices").stdout:
        print("skipped: no OpenCL device that is a CPU")
        sys.exit(77)
    main()
