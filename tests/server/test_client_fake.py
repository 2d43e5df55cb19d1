# SPDX-License-Identifier: Apache-2.0
"""omen --server URL check with a misbehaving server: one clear message, and the right exit status."""
import copy
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

OMEN, DEMO = os.environ["OMEN"], os.environ["OMEN_DEMO"]
MODEL = os.path.join(DEMO, "starvation.dve")
LASSO = "G(Client_0.waiting -> F Client_0.served)"
HOLDS = f"property {LASSO}: holds\n"
RESULT = {"schema": 1, "model": "starvation.dve", "about": "property", "property": LASSO, "verdict": "holds",
          "reason": None, "fault": None, "parts": [], "states": 0, "transitions": 0, "seconds": 0.5,
          "memory_bytes": 1000000, "seed": 0, "threads": 1, "code": None, "overflows": None, "minimal": None, "fairness": None,
          "together": None, "of": 1, "overflow_trace": None, "lasso": None}
PART = {"strength": "weak", "automaton_states": 2, "automaton_edges": 3, "conversion": None, "converted_from": None,
        "checker": "reach", "device": None, "gave_up": None, "shares_states": False, "states": 1, "transitions": 1,
        "sccs": None, "seconds": 0.1, "memory_bytes": 5, "verdict": "empty", "coverage": None, "verified": None,
        "counters": None}
TAKEN = {"ended_by": None, "status": 0, "signal": None, "note": None, "seconds": 1, "cpu_seconds": 1, "peak_bytes": 1,
         "peak_processes": 1}
DROP = object()  # the connection ends without an answer


def state(name, attempt=1):
    return f'event: state\ndata: {{"state":"{name}","attempt":{attempt},"verdict":null}}\n\n'


def event(number, kind, value):
    return f"id: {number}\nevent: {kind}\ndata: {value if isinstance(value, str) else json.dumps(value)}\n\n"


def problem(status, detail="because", **more):
    return status, dict({"type": "urn:omend:problem:x", "title": "x", "status": status, "detail": detail}, **more)


class Fake:
    """A fake server. Answers are taken from lists, by method and path; the last one is repeated. An answer
    is (status, value), a text, a stream of events (a list of texts; DROP at its end cuts it off), DROP, or
    a function that returns one.
    """

    def __init__(self, context=None):
        self.answers = {"GET /healthz": [(200, {"status": "ok", "version": "1"})],
                        "POST /v1/jobs": [(201, {"id": 7, "state": "queued"})],
                        "GET /v1/jobs/7/events": [[state("running"), event("1.9", "result", RESULT), state("done")]],
                        "GET /v1/jobs": [(200, {"jobs": [self.job()], "next": None})],
                        "DELETE /v1/jobs/7": [problem(409)]}
        self.seen = []
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def handle_one(self):
                fake.handle(self)

            do_GET = do_POST = do_DELETE = handle_one

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        if context is not None:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = f"{'http' if context is None else 'https'}://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    @staticmethod
    def job(**more):
        return dict({"id": 7, "state": "done", "taken": TAKEN, "error": None}, **more)

    def count(self, what):
        return sum(f"{method} {path}" == what for method, path, *_ in self.seen)

    def handle(self, h):
        body = h.rfile.read(int(h.headers.get("Content-Length", 0)))
        parts = urlsplit(h.path)
        key = f"{h.command} {parts.path}"
        self.seen.append((h.command, parts.path, parse_qs(parts.query), dict(h.headers), body))
        answers = self.answers.get(key, [problem(404, "nothing there")])
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        answer = answer() if callable(answer) else answer
        h.close_connection = True
        if answer is DROP:
            return
        if isinstance(answer, str):
            h.wfile.write(answer.encode())
            return
        stream = isinstance(answer, list)
        text = "" if stream else json.dumps(answer[1]) if isinstance(answer[1], dict) else answer[1]
        h.send_response(200 if stream else answer[0])
        h.send_header("Connection", "close")
        if not stream or DROP in answer:
            h.send_header("Content-Length", str(10 ** 6 if stream else len(text.encode())))
        h.end_headers()
        h.wfile.write("".join(t for t in answer if t is not DROP).encode() if stream else text.encode())

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def heard(pid):
    """Returns true if no SIGINT is pending for the process."""
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        waiting = next(line for line in f if line.startswith("ShdPnd:"))
    return int(waiting.split()[1], 16) >> (signal.SIGINT - 1) & 1 == 0


