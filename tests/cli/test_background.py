#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compilers that go on after a check has ended.

The compiler is a script that waits for a file, so no test depends on the speed of the machine: a check ends while
its compiler waits. Then it copies an object that was made before, because a compiler in the background gets hardly
any time on a busy machine. Searches end by a time limit, which grows if it was too short for the compiler to start.
"""
import glob
import json
import os
import resource
import signal
import subprocess
import sys
import time

from cli import OMEN, Case, main, model, run

BIG = model("big.dve")
LIMITS = ("1s", "4s", "15s", "45s")
WAITING = """#!/bin/sh
echo $$ $(ps -o ni= -p $$) "$@" >> {folder}/calls
while [ ! -e {folder}/go ]; do sleep 0.02; done
[ ! -e {folder}/end ] || exit 1
{rest}
"""
# The first time, it compiles.
COPYING = """made=$(dirname "$0")/made
for f; do case $f in *.so) out=$f ;; esac; done
[ -e "$made" ] || { cc "$@" && cp "$out" "$made.new" && mv "$made.new" "$made"; }
exec cp "$made" "$out"
"""


def state(pid):
    """Returns the state of a process, such as "T" for stopped; "Z": it has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as f:
            return f.read().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


def alive(pid):
    return state(pid) != "Z"


def runs_on(pid):
    """Returns whether the process is not stopped for three intervals of its worker."""
    end = time.monotonic() + 0.9
    while state(pid) != "T" and time.monotonic() < end:
        time.sleep(0.005)
    return state(pid) != "T"


def soon(true, seconds=120):
    """Waits until the condition holds; returns whether it does."""
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.02)
    return bool(true())


