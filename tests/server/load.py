# SPDX-License-Identifier: Apache-2.0
"""Measures omend's limits: durable submissions per second, status reads, idle streams of events, a long
queue. Exits with 1 if a bound is missed.

    OMEND=build/release/omend OMEN_DEMO=hosts/cli/demo OMEN_BIG=tests/cli/models/big.dve \\
        python3 tests/server/load.py [--seconds 10] [--out DIR]
"""
import argparse
import http.client
import json
import multiprocessing
import os
import resource
import signal
import socket
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from record import Record  # noqa: E402
from server import Server, demo, endless  # noqa: E402

FIRST = {"model": endless(), "language": "dve", "properties": [{"deadlock": True}],
         "options": {"exec": "vm"}, "limits": {"timeout": "1h"}}


def request(connection, method, path, body=None):
    """Returns status and value, over a connection that stays open."""
    connection.request(method, path, body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    return answer.status, answer.read()


def submit(host, port, count, out):
    c = http.client.HTTPConnection(host, port, timeout=60)
    body = json.dumps({"model": demo("starvation.dve"), "language": "dve"}).encode()
    times = []
    for _ in range(count):
        begun = time.monotonic()
        status, text = request(c, "POST", "/v1/jobs", body)
        if status != 201:
            raise SystemExit(f"refused: {text}")
        times.append(time.monotonic() - begun)
    out.put(times)


def read(host, port, seconds, rate, out):
    """Reads at a fixed rate; the time of a late read counts from its scheduled start."""
    c = http.client.HTTPConnection(host, port, timeout=60)
    begun, times, n = time.monotonic(), [], 0
    while True:
        due = begun + n / rate
        if due > begun + seconds:
            break
        time.sleep(max(0, due - time.monotonic()))
        status, _ = request(c, "GET", f"/v1/jobs/{1 + n % 50}")
        if status != 200:
            raise SystemExit(f"status {status}")
        times.append(time.monotonic() - due)
        n += 1
    out.put(times)


def together(target, arguments, count):
    out = multiprocessing.Queue()
    children = [multiprocessing.Process(target=target, args=(*arguments, out)) for _ in range(count)]
    for c in children:
        c.start()
    times = sorted(t for _ in children for t in out.get())
    for c in children:
        c.join()
    return times


def burst(host, port):
    """Makes 4,000 submissions by eight clients; returns the time of each, and of all with the clients'
    start.
    """
    begun = time.monotonic()
    times = together(submit, (host, port, 500), 8)
    return times, time.monotonic() - begun


def percentile(times, share):
    return times[min(len(times) - 1, int(len(times) * share))]


def resident(pid):
    with open(f"/proc/{pid}/status") as f:
        return next(int(line.split()[1]) * 1024 for line in f if line.startswith("VmRSS:"))


def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
            return [int(n) for n in f.read().split()]
    except FileNotFoundError:
        return []


def hold(server, number):
    """Stops the job's process during its search: it keeps its share of threads, and uses no processor."""
    most = 4
    while "progress" not in [kind for _, kind, _ in server.events(number, most=most)]:
        most += 1
    for pid in children_of(server.worker(number)):
        os.kill(pid, signal.SIGSTOP)


def streams(server, count):
    sockets = []
    for _ in range(count):
        s = socket.create_connection((server.host, int(server.port)), 30)
        s.sendall(b"GET /v1/jobs/2/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        sockets.append(s)
    for s in sockets:
        s.settimeout(30)
        said = b""
        while b"event: state" not in said:
            piece = s.recv(65536)
            if piece == b"":
                raise SystemExit(f"a stream ends: {said}")
            said += piece
    return sockets


def measure(server, seconds, record):
    host, port = server.host, int(server.port)
    first = server.ask("POST", "/v1/jobs", FIRST)[1]["id"]
    server.wait(first, ("running",))
    hold(server, first)
    early, took = burst(host, port)
    record.add("submissions a second, on the disk, the first 4,000", 4000 / took, 500, most=False)
    record.add("p99 of one, ms", percentile(early, .99) * 1e3)
    for _ in range(2):
        burst(host, port)
    record.add("jobs that wait", 12000, 10000, most=False)
    late, now_took = burst(host, port)
    record.add("submissions a second then, 4,000 more", 4000 / now_took, 500, most=False)
    record.add("p99 of one, ms", percentile(late, .99) * 1e3)
    record.add("as fast as in the beginning", took / now_took, 0.9, most=False)
    reads = together(read, (host, port, seconds, 1000), 2)
    record.add("status reads a second", len(reads) / seconds, 1999, most=False)
    record.add("p99 of one, ms", percentile(reads, .99) * 1e3, 20)
    before = resident(server.process.pid)
    idle = streams(server, 1000)
    after = resident(server.process.pid)
    record.add("memory of omend with 1,000 idle streams and 16,000 jobs that wait, MB", after / 1e6, 200)
    record.add("of that, the streams, MB", (after - before) / 1e6)
    for s in idle:
        s.close()
    server.ask("DELETE", f"/v1/jobs/{first}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--seconds", type=float, default=10)
    p.add_argument("--out", help="folder of the record")
    a = p.parse_args()
    record = Record("server-load", "What omend bears")
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        # One stopped job holds the machine's threads, so that the queue grows.
        server = Server(os.path.join(folder, "data"), config="threads = 1; calibrate = false; connections = 4000; "
                        "connections_per_address = 4000; requests_per_second = 0; http_threads = 2;")
        measure(server, a.seconds, record)
        said = server.said()
        server.process.kill()
        server.process.wait()
    record.add("words of a sanitizer", said.count("Sanitizer"), 0)
    if "Sanitizer" in said:
        print(said[:20000], file=sys.stderr)
    if a.out is not None:
        record.write(a.out)
    sys.exit(not record.met())


if __name__ == "__main__":
    main()