def together(*calls):
    """Runs calls that mostly wait in parallel."""
    with ThreadPoolExecutor(len(calls)) as pool:
        for call in [pool.submit(call) for call in calls]:
            call.result()


class Case(unittest.TestCase):
    def fake(self, answers=None, context=None):
        f = Fake(context)
        self.addCleanup(f.close)
        f.answers.update(answers or {})
        return f

    def run_omen(self, url, *arguments, env=None):
        surroundings = {k: v for k, v in os.environ.items()
                        if not k.lower().endswith("_proxy") and k != "OMEN_TOKEN"}
        return subprocess.run([OMEN, "--server", url, "check", MODEL, "--ltl", LASSO, "-q", *arguments], timeout=120,
                              capture_output=True, text=True, env={**surroundings, **(env or {})})

    def expect(self, status, pattern, answers=None, out=None, messages=1, arguments=()):
        f = self.fake(answers)
        done = self.run_omen(f.url, *arguments)
        self.assertEqual(done.returncode, status, (done.stdout, done.stderr))
        if out is not None:
            self.assertEqual(done.stdout, out)
        self.assertEqual(done.stderr.count("\n"), messages, done.stderr)
        self.assertRegex(done.stderr, pattern)
        self.assertNotRegex(done.stderr, r"[\0-\x09\x0b-\x1f\x7f]")
        return f


