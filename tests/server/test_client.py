# SPDX-License-Identifier: Apache-2.0
"""omen --server URL check: the same output as a local check, in all cases."""
import difflib
import json
import os
import re
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from server import BIG, DEMO, GATES, OMEND, SECONDS, Case, Gate, endless, until  # noqa: E402

OMEN = os.environ["OMEN"]
MODELS = os.path.dirname(BIG)
MUTEX, STARVATION = (os.path.join(DEMO, name) for name in ("mutex.dve", "starvation.dve"))
LASSO = "G(Client_0.waiting -> F Client_0.served)"
NEVER = "never { T0: do :: (Client_0.waiting) -> goto a :: true -> goto T0 od; accept_a: a: do :: true -> goto a od }"
# One worker, on the CPU: two runs give the same output.
SAME = ("--device", "none", "--exec", "vm", "--threads", "1")
OVERFLOW = "byte x;\nprocess P {\nstate a; init a;\ntrans a -> a { effect x = x + 100; };\n}\nsystem async;\n"
FAULT = "byte x[2];\nint i;\nprocess P {\nstate a; init a;\ntrans a -> a { effect x[i] = 1, i = i + 1; };\n}\nsystem async;\n"
ASSERTION = ("byte x;\nprocess P {\nstate a; init a;\nassert a: x < 2;\n"
             "trans a -> a { guard x < 3; effect x = x + 1; };\n}\nsystem async;\n")


