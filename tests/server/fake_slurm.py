#!/usr/bin/python3 -IS
# SPDX-License-Identifier: Apache-2.0
"""A Slurm in a single file, for tests: sbatch, squeue, sacct or scancel, by the name it is called by. Jobs
and intended failures are in state.json beside it:
  jobs   submitted jobs: id, name, argv, state, reason, pid
  acts   by command, the behaviour of its next calls; an empty list: normal
  runs   jobs are started; otherwise they stay pending
  calls  by command, so far
"""
import contextlib
import fcntl
import json
import os
import signal
import sys
import time

FOLDER = os.path.dirname(os.path.abspath(sys.argv[0]))
ENDED = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "BOOT_FAIL",
         "OUT_OF_MEMORY")


@contextlib.contextmanager
def state(folder=FOLDER):
    """Reads the state, and writes it when the block ends."""
    with open(os.path.join(folder, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        path = os.path.join(folder, "state.json")
        with open(path) as f:
            value = json.load(f)
        yield value
        with open(path + ".new", "w") as f:
            json.dump(value, f)
        os.rename(path + ".new", path)


def install(folder):
    """Creates the folder of commands."""
    os.mkdir(folder)
    with open(__file__) as f:
        text = f.read()
    with open(os.path.join(folder, "state.json"), "w") as f:
        json.dump({"jobs": [], "acts": {}, "runs": True, "accounts": False, "forget": [],
                   "calls": {}}, f)
    for name in ("sbatch", "squeue", "sacct", "scancel"):
        path = os.path.join(folder, name)
        with open(path, "w") as f:
            f.write(text)
        os.chmod(path, 0o755)


def next_act(name):
    with state() as s:
        s["calls"][name] = s["calls"].get(name, 0) + 1
        acts = s["acts"].get(name, [])
        return acts.pop(0) if acts else "do"


def option(argv, name):
    for a in argv:
        if a.startswith(f"--{name}="):
            return a.split("=", 1)[1]
    return None


def fail(text, status=1):
    print(text, file=sys.stderr)
    sys.exit(status)


# ---- sbatch ----

def run_job(job):
    """Works like slurmstepd: runs a copy of the script in a new session, and records its end."""
    import subprocess  # here, because the other commands start faster without it
    if os.fork() != 0:
        return
    os.setsid()
    argv = job["argv"]
    at = next(i for i, a in enumerate(argv) if not a.startswith("--"))
    copy = os.path.join(FOLDER, f"script-{job['id']}")
    with open(argv[at]) as f, open(copy, "w") as to:
        to.write(f.read())
    os.chmod(copy, 0o755)
    env = {"SLURM_JOB_ID": str(job["id"])}
    gres = option(argv, "gres")
    if gres is not None:
        env["CUDA_VISIBLE_DEVICES"] = ",".join(str(i) for i in range(int(gres.split(":")[-1])))
    folder = option(argv, "chdir")
    with open(os.path.join(folder, option(argv, "output")), "a") as log:
        child = subprocess.Popen([copy, *argv[at + 1:]], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                                 stdout=log, stderr=log, start_new_session=True)
    for fd in (0, 1, 2):
        os.close(fd)
    with state() as s:
        mine = next(j for j in s["jobs"] if j["id"] == job["id"])
        mine["pid"], mine["state"] = child.pid, "RUNNING"
    status = child.wait()
    with state() as s:
        mine = next(j for j in s["jobs"] if j["id"] == job["id"])
        if mine["state"] not in ENDED:
            mine["state"] = "COMPLETED" if status == 0 else "FAILED"
    os._exit(0)


def submit(argv):
    with state() as s:
        job = {"id": 100 + len(s["jobs"]), "name": option(argv, "job-name"), "argv": argv,
               "state": "PENDING", "reason": "Resources", "pid": None}
        s["jobs"].append(job)
        runs = s["runs"]
    if runs:
        run_job(job)
    return job["id"]


def sbatch(argv, act):
    if act == "refuse and record":  # as Slurm 22.05 does
        with state() as s:
            s["jobs"].append({"id": 100 + len(s["jobs"]), "name": option(argv, "job-name"), "argv": argv,
                              "state": "FAILED", "reason": "BadConstraints", "pid": None})
    if act.startswith("refuse"):
        fail("sbatch: error: Batch job submission failed: Requested node configuration is not available")
    if act == "hang":
        time.sleep(1000)
    if act == "kill before":
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(1000)
    number = submit(argv)
    if act == "kill":
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(1000)
    if act == "hang after":
        time.sleep(1000)
    if act == "timeout":
        fail("sbatch: error: Batch job submission failed: Socket timed out on send/recv operation")
    if act == "odd":
        print("Submitted, somehow")
    elif act == "much":
        sys.stdout.write("x" * (8 << 20))
    else:
        print(f"{number};cluster")


# ---- the other commands ----

def rows(argv, accounts):
    names = (option(argv, "name") or "").split(",")
    with state() as s:
        if accounts and not s["accounts"]:
            fail("Slurm accounting storage is disabled")
        return [j for j in s["jobs"] if j["name"] in names and (accounts or j["id"] not in s["forget"])]


def squeue(argv, act):
    if act == "fail":
        fail("slurm_load_jobs error: Unable to contact slurm controller (connect failure)")
    if act == "hang":
        time.sleep(1000)
    for j in rows(argv, False):
        if act == "odd":
            print("squeue: something else\nmore of it|x")
            return
        print("|".join((j["name"], str(j["id"]), j["state"], j["reason"])))


def sacct(argv, act):
    if act == "odd":
        print("|||")
        return
    for j in rows(argv, True):
        word = j["state"] + (" by 1000" if j["state"] == "CANCELLED" else "")
        print("|".join((j["name"], str(j["id"]), word)))


def scancel(argv, act):
    if act == "fail":
        fail("scancel: error: Kill job error on job id 1: Socket timed out on send/recv operation")
    with state() as s:
        for j in s["jobs"]:
            if str(j["id"]) in argv and j["name"] == option(argv, "name") and j["state"] not in ENDED:
                j["state"], j["cancelled"] = "CANCELLED", True
                if j["pid"] is not None:
                    os.killpg(j["pid"], signal.SIGTERM)


if __name__ == "__main__":
    tool = os.path.basename(sys.argv[0])
    globals()[tool](sys.argv[1:], next_act(tool))
