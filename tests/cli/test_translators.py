# SPDX-License-Identifier: Apache-2.0
"""Never claims, DOT, and external programs as translators."""
import os
import shutil
import signal
import subprocess
import time
import unittest

from cli import OMEN, Case, main, model

MUTEX = model("mutex.dve")
# Outputs of a translator for F p0 and for G p0.
EVENTUALLY = """never { T0: do :: atomic { (p0) -> assert(!(p0)) } :: (1) -> goto T0 od }"""
ALWAYS = """HOA: v1 Start: 0 AP: 1 "p0" acc-name: co-Buchi Acceptance: 1 Fin(0) --BODY--
State: 0 [0] 0 [!0] 1 State: 1 [t] 1 {0} --END--"""


def gone(pid):
    """True if the process has been killed, reaped or not (in a container without an init), or is soon."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        if dead(pid):
            return True
        time.sleep(0.02)
    return False


def dead(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] in "ZX"
    except OSError:
        return True


class Texts(Case):
    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)
        return self.path(name)

    def test_never_claims_are_read_and_written(self):
        claim = self.write("c", self.expect(0, "translate", "!G(p -> F q)", "--to", "never").stdout)
        self.assertTrue(open(claim, encoding="utf-8").read().startswith("never { /* !G(p -> F q) */\n"))
        hoa = self.expect(0, "convert", claim, "--to", "hoa").stdout
        self.assertIn("acc-name: Buchi", hoa)
        again = self.write("c.hoa", hoa)
        self.assertEqual(self.expect(0, "convert", again, "--to", "hoa").stdout, hoa)
        self.expect(10, "empty", claim)
        self.expect(0, "empty", self.write("e", "never { x == 1 && x != 1; false }"))
        self.assertIn("weak", self.expect(0, "strength", claim).stdout)
        self.refused(3, r"e:1:9: expected an expression, not '}'", "convert",
                     self.write("e", "never { }"), "--to", "hoa")
        self.refused(2, r"the proposition 'P=='x'' is not a Promela expression", "translate",
                     "P == 'x'", "--to", "never")

    def test_a_check_takes_a_claim(self):
        for formula, status in (("G(A.ask -> F A.crit)", 0), ("G !A.crit", 10)):
            claim = self.write("c", self.expect(0, "translate", f"!({formula})", "--to", "never").stdout)
            self.check(status, MUTEX, "--never", claim)
        self.refused(3, r"c:1:9: proposition", "check", MUTEX, "--never",
                     self.write("c", "never { nobody == 1 }"), "--device", "none")

    def test_graphs(self):
        for args in (("translate", "GF a & (b U \"x y\")", "--to", "dot"),
                     ("convert", model("buchi.hoa"), "--to", "dot"),
                     ("strength", model("buchi.hoa"), "--to", "dot")):
            text = self.expect(0, *args).stdout
            self.assertRegex(text, r"^digraph automaton \{\n(.*\n)*\}\n$")
            self.assertEqual("subgraph cluster_" in text, args[0] == "strength")
            if shutil.which("dot"):
                done = subprocess.run(["dot", "-Tsvg"], input=text, capture_output=True, text=True,
                                      timeout=60, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.refused(2, "--to takes one of dot, not 'never'", "strength", model("buchi.hoa"), "--to",
                     "never")


class Commands(Case):
    def script(self, name, body):
        """Returns a program that records its arguments."""
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(f"#!/bin/sh\nprintf '%s\\n' \"$@\" > {self.path('given')}\n{body}\n")
        os.chmod(path, 0o755)
        return path

    def printing(self, text):
        return self.script("print", f"cat <<'EOF'\n{text}\nEOF")

    def given(self):
        with open(self.path("given"), encoding="utf-8") as f:
            return f.read().splitlines()

    def translate(self, status, formula, command, **more):
        return self.expect(status, "translate", formula, "--translator", f"cmd:{command}", **more)

    def wrong(self, status, pattern, body, formula="F a", *args):
        return self.refused(status, pattern, "translate", formula, "--translator",
                            f"cmd:{self.script('wrong', body)}", *args)

    def test_words_and_formulas(self):
        program = self.printing(EVENTUALLY)
        out = self.translate(0, "F x==1", f"{program} -a 'b  c' \"d \\\" e\" \\%f %% '%s' x%p ''").stdout
        self.assertIn('AP: 1 "x==1"', out)
        self.assertIn('name: "F x==1"', out)
        self.assertEqual(self.given(), ["-a", "b  c", 'd " e', "%f", "%", "(<> p0)",
                                        "xeventually! p0", ""])
        self.translate(0, "F x==1 | F x==1", f"{program} %f;echo $HOME")
        self.assertEqual(self.given(), ["F p0 | F p0;echo", "$HOME"])
        echo = self.script("in", f"cat > {self.path('in.txt')}; echo '{EVENTUALLY}'")
        self.translate(0, "F \"a 'b\"", echo)
        with open(self.path("in.txt"), encoding="utf-8") as f:
            self.assertEqual(f.read(), "F p0\n")

    def test_any_acceptance_is_taken(self):
        out = self.translate(0, "G y.z", f"{self.printing(ALWAYS)} %f").stdout
        self.assertIn('AP: 1 "y.z"', out)
        self.assertNotIn("Fin", out)

    def test_a_check(self):
        violated = self.printing(EVENTUALLY)
        self.check(10, MUTEX, "--ltl", "G !A.crit", "--translator", f"cmd:{violated} %f")
        self.assertEqual(self.given(), ["!G!p0"])
        self.refused(3, "failed with status 3: no such luck", "check", MUTEX, "--ltl",
                     "G !A.crit", "--device", "none", "--translator",
                     "cmd:" + self.script("w", "echo no such luck >&2; exit 3"))

    def test_what_goes_wrong(self):
        self.wrong(3, "translator '.*wrong' failed with status 7: oh dear$",
                   "echo oh dear >&2; echo more >&2; exit 7")
        self.wrong(3, "was ended by signal 9", "kill -9 $$")
        self.wrong(3, "printed nothing", "exit 0")
        self.wrong(3, "printed nothing", "exec >&-; exit 0")
        self.wrong(3, r"output of '.*wrong':1:1: expected 'HOA:'", "echo rubbish")
        self.wrong(3, r"output of '.*wrong':1:15: expected", "echo 'never { T: p0 p0 }'")
        self.wrong(3, "printed a proposition 'q', which the formula does not have",
                   "echo 'never { q }'")
        self.wrong(3, "printed a proposition 'p1'", "echo 'never { p1 }'")
        self.wrong(3, "printed more than 64 MB", "yes 0123456789012345678901234567890123456789")
        self.refused(3, "cannot start '/no/such/thing': No such file", "translate", "a",
                     "--translator", "cmd:/no/such/thing")
        self.refused(2, r"name the command, as in 'cmd:ltl2tgba -H -f %f'", "translate", "a",
                     "--translator", "cmd")
        self.refused(2, "a quote \\('\\) is never closed", "translate", "a", "--translator", "cmd:a 'b")
        self.refused(2, "'%' must be followed by f, s or p", "translate", "a", "--translator", "cmd:a %q")

    def test_who_hangs_is_killed_with_all_it_started(self):
        pids = self.path("pids")
        start = time.monotonic()
        body = f"sleep 300 & echo $! > {pids}; echo $$ >> {pids}; "
        for last in "wait", "exec >&- 2>&-; wait", "trap '' TERM INT; while true; do sleep 1; done":
            self.wrong(30, "time", body + last, "F a", "--timeout", "500ms")
            with open(pids, encoding="utf-8") as f:
                for pid in f.read().split():
                    self.assertTrue(gone(pid), last)
        self.assertLess(time.monotonic() - start, 30)
        # A child that it leaves running is not waited for, and is killed, too.
        self.translate(0, "F a", self.script("left", f"sleep 300 & echo $! > {pids}; echo '{EVENTUALLY}'"))
        with open(pids, encoding="utf-8") as f:
            self.assertTrue(gone(f.read().strip()))
        self.assertLess(time.monotonic() - start, 60)

    def test_an_interrupt_ends_it(self):
        pids = self.path("pids")
        program = self.script("hang", f"echo $$ > {pids}.tmp; mv {pids}.tmp {pids}; exec sleep 300")
        for command in (["translate", "F a"],
                        ["check", MUTEX, "--device", "none", "--exec", "vm", "--ltl", "G !A.crit"]):
            with subprocess.Popen([OMEN, *command, "--translator", f"cmd:{program}"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as omen:
                for _ in range(600):
                    if os.path.exists(pids):
                        break
                    time.sleep(0.05)
                omen.send_signal(signal.SIGINT)
                omen.communicate(timeout=30)
                self.assertEqual(omen.returncode, 30, command)
            with open(pids, encoding="utf-8") as f:
                self.assertTrue(gone(f.read().strip()))
            os.unlink(pids)

    @unittest.skipIf(shutil.which("spin") is None, "there is no spin")
    def test_spin(self):
        self.check(0, MUTEX, "--ltl", "G(A.ask -> F A.crit)", "--translator",
                   "cmd:spin -f %s")
        self.check(10, MUTEX, "--ltl", "G !A.crit", "--translator", "cmd:spin -f %s")


if __name__ == "__main__":
    main()
