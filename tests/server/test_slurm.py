# SPDX-License-Identifier: Apache-2.0
"""`backend = slurm` with commands that fail, hang, print invalid output, or end together with omend: no job
is lost, and none is submitted twice.
"""
import os
import signal
import sys
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import fake_slurm  # noqa: E402
from server import GATES, LASSO, SECONDS, Case, Gate, Server, until  # noqa: E402

CONFIG = """backend = "slurm"; calibrate = false; slurm_commands = "%s"; slurm_interval = "50ms";
slurm_timeout = "%s"; slurm_patience = "600ms"; """


class Slurm(Case):
    data = "data"

    def setUp(self):
        super().setUp()
        self.commands = os.path.join(self.folder.name, "commands")
        fake_slurm.install(self.commands)

    def begin(self, config="", timeout="100s"):
        s = Server(os.path.join(self.folder.name, self.data), CONFIG % (self.commands, timeout) + config)
        self.running.append(s)
        return s

    def state(self):
        return fake_slurm.state(self.commands)

    def act(self, tool, *acts):
        with self.state() as s:
            s["acts"][tool] = list(acts)

    def hold(self):
        """Makes jobs stay pending."""
        with self.state() as s:
            s["runs"] = False

    def jobs(self):
        with self.state() as s:
            return s["jobs"]

    def submitted(self, count=1):
        until(lambda: len(self.jobs()) >= count)
        return self.jobs()[count - 1]

    def set_state(self, number, word, forget=False):
        with self.state() as s:
            for j in s["jobs"]:
                if j["id"] == number:
                    j["state"] = word
            if forget:
                s["forget"].append(number)

    def options(self, job):
        return [a for a in job["argv"] if a.startswith("--")]

    def is_done(self, server, number, attempt=1):
        job = server.wait(number)
        self.assertEqual((job["state"], job["verdict"], job["attempt"], len(job["results"])),
                         ("done", "violated", attempt, 1), job)
        return job


class Jobs(Slurm):
    data = "a $(touch it); 'data' %j \"x\""

    def test_job(self):
        s = self.begin('slurm_partition = "long"; slurm_options = "--account=team  --qos=low";')
        number = s.submit(properties=[LASSO], priority=-2,
                          limits={"memory": "300M", "threads": 2, "timeout": "100s"})
        job = self.is_done(s, number)
        self.assertIsNotNone(job["started"])
        there = self.jobs()
        self.assertEqual(len(there), 1)
        options = self.options(there[0])
        self.assertRegex(there[0]["name"], rf"^omen-{number}-1-[0-9a-f]{{8}}$")
        self.assertEqual(job["placed"]["slurm"], there[0]["name"])
        folder = os.path.join(s.data, "jobs", str(number), "1")
        # 300M and a quarter, 256M for compilers, 64M so that omend-job reaches its limit first; 1.1 * 100 s
        # + 30 s + 60 s, in minutes.
        for wanted in ("--no-requeue", "--cpus-per-task=2", "--mem=695M", "--time=4", "--nice=200",
                       "--partition=long", "--account=team", "--qos=low", f"--chdir={folder}"):
            self.assertIn(wanted, options)
        self.assertFalse([o for o in options if o.startswith("--gres")])
        self.assertEqual(there[0]["argv"][-1], folder)
        self.assertFalse(os.path.exists(os.path.join(self.folder.name, "it")))
        # Only the events, the report and the log are kept.
        until(lambda: set(os.listdir(folder)) == {"events", "report", "log"})
        kinds = [kind for _, kind, _ in s.events(number)]
        self.assertEqual((kinds.count("result"), kinds[-1]), (1, "state"))

    def test_devices(self):
        self.hold()
        s = self.begin('slurm_gres = "gpu:a100";')
        for count, (device, gres) in enumerate((("0", 1), ("0,2", 3), ("gpu", 1), ("auto", 0), ("none", 0),
                                                ("host", 0)), 1):
            s.submit(properties=[LASSO], options={"device": device})
            there = self.submitted(count)
            wanted = [f"--gres=gpu:a100:{gres}"] if gres else []
            self.assertEqual([o for o in self.options(there) if "gres" in o], wanted, device)
            with open(os.path.join(there["argv"][-1], "job.json")) as f:
                text = f.read()
            self.assertIn(f'"--device","{"none" if device == "auto" else device}"', text)
            self.assertIn('"inherit":["CUDA_VISIBLE_DEVICES"', text)

    def test_waits(self):
        self.hold()
        s = self.begin()
        number = s.submit(properties=[LASSO])
        there = self.submitted()
        until(lambda: s.job(number).get("waits") == f"slurm job {there['id']}: PENDING, Resources")
        self.assertEqual(s.job(number)["state"], "queued")
        self.assertIn("omend_jobs_queued 1", s.ask("GET", "/metrics")[1])
        self.act("scancel", "fail", "fail")
        status, job = s.ask("DELETE", f"/v1/jobs/{number}")
        self.assertEqual((status, job["state"]), (200, "cancelled"))
        self.assertTrue(self.jobs()[0]["cancelled"])
        self.assertEqual(s.said().count("scancel: exit status 1"), 1)

    def test_cancel_while_it_runs(self):
        s = self.begin()
        number = s.submit_endless()
        s.events(number, progress=1)
        status, job = s.ask("DELETE", f"/v1/jobs/{number}")
        self.assertEqual((status, job["state"]), (200, "cancelled"))

    def test_limit_and_order(self):
        self.hold()
        s = self.begin("slurm_jobs = 2;")
        numbers = [s.submit(properties=[LASSO], priority=p) for p in (0, 0, -5, -5, 50)]
        self.submitted(2)
        until(lambda: s.job(numbers[2]).get("waits"))
        time.sleep(0.5)
        self.assertEqual(len(self.jobs()), 2)
        # The first job keeps its place; the one with the highest priority is next.
        for number in (100, 101):
            self.set_state(number, "CANCELLED")
            self.submitted(number - 97)
        names = [j["name"].split("-")[1] for j in self.jobs()]
        self.assertIn(str(numbers[4]), names)


