# SPDX-License-Identifier: Apache-2.0
"""The abilities of a job that runs an external program (a translator, which the configuration allows here):
it cannot affect other jobs, omend or the machine, and its end is reported correctly.
"""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from server import LASSO, SECONDS, Case, until  # noqa: E402

# The program's output becomes an error of the translator, which omen quotes.
HEAD = "import os, socket, subprocess, sys, time\n"


class Sandbox(Case):
    def program(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w") as f:
            f.write(HEAD + text)
        os.chmod(path, 0o644)
        return f"cmd:{PYTHON} {path}"

    def begin(self, **more):
        return self.start(config="translators = true; calibrate = false; " + more.pop("config", ""),
                          **more)

    def run_program(self, server, name, text, **limits):
        number = server.submit(properties=[LASSO], options={"translator": self.program(name, text)},
                               limits=dict({"timeout": f"{SECONDS}s", "threads": 1, "memory": "300M"}, **limits))
        return server.wait(number, seconds=3 * SECONDS)

    def said(self, job):
        """Returns the program's output on standard error."""
        return job["error"]["detail"]

    def try_out(self, server, name, attempt):
        """Returns the outcome of an attempt, given as a statement."""
        return self.said(self.run_program(server, name, f"""
try:
    {attempt}
    print("it went", file=sys.stderr)
except Exception as e:
    print("refused:", e, file=sys.stderr)
sys.exit(1)
"""))

    def test_a_net(self):
        """The system calls of a front end's library are allowed."""
        s = self.begin()
        if "pnml" not in [p["name"] for p in s.ask("GET", "/v1/plugins")[1]["plugins"]]:
            self.skipTest("omen reads no nets here: it was built without expat")
        job = s.wait(s.submit(language="pnml", properties=[{"invariant": "p + q == 1"}, {"ltl": "G !fire(t)"}], model="""
            <pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">
            <place id="p"><initialMarking><text>1</text></initialMarking></place><place id="q"/><transition id="t"/>
            <arc id="a" source="p" target="t"/><arc id="b" source="t" target="q"/></page></net></pnml>"""))
        self.assertEqual([r["verdict"] for r in job["results"]], ["holds", "violated"], job)

    def test_attempts(self):
        s = self.begin()
        other = s.submit(properties=[LASSO])
        s.wait(other)
        pid = s.process.pid
        folder = os.path.join(s.data, "jobs")
        for name, attempt in (
                ("net", "socket.socket(socket.AF_INET)"),
                ("net6", "socket.socket(socket.AF_INET6)"),
                ("netlink", "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)"),
                ("namespace", "os.unshare(0x10000000) if hasattr(os, 'unshare') else "
                              "subprocess.run(['unshare', '-U', 'true'], check=True)"),
                ("trace", f"subprocess.run(['gdb', '-p', '{pid}'], check=True)"),
                ("mount", "subprocess.run(['mount', '-t', 'tmpfs', 'x', '/mnt'], check=True)"),
                ("clock", "time.clock_settime(time.CLOCK_REALTIME, 0)"),
                ("root", "os.setuid(0)"),
                ("database", f"open({os.path.join(s.data, 'omend.db')!r}, 'rb')"),
                ("events", f"open({os.path.join(folder, str(other), '1', 'events')!r}, 'rb')"),
                ("list", f"os.listdir({folder!r})"),
                ("kill", f"os.kill({pid}, 9)"),
                ("write", "open('/etc/omend-was-here', 'w')")):
            if os.geteuid() != 0 and name in ("database", "events", "list", "kill"):
                continue  # jobs then run as the user of the test
            self.assertNotIn("it went", self.try_out(s, name, attempt), name)
        self.assertIn("it went", self.try_out(s, "control", "open('mine', 'w')"))
        self.assertIsNone(s.process.poll())

    def test_fork_bomb(self):
        s = self.begin(config="job_processes = 24;")
        honest = s.submit_endless()
        s.events(honest, progress=1)
        job = self.run_program(s, "bomb", """
try:
    while True:
        if os.fork() == 0:
            os.setsid()
except OSError:
    time.sleep(60)
""", timeout="2s")
        self.assertIn((job["state"], job["verdict"]), (("done", "unknown"), ("failed", None)), job)
        told = os.path.join(s.data, "jobs", str(honest), "1", "events")
        size = os.path.getsize(told)
        until(lambda: os.path.getsize(told) > size, "the other job does not go on")
        self.assertEqual(s.ask("DELETE", f"/v1/jobs/{honest}")[1]["state"], "cancelled")
        until(lambda: not self.left_behind(), "some are left behind")

    def left_behind(self):
        """Returns the processes that run the test's program."""
        found = []
        for pid in os.listdir("/proc"):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as f:
                    line = f.read()
                if pid.isdigit() and self.folder.name.encode() in line and b"python" in line and \
                        b"omend" not in line:
                    found.append(line)
            except OSError:
                pass
        return found

    def test_memory(self):
        s = self.begin()
        job = self.run_program(s, "hog", "x = bytearray(2 << 30)\ntime.sleep(1000)\n", memory="100M")
        self.assertEqual(job["state"], "failed")
        self.assertEqual(job["error"]["type"], "urn:omend:problem:memory", job)

    def test_output(self):
        s = self.begin(config='job_output = "1M";')
        said = self.try_out(s, "talk", "open('large', 'wb', 0).write(bytes(900 << 10))")
        self.assertIn("it went", said)
        said = self.try_out(s, "more", "open('large', 'ab').write(bytes(2 << 20))")
        self.assertIn("File too large", said)

    def test_left_behind(self):
        s = self.begin()
        job = self.run_program(s, "daemon", """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(1000)
    os._exit(0)
sys.exit(1)
""")
        self.assertEqual(job["state"], "failed")
        until(lambda: not self.left_behind(), "it is left behind")

    def group(self):
        """Creates an empty control group (version 2) in which omend may create others; returns its name."""
        for mount in "/sys/fs/cgroup", "/sys/fs/cgroup/unified":
            path = os.path.join(mount, f"omend-test-{os.getpid()}")
            if os.path.exists(os.path.join(mount, "cgroup.procs")) and os.access(mount, os.W_OK):
                try:
                    os.mkdir(path)
                except OSError:
                    continue
                self.addCleanup(os.rmdir, path)
                return path
        return self.skipTest("no control group of version 2 can be made here")

    def members(self, group):
        """Returns the processes of a job's group, which is below omend's."""
        try:
            with open(os.path.join(group, "cgroup.procs"), encoding="ascii") as f:
                return [int(line) for line in f]
        except OSError:
            return []

    def test_groups(self):
        """Each attempt has its own group, with limits if there are controllers; no group remains."""
        with self.assertRaisesRegex(AssertionError, "cgroup: '/tmp' is not a folder of a cgroup2 file system"):
            self.begin(config='cgroup = "/tmp";')
        group = self.group()
        s = self.begin(config=f'cgroup = "{group}"; attempts = 2;')
        number = s.submit_endless(limits={"timeout": "1h"})
        s.wait(number, ("running",))
        first = os.path.join(group, f"job-{number}-1")
        until(lambda: self.members(first))
        with open(os.path.join(group, "cgroup.subtree_control"), encoding="ascii") as f:
            controllers = f.read().split()
        for controller, file in ("memory", "memory.max"), ("pids", "pids.max"):
            if controller in controllers:
                with open(os.path.join(first, file), encoding="ascii") as f:
                    self.assertTrue(f.read().strip().isdigit(), file)
        os.kill(s.worker(number), 9)
        second = os.path.join(group, f"job-{number}-2")
        until(lambda: self.members(second))
        self.assertFalse(os.path.exists(first))
        # omend is killed; the next one finds the running job.
        s.process.kill()
        s.process.wait()
        s = self.begin(config=f'cgroup = "{group}"; attempts = 2;')
        self.assertEqual(s.job(number)["attempt"], 2)
        self.assertTrue(self.members(second))
        s.ask("DELETE", f"/v1/jobs/{number}")
        self.assertEqual(s.wait(number)["state"], "cancelled")
        self.assertEqual([name for name in os.listdir(group) if name.startswith("job-")], [])
        if "memory" in controllers:
            job = self.run_program(s, "hog", "x = bytearray(2 << 30)\ntime.sleep(20)\n", memory="100M")
            self.assertEqual(job["error"]["type"], "urn:omend:problem:memory", job)

    def test_crash(self):
        s = self.begin()
        job = self.run_program(s, "crash", "os.kill(os.getppid(), 6)\ntime.sleep(1000)\n")
        self.assertEqual(job["state"], "failed")
        self.assertEqual(job["error"]["type"], "urn:omend:problem:crashed")
        self.assertIn("signal 6", job["error"]["detail"])


PYTHON = "/usr/bin/python3"

if __name__ == "__main__":
    unittest.main()
