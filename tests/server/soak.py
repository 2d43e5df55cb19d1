# SPDX-License-Identifier: Apache-2.0
"""Runs omend under mixed load for many minutes: jobs of all kinds and ends, abandoned streams,
counterexamples in all formats, invalid requests. Once a minute, at rest, its memory and descriptors
are counted: neither may grow. Exits with 1 if one did, if omend printed a sanitizer's message, or if
it did not end properly.

    OMEND=build/release/omend OMEN_DEMO=hosts/cli/demo OMEN_BIG=tests/cli/models/big.dve \\
        python3 tests/server/soak.py [--minutes 20] [--out DIR]
"""
import argparse
import http.client
import json
import os
import random
import socket
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from record import Record  # noqa: E402
from server import LASSO, Server, demo, endless  # noqa: E402

MODELS = [
    {"model": demo("starvation.dve"), "properties": [LASSO]},
    {"model": demo("mutex.dve"), "properties": [{"ltl": "G(P_0.waiting -> F P_0.critical)"}, {"deadlock": True}]},
    {"model": "process P { state a; init b; }", "properties": [{"deadlock": True}]},
    {"model": endless(), "properties": [{"deadlock": True}], "options": {"exec": "vm"}, "limits": {"timeout": "300ms", "threads": 1, "memory": "500M"}},
    {"model": endless(), "properties": [{"deadlock": True}], "options": {"exec": "vm"}, "limits": {"timeout": "1m", "threads": 1, "memory": "500M"}},
]
FORMATS = "json", "txt", "html", "svg", "dot", "csv", "trail", "view"
NONSENSE = b"GET\r\n\r\n", b"POST /v1/jobs HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", b"\0" * 300, b"GET /../../etc/passwd HTTP/1.1\r\n\r\n"


class Load:
    """Threads that send requests to omend until they have to rest."""

    def __init__(self, server):
        self.server = server
        self.resting, self.over = threading.Event(), threading.Event()
        self.counts, self.lock, self.wrong = {}, threading.Lock(), []
        kinds = self.submit, self.submit, self.look, self.look, self.stream, self.cancel, self.misuse
        self.at_work = [threading.Event() for _ in kinds]
        self.threads = [threading.Thread(target=self.work, args=(kind, at_work, random.Random(i)))
                        for i, (kind, at_work) in enumerate(zip(kinds, self.at_work))]

    def count(self, what):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + 1

    def work(self, kind, at_work, r):
        while not self.over.is_set():
            if self.resting.is_set():
                at_work.clear()
                time.sleep(0.05)
                continue
            at_work.set()
            try:
                kind(r)
            except (OSError, http.client.HTTPException, ValueError, AssertionError) as e:
                with self.lock:
                    self.wrong.append(f"{kind.__name__}: {e!r}")
            time.sleep(r.uniform(0, 0.1))

    def newest(self, r):
        jobs = self.server.ask("GET", "/v1/jobs?order=newest&limit=50")[1]["jobs"]
        return r.choice(jobs)["id"] if jobs else None

    def submit(self, r):
        if self.server.ask("GET", "/v1/jobs?state=queued&limit=30")[1]["next"] is None:
            made = r.choices(MODELS, (6, 6, 3, 2, 1))[0]
            status, value = self.server.ask("POST", "/v1/jobs", {"language": "dve", "label": r.choice("abc"), **made})
            assert status == 201, value
            self.count("jobs submitted")

    def look(self, r):
        number = self.newest(r)
        path = r.choice(("/v1/jobs?label=a", "/metrics", "/healthz", "/", "/v1/devices", "/openapi.json",
                         f"/v1/jobs/{number}", f"/v1/jobs/{number}/lasso.{r.choice(FORMATS)}"))
        status = self.server.raw("GET", path)[0].status
        assert status in (200, 404), (path, status)
        self.count("things looked at")

    def stream(self, r):
        """Reads a stream to its end, or abandons it."""
        number = self.newest(r)
        if number is not None:
            try:
                self.server.events(number, most=r.choice((1, 2, 5)))
            except AssertionError as e:
                if not str(e).startswith("404: "):  # removed in the meantime
                    raise
            self.count("event streams")

    def cancel(self, r):
        number = self.newest(r)
        if number is not None:
            what = r.choice((("DELETE", f"/v1/jobs/{number}"), ("POST", f"/v1/jobs/{number}/retry"),
                             ("DELETE", f"/v1/jobs/{number}?remove=true")))
            status = self.server.raw(*what)[0].status
            assert status in (200, 201, 202, 204, 404, 409), (what, status)
            self.count("jobs cancelled, retried or removed")
        time.sleep(0.3)

    def misuse(self, r):
        with socket.create_connection((self.server.host, int(self.server.port)), 10) as s:
            s.sendall(r.choice(NONSENSE))
            if r.random() < 0.5:
                s.settimeout(0.2)
                try:
                    s.recv(4096)
                except TimeoutError:
                    pass
        self.count("nonsense sent")

    def rest(self):
        """Waits until there are no requests, and no running or queued jobs."""
        self.resting.set()
        while any(e.is_set() for e in self.at_work):
            time.sleep(0.05)
        while True:
            left = [j["id"] for state in ("queued", "running")
                    for j in self.server.ask("GET", f"/v1/jobs?state={state}&limit=1000")[1]["jobs"]]
            if not left:
                return
            for number in left:
                self.server.raw("DELETE", f"/v1/jobs/{number}")
            time.sleep(0.1)