class Submission(Case):
    def test_good(self):
        f = self.expect(0, r"^\Z", out=HOLDS, messages=0)
        body = json.loads(next(s for s in f.seen if s[0] == "POST")[4])
        self.assertEqual(body["properties"], [{"ltl": LASSO}])
        self.assertEqual((body["language"], body["name"], body["options"]), ("dve", "starvation.dve", {"quiet": True}))
        with open(MODEL) as m:
            self.assertEqual(body["model"], m.read())

    def test_nobody(self):
        with socket.socket() as silent:  # the port is in use, but not listened at
            silent.bind(("127.0.0.1", 0))
            done = self.run_omen(f"http://127.0.0.1:{silent.getsockname()[1]}")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, "^omen: cannot reach a server at .*\n$")
        self.assertRegex(self.run_omen("unix:/nowhere").stderr, "cannot reach a server at unix:/nowhere")

    def test_strangers(self):
        for answer, pattern in (((200, "<html>hello</html>"), "is not an omend"), ((404, "no"), "is not an omend"),
                                ((200, {"status": "ok"}), "is not an omend"), ((200, {"version": 5}), "is not an omend"),
                                ((503, {"status": "draining", "version": "1"}), "accepts no jobs now"),
                                ("SSH-2.0-x\r\n", "lost the connection"), (DROP, "lost the connection"),
                                ((302, ""), "is not an omend")):
            f = self.expect(1, "^omen: .*" + pattern, {"GET /healthz": [answer]}, "")
            self.assertEqual(f.count("POST /v1/jobs"), 0)

    def test_refusals(self):
        for answer, status, pattern in (
                (problem(401), 1, "refused the request: because$"), (problem(403), 1, "refused"), (problem(507), 1, "refused"),
                (problem(403, pointer="/options/translator"), 2, r"\(/options/translator\)"),
                (problem(400, pointer="/options/x"), 2, "refused"), (problem(413), 3, "refused"),
                (problem(422, pointer="/language"), 3, "refused"), (problem(422, pointer="/limits/timeout"), 2, "refused"),
                (problem(422, file="starvation.dve", line=3, column=9), 3, f"^omen: {re.escape(MODEL)}:3:9: because$"),
                (problem(422, "a\nb\x1b[31m"), 3, "refused the request: a b"), (problem(500), 1, "refused"),
                ((500, "<h1>sorry</h1>"), 1, "status 500 and no reason"), ((200, "{}"), 1, "status 200 and no reason"),
                ((400, {"detail": 5}), 1, "no reason"), ((201, "{}"), 1, "did not return its number"),
                ((201, {"id": -1}), 1, "its number"), ((201, "["), 1, "its number")):
            f = self.expect(status, pattern, {"POST /v1/jobs": [answer]}, "")
            self.assertEqual(f.count("POST /v1/jobs"), 1)

    def test_too_many_requests(self):
        f = self.expect(0, r"^\Z", {"POST /v1/jobs": [problem(429), problem(429), (201, {"id": 7})]}, HOLDS, 0)
        self.assertEqual(f.count("POST /v1/jobs"), 3)

    def test_sent_once(self):
        """The answer is lost: the job is found by its label, and not sent again."""
        def found():
            f = self.expect(0, r"^\Z", {"POST /v1/jobs": [DROP]}, HOLDS, 0)
            self.assertEqual(f.count("POST /v1/jobs"), 1)
            label = json.loads(next(s for s in f.seen if s[0] == "POST")[4])["label"]
            self.assertRegex(label, "^starvation.dve [0-9a-f]{16}$")
            self.assertEqual(next(s for s in f.seen if s[1] == "/v1/jobs" and s[0] == "GET")[2], {"label": [label]})

        def lost():
            f = self.expect(1, "lost the connection", {"POST /v1/jobs": [DROP], "GET /v1/jobs": [(200, {"jobs": []})]}, "")
            self.assertEqual(f.count("POST /v1/jobs"), 1)

        together(found, lost)

    def test_sent_again(self):
        """A server that supports idempotency keys receives the submission again, with the same key, until
        it answers.
        """
        keyed = {"GET /healthz": [(200, {"status": "ok", "version": "1", "submission_keys": True})]}

        def again(*answers):
            f = self.expect(0, r"^\Z", {**keyed, "POST /v1/jobs": [*answers, (201, {"id": 7})]}, HOLDS, 0)
            keys = [s[3].get("Idempotency-Key") for s in f.seen if s[0] == "POST"]
            self.assertEqual(len(keys), len(answers) + 1)
            self.assertEqual(len(set(keys)), 1)
            self.assertRegex(keys[0], "^[0-9a-f]{32}$")
            self.assertEqual(f.count("GET /v1/jobs"), 1)  # the final status request
            found.append(keys[0])

        found = []
        together(lambda: again(DROP), lambda: again(DROP, DROP, problem(503)), lambda: again(problem(502), problem(429)),
                 lambda: again(problem(504)))
        self.assertEqual(len(set(found)), len(found))
        for answers in [problem(503)], [DROP, problem(409)], [DROP, problem(422)]:
            self.expect(3 if answers[-1][0] == 422 else 1, "refused", {**keyed, "POST /v1/jobs": answers}, "")

    def test_interrupted(self):
        """Ctrl-C during the submission: the job is cancelled before its events are read."""
        command = []

        def submitted():
            while not command:
                time.sleep(0.01)
            command[0].send_signal(signal.SIGINT)
            while not heard(command[0].pid):
                time.sleep(0.01)
            return 201, {"id": 7}

        f = self.fake({"POST /v1/jobs": [submitted], "DELETE /v1/jobs/7": [(200, {})],
                       "GET /v1/jobs/7/events": [[state("cancelled")]],
                       "GET /v1/jobs": [(200, {"jobs": [Fake.job(state="cancelled", taken=None)]})]})
        command.append(subprocess.Popen([OMEN, "--server", f.url, "check", MODEL, "--deadlock", "-q"], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE))
        out, err = command[0].communicate(timeout=120)
        self.assertEqual((command[0].returncode, out, err), (30, "property deadlock: unknown (interrupted)\n", ""))
        self.assertEqual([f"{s[0]} {s[1]}" for s in f.seen][2:4], ["DELETE /v1/jobs/7", "GET /v1/jobs/7/events"])

    def test_token(self):
        f = self.fake()
        self.assertEqual(self.run_omen(f.url, env={"OMEN_TOKEN": "one"}).returncode, 0)
        self.assertEqual({s[3].get("Authorization") for s in f.seen}, {"Bearer one"})


