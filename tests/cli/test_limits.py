# SPDX-License-Identifier: Apache-2.0
"""--memory and --timeout hold in every phase of every command, and --max-states exactly.

Each row of the tables is a command, an input for which one phase of it takes far more than the
limits, and the kind of limit. Memory is the peak of the process as the system counts it.
"""
import json
import os
import random
import re
import resource
import subprocess
import tempfile
import time

from cli import OMEN, Case, main, model
from test_shortest import NOT_PROVEN, WIDE

CORPUS = os.environ.get("OMEN_CORPUS", "")
AT1 = os.path.join(CORPUS, "beem", "at", "at.1.dve")
AT1_STATES = 39354
MB = 1 << 20
FIXED = 8 * MB  # memory of the process before its first allocation, and allowance for a late check
SECONDS = 1.0   # from the limit to the end
TRIES = 3       # because this machine may have other load
ROUNDS = 8      # of the counter, which has 30,001 states a round


class Ran:
    """A completed run: status, output, seconds and peak of the resident size."""

    def __init__(self, args, folder, reader=True):
        out, err = os.path.join(folder, "out"), os.path.join(folder, "err")
        with open(out, "wb") as o, open(err, "wb") as e:
            since = time.monotonic()
            # With reader=False, the output goes to a pipe that is never read and soon full.
            self.process = subprocess.Popen([OMEN, *args], stdout=o if reader else subprocess.PIPE,
                                            stderr=e)
            _, status, usage = os.wait4(self.process.pid, 0)
            self.seconds = time.monotonic() - since
        self.process.returncode = self.status = os.waitstatus_to_exitcode(status)
        if not reader:
            self.process.stdout.close()
        self.peak = usage.ru_maxrss * 1024
        with open(err, encoding="utf-8") as e:
            self.stderr = e.read()
        self.length = os.path.getsize(out)
        with open(out, encoding="utf-8") as o:
            self.stdout = o.read(4096)


def write(path, pieces):
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(pieces)
    return path


# ---- inputs ----

def large_model(path, transitions=400000):
    def pieces():
        yield "int x = 0;\nprocess P { state s; init s; trans\n"
        for i in range(transitions):
            end = "," if i + 1 < transitions else ";"
            yield f" s -> s {{ guard x == {i % 30000}; effect x = {i * 7 % 30000}; }}{end}\n"
        yield "}\nsystem async;\n"
    return write(path, pieces())


def counter(path, rounds):
    """A single run of 30,001 states per round."""
    return write(path, [
        "int x = 0;\nint y = 0;\nprocess P { state s; init s; trans\n"
        " s -> s { guard x < 30000; effect x = x + 1; },\n"
        f" s -> s {{ guard x == 30000 && y < {rounds}; effect x = 0, y = y + 1; }}; }}\n"
        "system async;\n"])


def cube(path):
    """Ten million states that are explored quickly."""
    return write(path, ["byte a = 0; byte b = 0; byte c = 0; byte d = 0;\n"] + [
        f"process P_{v} {{ state s; init s; trans s -> s {{ guard {v} < 56; effect {v} = {v} + 1; }}; }}\n"
        for v in "abcd"] + ["system async;\n"])


def head(states, sets, condition):
    return (f'HOA: v1 States: {states} Start: 0 AP: 1 "a" Acceptance: {sets} {condition}\n'
            "--BODY--\n")


def chain(path, states):
    def pieces():
        yield head(states, 1, "Inf(0)")
        for i in range(states - 1):
            yield f"State: {i} [t] {i + 1}\n"
        yield f"State: {states - 1} [t] {states - 1} {{0}}\n--END--\n"
    return write(path, pieces())


def clique(path, states):
    def pieces():
        yield head(states, 1, "Inf(0)")
        for i in range(states):
            yield f"State: {i}\n"
            yield "".join(f"[0] {j}\n" for j in range(states))
        yield "--END--\n"
    return write(path, pieces())


def streett(path, states, pairs):
    """One component whose Fin takes a copy for each of 2^pairs disjuncts."""
    r = random.Random(7)

    def marks():
        return " ".join(str(i) for i in range(2 * pairs) if r.random() < 0.3)

    def pieces():
        yield head(states, 2 * pairs,
                   " & ".join(f"(Fin({2 * i})|Inf({2 * i + 1}))" for i in range(pairs)))
        for i in range(states):
            yield (f"State: {i} [0] {(i + 1) % states} {{{marks()}}} "
                   f"[!0] {r.randrange(states)} {{{marks()}}}\n")
        yield "--END--\n"
    return write(path, pieces())


