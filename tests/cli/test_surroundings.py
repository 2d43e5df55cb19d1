# SPDX-License-Identifier: Apache-2.0
"""Equal verdicts in any environment: devices, compiler, home, signals."""
import json
import os
import re
import shutil
import signal
import subprocess
import time

from cli import LINE, OMEN, PLUGINS, Case, main, model, run

MUTEX = model("mutex.dve")
BIG = model("big.dve")
# The leak checker of gcc 12 crashes in its own tracer if there are both OpenCL threads and a closed
# shared object (the native code). All other tests look for leaks.
NO_LEAK_CHECK = {"ASAN_OPTIONS": "detect_leaks=0:use_sigaltstack=0"}
QUESTIONS = (("G !(A.crit && B.crit)", 0), ("G F A.crit", 10), ("G(A.ask -> F A.crit)", 0))


class Surroundings(Case):
    def start(self, *args, **how):
        """Starts a program that does not outlive the test, however the test ends."""
        work = subprocess.Popen(args, **how)
        self.addCleanup(lambda: work.poll() is None and (work.kill(), work.wait()))
        return work

    def same_verdicts(self, *args, env=None):
        """Checks all questions; returns the texts on standard error."""
        said = []
        for formula, status in QUESTIONS:
            done = self.expect(status, "check", MUTEX, "--ltl", formula, *args, env=env)
            self.assertEqual(LINE.match(done.stdout.splitlines()[0]).group(1), formula)
            said.append(done.stderr)
        return said

    def test_libraries_of_few_commands(self):
        """Other commands do not load them; without the programs that have them, other commands still work."""
        traced = {"LD_TRACE_LOADED_OBJECTS": "1"}
        helpers = os.path.join(os.path.dirname(os.path.realpath(OMEN)), "lib", "omen")
        few = re.compile(r"\b(libcurl|libgnutls|libglpk|libexpat|libncurses|libtinfo)")
        self.assertNotRegex(run("explore", MUTEX, env=traced).stdout, few)
        for name, library in ("remote", "libcurl"), ("mcc", "libexpat"), ("simulate", "libncurses"):
            done = subprocess.run([f"{helpers}/omen-{name}"], env={**os.environ, **traced}, capture_output=True, text=True)
            self.assertEqual([l for l in ("libcurl", "libexpat", "libncurses") if l in done.stdout], [library])
        alone = self.path("omen")
        shutil.copy(OMEN, alone)
        env = {**os.environ, "LD_LIBRARY_PATH": os.path.dirname(helpers)}
        for status, said, command in (
                (2, "omen-mcc, which is not installed next to omen", ("mcc", self.folder.name, "StateSpace")),
                (2, "omen-simulate, which is not installed next to omen", ("simulate", MUTEX)),
                (2, "omen-remote, which is not installed next to omen",
                 ("--server", "http://127.0.0.1:1", "check", MUTEX, "--deadlock")),
                (0, "", ("mcc", "--help")), (0, "", ("help", "mcc")),
                (0, "", ("simulate", MUTEX, "--steps", "2", "--seed", "1")), (0, "", ("explore", MUTEX))):
            done = subprocess.run([alone, *command], env=env, capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, status, (command, done.stderr))
            self.assertIn(said, done.stderr)

    def test_commands_of_others(self):
        """omen NAME executes omen-NAME, from the folder of helper programs or from PATH, with all arguments."""
        root, path = self.path("root"), self.path("path")
        for folder in root, f"{root}/bin", f"{root}/lib", f"{root}/lib/omen", path:
            os.mkdir(folder)
        shutil.copy(OMEN, f"{root}/bin/omen")
        env = {**os.environ, "LD_LIBRARY_PATH": os.path.join(os.path.dirname(os.path.realpath(OMEN)), "lib"),
               "PATH": f"{path}:{os.environ['PATH']}"}

        def program(file, said):
            with open(file, "w") as f:
                f.write(f'#!/bin/sh\necho {said} "${{0##*/}}" "$@"\nexit 7\n')
            os.chmod(file, 0o755)

        def omen(*command):
            done = subprocess.run([f"{root}/bin/omen", *command], env=env, capture_output=True, text=True, timeout=60)
            return done.returncode, done.stdout, done.stderr

        self.assertEqual(omen("greet"), (2, "", "omen: no command 'greet' (see 'omen --help')\n"))
        program(f"{path}/omen-greet", "path")
        self.assertEqual(omen("greet", "--json", "a b"), (7, "path omen-greet --json a b\n", ""))
        program(f"{root}/lib/omen/omen-greet", "lib")
        self.assertEqual(omen("greet", "--help"), (7, "lib omen-greet --help\n", ""))
        program(f"{path}/omen-mcc", "path")
        self.assertEqual(omen("mcc", "a", "--x"), (7, "path omen-mcc a --x\n", ""))
        # The commands that omen runs itself cannot be replaced, and a name is no path.
        program(f"{path}/omen-schema", "path")
        self.assertIn("check", omen("schema")[1])
        self.assertEqual(omen("../omen/omen-greet")[0], 2)
        program(f"{path}/omen-remote", "path")
        self.assertEqual(omen("--server", "unix:x", "check", "m.dve", "-v"), (7, "path omen-remote --server unix:x m.dve -v\n", ""))

    def test_no_opencl(self):
        nowhere = {"OCL_ICD_VENDORS": "/nonexistent"}
        for said in self.same_verdicts("--exec", "vm", env=nowhere):
            self.assertEqual(said, "")
        for said in self.same_verdicts("--exec", "vm", "--device", "none", env=nowhere):
            self.assertEqual(said, "")
        for device in "cpu", "gpu", "0":
            self.refused(2, "device", "check", MUTEX, "--device", device, env=nowhere)
            self.refused(2, "device", "explore", MUTEX, "--device", device, env=nowhere)

    def test_with_a_device_if_there_is_one(self):
        if run("devices").stdout.startswith("none"):
            self.skipTest("no OpenCL device")
        self.same_verdicts("--device", "0", env=NO_LEAK_CHECK)
        text = self.expect(0, "explore", MUTEX, "--device", "0", env=NO_LEAK_CHECK).stdout
        self.assertIn("states: 20\ntransitions: 34\n", text)
        # The device reports a fault itself, with its trace.
        for command in "check", "explore":
            done = self.expect(3, command, model("fault.dve"), "--device", "0", env=NO_LEAK_CHECK)
            self.assertNotIn("gave up", done.stderr)
            self.assertRegex(done.stderr, r"omen: .*fault\.dve:9:\d+: index")
            self.assertIn("trace:\n", done.stdout)
        done = self.expect(3, "check", model("fault.dve"), "--device", "0", "--json",
                           env=NO_LEAK_CHECK)
        part = json.loads(done.stdout)["parts"][0]
        self.assertEqual((part["checker"], part["gave_up"]), ("reach-cl", None))

    def test_a_fault_that_a_device_finds_late(self):
        """Beyond the number of states for which an exploration keeps paths: it explores again."""
        if run("devices").stdout.startswith("none"):
            self.skipTest("no OpenCL device")
        done = self.expect(3, "explore", model("late.dve"), "--device", "0", env=NO_LEAK_CHECK)
        self.assertNotIn("gave up", done.stderr)
        self.assertRegex(done.stderr, r"omen: .*late\.dve:\d+:\d+: division by zero")
        self.assertIn("trace:\n", done.stdout)
        # From the initial state, which has no step of its own, to the state in which all processes are
        # at the end.
        self.assertEqual(done.stdout.count(" -> P"), 4 * 44)
        # A limit that is hit after a fault does not replace it.
        with open(model("late.dve")) as f:
            text = f.read().replace("a + b + c + d == 176", "a == 5 && b + c + d == 0")
        with open(self.path("soon.dve"), "w") as f:
            f.write(text.replace("1 / (a - 44)", "1 / b"))
        for device in "0", "none":
            done = self.expect(3, "check", self.path("soon.dve"), "--invariant", "a < 100", "--device",
                               device, "--max-states", "100000", env=NO_LEAK_CHECK)
            self.assertIn("unknown (error in the model)", done.stdout)
            self.assertEqual(done.stdout.count(" -> P0"), 5)

    def test_a_device_that_is_full(self):
        if run("devices").stdout.startswith("none"):
            self.skipTest("no OpenCL device")
        done = self.expect(10, "check", MUTEX, "--ltl", "G F A.crit", "--exec", "vm", "--device", "0",
                           env={"OMEN_PLUGIN_PATH": PLUGINS, **NO_LEAK_CHECK})
        self.assertRegex(done.stderr, r"tired on .* gave up \(the device's memory is out\): "
                                      r"continuing with weak-hybrid on the CPU\n")
        self.assertIn("weak-hybrid on the CPU", done.stdout)
        done = self.expect(10, "check", MUTEX, "--ltl", "G F A.crit", "--exec", "vm", "--device", "0",
                           "--json", env={"OMEN_PLUGIN_PATH": PLUGINS, **NO_LEAK_CHECK})
        self.assertRegex(json.loads(done.stdout)["parts"][0]["gave_up"],
                         "^tired on .*: the device's memory is out$")

    def test_no_compiler(self):
        bare = {"OMEN_CC": "/nonexistent", "XDG_CACHE_HOME": self.path("cache")}
        for said in self.same_verdicts("--device", "none", env=bare):
            self.assertEqual(said.count("\n"), 1, said)
            self.assertIn("not found", said)
        self.refused(2, "compiler", "check", MUTEX, "--exec", "native", "--device", "none", env=bare)

    def test_no_place_for_caches(self):
        for place in ("/proc/nonexistent", "/dev/null", "relative"):
            self.same_verdicts("--device", "none", env={"XDG_CACHE_HOME": place, "HOME": place})
        locked = self.path("home")
        os.mkdir(locked, 0o500)
        self.same_verdicts("--device", "none", env={"XDG_CACHE_HOME": "", "HOME": locked})
        self.same_verdicts("--device", "none", env={"XDG_CACHE_HOME": locked})

    def signalled(self, *numbers):
        """Starts an endless check, and sends signals."""
        work = self.start(OMEN, "check", BIG, "--exec", "vm", "--device", "none", "--progress",
                          "always", stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in work.stderr:
            if re.search(r"[1-9]\d* states", line):
                break
        for number in numbers:
            if number == 0:
                time.sleep(0.1)
            else:
                work.send_signal(number)
        out, _ = work.communicate(timeout=60)
        return work.returncode, out

    def test_signals(self):
        for number in signal.SIGINT, signal.SIGTERM:
            status, out = self.signalled(number)
            self.assertEqual(status, 30)
            self.assertTrue(out.startswith("property deadlock: unknown (interrupted)\n"), out)
            self.assertRegex(out, r"[1-9]\d* states, [1-9]\d* transitions")
        self.assertEqual(self.signalled(signal.SIGKILL), (-9, ""))

    def test_signals_outside_a_check(self):
        """Without any result to report, they end the program in the usual way."""
        for args in ("convert", "-", "--to", "ba"), ("strength", "-"):
            for number in signal.SIGINT, signal.SIGTERM:
                work = self.start(OMEN, *args, stdin=subprocess.PIPE)
                time.sleep(0.2)
                work.send_signal(number)
                self.assertEqual(work.wait(timeout=60), -number)
                work.stdin.close()

    def test_a_signal_that_is_not_ours(self):
        """After SIGUSR2, a check still reacts to other signals."""
        status, out = self.signalled(signal.SIGUSR2, 0, signal.SIGUSR2, 0, signal.SIGTERM)
        self.assertEqual(status, 30)
        self.assertTrue(out.startswith("property deadlock: unknown (interrupted)\n"), out)

    def sleeper(self):
        """Returns an environment with a slow compiler that records its process id in a file."""
        script = self.path("cc")
        with open(script, "w") as f:
            f.write(f"#!/bin/sh\necho $$ > {self.path('pid')}\nsleep 60\nexit 1\n")
        os.chmod(script, 0o755)
        return {"OMEN_CC": script, "XDG_CACHE_HOME": self.path("cache")}

    def compiler(self):
        """Waits for the compiler to start, and returns its process id."""
        for _ in range(400):
            try:
                with open(self.path("pid")) as f:
                    said = f.read()
                if said.endswith("\n"):
                    return int(said)
            except FileNotFoundError:
                pass
            time.sleep(0.05)
        self.fail("no compiler was started")
        return 0

    def compiler_is_gone(self):
        pid = self.compiler()
        os.remove(self.path("pid"))
        for _ in range(100):
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                return
            time.sleep(0.05)
        self.fail("the compiler is still there")

    def test_limits_reach_the_compiler(self):
        env = self.sleeper()
        for executor in "auto", "native":
            since = time.monotonic()
            done = self.expect(30, "check", BIG, "--device", "none", "--exec", executor,
                               "--timeout", "1500ms", env=env)
            self.assertIn("unknown (time limit)", done.stdout)
            self.assertEqual(done.stderr, "")
            self.compiler_is_gone()
            done = self.expect(30, "explore", BIG, "--exec", executor, "--timeout", "1500ms",
                               env=env)
            self.assertIn("incomplete: time limit", done.stdout)
            self.assertLess(time.monotonic() - since, 40)
            self.compiler_is_gone()
        self.assertEqual([name for name in os.listdir(self.path("cache/omen/native"))], [])

    def test_signals_reach_the_compiler(self):
        work = self.start(OMEN, "check", BIG, "--device", "none", stdout=subprocess.PIPE,
                          text=True, env={**os.environ, **self.sleeper()})
        self.compiler()
        work.send_signal(signal.SIGINT)
        out, _ = work.communicate(timeout=60)
        self.assertEqual(work.returncode, 30)
        self.assertIn("unknown (interrupted)", out)
        self.compiler_is_gone()

    def test_limits_reach_a_translation(self):
        formula = " & ".join(f'(G F "turn == {i}" -> G F "want[1] == {i}")' for i in range(9))
        since = time.monotonic()
        done = self.expect(30, "check", MUTEX, "--ltl", formula, "--timeout", "500ms", "--device",
                           "none", "--exec", "vm")
        self.assertEqual(done.stdout.splitlines()[0], f"property {formula}: unknown (time limit)")
        self.assertLess(time.monotonic() - since, 30)

    def test_a_reader_that_does_not_read(self):
        """A full pipe delays neither the check nor a signal."""
        end, other = os.pipe()
        os.set_blocking(other, False)
        try:
            while True:
                os.write(other, b"x" * 4096)
        except BlockingIOError:
            os.set_blocking(other, True)
        work = self.start(OMEN, "check", BIG, "--timeout", "500ms", "--device", "none", "--exec",
                          "vm", "--progress", "always", "-q", stdout=subprocess.PIPE, stderr=other,
                          text=True)
        self.assertIn("time limit", work.communicate(timeout=60)[0])
        work = self.start(OMEN, "check", MUTEX, "--device", "none", "--exec", "vm", stdout=other,
                          stderr=subprocess.PIPE, text=True)
        time.sleep(2)
        self.assertIsNone(work.poll())
        work.send_signal(signal.SIGTERM)
        self.assertIn("cannot write to standard output", work.communicate(timeout=60)[1])
        self.assertEqual(work.returncode, 3)
        os.close(other)
        os.close(end)

    def test_a_reader_that_goes(self):
        """If the reader of the progress is gone, the check ends."""
        work = self.start(OMEN, "check", BIG, "--device", "none", "--exec", "vm", "--json-lines",
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertIn("progress", work.stdout.readline())
        work.stdout.close()
        self.assertEqual(work.wait(timeout=60), 3)
        self.assertIn("cannot write to standard output", work.stderr.read())
        work.stderr.close()

    def test_full_disk(self):
        """Caches that fit on no disk, including those of the OpenCL driver."""
        inside = f'mount -t tmpfs -o size=$1 omen {self.folder.name} && shift && exec "$@"'
        for size in "16k", "2m":
            for formula, status in QUESTIONS:
                done = subprocess.run(["unshare", "-m", "sh", "-c", inside, "sh", size, OMEN, "check",
                                       MUTEX, "--ltl", formula, "-q"], capture_output=True,
                                      text=True, timeout=100, env={**os.environ, **NO_LEAK_CHECK,
                                      "XDG_CACHE_HOME": self.folder.name})
                if "unshare" in done.stderr or "mount" in done.stderr:
                    self.skipTest("no file system may be mounted here")
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertEqual(LINE.match(done.stdout.splitlines()[0]).group(1), formula)

    def test_nothing_is_left_behind(self):
        """Not even if the only writable folder is that of temporary files."""
        env = {"TMPDIR": self.folder.name, "XDG_CACHE_HOME": "/proc/nonexistent"}
        for executor in "vm", "native":
            self.same_verdicts("--device", "none", "--exec", executor, env=env)
            self.assertEqual(os.listdir(self.folder.name), [])


if __name__ == "__main__":
    main()
