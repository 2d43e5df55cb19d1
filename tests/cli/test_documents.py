# SPDX-License-Identifier: Apache-2.0
"""Documents generated from the tables of --help: manual pages, and completion in the installed
shells. Argument: the build folder that contains them.
"""
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time

from cli import OMEN, Case, main

DOCUMENTS = sys.argv.pop()
COMMANDS = ("check", "properties", "empty", "explore", "translate", "convert", "draw", "strength", "replay", "show",
            "explain", "simulate", "mcc", "plugins", "devices", "schema")
# Typed lines and their completions; None: completion must not be empty.
CASES = (("omen expl", ["explain", "explore"]), ("omen explo", ["explore"]), ("omen check --inv", ["--invariant"]),
         ("omen check --exec ", ["auto", "native", "vm"]), ("omen check --checker tes", ["testing", "testing:passes="]),
         ("omen convert --to tg", ["tgba", "tgba:disjuncts", "tgba:pending", "tgra"]),
         ("omen empty x.hoa --strong favoid:p", ["favoid:pairs=parallel", "favoid:pairs=sequential"]),
         ("omen explore m.dve --fron", ["--frontend"]), ("omen explore --frontend d", ["dve"]),
         ("omen translate --translator b", None), ("omen plugins --complete f", ["frontend"]))
TWO = "async:union-find=lockfree,st"  # the second option of a plug-in


