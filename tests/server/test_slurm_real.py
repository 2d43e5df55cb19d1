# SPDX-License-Identifier: Apache-2.0
"""`backend = slurm` with a Slurm of one node, in its own folder: munged, slurmctld, slurmd."""
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from server import GATES, LASSO, SECONDS, Case, Gate, Server  # noqa: E402

PATH = os.environ["PATH"] + ":/usr/sbin:/sbin"
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo")
MISSING = [p for p in PROGRAMS if shutil.which(p, path=PATH) is None]

SLURM_CONF = """ClusterName=omentest
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
ReturnToService=2
KillWait=1
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1
GresTypes=gpu
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory={memory} Gres=gpu:1 State=UNKNOWN
PartitionName=one Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    held = [socket.socket() for _ in range(count)]
    for s in held:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in held]
    for s in held:
        s.close()
    return ports


class Cluster:
    """A Slurm on this machine, all of whose files are in one folder."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("", "state", "spool"):
            os.mkdir(os.path.join(folder, name))
        self.environment = {**os.environ, "PATH": PATH,
                            "SLURM_CONF": os.path.join(folder, "slurm.conf")}
        pages, page = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
        self.cpus = os.cpu_count()
        self.memory = max(1024, pages * page // (1 << 20) * 9 // 10)
        self.configure()
        self.write("gres.conf", "Name=gpu File=/dev/null\n")
        self.write("cgroup.conf", "CgroupPlugin=cgroup/v1\n")
        with open(os.path.join(folder, "munge.key"), "wb") as f:
            f.write(os.urandom(128))
        os.chmod(os.path.join(folder, "munge.key"), 0o400)
        self.running = {}

    def configure(self):
        self.write("slurm.conf", SLURM_CONF.format(
            host=socket.gethostname().split(".")[0], ports=free_ports(2), folder=self.folder,
            user=self.user(), cpus=self.cpus, memory=self.memory))

    def begin(self):
        folder = self.folder
        self.start("munged", "--foreground", "--force", "--num-threads=2",
                   *(f"--{o}={folder}/munge.{e}" for o, e in (
                       ("socket", "socket"), ("key-file", "key"), ("pid-file", "pid"),
                       ("log-file", "log"), ("seed-file", "seed"))))
        self.until(lambda: os.path.exists(os.path.join(folder, "munge.socket")), "munged")
        for again in range(5):  # another process may have taken the free port
            self.controller()
            self.start("slurmd", "-D", "-c")
            if self.until(lambda: "idle" in self.ask("sinfo", "-h", "-o", "%T"), "a node", again < 4):
                break
            for name in "slurmd", "slurmctld":
                self.end(name)
            self.configure()

    @staticmethod
    def user():
        import pwd
        return pwd.getpwuid(os.geteuid()).pw_name

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as f:
            f.write(text)

    def controller(self):
        self.start("slurmctld", "-D")
        self.until(lambda: self.ask("sinfo", "-h", "-o", "%T"), "slurmctld", True)

    def start(self, name, *arguments):
        with open(os.path.join(self.folder, name + ".out"), "ab") as log:
            self.running[name] = subprocess.Popen(
                [shutil.which(name, path=PATH), *arguments], env=self.environment, stdout=log,
                stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)

    def end(self, name, number=signal.SIGTERM):
        process = self.running.pop(name)
        process.send_signal(number)
        try:
            process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def ask(self, *command):
        return subprocess.run(command, env=self.environment, capture_output=True, text=True,
                              timeout=SECONDS).stdout

    def until(self, what, name, may_end=False):
        """Waits until the condition holds; returns False if one of the programs has ended."""
        end = time.monotonic() + SECONDS
        while not what():
            if may_end and any(p.poll() is not None for p in self.running.values()):
                return False
            if time.monotonic() > end:
                raise AssertionError(f"no {name}:\n{self.said()}")
            time.sleep(0.05)
        return True

    def said(self):
        text = ""
        for name in sorted(os.listdir(self.folder)):
            if name.endswith((".out", ".log")):
                with open(os.path.join(self.folder, name), errors="replace") as f:
                    text += f"--- {name}\n{f.read()[-3000:]}"
        return text

    def stop(self):
        for name in ("slurmd", "slurmctld", "munged"):
            if name in self.running:
                self.end(name)
        # slurmstepd is not a child of this process, and would report its job's end to slurmctld for
        # minutes.
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/comm") as name, open(f"/proc/{pid}/environ", "rb") as f:
                    ours = f"SLURM_CONF={self.folder}/".encode() in f.read()
                    ours = ours and name.read().startswith("slurmstepd")
                if ours:
                    os.kill(int(pid), signal.SIGKILL)
            except OSError:
                pass


CONFIG = """backend = "slurm"; calibrate = false; slurm_interval = "200ms"; slurm_timeout = "100s";
slurm_patience = "1s"; """


class Real(Case):
    def setUp(self):
        super().setUp()
        self.cluster = Cluster(os.path.join(self.folder.name, "slurm"))
        self.addCleanup(self.cluster.stop)
        self.cluster.begin()

    def begin(self):
        s = Server(os.path.join(self.folder.name, "da ta"), CONFIG + GATES, environment=self.cluster.environment)
        self.running.append(s)
        return s

    def endless(self, server):
        """Submits a job, and waits until it reports progress."""
        number = server.submit_endless({"memory": "300M", "timeout": "1h"})
        server.events(number, progress=1)
        return number

    def cancel(self, server, number, attempt=1):
        job = server.ask("DELETE", f"/v1/jobs/{number}")[1]
        self.assertEqual((job["state"], job["attempt"]), ("cancelled", attempt), job)

    def accounts(self):
        return self.cluster.ask("squeue", "-h", "--states=all", "-o", "%j %T").split("\n")[:-1]

    def is_done(self, server, number, attempt=1):
        job = server.wait(number, seconds=3 * SECONDS)
        self.assertEqual((job["state"], job["verdict"], job["attempt"], len(job["results"])),
                         ("done", "violated", attempt, 1), (job, self.cluster.said()))

    def small(self, server, **more):
        more.setdefault("limits", {"memory": "300M", "threads": 1, "timeout": "10m"})
        return server.submit(properties=[LASSO], **more)

    def until_waits(self, server, number, pattern):
        self.cluster.until(lambda: re.search(pattern, server.job(number).get("waits", "")), pattern)


class Short(Real):
    def test_one(self):
        """Submitted, followed, and cancelled."""
        s = self.begin()
        small, number = self.small(s), self.endless(s)
        self.is_done(s, small)
        name = s.job(number)["placed"]["slurm"]
        self.assertIn(f"{name} RUNNING", self.accounts())
        self.cancel(s, number)
        self.cluster.until(lambda: f"{name} CANCELLED" in self.accounts(), "end of it")


class All(Real):
    """One cluster for all tests, because starting one takes longer than its jobs."""

    def test_all(self):
        s = self.begin()
        # The first test restarts slurmctld without knowledge of ended jobs, so there must be none.
        for test in (self.slurmctld_loses_its_memory, self.devices, self.pending, self.omend_is_killed,
                     self.slurmctld_is_away, self.the_node_fails):
            with self.subTest(test.__name__):
                s = test(s) or s
        # Submissions that sbatch refused are recorded as FAILED, each time.
        names = [line.split()[0] for line in self.accounts() if not line.endswith(" FAILED")]
        self.assertGreater(len(names), 9)
        self.assertEqual(len(names), len(set(names)), names)

    def devices(self, s):
        """A device that is not a GPU, and a device number that does not exist."""
        first, second = (self.small(s, options={"device": d}) for d in ("0", "1"))
        s.wait(first)  # omen's result for /dev/null as a GPU is not tested
        name = s.job(first)["placed"]["slurm"]
        self.assertRegex(self.cluster.ask("squeue", "-h", "--states=all", "-n", name, "-o", "%b"), "gpu:1$")
        self.until_waits(s, second, "sbatch: .*node configuration is not available")
        self.cancel(s, second)

    def pending(self, s):
        """With its reason; cancelled while pending."""
        whole = s.submit_endless({"memory": "300M", "threads": self.cluster.cpus, "timeout": "1h"})
        s.wait(whole, ("running",))
        pending = self.small(s)
        self.until_waits(s, pending, r"slurm job \d+: PENDING, (Resources|Priority)")
        self.assertEqual(s.ask("DELETE", f"/v1/jobs/{pending}")[1]["state"], "cancelled")
        # An external scancel ends it.
        self.cluster.ask("scancel", "--name", s.job(whole)["placed"]["slurm"])
        self.assertEqual(s.wait(whole)["state"], "cancelled")

    def omend_is_killed(self, s):
        runs = self.endless(s)
        more = [self.small(s) for _ in range(3)]
        s.process.send_signal(signal.SIGKILL)
        s.process.wait()
        s = self.begin()
        for n in more:
            self.is_done(s, n)
        self.cancel(s, runs)
        return s

    def slurmctld_is_away(self, s):
        runs = self.endless(s)
        self.cluster.end("slurmctld", signal.SIGTERM)
        number = self.small(s)
        self.until_waits(s, number, "sbatch: ")
        self.cluster.controller()
        self.is_done(s, number)
        self.cancel(s, runs)

    def slurmctld_loses_its_memory(self, s):
        """Slurm then reuses a job number."""
        gate = Gate(self.folder.name)
        runs = self.small(s, options=gate.options)
        s.wait(runs, ("running",))
        self.cluster.end("slurmctld", signal.SIGKILL)
        self.cluster.controller()
        self.is_done(s, self.small(s))
        gate.open()
        job = s.wait(runs, seconds=3 * SECONDS)  # restarts if Slurm ends it by its reused number
        self.assertEqual((job["state"], job["verdict"], len(job["results"])), ("done", "violated", 1), job)

    def the_node_fails(self, s):
        number = self.endless(s)
        node = socket.gethostname().split(".")[0]
        self.cluster.ask("scontrol", "update", f"nodename={node}", "state=down", "reason=test")
        self.cluster.until(lambda: s.job(number)["attempt"] == 2, "second attempt")
        self.cluster.ask("scontrol", "update", f"nodename={node}", "state=resume")
        s.wait(number, ("running",), seconds=3 * SECONDS)
        self.cancel(s, number, attempt=2)


if __name__ == "__main__":
    if MISSING:
        print(f"skipped: there is no Slurm here ({', '.join(MISSING)} missing)")
        sys.exit(77)
    unittest.main()
