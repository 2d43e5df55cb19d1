# SPDX-License-Identifier: Apache-2.0
"""Shared helpers of omend's tests: they start it, send requests, and compare its answers with its own
description (OpenAPI).
"""
import contextlib
import fcntl
import glob
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
import unittest

try:
    import jsonschema
except ImportError:
    jsonschema = None

# A shell starts background jobs with SIGINT ignored, and the programs would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

OMEND = os.environ["OMEND"]
DEMO = os.environ["OMEN_DEMO"]
BIG = os.environ["OMEN_BIG"]


def demo(name):
    with open(os.path.join(DEMO, name)) as f:
        return f.read()


def endless():
    """Returns a model whose check never ends. Its states are one run of 251^5, and each takes a while. On
    the fastest machine it needs hardly any memory, and only one of its threads has work.
    """
    work = " + ".join(f"(a * {i % 97 + 1} + b) % {i % 89 + 7}" for i in range(2000))
    rows = []
    for i, name in enumerate("abcde"):
        before = "abcde"[:i]
        guard = [f"{v} == 250" for v in before] + [f"{name} < 250"] + ([] if before else [f"0 <= {work}"])
        rows.append(f"s -> s {{ guard {' && '.join(guard)}; effect "
                    f"{', '.join([f'{v} = 0' for v in before] + [f'{name} = {name} + 1'])}; }}")
    return ("".join(f"byte {v} = 0; " for v in "abcde") + "\nprocess P { state s; init s; trans\n" +
            ",\n".join(rows) + ";\n}\nsystem async;\n")


# Longer than any operation takes on any machine; a timeout is a failure.
SECONDS = 120
LASSO = {"ltl": "G(Client_0.waiting -> F Client_0.served)"}


def as_json_schema(schema):
    """Converts OpenAPI 3.0's `nullable`, which JSON Schema does not have."""
    if isinstance(schema, list):
        return [as_json_schema(s) for s in schema]
    if not isinstance(schema, dict):
        return schema
    made = {k: as_json_schema(v) for k, v in schema.items() if k != "nullable"}
    return {"anyOf": [made, {"type": "null"}]} if schema.get("nullable") is True else made


class Description:
    """The schemas that answers must fit."""

    def __init__(self, text):
        self.document = json.loads(text)
        self.whole = as_json_schema(self.document)
        self.seen = set()

    def find(self, method, path, status, kind):
        for pattern, methods in self.document["paths"].items():
            if not re.fullmatch(re.sub(r"\{id\}", r"[0-9]+", pattern), path):
                continue
            answers = methods.get(method.lower())
            if answers is None:
                continue
            self.seen.add((method, pattern, status))
            answers = answers["responses"]
            answer = answers.get(str(status), answers.get("default"))
            if answer is None:
                raise AssertionError(f"{method} {path}: {status} is not described")
            if "$ref" in answer:
                answer = self.document["components"]["responses"][answer["$ref"].split("/")[-1]]
            if "content" not in answer and kind == "":
                return None
            if kind not in answer["content"]:
                raise AssertionError(f"{method} {path} {status}: {kind} is not described")
            return as_json_schema(answer["content"][kind]["schema"])
        return None

    def check(self, method, path, status, kind, value):
        schema = self.find(method, path, status, kind)
        if schema is None or jsonschema is None or not kind.endswith("json"):
            return
        # References are relative to the document.
        jsonschema.Draft4Validator(dict(self.whole, **schema)).validate(value)


class UnixConnection(http.client.HTTPConnection):
    """A connection to a socket in the file system."""

    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def is_locked(file):
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False


def end_jobs(data):
    """Ends the jobs that run there, even if omend has ended."""
    for path in glob.glob(os.path.join(glob.escape(data), "jobs", "*", "*", "lock")):
        with open(path, encoding="ascii") as f:
            while is_locked(f):
                f.seek(0)
                number = f.read()
                if number:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(int(number), signal.SIGTERM)
                time.sleep(0.05)


