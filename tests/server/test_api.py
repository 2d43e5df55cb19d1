# SPDX-License-Identifier: Apache-2.0
"""omend's interface: submissions, jobs, pages, events, counterexamples, errors."""
import concurrent.futures
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from server import GATES, LASSO, OMEND, SECONDS, Case, Gate, demo, until  # noqa: E402

MUTEX = {"ltl": "G(P_0.waiting -> F P_0.critical)"}


class Jobs(Case):
    def test_verdicts(self):
        s = self.start()
        violated = s.submit(properties=[LASSO], label="one", name="starvation.dve")
        holds = s.submit(model=demo("mutex.dve"), properties=[MUTEX])
        both = s.submit(properties=[LASSO, {"deadlock": True}])
        job = s.wait(violated)
        self.assertEqual((job["state"], job["verdict"], job["label"], job["attempt"]),
                         ("done", "violated", "one", 1))
        self.assertIsNone(job["error"])
        result = job["results"][0]
        self.assertEqual((result["verdict"], result["model"]), ("violated", "starvation.dve"))
        status, lasso = s.ask("GET", f"/v1/jobs/{violated}/lasso.json")
        self.assertEqual((status, lasso), (200, result["lasso"]))
        self.assertEqual(s.wait(holds)["verdict"], "holds")
        self.refused(s, 404, "no counterexample", "GET", f"/v1/jobs/{holds}/lasso.json")
        job = s.wait(both)
        self.assertEqual([r["verdict"] for r in job["results"]], ["violated", "holds"])
        self.assertEqual(job["verdict"], "violated")
        until(lambda: s.zombies() == 0)

    def test_counterexamples(self):
        """In every format, of every result; content from a job is served without an origin."""
        s = self.start()
        number = s.submit(properties=[{"deadlock": True}, LASSO, {"invariant": "not Client_0.served"}],
                          name="plan.json")
        job = s.wait(number)
        self.assertEqual([r["verdict"] for r in job["results"]], ["holds", "violated", "violated"])
        begins = {"txt": "stem:", "html": "<!DOCTYPE html>", "svg": "<svg", "dot": "digraph", "csv": "state,",
                  "trail": "1:"}
        for kind, start in begins.items():
            answer, text = s.raw("GET", f"/v1/jobs/{number}/lasso.{kind}")
            self.assertEqual(answer.status, 200, text)
            self.assertIn(start, text.decode()[:200], kind)
            self.assertTrue(answer.getheader("Content-Security-Policy").startswith("sandbox"), kind)
        for kind in "json", "view":
            shown = [s.ask("GET", f"/v1/jobs/{number}/lasso.{kind}{query}")[1] for query in ("", "?result=1", "?result=2")]
            self.assertEqual(shown[0], shown[1])
            self.assertNotEqual(shown[1], shown[2])
        self.assertEqual(shown[1]["format"], "omen-run")
        self.assertIn("Client_0.served", shown[1]["property"])
        self.refused(s, 404, "result 0 .*no counterexample", "GET", f"/v1/jobs/{number}/lasso.html?result=0")
        self.refused(s, 404, "result 9 ", "GET", f"/v1/jobs/{number}/lasso.html?result=9")
        self.refused(s, 400, "result must be a number", "GET", f"/v1/jobs/{number}/lasso.html?result=-1")
        self.refused(s, 404, "no resource at", "GET", f"/v1/jobs/{number}/lasso.png")
        self.assertEqual(os.listdir(os.path.join(s.data, "shown")), [])

    def test_properties(self):
        s = self.start()
        never = "never { T0: do :: (Client_0.waiting) -> goto a :: true -> goto T0 od; " \
                "accept_a: a: do :: true -> goto a od }"
        for properties, expected in (([{"invariant": "Server == 0 || true"}], None),
                                     ([{"deadlock": True}], "holds"), ([], None),
                                     ([{"never": never}], "violated")):
            job = s.wait(s.submit(properties=properties))
            if expected is not None:
                self.assertEqual(job["verdict"], expected, job)

    def test_wrong_models(self):
        s = self.start()
        job = s.wait(s.submit(model="process P {\nstate a init a;\n}\nsystem async;", name="x.dve"))
        self.assertEqual(job["state"], "failed")
        self.assertEqual(job["error"]["status"], 422)
        self.assertEqual((job["error"]["file"], job["error"]["line"]), ("x.dve", 2))
        self.assertGreater(job["error"]["column"], 1)
        job = s.wait(s.submit(properties=[{"ltl": "G(nobody.waiting)"}]))
        self.assertEqual(job["state"], "failed")
        self.assertIn("nobody", job["error"]["detail"])

    def test_limits(self):
        s = self.start()
        for timeout in "300ms", "3s", "30s":  # the first may end before the model is read
            job = s.wait(s.submit_endless({"timeout": timeout}))
            if job["results"]:
                break
        self.assertEqual((job["state"], job["verdict"]), ("done", "unknown"))
        self.assertEqual(job["results"][0]["reason"], "time limit")
        job = s.wait(s.submit_endless({"max_states": 1000, "threads": 1}))
        self.assertEqual(job["results"][0]["states"], 1000)
        self.assertEqual(job["results"][0]["threads"], 1)
        job = s.wait(s.submit(limits={"threads": 100000}))
        self.assertEqual(job["state"], "failed")
        self.assertRegex(job["error"]["detail"], "100000 threads")

    def test_cancel_and_retry(self):
        s = self.start()
        number = s.submit_endless()
        s.wait(number, ("running",))
        self.refused(s, 409, "has not ended", "POST", f"/v1/jobs/{number}/retry")
        status, job = s.ask("DELETE", f"/v1/jobs/{number}")
        self.assertEqual((status, job["state"]), (200, "cancelled"))
        self.refused(s, 409, "is already cancelled", "DELETE", f"/v1/jobs/{number}")
        status, job = s.ask("POST", f"/v1/jobs/{number}/retry")
        self.assertEqual((status, job["state"]), (200, "queued"))
        self.assertEqual(s.wait(number, ("running",))["attempt"], 2)
        self.assertEqual(s.ask("DELETE", f"/v1/jobs/{number}")[1]["state"], "cancelled")

    def test_retry_at_once(self):
        """A job is retried as soon as its end is visible, which omend's own threads may not have seen yet."""
        s = self.start(config="calibrate = false; threads = 4;")

        def again_and_again():
            c = s.connect()
            number = s.submit(model="nothing", properties=[{"deadlock": True}], limits={"threads": 1, "memory": "100M"})
            for attempt in range(2, 12):
                until(lambda: s.ask("GET", f"/v1/jobs/{number}", connection=c)[1]["state"] == "failed")
                self.assertEqual(s.ask("POST", f"/v1/jobs/{number}/retry", connection=c)[0], 200)
            job = s.wait(number)
            self.assertEqual(job["attempt"], attempt)

        with concurrent.futures.ThreadPoolExecutor() as threads:
            for task in [threads.submit(again_and_again) for _ in range(4)]:
                task.result()

    def test_cancel_queued(self):
        s = self.start(config="threads = 1;")
        first = s.submit_endless()
        s.wait(first, ("running",))
        second = s.submit()
        status, job = s.ask("DELETE", f"/v1/jobs/{second}")
        self.assertEqual((status, job["state"], job["attempt"]), (200, "cancelled", 0))
        s.ask("DELETE", f"/v1/jobs/{first}")

    def test_pages(self):
        s = self.start()
        numbers = [s.submit(label="odd" if i % 2 else "even") for i in range(7)]
        for n in numbers:
            s.wait(n)
        found, after = [], 0
        while after is not None:
            status, page = s.ask("GET", f"/v1/jobs?limit=3&after={after}")
            self.assertEqual(status, 200)
            self.assertLessEqual(len(page["jobs"]), 3)
            found += [j["id"] for j in page["jobs"]]
            after = page["next"]
        self.assertEqual(found, numbers)
        status, page = s.ask("GET", "/v1/jobs?label=odd&state=done")
        self.assertEqual([j["id"] for j in page["jobs"]], numbers[1::2])
        self.assertEqual(s.ask("GET", "/v1/jobs?state=queued")[1]["jobs"], [])
        self.refused(s, 400, "state must be", "GET", "/v1/jobs?state=asleep")
        self.refused(s, 400, "limit", "GET", "/v1/jobs?limit=1001")
        self.refused(s, 400, "after", "GET", "/v1/jobs?after=x")

    def test_form(self):
        s = self.start()
        parts = [("model", demo("starvation.dve")), ("language", "dve"), ("label", "a form"),
                 ("ltl", LASSO["ltl"]), ("deadlock", "true"), ("limits", '{"threads": 1}')]
        body = "".join(f'--XX\r\nContent-Disposition: form-data; name="{k}"'
                       f'{"; filename=m.dve" if k == "model" else ""}\r\n\r\n{v}\r\n'
                       for k, v in parts) + "--XX--\r\n"
        answer, text = s.raw("POST", "/v1/jobs", body.encode(),
                             {"Content-Type": "multipart/form-data; boundary=XX"})
        self.assertEqual(answer.status, 201, text)
        job = s.wait(json.loads(text)["id"])
        self.assertEqual([r["verdict"] for r in job["results"]], ["violated", "holds"])
        self.assertEqual((job["label"], job["limits"]), ("a form", {"threads": 1}))
        answer, text = s.raw("POST", "/v1/jobs", body.replace("ltl", "lll").encode(),
                             {"Content-Type": "multipart/form-data; boundary=XX"})
        self.assertEqual(answer.status, 400, text)