class Background(Case):
    def setUp(self):
        super().setUp()
        self.env = {"XDG_CACHE_HOME": self.path("cache"), "OMEN_BACKGROUND": "on",
                    "OMEN_CC": self.compiler(COPYING)}
        self.addCleanup(self.end_all)

    def compiler(self, rest):
        path = self.path("cc")
        with open(path, "w", encoding="ascii") as f:
            f.write(WAITING.format(folder=self.folder.name, rest=rest))
        os.chmod(path, 0o700)
        return path

    def go(self):
        with open(self.path("go"), "w", encoding="ascii"):
            pass

    def prepare(self, *command):
        """Makes the object of a command; the cache stays empty."""
        self.go()
        done = run(*command, "--device", "none", "--exec", "native", "--max-states", "10",
                   env={**self.env, "XDG_CACHE_HOME": self.path("other")}, timeout=600)
        self.assertEqual(done.returncode, 30, done.stderr)
        os.remove(self.path("go"))
        os.remove(self.path("calls"))

    def calls(self):
        """Returns the process, the niceness and the arguments of each compiler so far."""
        try:
            with open(self.path("calls"), encoding="ascii") as f:
                return [(int(line.split()[0]), int(line.split()[1]), line.split()[2:]) for line in f]
        except FileNotFoundError:
            return []

    def compilers(self):
        return [pid for pid, _, _ in self.calls() if alive(pid)]

    def end_all(self):
        """Ends the compilers that wait. No process is killed by a number that another one may have by now."""
        with open(self.path("end"), "w", encoding="ascii"):
            pass
        self.go()
        self.assertTrue(soon(lambda: not self.compilers() and not self.temporary()))

    def cached(self):
        return glob.glob(self.path("cache/omen/native/*"))

    def temporary(self):
        return glob.glob(self.path("cache/omen/work/omen-*"))

    def check(self, limit, *more, path=BIG, **surroundings):
        done = run("check", path, *(more or ("--deadlock",)), "--json", "--device", "none", "--threads", "1",
                   "--timeout", limit, env={**self.env, **surroundings}, timeout=600)
        self.assertEqual((done.returncode, done.stderr), (30, ""), done.stdout)
        found = json.loads(done.stdout)
        self.fits("check", found)
        return found["code"]  # None: the limit ended it before the search

    def start(self, *more, path=BIG, **surroundings):
        """Checks until a compiler was started, and returns the figures of that check."""
        before = len(self.calls())

        def attempt(limit):
            code = self.check(limit, *more, path=path, **surroundings)
            self.assertIsNotNone(code)
            self.assertGreater(len(self.calls()), before)
            return code
        return self.patiently(attempt, LIMITS)

    def cached_check(self, **more):
        """Checks with a limit that is long enough for the search to start."""
        def attempt(limit):
            code = self.check(limit, **more)
            self.assertIsNotNone(code)
            return code
        return self.patiently(attempt, LIMITS)

    def leave(self, *more):
        """Checks until a compiler is left in the background. Returns its process."""
        code = self.start(*more)
        self.assertTrue(code["compiling"])
        self.assertEqual(code["interpreter"], "vm")
        self.assertEqual((code["native_seconds"], code["quick_seconds"], code["cached"]), (0, 0, False))
        self.assertGreater(code["compiler_seconds"], 0)
        return self.calls()[-1][0]

    def nothing_left(self, cached):
        self.assertTrue(soon(lambda: not self.compilers() and not self.temporary()), self.temporary())
        self.assertEqual(len(self.cached()), cached)

    def test_the_second_run_is_native(self):
        self.prepare("check", BIG, "--deadlock")
        pid = self.leave()
        with open(f"/proc/{pid}/stat", encoding="ascii") as f:
            fields = f.read().rpartition(")")[2].split()
        self.assertNotEqual(int(fields[3]), os.getsid(0))
        self.assertEqual(fields[4], "0")  # no terminal
        self.assertEqual(self.cached(), [])
        self.go()
        self.assertTrue(soon(self.cached))
        code = self.cached_check()
        self.assertEqual((code["interpreter"], code["interpreter_seconds"], code["compiler_seconds"]), (None, 0, 0))
        self.assertTrue(code["cached"])
        self.assertFalse(code["compiling"])
        self.assertGreater(code["native_seconds"], 0)
        self.assertEqual(len(self.calls()), 1)
        self.nothing_left(1)

    def test_no_pipe_is_held(self):
        """A caller that reads everything from a program, as a shell does, does not wait for the compiler."""
        def attempt(limit):
            end, other = os.pipe()
            done = subprocess.run([OMEN, "check", BIG, "--deadlock", "--json", "--device", "none", "--timeout", limit],
                                  env={**os.environ, **self.env}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  pass_fds=[other], timeout=300, check=False)
            os.close(other)
            self.assertEqual(os.read(end, 1), b"")
            os.close(end)
            self.assertTrue((json.loads(done.stdout)["code"] or {}).get("compiling"))
        self.patiently(attempt, LIMITS)
        self.assertEqual(len(self.compilers()), 1)

    def test_explore(self):
        self.prepare("explore", BIG)

        def attempt(limit):
            done = run("explore", BIG, "--json", "--device", "none", "--timeout", limit, env=self.env,
                       timeout=600)
            found = json.loads(done.stdout)
            self.fits("explore", found)
            self.assertTrue((found["code"] or {}).get("compiling"))
        self.patiently(attempt, LIMITS)
        self.go()
        self.assertTrue(soon(self.cached))
        self.nothing_left(1)

    def test_a_compiler_that_fails(self):
        self.compiler("echo 'error: no luck' >&2\nexit 1")
        self.leave()
        self.go()
        self.nothing_left(0)

    def test_a_compiler_that_makes_nonsense(self):
        self.compiler('while [ "$1" != -o ]; do shift; done\necho nonsense > "$2"')
        self.leave()
        self.go()
        self.nothing_left(0)

    def test_it_gives_way(self):
        """The compiler is stopped while the machine is busy, except while a check waits for it."""
        for _ in range(os.cpu_count() + 2):
            program = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            self.addCleanup(program.wait)
            self.addCleanup(program.kill)
        pid = self.leave()
        self.assertTrue(soon(lambda: state(pid) == "T"))
        with subprocess.Popen([OMEN, "check", BIG, "--deadlock", "--device", "none"], env={**os.environ, **self.env},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
            self.assertTrue(soon(lambda: runs_on(pid)))
            program.send_signal(signal.SIGINT)
            program.communicate(timeout=300)
        self.assertTrue(soon(lambda: state(pid) == "T"))
        self.assertEqual(self.compilers(), [pid])

    def test_one_compiler_for_a_text(self):
        """Checks that start while a compiler goes on wait for it, and start none of their own."""
        self.prepare("check", BIG, "--deadlock")
        first = self.leave()

        def waits(limit):
            code = self.check(limit)
            self.assertIsNotNone(code)
            self.assertTrue(code["compiling"])
            self.assertEqual(code["interpreter"], "vm")
        for _ in range(3):
            self.patiently(waits, LIMITS)
            self.assertEqual(self.compilers(), [first])
        self.assertEqual(len(self.calls()), 1)
        os.kill(first, signal.SIGKILL)
        self.assertTrue(soon(lambda: not self.temporary()))
        self.leave()  # no lock is left
        self.go()
        self.assertTrue(soon(self.cached))
        self.nothing_left(1)

    def test_at_once(self):
        """Several checks that run at the same time leave one compiler, and one object."""
        self.prepare("check", BIG, "--deadlock")

        def attempt(limit):
            command = [OMEN, "check", BIG, "--deadlock", "--json", "--device", "none", "--timeout", limit]
            programs = [subprocess.Popen(command, env={**os.environ, **self.env}, stdout=subprocess.PIPE)
                        for _ in range(3)]
            left = [json.loads(p.communicate(timeout=300)[0])["code"] for p in programs]
            self.assertTrue(any(code is not None and code["compiling"] for code in left))
        self.patiently(attempt, LIMITS)
        self.assertTrue(soon(lambda: len(self.compilers()) == 1))
        self.go()
        self.assertTrue(soon(self.cached))
        self.nothing_left(1)

    def test_only_a_few(self):
        most = min(4, os.cpu_count())
        for number in range(most + 2):
            self.start("--invariant", f"a != {number + 300}")
        self.assertTrue(soon(lambda: len(self.compilers()) <= most))
        self.assertGreater(len(self.compilers()), 0)

    def none_left(self, **surroundings):
        self.assertFalse(self.start(**surroundings)["compiling"])
        self.nothing_left(0)

    def test_not_if_switched_off(self):
        self.none_left(OMEN_BACKGROUND="off")

    def test_not_without_a_cache(self):
        self.none_left(OMEN_CACHE="off")
        self.assertFalse(os.path.exists(self.path("cache")))

    def test_not_with_a_limit(self):
        old = resource.getrlimit(resource.RLIMIT_CPU)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_CPU, old)
        resource.setrlimit(resource.RLIMIT_CPU, (100000, old[1]))
        self.none_left()

    def ended_by(self, number):
        """Sends the signal to a check whose compiler has started."""
        with subprocess.Popen([OMEN, "check", BIG, "--deadlock", "--device", "none"], env={**os.environ, **self.env},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
            self.assertTrue(soon(self.calls))
            program.send_signal(number)
            program.communicate(timeout=300)

    def test_an_interrupt(self):
        for number in signal.SIGINT, signal.SIGTERM:
            self.ended_by(number)
            self.nothing_left(0)
            os.remove(self.path("calls"))

    def test_a_kill(self):
        """The next check removes the temporary files."""
        self.ended_by(signal.SIGKILL)
        self.assertTrue(soon(lambda: not self.compilers()))
        self.go()
        self.check("1s")
        self.assertTrue(soon(lambda: not self.temporary()))

    def large(self):
        """Returns a model whose text is large: quick code comes first."""
        path = self.path("large.dve")
        with open(path, "w", encoding="ascii") as f:
            f.write("byte a; byte b; byte c; byte d;\nprocess P {\nstate s;\ninit s;\ntrans\n")
            f.write(",\n".join(f"s -> s {{ guard a != {n % 256} || b != {n // 256} || c + d == 500; "
                               f"effect {'abcd'[n % 4]} = ({'abcd'[n % 4]} + {n % 7 + 1}) % 256; }}"
                               for n in range(300)))
            f.write(";\n}\nsystem async;\n")
        self.prepare("check", path, "--deadlock")
        return path

    def test_quick_code_first(self):
        path, quick_seconds = self.large(), []
        self.go()

        def attempt(limit):
            code = self.check(limit, path=path)
            self.assertIsNotNone(code)
            quick_seconds.append(code["quick_seconds"])
            self.last = code
            self.assertGreater(code["native_seconds"], 0)
        self.patiently(attempt, LIMITS)
        (_, nice, quick), (_, later, best) = self.calls()[0], self.calls()[-1]
        self.assertIn("-Og", quick)
        self.assertIn("-O1", best)
        self.assertEqual((nice, later), (0, 10))
        self.assertGreater(max(quick_seconds), 0)
        self.assertGreater(min(self.last["quick_compiler_seconds"],
                               self.last["compiler_seconds"] - self.last["quick_compiler_seconds"]), 0)
        self.assertGreaterEqual(self.last["text_bytes"], 64 * 1024)
        self.nothing_left(1)
        code = self.cached_check(path=path)
        self.assertEqual((code["interpreter"], code["quick_seconds"]), (None, 0))

    def test_quick_code_in_the_background(self):
        path = self.large()
        self.assertTrue(self.start(path=path)["compiling"])
        self.go()
        self.assertTrue(soon(self.cached))
        code = self.cached_check(path=path)
        self.assertEqual(code["interpreter"], None)
        self.assertTrue(code["cached"])
        self.assertGreater(code["quick_seconds"], 0)
        self.nothing_left(1)


if __name__ == "__main__":
    main()
