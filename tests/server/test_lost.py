#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""omend with clients that hang up, send twice or open too many connections, and after its database
disappears.
"""
import contextlib
import json
import os
import re
import shutil
import socket
import sqlite3
import struct
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from server import DEMO, LASSO, OMEND, SECONDS, Case, demo, endless, until  # noqa: E402

CALM = "calibrate = false;"


def post(path, value, *headers):
    body = b"" if value is None else json.dumps(value).encode()
    head = [f"POST {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json", f"Content-Length: {len(body)}",
            *headers]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def hang_up(server, data, reset=False):
    """Sends a request, and closes the connection before the answer."""
    with socket.create_connection((server.host, int(server.port)), SECONDS) as c:
        c.sendall(data)
        if reset:
            c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def figures(server):
    found = {}
    for line in server.raw("GET", "/metrics")[1].decode().splitlines():
        if not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            found[name.removeprefix("omend_")] = float(value)
    return found


def jobs(server, query=""):
    return server.ask("GET", f"/v1/jobs?limit=1000{query}")[1]["jobs"]


def ticks(process):
    """Returns the processor time so far."""
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as f:
        return sum(int(n) for n in f.read().rsplit(")", 1)[1].split()[11:13])


class Gone(Case):
    """Clients that hang up. An interrupted request may or may not be accepted; an accepted one is executed."""
    WRONG = {"model": "nothing", "language": "dve"}  # the job fails at once

    def all_end(self, server, numbers):
        for number in numbers:
            self.assertEqual(server.wait(number)["state"], "failed")

    def test_submitted(self):
        s = self.start(config=CALM)
        for i in range(24):
            hang_up(s, post("/v1/jobs", dict(self.WRONG, label="gone")), reset=i % 4 == 3)
        # All requests before this one have been read, or never will be.
        until(lambda: len(jobs(s, "&label=gone")) >= 18)
        last = s.submit(**self.WRONG)
        s.wait(last)
        taken = [j["id"] for j in jobs(s)]
        self.all_end(s, taken)
        found = figures(s)
        self.assertEqual((found["jobs_accepted_total"], found["jobs_queued"], found["jobs_ended_total"]),
                         (len(taken), 0, len(taken)))

    def test_retried(self):
        s = self.start(config=CALM)
        numbers = [s.submit(**self.WRONG) for _ in range(10)]
        self.all_end(s, numbers)
        for number in numbers:
            hang_up(s, post(f"/v1/jobs/{number}/retry", None))
        until(lambda: all(s.job(n)["attempt"] == 2 for n in numbers), "jobs were not tried again")
        self.all_end(s, numbers)

    def test_cancelled_and_found(self):
        """Such a job can be cancelled, its events can be followed, and the next omend finds it."""
        s = self.start(config="threads = 1; " + CALM)
        first = s.submit_endless()
        s.wait(first, ("running",))
        for _ in range(8):
            hang_up(s, post("/v1/jobs", dict(self.WRONG, label="gone")))
        until(lambda: len(jobs(s, "&label=gone")) == 8)
        numbers = [j["id"] for j in jobs(s, "&label=gone")]
        self.assertEqual(figures(s)["jobs_queued"], 8)
        status, job = s.ask("DELETE", f"/v1/jobs/{numbers[0]}")
        self.assertEqual((status, job["state"]), (200, "cancelled"))
        s.process.kill()
        s.process.wait()
        t = self.start(config=CALM)
        t.ask("DELETE", f"/v1/jobs/{first}")
        for number in numbers[1:]:
            self.assertEqual(t.events(number)[-1][2]["state"], "failed")

    def test_removed(self):
        """The folder is removed with the job, even if the client has gone."""
        s = self.start(config=CALM)
        numbers = [s.submit(**self.WRONG) for _ in range(4)]
        self.all_end(s, numbers)
        for number in numbers:
            hang_up(s, f"DELETE /v1/jobs/{number}?remove=true HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        folder = os.path.join(s.data, "jobs")
        until(lambda: not os.listdir(folder), "folders stay")
        self.assertEqual(jobs(s), [])

    def test_strangers(self):
        """A stream of a job that the pool does not know waits without using processor time, and ends with
        its client. (Only an error can create such a job: here it is written into the database by hand.)
        """
        s = self.start(config="threads = 1; " + CALM)
        number = s.submit(**self.WRONG)
        s.wait(number)
        with sqlite3.connect(os.path.join(s.data, "omend.db"), timeout=SECONDS) as db:
            db.execute("UPDATE jobs SET state = 0 WHERE id = ?", (number,))
        db.close()
        # The pool knows the job until it has cleaned up after it.
        until(lambda: s.ask("DELETE", f"/v1/jobs/{number}")[0] == 503)
        self.refused(s, 503, "cannot be cancelled at the moment", "DELETE", f"/v1/jobs/{number}")
        streams = []
        for _ in range(4):
            c = socket.create_connection((s.host, int(s.port)), SECONDS)
            c.sendall(f"GET /v1/jobs/{number}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            self.assertIn(b"200 OK", c.recv(4096))
            streams.append(c)
        before = ticks(s.process)
        time.sleep(1)
        self.assertLess(ticks(s.process) - before, 0.5 * os.sysconf("SC_CLK_TCK"))
        for c in streams:
            c.close()

        def closed():
            """A new job wakes the streams, whose writes then fail."""
            s.submit(**self.WRONG)
            return figures(s)["event_streams"] == 0
        until(closed, "streams stay open")


class Keys(Case):
    """Idempotency-Key: a request sent twice creates one job."""

    def send(self, server, key, status=201, **more):
        value = dict({"model": demo("starvation.dve"), "language": "dve", "properties": [LASSO]}, **more)
        answer, text = server.raw("POST", "/v1/jobs", json.dumps(value).encode(),
                                  {"Content-Type": "application/json", "Idempotency-Key": key})
        self.assertEqual(answer.status, status, text)
        return answer, json.loads(text)

    def test_repeated(self):
        s = self.start(config=CALM)
        answer, first = self.send(s, "a")
        self.assertIsNone(answer.getheader("Idempotent-Replayed"))
        for key in "a", '"a"':
            answer, again = self.send(s, key)
            self.assertEqual((again["id"], answer.getheader("Location"), answer.getheader("Idempotent-Replayed")),
                             (first["id"], f"/v1/jobs/{first['id']}", "true"))
        s.wait(first["id"])
        self.assertEqual(self.send(s, "a", label="")[1], {"id": first["id"], "state": "done"})
        self.assertNotEqual(self.send(s, "b")[1]["id"], first["id"])
        for more in ({"label": "x"}, {"priority": 1}, {"properties": []}, {"model": demo("mutex.dve")}):
            self.assertRegex(self.send(s, "a", 422, **more)[1]["detail"], f"submitted job {first['id']} with other content")
        self.assertEqual(len(jobs(s)), 2)
        self.assertEqual(figures(s)["jobs_accepted_total"], 2)
        s.process.kill()
        s.process.wait()
        t = self.start(config=CALM)
        self.assertEqual(self.send(t, "a")[1]["id"], first["id"])
        t.ask("DELETE", f"/v1/jobs/{first['id']}?remove=true")
        self.assertRegex(self.send(t, "a", 409)[1]["detail"], "has since been removed")
        for key in "", '""', "x" * 129, "a b", 'a"b':
            self.assertRegex(self.send(t, key, 400)[1]["detail"], "an Idempotency-Key has 1 to 128")

    def test_at_once(self):
        """Many requests with one key, some from clients that have gone: one transaction may contain several
        of them.
        """
        s = self.start(config=CALM)
        value = {"model": "nothing", "language": "dve"}
        for _ in range(30):
            hang_up(s, post("/v1/jobs", value, "Idempotency-Key: k"))
        answer, text = s.raw("POST", "/v1/jobs", json.dumps(value).encode(),
                             {"Content-Type": "application/json", "Idempotency-Key": "k"})
        number = json.loads(text)["id"]
        s.wait(number)
        self.assertEqual([j["id"] for j in jobs(s)], [number])

    def test_forgotten(self):
        """After the configured time."""
        s = self.start(config='submission_keys = "1s"; ' + CALM)
        first = self.send(s, "a")[1]["id"]
        until(lambda: self.send(s, "a")[1]["id"] != first, "the key is remembered for ever")

    def test_tokens(self):
        """A key belongs to its token."""
        words = ["a long enough word for one", "a long enough word for two"]
        hashes = [subprocess.run([OMEND, "--hash-token"], input=w + "\n", capture_output=True, text=True, check=True,
                                 timeout=SECONDS).stdout.strip() for w in words]
        s = self.start(config=CALM + "tokens = (" + ", ".join(
            f'{{ name = "t{i}"; hash = "{h}"; role = "submit"; }}' for i, h in enumerate(hashes)) + ");")
        found = []
        for s.token in words:
            found.append(self.send(s, "a")[1]["id"])
        self.assertEqual(found, [1, 2])

    def test_earlier_database(self):
        """A database of an omend without keys is upgraded."""
        s = self.start(config=CALM)
        number = s.submit(properties=[LASSO])
        s.wait(number)
        self.assertEqual(s.stop(), 0)
        with sqlite3.connect(os.path.join(s.data, "omend.db")) as db:
            db.executescript("DROP TABLE keys; PRAGMA user_version = 1;")
        db.close()
        t = self.start(config=CALM)
        self.assertEqual(t.job(number)["verdict"], "violated")
        self.assertEqual(self.send(t, "a")[1], self.send(t, "a")[1] | {"state": "queued"})


class Relay:
    """A relay between a client and omend: it forwards the first submission, and then closes both ends."""

    def __init__(self, server):
        self.server, self.dropped = server, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                c = self.listener.accept()[0]
            except OSError:  # it is closed
                return
            threading.Thread(target=self.serve, args=(c,), daemon=True).start()

    def read(self, c):
        """Reads a request and its body; b"": end of input."""
        got = b""
        while b"\r\n\r\n" not in got:
            piece = c.recv(65536)
            if not piece:
                return b""
            got += piece
        head, _, body = got.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
        while length is not None and len(body) < int(length[1]):
            piece = c.recv(65536)
            got += piece
            body += piece
        return got

    def pass_back(self, up, c):
        with contextlib.suppress(OSError):
            while piece := up.recv(65536):
                c.sendall(piece)
        self.end(up, c)

    @staticmethod
    def end(*sockets):
        for s in sockets:
            with contextlib.suppress(OSError):
                s.shutdown(socket.SHUT_RDWR)
            s.close()

    def serve(self, c):
        up = socket.create_connection((self.server.host, int(self.server.port)), SECONDS)
        back = threading.Thread(target=self.pass_back, args=(up, c), daemon=True)
        with contextlib.suppress(OSError):
            while request := self.read(c):
                lost = request.startswith(b"POST /v1/jobs ") and self.dropped == 0
                up.sendall(request)
                if lost:
                    self.dropped += 1
                    break
                if not back.ident:
                    back.start()
        self.end(up, c)

    def close(self):
        self.end(self.listener)


class Clients(Case):
    """omen and the Python module when the answer to a submission is lost: it creates one job."""

    def setUp(self):
        super().setUp()
        self.model = os.path.join(DEMO, "starvation.dve")
        self.surroundings = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}

    def relayed(self):
        s = self.start(config=CALM)
        relay = Relay(s)
        self.addCleanup(relay.close)
        return s, relay

    def test_program(self):
        s, relay = self.relayed()
        done = subprocess.run([os.environ["OMEN"], "--server", relay.url, "check", self.model, "--ltl", LASSO["ltl"], "-q"],
                              capture_output=True, text=True, timeout=SECONDS, env=self.surroundings)
        self.assertEqual((done.returncode, done.stderr, relay.dropped), (10, "", 1), done.stdout)
        self.assertEqual(len(jobs(s)), 1)

    @unittest.skipIf(sys.version_info < (3, 11), "the module needs Python 3.11")
    def test_python(self):
        s, relay = self.relayed()
        python = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "hosts", "python")
        program = "import omen, sys; print(omen.check(sys.argv[1], deadlock=True, backend=omen.Server(sys.argv[2])).holds)"
        done = subprocess.run([sys.executable, "-B", "-c", program, self.model, relay.url], capture_output=True, text=True,
                              timeout=SECONDS, env={**self.surroundings, "PYTHONPATH": python})
        self.assertEqual((done.returncode, done.stdout, relay.dropped), (0, "True\n", 1), done.stderr)
        self.assertEqual(len(jobs(s)), 1)


class Shares(Case):
    def open(self, server, request=b""):
        c = socket.create_connection((server.host, int(server.port)), SECONDS)
        self.addCleanup(c.close)
        c.sendall(request)
        return c

    def first_line(self, server, path):
        c = self.open(server, f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        try:
            return c.recv(65536).split(b"\r\n")[0].decode()
        except ConnectionError:
            return ""

    def test_streams(self):
        s = self.start(config="connections = 40; threads = 1; " + CALM)
        number = s.submit_endless()
        got = [self.first_line(s, f"/v1/jobs/{number}/events") for _ in range(60)]
        self.assertEqual(got.count("HTTP/1.1 200 OK"), 20)  # half
        for line in got:
            self.assertRegex(line, "^HTTP/1.1 (200|503) ")
        self.assertEqual(s.ask("GET", "/healthz")[0], 200)
        # 40 connections are open, 20 of them idle: each new one replaces an idle one at once.
        for _ in range(100):
            self.open(s)
            self.refused(s, 503, "20 event streams are open", "GET", f"/v1/jobs/{number}/events")
        self.assertEqual(figures(s)["event_streams"], 20)
        self.assertEqual(s.ask("DELETE", f"/v1/jobs/{number}")[0], 200)

    def test_idle(self):
        """Idle connections keep no client out: the one that has been idle longest is closed."""
        s = self.start(config="connections = 40; http_threads = 1; " + CALM)
        idle = [self.open(s, b"GET /" if i % 2 else b"") for i in range(100)]
        self.assertEqual(s.ask("GET", "/healthz")[0], 200)
        self.assertEqual(s.ask("GET", "/v1/jobs")[0], 200)
        self.assertEqual(idle[0].recv(1), b"")

    def test_kept(self):
        """If all connections are in use, health and metrics are still served, and nothing else."""
        s = self.start(config="connections = 40; event_streams = 40; threads = 1; " + CALM)
        number = s.submit_endless()
        streams = [self.first_line(s, f"/v1/jobs/{number}/events") for _ in range(40)]
        self.assertEqual(set(streams), {"HTTP/1.1 200 OK"})
        for path, status in (("/healthz", 200), ("/metrics", 200), ("/v1/jobs", 503), ("/", 503)):
            answer, text = s.raw("GET", path)
            self.assertEqual((answer.status, answer.getheader("Connection")), (status, "close" if status == 503 else None),
                             (path, text))
        self.assertGreaterEqual(figures(s)["turned_away_total"], 2)

    def test_time_of_several_properties(self):
        """The timeout of a job is for all its properties together: a job that ends before the next one can start runs first."""
        s = self.start(config="threads = 2; " + CALM)
        long = s.submit_endless(limits={"timeout": "200s", "memory": "200M"})
        s.wait(long, ("running",))
        both = s.submit_endless(limits={"timeout": "200s", "threads": 2, "memory": "200M"})
        short = s.submit(model=endless(), properties=[{"deadlock": True}, {"assertions": True}, {"deadlock": True}],
                         options={"device": "none", "exec": "vm"}, limits={"timeout": "80s", "threads": 1, "memory": "200M"})
        s.wait(short, ("running",), 60)
        self.assertEqual(s.job(both)["state"], "queued")
        for number in (short, both, long):
            self.assertEqual(s.ask("DELETE", f"/v1/jobs/{number}")[0], 200)


class Files(Case):
    def broken(self, server, pattern):
        until(lambda: server.ask("GET", "/healthz")[0] == 503, "it is not noticed")
        status, health = server.ask("GET", "/healthz")
        self.assertEqual(health["status"], "broken")
        self.assertRegex(health["detail"], pattern)
        self.assertRegex(server.said(), pattern + ".*: omend accepts no more jobs")
        self.refused(server, 503, pattern, "POST", "/v1/jobs", {"model": "x", "language": "dve"})
        self.assertEqual(server.stop(), 0)

    def test_changed(self):
        copy, before = (os.path.join(self.folder.name, name) for name in ("copy", "before"))
        first = self.start(config=CALM)
        first.wait(first.submit(model="nothing"))
        self.assertEqual(first.stop(), 0)
        shutil.copytree(first.data, before)

        def put(path, text):
            with open(path, "r+b") as f:
                f.write(text)

        for name, change, pattern in (
                ("omend.db", os.unlink, "omend.db was removed"),
                ("omend.db", lambda p: os.replace(copy, p), "omend.db was replaced"),
                ("omend.db", lambda p: shutil.copyfile(copy, p), "omend.db was overwritten"),
                ("omend.db", lambda p: put(p, b"x" * 4096), "omend.db was overwritten"),
                ("omend.db", lambda p: os.truncate(p, 0), "omend.db was overwritten"),
                ("omend.db", lambda p: (os.unlink(p), os.mkfifo(p)), "omend.db was replaced"),
                ("omend.db-wal", os.unlink, "omend.db-wal was removed"),
                ("omend.db-wal", lambda p: put(p, b"x" * 4096), "omend.db-wal was overwritten"),
                ("omend.db-shm", os.unlink, "omend.db-shm was removed")):
            with self.subTest(pattern):
                shutil.rmtree(first.data)
                shutil.copytree(before, first.data)
                shutil.copyfile(os.path.join(before, "omend.db"), copy)
                s = self.start(config=CALM)
                s.wait(s.submit(model="nothing"))
                change(os.path.join(s.data, name))
                self.broken(s, pattern)

    def test_untouched(self):
        """SQLite's own changes to the files cause no error, nor do readers: the log restarts after it has
        been copied, after 4,000 pages of 4 KiB.
        """
        s = self.start(config="keep_jobs = 1; " + CALM)
        for _ in range(8):
            number = s.submit(model="x" * (4 << 20))
            with sqlite3.connect(os.path.join(s.data, "omend.db"), timeout=SECONDS) as db:
                self.assertEqual(db.execute("SELECT count(*) FROM models WHERE job = ?", (number,)).fetchone(), (1,))
            db.close()
        s.wait(number)
        self.assertEqual(s.ask("GET", "/healthz")[1]["status"], "ok")

    def test_no_file(self):
        for name in "omend.db", "omend.db-wal":
            folder = os.path.join(self.folder.name, name)
            os.mkdir(folder)
            os.mkfifo(os.path.join(folder, name))
            done = subprocess.run([OMEND, "--listen", "127.0.0.1:0", "--data", folder], capture_output=True, text=True,
                                  timeout=SECONDS)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertRegex(done.stderr, f"{name}: not a regular file\n")


class Strict(Case):
    """HTTP that two programs may interpret differently."""

    def answer(self, server, head, body=b"", rest=True):
        """Returns status and text; the connection is used for this request only."""
        with socket.create_connection((server.host, int(server.port)), SECONDS) as c:
            c.sendall(head.replace("\n", "\r\n").encode("latin-1") + b"\r\n\r\n" + body)
            got = b""
            while rest or b"\r\n\r\n" not in got:
                piece = c.recv(65536)
                if not piece:
                    break
                got += piece
        return int(got.split()[1]), got

    def test_heads(self):
        s = self.start(config=CALM)
        get, end = "GET /v1/jobs HTTP/1.1\n", "\nConnection: close"
        submit = "POST /v1/jobs HTTP/1.1\nHost: localhost\n"
        for head, status, pattern in (
                (get + "Host: localhost", 200, ""), (get + "Host: LOCALHOST:8440", 200, ""), (get + "Host: [::1]:1", 200, ""),
                ("GET /v1/jobs HTTP/1.0", 200, ""), (get + "Host: localhost\nCookie: a=b", 200, ""),
                (get + "X: y", 400, "no header Host"), (get + "Host:", 400, "not a valid Host"), (get + "Host: [name]", 400, "not a valid Host"),
                (get + "Host: [::1", 400, "not a valid Host"), (get + "Host: [127.0.0.1]", 400, "not a valid Host"),
                (get + "Host: localhost:x", 400, "not a valid Host"), (get + "Host: localhost:99999", 400, "not a valid Host"),
                (get + "Host: a/b", 400, "not a valid Host"), (get + "Host: a, b", 400, "not a valid Host"),
                (get + "Host: localhost\nHost: localhost", 400, "header Host is given twice"),
                (get + "Host: localhost\nhost: other", 400, "header Host is given twice"),
                (get + "Host: 1.2.3", 403, "for an address"),
                (get + "Host : localhost", 400, "a header of the request is invalid"),
                (get + "Host: localhost\nA B: c", 400, "a header of the request is invalid"),
                (get + "Host: localhost\nA: \x01", 400, "a header of the request is invalid"),
                (submit + "Content-Length: 5\nContent-Length: 6", 400, "header Content-Length is given twice"),
                (submit + "Content-Length: 5\nContent-Length: 5", 400, "header Content-Length is given twice"),
                (submit + "Content-Length: 0\nTransfer-Encoding: chunked", 400, "must not be used with Content-Length"),
                (submit + "Transfer-Encoding: gzip", 400, "must be chunked"),
                (submit + "Transfer-Encoding: chunked\nTransfer-Encoding: identity", 400, "is given twice"),
                (submit.replace("1.1", "1.0") + "Transfer-Encoding: chunked", 400, "or HTTP/1.0"),
                (submit + "Content-Length: 0\nContent-Type: application/json\nContent-Type: text/plain", 400, "is given twice"),
                (submit + "Content-Length: 0\nContent-Encoding: gzip", 415, "Content-Encoding 'gzip' is not supported")):
            status_found, text = self.answer(s, head + end)
            self.assertEqual(status_found, status, (head, text))
            self.assertIn(pattern.encode(), text, head)
        # After such an answer the connection is closed: the following bytes may be the request's body.
        smuggled = "GET /v1/jobs HTTP/1.1\nHost: localhost\n\n"
        _, text = self.answer(s, submit + "Content-Length: 5\nContent-Length: 0\n\n" + smuggled)
        self.assertEqual(text.count(b"HTTP/1.1 "), 1, text)

    def test_targets(self):
        s = self.start(config=CALM)
        number = s.submit(model="nothing")
        s.wait(number)
        for target, status, pattern in (
                (f"/v1/jobs/{number}%00", 400, "zero byte"), (f"/v1/jobs/{number}%00x", 400, "zero byte"),
                ("/v1/jobs?label=a%00b", 400, "zero byte"), ("/v1/jobs?label=%zz", 400, "hexadecimal"),
                ("/v1/jobs?label=%1", 400, "hexadecimal"), ("/v1/jobs#x", 400, "0x23"), ("/v1/jobs?label=\xe4", 400, "0xe4"),
                ("/v1/jobs ?x", 400, "0x20"),
                ("/v1/jobs?before=abc", 400, "before needs order=newest"),
                ("/v1/jobs?order=newest&before=abc", 400, "before must be a number"),
                ("/v1/jobs?order=newest&before=5", 200, ""), ("/v1/jobs?order=newest&after=5", 400, "after needs"),
                ("/v1/jobs?order=up", 400, "order must be"), ("/v1/jobs?order=oldest&after=0", 200, ""),
                ("/v1/jobs?after=99999999999999999999", 400, "after must be a number"),
                ("/v1/jobs?stat=done", 400, "no parameter 'stat'"), ("/v1/jobs?limit=1&limit=2", 400, "limit is given twice"),
                ("/v1/jobs?limit", 400, "limit has no value"), (f"/v1/jobs/{number}?x=1", 400, "no parameter 'x'"),
                ("/healthz?x=1", 200, ""), ("/v1/jobs?" + "&" * 1000, 414, "64 parameters"),
                *((f"/v1/jobs?limit=1&{'a=b&' * n}", 414, "64 parameters") for n in (100, 400, 500, 1000)),
                ("/v1/jobs?label=" + "x" * 5000, 414, "at most 4096")):
            status_found, text = self.answer(s, f"GET {target} HTTP/1.1\nHost: localhost\nConnection: close")
            self.assertEqual(status_found, status, (target, text))
            self.assertIn(pattern.encode(), text, target)
        self.refused(s, 400, "true or false", "DELETE", f"/v1/jobs/{number}?remove=yes")
        self.assertEqual(s.job(number)["state"], "failed")

    def test_many_headers(self):
        s = self.start(config=CALM)
        for n in 200, 500, 2000:
            head = "GET /v1/jobs HTTP/1.1\nHost: localhost\n" + "A: b\n" * n + "Connection: close"
            self.assertIn(self.answer(s, head)[0], (200, 413, 431), n)

    def test_types(self):
        s = self.start(config=CALM)
        body = json.dumps({"model": "nothing", "language": "dve"}).encode()
        for kind, status in (("application/json", 201), ("Application/JSON; charset=utf-8", 201), ("application/jsonx", 415),
                             ("application/json-seq", 415), ("application/json/x", 415), ("multipart/form-datax", 415),
                             ("text/plain", 415)):
            answer, text = s.raw("POST", "/v1/jobs", body, {"Content-Type": kind})
            self.assertEqual(answer.status, status, (kind, text))

    def test_sites(self):
        """Pages of other sites get nothing, including resources loaded without an Origin: pictures, frames."""
        s = self.start(config=CALM)
        number = s.submit(properties=[LASSO])
        s.wait(number)
        for site, status in (("cross-site", 403), ("same-site", 403), ("nonsense", 403), ("same-origin", 200), ("none", 200)):
            for path in f"/v1/jobs/{number}/lasso.svg", f"/v1/jobs/{number}/lasso.json", "/v1/jobs", f"/v1/jobs/{number}/model":
                answer, text = s.raw("GET", path, headers={"Sec-Fetch-Site": site})
                self.assertEqual(answer.status, status, (site, path, text))

    def test_names(self):
        """A model cannot have the name of the file of its property's automaton."""
        s = self.start(config=CALM)
        never = {"never": "never { T0: if :: true -> goto T0 fi }"}
        value = self.refused(s, 400, "file name of property 2", "POST", "/v1/jobs", {
            "model": demo("starvation.dve"), "language": "dve", "name": "never-2.hoa", "properties": [LASSO, never]})
        self.assertEqual(value["pointer"], "/name")
        number = s.submit(name="never-2.hoa", properties=[never, LASSO])
        self.assertEqual(s.wait(number)["state"], "done")


if __name__ == "__main__":
    unittest.main()