class Events(Case):
    def stream(self, *answers):
        return {"GET /v1/jobs/7/events": [[state("running"), *a] if isinstance(a, tuple) and not isinstance(a[0], int)
                                          else a for a in answers]}

    def test_resumed(self):
        note = event("1.5", "note", {"text": "omen: starvation.dve:3:1: hear"})
        result = event("1.9", "result", RESULT)
        f = self.expect(0, f"^omen: {re.escape(MODEL)}:3:1: hear\n$", self.stream(
            (note, result[:30], DROP), (DROP,), (result, DROP), [state("done")]), HOLDS)
        self.assertEqual([s[3].get("Last-Event-ID") for s in f.seen if s[1].endswith("/events")],
                         [None, "1.5", "1.5", "1.9"])

    def test_errors_on_the_way(self):
        def survived(*errors):
            self.expect(0, r"^\Z", self.stream(*errors, (event("1.9", "result", RESULT), state("done"))), HOLDS, 0)

        together(lambda: survived(problem(503), DROP), lambda: survived(problem(500), problem(429)),
                 lambda: self.expect(1, "refused the request: because\nomen: job 7 still runs on the server", self.stream(problem(404)), "", 2))

    def test_begun_again(self):
        """Repeated output of another attempt is not printed twice."""
        second = dict(RESULT, property="second")
        self.expect(0, "restarted the job", {**self.stream(
            (event("1.9", "result", RESULT), DROP),
            [state("running", 2), event("2.9", "result", RESULT), event("2.19", "result", second), state("done", 2)])},
            HOLDS + "property second: holds\n", arguments=("--ltl", "second"))

    def test_nonsense(self):
        def changed(**members):
            return dict(copy.deepcopy(RESULT), **members)

        def part(**members):
            return changed(parts=[dict(PART, **members)])

        lasso = {"vars": [], "states": [{}], "#meta": {"format": "ITF"}}
        first = {"place": "x:1:1", "variable": "x", "value": 1, "stored": 1, "low": 0, "high": 1, "transition": None}
        for value, pattern in (
                ("garbage", "not a JSON object"), ("[]", "not a JSON object"), ("[" * 100000, "not a JSON object"),
                ('{"schema":1,"schema":1}', "not a JSON object"), ("{}", "its version of omen differs"), (changed(schema=2), "its version of omen differs"),
                (changed(verdict="perhaps"), "verdict"), (changed(verdict=None), "verdict"), (changed(states="1"), "states"),
                (changed(states=-1), "states"), (changed(property=None), "property"),
                (changed(about="nothing"), "about"), (changed(parts=None), "parts"),
                (changed(parts=[5]), "parts"), (part(device="\x1b[31m"), "parts"), (part(counters=5), "parts"),
                (part(strength="mighty"), "parts"), (part(checker=None), "parts"), (changed(threads=2 ** 40), "states"),
                (changed(minimal=5), "minimal"), (changed(reason=5), "reason"),
                (changed(fairness={"kind": "weak", "processes": 1, "sets": 1, "formulas": ["a"]}), "fairness"),
                (changed(overflows={"count": 1, "first": dict(first, low="x")}), "overflows"),
                (changed(overflows={"count": 1, "first": dict(first, place="x")}), "overflows"),
                (changed(overflows=5), "overflows"), (changed(lasso=5), "has an invalid run"),
                (changed(verdict="violated", lasso={}), "has an invalid run"),
                (changed(verdict="violated", lasso=lasso), "has an invalid run"),
                (changed(overflow_trace=lasso), "has an invalid run")):
            self.expect(1, f"^omen: .*{pattern}.*\nomen: job 7 still runs on the server\n$",
                        self.stream((event("1.9", "result", value), state("done"))), "", 2)
        for kind, value in (("state", "{}"), ("state", "5"), ("note", "{}"), ("progress", '{"states":"x"}'),
                            ("note", '{"text":null}')):
            self.expect(1, "invalid answer", self.stream((event("1.9", kind, value), state("done"))), "", 2)
        # Unknown fields and events are ignored.
        self.expect(0, r"^\Z", self.stream((": x\n\nretry: 5\n\nevent: weather\ndata: fine\n\n",
                                            event("1.9", "result", changed(later=1)), state("done"))), HOLDS, 0)
        twice = event("1.9", "result", RESULT)
        self.expect(1, "invalid answer: too many results", self.stream((twice, twice, state("done"))), HOLDS, 2)

    def test_ends(self):
        def ended(**more):
            return {"GET /v1/jobs": [(200, {"jobs": [Fake.job(**more)], "next": None})]}

        def error(kind, detail, status=200):
            return dict(problem(status, detail)[1], type="urn:omend:problem:" + kind)

        none = self.stream((state("failed"),))
        for answers, status, pattern, out in (
                ({**none, **ended(state="failed", taken=dict(TAKEN, ended_by="memory"), error=error("memory", "too much"))},
                 30, "^omen: too much\n$", ""),
                ({**none, **ended(state="failed", taken=dict(TAKEN, status=None, signal=11), error=error("crashed", "killed"))},
                 1, "^omen: killed\n$", ""),
                ({**none, **ended(state="failed", taken=None, error=error("lost", "gone"))}, 1, "^omen: gone\n$", ""),
                ({**none, **ended(state="failed", taken=None, error=error("bad-input", "bad", 422))}, 3, "^omen: bad\n$", ""),
                ({**none, **ended(state="failed", taken=None)}, 1, "no reason given", ""),
                (none, 1, "invalid answer: status", ""),  # no result, and "holds"
                (ended(taken=dict(TAKEN, status=10)), 1, "invalid answer: status", HOLDS),
                (ended(taken=dict(TAKEN, status=77)), 1, "invalid answer: status", HOLDS)):
            self.expect(status, pattern, answers, out)
        for answer in (200, "x"), (200, {"jobs": []}), (200, {"jobs": [Fake.job(id=8)]}), (200, {"jobs": 5}):
            self.expect(1, "invalid answer: malformed job", {"GET /v1/jobs": [answer]}, HOLDS)


class Tls(Case):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.certificate = os.path.join(self.folder.name, "c.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", self.certificate + ".key",
                        "-out", self.certificate, "-days", "2", "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.certificate + ".key")
        self.server = self.fake(context=context)

    def test_certificates(self):
        done = self.run_omen(self.server.url)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertRegex(done.stderr, "^omen: no secure connection to .*\n$")
        done = self.run_omen(self.server.url, "--ca-file", self.certificate)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, HOLDS, ""))
        done = self.run_omen(self.server.url.replace("127.0.0.1", "localhost"), "--ca-file", self.certificate)
        self.assertRegex(done.stderr, "no secure connection")
        done = self.run_omen(self.server.url, "--ca-file", "/nowhere")
        self.assertEqual(done.returncode, 1, done.stderr)
        plain = self.fake()
        done = self.run_omen(plain.url.replace("http", "https"))
        self.assertRegex(done.stderr, "no secure connection")


if __name__ == "__main__":
    unittest.main()
