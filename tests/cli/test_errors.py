# SPDX-License-Identifier: Apache-2.0
"""Bad input: one message with file, line and column, status 3, and no partial output."""
import json
import os
import subprocess

from cli import OMEN, Case, main, model

MUTEX = model("mutex.dve")


class Errors(Case):
    def write(self, name, text):
        with open(self.path(name), "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())
        return self.path(name)

    def test_models(self):
        self.refused(3, r"bad\.dve:7:\d+: .*'?\"?m\b", "check", model("bad.dve"))
        self.refused(3, r"bad\.dve:7:", "explore", model("bad.dve"))
        self.refused(3, r"cannot open .*none\.dve", "check", self.path("none.dve"))
        self.refused(2, r"no front end reads such a file \(known: .*\.dve", "check",
                     self.write("x.txt", ""))
        self.refused(3, r"x\.dve:\d+:\d+: ", "check", self.write("x.dve", b"\x00\xff\x00"))
        self.refused(3, r"cut\.dve:\d+:\d+: ", "check", self.write("cut.dve", "process P {"))

    def test_formulas(self):
        self.refused(3, r"LTL formula:1:\d+: ", "check", MUTEX, "--ltl", "G (A.crit")
        self.refused(3, r"LTL formula:1:\d+: ", "translate", "G (")
        self.refused(3, r"did you mean \"?crit", "check", MUTEX, "--ltl", "G A.crt")
        self.refused(3, r"bad\.ltl:\d:\d+: ", "check", MUTEX, "--ltl-file", model("bad.ltl"))
        self.refused(3, r"cannot open", "check", MUTEX, "--ltl-file", self.path("none.ltl"))
        self.refused(3, r"empty\.ltl", "check", MUTEX, "--ltl-file", self.write("empty.ltl", " \n"))
        self.refused(3, r":1:\d+: a NUL byte in a formula", "check", MUTEX, "--ltl-file",
                     self.write("nul.ltl", b"G\x00true"))
        self.refused(3, r"LTL formula:1:16: proposition 'B\.crot':1:3: .*did you mean \"crit\"",
                     "check", MUTEX, "--ltl", "G (A.idle -> F B.crot)")
        self.refused(3, r"three\.ltl:3:5: proposition 'B\.crot'", "check", MUTEX, "--ltl-file",
                     self.write("three.ltl", "G\n (A.idle ->\n  F B.crot)\n"))
        self.refused(3, r"invariant '.*crt.*':1:\d+: ", "check", MUTEX, "--invariant", "A.crt")

    def test_a_message_is_one_line(self):
        self.refused(3, r"A\.c\\u001brit x\\u007f", "check", MUTEX, "--ltl", 'G "A.c\x1brit\nx\x7f"')
        self.refused(3, r"cannot open /no such/x\.dve", "check", "/no\nsuch/x.dve")

    def test_faults_in_propositions_name_them(self):
        for args, name in ((("--ltl", 'F "5 / turn == 1" | F B.crit'), "5/turn==1"),
                           (("--invariant", "want[2 - turn] == 0"), "want[2 - turn] == 0")):
            done = self.expect(3, "check", MUTEX, *args, "--device", "none", "--exec", "vm")
            self.assertIn(f"in the proposition '{name}'", done.stderr)
            self.assertIn("unknown (error in the model)", done.stdout)

    def test_automata(self):
        for command in (("empty",), ("strength",), ("convert", "--to", "ba"),
                        ("check", MUTEX, "--never")):
            self.refused(3, r"bad\.hoa:5:\d+: ", *command, model("bad.hoa"))
            self.refused(3, r"cannot open", *command, self.path("none.hoa"))
            self.refused(3, r"garbage\.hoa:1:\d+: ", *command, self.write("garbage.hoa", "HAO: v1"))
        with open(model("buchi.hoa")) as f:
            text = f.read().replace("A.crit", "A.crt")
        self.refused(3, r"names\.hoa:5:\d+: proposition 'A\.crt':1:3: ", "check", MUTEX, "--never",
                     self.write("names.hoa", text))

    def test_false_claims_of_automata(self):
        text = ("HOA: v1\nStart: 0\nAP: 1 \"A.crit\"\nacc-name: co-Buchi\nAcceptance: 1 Inf(0)\n"
                "properties: deterministic\n--BODY--\nState: 0 [0] 0 {0} [t] 0\n--END--\n")
        for command in ("empty",), ("check", MUTEX, "--device", "none", "--never"):
            done = self.expect(10, *command, self.write("claims.hoa", text))
            for what in (r"claims\.hoa:4:11: this contradicts \"Acceptance:\"",
                         r"claims\.hoa:6:13: the automaton is not deterministic: state 0"):
                self.assertRegex(done.stderr, r"omen: warning: \S.*" + what)

    def test_lassos(self):
        good = self.path("l.json")
        self.check(10, MUTEX, "--ltl", "G F A.crit", "--lasso", good)
        self.refused(3, r"cannot open", "replay", MUTEX, self.path("none.json"))
        self.refused(3, r"x\.json:2:\d+: not JSON", "replay", MUTEX,
                     self.write("x.json", "{\n  nonsense"))
        self.refused(3, r"not a lasso", "replay", MUTEX, self.write("y.json", "[]"))
        with open(good) as f:
            lasso = json.load(f)
        lasso["#meta"]["property"] = "magic=3"
        self.refused(3, r"records an unknown property", "replay", MUTEX,
                     self.write("z.json", json.dumps(lasso)))
        lasso["#meta"]["property"] = None
        self.refused(2, r"records no property: give one", "replay", MUTEX, self.write("z.json", json.dumps(lasso)))

    def test_files_that_cannot_be_written(self):
        done = self.check(3, MUTEX, "--ltl", "G F A.crit", "--lasso", self.path("no/l.json"))
        self.assertIn("cannot write", done.stderr)
        self.assertEqual(os.listdir(self.folder.name), [])
        self.write("file", "")
        self.refused(3, "cannot", "strength", model("three.hoa"), "--output", self.path("file"))
        # A folder with the name of the file: the temporary file is removed.
        os.mkdir(self.path("l.json"))
        self.check(3, MUTEX, "--ltl", "G F A.crit", "--lasso", self.path("l.json"))
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["file", "l.json"])

    def test_standard_output_that_cannot_be_written(self):
        for args in (("--version",), ("--help",), ("plugins",), ("translate", "a"),
                     ("check", MUTEX, "--exec", "vm", "--device", "none"),
                     ("check", MUTEX, "--exec", "vm", "--device", "none", "--json"),
                     ("check", MUTEX, "--exec", "vm", "--device", "none", "--ltl", "true", "--ltl",
                      "false"),
                     ("explore", MUTEX, "--exec", "vm")):
            with open("/dev/full", "w") as full:
                done = self.expect(3, *args, stdout=full, stderr=-1)
                self.assertIn("cannot write to standard output", done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)
            end, other = os.pipe()
            os.close(end)
            done = self.expect(3, *args, stdout=other, stderr=-1)
            os.close(other)
            self.assertIn("cannot write to standard output", done.stderr)

    def test_closed_standard_files(self):
        """Files opened later must not take the place of the standard ones."""
        lasso = self.path("l.json")
        command = 'exec "$@" check "$M" --device none --exec native --ltl "G A.idle" --lasso "$L"'
        for close, status in ((">&-", 3), ("2>&-", 10), ("<&-", 10), ("<&- >&- 2>&-", 3)):
            done = subprocess.run(["sh", "-c", f"{command} {close}", "sh", OMEN],
                                  capture_output=True, text=True, timeout=60,
                                  cwd=self.folder.name,
                                  env={**os.environ, "XDG_CACHE_HOME": self.path(f"cache{close}"),
                                       "M": MUTEX, "L": lasso})
            self.assertEqual(done.returncode, status, (close, done.stderr))
            with open(lasso) as f:
                self.assertIn("states", json.load(f))
            self.expect(0, "replay", MUTEX, lasso)
            os.unlink(lasso)


if __name__ == "__main__":
    main()