def environment():
    """Returns the environment of this process, without variables that change requests."""
    return {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy") and k != "OMEN_TOKEN"}


def omen(*arguments, env=None, **more):
    more.setdefault("timeout", SECONDS)
    return subprocess.run([OMEN, *arguments], capture_output=True, text=True,
                          env={**environment(), **(env or {})}, **more)


def timeless(text):
    """Removes times and memory."""
    text = re.sub(r"\d+\.\d\d s\b", "T s", text)
    text = re.sub(r"\d+\.\d MB\b", "M MB", text)
    text = re.sub(r"(?m)^code: .*\n", "", text)
    # Times; a server does not tell. The object contains objects.
    text = re.sub(r'"code": ?(?:\{(?:[^{}]|\{[^{}]*\})*\}|null)', '"code": null', text)
    text = re.sub(r'("(?:seconds|memory_bytes|blocked_seconds|auxiliary_bytes)": ?)[0-9.e+-]+', r"\1N", text)
    return "".join(line + "\n" for line in text.splitlines() if '"progress":' not in line)


class Client(Case):
    def write(self, name, text):
        path = os.path.join(self.folder.name, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)
        return path

    def same(self, *arguments, files=(), where=SAME, **more):
        """Compares local and remote checks: output, messages, status, files."""
        kept = []
        for server in (), ("--server", self.server.address):
            done = omen("check", *arguments, *where, *server, **more)
            texts = []
            for file in files:
                with open(file) as f:
                    texts.append(f.read())
                os.remove(file)
            kept.append((done.returncode, timeless(done.stdout), timeless(done.stderr), texts))
        here, there = kept
        for a, b in zip(here[1:3], there[1:3]):
            self.assertEqual(a, b, "\n".join(difflib.unified_diff(a.split("\n"), b.split("\n"), lineterm="")))
        self.assertEqual(here, there, arguments)
        return here


class Same(Client):
    def setUp(self):
        super().setUp()
        self.server = self.start()

    def test_verdicts(self):
        many = (STARVATION, "--ltl", LASSO, "--deadlock", "--invariant", "queued[0] < 2", "--ltl", "G true",
                "--ltl", "false -> true")
        for how in (), ("-q",), ("--json",), ("--json-lines",), ("-v",):
            self.assertEqual(self.same(*many, *how)[0], 10)
        for command, status in ((("--ltl", "G(P_0.waiting -> F P_0.critical)"), 0), ((), None), (("--deadlock",), 0)):
            found = self.same(MUTEX, *command)
            self.assertIn(found[0], (0, 10) if status is None else (status,), found)

    def test_all_of_a_models_properties(self):
        """An assertion has a verdict of its own, as in a local check, and an unknown verdict is not
        counted.
        """
        wrong = self.write("wrong.dve", ASSERTION)
        out, second = (os.path.join(self.folder.name, name) for name in ("run.json", "run.2.json"))
        for how in (), ("-q",), ("--json",), ("--json-lines",), ("--fail-fast",), ("--fail-fast", "--json"):
            self.assertEqual(self.same(wrong, *how)[0], 10)
            self.assertEqual(self.same(wrong, "--invariant", "x < 4", "--ltl", "G true", *how)[0], 10)
        self.assertEqual(self.same(wrong, "--assertions", "--deadlock", "--invariant", "x < 1")[0], 10)
        self.assertEqual(self.same(wrong, "--assertions", "--invariant", "x < 1", "--lasso", out,
                                   files=(out, second))[0], 10)
        self.assertEqual(self.same(wrong, "--lasso", out, files=(out,))[0], 10)
        renamed = self.write("models/a model.dve", ASSERTION)
        self.assertEqual(self.same(renamed)[0], 10)

    def test_options(self):
        for options in (("--fairness", "strong", "--json"), ("--strong", "nobody"), ("--shortest", "100s", "--json"),
                        ("--fair", "GF Server.free", "--fair", "GF Client_0.idle -> GF Client_1.idle", "--store", "plain"),
                        ("--checker", "c99", "--seed", "3", "--schedule", "sequential"),
                        ("--weak", "sd", "--reset-dead", "off", "--finite-runs", "ignore", "--overflow", "error")):
            self.same(STARVATION, "--ltl", LASSO, *options)
        self.same(STARVATION, "--non-progress", "--progress-states", "Client_0.served")
        self.same(STARVATION, "--non-progress")
        self.same(STARVATION, "--property", "nothing")

    def test_limits(self):
        self.assertEqual(self.same(BIG, "--deadlock", "--max-states", "500")[0], 30)
        for limit in "0.3s", "3s", "30s":  # the first may end before the model is read
            done = omen("--server", self.server.address, "check", BIG, "--deadlock", "--timeout", limit, *SAME)
            self.assertEqual(done.returncode, 30, done.stderr)
            if done.stdout:
                break
        self.assertEqual(done.stderr, "")
        self.assertRegex(done.stdout, r"^property deadlock: unknown \(time limit\)\n")

    def test_models_that_go_wrong(self):
        for text, arguments, status in (
                (OVERFLOW, ("--invariant", "true"), None), (OVERFLOW, ("--invariant", "true", "--json"), None),
                (OVERFLOW, ("--overflow", "error", "--deadlock"), 3), (FAULT, ("--deadlock",), 3),
                (FAULT, ("--deadlock", "--json"), 3), (ASSERTION, ("--deadlock",), None),
                (ASSERTION, ("--deadlock", "--json"), None), ("process P {\nstate a init a;\n}\n", (), 3),
                ("system async;\n", (), None)):
            # In a folder, by a plain name and by one that omend does not accept.
            for name in ("models/wrong.dve", "models/a model.dve") if text in (FAULT, OVERFLOW) else ("wrong.dve",):
                found = self.same(self.write(name, text), *arguments)
                if status is not None:
                    self.assertEqual(found[0], status, found)

    def test_files(self):
        never, formula = self.write("x/n.never", NEVER), self.write("f.ltl", "\n G(Client_0.waiting ->\n F Client_0.served)\n")
        self.assertEqual(self.same(STARVATION, "--never", never)[0], 10)
        self.assertEqual(self.same(STARVATION, "--ltl-file", formula, "--never", never, "--json")[0], 10)
        self.assertEqual(self.same(STARVATION, "--never", self.write("bad.hoa", "HOA: v1\nStates: x\n"))[0], 3)
        self.assertEqual(self.same(STARVATION, "--ltl-file", self.write("bad.ltl", "G(\n\n)"))[0], 3)
        self.assertEqual(self.same(STARVATION, "--ltl-file", self.write("nobody.ltl", "\nG(nobody.here)"))[0], 3)
        self.assertEqual(self.same(STARVATION, "--never", self.write("no.never", NEVER.replace("Client_0", "Nobody")))[0], 3)
        for missing in ("--never", "/nowhere"), ("--ltl-file", "/nowhere"):
            self.assertEqual(self.same(STARVATION, *missing)[0], 3)
        self.assertEqual(self.same("/nowhere.dve")[0], 3)
        self.assertEqual(self.same(self.write("x.cobol", "x"))[0], 2)

    def test_lassos(self):
        for ending in "json", "txt", "html", "csv":
            out = os.path.join(self.folder.name, "run." + ending)
            second = os.path.join(self.folder.name, "run.2." + ending)
            found = self.same(STARVATION, "--ltl", LASSO, "--ltl", "G !Client_1.waiting", "--lasso", out,
                              files=(out, second))
            self.assertEqual(found[0], 10)
        path = os.path.join(self.folder.name, "kept.json")
        omen("--server", self.server.address, "check", STARVATION, "--ltl", LASSO, "--lasso", path)
        done = omen("replay", STARVATION, path)
        self.assertEqual((done.returncode, done.stdout.split(":")[0]), (0, "lasso accepted"), done.stderr)
        with open(STARVATION) as f:
            text = f.read()
        for how in (), ("--json",):
            self.assertEqual(self.same("-", "--frontend", "dve", "--ltl", LASSO, *how, input=text)[0], 10)

    def test_refusals(self):
        server = ("--server", self.server.address)
        for arguments, status, pattern in (
                (("check", STARVATION, "--plan", *server), 2, "--plan"),
                (("check", STARVATION, "--frontend", "dve:x=1", *server), 2, "front end"),
                (("check", STARVATION, "--frontend", "cobol", *server), 3, "no front end reads 'cobol'"),
                (("check", STARVATION, "--translator", "cmd:true", *server), 2, "not allowed|does not allow"),
                (("check", STARVATION, "--token-file", "/x"), 2, "--token-file is only for --server"),
                (("check", STARVATION, "--timeout", "10000h", *server), 2, "longer than"),
                (("check", STARVATION, "--server", "ftp://x"), 2, "--server takes"),
                (("check", STARVATION, "--server", "http://me:secret@x"), 2, "--server takes"),
                (("check", STARVATION, "--server", "http://"), 2, "--server takes"),
                (("check", STARVATION, "--server", "unix:"), 2, "--server takes"),
                ((*server, "explore", STARVATION), 2, "'explore' runs locally"), (server, 2, "needs a command after it"),
                (("--json", "check", STARVATION), 2, "no option '--json'"), (("--server",), 2, "needs a value")):
            done = omen(*arguments)
            self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
            self.assertRegex(done.stderr, "^omen: .*" + pattern)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        binary = self.write("x.dve", "")
        with open(binary, "wb") as f:
            f.write(b"\xff\xfe\0")
        self.assertRegex(omen("check", binary, *server).stderr, "x.dve is not UTF-8")


class Signals(Client):
    def talk(self, *arguments):
        return subprocess.Popen([OMEN, "--server", self.server.address, "check", *arguments], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, env=environment())

    def endless(self, *arguments):
        """Starts a check that runs until it is ended."""
        return self.talk(self.write("endless.dve", endless()), "--deadlock", *SAME, *arguments)

    def until_state(self, state):
        jobs = until(lambda: self.server.ask("GET", f"/v1/jobs?state={state}")[1]["jobs"], f"no job is {state}")
        return jobs[-1]["id"]

    def test_interrupted(self):
        self.server = self.start(config="threads = 1;")
        first = self.endless("--ltl", "G true")
        self.server.events(self.until_state("running"), progress=1)
        queued = self.talk(STARVATION, "--ltl", LASSO)
        self.until_state("queued")
        for process, name in (queued, LASSO), (first, "deadlock"):
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=SECONDS)
            self.assertEqual((process.returncode, err), (30, ""), out)
            self.assertEqual(out.split("\n")[0], f"property {name}: unknown (interrupted)")
            self.assertEqual(len(re.findall("(?m)^property .*: ", out)), 1)
        self.assertEqual({j["state"] for j in self.server.ask("GET", "/v1/jobs")[1]["jobs"]}, {"cancelled"})

    def test_closed_output(self):
        """The output is closed: the job ends."""
        self.server = self.start()
        process = self.endless("--json-lines")
        self.until_state("running")
        process.stdout.close()
        process.stderr.read()
        self.assertEqual(process.wait(SECONDS), 3)
        process.stderr.close()
        self.until_state("cancelled")

    def test_cancelled_by_others(self):
        self.server = self.start()
        process = self.endless()
        number = self.until_state("running")
        self.server.events(number, progress=1)
        self.server.ask("DELETE", f"/v1/jobs/{number}")
        out, err = process.communicate(timeout=SECONDS)
        self.assertEqual(process.returncode, 30, err)
        self.assertIn("unknown (interrupted)", out)
        self.assertEqual(err, "omen: warning: the job was cancelled on the server\n")

    def test_progress(self):
        self.server = self.start()
        process = self.endless("--json-lines", "--progress", "always")
        lines = [json.loads(process.stdout.readline()) for _ in range(4)]
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=SECONDS)
        self.assertEqual(process.returncode, 30, err)
        progress = [line["progress"] for line in lines]
        self.assertEqual([p["states"] for p in progress], sorted(p["states"] for p in progress))
        self.assertEqual(json.loads(out.splitlines()[-1])["reason"], "interrupted")
        self.assertRegex(err, r"\d+ states  \d+ transitions .* states/s .* MB")

    def test_server_begins_again(self):
        """omend is killed and started at the same address: the stream is resumed."""
        where, gate = "unix:" + os.path.join(self.folder.name, "s"), Gate(self.folder.name)
        self.server = self.start(listen=where, config=GATES)
        process = self.talk(STARVATION, "--ltl", LASSO, *SAME, "--translator", gate.options["translator"])
        self.server.events(self.until_state("running"), most=1)
        self.server.process.kill()
        self.server.process.wait()
        self.server = self.start(listen=where, config=GATES)
        self.until_state("running")
        gate.open()
        out, err = process.communicate(timeout=SECONDS)
        self.assertEqual((process.returncode, err), (10, ""), out)
        self.assertEqual(out.split("\n")[0], f"property {LASSO}: violated")
        self.assertEqual(out.count("property "), 1)


