# SPDX-License-Identifier: Apache-2.0
"""omend is killed (SIGKILL) at random moments under load: accepted jobs end exactly once, with one result;
running jobs continue without it, and are found again.
"""
import argparse
import os
import random
import signal
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from server import GATES, LASSO, SECONDS, Gate, Server, demo, end_jobs, until  # noqa: E402


def load(server, accepted, lock, most, seconds):
    """Submits until omend stops answering; the number is limited because each job must be checked."""
    try:
        c = server.connect()
        for _ in range(most):
            time.sleep(random.uniform(0, 2 * seconds / most))
            status, value = server.ask("POST", "/v1/jobs", {
                "model": MODEL, "language": "dve", "properties": [LASSO],
                "limits": {"threads": 1, "memory": "200M"}}, connection=c)
            if status == 201:
                with lock:
                    accepted.append(value["id"])
    except (OSError, AssertionError, ValueError):
        pass
    except Exception as e:  # exceptions of http.client
        if type(e).__module__ != "http.client":
            raise


def kill(server):
    server.process.send_signal(signal.SIGKILL)
    server.process.wait()
    server.process.stdout.close()
    server.errors.close()


def kill_once(data, accepted, seconds):
    server = Server(data, "calibrate = false;")
    lock = threading.Lock()
    clients = [threading.Thread(target=load, args=(server, accepted, lock, 8, seconds)) for _ in range(3)]
    for c in clients:
        c.start()
    time.sleep(seconds)
    kill(server)
    for c in clients:
        c.join()


def check_all(server, accepted):
    """Waits for the jobs; if none ends for long enough, one is lost."""
    left, end = None, 0
    while True:
        now = [server.ask("GET", f"/v1/jobs?state={s}&limit=1000")[1]["jobs"] for s in ("queued", "running")]
        now = [j["id"] for jobs in now for j in jobs]
        if not now:
            break
        if now != left:
            left, end = now, time.monotonic() + SECONDS
        if time.monotonic() > end:
            raise SystemExit(f"jobs have not ended: {now}")
        time.sleep(0.1)
    twice = 0
    for number in accepted:
        job = server.job(number)
        found = (job["state"], job["verdict"], len(job["results"]))
        if found != ("done", "violated", 1):
            raise SystemExit(f"job {number}: {job}")
        twice += job["attempt"] > 1
    return twice


def long_jobs(folder):
    """Jobs that run while omend is killed continue: the same attempt, with all events."""
    data, gate = os.path.join(folder, "long"), Gate(folder)
    server = Server(data, GATES)
    number = server.submit_endless()
    waits = server.submit(properties=[LASSO], options=gate.options, limits={"threads": 1, "memory": "300M"})
    first = server.events(number, progress=2)
    server.wait(waits, ("running",))
    kill(server)
    again = Server(data, GATES)
    last = [e[0] for e in first if e[0] is not None][-1]
    rest = again.events(number, last=last, progress=8)  # some are from the time without omend
    states = [v["states"] for e in (first, rest) for _, kind, v in e if kind == "progress"]
    if states != sorted(set(states)):
        raise SystemExit(f"events were lost or told twice: {states}")
    job = again.ask("DELETE", f"/v1/jobs/{number}")[1]
    if (job["state"], job["attempt"]) != ("cancelled", 1):
        raise SystemExit(f"a job did not survive: {job}")
    gate.open()
    job = again.wait(waits)
    if (job["state"], job["verdict"], job["attempt"], len(job["results"])) != ("done", "violated", 1, 1):
        raise SystemExit(f"a job did not survive: {job}")
    again.stop()


def lost_job(data):
    """A job whose omend-job was killed together with omend is started again."""
    server = Server(data)
    number = server.submit_endless()
    server.wait(number, ("running",))
    worker = server.worker(number)
    server.process.send_signal(signal.SIGKILL)
    os.kill(worker, signal.SIGKILL)
    kill(server)
    again = Server(data)
    until(lambda: again.job(number)["attempt"] == 2, "a job was lost")
    again.wait(number, ("running",))
    job = again.ask("DELETE", f"/v1/jobs/{number}")[1]
    if (job["state"], job["attempt"]) != ("cancelled", 2):
        raise SystemExit(f"a job was lost: {job}")
    again.stop()


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--kills", type=int, default=10)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--seconds", type=float, default=0.5, help="a server lives so long at most")
    a = p.parse_args()
    random.seed(a.seed)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        accepted = []
        try:
            long_jobs(folder)
            lost_job(os.path.join(folder, "lost"))
            data = os.path.join(folder, "data")
            for _ in range(a.kills):
                kill_once(data, accepted, random.uniform(0, a.seconds))
            server = Server(data)
            twice = check_all(server, accepted)
            server.stop()
        finally:
            for name in "long", "lost", "data":
                end_jobs(os.path.join(folder, name))
    print(f"{a.kills} kills, {len(accepted)} jobs accepted, {twice} of them begun more than once")


if __name__ == "__main__":
    MODEL = demo("starvation.dve")
    main()