class Events(Case):
    def test_stream(self):
        s = self.start()
        number = s.submit(properties=[LASSO])
        events = s.events(number)
        kinds = [kind for _, kind, _ in events]
        self.assertEqual(kinds[-1], "state")
        self.assertEqual(events[-1][2]["state"], "done")
        self.assertEqual(events[-1][2]["verdict"], "violated")
        self.assertIn("plan", kinds)
        self.assertEqual(kinds.count("result"), 1)
        result = next(value for _, kind, value in events if kind == "result")
        self.assertEqual(result, s.job(number)["results"][0])
        # Reads again from each event on: the rest is the same.
        numbered = [e for e in events if e[0] is not None]
        for i, event in enumerate(numbered):
            rest = [e for e in s.events(number, last=event[0]) if e[0] is not None]
            self.assertEqual(rest, numbered[i + 1:])

    def test_progress(self):
        s = self.start()
        number = s.submit_endless()
        progress = [value for _, kind, value in s.events(number, progress=4) if kind == "progress"]
        self.assertEqual([p["states"] for p in progress], sorted(p["states"] for p in progress))
        s.ask("DELETE", f"/v1/jobs/{number}")
        self.assertEqual(s.events(number)[-1][2]["state"], "cancelled")

    def test_nonsense(self):
        s = self.start()
        number = s.submit()
        s.wait(number)
        whole = s.events(number)
        for last in ("", "x", "1", "-1.5", "9.9", "99999999999999999999.1"):
            self.assertEqual([e[1] for e in s.events(number, last=last)], [e[1] for e in whole], last)
        self.refused(s, 404, "no job", "GET", "/v1/jobs/999/events")


