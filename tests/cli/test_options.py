# SPDX-License-Identifier: Apache-2.0
"""Options: each is in the help and works in both spellings; all others are rejected."""
import errno
import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import termios

from cli import DEMO, OMEN, Case, main, model, run

PROPERTY = {"ltl", "ltl-file", "never", "property", "deadlock", "invariant", "assertions", "non-progress",
            "progress-states", "spelling"}
MODEL = {"frontend", "define", "include", "include-root"}
CHECKERS = {"checker", "terminal", "weak", "strong", "schedule", "seed"}
BOUNDS = {"memory", "timeout"}
LIMITS = BOUNDS | {"threads", "max-states"}
COMMON = {"verbose", "quiet", "help"}
OPTIONS = {
    "check": MODEL | PROPERTY | CHECKERS | LIMITS | COMMON
             | {"search", "guide", "device", "verify-device", "exec", "store", "translator", "plan", "finite-runs", "fairness",
                "fair", "reset-dead", "merge", "por", "overflow", "lasso", "shortest", "whole-run",
                "fail-fast", "json", "json-lines", "progress", "server", "token-file", "ca-file"},
    "empty": CHECKERS | LIMITS | COMMON | {"json", "progress"},
    "explore": MODEL | LIMITS | COMMON | {"device", "verify-device", "exec", "store", "reset-dead", "merge", "por", "overflow", "json",
                                  "progress", "output", "output-limit", "coverage", "ignore-assertions", "errors"},
    "translate": BOUNDS | COMMON | {"to", "translator", "spelling", "progress"},
    "convert": BOUNDS | COMMON | {"to", "progress"},
    "draw": BOUNDS | COMMON | {"to", "translator", "progress"},
    "strength": BOUNDS | COMMON | {"output", "to", "progress"},
    "replay": MODEL | PROPERTY | BOUNDS | COMMON | {"trail", "finite-runs", "fairness", "fair", "json", "progress"},
    "plugins": COMMON | {"json", "complete"},
    "schema": COMMON,
    "devices": MODEL | PROPERTY | BOUNDS | COMMON | {"dump", "device", "translator", "finite-runs", "reset-dead",
                                    "merge", "overflow", "json"},
}
MUTEX = model("mutex.dve")


def all_of(terminal):
    """Returns the output on a terminal whose other side is closed: one read may return a part of
    it.
    """
    said = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError as error:  # Linux: EIO is the end
            if error.errno != errno.EIO:
                raise
            part = b""
        if not part:
            return said.decode()
        said += part