class Documents(Case):
    def environment(self):
        return {**os.environ, "PATH": os.path.dirname(OMEN) + ":" + os.environ["PATH"],
                "HOME": self.folder.name, "XDG_CONFIG_HOME": self.path("config"),
                "XDG_DATA_HOME": self.path("data"), "TERM": "xterm"}

    def said(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=self.environment())
        self.assertEqual((done.returncode, done.stderr), (0, ""), command)
        return done.stdout

    def needs(self, program):
        if shutil.which(program) is None:
            self.skipTest(f"no {program}")

    # ---- manual pages ----

    def test_a_page_for_each_command(self):
        pages = {}
        for name in os.listdir(os.path.join(DOCUMENTS, "man")):
            with open(os.path.join(DOCUMENTS, "man", name), encoding="utf-8") as page:
                pages[name] = page.read()
        overview = self.expect(0, "--help").stdout
        self.assertEqual(set(pages), {"omen.1", *(f"omen-{c}.1" for c in COMMANDS)})
        self.assertEqual(set(re.findall(r"^  omen ([a-z]+) ", overview, re.M)), set(COMMANDS))
        for command in COMMANDS:
            page = pages[f"omen-{command}.1"].replace("\\-", "-")
            options = re.findall(r"^  (?:-\w, )?(--[a-z-]+)", self.expect(0, command, "--help").stdout, re.M)
            self.assertEqual(re.findall(r"^.*\\fB(--[a-z-]+)\\fR", page.split(".SH OPTIONS")[1], re.M), options)
            self.assertIn(f"\\fBomen-{command}\\fR(1)", pages["omen.1"].replace("\\-", "-"))
            self.assertRegex(page, rf'\A.*\n\.TH "OMEN-{command.upper()}" 1 "\d{{4}}-\d\d-\d\d" "omen \d')
            said = self.expect(0, command, "--help").stdout
            self.assertEqual(re.findall(r"(?m)^\.SS (.*)$", page), re.findall(r"(?m)^([A-Z][a-z]+):$", said.split("Examples:")[0]))
            for example in re.findall(r"(?m)^  (omen .*)$", said):
                self.assertIn("\n" + example + "\n", page.replace("\\(aq", "'").split(".SH EXAMPLES")[1])
            for section in "NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "ENVIRONMENT", "SEE ALSO":
                self.assertIn(f".SH {section}\n", page)

    def test_pages_are_good_troff(self):
        pages = [os.path.join(DOCUMENTS, "man", name) for name in os.listdir(os.path.join(DOCUMENTS, "man"))]
        checked = 0
        if shutil.which("groff"):
            for page in pages:
                self.assertIn("User Commands", self.said("groff", "-ww", "-man", "-Tutf8", page))
            checked += 1
        if shutil.which("mandoc"):
            self.assertEqual(self.said("mandoc", "-Tlint", *pages), "")
            checked += 1
        if not checked:
            self.skipTest("no groff, no mandoc")

    # ---- shells ----

    def both(self, complete):
        """Checks completion by a function from a line to the possible completions of its last word."""
        for line, wanted in CASES:
            found = sorted(complete(line))
            if wanted is None:
                self.assertTrue(found, line)
            else:
                self.assertEqual(found, sorted(wanted), line)
        for command in COMMANDS:
            found = complete(f"omen {command} --")
            options = re.findall(r"^  (?:-\w, )?(--[a-z-]+)", self.expect(0, command, "--help").stdout, re.M)
            self.assertEqual(sorted(found), sorted(options), command)
        with open(self.path("a file.dve"), "w"):
            pass
        self.assertEqual(complete(f"omen check {self.folder.name}/a"), [self.path("a file.dve")])
        self.assertEqual(complete(f"omen check x --lasso {self.folder.name}/a"), [self.path("a file.dve")])
        self.assertEqual(complete("omen check --ltl "), [])

    def test_bash(self):
        self.needs("bash")
        script = ('source "$1"; COMP_LINE=$2 COMP_POINT=${#2}; read -ra COMP_WORDS <<<"$2"; '
                  'COMP_WORDBREAKS=$3; _omen; printf "%s\\n" "${COMPREPLY[@]}"')

        def complete(line, breaks=" "):
            return self.said("bash", "--norc", "-c", script, "bash", os.path.join(DOCUMENTS, "bash", "omen"),
                             line, breaks).split("\n")[:-1 if not line.endswith("--ltl ") else 0]
        self.both(complete)
        self.assertEqual(sorted(complete(f"omen check --checker {TWO}")),
                         [f"async:union-find=lockfree,strategy={s}" for s in ("dijkstra", "tarjan")])
        # Readline replaces the text after the last of these characters.
        self.assertEqual(complete("omen check --exec=n", " =:"), ["native"])
        self.assertEqual(complete("omen check --exec=n"), ["--exec=native"])
        self.assertEqual(complete("omen check --checker=testing:", " =:"), ["passes="])
        self.assertEqual(sorted(complete(f"omen check --checker {TWO}", " =:")),
                         ["lockfree,strategy=dijkstra", "lockfree,strategy=tarjan"])

    def test_fish(self):
        self.needs("fish")

        def complete(line):
            said = self.said("fish", "--no-config", "-c", f"source {DOCUMENTS}/fish/omen.fish; complete -C '{line}'")
            return [word.split("\t")[0].replace("\\ ", " ") for word in said.splitlines()]
        self.both(complete)
        self.assertEqual(complete("omen check --exec=n"), ["--exec=native"])
        self.assertEqual(sorted(complete(f"omen check --checker {TWO}")),
                         [f"async:union-find=lockfree,strategy={s}" for s in ("dijkstra", "tarjan")])

    def test_zsh(self):
        """Types into zsh, because it completes only in its line editor."""
        self.needs("zsh")
        pid, terminal = pty.fork()
        if pid == 0:
            os.execvpe("zsh", ["zsh", "-f"], {**self.environment(), "PS1": "", "COLUMNS": "200"})
        try:
            self.type(terminal, f"PROMPT='%% ' fpath=({DOCUMENTS}/zsh $fpath); autoload -Uz compinit; compinit -u -D; "
                                "echo rea''dy\n", "ready")
            self.type(terminal, "omen explo\t", "omen explore ")
            for line, result in (("omen check --inv", "ariant"), ("omen check --exec n", "ative "),
                                 ("omen check --exec=n", "ative "), ("omen check --checker fav", "oid"),
                                 ("omen check --checker favoid:pairs=p", "arallel "),
                                 ("omen check --checker async:union-find=lockfree,con", "sumers="),
                                 ("omen convert x --to tgba:p", "ending ")):
                self.type(terminal, "\x15" + line + "\t", line + result)
        finally:
            os.close(terminal)
            os.waitpid(pid, 0)

    def type(self, terminal, keys, wanted):
        """Types keys, and waits until the line editor's output, without escapes, contains the
        wanted text.
        """
        os.write(terminal, keys.encode())
        said, shown, end = b"", "", time.monotonic() + 120
        while wanted not in shown:
            self.assertLess(time.monotonic(), end, f"typed {keys!r}: {shown!r}")
            if select.select([terminal], [], [], 0.2)[0]:
                said += os.read(terminal, 65536)
                shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x07", "", said.decode(errors="replace"))


if __name__ == "__main__":
    main()
