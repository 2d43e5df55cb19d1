# SPDX-License-Identifier: Apache-2.0
"""Same verdicts whatever the surroundings: devices, compiler, home, signals."""
import os
import signal
import subprocess
import time

from cli import LINE, OMEN, PLUGINS, Case, main, model, run

MUTEX = model("mutex.dve")
# The leak checker of gcc 12 crashes in its own tracer where OpenCL threads and a closed shared object
# (the native code) come together; leaks are looked for in all the other tests.
NO_LEAK_CHECK = {"ASAN_OPTIONS": "detect_leaks=0"}
QUESTIONS = (("G !(A.crit && B.crit)", 0), ("G F A.crit", 10), ("G(A.ask -> F A.crit)", 0))


class Surroundings(Case):
    def same_verdicts(self, *args, env=None):
        """Asks them all; returns what stood on standard error."""
        said = []
        for formula, status in QUESTIONS:
            done = self.expect(status, "check", MUTEX, "--ltl", formula, *args, env=env)
            self.assertEqual(LINE.match(done.stdout.splitlines()[0]).group(1), formula)
            said.append(done.stderr)
        return said

    def test_no_opencl(self):
        nowhere = {"OCL_ICD_VENDORS": "/nonexistent"}
        for said in self.same_verdicts("--exec", "vm", env=nowhere):
            self.assertEqual(said.count("\n"), 1, said)
            self.assertIn("OpenCL", said)
        # One line for several properties, none where it was not wanted.
        done = self.expect(10, "check", MUTEX, "--exec", "vm",
                           *[a for q in QUESTIONS for a in ("--ltl", q[0])], env=nowhere)
        self.assertEqual(done.stderr.count("\n"), 1)
        for said in self.same_verdicts("--exec", "vm", "--device", "none", env=nowhere):
            self.assertEqual(said, "")
        for device in "cpu", "gpu", "0":
            self.refused(2, "device", "check", MUTEX, "--device", device, env=nowhere)
            self.refused(2, "device", "explore", MUTEX, "--device", device, env=nowhere)

    def test_with_a_device_if_there_is_one(self):
        if run("devices").stdout.startswith("none"):
            self.skipTest("no OpenCL device")
        self.same_verdicts("--device", "auto", env=NO_LEAK_CHECK)
        text = self.expect(0, "explore", MUTEX, "--device", "0", env=NO_LEAK_CHECK).stdout
        self.assertIn("states: 20\ntransitions: 34\n", text)

    def test_a_device_that_is_full(self):
        if run("devices").stdout.startswith("none"):
            self.skipTest("no OpenCL device")
        done = self.expect(10, "check", MUTEX, "--ltl", "G F A.crit", "--exec", "vm",
                           env={"OMEN_PLUGIN_PATH": PLUGINS, **NO_LEAK_CHECK})
        self.assertRegex(done.stderr, r"weak-cl on .* gave up \(the device's memory is out\): "
                                      r"going on with weak-swarm on the CPU\n")
        self.assertIn("weak-swarm on the CPU", done.stdout)

    def test_no_compiler(self):
        bare = {"OMEN_CC": "/nonexistent", "XDG_CACHE_HOME": self.path("cache")}
        for said in self.same_verdicts("--device", "none", env=bare):
            self.assertEqual(said.count("\n"), 1, said)
        self.refused(2, "compiler", "check", MUTEX, "--exec", "native", "--device", "none", env=bare)

    def test_no_place_for_caches(self):
        for place in ("/proc/nonexistent", "/dev/null", "relative"):
            self.same_verdicts("--device", "none", env={"XDG_CACHE_HOME": place, "HOME": place})
        locked = self.path("home")
        os.mkdir(locked, 0o500)
        self.same_verdicts("--device", "none", env={"XDG_CACHE_HOME": "", "HOME": locked})
        self.same_verdicts("--device", "none", env={"XDG_CACHE_HOME": locked})

    def signalled(self, *numbers):
        """Starts a check that would take for ever, and sends signals."""
        work = subprocess.Popen([OMEN, "check", model("big.dve"), "--exec", "vm", "--device", "none"],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(0.5)
        for number in numbers:
            work.send_signal(number)
        out, _ = work.communicate(timeout=20)
        return work.returncode, out

    def test_signals(self):
        for number in signal.SIGINT, signal.SIGTERM:
            status, out = self.signalled(number)
            self.assertEqual(status, 30)
            self.assertTrue(out.startswith("property deadlock: unknown (interrupted)\n"), out)
            self.assertRegex(out, r"[1-9]\d* states, [1-9]\d* transitions")
        self.assertEqual(self.signalled(signal.SIGKILL), (-9, ""))

    def test_nothing_is_left_behind(self):
        before = set(os.listdir("/tmp"))
        self.same_verdicts("--device", "none", "--exec", "vm")
        left = [name for name in set(os.listdir("/tmp")) - before if "omen" in name]
        self.assertEqual(left, [])


if __name__ == "__main__":
    main()