class Failures(Slurm):
    def test_sbatch(self):
        self.act("sbatch", "refuse", "refuse", "timeout", "odd", "hang", "hang after", "much")
        s = self.begin(timeout="3s")
        numbers = [s.submit(properties=[LASSO]) for _ in range(3)]
        for n in numbers:
            self.is_done(s, n)
        self.assertEqual(len(self.jobs()), 3)
        said = s.said()
        self.assertEqual(said.count("Requested node configuration"), 1, said)
        for text in ("Socket timed out", "not a job number: 'Submitted, somehow'", "no answer within 3 s"):
            self.assertIn(text, said)

    def test_refused(self):
        self.act("sbatch", *["refuse"] * 1000)
        s = self.begin()
        number = s.submit(properties=[LASSO])
        until(lambda: "Requested node" in s.job(number).get("waits", ""))
        self.assertEqual(s.ask("DELETE", f"/v1/jobs/{number}")[1]["state"], "cancelled")
        self.assertEqual(self.jobs(), [])

    def test_refused_and_recorded(self):
        """squeue lists a failed job that was never accepted."""
        self.act("sbatch", *["refuse and record"] * 3)
        s = self.begin("attempts = 1;")
        number = s.submit(properties=[LASSO])
        until(lambda: len(self.jobs()) >= 3)
        self.is_done(s, number)
        self.assertEqual([j["state"] for j in self.jobs()], ["FAILED"] * 3 + ["COMPLETED"])

    def test_squeue(self):
        self.act("squeue", "fail", "fail", "odd", "hang", "odd")
        s = self.begin(timeout="3s")
        self.is_done(s, s.submit(properties=[LASSO]))
        self.hold()
        number = s.submit(properties=[LASSO])
        self.submitted(2)
        self.act("squeue", "fail", "fail", "odd")
        until(lambda: "PENDING" in s.job(number).get("waits", ""))
        self.assertEqual(len(self.jobs()), 2)
        self.assertIn("cannot parse 'squeue: something else'", s.said())
        self.assertIn("squeue works again", s.said())

    def test_no_commands(self):
        os.rename(self.commands, self.commands + "-away")
        s = self.begin()
        number = s.submit(properties=[LASSO])
        until(lambda: "cannot run it" in s.job(number).get("waits", ""))
        os.rename(self.commands + "-away", self.commands)
        self.is_done(s, number)

    def test_two_of_a_name(self):
        self.hold()
        s = self.begin()
        number = s.submit(properties=[LASSO])
        there = self.submitted()
        until(lambda: "PENDING" in s.job(number).get("waits", ""))
        with self.state() as now:
            now["jobs"].append(dict(there, id=555))
        until(lambda: self.jobs()[1]["state"] == "CANCELLED")
        self.assertEqual((self.jobs()[0]["state"], s.job(number)["state"]), ("PENDING", "queued"))