class Server:
    """A running omend. `ask` returns status and value, which has been checked against the description."""

    def __init__(self, data, config="", listen="127.0.0.1:0", arguments=(), environment=None):
        self.data = data
        self.config = os.path.join(data + ".conf")
        with open(self.config, "w") as f:
            f.write(config)
        command = [OMEND, "--listen", listen, "--data", data, "--config", self.config, *arguments]
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.errors,
                                        text=True, env={**os.environ, **(environment or {})})
        line = self.process.stdout.readline()
        if not line:
            self.process.wait(SECONDS)
            raise AssertionError(f"omend did not start: {self.said()}")
        self.address = line.split()[-1]
        self.host, self.port = self.address.split("//")[-1].rsplit(":", 1)
        self.token = None
        self.description = None

    def said(self):
        self.errors.seek(0)
        return self.errors.read()

    def connect(self, timeout=SECONDS):
        if self.host == "unix":
            return UnixConnection(self.port, timeout)
        return http.client.HTTPConnection(self.host, int(self.port), timeout=timeout)

    def raw(self, method, path, body=None, headers=None, connection=None):
        c = connection or self.connect()
        headers = dict(headers or {})
        if self.token is not None:
            headers.setdefault("Authorization", "Bearer " + self.token)
        c.request(method, path, body, headers)
        answer = c.getresponse()
        text = answer.read()
        if connection is None:
            c.close()
        return answer, text

    def ask(self, method, path, value=None, headers=None, connection=None):
        headers = dict(headers or {})
        body = None
        if value is not None:
            headers.setdefault("Content-Type", "application/json")
            body = json.dumps(value).encode()
        answer, text = self.raw(method, path, body, headers, connection)
        kind = answer.getheader("Content-Type", "").split(";")[0]
        value = json.loads(text) if kind.endswith("json") else text.decode()
        if self.description is None:
            self.description = Description(self.raw("GET", "/openapi.json")[1])
        self.description.check(method, path.split("?")[0], answer.status, kind, value)
        return answer.status, value

    def submit(self, **members):
        members.setdefault("model", demo("starvation.dve"))
        members.setdefault("language", "dve")
        status, value = self.ask("POST", "/v1/jobs", members)
        if status != 201:
            raise AssertionError(f"refused: {value}")
        return value["id"]

    def submit_endless(self, limits=None, **more):
        """Submits a job that runs until it is ended."""
        return self.submit(model=endless(), properties=[{"deadlock": True}], options={"device": "none", "exec": "vm"},
                           limits={"threads": 1, "memory": "500M", **(limits or {})}, **more)

    def job(self, number):
        status, value = self.ask("GET", f"/v1/jobs/{number}")
        if status != 200:
            raise AssertionError(f"job {number}: {value}")
        return value

    def wait(self, number, states=("done", "failed", "cancelled"), seconds=SECONDS):
        end = time.monotonic() + seconds
        while True:
            job = self.job(number)
            if job["state"] in states:
                return job
            if time.monotonic() > end:
                raise AssertionError(f"job {number} is still {job['state']}")
            time.sleep(0.02)

    def events(self, number, last=None, most=None, progress=None):
        """Returns (id, type, value) of a job's events: up to the end of the stream, or a given number of
        events, or a given number of progress events.
        """
        c = self.connect()
        headers = {} if last is None else {"Last-Event-ID": last}
        if self.token is not None:
            headers["Authorization"] = "Bearer " + self.token
        c.request("GET", f"/v1/jobs/{number}/events", None, headers)
        answer = c.getresponse()
        if answer.status != 200:
            raise AssertionError(f"{answer.status}: {answer.read()}")
        out, event = [], {}
        for line in answer:
            line = line.decode().rstrip("\n")
            if line.startswith(":"):
                continue
            if line == "":
                if event:
                    out.append((event.get("id"), event["event"], json.loads(event["data"])))
                event = {}
                if most is not None and len(out) == most:
                    break
                if progress is not None and sum(e[1] == "progress" for e in out) == progress:
                    break
            else:
                key, value = line.split(": ", 1)
                event[key] = value
        c.close()
        return out

    def stop(self, number=signal.SIGTERM, seconds=SECONDS):
        """Stops omend and returns its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(seconds)
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
            self.process.stdout.close()


    def end(self):
        """Ends omend at once: a second signal has an effect after the first has been seen. Jobs would
        continue, so they are ended, too.
        """
        while self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(0.1)
            except subprocess.TimeoutExpired:
                pass
        self.process.stdout.close()
        end_jobs(self.data)

    def worker(self, number, attempt=1):
        """Returns the process id of the omend-job of a running job, waiting until it is recorded."""
        path = os.path.join(self.data, "jobs", str(number), str(attempt), "lock")

        def read():
            try:
                with open(path, encoding="ascii") as f:
                    return int(f.read() or 0)
            except FileNotFoundError:
                return 0
        return until(read, f"{path} stays empty")

    def zombies(self):
        """Returns the number of its children that have ended but have not been waited for."""
        found = subprocess.run(["ps", "-o", "stat=", "--ppid", str(self.process.pid)], capture_output=True, text=True)
        return sum(line.startswith("Z") for line in found.stdout.splitlines())


def until(what, why="it did not come to that"):
    """Waits until the function returns a true value, and returns that."""
    end = time.monotonic() + SECONDS
    while not (found := what()):
        if time.monotonic() > end:
            raise AssertionError(why)
        time.sleep(0.02)
    return found


class Gate:
    """A translator that blocks a job until it is opened (the job's option `translator`, which the
    configuration must allow: GATES). It has a minute, like any translator.
    """

    def __init__(self, folder):
        self.open_file = os.path.join(folder, "open")
        program = os.path.join(folder, "gate")
        with open(program, "w") as f:
            # LASSO's formula as an automaton.
            f.write(f"""#!/bin/sh
until test -e '{self.open_file}'; do sleep 0.05; done
cat <<'END'
HOA: v1
States: 2
Start: 0
AP: 2 "p0" "p1"
Acceptance: 1 Inf(0)
--BODY--
State: 0
[t] 0
[0&!1] 1
State: 1 {{0}}
[!1] 1
--END--
END
""")
        os.chmod(program, 0o755)
        self.options = {"translator": f"cmd:{program}"}

    def open(self):
        with open(self.open_file, "w"):
            pass


GATES = "translators = true; "


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        os.chmod(self.folder.name, 0o755)  # jobs run as other users
        self.running = []
        self.addCleanup(self.stop_all)

    def stop_all(self):
        for s in self.running:
            s.end()
            said = s.said()
            s.errors.close()
            self.assertNotIn("Sanitizer", said)

    def start(self, **more):
        s = Server(os.path.join(self.folder.name, "data"), **more)
        self.running.append(s)
        return s

    def refused(self, server, status, pattern, *request, **more):
        found, value = server.ask(*request, **more)
        self.assertEqual(found, status, value)
        self.assertEqual(value["status"], status)
        self.assertRegex(value["detail"], pattern)
        return value
