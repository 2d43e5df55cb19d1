# SPDX-License-Identifier: Apache-2.0
"""Each file operation of a small run fails in turn: there must be no crash, no hang, no wrong answer, and
no process and no temporary file may remain.

    test_faults.py --library FAULTS.so [--all] [--device]
--all: each call with each error, instead of one error per call; --device: on an OpenCL device, too.
"""
import ctypes
import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from cli import OMEN, main, model, run

LIBRARY = sys.argv.pop(sys.argv.index("--library") + 1)
sys.argv.remove("--library")
ALL, DEVICE = "--all" in sys.argv, "--device" in sys.argv
sys.argv[:] = [word for word in sys.argv if word not in ("--all", "--device")]

MUTEX = model("mutex.dve")
QUESTION = ["check", MUTEX, "--ltl", "G F A.crit"]
ERRORS = errno.ENOSPC, errno.EIO, errno.EACCES
PATIENCE = 20  # seconds, longer than any run takes
PR_SET_CHILD_SUBREAPER = 36


class Faults(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name in "cache", "tmp", "out":
            os.mkdir(self.path(name))
        with open(self.path("cc"), "w") as f:
            f.write('#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\ncp "$MADE" "$2"\n')
        os.chmod(self.path("cc"), 0o755)
        self.env = {**os.environ, "XDG_CACHE_HOME": self.path("cache"), "TMPDIR": self.path("tmp"),
                    "FAULT_NOTE": self.path("note"), "POCL_CACHE_DIR": ""}
        # Processes that a run leaves behind become children of this process.
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)

    def path(self, *names):
        return os.path.join(self.folder.name, *names)

    def made(self):
        """Keeps the object that the compiler makes, so that it is not compiled each time; OMEN_CC
        then returns it.
        """
        script = self.path("real")
        with open(script, "w") as f:
            f.write(f'#!/bin/sh\ncc "$@" || exit 1\nwhile [ "$1" != -o ]; do shift; done\n'
                    f'cp "$2" {self.path("made.so")}\n')
        os.chmod(script, 0o755)
        self.assertEqual(run(*QUESTION, "--device", "none", "--exec", "native", "-q",
                             env={**self.env, "OMEN_CC": script}).returncode, 10)
        self.env.update(OMEN_CC=self.path("cc"), MADE=self.path("made.so"))

    def one(self, args, at, error, program):
        """Runs omen with a fault; returns the status, the messages, and the failed call (or None)."""
        if os.path.exists(self.path("note")):
            os.remove(self.path("note"))
        work = subprocess.Popen([OMEN, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env={**self.env, "LD_PRELOAD": LIBRARY, "FAULT_AT": str(at),
                                                "FAULT_ERROR": str(error), "FAULT_PROGRAM": program})
        try:
            out, said = work.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            work.kill()
            work.communicate()
            out, said = "", "it hangs"
        failed = None
        if os.path.exists(self.path("note")):
            with open(self.path("note")) as f:
                failed = f.read()
        return work.returncode, out, said, failed

    def nobody_is_left(self, what):
        end = time.monotonic() + 5
        while True:
            try:
                pid, _ = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                self.assertLess(time.monotonic(), end, f"{what}: a process is left")
                time.sleep(0.002)

    def temporary(self):
        work = self.path("cache", "omen", "work")
        return [*(os.listdir(work) if os.path.isdir(work) else []),
                *os.listdir(self.path("tmp")), *(n for n in os.listdir(self.path("out")) if n not in ("lasso.json", "graph.aut"))]

    def sweep(self, args, good, bad=(2, 3), program="omen", afresh=None, first=0):
        """Repeats until a run makes fewer calls; returns the number of faults."""
        at, faults = first, 0
        while True:
            failed = None
            for error in ERRORS if ALL else ERRORS[at % 3:at % 3 + 1]:
                if afresh is not None:
                    shutil.rmtree(self.path("cache", "omen", afresh), ignore_errors=True)
                status, out, said, failed = self.one(args, at, error, program)
                what = f"{' '.join(args)}: call {at} ({failed}) in {program}: {os.strerror(error)}:" \
                       f" status {status}\n{out}{said}"
                if failed is None:
                    self.assertEqual(status, good, what)
                    self.nobody_is_left(what)
                    break
                faults += 1
                # A failed mapping means that memory ran out: that is a limit.
                self.assertIn(status, (good, *bad, *([30] if failed == "mmap" else [])), what)
                if status not in (good, 30):
                    self.assertNotEqual([line for line in said.splitlines()
                                         if line.startswith("omen: ")], [], what)
                self.nobody_is_left(what)
                if self.temporary():  # a file that could not be removed is removed by the next run
                    run(*QUESTION, "--device", "none", "--exec", "native", "-q", env=self.env)
                    self.assertEqual(self.temporary(), [], what)
            if failed is None:
                return faults
            at += 1

    def enough(self, faults, least):
        print(f"{self.id().rsplit('.', maxsplit=1)[-1]}: {faults} faults")
        self.assertGreaterEqual(faults, least)

    def test_from_the_cache(self):
        self.made()
        native = [*QUESTION, "--device", "none", "--exec", "native", "--lasso", self.path("out", "lasso.json")]
        self.enough(self.sweep(native, 10), 100)

    def test_compiled(self):
        self.made()
        native = [*QUESTION, "--device", "none", "--exec", "native", "--json"]
        self.enough(self.sweep(native, 10, afresh="native"), 150)

    def test_the_compiler_of_natives(self):
        self.made()
        native = [*QUESTION, "--device", "none", "--exec", "native"]
        self.enough(self.sweep(native, 10, program="omen-build-native", afresh="native"), 1)

    def test_plain_commands(self):
        lasso = self.path("out", "lasso.json")
        vm = ["--device", "none", "--exec", "vm"]
        self.assertEqual(run(*QUESTION, *vm, "--lasso", lasso, env=self.env).returncode, 10)
        faults = self.sweep(["replay", MUTEX, lasso], 0)
        faults += self.sweep(["convert", model("three.hoa"), "--to", "ba"], 0)
        graph = self.path("out", "graph.aut")
        faults += self.sweep(["explore", MUTEX, *vm, "--json", "--output", graph], 0)
        faults += self.sweep(["check", MUTEX, *vm, "--ltl-file", model("good.ltl")], 0)
        self.enough(faults, 100)

    def test_on_a_device(self):
        if not DEVICE or "cpu" not in run("devices").stdout:
            self.skipTest("no OpenCL device that is a CPU, or it is not asked for")
        args = [*QUESTION, "--device", "cpu", "--exec", "vm"]
        self.env["FAULT_OWN"] = "1"
        self.assertEqual(run(*args, env=self.env).returncode, 10)
        faults = self.sweep(args, 10)
        faults += self.sweep(args, 10, program="omen-probe-opencl")
        self.enough(faults, 200)


if __name__ == "__main__":
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    main()