def pigeons(path, count=9, holes=7, states=12):
    """States whose labels leave nothing out (the pigeonhole principle), which takes long to
    determine.
    """
    def ap(pigeon, hole):
        return str(pigeon * holes + hole)

    nowhere = ["&".join("!" + ap(p, h) for h in range(holes)) for p in range(count)]
    together = [f"{ap(p, h)}&{ap(q, h)}" for h in range(holes) for p in range(count)
                for q in range(p)]
    names = " ".join(f'"p{i}"' for i in range(count * holes))
    return write(path, [f"HOA: v1 States: {states} Start: 0 AP: {count * holes} {names}"
                        " Acceptance: 0 t\n--BODY--\n"] +
                 [line for s in range(states)
                  for line in [f"State: {s}\n"] + [f"[{label}] {(s + 1) % states}\n"
                                                    for label in nowhere + together]] + ["--END--\n"])


def toggle(path):
    return write(path, ["byte x = 0;\nprocess P { state s; init s; "
                        "trans s -> s { effect x = 1 - x; }; }\nsystem async;\n"])


EVENTUALITIES = " & ".join(f"G F (a == {i})" for i in range(16))
UNTILS = " && ".join(f"(p{i} U (q{i} U G r{i}))" for i in range(8))


def nested(operators, n, left=False):
    """Returns v0 U (v1 U (v2 ...)), or left-nested; the operators in turn."""
    out = "v0" if left else f"v{n - 1}"
    for i in range(1, n):
        op = operators[i % len(operators)]
        out = f"({out}) {op} v{i}" if left else f"v{n - 1 - i} {op} ({out})"
    return out


# Families on which translators are known to be slow, large enough to take minutes here.
BLOW_UPS = (nested("U", 18, left=True), nested("U", 40), nested("R", 40), nested("R", 40, left=True),
            nested("UR", 30, left=True), " & ".join(f"(GF v{i} | FG v{i + 1})" for i in range(10)),
            " & ".join(f"F v{i}" for i in range(16)),
            "!((%s) -> G(v0 -> F v1))" % " & ".join(f"GF v{i}" for i in range(30)))


