#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""omen simulate: walks without a terminal, and with one, simulated by tmux."""
import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

import cli
from cli import DEMO, model

STARVATION = os.path.join(DEMO, "starvation.dve")
FORGOTTEN = "G(Client_0.waiting -> F Client_0.served)"


class Walks(cli.Case):
    def walk(self, status, *args, **more):
        found = json.loads(self.expect(status, "simulate", *args, "--json", **more).stdout)
        self.fits("simulate", found)
        self.assertEqual(len(found["run"]["states"]), found["steps"] + 1)
        return found

    def test_seed(self):
        """Equal seeds give equal walks, different seeds different ones. Each walk is a valid run."""
        walks = [self.walk(0, STARVATION, "--steps", "30", "--seed", str(seed)) for seed in range(5)]
        self.assertEqual(walks[3], self.walk(0, STARVATION, "--steps", "30", "--seed", "3"))
        self.assertEqual(len({json.dumps(w["run"]) for w in walks}), 5)
        for found in walks:
            self.assertEqual((found["ended"], found["steps"]), ("steps", 30))
        self.assertEqual(self.walk(0, STARVATION, "--steps", "0")["run"]["states"][0]["#meta"],
                         {"index": 0, "transition": None})

    def test_text(self):
        done = self.expect(0, "simulate", model("ends.dve"), "--steps", "9", "--seed", "1")
        self.assertRegex(done.stdout, r"^trace:\n    0:\n")
        self.assertRegex(done.stdout, r"\n4 steps, then: deadlock\n$")
        done = self.expect(0, "simulate", model("ends.dve"), "--steps", "3", "-q")
        self.assertEqual(done.stdout, "3 steps\n")
        done = self.expect(0, "simulate", model("ends.dve"), "--steps", "9", "-q", "--break", "n == 2",
                           "--break", "n >= 2")
        self.assertEqual(done.stdout, "2 steps, then: breakpoint n == 2, n >= 2\n")

    def test_ends(self):
        found = self.walk(0, model("ends.dve"), "--steps", "100")
        self.assertEqual((found["ended"], found["steps"]), ("deadlock", 4))
        found = self.walk(3, model("fault.dve"), "--steps", "100")
        self.assertEqual((found["ended"], found["steps"]), ("fault", 2))
        self.assertRegex(found["reason"], r"fault\.dve:9:")
        found = self.walk(3, model("wraps.dve"), "--steps", "100", "--overflow", "error")
        self.assertEqual((found["ended"], found["steps"]), ("fault", 3))
        self.assertEqual(self.walk(0, model("wraps.dve"), "--steps", "100")["ended"], "deadlock")

    def test_breakpoints(self):
        found = self.walk(0, STARVATION, "--steps", "1000000", "--break", "Client_1.served",
                          "--break", "queued[2] == 1")
        self.assertEqual(found["ended"], "breakpoint")
        last = found["run"]["states"][-1]
        true = {"Client_1.served": last["Client_1"] == "served",
                "queued[2] == 1": last["queued"][2] == 1}
        self.assertEqual(found["breakpoints"], [b for b in true if true[b]])
        for state in found["run"]["states"][:-1]:
            self.assertFalse(state["Client_1"] == "served" or state["queued"][2] == 1)
        found = self.walk(0, STARVATION, "--steps", "5", "--break", "Client_1.idle")
        self.assertEqual((found["ended"], found["steps"]), ("breakpoint", 0))
        self.assertEqual(found["breakpoints"], ["Client_1.idle"])

    def test_load(self):
        """Along a lasso and around its cycle; away from the end of a trace."""
        lasso, walked = self.path("run.json"), self.path("walked.json")
        self.check(10, STARVATION, "--ltl", FORGOTTEN, "--lasso", lasso, "--threads", "1")
        with open(lasso, encoding="utf-8") as f:
            run = json.load(f)
        count, loop = len(run["states"]), run["loop"]
        found = self.walk(0, STARVATION, "--load", lasso, "--steps", str(3 * count), "--lasso", walked)
        self.assertEqual(found["loaded"], lasso)
        for i, state in enumerate(found["run"]["states"]):
            expected = run["states"][i if i < count else loop + (i - loop) % (count - loop)]
            self.assertEqual({k: v for k, v in state.items() if k != "#meta"},
                             {k: v for k, v in expected.items() if k != "#meta"})
        again = self.walk(0, STARVATION, "--load", walked, "--steps", str(3 * count + 7))
        self.assertEqual(again["run"]["states"][:3 * count], found["run"]["states"][:-1])
        self.assertEqual(again["steps"], 3 * count + 7)

    def test_loaded_values_are_what_they_are(self):
        """A lasso contains the real values of dead variables, so the loaded values are equal to them."""
        lasso = self.path("run.json")
        demo = os.path.join(DEMO, "lossy.dve")
        self.check(10, demo, "--ltl", "GF Receiver.deliver", "--lasso", lasso, "--threads", "1")
        with open(lasso, encoding="utf-8") as f:
            run = json.load(f)
        self.assertFalse(run["#meta"]["reset_dead"])
        found = self.walk(0, demo, "--load", lasso, "--steps", "200")
        self.assertFalse(found["run"]["#meta"]["reset_dead"])
        count, loop = len(run["states"]), run["loop"]
        for i, state in enumerate(found["run"]["states"][:-1]):
            at = i if i < count else loop + (i - loop) % (count - loop)
            self.assertEqual(state["#meta"]["transition"], run["states"][at]["#meta"]["transition"])
            self.assertEqual({k: v for k, v in state.items() if k != "#meta"},
                             {k: v for k, v in run["states"][at].items() if k != "#meta"})

    def test_refused(self):
        wrong, lasso = self.path("wrong.json"), self.path("run.json")
        self.refused(2, "terminal.*--steps", "simulate", STARVATION)
        self.refused(2, "--json needs --steps N", "simulate", STARVATION, "--json")
        self.refused(2, "--lasso needs --steps N", "simulate", STARVATION, "--lasso", wrong)
        self.refused(2, "--steps takes a number", "simulate", STARVATION, "--steps", "-1")
        self.refused(3, "breakpoint.*nobody", "simulate", STARVATION, "--steps", "1", "--break", "nobody")
        self.refused(3, "wrong.json", "simulate", STARVATION, "--steps", "1", "--load", wrong)
        self.refused(2, "breakpoints", "simulate", STARVATION, "--steps", "1",
                     *["--break=queued[0] == 1"] * 65)
        self.expect(0, "simulate", STARVATION, "--steps", "4", "--lasso", lasso)
        with open(lasso, encoding="utf-8") as f:
            run = json.load(f)
        run["states"][1]["queued"] = [1, 1, 1]
        with open(wrong, "w", encoding="utf-8") as f:
            json.dump(run, f)
        self.refused(3, "does not lead to state 1", "simulate", STARVATION, "--steps", "1", "--load",
                     wrong)
        self.refused(3, "not a run of model|not the variables", "simulate", model("mutex.dve"), "--steps",
                     "1", "--load", lasso)

    def test_limits(self):
        done = cli.limited("simulate", STARVATION, "--steps", "9000000000", "-q")
        self.assertEqual(done.returncode, 30)
        self.assertRegex(done.stdout, r"^\d+ steps, then: limit \(time limit\)\n$")

    @staticmethod
    def worked(pid):
        """Returns the processor time of a process in seconds."""
        with open(f"/proc/{pid}/stat", encoding="ascii") as f:
            return int(f.read().rpartition(")")[2].split()[11]) / os.sysconf("SC_CLK_TCK")

    def test_interrupted(self):
        omen = subprocess.Popen([cli.OMEN, "simulate", STARVATION, "--steps", "9000000000", "-q"],
                                stdout=subprocess.PIPE, text=True)
        while self.worked(omen.pid) < 0.2:  # it walks by now, even if it is twenty times slower
            time.sleep(0.02)
        omen.send_signal(signal.SIGINT)
        out, _ = omen.communicate(timeout=120)
        self.assertRegex(out, r"^\d+ steps, then: limit \(interrupt\w*\)\n$")
        self.assertEqual(omen.returncode, 30)