class Ends(Slurm):
    def test_what_slurm_did(self):
        self.hold()
        s = self.begin("attempts = 2;")
        for count, (word, state, kind) in enumerate((
                ("TIMEOUT", "failed", "time"), ("OUT_OF_MEMORY", "failed", "memory"),
                ("CANCELLED", "cancelled", None)), 1):
            number = s.submit(properties=[LASSO])
            self.set_state(self.submitted(count)["id"], word)
            job = s.wait(number)
            self.assertEqual(job["state"], state, job)
            if kind is not None:
                self.assertEqual(job["error"]["type"], "urn:omend:problem:" + kind)
                self.assertIn(word, job["error"]["detail"])

    def test_nodes_that_fail(self):
        self.hold()
        s = self.begin("attempts = 4;")
        number = s.submit(properties=[LASSO])
        for count, word in enumerate(("NODE_FAIL", "PREEMPTED", "BOOT_FAIL", "COMPLETED"), 1):
            self.set_state(self.submitted(count)["id"], word)
        job = s.wait(number)
        self.assertEqual((job["state"], job["attempt"], job["error"]["type"]),
                         ("failed", 4, "urn:omend:problem:lost"), job)
        self.assertRegex(job["error"]["detail"], r"started 4 times; .* COMPLETED and without a report")
        self.assertEqual(len({j["name"] for j in self.jobs()}), 4)

    def test_preempted_while_it_runs(self):
        """omend-job receives SIGTERM and reports that it was cancelled: Slurm knows the actual reason."""
        s = self.begin()
        number = s.submit_endless()
        s.wait(number, ("running",))
        self.hold()
        until(lambda: os.path.exists(os.path.join(s.data, "jobs", str(number), "1", "lock")))
        there = until(lambda: self.jobs()[0]["pid"] is not None and self.jobs()[0])
        self.set_state(there["id"], "PREEMPTED")
        os.killpg(there["pid"], signal.SIGTERM)
        self.assertTrue(self.submitted(2)["name"].startswith(f"omen-{number}-2-"))

    def test_forgotten(self):
        """squeue does not list it any more: sacct does, or neither."""
        self.hold()
        s = self.begin("attempts = 3;")
        number = s.submit(properties=[LASSO])
        with self.state() as now:
            now["accounts"] = True
        self.act("sacct", "odd")
        self.set_state(self.submitted(1)["id"], "NODE_FAIL", forget=True)
        there = self.submitted(2)
        with self.state() as now:
            now["accounts"] = False
        self.set_state(there["id"], "RUNNING", forget=True)
        with self.state() as now:
            now["runs"] = True
        self.is_done(s, number, attempt=3)
        self.assertTrue(self.jobs()[1]["cancelled"])  # in case it still runs unseen
        self.assertIn("sacct: cannot parse '|||'", s.said())


class Killed(Slurm):
    def kill(self, server):
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()

    def test_between(self):
        """omend ends before, or after, sbatch has submitted: each job is submitted once."""
        for act in ("kill", "kill before"):
            count = len(self.jobs())
            self.act("sbatch", act)
            s = self.begin()
            number = s.submit(properties=[LASSO])
            s.process.wait(SECONDS)
            again = self.begin()
            self.is_done(again, number)
            self.assertEqual(len(self.jobs()), count + 1, act)
            again.stop()

    def test_found_again(self):
        """Pending, running and ended in the meantime."""
        s, gate = self.begin(GATES), Gate(self.folder.name)
        runs = s.submit(properties=[LASSO], options=gate.options)
        s.wait(runs, ("running",))
        self.hold()
        pending = s.submit(properties=[LASSO])
        self.submitted(2)
        self.kill(s)
        self.set_state(101, "NODE_FAIL")
        with self.state() as now:
            now["runs"] = True
        again = self.begin(GATES)
        self.is_done(again, pending, attempt=2)
        gate.open()
        self.is_done(again, runs)
        self.assertEqual(len(self.jobs()), 3)

    def test_ends_without_omend(self):
        """SIGTERM does not wait for Slurm's jobs; their reports are found, whatever squeue says."""
        s, gate = self.begin(GATES), Gate(self.folder.name)
        number = s.submit(properties=[LASSO], options=gate.options)
        s.wait(number, ("running",))
        self.assertEqual(s.stop(), 0)
        gate.open()
        until(lambda: self.jobs()[0]["state"] == "COMPLETED")
        self.act("squeue", *["fail"] * 1000)
        again = self.begin()
        self.is_done(again, number)
        self.assertEqual(again.said().count("Unable to contact"), 1)


if __name__ == "__main__":
    unittest.main()