class Limits(Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.inputs = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.inputs.cleanup)

    @classmethod
    def input(cls, name, make, *args):
        """Makes the input on first use."""
        path = os.path.join(cls.inputs.name, name)
        return path if os.path.exists(path) else make(path, *args)

    def large_model(self):
        return self.input("large.dve", large_model)

    def counter(self):
        return self.input("counter.dve", counter, ROUNDS)

    def long_run(self):
        """Returns the run of the counter, 240,000 states."""
        path = os.path.join(self.inputs.name, "run.json")
        if not os.path.exists(path):
            self.check(10, self.counter(), "--invariant", f"y < {ROUNDS}", "--lasso", path)
        return path

    def ran(self, *args, **more):
        return Ran(args, self.folder.name, **more)

    def says_limit(self, done, reason):
        """Checks for one line on standard error and nothing else; or a verdict or figures that name
        the limit.
        """
        self.assertEqual(done.status, 30, done.stderr)
        if done.length == 0:
            self.assertEqual(done.stderr, f"omen: {reason}\n")
        else:
            self.assertIn(f"unknown ({reason})\n" if done.stdout.startswith("property")
                          else f"incomplete: {reason}\n", done.stdout)
            self.assertEqual(done.stderr, "")

    def in_time(self, seconds, *args):
        """If the machine finishes before the limit, the limit is shortened."""
        done = None
        for _ in range(TRIES):
            done = self.ran(*args, "--timeout", f"{int(seconds * 1000)}ms")
            while done.status != 30 and seconds > 0.01:
                seconds /= 2
                done = self.ran(*args, "--timeout", f"{int(seconds * 1000)}ms")
            self.says_limit(done, "time limit")
            if done.seconds < seconds + SECONDS:
                return
        self.fail(f"{args}: {done.seconds} s")

    def in_memory(self, limit, *args):
        done = None
        for _ in range(TRIES):  # the check may be late
            done = self.ran(*args, "--memory", f"{limit}M")
            self.says_limit(done, "memory limit")
            if done.peak < 1.1 * limit * MB + FIXED:
                return
        self.fail(f"{args}: {done.peak} bytes")

    # ---- phase by phase ----

    def test_reading_a_model(self):
        for command in (["explore", self.large_model()], ["check", self.large_model()]):
            self.in_time(0.2, *command)
            self.in_memory(80, *command)
        self.in_time(3, "explore", self.large_model(), "--exec", "native")  # and writing its code
        self.in_time(0.2, "replay", self.large_model(), "none.json")
        self.in_memory(80, "replay", self.large_model(), "none.json")

    def test_reading_an_automaton(self):
        large = self.input("clique.hoa", clique, 900)
        for command in (["convert", large, "--to", "ba"], ["strength", large], ["empty", large],
                        ["check", model("mutex.dve"), "--never", large]):
            self.in_time(0.1, *command)
            self.in_memory(20, *command)

    def test_translation(self):
        for command in (["translate", EVENTUALITIES],
                        ["translate", EVENTUALITIES, "--to", "ba"],
                        ["check", self.input("cube.dve", cube), "--ltl", f"!({EVENTUALITIES})"]):
            self.in_time(0.5, *command)
        self.in_memory(60, "translate", UNTILS)
        for formula in BLOW_UPS:
            self.in_time(0.2, "translate", formula)
        for formula in BLOW_UPS[:3]:
            self.in_memory(60, "translate", formula)
        self.in_time(0.2, "check", self.input("cube.dve", cube), "--ltl",
                     re.sub(r"v(\d+)", r"(a == \1)", BLOW_UPS[0]))

    def test_conversion(self):
        large = self.input("streett.hoa", streett, 60000, 9)
        for command in (["convert", large, "--to", "tgba"], ["convert", large, "--to", "ba"],
                        ["empty", large, "--checker", "dijkstra"]):
            self.in_time(0.7, *command)
            self.in_memory(40, *command)

    def test_disjuncts(self):
        """A formula of 2^32 disjuncts ends at once, without a time limit."""
        large = self.input("pairs.hoa", streett, 12, 32)
        done = self.ran("convert", large, "--to", "tgba:disjuncts")
        self.assertEqual(done.status, 30)
        self.assertIn("more than 4096 disjuncts", done.stderr)
        self.assertLess(done.seconds, SECONDS)
        for kind in ("tgba", "ba", "tfla"):  # few obligations are pending
            done = self.ran("convert", large, "--to", kind)
            self.assertEqual(done.status, 0, done.stderr)
            self.assertLess(done.seconds, SECONDS)
        done = self.ran("empty", large, "--checker", "dijkstra")
        self.assertEqual(done.status, 10, done.stderr)
        self.assertLess(done.seconds, SECONDS)

    def test_strength(self):
        hard = self.input("pigeons.hoa", pigeons)
        self.in_time(0.5, "strength", hard)
        self.in_time(0.5, "empty", hard)

    def test_exploration(self):
        large = self.input("cube.dve", cube)
        for command in (["explore", large, "--device", "none"],
                        ["check", large, "--device", "none", "--exec", "vm", "--search", "bfs", "--por", "off"],
                        ["check", large, "--device", "none", "--exec", "vm", "--por", "off", "--ltl",
                         "G F (a + b + c + d < 500)"]):
            self.in_time(0.5, *command)
            self.in_memory(60, *command)

    def test_replay(self):
        self.in_time(0.3, "replay", self.counter(), self.long_run())
        done = self.ran("replay", self.counter(), self.long_run(), "--memory", "30M")
        self.assertEqual(done.status, 0, done.stderr)
        self.assertLess(done.peak, 30 * MB)
        huge = write(self.path("huge.json"),
                     ['{"#meta": "'] + ["0123456789abcdef" * 65536] * 80 + ['"}'])
        self.in_memory(30, "replay", self.counter(), huge)

    def test_output_has_a_moment_more(self):
        """The counterexample is not read: the violation still determines the status."""
        for more in [], ["--json"]:
            done = self.ran("check", self.counter(), "--invariant", "y < 2", "--device", "none",
                            "--exec", "vm", "--timeout", "2s", *more, reader=False)
            self.assertEqual(done.status, 10)
            self.assertEqual(done.stderr, "omen: time limit: the result was found, but not all of it was "
                                          "written to standard output\n")
            self.assertLess(done.seconds, 2 + SECONDS)

    def test_a_violation_outlives_the_search_for_its_word(self):
        """After an automaton is known to be nonempty, no limit makes the verdict unknown."""
        large = self.input("long.hoa", chain, 300000)
        for limit in range(45, 90, 5):
            done = self.ran("empty", large, "--memory", f"{limit}M")
            self.assertLess(done.peak, 1.1 * limit * MB + FIXED)
            if done.status == 30:
                self.says_limit(done, "memory limit")
                self.assertNotIn("not empty", done.stdout)
            else:
                self.assertEqual(done.status, 10, done.stderr)

    def test_a_violation_outlives_the_search_for_a_shorter_one(self):
        wide = write(self.path("wide.dve"), WIDE)
        for limit in 60, 100:
            done = self.ran("check", wide, "--ltl", "G T.idle", "--checker", "gv", "--shortest",
                            "1h", "--lasso", self.path("run.json"), "--device", "none", "--exec",
                            "vm", "--memory", f"{limit}M")
            self.assertEqual(done.status, 10, done.stderr)
            self.assertIn(NOT_PROVEN, done.stdout)
            self.assertLess(done.peak, 1.1 * limit * MB + FIXED)
            self.expect(0, "replay", wide, self.path("run.json"))

    # ---- work with little memory ----

    def test_the_referee_takes_little(self):
        """The product of all states and all positions of the word would take gigabytes for each of
        these.
        """
        large = self.input("chain.hoa", chain, 20000)
        self.assertEqual(self.ran("empty", large, "-q", "--memory", "40M").status, 10)
        done = self.ran("check", toggle(self.path("toggle.dve")), "--ltl", "X " * 400 + "x == 1",
                        "--device", "none", "--exec", "vm", "-q", "--memory", "60M")
        self.assertEqual(done.status, 10, done.stderr)
        self.assertLess(done.peak, 60 * MB)

    def test_strength_is_linear(self):
        large = self.input("long.hoa", chain, 300000)
        done = self.ran("strength", large, "--timeout", "30s")
        self.assertEqual(done.status, 0, done.stderr)
        self.assertLess(done.peak, 100 * MB)

    def test_long_runs_stream(self):
        """Writing a run takes no additional memory."""
        args = ["check", self.counter(), "--invariant", f"y < {ROUNDS}", "--device", "none",
                "--exec", "vm"]
        plain = self.ran(*args, "-q")
        for more in [], ["--json"], ["--json-lines"], ["--lasso", self.path("l.txt")], \
                ["--lasso", self.path("l.json")]:
            done = self.ran(*args, *more)
            self.assertEqual(done.status, 10)
            self.assertLess(done.peak, plain.peak + FIXED, more)
        self.assertEqual(sorted(f for f in os.listdir(self.folder.name) if f.startswith("l.")),
                         ["l.json", "l.txt"])

    def test_streamed_json_is_json(self):
        small = counter(self.path("small.dve"), 0)
        args = ["check", small, "--invariant", "x < 20000", "--device", "none", "--exec", "vm"]
        whole = json.loads(self.expect(10, *args, "--json").stdout)
        lines = [json.loads(line)
                 for line in self.expect(10, *args, "--json-lines").stdout.splitlines()]
        self.expect(10, *args, "--lasso", self.path("l.json"))
        with open(self.path("l.json"), encoding="utf-8") as f:
            kept = json.load(f)
        self.assertEqual(list(whole)[-1], "lasso")
        self.assertEqual(len(kept["states"]), 20001)
        self.assertEqual(whole["lasso"], kept)
        self.assertEqual(lines[-1]["lasso"], kept)

    # ---- states ----

    def test_max_states_is_exact(self):
        """With any number of workers, which reserve blocks of ids: for a model, and for products."""
        if not os.path.exists(AT1):
            self.skipTest("no corpus")
        r = random.Random(3)
        commands = (["explore", AT1], ["check", AT1, "--invariant", "x < 256"],
                    ["check", AT1, "--ltl", "G F (x < 256)"])
        for store in "tree", "plain":
            for threads in "1", "2", "5":
                for limit in (AT1_STATES - 1, AT1_STATES, AT1_STATES + 1, r.randrange(1, AT1_STATES),
                              r.randrange(AT1_STATES, 2 * AT1_STATES)):
                    for command in commands:
                        done = self.expect(0 if limit >= AT1_STATES else 30, *command,
                                           "--max-states", str(limit), "--threads", threads,
                                           "--store", store, "--exec", "vm", "--device", "none",
                                           "--json")
                        found = json.loads(done.stdout)
                        self.assertEqual(found["states"], min(limit, AT1_STATES))
                        self.assertEqual(found["reason"],
                                         None if limit >= AT1_STATES else "state limit")


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    main()