def descriptors(pid):
    """Returns the number of sockets, and of other descriptors."""
    names = []
    for fd in os.listdir(f"/proc/{pid}/fd"):
        try:
            names.append(os.readlink(f"/proc/{pid}/fd/{fd}"))
        except FileNotFoundError:
            pass
    sockets = sum(name.startswith("socket:") for name in names)
    return sockets, len(names) - sockets


def memory(server):
    """Returns the anonymous memory in MB (memory of files belongs to the page cache), and the database's
    share of it: it caches its pages up to a limit.
    """
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as f:
        anonymous = next(int(line.split()[1]) / 1e3 for line in f if line.startswith("RssAnon:"))
    figures = server.raw("GET", "/metrics")[1].decode()
    return anonymous, next(int(line.split()[1]) / 1e6 for line in figures.splitlines()
                           if line.startswith("omend_database_memory_bytes "))


def sockets_left(pid, most, seconds=90):
    """Returns the number of open sockets as soon as it is at most `most`, or after a while: an incomplete
    request is dropped after a minute, whether or not its client is still connected.
    """
    end = time.monotonic() + seconds
    while descriptors(pid)[0] > most and time.monotonic() < end:
        time.sleep(0.5)
    return descriptors(pid)[0]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--minutes", type=float, default=20)
    p.add_argument("--every", type=float, default=60, help="seconds between two rests")
    p.add_argument("--out", help="folder of the record")
    a = p.parse_args()
    record = Record("server-soak", f"omend under load for {a.minutes:g} minutes")
    samples = []
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        server = Server(os.path.join(folder, "data"), config="threads = 2; calibrate = false; requests_per_second = 0; ")
        server.raw("GET", "/healthz")
        sockets = descriptors(server.process.pid)[0]
        load = Load(server)
        for t in load.threads:
            t.start()
        end = time.monotonic() + a.minutes * 60
        try:
            while time.monotonic() < end and server.process.poll() is None:
                time.sleep(a.every)
                load.rest()
                anonymous, database = memory(server)
                samples.append((descriptors(server.process.pid)[1], anonymous - database, server.zombies(), anonymous))
                print(f"{len(samples)}: {samples[-1][0]} descriptors, {anonymous:.1f} MB, {database:.1f} MB of them the "
                      "database's", flush=True)
                if time.monotonic() < end:
                    load.resting.clear()
            sockets = sockets_left(server.process.pid, sockets) - sockets
        finally:
            load.over.set()
            for t in load.threads:
                t.join()
        said = server.said()
        status = server.stop(seconds=120)
    early, late = samples[len(samples) // 4:len(samples) // 2] or samples[:1], samples[-max(1, len(samples) // 4):]
    mean = lambda rows: sum(row[1] for row in rows) / len(rows)  # noqa: E731
    for what, n in sorted(load.counts.items()):
        record.add(what, n)
    record.add("requests that went wrong", len(load.wrong), 0)
    record.add("times counted at rest", len(samples))
    record.add("descriptors (no sockets) at the first rest", samples[0][0])
    record.add("more at the last rest", samples[-1][0] - samples[0][0], 0)
    record.add("more sockets at the end than in the beginning", sockets, 0)
    record.add("children nobody waited for, at most", max(row[2] for row in samples), 0)
    record.add("memory (MB) at the last rest", samples[-1][3])
    record.add("memory without the database's (MB), mean of the second quarter", mean(early))
    record.add("mean of the last quarter, of that", mean(late) / mean(early), 1.05)
    record.add("exit status", status, 0)
    record.add("words of a sanitizer", said.count("Sanitizer"), 0)
    if load.wrong or "Sanitizer" in said:
        print(*load.wrong[:20], said[:20000], sep="\n", file=sys.stderr)
    if a.out is not None:
        record.write(a.out)
    sys.exit(not record.met())


if __name__ == "__main__":
    main()
