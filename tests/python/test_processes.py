# SPDX-License-Identifier: Apache-2.0
"""The program as a child process: which one is started, what it reads, and that no process remains."""
import gc
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
from unittest import mock

import omen
from support import CPU, PROGRAM, SECONDS, Case, demo, model, read

# A model of 250^5 states; its explorations have limits, too, in case they are not ended.
LONG = {"model": model("big.dve"), "timeout": SECONDS, "memory": "4G", **CPU}


def gone(pid):
    """Waits until the process has ended; returns whether it has."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
                if f.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.02)
    return False


class Ending(Case):
    def recorded(self, before=""):
        """Returns a back end that records its process id before it runs omen."""
        return self.program(f"{before}echo $$ > '{self.path('pid')}'\nexec '{PROGRAM}' \"$@\"\n")

    def pid(self, name="pid"):
        """Returns the process id when it has been recorded."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            if os.path.exists(self.path(name)) and read(self.path(name)).endswith("\n"):
                return int(read(self.path(name)))
            time.sleep(0.02)
        return self.fail("it was not started")

    def test_abandoned_iterators(self):
        events = omen.check_iter(**LONG, backend=self.recorded())
        self.assertIsInstance(next(events), omen.Progress)
        self.assertTrue(os.path.exists(f"/proc/{self.pid()}"))
        del events
        gc.collect()
        self.assertTrue(gone(self.pid()))

    def test_closed_iterators(self):
        events = omen.check_iter(**LONG, backend=self.recorded())
        next(events)
        events.close()
        self.assertFalse(os.path.exists(f"/proc/{self.pid()}"))

    def test_an_iterator_that_nobody_asks_starts_nothing(self):
        omen.check_iter(**LONG, backend=self.recorded()).close()
        self.assertFalse(os.path.exists(self.path("pid")))

    def run_python(self, number, call):
        """Sends a signal to a Python process that waits for omen."""
        backend = self.recorded()
        keywords = {k: v for k, v in LONG.items() if k != "model"}
        code = (f"import omen\ntry:\n    omen.{call}({LONG['model']!r}, **{keywords!r}, "
                f"backend=omen.Local({backend.program()!r}))\n"
                "except KeyboardInterrupt:\n    print('interrupted')\n")
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as python:
            pid = self.pid()
            self.assertTrue(os.path.exists(f"/proc/{pid}"))
            python.send_signal(number)
            said = python.communicate(timeout=SECONDS)[0]
        return pid, said

    def test_ctrl_c(self):
        """Also immediately after the process starts, before its id is known."""
        for call in "check", "explore", "check", "check":
            pid, said = self.run_python(signal.SIGINT, call)
            self.assertEqual(said, "interrupted\n")
            self.assertFalse(os.path.exists(f"/proc/{pid}"))
            os.remove(self.path("pid"))

    def test_ctrl_c_while_it_is_started(self):
        """The process is created after the exception."""
        popen, started = subprocess.Popen, []

        def slow(*args, **keywords):
            signal.raise_signal(signal.SIGINT)
            time.sleep(0.3)
            started.append(popen(*args, **keywords))
            return started[0]

        with mock.patch("omen._local.subprocess.Popen", slow), self.assertRaises(KeyboardInterrupt):
            omen.check(**LONG)
        self.assertEqual([process.returncode is None for process in started], [False])

    def test_a_python_that_is_killed(self):
        """No process is left to end omen; it ends because its progress is no longer read."""
        pid, _ = self.run_python(signal.SIGKILL, "check")
        self.assertTrue(gone(pid))

    def test_one_that_does_not_want_to_end(self):
        """A process that ignores SIGTERM is killed, with its children."""
        backend = self.program(f"trap '' TERM\nsleep 1000 & echo $! > '{self.path('child')}'\n"
                               f"echo $$ > '{self.path('pid')}'\necho 'omen: it goes on' >&2\n"
                               "wait\nsleep 1000\n")
        with mock.patch("omen._local._GRACE_SECONDS", 0.2):
            events = omen.check_iter(**LONG, backend=backend)
            self.assertEqual(next(events), omen.Note(text="it goes on", warning=False))
            events.close()
        self.assertFalse(os.path.exists(f"/proc/{self.pid()}"))
        self.assertTrue(gone(self.pid("child")))

    def test_killed_by_others(self):
        with self.assertRaisesRegex(omen.BackendError, "ended by signal SIGKILL"):
            omen.check(demo("mutex"), backend=self.program("kill -KILL $$\n"))

    def test_output_that_a_stranger_keeps_open(self):
        """After omen has ended, another process that holds its output is not waited for."""
        backend = self.program(f"sleep 1000 & echo $! > '{self.path('child')}'\nexec '{PROGRAM}' \"$@\"\n")
        self.assertTrue(omen.check(demo("mutex"), **CPU, backend=backend).holds)
        child = self.pid("child")
        self.assertTrue(os.path.exists(f"/proc/{child}"))
        os.kill(child, signal.SIGKILL)