class Places(Client):
    """The server's address, and authorisation."""

    def test_socket(self):
        path = os.path.join(self.folder.name, "s")
        process = subprocess.Popen([OMEND, "--listen", "unix:" + path, "--data", os.path.join(self.folder.name, "d")],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait, SECONDS)
        self.addCleanup(process.send_signal, signal.SIGTERM)
        process.stdout.readline()
        for url in "unix:" + path, "http+unix:" + path, "http+unix://" + path:
            done = omen("--server", url, "check", STARVATION, "--ltl", LASSO)
            self.assertEqual(done.returncode, 10, done.stderr)

    def test_tokens(self):
        word = "a long enough word for this"
        hashed = subprocess.run([OMEND, "--hash-token"], input=word + "\n", capture_output=True, text=True, check=True)
        self.server = s = self.start(
            config=f'tokens = ({{ name = "a"; hash = "{hashed.stdout.strip()}"; role = "submit"; }});')
        command = ("--server", s.address, "check", STARVATION, "--deadlock")
        for env, status, pattern in (({}, 1, "missing"), ({"OMEN_TOKEN": word}, 0, "^$"),
                                     ({"OMEN_TOKEN": word + "!"}, 1, "unknown token"), ({"OMEN_TOKEN": "a\nb"}, 3, "one line")):
            done = omen(*command, env=env)
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertRegex(done.stderr, pattern)
            self.assertNotIn(word, done.stderr)
        file = self.write("token", word + "\n")
        self.assertEqual(omen(*command, "--token-file", file, env={"OMEN_TOKEN": "other"}).returncode, 0)
        self.assertEqual(omen(*command, "--token-file", self.write("empty", "\n")).returncode, 3)
        self.assertEqual(omen(*command, "--token-file", "/nowhere").returncode, 3)

    def test_quota(self):
        self.server = s = self.start(config='disk = "1K";')
        done = omen("--server", s.address, "check", STARVATION, "--deadlock")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, "^omen: .* refused the request: jobs use more disk space")


if __name__ == "__main__":
    unittest.main()