@unittest.skipUnless(shutil.which("tmux"), "tmux is not there")
class Terminal(cli.Case):
    """After the program ends, the shell reports its status and the state of the terminal."""
    WAIT, PAUSE = 120, 0.02  # seconds

    def setUp(self):
        super().setUp()
        self.socket, self.servers = None, 0
        if "built without ncurses" in self.expect(2, "simulate", STARVATION).stderr:
            self.skipTest("this omen was built without ncurses")

    def tmux(self, *args, check=True):
        return subprocess.run(["tmux", "-S", self.socket, "-f", os.devnull, *args], capture_output=True,
                              text=True, timeout=self.WAIT, check=check).stdout

    def open(self, width, height, command):
        """Opens a terminal on its own tmux server, because a server that is about to end accepts no
        more.
        """
        self.servers += 1
        self.socket = self.path(f"tmux{self.servers}")
        self.addCleanup(subprocess.run, ["tmux", "-S", self.socket, "kill-server"], check=False,
                        capture_output=True)
        self.tmux("new-session", "-d", "-x", str(width), "-y", str(height), command)

    def start(self, *args, width=80, height=24, waits="Enabled|state 0"):
        command = " ".join(f"'{a}'" for a in (cli.OMEN, "simulate", *args))
        self.open(width, height,
                  f"stty -a | tr ';' '\\n' > {self.path('before')}; {command}; echo status $?; "
                  f"stty -a | tr ';' '\\n' > {self.path('after')}; echo done; cat")
        self.wait(waits)

    def seen(self):
        return self.tmux("capture-pane", "-p")

    def wait(self, pattern):
        """Waits until the pattern is visible and returns the screen. Polls are counted instead of time,
        which also passes while this process is stopped.
        """
        for _ in range(int(self.WAIT / self.PAUSE)):
            seen = self.seen()
            if re.search(pattern, seen):
                return seen
            time.sleep(self.PAUSE)
        self.fail(f"{pattern} is not in\n{seen}")

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def leave(self, status=0, keys=("q",)):
        """Checks that the program ends with this status, and that the terminal is restored."""
        if keys:
            self.keys(*keys)
        seen = self.wait(r"status \d+[\s\S]*done")
        self.assertIn(f"status {status}", seen)
        with open(self.path("before"), encoding="utf-8") as before, \
                open(self.path("after"), encoding="utf-8") as after:
            # The size may differ.
            ignore = re.compile(r"rows|columns")
            self.assertEqual([x for x in before if not ignore.search(x)],
                             [x for x in after if not ignore.search(x)])
        # Typed text is echoed again.
        self.keys("echoed", "Enter")
        self.wait("echoed")
        return seen

    def process(self):
        pane = self.tmux("list-panes", "-F", "#{pane_pid}").split()[0]
        with open(f"/proc/{pane}/task/{pane}/children", encoding="ascii") as f:
            return [int(p) for p in f.read().split() if "simulate" in self.command(p)][0]

    @staticmethod
    def command(pid):
        try:
            with open(f"/proc/{pid}/cmdline", encoding="utf-8") as f:
                return f.read()
        except OSError:
            return ""

    def test_walk(self):
        """Choose and take transitions, go back and forward; changes are marked."""
        self.start(STARVATION)
        seen = self.wait("state 0 of 0")
        self.assertRegex(seen, r"Enabled: 3\n>  Client_0: idle -> waiting \| Server")
        self.assertRegex(seen, r"\n  queued\[0\] = 0 -> 1 ")
        self.keys("Down")
        self.wait(r"\n>  Client_1: idle -> waiting")
        self.keys("Enter")
        seen = self.wait("state 1 of 1")
        self.assertRegex(seen, r"\* queued\[1\] = 1")
        self.assertIn("Variables: 7, after Client_1: idle -> waiting", seen)
        self.assertRegex(seen, r"\* Client_1 = waiting")
        self.assertRegex(seen, r"\n  queued\[0\] = 0")
        self.keys("b")
        seen = self.wait("state 0 of 1")
        self.assertRegex(seen, r"\n>\+ Client_1: idle")
        self.keys("f")
        self.wait("state 1 of 1")
        self.keys("f")
        self.wait("not known: choose one")
        self.keys("r")
        self.wait("state 2 of 2")
        self.keys("Home")
        self.wait("state 0 of 2")
        self.keys("End")
        self.wait("state 2 of 2")
        self.keys("g", "1", "Enter")
        self.wait("state 1 of 2")
        self.keys("g", "9", "Enter")
        self.wait("no such state")
        self.keys("?")
        self.wait("Up, Down +choose a transition")
        self.keys("q")  # any key
        self.wait("Enabled")
        self.leave()

    def test_breakpoints_and_filter(self):
        self.start(STARVATION, "--break", "Client_2.served", "--seed", "5")
        self.keys("c")
        seen = self.wait(r"breakpoint: \[0\] Client_2\.served")
        self.assertRegex(seen, r"\* Client_2 = served")
        self.assertRegex(seen, r"break \*\[0\] Client_2\.served")
        self.keys("+", "queued[0] == 1 and Client_0.waiting", "Enter")
        self.wait(r"\[1\] queued\[0\] == 1")
        self.keys("+", "nobody", "Enter")
        self.wait("breakpoint.*nobody")
        self.keys("-", "0", "Enter")
        self.wait(r"break \*?\[0\] queued")
        self.keys("/", "CLIENT", "Enter")
        seen = self.wait("Variables: 3 with 'CLIENT'")
        self.assertNotRegex(seen.split("Variables")[1], r"queued|Server")
        self.keys("/", "Escape")
        self.wait("Variables: 7")
        self.keys("v")
        self.wait(r"Variables: \d that changed")
        self.keys("R", "200", "Enter")
        self.wait(r"200 steps|breakpoint")
        self.leave()

    def test_runs(self):
        """Follows a lasso and its cycle; a run is written and read again."""
        lasso, written = self.path("run.json"), self.path("written.json")
        self.check(10, STARVATION, "--ltl", FORGOTTEN, "--lasso", lasso, "--threads", "1")
        with open(lasso, encoding="utf-8") as f:
            run = json.load(f)
        count, loop = len(run["states"]), run["loop"]
        self.start(STARVATION, "--load", lasso)
        self.wait(f"state 0 of {count - 1}, stem of the run")
        self.keys(*["f"] * loop)
        self.wait(rf"state {loop} of \d+, cycle of the run \({loop}\)")
        self.keys(*["f"] * (count - loop))
        seen = self.wait(rf"state {count} of {count}, cycle of the run \({loop}\)")
        self.assertIn("\n>+ " + run["states"][loop]["#meta"]["label"][:40], seen)
        self.keys("w", written, "Enter")
        self.wait("written")
        self.keys("w", self.path("run.xyz"), "Enter")
        self.wait("is not a file name for a run")
        self.keys("o", self.path("nowhere.json"), "Enter")
        self.wait("nowhere.json")
        self.keys("o", written, "Enter")
        self.wait(f"state 0 of {count}, of the run")
        self.leave()
        with open(written, encoding="utf-8") as f:
            self.assertEqual(len(json.load(f)["states"]), count + 1)

    def test_the_model_goes_wrong(self):
        self.start(model("fault.dve"))
        self.keys("c")
        seen = self.wait("state 2 of 2")
        self.assertRegex(seen, r"fault\.dve:9:")
        self.keys("b", "b", "Enter")
        self.wait("state 1 of 2")
        self.leave()

    def test_deadlock(self):
        self.start(model("ends.dve"))
        self.keys("c")
        self.wait("none: a deadlock")
        self.keys("Enter", "b")
        self.wait("state 3 of 4")
        self.leave()

    def test_small_terminals(self):
        """Shrinks to one cell, and back, without failure."""
        self.start(os.path.join(DEMO, "lossy.dve"), width=60, height=12)
        self.keys("Enter", "Enter")
        self.wait("state 2 of 2")
        for width, height in ((40, 8), (20, 5), (9, 3), (5, 2), (2, 1), (1, 1), (200, 50), (30, 4)):
            self.tmux("resize-window", "-x", str(width), "-y", str(height))
            self.keys("Down", "NPage", "f", "b", "r", "/", "x", "Escape", "?", "v", "v")
        self.tmux("resize-window", "-x", "80", "-y", "24")
        self.keys("Home")
        self.wait(r"state 0 of \d+[\s\S]*Variables: 17")
        self.leave()

    def test_large_models_scroll(self):
        path = self.path("wide.dve")
        with open(path, "w", encoding="utf-8") as f:
            f.write("byte a[90];\nprocess P { state s; init s; trans " +
                    ", ".join(f"s -> s {{ effect a[{i}] = {i}; }}" for i in range(40)) +
                    "; }\nsystem async;\n")
        self.start(path, width=40, height=12)
        self.wait("Enabled: 40")
        self.keys(*["Down"] * 39, "NPage", "Enter")
        seen = self.wait("state 1 of 1")
        self.keys("Home", *["NPage"] * 20)
        self.wait(r"P = s")
        self.assertIn("Variables: 91, lines", seen)
        self.leave()

    def test_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP):
            self.start(STARVATION)
            os.kill(self.process(), number)
            self.leave(30, keys=())
        # At a prompt, and by its key.
        self.start(STARVATION)
        self.keys("+", "abc", "C-c")
        self.leave(30, keys=())

    def test_stopped_and_continued(self):
        """Control-Z returns the terminal to the shell until the program continues."""
        before, after = self.path("before"), self.path("after")
        self.open(80, 24,
                  f"set -m; stty -a > {before}; '{cli.OMEN}' simulate '{STARVATION}'; "
                  f"stty -a > {after}; echo stopped; read line; fg; echo status $?; cat")
        self.wait("state 0")
        self.keys("Enter")
        self.wait("state 1 of 1")
        self.keys("C-z")
        self.wait("stopped")
        with open(before, encoding="utf-8") as was, open(after, encoding="utf-8") as found:
            self.assertEqual(was.read(), found.read())
        self.keys("Enter")
        self.wait("state 1 of 1")
        self.keys("Enter")
        self.wait("state 2 of 2")
        self.keys("q")
        self.wait("status 0")

    def test_limits(self):
        self.start(STARVATION, "--timeout", "1s", waits="Enabled|state 0|status")
        self.assertIn("time", self.leave(30, keys=()))

    def test_terminals_that_nobody_knows(self):
        self.open(80, 24,
                  f"TERM=no-such-terminal '{cli.OMEN}' simulate '{STARVATION}'; echo status $?; cat")
        self.assertRegex(self.wait("status"), r"this terminal \(TERM\) is not known[\s\S]*status 2")


if __name__ == "__main__":
    if shutil.which("tmux") is None:
        print("tmux is not there: the terminal of omen simulate is not tested")
    cli.main()