class Options(Case):
    def test_help_lists_every_option_and_no_other(self):
        for command, options in OPTIONS.items():
            text = self.expect(0, command, "--help").stdout
            self.assertTrue(text.startswith(f"omen {command}"))
            table = text.split("\nExamples:\n")[0].splitlines()[4:]
            self.assertEqual({re.match(r"  (?:-., )?--([a-z-]+)", line).group(1) for line in table if line.startswith("  ")},
                             options, command)
            self.assertEqual(self.expect(0, command, "-h").stdout, text)
            for line in table:
                self.assertRegex(line, r"^(  (-[a-zA-Z], )?--[a-z-]+( \S+)?  +\S.*|[A-Z][a-z]+:|)$")
                self.assertLessEqual(len(line), 100)
            headings = [line for line in table if line.endswith(":") and not line.startswith(" ")]
            self.assertEqual(len(headings), len(set(headings)), command)
            self.assertEqual(headings[-1], "Output:", command)

    def test_examples_work(self):
        """Each example of each command, in one folder with the demo models. Those of check and translate write the
        files that others read."""
        for name in os.listdir(DEMO):
            shutil.copy(os.path.join(DEMO, name), self.path(name))
        os.mkdir(self.path("philosophers"))
        shutil.copy(os.path.join(DEMO, "philosophers.pnml"), self.path("philosophers/model.pnml"))
        examples = {}
        for command in re.findall(r"(?m)^  omen ([a-z]+) ", self.expect(0, "--help").stdout):
            text = self.expect(0, command, "--help").stdout
            examples[command] = re.findall(r"(?m)^  (omen .*)$", text.partition("\nExamples:\n")[2])
            self.assertEqual(len(examples[command]), 0 if command in ("plugins", "schema") else 3, command)
        surroundings = {**os.environ, "PATH": os.path.dirname(OMEN) + ":" + os.environ["PATH"]}
        for command in sorted(examples, key=lambda c: c not in ("check", "translate")):
            for example in examples[command]:
                self.assertRegex(example, rf"\bomen {command}\b")
                self.assertLessEqual(len(example), 98)
                if command == "draw" and "--to dot" not in example and shutil.which("dot") is None:
                    continue
                done = subprocess.run(["sh", "-c", example], cwd=self.folder.name, env=surroundings, stdin=subprocess.DEVNULL,
                                      capture_output=True, text=True, timeout=300)
                self.assertIn(done.returncode, (0, 10, 30), f"{example}\n{done.stdout}\n{done.stderr}")

    def test_every_option_of_check(self):
        good = {"checker": "dijkstra", "terminal": "dijkstra", "weak": "dijkstra",
                "strong": "dijkstra", "schedule": "sequential", "seed": "3", "threads": "1",
                "search": "best", "guide": "novelty",
                "memory": "2G", "timeout": "1m", "max-states": "1000", "device": "none", "verify-device": "all",
                "exec": "vm", "store": "plain", "finite-runs": "ignore", "progress": "never",
                "reset-dead": "off", "merge": "off", "por": "always", "overflow": "error", "frontend": "dve",
                "translator": "builtin",
                "lasso": self.path("l.txt"), "spelling": "omen", "shortest": "10s", "fairness": "weak", "fair": "G F A.crit"}
        # tests/server covers the options for servers.
        flags = OPTIONS["check"] - PROPERTY - set(good) - MODEL - {"help", "server", "token-file", "ca-file"}
        for name, value in good.items():
            # Not with deadlocks, which are checked by default.
            what = ["--ltl", "G true"] if name in ("shortest", "fair") else []
            self.check(0, MUTEX, f"--{name}", value, *what)
            self.check(0, MUTEX, f"--{name}={value}", *what)
        for name in flags:
            self.check(0, MUTEX, f"--{name}")
            self.refused(2, f"--{name} takes no value", "check", MUTEX, f"--{name}=1")
        for name in list(good) + ["ltl", "invariant"]:
            self.refused(2, f"--{name} needs a value", "check", MUTEX, f"--{name}")
        self.expect(0, "check", "--device", "none", "--", MUTEX)

    def test_bad_values(self):
        for name, value in (("threads", "0"), ("threads", "-1"), ("threads", "many"),
                            ("threads", "99999"), ("memory", "12X"), ("memory", "0"),
                            ("memory", "99999999999999T"), ("timeout", "soon"),
                            ("timeout", ".5s"), ("timeout", "0.0000000001s"), ("threads", "1.5"),
                            ("timeout", "9999999999h"), ("seed", "9223372036854775808"),
                            ("device", "99999999999999999999"), ("max-states", ""), ("verify-device", "0"), ("exec", "jit"),
                            ("schedule", "random"), ("search", "deep"), ("device", "tpu"), ("finite-runs", "no"),
                            ("progress", "maybe"), ("seed", "x"), ("lasso", "x.pdf"),
                            ("lasso", "x")):
            self.refused(2, name, "check", MUTEX, f"--{name}={value}")
        self.refused(2, "--to takes ba .*tfla .*dot", "convert", model("buchi.hoa"), "--to", "dba")
        self.refused(2, "convert needs --to", "convert", model("buchi.hoa"))

    def test_contradictions(self):
        for both in ("-qv",), ("-q", "-v"), ("--verbose", "--quiet"):
            for command in ("check", MUTEX), ("explore", MUTEX), ("devices",):
                self.refused(2, "--quiet and --verbose contradict", *command, *both)
        self.refused(2, "--json and --json-lines contradict", "check", MUTEX, "--json",
                     "--json-lines")
        self.expect(0, "check", "-qv", "--help")

    def test_unknown_ones_suggest_what_was_meant(self):
        self.refused(2, r"did you mean '--threads'\?", "check", MUTEX, "--thread", "2")
        self.refused(2, r"did you mean '--finite-runs'\?", "check", MUTEX, "--finite-run=ignore")
        self.refused(2, r"did you mean '--memory'\?", "check", MUTEX, "--mem", "200M")
        self.refused(2, r"did you mean '--reset-dead'\?", "explore", MUTEX, "--r")
        self.refused(2, r"see 'omen check --help'", "check", MUTEX, "--l")
        self.refused(2, r"see 'omen check --help'", "check", MUTEX, "--frobnicate")
        self.refused(2, r"no option '-x'", "check", MUTEX, "-x")
        self.refused(2, r"did you mean 'explore'\?", "explor", MUTEX)
        self.refused(2, r"did you mean 'translate'\?", "tr", "true")
        self.refused(2, r"see 'omen --help'", "frobnicate")
        self.refused(2, r"did you mean 'dijkstra'", "check", MUTEX, "--checker", "dijkstr")

    def test_what_is_named_must_be_there(self):
        """Unknown names are errors even if this check does not use them."""
        for part in "terminal", "weak", "strong":
            for value, why in (("dijkstr", "did you mean 'dijkstra'"), ("dijkstra:x=1", "no option 'x'")):
                self.refused(2, why, "check", MUTEX, "--device", "none", f"--{part}", value)
            self.refused(2, "excludes checkers for its parts", "check", MUTEX, "--device", "none",
                         "--checker", "dijkstra", f"--{part}", "dijkstra")
        for args in ("--ltl", "true"), ("--checker", "dijkstra"):
            self.refused(2, "device", "check", MUTEX, "--device", "77", "--exec", "vm", *args)

    def test_empty_values(self):
        for name in "ltl", "ltl-file", "never", "property", "checker", "lasso", "timeout":
            for args in ((f"--{name}=",), (f"--{name}", "")):
                self.refused(2, f"option --{name} needs a non-empty value", "check", MUTEX,
                             *args)

    def test_what_there_is_not(self):
        self.refused(2, "HOA has no testing automata", "convert", model("buchi.hoa"), "--to", "ta")
        self.refused(2, "devices has no option '--fairness'", "devices", "--fairness", "weak")

    def test_store(self):
        for command in (("explore", MUTEX), ("check", MUTEX, "--device", "none")):
            for kind in "plain", "tree":
                self.expect(0, *command, "--store", kind, "--exec", "vm")
            self.refused(2, "--store takes one of tree, plain, not 'trees'", *command,
                         "--store", "trees")
        self.refused(2, "has no option '--store'", "replay", MUTEX, "x.json", "--store", "tree")
        self.refused(2, r"omen has no option '--store' \(see 'omen --help'\)", "--store", "tree", "check", MUTEX)
        self.refused(2, r"check has no option '-z' \(see 'omen check --help'\)", "check", MUTEX, "-z")

    def test_arguments(self):
        self.refused(2, "usage: omen check MODEL", "check")
        self.refused(2, "usage: omen replay MODEL", "replay", MUTEX)
        self.refused(2, "one argument too many", "check", MUTEX, MUTEX)
        self.refused(2, "one argument too many", "plugins", "x")

    def test_several_properties(self):
        """Properties of any kind, in their order; the status is the worst."""
        done = self.expect(10, "check", MUTEX, "--deadlock", "--ltl", "true", "--invariant",
                           "!(A.crit && B.crit)", "--ltl", "G !A.crit", "-q")
        self.assertEqual([line.rsplit(": ", 1)[1] for line in done.stdout.splitlines()],
                         ["holds", "holds", "holds", "violated"])

    def test_numbers_with_units(self):
        for memory in ("2G", "2000M", "2GB", "3000000K", "4000000000"):
            self.check(0, MUTEX, "--memory", memory)
        for time in ("30", "30s", "30.5s", "0.5h", "30.25", "30000ms", "1m", "1min", "1h"):
            self.check(0, MUTEX, "--timeout", time)

    def progress_goes_to_standard_error(self, limit):
        done = self.check(30, model("big.dve"), "--timeout", limit, "--progress", "always")
        self.assertRegex(done.stderr, r" states/s .* 1 part ")
        self.assertNotIn("states/s", done.stdout)
        done = self.expect(30, "explore", model("big.dve"), "--timeout", limit, "--exec", "vm",
                           "--progress=always")
        self.assertRegex(done.stderr, r"[1-9]\d* states ")
        self.assertNotIn("part", done.stderr)
        self.levels_of_big(done.stderr)
        done = self.check(30, model("big.dve"), "--timeout", limit)
        self.assertNotIn("states/s", done.stderr)

    def test_progress_goes_to_standard_error(self):
        self.patiently(self.progress_goes_to_standard_error)

    def progress_fits_the_terminal(self, limit):
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
        self.check(30, model("big.dve"), "--search", "bfs", "--timeout", limit, stdout=-1, stderr=theirs)
        os.close(theirs)
        said = all_of(ours)
        os.close(ours)
        lines = [line.replace("\033[K", "") for line in said.split("\r") if "states" in line]
        self.assertGreater(len(lines), 0, said)
        for line in lines:
            self.assertLess(len(line), 40)
        self.assertTrue(said.endswith("\r\033[K"), said)

    def test_progress_fits_the_terminal(self):
        self.patiently(self.progress_fits_the_terminal)

    def test_quiet_and_verbose(self):
        done = self.check(10, MUTEX, "--invariant", "A.idle", "-q")
        self.assertEqual(done.stdout, "property A.idle: violated\n")
        self.assertEqual(done.stderr, "")
        self.assertIn("reach", self.check(10, MUTEX, "--invariant", "A.idle", "-v").stderr)
        self.assertEqual(run("explore", MUTEX, "-q", "--exec", "vm").stdout.count("\n"), 4)


if __name__ == "__main__":
    main()