class Programs(Case):
    def test_which(self):
        with mock.patch.dict(os.environ):
            del os.environ["OMEN"]
            os.environ["PATH"] = os.path.dirname(PROGRAM)
            self.assertEqual(omen.Local().program(), PROGRAM)
            os.environ["PATH"] = self.folder
            with self.assertRaisesRegex(omen.BackendError, "no program 'omen'"):
                omen.check(demo("mutex"))
            os.environ["OMEN"] = PROGRAM
            self.assertEqual(omen.Local().program(), PROGRAM)
            with self.assertRaisesRegex(omen.BackendError, "no program '/none'"):
                omen.Local("/none").program()
        self.assertEqual(repr(omen.Local("x")), "Local('x')")

    def test_one_that_cannot_be_started(self):
        backend = self.program("")
        with open(backend.program(), "w", encoding="utf-8") as f:
            f.write("#!/no/such/program\n")
        with self.assertRaisesRegex(omen.BackendError, "cannot start"):
            omen.check(demo("mutex"), backend=backend)
        with self.assertRaisesRegex(omen.BackendError, "cannot start .*: embedded null byte"):
            omen.check(demo("mutex"), ltl="G\0true")

    def test_environment(self):
        text = self.written("broken.so", "x")
        found = omen.plugins(backend=omen.Local(environment={**os.environ, "OMEN_PLUGIN_PATH": self.folder}))
        self.assertEqual([r.path for r in found.refused], [text])

    def test_answers_that_are_none(self):
        for said, pattern in (("echo nonsense", "incomplete"), ("echo []", "not an object"), ("echo '{\"schema\": 2}'", "version 2"),
                              ("echo '{\"schema\": 1}'", "has no 'plugins'"), ("", "incomplete"),
                              ("echo '{\"schema\": 1, \"plugins\": 7, \"refused\": []}'", r"Plugins\.plugins: unexpected value"),
                              ("exit 7", "status 7"), ("echo omen: why >&2; exit 1", "^why$")):
            with self.assertRaisesRegex(omen.Error, pattern) as caught:
                omen.plugins(backend=self.program(said + "\n"))
            self.assertIs(type(caught.exception),
                          omen.InternalError if "why" in pattern else omen.BackendError, said)
        with self.assertRaisesRegex(omen.BackendError, "gave no result"):
            omen.check(demo("mutex"), backend=self.program("exit 0\n"))

    def test_much_is_said(self):
        """More than pipes hold, in both directions, while the model is not read."""
        backend = self.program("i=0; while [ $i -lt 3000 ]; do echo \"omen: warning: $i is a number that is said to be "
                               "what it is\" >&2; i=$((i+1)); done\nexit 3\n")
        with self.assertLogs("omen") as logged, self.assertRaises(omen.InputError):
            omen.check("// nothing\n" * 50000, backend=backend)
        self.assertEqual(len(logged.records), 3000)

    def test_one_that_says_no_more_and_waits_for_its_input(self):
        backend = self.program("exec >&- 2>&-\ncat > /dev/null\n")
        with self.assertRaisesRegex(omen.BackendError, "gave no result"):
            omen.check("// nothing\n" * 50000, backend=backend)

    def test_lines_of_others(self):
        """Drivers print messages, too; invalid UTF-8 is replaced."""
        backend = self.program("printf 'a driver: \\377\\n\\nomen: last' >&2\nexit 1\n")
        with self.assertRaisesRegex(omen.InternalError, "^last$") as caught:
            omen.devices(backend=backend)
        self.assertEqual(caught.exception.messages, ("a driver: \ufffd", "last"))

    def test_no_descriptor_is_left(self):
        def count():
            gc.collect()
            return len(os.listdir("/proc/self/fd"))

        before = count()
        text, never = read(demo("mutex")), omen.translate("GF true")
        omen.check(text, never=never, **CPU)
        for bad in (lambda: omen.check(text, checker="nobody"), lambda: omen.check(text, backend=omen.Local("/none")),
                    lambda: omen.check(text, never=never, backend=self.program("exit 1\n"))):
            self.assertRaises(omen.Error, bad)
        events = omen.check_iter(**LONG)
        next(events)
        events.close()
        self.assertEqual(count(), before)

    def test_threads(self):
        """Texts go through pipes that no other child inherits."""
        texts = [f"byte n; process P {{ state s; init s; trans s -> s {{ guard n < {i}; effect n = n + 1; }}; }}\n"
                 "system async;\n" for i in range(8)]
        found = [0] * len(texts)

        def explore(i):
            found[i] = omen.explore(texts[i], **CPU).states

        threads = [threading.Thread(target=explore, args=(i,)) for i in range(len(texts))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [i + 1 for i in range(len(texts))])


class Recorder(omen.Backend):
    """A back end that records requests and answers with given lines."""

    def __init__(self, *lines, status=0):
        self.lines, self.status, self.requests = lines, status, []

    def run(self, request):
        self.requests.append(request)
        yield from self.lines
        return self.status


class Backends(unittest.TestCase):
    def test_requests(self):
        backend = Recorder(omen.Line("err", "omen: m.dve:1:2: wrong"), status=3)
        with self.assertRaises(omen.InputError) as caught:
            list(omen.check_iter("byte n;\n", ltl="G p", timeout=1.5, device=0, fair=["GF a", "GF b"], deadlock=False,
                                 reset_dead=False, never=omen.Automaton("HOA: v1\n"), backend=backend))
        self.assertEqual((caught.exception.file, caught.exception.line, caught.exception.column), ("m.dve", 1, 2))
        never = omen.Source("automaton", None, "HOA: v1\n")
        self.assertEqual(backend.requests, [omen.Request(
            "check", (omen.Source("model", None, "byte n;\n"),),
            (("ltl", "G p"), ("never", never), ("frontend", "dve"), ("device", "0"), ("fair", "GF a"), ("fair", "GF b"),
             ("reset-dead", "off"), ("timeout", "1500ms"), ("json-lines", None)))])

    def test_answers(self):
        backend = Recorder(omen.Line("out", "HOA: v1"), omen.Line("out", "--END--"))
        self.assertEqual(omen.convert("a.hoa", "tgba", backend=backend).hoa, "HOA: v1\n--END--\n")
        self.assertEqual(backend.requests[0].arguments, (omen.Source("automaton", "a.hoa", None),))


if __name__ == "__main__":
    unittest.main()
