#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""omen-bench gpu on a CPU device: a run, an interrupt, a resumed run, a time limit; and without a device.
Small models replace the real ones.
"""
import csv
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

OMEN = os.environ["OMEN"]
BENCH = os.path.join(os.path.dirname(OMEN), "omen-bench")
# Leaks of a driver are ignored.
SURROUNDINGS = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0:use_sigaltstack=0"}

# Two processes that alternate.
MODEL = """
byte turn = 0;
process P_0 { state NCS, wait, CS; init NCS;
  trans NCS -> wait {}, wait -> CS { guard turn == 0; }, CS -> NCS { effect turn = 1; }; }
process P_1 { state NCS, wait, CS; init NCS;
  trans NCS -> wait {}, wait -> CS { guard turn == 1; }, CS -> NCS { effect turn = 0; }; }
system async;
"""


def devices(kind):
    said = subprocess.run([OMEN, "devices"], capture_output=True, text=True, env=SURROUNDINGS).stdout
    return re.findall(rf"^(\d+): .*\({kind}\)$", said, re.MULTILINE)


class Gpu(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.out = os.path.join(self.folder.name, "out")
        place = os.path.join(self.folder.name, "beem", "peterson")
        os.makedirs(place)
        with open(os.path.join(place, "peterson.4.dve"), "w", encoding="utf-8") as f:
            f.write(MODEL)

    def command(self, *more):
        return [BENCH, "gpu", "--out", self.out, "--commit", "abc", "--set", f"corpus={self.folder.name}",
                *more]

    def run_bench(self, status, *more):
        done = subprocess.run(self.command(*more), capture_output=True, text=True, timeout=250,
                              env={**SURROUNDINGS, "TMPDIR": self.folder.name})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def runs(self):
        name, = [n for n in os.listdir(self.out) if n.endswith("-abc-gpu.csv")]
        with open(os.path.join(self.out, name), encoding="utf-8") as f:
            return {(r["row"], r["column"]): r for r in csv.DictReader(x for x in f if x[0] != "#")
                    if r["state"] != "none"}

    def test_no_gpu(self):
        if devices("gpu"):
            self.skipTest("there is one")
        done = self.run_bench(30)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr, "omen-bench: nothing can be measured: omen: there is no gpu device that "
                                      "can be used\n")
        self.assertEqual(os.listdir(self.out), [])

    def test_interrupt_and_resume(self):
        if not devices("cpu"):
            self.skipTest("no OpenCL device")
        rows = ("--device", "cpu", "--rows", "known-answer,peterson.4-hybrid,devices")
        work = subprocess.Popen(self.command(*rows), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env={**SURROUNDINGS, "TMPDIR": self.folder.name})
        for line in work.stderr:
            if "known-answer known-answer: round 1 of 1" in line:
                break
        time.sleep(0.1)
        work.send_signal(signal.SIGINT)
        out, _ = work.communicate(timeout=100)
        self.assertEqual(work.returncode, 30)
        self.assertIn("stopped before all rows were run", out)
        first = self.runs()
        self.assertEqual(set(first), {("known-answer", "known-answer")})
        done = self.run_bench(0, *rows, "--resume")
        self.assertNotIn("known-answer known-answer: round", done.stderr)
        runs = self.runs()
        self.assertEqual(runs["known-answer", "known-answer"], first["known-answer", "known-answer"])
        device, two = (runs["peterson.4-hybrid", c] for c in ("check-device", "check-2"))
        self.assertEqual((device["verdict"], two["verdict"]), ("holds", "holds"))
        self.assertEqual(device["states"], two["states"])
        self.assertEqual(runs["devices", "kernel-test"]["state"], "ok")
        self.assertRegex(done.stdout, r"\npeterson\.4-hybrid +check-device +1 +\d+ ")

    def test_ends_in_time(self):
        if not devices("cpu"):
            self.skipTest("no OpenCL device")
        start = time.monotonic()
        self.run_bench(30, "--device", "cpu", "--minutes", "0.1", "--rows", "known-answer,engine,devices")
        self.assertLess(time.monotonic() - start, 6)
        # Also before there is anything to measure.
        done = self.run_bench(30, "--device", "cpu", "--minutes", "0.01", "--overwrite")
        self.assertRegex(done.stderr, "(time limit reached|the time budget is used up)")
        self.assertIn("stopped before all rows were run", done.stdout)

    def test_what_is_not_there(self):
        """Missing tests and records are absent, not failures; a missing state is a failure."""
        if not devices("cpu"):
            self.skipTest("no OpenCL device")
        done = self.run_bench(0, "--device", "cpu", "--rows", "devices", "--set", "tests=/nonexistent")
        self.assertIn("kernel-test: /nonexistent/test_devices not found", done.stderr)
        os.makedirs(os.path.join(self.folder.name, "beem", "anderson"))
        with open(os.path.join(self.folder.name, "beem", "anderson", "anderson.6.dve"), "w",
                  encoding="utf-8") as f:
            f.write(MODEL)
        done = self.run_bench(20, "--device", "cpu", "--rows", "anderson.6", "--overwrite")
        runs = self.runs()
        self.assertRegex(runs["anderson.6", "device"]["note"], r"states is \d+, not 18206917")
        self.assertGreater(float(runs["anderson.6", "counted"]["sectors-read"]), 0)
        self.assertRegex(done.stdout, r"\nanderson\.6 +\d\.\d+ +\d\.\d+ ")
        # More states than fit the device's memory.
        with open(os.path.join(os.path.dirname(OMEN), "bench-suites", "gpu.suite"), encoding="utf-8") as f:
            text = f.read()
        with open(os.path.join(self.folder.name, "large.suite"), "w", encoding="utf-8") as f:
            f.write(text.replace("states=18206917 bytes=6e8", "states=8 bytes=6e15"))
        done = subprocess.run([BENCH, os.path.join(self.folder.name, "large.suite"), *self.command(
            "--device", "cpu", "--rows", "anderson.6", "--overwrite")[2:]], capture_output=True, text=True,
            timeout=100, env={**SURROUNDINGS, "TMPDIR": self.folder.name})
        self.assertRegex(done.stderr, r"anderson\.6 device: the condition ended with status 1: its states do "
                                      r"not fit \d+ MB")
        self.assertRegex(done.stderr, r"anderson\.6 cpu-2: (round|states is)")


if __name__ == "__main__":
    unittest.main()