class Refusals(Case):
    def test_submissions(self):
        s = self.start()
        m = {"model": "x", "language": "dve"}
        for body, status, pattern, pointer in (
                ([], 400, "object", None),
                ({"language": "dve"}, 400, "needs a model", "/model"),
                ({"model": "x"}, 400, "needs a language", "/language"),
                (dict(m, model=5), 400, "text", "/model"),
                (dict(m, language="../x"), 400, "name", "/language"),
                (dict(m, language="cobol"), 422, "no front end reads 'cobol'", "/language"),
                (dict(m, language="pins"), 403, "does not allow", "/language"),
                (dict(m, name="../../etc/passwd"), 400, "without a folder", "/name"),
                (dict(m, name=".."), 400, "without a folder", "/name"),
                (dict(m, name="-x"), 400, "without a folder", "/name"),
                (dict(m, properties={}), 400, "array", "/properties"),
                (dict(m, properties=[{}]), 400, "one member", "/properties/0"),
                (dict(m, properties=[{"ltl": ""}]), 400, "non-empty", "/properties/0"),
                (dict(m, properties=[LASSO, {"ctl": "x"}]), 400, "no property 'ctl'", "/properties/1"),
                (dict(m, properties=[{"deadlock": False}]), 400, "true", "/properties/0"),
                (dict(m, properties=[LASSO] * 65), 400, "at most 64", "/properties"),
                (dict(m, options={"lasso": "/tmp/x"}), 400, "no option", "/options/lasso"),
                (dict(m, options={"threads": "2"}), 400, "no option", "/options/threads"),
                (dict(m, options={"checker": 5}), 400, "a string", "/options/checker"),
                (dict(m, options={"translator": "cmd:sh -c 'echo'"}), 403, "does not allow",
                 "/options/translator"),
                (dict(m, limits={"memory": "lots"}), 400, "size", "/limits/memory"),
                (dict(m, limits={"timeout": "1y"}), 400, "time", "/limits/timeout"),
                (dict(m, limits={"timeout": "1000d"}), 422, "longer", "/limits/timeout"),
                (dict(m, limits={"disk": 1}), 400, "no limit", "/limits"),
                (dict(m, priority=101), 400, "-100 to 100", "/priority"),
                (dict(m, label="x" * 257), 400, "256", "/label"),
                (dict(m, colour="red"), 400, "no member 'colour'", "/colour")):
            value = self.refused(s, status, pattern, "POST", "/v1/jobs", body)
            self.assertEqual(value.get("pointer"), pointer, value)
        self.assertEqual(s.ask("GET", "/v1/jobs")[1]["jobs"], [])

    def test_bodies(self):
        s = self.start(config='body = "64K";')
        for body, kind, status in ((b"{", "application/json", 400), (b"", "application/json", 400),
                                   (b"\xff\xfe", "application/json", 400),
                                   (b'{"model":1,"model":2}', "application/json", 400),
                                   (b"[" * 30000, "application/json", 400),
                                   (b"x=1", "application/x-www-form-urlencoded", 415),
                                   (b"x", "multipart/form-data", 400),
                                   (b"x" * 70000, "application/json", 413)):
            answer, text = s.raw("POST", "/v1/jobs", body, {"Content-Type": kind})
            self.assertEqual(answer.status, status, text)
            self.assertEqual(json.loads(text)["status"], status)
        self.assertEqual(s.ask("GET", "/healthz")[0], 200)

    def test_paths(self):
        s = self.start()
        for method, path, status in (
                ("GET", "/v1", 404), ("GET", "/v1/jobs/", 404),
                ("GET", "/v1/jobs/0", 404), ("GET", "/v1/jobs/01", 404), ("GET", "/v1/jobs/x", 404),
                ("GET", "/v1/jobs/99999999999999999999", 404), ("GET", "/v1/jobs/1", 404),
                ("GET", "/v1/jobs/1/../../healthz", 404), ("GET", "/v1/jobs/1/%2e%2e%2fomend.db", 404),
                ("PUT", "/v1/jobs", 405), ("DELETE", "/v1/jobs", 405), ("POST", "/healthz", 405),
                ("POST", "/v1/jobs/1/retry", 404), ("DELETE", "/v1/jobs/1", 404)):
            answer, text = s.raw(method, path)
            self.assertEqual(answer.status, status, (method, path, text))

    def test_malformed(self):
        """Any input is answered, or its connection is closed, if only after a minute of idleness, which
        this test does not wait for; the next request is served.
        """
        s = self.start()
        for text in (b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\0" * 100,
                     b"GET /healthz HTTP/1.1\r\nHost: x\r\n" + b"A: " + b"x" * 100000 + b"\r\n\r\n",
                     b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
                     b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
                     b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                     b"POST /v1/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nshort"):
            with socket.create_connection((s.host, int(s.port)), 2) as c:
                try:
                    c.sendall(text)
                    c.shutdown(socket.SHUT_WR)
                    while c.recv(65536):
                        pass
                except OSError:  # it was closed before, or is idle
                    pass
            self.assertEqual(s.ask("GET", "/healthz")[0], 200, text[:50])

    def test_pipelined(self):
        s = self.start()
        with socket.create_connection((s.host, int(s.port)), SECONDS) as c:
            c.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" * 50)
            got = b""
            while got.count(b"HTTP/1.1 200") < 50:
                piece = c.recv(65536)
                self.assertNotEqual(piece, b"", got)
                got += piece


class Access(Case):
    def hash(self, token):
        done = subprocess.run([OMEND, "--hash-token"], input=token + "\n", capture_output=True,
                              text=True, check=True, timeout=SECONDS)
        return done.stdout.strip()

    def config(self, *tokens):
        return "tokens = (" + ", ".join(
            f'{{ name = "{name}"; hash = "{self.hash(word)}"; role = "{role}"; }}'
            for name, word, role in tokens) + ");\n"

    def test_roles(self):
        words = {r: f"a long enough word for {r}" for r in ("read", "one", "two", "admin")}
        s = self.start(config=self.config(
            ("reader", words["read"], "read"), ("one", words["one"], "submit"),
            ("two", words["two"], "submit"), ("root", words["admin"], "admin")))
        self.assertEqual(s.ask("GET", "/healthz")[0], 200)
        self.refused(s, 401, "missing", "GET", "/v1/jobs")
        s.token = "a long enough word for nobody"
        self.refused(s, 401, "unknown token", "GET", "/v1/jobs")
        self.refused(s, 401, "unknown token", "GET", "/nothing")
        s.token = words["read"]
        self.assertEqual(s.ask("GET", "/v1/jobs")[0], 200)
        self.refused(s, 403, "does not allow", "POST", "/v1/jobs", {"model": "x", "language": "dve"})
        s.token = words["one"]
        number = s.submit_endless()
        self.assertEqual(s.job(number)["token"], "one")
        s.token = words["two"]
        self.refused(s, 403, "belongs to another token", "DELETE", f"/v1/jobs/{number}")
        s.token = words["admin"]
        self.assertEqual(s.ask("DELETE", f"/v1/jobs/{number}")[1]["state"], "cancelled")

    def test_reload(self):
        first, second = "the first of the two words", "the second of the two words"
        s = self.start(config=self.config(("a", first, "submit")))
        s.token = first
        self.assertEqual(s.ask("GET", "/v1/jobs")[0], 200)
        with open(s.config, "w") as f:
            f.write(self.config(("b", second, "submit")))
        s.process.send_signal(1)
        s.token = second
        until(lambda: s.ask("GET", "/v1/jobs")[0] == 200)
        self.assertEqual(s.job(s.submit())["token"], "b")
        s.token = first
        self.assertEqual(s.ask("GET", "/v1/jobs")[0], 401)
        with open(s.config, "w") as f:
            f.write("nonsense = 5;")
        s.process.send_signal(1)
        s.token = second
        until(lambda: "not reloaded" in s.said())
        self.assertEqual(s.ask("GET", "/v1/jobs")[0], 200)

    def test_rates(self):
        s = self.start(config="requests_per_second = 1;")
        self.assertEqual([s.raw("GET", "/v1/jobs")[0].status for _ in range(4)], [200] * 4)
        until(lambda: s.raw("GET", "/v1/jobs")[0].status == 429)

    def test_outside(self):
        """An omend that is reachable from other machines needs tokens."""
        done = subprocess.run([OMEND, "--listen", "0.0.0.0:0", "--data",
                               os.path.join(self.folder.name, "d")], capture_output=True, text=True,
                              timeout=SECONDS)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, "must have tokens")


class Program(Case):
    def run_omend(self, status, *arguments, **more):
        done = subprocess.run([OMEND, *arguments], capture_output=True, text=True, timeout=SECONDS, **more)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def test_configuration(self):
        path = os.path.join(self.folder.name, "c")
        for text, pattern in (("", None), ("threads = 2;", None), ("threads = -1;", "c:1: .*from 0"),
                              ("\nthread = 2;", "c:2: .*no key 'thread'; did you mean 'threads'"),
                              ('memory = "much";', "c:1: memory takes a size"),
                              ("memory = 5;", "c:1: memory takes a size"),
                              ("listen = 5;", "c:1: listen takes a string"),
                              ("devices = 1;", "c:1: devices takes true or false"),
                              ("x = ;", "c:1: syntax error"),
                              ('tls_key = "k";', "need each other"), ('backend = "cloud";', "local or slurm"),
                              ("tokens = 5;", "c:1: tokens takes a list"),
                              ("tokens = ({});", "needs a name and a hash"),
                              ('tokens = ({name="a"; hash="x";});', "sha256"),
                              ('tokens = ({name="a"; hash="sha256:%s"; role="king";});' % ("0" * 64),
                               "read, submit or admin"),
                              ('tokens = ({name="a"; hash="sha256:%s";}, {name="a"; hash="sha256:%s";});'
                               % ("0" * 64, "1" * 64), "already")):
            with open(path, "w") as f:
                f.write(text)
            done = self.run_omend(0 if pattern is None else 3, "--config", path, "--check-config")
            if pattern is not None:
                self.assertRegex(done.stderr, pattern)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_description(self):
        """Everything in the description exists, and answers as described."""
        s = self.start()
        number = s.submit(properties=[LASSO])
        s.wait(number)
        paths = s.description.document["paths"]
        order = "get", "post", "delete"
        for method, path in sorted(((m, p) for p in paths for m in paths[p] if m in order), key=lambda r: order.index(r[0])):
            value = {"model": demo("mutex.dve"), "language": "dve"} if (method, path) == ("post", "/v1/jobs") else None
            query = "?remove=true" if method == "delete" else ""
            status, _ = s.ask(method.upper(), path.replace("{id}", str(number)) + query, value)
            self.assertIn(str(status), paths[path][method]["responses"], (method, path))
            self.assertIn((method.upper(), path, status), s.description.seen)
            if method == "post":
                s.wait(number)
        self.assertGreater(len(s.description.seen), 15)

    def test_keys(self):
        """The output of --config-keys is a valid configuration with the defaults."""
        path = os.path.join(self.folder.name, "c")
        with open(path, "w") as f:
            f.write(self.run_omend(0, "--config-keys").stdout)
        self.run_omend(0, "--config", path, "--check-config")

    def test_documents(self):
        """Installed documents: a file with each key as a comment; a manual page with the same options and
        keys.
        """
        folder = os.path.join(os.path.dirname(OMEND), "hosts", "server")
        path, keys = os.path.join(folder, "omend.conf"), self.run_omend(0, "--config-keys").stdout
        self.run_omend(0, "--config", path, "--check-config")
        with open(path) as f:
            text = f.read()
        self.assertEqual([line for line in text.splitlines() if not line.startswith("#") and line], [])
        self.assertTrue(re.sub(r"(?m)^#(?=\w)", "", text).endswith("\n\n" + keys))
        page = os.path.join(folder, "omend.8")
        with open(page) as f:
            said = f.read().replace("\\-", "-")
        options = re.findall(r"^  (?:-\w, )?(--[a-z-]+)", self.run_omend(0, "--help").stdout, re.M)
        self.assertIn("--check-config", options)
        _, of_options, of_keys = re.split(r"\.SH (?:OPTIONS|CONFIGURATION)", said)
        self.assertEqual(re.findall(r"^.*\\fB(--[a-z-]+)\\fR", of_options, re.M), options)
        self.assertEqual(re.findall(r"^\\fB(\w+) = ", of_keys, re.M), re.findall(r"^(\w+) = ", keys, re.M))
        for command in ("groff", "-ww", "-man", "-Tutf8"), ("mandoc", "-Tlint"):
            if shutil.which(command[0]) is not None:
                done = subprocess.run([*command, page], capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                if command[0] == "mandoc":
                    self.assertEqual(done.stdout, "")

    def test_usage(self):
        self.assertIn("--listen", self.run_omend(0, "--help").stdout)
        self.assertRegex(self.run_omend(0, "--version").stdout, r"^omend \d")
        for words in ("--bogus",), ("--listen",), ("--check-configuration",), ("--help=yes",), ("--data-of", "x"), ("data",):
            self.assertIn(f"'{words[0]}'", self.run_omend(2, *words).stderr)
        self.assertEqual(self.run_omend(0, "-h").stdout, self.run_omend(0, "--listen=x", "--help").stdout)
        self.run_omend(2, "--hash-token", input="short\n")
        self.run_omend(2, "--listen", "nonsense", "--data", os.path.join(self.folder.name, "d"))

    def test_machine(self):
        s = self.start()
        status, plugins = s.ask("GET", "/v1/plugins")
        self.assertEqual(status, 200)
        self.assertIn(("frontend", "dve"), [(p["kind"], p["name"]) for p in plugins["plugins"]])
        until(lambda: s.ask("GET", "/v1/devices")[1]["thread_states_per_second"] is not None)
        self.assertGreater(s.ask("GET", "/v1/devices")[1]["thread_states_per_second"], 100)

    def test_metrics(self):
        s = self.start()
        s.wait(s.submit())
        answer, text = s.raw("GET", "/metrics")
        self.assertEqual(answer.status, 200)
        figures = {}
        for line in text.decode().splitlines():
            self.assertRegex(line, r"^(# (HELP|TYPE) omend_\w+ .+|omend_\w+(\{\w+=\"\w+\"\})? [0-9.e+-]+)$")
            if not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                figures[name] = float(value)
        self.assertEqual(figures["omend_jobs_accepted_total"], 1)
        self.assertEqual(figures["omend_jobs_ended_total"], 1)
        self.assertEqual(figures["omend_jobs_running"], 0)
        self.assertEqual(figures["omend_threads_used"], 0)

    def test_drain(self):
        """A running job is waited for; the queue is there after the next start."""
        s, gate = self.start(config="threads = 1; " + GATES), Gate(self.folder.name)
        first = s.submit(properties=[LASSO], options=gate.options)
        s.wait(first, ("running",))
        second = s.submit(properties=[LASSO])
        s.process.send_signal(15)
        until(lambda: s.ask("GET", "/healthz")[0] != 200)
        self.refused(s, 503, "shutting down", "POST", "/v1/jobs", {"model": "x", "language": "dve"})
        self.assertEqual(s.job(first)["state"], "running")
        gate.open()
        self.assertEqual(s.process.wait(SECONDS), 0)
        t = self.start()
        self.assertEqual(t.job(first)["verdict"], "violated")
        self.assertEqual(t.wait(second)["verdict"], "violated")


if __name__ == "__main__":
    unittest.main()
